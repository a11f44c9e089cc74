"""Pause in the growth of the step size after repeated failures of Newton's method.

A step that Newton cannot solve is halved. Where the size grows back within a few steps to the one that failed, and
fails again and again, most of the work is spent on rejected attempts. So each further failure doubles the pause before
the size may grow. A single failure changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

REPEAT_STEPS = 3  # steps since a pause: a failure within them counts as a repeated one
FIRST_PAUSE, LONGEST_PAUSE = 4, 32  # steps


class GrowthPause:
    """The pause of one run."""

    def __init__(self) -> None:
        self._remaining, self._length, self._since = 0, 0, REPEAT_STEPS + 1
        self._failed = False

    def step_failed(self) -> None:
        """Record that an attempt at the present step has failed."""
        self._failed = True

    def steps_accepted(self, steps: int = 1) -> None:
        """Record that the present step has been accepted, or several without a failure while there is no pause.

        Parameters
        ----------
        steps : number of accepted steps
        """
        if self._failed:
            repeated = self._since <= REPEAT_STEPS
            self._length = min(max(2 * self._length, FIRST_PAUSE), LONGEST_PAUSE) if repeated else 0
            self._remaining, self._since = self._length, 0
        elif self._remaining > 0:
            self._remaining -= 1
        else:
            self._since = min(self._since + steps, REPEAT_STEPS + 1)
        self._failed = False

    @property
    def active(self) -> bool:
        """Whether the next step must not be longer than this one."""
        return self._remaining > 0

    def state(self) -> dict[str, float]:
        """State for `restore`."""
        return {"left": float(self._remaining), "length": float(self._length), "since": float(self._since)}

    def restore(self, state: Mapping[str, float]) -> None:
        """Continue from ``state``.

        Parameters
        ----------
        state : as returned by `state`
        """
        self._remaining, self._length, self._since = (int(state[k]) for k in ("left", "length", "since"))
        self._failed = False
