"""Reuse of factorisations by Newton's method: a policy by counted cost, and Broyden's updates of kept factors.

A reused factorisation saves the tangent and its LU, and costs iterations. In a chain of beams it saves nearly all of
the work; where contacts open and close it only delays the failure that requires a fresh one; where bodies rotate by
large angles in a step it is useful in its own step only. Which of these applies can change during a run. So
`JacobianReuse` tries every policy that may be cheaper than the known ones (a factorisation for one iteration, for one
step or for several) for a few steps, uses the cheapest, and tries the others again later.

The cost of a step is counted, not measured: iterations plus factorisations times their cost in iterations. So a
repeated or resumed run takes the same decisions.

With Broyden's updates (`Broyden`) an iteration with kept factors converges superlinearly instead of linearly. Without
them the updates of Newton's iteration with the factors of an earlier tangent decrease by the same factor in each
iteration. Broyden's (good) method corrects the inverse by a matrix of rank one after each update p_k so that it fits
the change of the equations over it. With the solution y of the kept factors for the equations at the iterate, the next
update is

    y + sum_{j < k} p_{j+1} (p_j, y)_W / (p_j, p_j)_W,   divided by   1 - (p_k, y)_W / (p_k, p_k)_W

one term after the other. The inner product weights lengths by the model's length, angles by one radian, multipliers not
at all: equations are linear in them. Only updates since the last factorisation, within one attempt, take part. Source:
C. T. Kelley, Iterative Methods for Linear and Nonlinear Equations (SIAM 1995), section 7.3.
"""

from __future__ import annotations

from math import isnan, nan
from typing import Any, Literal

import numpy as np

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import boolean, float64, int64, matrix, record, vector, void

Policy = bool | Literal["step"]
# as in `NewtonOptions.reuse`, in the order in which they are tried
POLICIES: tuple[Policy, ...] = (True, "step", False)
ALWAYS, WITHIN_STEP, NEVER = range(3)  # indices in `POLICIES`
# steps in which a policy is tried; the first, which includes the cost of the change, is not counted
TRIAL = 4
PERIOD, LONGEST = (
    64,
    1024,
)  # steps until the other policies are tried again, twice as many if they were no cheaper
# steps after which they may be tried earlier, when the present policy costs so many times as much
EARLIEST, COSTLIER = 16, 1.1
# iterations of a step with a factorisation: fewer only where a reused factorisation needs no more either
MIN_ITERATIONS = 2.0
SMOOTHING = 0.125  # weight of the cost of a step in the average

REUSE = np.dtype(
    [
        ("cost", "f8"),  # of a factorisation, iterations
        ("first", "i8"),  # first allowed policy
        ("auto", "i8"),  # whether the policy is chosen automatically
        ("policy", "i8"),  # present one, an index in `POLICIES` as the next one
        ("best", "i8"),
        ("costs", "f8", (3,)),  # of a step by policy, iterations; inf before it has been tried
        ("tried", "i8", (3,)),  # policies tried in the present round of trials
        ("trial", "i8"),  # whether the present policy is on trial
        ("remaining", "i8"),  # steps until the end of the trial or period
        ("period", "i8"),
        ("factored_for", "f8"),  # s, size of the step of the stored factorisation; nan: there is none
    ],
    align=True,
)


def factorisation_cost(size: int, multiplications: float, in_place: bool = False) -> float:
    """Cost of tangent and factorisation in units of an iteration (residual, solve, convergence test).

    In microseconds, compiled, an iteration takes about 1 plus 0.04 per unknown, a tangent 4 plus 0.25 per unknown, a
    factorisation in place 0.05e-3 per multiplication, PETSc's LU 0.45e-3, MUMPS 1.6 per unknown plus 0.2e-3 per
    multiplication.
    """
    in_package = min(0.45e-3 * multiplications, 1.6 * size + 0.2e-3 * multiplications)
    factorisation = 0.05e-3 * multiplications if in_place else in_package
    return (4.0 + 0.25 * size + factorisation) / (1.0 + 0.04 * size)


