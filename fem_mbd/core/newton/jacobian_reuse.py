"""What a factorisation serves, an iteration, a step, or several: decided by counts, and anew as the run goes on.

A kept factorisation saves the tangent and its LU, and costs iterations. In a chain of beams it saves nearly all of the
work; where contacts open and close it only delays the failure that calls for a fresh one; where long steps turn a body
far it serves its own step and no other. Which of them holds can change in a run. So every way that may be cheaper than
what is known is tried for a few steps, the cheapest is taken, and the others are tried again later.

The cost of a step is counted, not measured: iterations plus factorisations times their cost in iterations. A repeated
or resumed run takes the same decisions.
"""

from __future__ import annotations

from math import isnan, nan
from typing import Any, Literal

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import boolean, float64, int64, record, void

Way = bool | Literal["step"]
WAYS: tuple[Way, ...] = (
    True,
    "step",
    False,
)  # as in `NewtonOptions.reuse`, in the order in which they are tried
ALWAYS, WITHIN_STEP, NEVER = range(3)  # places there
TRIAL = 4  # steps in which a way is tried; the first, which pays for the change, is not counted
PERIOD, LONGEST = 64, 1024  # steps until the other ways are tried again, twice as many when they have lost
SOONEST, DEARER = (
    16,
    1.1,
)  # steps after which they are tried sooner, when the way taken costs so many times as much
# iterations of a step that makes a factorisation: fewer only where a kept one needs no more either
LEAST = 2.0
SMOOTHING = 0.125  # of the cost of a step in the average

CHOICE = np.dtype(
    [
        ("cost", "f8"),  # of a factorisation, iterations
        ("first", "i8"),  # way: those before it are not allowed
        ("auto", "i8"),  # whether there is anything to choose
        ("way", "i8"),  # taken now, as those below places in `WAYS`
        ("best", "i8"),
        ("costs", "f8", (3,)),  # of a step each way, iterations; inf before it has been tried
        ("tried", "i8", (3,)),  # since the other ways are tried
        ("trial", "i8"),  # whether the way taken is being tried
        ("left", "i8"),  # steps until the end of the trial or period
        ("period", "i8"),
        ("factored_for", "f8"),  # s, step that the kept factorisation was made for; nan: there is none
    ],
    align=True,
)


def factorisation_cost(size: int, work: float, in_place: bool = False) -> float:
    """Tangent and factorisation in units of an iteration (residual, solve, test of convergence).

    In microseconds, compiled, for chains of beams, an iteration takes about 4 and 0.065 per unknown, a tangent 10 and
    0.23 per unknown, PETSc's LU 0.45e-3 per multiplication, MUMPS 1.6 per unknown and 0.2e-3 per multiplication, and
    factors in the place of the matrix 0.1e-3 per multiplication.
    """
    factorisation = 0.1e-3 * work if in_place else min(0.45e-3 * work, 1.6 * size + 0.2e-3 * work)
    return (10.0 + 0.23 * size + factorisation) / (4.0 + 0.065 * size)


@kernel(boolean(record(CHOICE)[::1], float64))
def due(choice, dt):
    """Whether a step of ``dt`` (s) begins with a factorisation of its own; ``choice`` (1,) of dtype CHOICE."""
    return choice[0].way != ALWAYS or choice[0].factored_for != dt


@kernel
def _has_become_dear(c):
    """Whether the way taken costs clearly more by now than another one did when it was tried."""
    if c.trial or c.period - c.left < SOONEST:
        return False
    return c["costs"][c.way] > DEARER * min(c["costs"][0], c["costs"][1], c["costs"][2])


@kernel
def _average(c, cost):
    """Take the cost of a step into the average of its way."""
    before = c["costs"][c.way]
    # a trial counts for itself: what was long ago does not matter
    if before == np.inf or (c.trial and c.left == TRIAL - 1):
        c["costs"][c.way] = cost
    else:
        weight = 1.0 / (TRIAL - c.left) if c.trial else SMOOTHING
        c["costs"][c.way] = before + weight * (cost - before)


