"""Tests of the command line: exit statuses, messages, files written."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

import fem_mbd.cases
from fem_mbd import Result, run
from fem_mbd.applications.cli.main import main, split_petsc_options
from fem_mbd.runs.results.checks import at_least, at_most, checks_table, near, within
from tests.applications.cli import fake_case
from tests.applications.cli.conftest import Says
from tests.runs.running.fake_runs import ROOT
from tests.runs.running.fake_simulation import FakeSimulation


@pytest.fixture(autouse=True)
def only_the_fake_case(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Only the case "swing" is known, and the working folder is empty."""
    monkeypatch.setitem(sys.modules, "fem_mbd.cases.swing", fake_case.module())
    monkeypatch.setattr(fem_mbd.cases, "CASE_NAMES", ("swing",))
    monkeypatch.chdir(tmp_path)


def summary(folder: str | Path) -> dict:
    return json.loads((Path(folder) / "summary.json").read_text())


def written() -> list[str]:
    """All files below the working folder."""
    return sorted(str(path) for path in Path().rglob("*") if path.is_file())


def test_run_writes_results_summary_and_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "swing", "--set", "steps=40", "--out", "out"]) == 0
    figures = [f"out/figures/{name}.png" for name in ("energy", "steps", "swing")]
    assert written() == [*figures, "out/results.h5", "out/summary.json"]
    text, errors = capsys.readouterr()
    assert errors == ""
    assert "passed  energy residual" in text and "out/summary.json" in text
    assert all(figure in text for figure in figures)
    content = summary("out")
    assert content["status"] == "complete" and content["steps"] == 40
    assert content["parameters"] == {
        "case": 1, "steps": 40, "end_time": 1.0, "fail_at": None, "pause": 0.0, "trouble": "",
    }  # fmt: skip
    assert content["checks"][0].keys() == {"name", "value", "bound", "passed", "source", "known"}
    assert content["checks"][0]["passed"] is True
    assert {"residual_max", "scale", "relative", "totals"} <= content["energy"].keys()
    assert content["figures"] == ["figures/swing.png", "figures/energy.png", "figures/steps.png"]


def test_without_matplotlib_a_run_is_made_and_says_how_to_have_figures(
    capsys: pytest.CaptureFixture[str], says: Says, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["run", "swing", "--out", "out"]) == 0
    assert written() == ["out/results.h5", "out/summary.json"]
    assert capsys.readouterr().err.count("pip install 'fem_mbd[figures]'") == 1
    assert "pip install 'fem_mbd[figures]'" in says(["plot", "out"], 2).err


def test_failed_check_has_a_status_of_its_own(says: Says) -> None:
    assert "FAILED  end" in says(["run", "swing", "--set", "case=2", "--no-plot"], 4).out
    assert written() == ["results/swing-case-2/results.h5", "results/swing-case-2/summary.json"]


def test_known_difference_names_its_page_and_does_not_fail(says: Says) -> None:
    out = says(["run", "swing", "--set", "case=3", "--no-plot"]).out
    assert "known difference  end" in out and "; see docs/swing.md" in out and "FAILED" not in out


def test_quiet_says_nothing(says: Says) -> None:
    assert says(["run", "swing", "--quiet", "--no-plot"]) == ("", "")


def test_progress_lines_when_asked(says: Says) -> None:
    assert "complete at t = 1 s, 30 steps" in says(["run", "swing", "--progress", "--no-plot"]).err


