"""Strategy after a failed attempt at a step: which sizes to try next, and when to give up.

Smaller steps come first: the size is halved repeatedly (`StepSizes.after_newton_failure`). They help with impacts and
with transitions from stick to slip. They do not help at a singular position, where constraints depend on each other for
an instant: the equations of a step that *ends* there have no solution that Newton finds, halving ends ever nearer to
it, and a step across it is as good as any other. So once halving has not helped, and no step has been accepted since,
steps of the size that failed first and somewhat longer ones are tried too.

After many such attempts the run gives up: with steps of a thousandth of the requested size, say, of which every other
one fails, it would otherwise continue for hours.
"""

from __future__ import annotations

from collections.abc import Mapping

HALVINGS = 3  # failures in a row before a longer step is tried
LONGER_STEPS = (1.0, 1.25, 1.5)  # multiples of the size that failed first
# The run gives up after more failures or attempts within the time of the step that failed first, if the last of them
# was shorter than this fraction of that step.
MAX_FAILURES, MAX_ATTEMPTS, SMALL_STEP_RATIO = 100, 500, 1e-3


class Retries:
    """State of one run: the size that failed first, the time when it did, and the attempts made since then."""

    def __init__(self) -> None:
        self._size, self._since, self._failures, self._accepted = 0.0, 0.0, 0, 0
        self._in_a_row, self._last = 0, 0.0

    def step_failed(self, time: float, dt: float) -> None:
        """Record that a step of ``dt`` from ``time`` (s) has failed."""
        if self._size == 0.0 or time > self._since + self._size:
            self._size, self._since, self._failures, self._accepted = dt, time, 0, 0
        self._failures += 1
        self._in_a_row += 1
        self._last = dt

    def steps_accepted(self, steps: int = 1) -> None:
        """Record that ``steps`` have been accepted."""
        self._in_a_row = 0
        self._accepted += steps

    def longer_size(self, dt: float) -> float:
        """A size (s) that may pass a singular position after ``dt`` has failed, 0.0 for none."""
        k = self._in_a_row - HALVINGS
        size = LONGER_STEPS[k] * self._size if 0 <= k < len(LONGER_STEPS) else 0.0
        return size if size > dt else 0.0

    @property
    def reason_to_give_up(self) -> str:
        """Why the run gives up, "" while it continues."""
        within_limits = self._failures <= MAX_FAILURES and self._failures + self._accepted <= MAX_ATTEMPTS
        if within_limits or self._last > SMALL_STEP_RATIO * self._size:
            return ""
        return (
            f"{self._failures} attempts have failed since t = {self._since:.9g} s, where a step of {self._size:.3g} s "
            "failed first, and the run has not passed the end of that step yet; use steps of the size of the last "
            "recorded ones, or rules that look at contacts (Penetration, Stribeck)"
        )

    def state(self) -> dict[str, float]:
        """State for `restore`."""
        return {
            "size": self._size,
            "since": self._since,
            "failures": float(self._failures),
            "passed": float(self._accepted),
        }

    def restore(self, state: Mapping[str, float]) -> None:
        """Continue from ``state``."""
        self._size, self._since, self._failures = state["size"], state["since"], int(state["failures"])
        self._accepted = int(state["passed"])
