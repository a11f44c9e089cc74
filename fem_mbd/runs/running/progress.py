"""Progress display of runs and analyses: on a terminal, occasional lines elsewhere when requested, otherwise nothing.

Everything goes to standard error, so that standard output stays free for results.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TextIO

if TYPE_CHECKING:
    from fem_mbd.core.stepping.step_record import StepRecord

DRAW_SECONDS = 0.1
STATUS_SECONDS = 0.5  # between redraws of an analysis' line on a terminal
LINE_SECONDS = 15.0
LINE_FRACTION = 0.1
BAR_CELLS = 20
# "Time left" is computed from the speed over this last period, once it is long enough.
SPEED_WINDOW_SECONDS = 30.0
SPEED_LEAST_SECONDS = 0.5


class Progress(Protocol):
    """Protocol: receives the progress events of a run."""

    def start(self, time_now: float, end_time: float) -> None:
        """A run (or the rest of a resumed one) starts."""

    def step(self, record: StepRecord, energy_scale: float) -> None:
        """One step was accepted."""

    def message(self, text: str) -> None:
        """A message to show once."""

    def finish(self, text: str) -> None:
        """The run has ended; `text` says how."""


class Silent:
    """Shows nothing."""

    def start(self, time_now: float, end_time: float) -> None:
        """Nothing."""

    def step(self, record: StepRecord, energy_scale: float) -> None:
        """Nothing."""

    def message(self, text: str) -> None:
        """Nothing."""

    def finish(self, text: str) -> None:
        """Nothing."""


class Estimate:
    """Fraction done, remaining time and largest energy residual, updated at little cost per step."""

    def __init__(self, time_now: float, end_time: float) -> None:
        self.begin = time_now
        self.end = end_time
        self.residual = 0.0
        self.started = time.perf_counter()
        self._samples: deque[tuple[float, float]] = deque()

    def add(self, record: StepRecord) -> None:
        """Add one step. The first one starts the clock: everything before it is set-up."""
        if not self._samples:
            self._samples.append((time.perf_counter(), record.time))
        residual = abs(record.energy[-1])
        if residual > self.residual:
            self.residual = residual

    def fraction(self, time_now: float) -> float:
        """Part of the simulated time that is done, 0 to 1."""
        span = self.end - self.begin
        return min(max((time_now - self.begin) / span, 0.0), 1.0) if span > 0.0 else 1.0

    def time_left(self, time_now: float) -> str:
        """Remaining time at the present speed, as text; called once per line or redraw."""
        wall = time.perf_counter()
        self._samples.append((wall, time_now))
        while len(self._samples) > 2 and wall - self._samples[1][0] > SPEED_WINDOW_SECONDS:
            self._samples.popleft()
        began, time_then = self._samples[0]
        if wall - began < SPEED_LEAST_SECONDS or time_now <= time_then:
            return "?"
        return duration_text((self.end - time_now) * (wall - began) / (time_now - time_then))

    def describe(self, record: StepRecord, energy_scale: float) -> str:
        """The changing part of a line: times, step size, rule, iterations, energy residual, remaining time."""
        relative = self.residual / energy_scale if energy_scale > 0.0 else 0.0
        return (
            f"{100 * self.fraction(record.time):5.1f} %  t {record.time:.5g} of {self.end:.5g} s  "
            f"dt {record.dt:.2e} ({record.rule})  Newton {record.newton_iterations}  "
            f"energy {relative:.0e}  left {self.time_left(record.time)}"
        )


class Bar:
    """A line on a terminal, redrawn at most ten times a second."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._estimate = Estimate(0.0, 0.0)
        self._drawn_at = 0.0
        self._shown = False

    def start(self, time_now: float, end_time: float) -> None:
        """Reset the estimates."""
        self._estimate = Estimate(time_now, end_time)
        self._drawn_at = 0.0

    def step(self, record: StepRecord, energy_scale: float) -> None:
        """Redraw when due."""
        self._estimate.add(record)
        now = time.perf_counter()
        if now - self._drawn_at >= DRAW_SECONDS:
            self._drawn_at = now
            self._draw(record, energy_scale)

    def _draw(self, record: StepRecord, energy_scale: float) -> None:
        cells = round(BAR_CELLS * self._estimate.fraction(record.time))
        line = f"[{'#' * cells}{'.' * (BAR_CELLS - cells)}] {self._estimate.describe(record, energy_scale)}"
        self._stream.write("\r\x1b[K" + line[: shutil.get_terminal_size().columns - 1])
        self._stream.flush()
        self._shown = True

    def message(self, text: str) -> None:
        """Write above the bar."""
        self._stream.write(("\r\x1b[K" if self._shown else "") + text + "\n")
        self._stream.flush()
        self._shown = False

    def finish(self, text: str) -> None:
        """Replace the bar by a final line."""
        self.message(f"{text} ({duration_text(time.perf_counter() - self._estimate.started)})")


