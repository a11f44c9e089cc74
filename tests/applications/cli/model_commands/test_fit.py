"""Tests of `fem-mbd fit`: table, JSON, files, exit statuses."""

import json
from pathlib import Path

import pytest

from fem_mbd.applications.cli.main import main
from tests.applications.cli.conftest import Says


@pytest.fixture
def demo(tmp_path: Path, says: Says) -> str:
    """A short version of the demonstration's file."""
    file = tmp_path / "demo.csv"
    assert says(["fit", "--demo", str(file)]).out == f"{file}\n"
    lines = file.read_text("utf-8").splitlines()
    assert "GeneralisedMaxwellSlip(mu_s=0.15" in lines[1] and len(lines) == 1004
    file.write_text("\n".join(lines[:3] + lines[3::4]), "utf-8")
    return str(file)


def test_laws_side_by_side(demo: str, says: Says, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The better law comes first; files are in results/; remarks are on standard error."""
    monkeypatch.chdir(tmp_path)
    told = says(["fit", demo, "--law", "Dahl", "LuGre", "--set", "sigma_1", "mu_s=0.2:0.1..0.5"])
    lines = told.out.splitlines()
    assert lines[0].startswith("LuGre on ") and lines[0].endswith("251 of 251 rows")
    assert lines[1].split() == ["parameter", "unit", "value", "95", "%", "interval"]
    assert lines[2].split()[:2] == ["sigma_0", "1/m"] and "held: sigma_2 0, gamma 2, form vector" in told.out
    table = [line.split()[0] for line in lines[-5:-2]]
    assert table == ["law", "LuGre", "Dahl"] and lines[-4].split()[3] == "5"
    folder = tmp_path / "results" / "demo-fit"
    assert lines[-2:] == ["results/demo-fit/fit.json", "results/demo-fit/fit.png"]
    assert (folder / "fit.png").stat().st_size > 2e4
    stored = json.loads((folder / "fit.json").read_text("utf-8"))
    assert stored["best"] == "LuGre" and [fit["law"] for fit in stored["fits"]] == ["LuGre", "Dahl"]
    assert "LuGre: residuals of successive rows are correlated" in told.err


def test_json_alone(demo: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """One object on standard output, no files unless requested."""
    before = sorted(tmp_path.iterdir())
    assert (
        main(
            [
                "fit",
                demo,
                "--law",
                "LuGre",
                "--fix",
                "sigma_1=50",
                "form=scalar",
                "--set",
                "gamma=2:..4",
                "--json",
            ]
        )
        == 0
    )
    fit = json.loads(capsys.readouterr().out)["fits"][0]
    assert sorted(tmp_path.iterdir()) == before
    assert fit["held"]["sigma_1"] == 50 and fit["held"]["form"] == "scalar" and fit["rows"] == 251
    low, high = fit["parameters"]["mu_s"]["interval"]
    assert low < fit["parameters"]["mu_s"]["value"] < high and fit["parameters"]["v_s"]["unit"] == "m/s"
    names = [name for name, p in fit["parameters"].items() if not p["at_bound"]]
    assert fit["degrees_of_freedom"] == 251 - len(names) and fit["correlation"]["names"] == names


def test_elements_and_steady_data(capsys: pytest.CaptureFixture[str], says: Says, tmp_path: Path) -> None:
    """Entries of tuples separated by commas; a file of steady forces, its figure over speed."""
    file = tmp_path / "steady.csv"
    rows = [
        f"{v},{10 * (0.1 + 0.05 / (1 + (v / 1e-3) ** 2)) + 0.01 * (-1) ** k}" for k, v in enumerate(_speeds())
    ]
    file.write_text("\n".join(["velocity,force", *rows]), "utf-8")
    common = ["fit", str(file), "--normal-force", "10", "--json"]
    assert main([*common, "--law", "HessSoom", "--out", str(tmp_path / "out")]) == 0
    values = json.loads(capsys.readouterr().out)["fits"][0]["parameters"]
    assert (
        values["mu_s"]["value"] == pytest.approx(0.15, rel=0.02) and (tmp_path / "out" / "fit.png").exists()
    )
    elements = ["--fix", "k=4e4,2e4", "alpha=0.5,0.5", "C=10"]
    held = json.loads(says([*common, "--law", "GeneralisedMaxwellSlip", *elements]).out)["fits"][0]["held"]
    assert held["k.1"] == 4e4 and held["alpha.2"] == 0.5
    assert main([*common, "--law", "GeneralisedMaxwellSlip", "--set", "k=4e4,2e4", "alpha=0.5,0.5"]) == 2
    assert "cannot determine k.1 and k.2" in capsys.readouterr().err


def _speeds() -> list[float]:
    return [1e-4 * 1.4**k for k in range(16)]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "give a file of data and --law"),
        (["DATA"], "give a file of data and --law"),
        (["none.csv", "--law", "LuGre"], "none.csv: it cannot be read"),
        (["DATA", "--law", "LuGrey"], "no friction law 'LuGrey': did you mean 'LuGre'"),
        (["DATA", "--law", "LuGre", "Dahl", "--set", "sigma9=1"], "LuGre, Dahl: there is no parameter 'sigma9'"),
        (["DATA", "--law", "Dahl", "--fix", "mu_s=1"], "Dahl: there is no parameter 'mu_s'; did you mean 'mu_k'"),
        (["DATA", "--law", "Dahl", "--fix", "mu_k"], "--fix mu_k: write it as name=value"),
        (["DATA", "--law", "Dahl", "--fix", "mu_k=a"], "--fix: parameter 'mu_k' is 'a', expected number"),
        (["DATA", "--law", "Dahl", "--set", "mu_k=a"], "--set mu_k=a: 'a' is not a number"),
        (["DATA", "--law", "Dahl", "--set", "mu_k=1:2"], "write bounds as low..high"),
        (["DATA", "--law", "Dahl", "--set", "mu_k=1:0.1..0.5"], "the start 1 is outside its bounds, 0.1 to 0.5"),
        (["DATA", "--law", "Dahl", "--normal-force", "3"], "column of the file: leave the constant one out"),
        (["DATA", "--law", "Dahl", "--evaluations", "0"], "fit evaluations is 0: give a whole number from 1"),
        (["DATA", "--law", "Iwan", "--set", "n=4"], "Iwan n: only numbers can be fitted: hold it"),
        (["DATA", "--law", "Gonthier"], "cannot determine tau_dw"),
        (["--demo", "/nowhere/demo.csv"], "/nowhere/demo.csv cannot be written"),
    ],
)  # fmt: skip
def test_status_two(demo: str, arguments: list[str], said: str, says: Says, tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    places = [demo if argument == "DATA" else argument for argument in arguments]
    told = says(["fit", *places, *(["--out", str(tmp_path / "out")] if places else [])], 2)
    assert said in told.err and told.out == "" and sorted(tmp_path.iterdir()) == before


def test_a_folder_that_is_a_file(demo: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", demo, "--law", "Dahl", "--out", demo]) == 2
    assert f"--out {demo} is a file: give a folder" in capsys.readouterr().err


def test_a_search_that_does_not_end(demo: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fit", demo, "--law", "LuGre", "--json", "--evaluations", "1"]) == 3
    assert "fit of LuGre: no minimum within 1 evaluations" in capsys.readouterr().err
