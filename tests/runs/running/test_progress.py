"""Tests of the progress display of a run."""

import io
import re
import time

import pytest

from fem_mbd.runs.running.progress import Bar, Estimate, Lines, Silent, choose_progress, duration_text
from fem_mbd.runs.running.runs import run
from tests.runs.running.fake_simulation import FakeSimulation


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


def test_bar_on_a_terminal_lines_elsewhere_when_asked() -> None:
    assert isinstance(choose_progress(None, Terminal()), Bar)
    assert isinstance(choose_progress(True, Terminal()), Bar)
    assert isinstance(choose_progress(None, io.StringIO()), Silent)
    assert isinstance(choose_progress(True, io.StringIO()), Lines)
    assert isinstance(choose_progress(False, Terminal()), Silent)
    own = Silent()
    assert choose_progress(own) is own


def test_lines_are_sparse_and_tell_everything() -> None:
    stream = io.StringIO()
    run(FakeSimulation(500), progress=Lines(stream))
    lines = stream.getvalue().splitlines()
    assert len(lines) == 11
    pattern = r"10\.0 %  t 0\.1 of 1 s  dt 2\.00e-03 \(\w+\)  Newton \d  energy \de-\d\d  left \?$"
    assert re.search(pattern, lines[0])
    assert lines[-1].startswith("complete at t = 1 s, 500 steps (")


def test_bar_is_redrawn_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    stream = Terminal()
    run(FakeSimulation(30, pause=0.01), progress=Bar(stream))
    drawn = stream.getvalue().split("\r\x1b[K")[1:]
    assert 2 <= len(drawn) <= 6
    assert all(len(line) < 60 for line in drawn[:-1])
    assert re.match(r"\[#?\.+\]   [03]\.[03] %", drawn[0]) and drawn[-1].startswith("complete at t = 1 s")


def test_time_left_comes_from_the_last_stretch(monkeypatch: pytest.MonkeyPatch) -> None:
    wall = iter([0.0, 1000.0, 1000.2, 1010.0, 1035.0, 1050.0])
    monkeypatch.setattr(time, "perf_counter", lambda: next(wall))
    estimate = Estimate(0.0, 10.0)  # at 0: then kernels are compiled for 1000 s
    first = next(FakeSimulation(1000, end_time=10.0).steps())
    estimate.add(first)
    assert estimate.time_left(0.02) == "?"
    assert estimate.time_left(1.01) == "1:30 min"  # 1 s in 10 s, 8.99 s to go
    assert estimate.time_left(6.02) == "23.1 s"  # 6 s in the last 34.8 s, 3.98 s to go
    assert estimate.time_left(9.01) == "5.0 s"  # 8 s in the last 40 s, 0.99 s to go


def test_failure_is_told() -> None:
    stream = io.StringIO()
    run(FakeSimulation(5, fail_at=3), progress=Lines(stream))
    assert "failed at t = 0.4 s, 2 steps: step from t = 0.4 s" in stream.getvalue().splitlines()[-1]


def test_silence_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    run(FakeSimulation(5))
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(3.21, "3.2 s"), (59.94, "59.9 s"), (245.0, "4:05 min"), (7384.2, "2:03:04 h"), (float("inf"), "?")],
)
def test_clock(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text