@kernel(boolean(record(REUSE)[::1], float64))
def needs_factorisation(reuse, dt):
    """Whether a step of ``dt`` (s) begins with a fresh factorisation; ``reuse`` (1,) of dtype REUSE."""
    return reuse[0].policy != ALWAYS or reuse[0].factored_for != dt


@kernel
def _has_become_costlier(r):
    """Whether the present policy now costs clearly more than another one did in its trial."""
    if r.trial or r.period - r.remaining < EARLIEST:
        return False
    return r["costs"][r.policy] > COSTLIER * min(r["costs"][0], r["costs"][1], r["costs"][2])


@kernel
def _add_to_average(r, cost):
    """Add the cost of a step to the average of the present policy."""
    before = r["costs"][r.policy]
    # a trial starts a new average: costs of long ago do not matter
    if before == np.inf or (r.trial and r.remaining == TRIAL - 1):
        r["costs"][r.policy] = cost
    else:
        weight = 1.0 / (TRIAL - r.remaining) if r.trial else SMOOTHING
        r["costs"][r.policy] = before + weight * (cost - before)


@kernel
def _min_cost(r, policy):
    """Lower bound of the cost of a step with this policy."""
    if policy == ALWAYS:
        return 0.0
    # with a factorisation in every iteration there are at least two
    return MIN_ITERATIONS + r.cost * (MIN_ITERATIONS if policy == NEVER else 1.0)


@kernel
def _cheapest(r):
    """Cost of the cheapest policy tried in this round, without the present one."""
    cheapest = np.inf
    for policy in range(r.first, 3):
        if r["tried"][policy] and policy != r.policy:
            cheapest = min(cheapest, r["costs"][policy])
    return cheapest


@kernel
def _cannot_win(r):
    """Whether the policy on trial cannot become the cheapest, however little the rest of its trial costs."""
    counted, remaining = TRIAL - 1 - r.remaining, r.remaining
    if not r.trial or counted <= 0:
        return False
    cost = counted * r["costs"][r.policy] + remaining * _min_cost(r, r.policy)
    return cost >= (counted + remaining) * _cheapest(r)


@kernel
def _change_policy(r):
    """At the end of a trial or of a period: try the next policy, or choose when all have been tried."""
    if not r.trial:
        for policy in range(r.first, 3):
            r["tried"][policy] = 1 if policy == r.best else 0
    for policy in range(r.first, 3):
        if not r["tried"][policy]:
            r["tried"][policy] = 1
            r.policy = policy
            if _min_cost(r, policy) < _cheapest(r):
                r.trial, r.remaining = 1, TRIAL
                return
    before, best = r.best, r.first
    for policy in range(r.first, 3):
        if r["costs"][policy] < r["costs"][best]:
            best = policy
    r.period = PERIOD if best != before else min(2 * r.period, LONGEST)
    r.trial, r.best, r.policy, r.remaining = 0, best, best, r.period


@kernel(void(record(REUSE)[::1], int64, int64))
def record_cost(reuse, iterations, factorisations):
    """Record the cost of a solve and choose the policy of the next one; ``reuse`` (1,) of dtype REUSE."""
    r = reuse[0]
    if not r.auto:
        return
    if not (r.trial and r.remaining == TRIAL):
        _add_to_average(r, iterations + r.cost * factorisations)
    r.remaining -= 1
    if r.remaining == 0 or _has_become_costlier(r) or _cannot_win(r):
        _change_policy(r)


