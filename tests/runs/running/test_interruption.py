"""Tests of signals: the first ends the run after its step, a second one at once, ignored ones remain ignored."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

from fem_mbd import Result, resume, run
from tests.runs.running.fake_simulation import FakeSimulation


class Messages:
    """A progress display that stores its messages."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def start(self, time_now: float, end_time: float) -> None:
        """Nothing."""

    def step(self, record: object, energy_scale: float) -> None:
        """Nothing."""

    def message(self, text: str) -> None:
        self.texts.append(text)

    finish = message


def interrupted_by(action: Callable[[], None], path: Path, progress: Messages | None = None) -> Result:
    """A run in whose step 30 something happens, with outputs of every seventh step only."""
    sim = FakeSimulation(50, each_step=lambda index: action() if index == 30 else None)
    return run(sim, file=path, checkpoint_every=10, record_every=7, progress=progress or False)


def strike() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_the_first_signal_is_answered_at_once_and_obeyed_after_the_step(tmp_path: Path) -> None:
    said = Messages()
    result = interrupted_by(strike, tmp_path / "r.h5", said)
    assert said.texts[0] == "SIGINT: the run stops after this step; send it again to stop at once"
    assert (result.status, result.steps, result.reason) == ("interrupted", 30, "SIGINT at t = 0.6 s")


def strike_twice() -> None:
    strike()
    strike()


def test_a_second_signal_leaves_a_step(tmp_path: Path) -> None:
    path = tmp_path / "r.h5"
    result = interrupted_by(strike_twice, path)
    assert (result.status, result.steps) == ("interrupted", 29)
    assert result.reason == "SIGINT within the step after t = 0.58 s"
    assert list(result.output_index) == [7, 14, 21, 28], "the state within a step is not recorded"
    result.close()
    assert resume(path, FakeSimulation(50)).status == "complete"


def test_an_ignored_signal_stays_ignored(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert interrupted_by(strike, tmp_path / "r.h5").status == "complete"
    finally:
        signal.signal(signal.SIGINT, before)