def test_default_folder_names_what_differs() -> None:
    assert main(["run", "swing", "--quiet", "--no-plot"]) == 0
    assert main(["run", "swing", "--quiet", "--no-plot", "--set", "steps=7", "end_time=0.5"]) == 0
    long = "trouble=" + "long/name " * 9
    assert main(["run", "swing", "--quiet", "--no-plot", "--set", long]) == 0
    folders = sorted(path.name for path in Path("results").iterdir())
    assert folders[0] == "swing-default" and folders[1] == "swing-steps-7-end_time-0.5"
    assert folders[2].startswith("swing-trouble-long_name_long") and len(folders[2]) <= 54


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run"], "give a case"),
        (["run", "swinh"], "there is no case 'swinh'; did you mean 'swing'?"),
        (["run", "swing", "--set", "stepz=3"], "no parameter 'stepz'; did you mean 'steps'?"),
        (["run", "swing", "--set", "steps=many"], "'steps' is 'many', expected whole number"),
        (["run", "swing", "--params", "none.toml"], "parameter file none.toml: it cannot be read"),
        (["run", "swing", "--set", "trouble=input"], "joint 'hinge': its points are 0.1 m apart"),
        (["run", "swing", "--record-every", "0"], "record_every is 0"),
        (["run", "swing", "--quantities", "position,forse"], "no output 'forse'"),
        (["run", "swing", "--out", "/proc/none"], "no permission to write"),
        (["resume", "nowhere"], "nowhere: there is no results file here"),
        (["plot", "nowhere"], "nowhere: there is no results file here"),
        (["list", "swinh"], "did you mean 'swing'?"),
    ],
)
def test_bad_input(arguments: list[str], message: str, says: Says) -> None:
    if "/proc/none" in arguments and os.geteuid() == 0:
        message = "/proc/none"
    text, errors = says(arguments, 2)
    assert text == "" and errors.startswith("fem-mbd: error: ") and message in errors
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [[], ["fly"], ["run", "swing", "--record-every", "x"], ["run", "swing", "--out", ""], ["resume", " "]],
)
def test_wrong_grammar(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: fem-mbd" in capsys.readouterr().err
    assert list(Path().iterdir()) == []


def test_out_that_is_a_file(says: Says) -> None:
    Path("taken").write_text("precious")
    assert "this is a file" in says(["run", "swing", "--out", "taken"], 2).err
    assert Path("taken").read_text() == "precious"


def test_solver_failure_keeps_results(says: Says) -> None:
    assert "failed: step from t" in says(["run", "swing", "--set", "fail_at=12", "--out", "out"], 3).err
    assert written() == ["out/results.h5", "out/summary.json"]
    content = summary("out")
    assert content["status"] == "failed" and "node 'tip'" in content["reason"]
    assert content["steps"] == 11 and content["checks"] == []


def test_solver_failure_before_the_run_writes_nothing(says: Says) -> None:
    assert "no consistent initial velocities" in says(["run", "swing", "--set", "trouble=start"], 3).err
    assert list(Path().iterdir()) == []


def test_warning_is_one_line_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "swing", "--quiet", "--set", "trouble=warning"]) == 0
    assert capsys.readouterr().err == "fem-mbd: warning: the spring is used beyond its range\n"


def test_a_run_of_other_parameters_is_not_overwritten(says: Says) -> None:
    assert main(["run", "swing", "--out", "out", "--quiet"]) == 0
    before = Path("out/results.h5").read_bytes(), Path("out/summary.json").read_bytes()
    errors = says(["run", "swing", "--out", "out", "--set", "steps=7"], 2).err
    assert "out holds a run of other parameters (steps = 30 there, 7 here)" in errors and "--force" in errors
    assert (Path("out/results.h5").read_bytes(), Path("out/summary.json").read_bytes()) == before
    assert main(["run", "swing", "--out", "out", "--set", "steps=7", "--force", "--no-plot", "--quiet"]) == 0
    assert summary("out")["steps"] == 7
    assert written() == ["out/results.h5", "out/summary.json"], "figures of the replaced run are gone"


def test_the_same_run_may_be_repeated() -> None:
    for _ in range(2):
        assert main(["run", "swing", "--out", "out", "--quiet", "--no-plot"]) == 0


def test_foreign_results_are_not_overwritten(says: Says) -> None:
    Path("out").mkdir()
    Path("out/results.h5").write_text("somebody's")
    assert "a file that this package cannot read" in says(["run", "swing", "--out", "out"], 2).err
    run(FakeSimulation(5), file="out/results.h5").close()
    assert "a run of a model built in Python" in says(["run", "swing", "--out", "out"], 2).err


def test_params_file_and_selection() -> None:
    Path("p.toml").write_text("steps = 20\nend_time = 2\n")
    arguments = [
        "run",
        "swing",
        "--params",
        "p.toml",
        "--set",
        "steps=24",
        "--out",
        "out",
        "--quiet",
        "--no-plot",
    ]
    assert main([*arguments, "--record-every", "5", "--quantities", "position,contact"]) == 0
    result = Result.open("out")
    assert result.parameters["end_time"] == 2.0 and result.steps == 24
    assert list(result.output_index) == [5, 10, 15, 20, 24] and list(result.outputs) == [
        "position",
        "contact",
    ]