class Lines:
    """A line at every tenth of the simulated time, and at least one in 15 s: for log files of batch jobs."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._estimate = Estimate(0.0, 0.0)
        self._due_at = 0.0
        self._due_fraction = 0.0

    def start(self, time_now: float, end_time: float) -> None:
        """Reset the estimates."""
        self._estimate = Estimate(time_now, end_time)
        self._due_at = time.perf_counter() + LINE_SECONDS
        self._due_fraction = LINE_FRACTION

    def step(self, record: StepRecord, energy_scale: float) -> None:
        """Write a line when one is due."""
        self._estimate.add(record)
        fraction = self._estimate.fraction(record.time)
        now = time.perf_counter()
        if fraction < self._due_fraction and now < self._due_at:
            return
        self._due_at = now + LINE_SECONDS
        self._due_fraction = (int(fraction / LINE_FRACTION + 1e-9) + 1) * LINE_FRACTION
        self.message(self._estimate.describe(record, energy_scale))

    def message(self, text: str) -> None:
        """Write a line."""
        self._stream.write(text + "\n")
        self._stream.flush()

    def finish(self, text: str) -> None:
        """Write the final line."""
        self.message(f"{text} ({duration_text(time.perf_counter() - self._estimate.started)})")


def choose_progress(display: bool | Progress | None, stream: TextIO | None = None) -> Progress:
    """The progress display to use: None = a bar on a terminal, otherwise nothing; True = also lines where there is no
    terminal; False = none.
    """
    stream = sys.stderr if stream is None else stream
    if display is False:
        return Silent()
    if display is None or display is True:
        if stream.isatty():
            return Bar(stream)
        return Lines(stream) if display else Silent()
    return display


class StatusLine:
    """One line about an analysis of many runs, redrawn on a terminal; elsewhere a line in 15 s, when requested.

    Parameters
    ----------
    progress : None shows it on a terminal, True elsewhere too, False nowhere
    """

    def __init__(self, progress: bool | None) -> None:
        self._stream = sys.stderr
        self._terminal = self._stream.isatty()
        self._visible = progress is not False and (self._terminal or bool(progress))
        self._seconds = STATUS_SECONDS if self._terminal else LINE_SECONDS
        self._started = self._shown_at = time.monotonic()

    @property
    def seconds(self) -> float:
        """Wall time since the start of the analysis, s."""
        return time.monotonic() - self._started

    def update(self, text: Callable[[], str]) -> None:
        """Show a text when the next one is due.

        Parameters
        ----------
        text : called only then
        """
        now = time.monotonic()
        if self._visible and now - self._shown_at >= self._seconds:
            self._shown_at = now
            self._write(text(), "" if self._terminal else "\n")

    def message(self, text: str) -> None:
        """Show a line that stays.

        Parameters
        ----------
        text : of the line
        """
        if self._visible:
            self._write(text, "\n")

    def finish(self, text: str) -> None:
        """Show the last text.

        Parameters
        ----------
        text : followed by the time that the analysis took
        """
        self.message(f"{text} ({duration_text(self.seconds)})")

    def left(self, done: float) -> str:
        """Estimated remaining time, as text.

        Parameters
        ----------
        done : fraction of the analysis that is done
        """
        return f"left {duration_text(self.seconds * (1.0 - done) / done)}" if done > 0.01 else "left ?"

    def _write(self, text: str, end: str) -> None:
        if self._terminal:
            text = "\r\x1b[K" + (text if end else text[: shutil.get_terminal_size().columns - 1])
        self._stream.write(text + end)
        self._stream.flush()


def duration_text(seconds: float) -> str:
    """A duration as text: 12.3 s, 4:05 min, 2:03:04 h."""
    if seconds < 60.0:
        return f"{seconds:.1f} s"
    if seconds > 1e9:
        return "?"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d} h" if hours else f"{minutes}:{rest:02d} min"