@kernel
def _least(c, way):
    """What a step costs at least this way."""
    if way == ALWAYS:
        return 0.0
    # one that factorises in every iteration does so twice
    return LEAST + c.cost * (LEAST if way == NEVER else 1.0)


@kernel
def _cheapest(c):
    """Of the ways tried since the others are tried, but for the one that is being tried."""
    cheapest = np.inf
    for way in range(c.first, 3):
        if c["tried"][way] and way != c.way:
            cheapest = min(cheapest, c["costs"][way])
    return cheapest


@kernel
def _is_lost(c):
    """Whether the way being tried cannot become the cheapest, however little the rest of its trial costs."""
    counted, left = TRIAL - 1 - c.left, c.left
    if not c.trial or counted <= 0:
        return False
    return counted * c["costs"][c.way] + left * _least(c, c.way) >= (counted + left) * _cheapest(c)


@kernel
def _turn(c):
    """At the end of a trial or of a period: try the next way, or choose when all have been tried."""
    if not c.trial:
        for way in range(c.first, 3):
            c["tried"][way] = 1 if way == c.best else 0
    for way in range(c.first, 3):
        if not c["tried"][way]:
            c["tried"][way] = 1
            c.way = way
            if _least(c, way) < _cheapest(c):
                c.trial, c.left = 1, TRIAL
                return
    before, best = c.best, c.first
    for way in range(c.first, 3):
        if c["costs"][way] < c["costs"][best]:
            best = way
    c.period = PERIOD if best != before else min(2 * c.period, LONGEST)
    c.trial, c.best, c.way, c.left = 0, best, best, c.period


@kernel(void(record(CHOICE)[::1], int64, int64))
def learn(choice, iterations, factorisations):
    """Take note of what a solve took; ``choice`` (1,) of dtype CHOICE."""
    c = choice[0]
    if not c.auto:
        return
    if not (c.trial and c.left == TRIAL):
        _average(c, iterations + c.cost * factorisations)
    c.left -= 1
    if c.left == 0 or _has_become_dear(c) or _is_lost(c):
        _turn(c)


class Reuse:
    """The choice of one run: ask `way` before a solve, then tell what it took by `learn`.

    Parameters
    ----------
    option : `NewtonOptions.reuse`; anything but "auto" is a choice already
    cost : of a factorisation in units of an iteration
    between_steps : False to keep a factorisation within its step at most. Redundant constraints ask for this: discrete
        in time they are redundant to the second order of the step only, so the motion depends a little on which of
        their multipliers are taken, and a tangent of an earlier place does not find the smallest ones.

    Attributes
    ----------
    choice : (1,) of dtype `CHOICE`
    """

    def __init__(self, option: Way | Literal["auto"], cost: float, between_steps: bool = True):
        self.choice: Any = np.zeros(1, dtype=CHOICE)
        first = ALWAYS if between_steps else WITHIN_STEP
        self._given = first if option == "auto" else max(WAYS.index(option), first)
        self.choice["cost"], self.choice["first"], self.choice["auto"] = cost, first, option == "auto"
        self.forget()

    def forget(self) -> None:
        """Start anew, as a run that begins here would."""
        c = self.choice
        c["way"] = c["best"] = self._given
        c["left"], c["trial"], c["period"], c["costs"] = TRIAL, 1, PERIOD, np.inf
        c["tried"] = np.arange(len(WAYS)) <= self._given
        self.factored_for = None

    @property
    def way(self) -> Way:
        """What the next solve does: False, "step" or True as in `NewtonOptions.reuse`."""
        return WAYS[int(self.choice["way"][0])]

    @property
    def factored_for(self) -> float | None:
        """Length (s) of the step that the kept factorisation was made for; None when there is none."""
        dt = float(self.choice["factored_for"][0])
        return None if isnan(dt) else dt

    @factored_for.setter
    def factored_for(self, dt: float | None) -> None:
        self.choice["factored_for"] = nan if dt is None else dt

    def due(self, dt: float) -> bool:
        """Whether a step of ``dt`` (s) begins with a factorisation of its own."""
        return bool(due(self.choice, dt))

    def learn(self, iterations: int, factorisations: int) -> None:
        """Take note of what a solve took."""
        learn(self.choice, iterations, factorisations)
