"""Analyses of many runs: what they show while they run, what Ctrl-C leaves, and that the same call goes on."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.applications.continuation import continuation
from fem_mbd.applications.sweeps import sweep as sweeps
from fem_mbd.applications.sweeps.executors import DONE, Outcome
from fem_mbd.applications.sweeps.spec import Spec
from fem_mbd.elements import PointMass
from fem_mbd.runs.running import progress
from tests.analysis.periodic.oscillators import duffing

OMEGA = {"omega": 1.25}
STEPS: dict[str, Any] = {"steps": 40, "settle": 3}


def interrupting(function: Callable[..., Any], calls: int) -> Callable[..., Any]:
    """The function, with a Ctrl-C after that many calls."""
    count = iter(range(calls))

    def stopped(*arguments: Any) -> Any:
        if next(count, None) is None:
            raise KeyboardInterrupt
        return function(*arguments)

    return stopped


@pytest.fixture
def talkative(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line whenever there is something to say."""
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.0)


@pytest.mark.usefixtures("talkative")
def test_periodic_and_continuation_show_how_far_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    orbit = fm.periodic(duffing, OMEGA, frequency="omega", progress=True, **STEPS)
    said = capsys.readouterr().err
    assert "transient, 1.0 of 3 periods, left" in said
    assert "Newton's iteration 1 of at most 25\n" in said and "iterations (" in said.splitlines()[-1]
    branch = fm.continuation(orbit, "omega", (1.2, 1.3), step=(0.1, 0.2), points=4, progress=True)
    said = capsys.readouterr().err
    assert "continuation: 2 motions of at most 4, omega = 1.2" in said and "s each, left" in said
    assert said.splitlines()[-1].startswith(repr(branch)[1:-1])
    fm.periodic(duffing, OMEGA, frequency="omega", **STEPS)
    assert capsys.readouterr().err == ""  # no terminal, not asked for


def test_interrupted_branch_goes_on_with_the_same_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options: dict[str, Any] = {"step": (0.1, 0.2), "points": 6}
    whole = fm.continuation(
        fm.periodic(duffing, OMEGA, frequency="omega", **STEPS), "omega", (1.2, 1.3), **options
    )
    orbit = fm.periodic(duffing, OMEGA, frequency="omega", **STEPS)
    stopped = fm.periodic(duffing, OMEGA, frequency="omega", **STEPS)
    monkeypatch.setattr(continuation, "evaluate", interrupting(continuation.evaluate, 3))
    options["of"] = {"peak": "max(mass.position[0])"}
    with pytest.raises(fm.Interrupted, match=r"motions are kept in .*: repeat the same call") as caught:
        fm.continuation(stopped, "omega", (1.2, 1.3), folder=tmp_path, **options)
    kept = list(caught.value.kept.column("omega"))
    assert len(kept) == 3
    monkeypatch.undo()
    branch = fm.continuation(orbit, "omega", (1.2, 1.3), folder=tmp_path, **options)
    assert branch.column("omega")[: len(kept)] == pytest.approx(kept)
    np.testing.assert_allclose(branch.column("omega"), whole.column("omega"), rtol=1e-9)


def test_interrupted_search_of_a_periodic_motion_keeps_its_start() -> None:
    with pytest.raises(fm.Interrupted, match="nothing is kept") as caught:
        fm.periodic(interrupting(duffing, 1), OMEGA, frequency="omega", **STEPS)
    assert caught.value.kept is None


def moving(values: Mapping[str, float]) -> fm.Simulation:
    """x = v t."""
    model = fm.Model()
    model.set_velocity(model.add(PointMass(2.0, position=(0, 0, 0), name="mass")), (values["speed"], 0, 0))
    return fm.Simulation(model, 1.0, fm.StepControl.fixed(0.05))


@pytest.mark.usefixtures("talkative")
def test_calibration_shows_its_misfit_and_keeps_the_best_values(capsys: pytest.CaptureFixture[str]) -> None:
    t = np.linspace(0.1, 0.9, 9)
    data = {"mass.position[0]": (t, 1.5 * t, 0.1)}
    fm.calibrate(moving, data, {"speed": 1.0}, progress=True)
    first, *_, last = capsys.readouterr().err.splitlines()
    misfit = np.sqrt(np.mean((0.5 * t / 0.1) ** 2))  # of the start
    assert f"1 runs of at most 100, misfit {misfit:.4g}; speed = 1" in first
    assert "speed = 1.5 (" in last
    with pytest.raises(fm.Interrupted, match=r"start there: wrt=\{'speed': 1.0\}") as caught:
        fm.calibrate(interrupting(moving, 2), data, {"speed": 1.0})
    assert caught.value.kept == {"speed": 1.0}


@pytest.mark.usefixtures("talkative")
def test_interrupted_sweep_writes_its_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def by_hand(tasks: list[Any]) -> Any:
        yield Outcome(tasks[0].tag, DONE)
        raise KeyboardInterrupt

    spec = Spec("pendulum", {"end_time": 0.1, "dt": 0.01}, {"damping": [1e-3, 2e-3]})
    with pytest.raises(fm.Interrupted, match="1 of 2 runs are done") as caught:
        sweeps.run_spec(spec, tmp_path, executor=by_hand, progress=True)
    assert caught.value.kept.column("status") == ["done", "waiting"]
    assert "1 of 2 runs (1 done)" in capsys.readouterr().err
    assert len((tmp_path / "table.csv").read_text().splitlines()) == 3
