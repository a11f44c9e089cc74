"""What is tried after an attempt at a step has failed, and when to give up.

Smaller steps come first: half the size, again and again (`StepSizes.after_newton_failure`). They help against
impacts and stick to slip. They do not help at a singular position, where constraints depend on each other for an
instant: the equations of a step have no solution to be found when its *end* lies there, halving ends ever nearer to it,
and a step that goes over it is as good as any. So once halving has not helped, and nothing else has passed since, steps
of the size that failed first and somewhat longer ones are tried too.

Where even that goes on for long the step that was asked for is hopeless: steps of a 1000th of its size, say, that fail
every other time would take hours to say so themselves.
"""

from __future__ import annotations

from collections.abc import Mapping

HALVINGS = 3  # failures in a row before a longer step is tried
LONGER = (1.0, 1.25, 1.5)  # times the size that failed first
MOST = 100  # failures within the time of the step that failed first, or …
MOST_TRIED = 500  # attempts there, good ones among them: more is hopeless …
SMALL = 1e-3  # … when steps below this share of it failed too


class Retries:
    """Memory of one run: the size that failed first, since when, and how often it has been tried to get over it."""

    def __init__(self) -> None:
        self._size, self._since, self._failures, self._passed = 0.0, 0.0, 0, 0
        self._in_a_row, self._last = 0, 0.0

    def failed(self, time: float, dt: float) -> None:
        """A step of ``dt`` from ``time`` (s) has failed."""
        if self._size == 0.0 or time > self._since + self._size:
            self._size, self._since, self._failures, self._passed = dt, time, 0, 0
        self._failures += 1
        self._in_a_row += 1
        self._last = dt

    def passed(self, steps: int = 1) -> None:
        """That many steps have been accepted."""
        self._in_a_row = 0
        self._passed += steps

    def longer(self, dt: float) -> float:
        """A size (s) that may go over a singular position after ``dt`` has failed, 0.0 when none is to be tried."""
        k = self._in_a_row - HALVINGS
        size = LONGER[k] * self._size if 0 <= k < len(LONGER) else 0.0
        return size if size > dt else 0.0

    @property
    def hopeless(self) -> str:
        """Why to give up, "" while there is hope."""
        few = self._failures <= MOST and self._failures + self._passed <= MOST_TRIED
        if few or self._last > SMALL * self._size:
            return ""
        return (
            f"{self._failures} attempts have failed since t = {self._since:.9g} s, where a step of {self._size:.3g} s "
            "failed first, and that time is not over yet; ask for steps of the size of the last ones on record, "
            "or for rules that see contacts (Penetration, Stribeck)"
        )

    def state(self) -> dict[str, float]:
        """For `restore`."""
        return {
            "size": self._size,
            "since": self._since,
            "failures": float(self._failures),
            "passed": float(self._passed),
        }

    def restore(self, state: Mapping[str, float]) -> None:
        """Continue from ``state``."""
        self._size, self._since, self._failures = state["size"], state["since"], int(state["failures"])
        self._passed = int(state["passed"])
