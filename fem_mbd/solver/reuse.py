"""Whether a step keeps the factorisation of the one before: decided by counts, and anew as the run goes on.

A kept factorisation saves the tangent and its LU, and costs iterations. In a chain of beams it saves nearly all of the
work; where contacts open and close it only delays the failure that calls for a fresh one. Which of both holds can
change in a run. So both ways are tried for a few steps, the cheaper one is taken, and the other is tried again later.

The cost of a step is counted, not measured: iterations plus factorisations times their cost in iterations. A repeated
or resumed run takes the same decisions.
"""

from __future__ import annotations

from typing import Literal

KEPT, FULL = 0, 1
TRIAL = 4  # steps in which a way is tried; the first, which pays for the change, is not counted
PERIOD, LONGEST = 64, 1024  # steps until the other way is tried again, twice as many when it has lost
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

    def __init__(self, option: bool | str, cost: float, between_steps: bool = True):
        self.option, self.cost = option, cost
        self._kept: bool | Literal["step"] = True if between_steps else "step"
        self.forget()

    def forget(self) -> None:
        """Start anew, as a run that begins here would."""
        self._way, self._left, self._trial = KEPT, TRIAL, True
        self._period = PERIOD
        self._costs: list[float | None] = [None, None]

    @property
    def way(self) -> bool | Literal["step"]:
        """What the next solve does: False, "step" or True as in `NewtonOptions.reuse`."""
        if self.option == "auto":
            return self._kept if self._way == KEPT else False
        if self.option is True:
            return self._kept
        return "step" if self.option == "step" else False

    def learn(self, iterations: int, factorisations: int) -> None:
        """Take note of what a solve took."""
        if self.option != "auto":
            return
        if not (self._trial and self._left == TRIAL):
            self._average(iterations + self.cost * factorisations)
        self._left -= 1
        if self._left == 0:
            self._turn()

    def _average(self, cost: float) -> None:
        before = self._costs[self._way]
        # a trial counts for itself: what was long ago does not matter
        if before is None or (self._trial and self._left == TRIAL - 1):
            self._costs[self._way] = cost
        else:
            weight = 1.0 / (TRIAL - self._left) if self._trial else SMOOTHING
            self._costs[self._way] = before + weight * (cost - before)

    def _turn(self) -> None:
        """At the end of a trial or of a period: choose, or try the other way."""
        other = KEPT + FULL - self._way
        here, there = self._costs[self._way], self._costs[other]
        if not self._trial or there is None or here is None:
            self._way, self._left, self._trial = other, TRIAL, True
            return
        if here < there:
            self._period = PERIOD
        else:
            self._way = other
            self._period = min(2 * self._period, LONGEST)
        self._left, self._trial = self._period, False
