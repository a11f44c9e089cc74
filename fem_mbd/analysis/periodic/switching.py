"""Branch switching at a bifurcation: to motions of twice the period, or to the branch that crosses at a branch point.

Along the other branch the first-order change of the state is the eigenvector of the multiplier -1, with opposite signs
in the two periods, or of +1; the parameter does not change to first order. Source: Y. Kuznetsov, Elements of Applied
Bifurcation Theory (Springer), sections 5.3 and 10.2.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fem_mbd.analysis.periodic.arc_length import OnBranch
from fem_mbd.analysis.periodic.bifurcations import BRANCH, DOUBLING
from fem_mbd.analysis.periodic.motion_family import Direction, predicted
from fem_mbd.analysis.periodic.newton import solve
from fem_mbd.analysis.periodic.orbit import Orbit, multipliers
from fem_mbd.analysis.periodic.problem import Point, Problem
from fem_mbd.analysis.periodic.shooting import Shooting
from fem_mbd.base.arrays import Array
from fem_mbd.errors import InputError

AT_REST = 1e-7  # amplitude over the model's length


def switched(there: OnBranch, distance: float = 0.02) -> Orbit:
    """The first motion of the branch that begins or crosses at a bifurcation.

    Parameters
    ----------
    there : a period doubling or a branch point
    distance : from it, relative to the motion's amplitude, or to the model's length where it is at rest; a negative
        one leads to the other side

    Raises
    ------
    InputError
        For other motions: folds and Neimark-Sacker points have no such branch.
    fem_mbd.analysis.periodic.newton.LostOrbit
        When no motion is found there.
    """
    if there.event not in (DOUBLING, BRANCH):
        raise InputError(
            f"switched: this motion is {'a ' + there.event if there.event else 'no bifurcation'}: another branch "
            f"begins at a {DOUBLING} or a {BRANCH} only"
        )
    if not there.located:
        raise InputError(
            f"switched: the {there.event} lies beside this motion and was not located: follow the branch with smaller "
            "steps (step=), or its multipliers to +1 from the other side"
        )
    orbit, doubled = there.orbit, there.event == DOUBLING
    problem = _doubled(orbit.problem) if doubled else orbit.problem
    shooting, family = Shooting(problem), there.family
    if orbit.problem.period_of is None:
        period = orbit.period * (2.0 if doubled else 1.0)
    else:
        period = problem.period(orbit.values)
    states = [*orbit.states, *orbit.states] if doubled else list(orbit.states)
    starts = [problem.start_of(period), *(float(one[-1]) for one in problem.times(period)[:-1])]
    for state, time in zip(states, starts, strict=True):
        state.time = time
    base = shooting.evaluate(Point(tuple(states), orbit.values, period, orbit.gain))
    y = _eigenvectors(orbit, -1.0 if doubled else 1.0)
    y = np.concatenate([y, -y]) if doubled else y
    amplitude = base.amplitude if base.amplitude > AT_REST else 1.0
    direction = Direction(base, y, dict.fromkeys(family.names, 0.0), amplitude)
    direction = direction.scaled(1.0 / direction.length(family.lead))
    point = predicted(shooting, family, direction, distance)
    return Orbit(problem, solve(shooting, point, family.at(direction, distance)))


def _doubled(problem: Problem) -> Problem:
    """The problem of motions that repeat after twice the period."""
    period_of = problem.period_of
    return replace(
        problem,
        period_of=None if period_of is None else (lambda values: 2.0 * period_of(values)),
        steps=2 * problem.steps,
        segments=2 * problem.segments,
        before=-(-problem.before // 2),
        cache={},
    )


def _eigenvectors(orbit: Orbit, value: float) -> Array:
    """(segments, size) the eigenvector of the multiplier nearest to a value, carried through the segments."""
    linear, blocks = orbit.solution.linear, orbit.blocks
    values, vectors = multipliers(blocks, vectors=True)
    own = vectors[:, np.abs(values - value).argmin()]
    own = np.real(own * np.exp(-1j * np.angle(own[np.abs(own).argmax()])))
    found = np.zeros_like(linear.of.residuals)
    for k, block in enumerate(blocks):
        found[k, linear.active] = own
        own = block @ own
    return found