def start(*arguments: str) -> subprocess.Popen[str]:
    """Start `fem-mbd` with the fake case in a separate process, in the present folder."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests.applications.cli.fake_case", *arguments]
    return subprocess.Popen(
        command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_then_resumed(number: signal.Signals, says: Says) -> None:
    settings = ["--set", "steps=120", "pause=0.01", "--checkpoint-every", "10"]
    process = start("run", "swing", *settings, "--out", "out")
    assert process.stdout is not None and process.stdout.readline() == "running\n"
    while not Path("out/results.h5").exists() or Result.open("out").steps < 20:
        assert process.poll() is None
    process.send_signal(number)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 128 + number
    assert f"interrupted: {number.name}" in errors and "fem-mbd resume out" in errors
    content = summary("out")
    assert content["status"] == "interrupted" and 20 <= content["steps"] < 120
    assert written() == ["out/results.h5", "out/summary.json"]

    assert "passed  energy residual" in says(["resume", "out"]).out
    assert summary("out")["status"] == "complete" and summary("out")["steps"] == 120
    whole = run(FakeSimulation(120), checkpoint_every=10)
    with h5py.File("out/results.h5") as file:
        assert np.array_equal(file["outputs/position"], whole.outputs["position"])


def test_two_runs_in_one_folder(says: Says) -> None:
    process = start("run", "swing", "--set", "steps=1000", "pause=0.01", "--out", "out")
    assert process.stdout is not None and process.stdout.readline() == "running\n"
    for arguments in (["run", "swing", "--out", "out", "--force"], ["resume", "out"]):
        assert "another run is writing there" in says(arguments, 2).err
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode == 130


def test_resume_of_a_complete_run_draws_again() -> None:
    assert main(["run", "swing", "--out", "out", "--quiet", "--no-plot"]) == 0
    assert main(["resume", "out", "--quiet"]) == 0
    assert Path("out/figures/swing.png").exists() and summary("out")["status"] == "complete"


def test_plot_draws_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "swing", "--out", "out", "--quiet", "--no-plot"]) == 0
    assert main(["plot", "out"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"out/figures/{n}.png" for n in ("swing", "energy", "steps")
    ]


def test_results_of_python_models_are_not_resumed_here(says: Says) -> None:
    run(FakeSimulation(5), file="results.h5").close()
    assert "not from a case" in says(["resume", "results.h5"], 2).err


def test_list(says: Says) -> None:
    assert says(["list"]).out == "swing  a fake pendulum\n"
    assert "end_time   1.0      s     number" in says(["list", "swing"]).out
    cases = json.loads(says(["list", "--json"]).out)["cases"]
    assert cases[0]["name"] == "swing" and cases[0]["parameters"][2]["unit"] == "s"


def test_help_of_a_case_lists_its_parameters(capsys: pytest.CaptureFixture[str], says: Says) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["run", "swing", "--help"])
    assert caught.value.code == 0
    text = capsys.readouterr().out
    assert "--out DIR" in text and "end_time   1.0      s     number" in text
    assert "did you mean 'swing'?" in says(["run", "swinh", "--help"], 2).err


def test_petsc_options_are_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    own, petsc = split_petsc_options(
        ["run", "swing", "-fem_mbd_ksp_type", "gmres", "--quiet", "-fem_mbd_ksp_monitor", "--out", "out"]
    )
    assert own == ["run", "swing", "--quiet", "--out", "out"]
    assert petsc == ["-fem_mbd_ksp_type", "gmres", "-fem_mbd_ksp_monitor"]
    monkeypatch.setenv("PETSC_OPTIONS", "-log_view")
    assert main(["list", "-fem_mbd_pc_type", "lu"]) == 0
    assert os.environ["PETSC_OPTIONS"] == "-log_view -fem_mbd_pc_type lu"


def test_checks_compare() -> None:
    assert at_most("a", 1.0, 1.0, "s").passed and not at_most("a", float("nan"), 1.0, "s").passed
    assert at_least("a", 1.0, 1.0, "s").passed and not at_least("a", float("nan"), 1.0, "s").passed
    assert near("a", -101.0, -100.0, 0.01, "s").passed and not near("a", 102.0, 100.0, 0.01, "s").passed
    assert within("a", 2.0, 1.0, 2.0, "s").passed and not within("a", float("nan"), 1.0, 2.0, "s").passed
    table = checks_table([at_most("energy", 1e-13, 1e-11, "scheme"), near("peak", 5.0, 9.7, 0.02, "paper")])
    assert table.splitlines() == [
        "        check   value  bound           source",
        "passed  energy  1e-13  <= 1e-11        scheme",
        "FAILED  peak    5      9.7 within 2 %  paper",
    ]
    assert checks_table([]) == ""