class JacobianReuse:
    """The policy of one run: `policy` for the next solve, `record_cost` after it.

    Parameters
    ----------
    option : `NewtonOptions.reuse`; any value but "auto" fixes the policy
    cost : of a factorisation in units of an iteration
    between_steps : False to reuse a factorisation within its step only. Redundant constraints require this: discrete
        in time they are redundant to the second order of the step only, so the motion depends slightly on which of
        their multipliers are taken, and with the tangent of an earlier position the iteration does not find the
        smallest ones.

    Attributes
    ----------
    record : (1,) of dtype `REUSE`
    """

    def __init__(self, option: Policy | Literal["auto"], cost: float, between_steps: bool = True):
        self.record: Any = np.zeros(1, dtype=REUSE)
        first = ALWAYS if between_steps else WITHIN_STEP
        self._initial = first if option == "auto" else max(POLICIES.index(option), first)
        self.record["cost"], self.record["first"], self.record["auto"] = cost, first, option == "auto"
        self.reset()

    def reset(self) -> None:
        """Return to the initial state, as at the start of a run."""
        r = self.record
        r["policy"] = r["best"] = self._initial
        r["remaining"], r["trial"], r["period"], r["costs"] = TRIAL, 1, PERIOD, np.inf
        r["tried"] = np.arange(len(POLICIES)) <= self._initial
        self.factored_for = None

    @property
    def policy(self) -> Policy:
        """Policy of the next solve: False, "step" or True as in `NewtonOptions.reuse`."""
        return POLICIES[int(self.record["policy"][0])]

    @property
    def factored_for(self) -> float | None:
        """Size (s) of the step for which the stored factorisation was computed; None when there is none."""
        dt = float(self.record["factored_for"][0])
        return None if isnan(dt) else dt

    @factored_for.setter
    def factored_for(self, dt: float | None) -> None:
        self.record["factored_for"] = nan if dt is None else dt

    def needs_factorisation(self, dt: float) -> bool:
        """Whether a step of ``dt`` (s) begins with a fresh factorisation."""
        return bool(needs_factorisation(self.record, dt))

    def record_cost(self, iterations: int, factorisations: int) -> None:
        """Record the cost of a solve and choose the policy of the next one."""
        record_cost(self.record, iterations, factorisations)


MAX_UPDATES = 12  # updates kept
LARGEST = 0.4  # part of the last update in the next one, above which the history is discarded

HISTORY = np.dtype([("count", "i8"), ("squares", "f8", (MAX_UPDATES,))], align=True)


@kernel
def _inner(a, b, weight):
    """Weighted inner product in four independent sums: a single one is limited by the latency of additions."""
    s, t, u, v = 0.0, 0.0, 0.0, 0.0
    rest = a.shape[0] // 4 * 4
    for k in range(0, rest, 4):
        s, t = s + weight[k] * a[k] * b[k], t + weight[k + 1] * a[k + 1] * b[k + 1]
        u, v = u + weight[k + 2] * a[k + 2] * b[k + 2], v + weight[k + 3] * a[k + 3] * b[k + 3]
    for k in range(rest, a.shape[0]):
        s += weight[k] * a[k] * b[k]
    return (s + t) + (u + v)


@kernel(void(record(HISTORY)[::1], matrix, vector, vector))
def improve_factors(history, updates, weight, update):
    """Replace the solution of the kept factors, update (size,), by Broyden's update, and add it to the history.

    history (1,) of dtype HISTORY, updates (MAX_UPDATES, size), weight (size,) of the inner product
    """
    h = history[0]
    for j in range(h.count):
        share = _inner(updates[j], update, weight) / h["squares"][j]
        if j + 1 < h.count:
            for k in range(update.shape[0]):
                update[k] += share * updates[j + 1, k]
        elif abs(share) <= LARGEST:
            for k in range(update.shape[0]):
                update[k] /= 1.0 - share
        else:
            h.count = 0
    if h.count == MAX_UPDATES:
        return
    square = _inner(update, update, weight)
    if square > 0.0:
        for k in range(update.shape[0]):
            updates[h.count, k] = update[k]
        h["squares"][h.count] = square
        h.count += 1


class Broyden:
    """Broyden's updates of one Newton solver, with their history.

    Attributes
    ----------
    history : (1,) of dtype `HISTORY`
    updates : (MAX_UPDATES, size)
    weight : (size,) of the inner product
    """

    def __init__(self, unit: Indices, length: float):
        """
        unit : (size,) 0 for lengths, 1 for angles, 2 for multipliers
        length : m, of the model
        """
        self.history: Any = np.zeros(1, dtype=HISTORY)
        self.updates = np.zeros((MAX_UPDATES, len(unit)))
        self.weight = np.array([1.0 / length**2, 1.0, 0.0])[unit]

    def start(self) -> None:
        """Forget all updates: there is a new factorisation, or a new attempt."""
        self.history["count"] = 0

    def improve(self, update: Array) -> None:
        """Replace an update (size,) by Broyden's, in place."""
        improve_factors(self.history, self.updates, self.weight, update)
