"""Tests of extremes and damage-equivalent loads over many runs, against sums by hand."""

from pathlib import Path

import numpy as np
import pytest

from fem_mbd.applications.cli.main import main
from fem_mbd.output.export.outb import write_outb
from fem_mbd.output.section_loads.many_runs import cases_of, loads_of_runs
from tests.refusals import refused

TIME = np.linspace(0.0, 100.0, 2001)


def sine(folder: Path, name: str, amplitude: float, mean: float = 0.0, frequency: float = 0.5) -> Path:
    """A run of one sine: its damage-equivalent range at its own frequency is 2 a."""
    y = mean + amplitude * np.sin(2 * np.pi * frequency * TIME)
    return write_outb(
        folder / f"{name}.outb",
        TIME,
        {"RootMyb1": y, "TwrBsMyt": 2 * y},
        {"RootMyb1": "N m", "TwrBsMyt": "N m"},
    )


def test_a_folder_of_runs(tmp_path: Path) -> None:
    """Two sines for the same time: D^m is the mean of (2 a)^m times f over 1 Hz."""
    sine(tmp_path, "a", 1000.0, 100.0)
    sine(tmp_path / "deep", "b", 3000.0, -500.0)
    found = loads_of_runs(tmp_path, exponents=(4.0, 10.0))
    assert [row["channel"] for row in found.rows] == ["RootMyb1", "TwrBsMyt"]
    row = found.rows[0]
    assert (row["case of max"], row["case of min"]) == ("deep/b.outb", "deep/b.outb")
    assert row["max"] == pytest.approx(2500.0, rel=1e-3)
    assert row["min"] == pytest.approx(-3500.0, rel=1e-3)
    for m in (4.0, 10.0):
        wanted = (0.5 * (0.5 * 2000.0**m + 0.5 * 6000.0**m)) ** (1 / m)
        assert row[f"DEL m={m:g} at 1 Hz"] == pytest.approx(wanted, rel=0.01)
    assert found.rows[1]["max"] == pytest.approx(2 * row["max"], rel=1e-3)
    assert len(found.single) == 4


def test_a_table_of_load_cases(tmp_path: Path) -> None:
    """Hours are weights of the damage, factors multiply the extremes."""
    sine(tmp_path, "a", 1000.0)
    sine(tmp_path, "b", 2000.0)
    table = tmp_path / "dlc.csv"
    table.write_text("case, file, hours, factor\nDLC 1.2, a.outb, 9000, 1.35\nDLC 6.2, b.outb, 10, 1.1\n")
    row = loads_of_runs(table, "RootMyb1", exponents=(4.0,)).rows[0]
    assert row["max"] == pytest.approx(2200.0, rel=1e-3)
    assert row["case of max"] == "DLC 6.2"
    wanted = (0.5 * (9000 * 2000.0**4 + 10 * 4000.0**4) / 9010) ** 0.25
    assert row["DEL m=4 at 1 Hz"] == pytest.approx(wanted, rel=0.01)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sine(tmp_path, "a", 1000.0)
    sine(tmp_path, "b", 2000.0)
    assert main(["loads", str(tmp_path), "--channels", "RootMyb1", "--exponents", "4", "--after", "10"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].split()[:3] == ["channel", "unit", "min"]
    assert "b.outb" in shown[1]
    assert (tmp_path / "loads" / "loads_all.csv").is_file()
    assert len((tmp_path / "loads" / "loads_runs.csv").read_text().splitlines()) == 3
    assert main(["loads", str(tmp_path / "a.outb"), "--out", str(tmp_path / "one")]) == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("file\nno.outb\n", "line 2: there is no run at 'no.outb'"),
        ("name\na.outb\n", "its columns are name; required is file, permitted are hours, factor, case"),
        ("file,hours\na.outb,-1\n", "line 2: hours is '-1'"),
        ("file,hours\na.outb,x\n", "line 2: hours is 'x'"),
        ("file\n", "it has no rows"),
        ("", "its columns are none"),
    ],
)
def test_tables_that_cannot_be_are_refused(tmp_path: Path, text: str, message: str) -> None:
    sine(tmp_path, "a", 1.0)
    (tmp_path / "dlc.csv").write_text(text)
    refused(message, lambda: cases_of(tmp_path / "dlc.csv"))


def test_folders_and_runs_without_what_is_asked_for(tmp_path: Path) -> None:
    refused(r"there is no results\.h5 and no \.outb file", loads_of_runs, tmp_path)
    sine(tmp_path, "a", 1.0)
    refused("it has no channel 'RotTorq'", loads_of_runs, tmp_path, "RotTorq")
    refused("fewer than two times after 200 s", loads_of_runs, tmp_path, after=200.0)


def moments(folder: Path, name: str, unit: str, factor: float, mean: float, amplitude: float) -> Path:
    y = mean + amplitude * np.sin(TIME)
    return write_outb(folder / name, TIME, {"RootMyb1": y / factor}, {"RootMyb1": unit})


@pytest.mark.parametrize("order", [("own", "storm"), ("storm", "own")])
@pytest.mark.parametrize(("unit", "factor"), [("kN m", 1e3), ("kN·m", 1e3), ("MN-m", 1e6)])
def test_runs_in_different_units(tmp_path: Path, order: tuple[str, str], unit: str, factor: float) -> None:
    """A storm of 11 MN m that OpenFAST gives in kN-m, beside a run of 1.2 MN m in N m."""
    moments(tmp_path, "own.outb", "N m", 1.0, 1e6, 2e5)
    moments(tmp_path, "storm.outb", unit, factor, 9e6, 2e6)
    table = tmp_path / "dlc.csv"
    table.write_text("case,file\n" + "".join(f"{name},{name}.outb\n" for name in order))
    found = loads_of_runs(table, exponents=(10.0,))
    row = found.rows[0]
    assert (row["unit"], row["case of max"], row["case of min"]) == ("N m", "storm", "own")
    assert row["max"] == pytest.approx(11e6, rel=1e-3)
    assert row["min"] == pytest.approx(0.8e6, rel=1e-3)
    # the ranges of the storm, 4 MN m, are half of the repetitions, at 1/(2 pi) Hz
    wanted = (0.5 * (4e6**10 + 4e5**10) / (2 * np.pi)) ** 0.1
    assert row["DEL m=10 at 1 Hz"] == pytest.approx(wanted, rel=0.01)


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("", "N m", "'RootMyb1' has no unit"),
        ("N m", "lbf-ft", "the unit 'lbf-ft', which is not known"),
        ("INVALID", "N m", "the unit 'INVALID', which is not known"),
        ("N m", "kN", "'RootMyb1' is in N, in .*a.outb in N m"),
    ],
)
def test_units_that_cannot_be_compared_are_refused(
    tmp_path: Path, first: str, second: str, said: str
) -> None:
    moments(tmp_path, "a.outb", first, 1.0, 1e6, 2e5)
    moments(tmp_path, "b.outb", second, 1.0, 1e6, 2e5)
    refused(said, loads_of_runs, tmp_path)
