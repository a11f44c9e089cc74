"""After steps that failed: for how long the size does not grow.

A step that Newton cannot solve is halved. Where the size grows back to what failed within a few steps and fails again,
and again, most of the work goes into attempts that are thrown away. Each time that happens the pause before the next
growth is twice as long. A failure that stands alone changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

SOON = 3  # steps of free growth: a failure within them is one more of the same kind
FIRST, LONGEST = 4, 32  # steps


class GrowthPause:
    """Memory of one run."""

    def __init__(self) -> None:
        self._left, self._length, self._since = 0, 0, SOON + 1
        self._failed = False

    def failed(self) -> None:
        """An attempt at the present step has failed."""
        self._failed = True

    def passed(self, steps: int = 1) -> None:
        """The present step has been accepted, and while it does not last some more without a failure.

        Parameters
        ----------
        steps : how many in all
        """
        if self._failed:
            again = self._since <= SOON
            self._length = min(max(2 * self._length, FIRST), LONGEST) if again else 0
            self._left, self._since = self._length, 0
        elif self._left > 0:
            self._left -= 1
        else:
            self._since = min(self._since + steps, SOON + 1)
        self._failed = False

    @property
    def lasts(self) -> bool:
        """Whether the next step must not be longer than this one."""
        return self._left > 0

    def state(self) -> dict[str, float]:
        """For `restore`."""
        return {"left": float(self._left), "length": float(self._length), "since": float(self._since)}

    def restore(self, state: Mapping[str, float]) -> None:
        """Continue from ``state``.

        Parameters
        ----------
        state : what `state` gave
        """
        self._left, self._length, self._since = (int(state[name]) for name in ("left", "length", "since"))
        self._failed = False
