"""What a factorisation serves, an iteration, a step, or several: decided by counts, and anew as the run goes on.

A kept factorisation saves the tangent and its LU, and costs iterations. In a chain of beams it saves nearly all of the
work; where contacts open and close it only delays the failure that calls for a fresh one; where long steps turn a body
far it serves its own step and no other. Which of them holds can change in a run. So every way is tried for a few steps,
the cheapest is taken, and the others are tried again later.

The cost of a step is counted, not measured: iterations plus factorisations times their cost in iterations. A repeated
or resumed run takes the same decisions.
"""

from __future__ import annotations

from typing import Literal

Way = bool | Literal["step"]
WAYS: tuple[Way, ...] = (
    True,
    "step",
    False,
)  # as in `NewtonOptions.reuse`, in the order in which they are tried
TRIAL = 4  # steps in which a way is tried; the first, which pays for the change, is not counted
PERIOD, LONGEST = 64, 1024  # steps until the other ways are tried again, twice as many when they have lost
SOONEST, DEARER = (
    16,
    1.1,
)  # steps after which they are tried sooner, when the way taken costs so many times as much
SMOOTHING = 0.125  # of the cost of a step in the average


def factorisation_cost(size: int, work: float) -> float:
    """Tangent and factorisation in units of an iteration (residual, solve, test of convergence).

    In microseconds, compiled, an iteration takes about 4 and 0.15 per unknown, a tangent 10 and 0.8 per unknown,
    PETSc's LU 0.45e-3 per multiplication and MUMPS 1.6 per unknown and 0.2e-3 per multiplication.
    """
    factorisation = min(0.45e-3 * work, 1.6 * size + 0.2e-3 * work)
    return (10.0 + 0.8 * size + factorisation) / (4.0 + 0.15 * size)


class Reuse:
    """The choice of one run: ask `way` before a solve, then tell what it took by `learn`.

    Parameters
    ----------
    option : `NewtonOptions.reuse`; anything but "auto" is a choice already
    cost : of a factorisation in units of an iteration
    between_steps : False to keep a factorisation within its step at most. Redundant constraints ask for this: discrete
        in time they are redundant to the second order of the step only, so the motion depends a little on which of
        their multipliers are taken, and a tangent of an earlier place does not find the smallest ones.
    """

    def __init__(self, option: Way | Literal["auto"], cost: float, between_steps: bool = True):
        self.option, self.cost = option, cost
        self._ways = WAYS if between_steps else WAYS[1:]
        self.forget()

    def forget(self) -> None:
        """Start anew, as a run that begins here would."""
        self._way, *self._untried = self._ways
        self._best, self._left, self._trial = self._way, TRIAL, True
        self._period = PERIOD
        self._costs: dict[Way, float] = {}

    @property
    def way(self) -> Way:
        """What the next solve does: False, "step" or True as in `NewtonOptions.reuse`."""
        if self.option == "auto":
            return self._way
        return self.option if self.option in self._ways else "step"

    def learn(self, iterations: int, factorisations: int) -> None:
        """Take note of what a solve took."""
        if self.option != "auto":
            return
        if not (self._trial and self._left == TRIAL):
            self._average(iterations + self.cost * factorisations)
        self._left -= 1
        if self._left == 0 or self._has_become_dear():
            self._turn()

    def _has_become_dear(self) -> bool:
        """Whether the way taken costs clearly more by now than another one did when it was tried."""
        if self._trial or self._period - self._left < SOONEST:
            return False
        return self._costs[self._way] > DEARER * min(self._costs.values())

    def _average(self, cost: float) -> None:
        before = self._costs.get(self._way)
        # a trial counts for itself: what was long ago does not matter
        if before is None or (self._trial and self._left == TRIAL - 1):
            self._costs[self._way] = cost
        else:
            weight = 1.0 / (TRIAL - self._left) if self._trial else SMOOTHING
            self._costs[self._way] = before + weight * (cost - before)

    def _turn(self) -> None:
        """At the end of a trial or of a period: try the next way, or choose when all have been tried."""
        if not self._trial:
            self._untried = [way for way in self._ways if way != self._best]
        self._trial = bool(self._untried)
        if self._trial:
            self._way, self._left = self._untried.pop(0), TRIAL
            return
        before, self._best = self._best, min(self._costs, key=lambda way: self._costs[way])
        self._period = PERIOD if self._best != before else min(2 * self._period, LONGEST)
        self._way, self._left = self._best, self._period
