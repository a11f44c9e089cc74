"""Tests of a user's study: written, run, resumed, swept and tested like the cases of the package."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from fem_mbd.applications.cli.main import main
from fem_mbd.case import load_folder
from fem_mbd.cases import case_names, load_case
from fem_mbd.cases._template import CASE
from fem_mbd.errors import InputError
from tests.applications.cli.conftest import Says
from tests.docs.pages import ROOT

pytestmark = pytest.mark.slow

SHORT = ("--set", "end_time=0.02", "--quiet", "--no-plot")


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: Says) -> Path:
    """A new study named "swing" in the working folder."""
    monkeypatch.chdir(tmp_path)
    assert "fem-mbd run ./swing" in says(["new", "swing"]).out
    return tmp_path / "swing"


def test_it_is_run_like_a_case_of_the_package(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "./swing", "--out", "a"]) == 0
    summary = json.loads(Path("a/summary.json").read_text())
    assert len(summary["checks"]) == 4 and all(check["passed"] for check in summary["checks"])
    assert Path("a/figures/swing.png").exists()
    ways = (["plot", "a", "--trust"], ["resume", "a", "--trust"], ["diagnose", "a", "--trust"])
    for command in (["list", "./swing"], *ways, ["show", "a"], ["plot", "a", "--part", "mass"]):
        assert main(command) == 0, capsys.readouterr().err
    assert main(["run", "./swing", *SHORT]) == 0
    assert Path("results/swing-end_time-0.02/results.h5").exists()


def test_its_own_tests_pass(study: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "swing"],
        cwd=study.parent, env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0 and "3 passed" in done.stdout, done.stdout


def test_it_is_swept(study: Path) -> None:
    """From a spec in its own folder that names it, by workers."""
    spec = study.parent / "masses.toml"
    spec.write_text(
        'case = "./swing"\n[set]\nend_time = 0.02\n[grid]\nmass = [0.5, 1.0]\n[outputs]\nn = "steps"'
    )
    assert main(["sweep", str(spec), "--processes", "1", "--quiet"]) == 0
    assert (study.parent / "masses/table.csv").read_text().count(",done,") == 2
    assert main(["resume", str(next((study.parent / "masses/runs").iterdir())), "--trust"]) == 0


NAMES = {
    "pendulum": "there is a case",
    "two words": "letters, digits",
    "class": "letters",
    "swing": "it exists already",
}


@pytest.mark.parametrize("name", NAMES)
def test_names_that_cannot_be_are_refused(name: str, study: Path, says: Says) -> None:
    before = {file: file.read_text() for file in study.glob("*.py")}
    assert NAMES[name] in says(["new", name], 2).err
    assert {file: file.read_text() for file in study.glob("*.py")} == before
    assert list(study.parent.iterdir()) == [study]


FAULTS = {
    "parameters.py": ("MASS = 1 / 0", "parameters.py, line 1: ZeroDivisionError"),
    "model.py": ("def build(", "SyntaxError"),
    "results.py": ("import no_such_module", "results.py, line 1: ModuleNotFoundError"),
    "__init__.py": ("", "defines no CASE"),
}


@pytest.mark.parametrize("file", FAULTS)
def test_faults_in_it_are_named_and_can_be_mended(file: str, study: Path, says: Says) -> None:
    good, (bad, message) = (study / file).read_text(), FAULTS[file]
    (study / file).write_text(bad)
    assert message in says(["run", "./swing", *SHORT], 2).err
    assert not Path("results").exists()
    (study / file).write_text(good)


def test_folders_that_hold_no_study_are_refused(study: Path, says: Says) -> None:
    assert "is not a folder" in says(["run", "./swign"], 2).err
    assert "called ./swing" in says(["run", "swing"], 2).err
    study.rename(study.with_name("renamed"))
    with pytest.raises(InputError, match="named 'swing'"):
        load_case("./renamed")


@pytest.mark.parametrize("command", ["resume", "plot", "diagnose"])
def test_results_do_not_run_a_program_by_themselves(
    command: str, study: Path, monkeypatch: pytest.MonkeyPatch, says: Says
) -> None:
    """The study lies in the working folder, as that of a stranger may: it is executed after a yes at the terminal."""
    assert main(["run", "./swing", "--out", "a", *SHORT]) == 0
    (study / "__init__.py").write_text(
        "import pathlib\npathlib.Path('ran').touch()\nraise SystemExit('it ran')"
    )
    for name in [name for name in sys.modules if name.startswith("swing_")]:  # as in another process
        monkeypatch.delitem(sys.modules, name)
    assert "executed only with --trust" in says([command, "a"], 2).err
    for stream in (sys.stdin, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.setattr(sys.stdin, "readline", lambda: "\n")
    refused = says([command, "a"], 2).err
    assert "whose Python code would be executed. Go on? [y/N]" in refused and "--trust" in refused
    assert not Path("ran").exists()
    monkeypatch.setattr(sys.stdin, "readline", lambda: "y\n")
    with pytest.raises(SystemExit, match="it ran"):
        main([command, "a"])
    assert Path("ran").exists()


def test_two_studies_of_one_name_do_not_meet(tmp_path: Path) -> None:
    for name, default in (("a", "0.5"), ("b", "0.7")):
        assert main(["new", str(tmp_path / name / "swing")]) == 0
        file = tmp_path / name / "swing/parameters.py"
        file.write_text(file.read_text().replace('parameter(0.5, "kg"', f'parameter({default}, "kg"'))
    masses = [load_folder(tmp_path / name / "swing").parameters().mass for name in ("a", "b")]
    assert masses == [0.5, 0.7]


def test_the_template_is_no_case_of_the_package() -> None:
    assert CASE.name not in case_names() and CASE.place is None
