"""Corners of branches: where a contact begins or ceases to touch, and the branch goes on in another direction.

Derivatives jump where the smallest gap of a contact in a period passes zero, so that steps along the tangent of the
near side do not lead over it. The corner is extrapolated from the near side. Beyond it Newton's method is tried at
fixed values of the parameter, from the state at the corner and from states further along the tangent, with the
parameter going on or turning round (nonsmooth fold). What it finds with the contact in the other state, near the
corner, is the far side. Source: M. di Bernardo et al., Piecewise-smooth Dynamical Systems (Springer, 2008), chapters 2
and 5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

import numpy as np

from fem_mbd.analysis.periodic.family import Direction, Family, predicted
from fem_mbd.analysis.periodic.newton import Solution, solve
from fem_mbd.analysis.periodic.shooting import PERIOD, Evaluation, Linearised, Shooting
from fem_mbd.base.arrays import Array
from fem_mbd.errors import InputError, SolverFailure

TRIAL_SHARES = (0.1, 0.5, 0.02)  # of a step, by which points beyond a corner are tried
MIN_LEAD_CHANGE = 0.01  # least change of the lead along the branch that is tried
MAX_DISTANCE_RATIO = 30.0  # of such a share: what is further away belongs to another branch
HALVINGS = 12  # of a step, in the search for its corner
BEHIND_RATIO = 0.01  # of a step, by which a corner may lie behind a motion
GAP_STEP = 1e-3  # of a step, for the change of a gap along a direction
ITERATIONS = 12  # of Newton's method
NEARER_MOTIONS, GAP_RATIO = 12, 0.02  # of motions nearer to a corner; gap there, over that of the first one
RATE_STEP = 1e-5  # of the range of the parameter, for the rate of a gap
M = TypeVar("M", bound=Any)  # a motion of a branch


class Corner(NamedTuple):
    """A corner ahead of a motion.

    Attributes
    ----------
    contact : number of the contact whose gap passes zero
    distance : from the motion, along its direction
    change : of the gap over the step at its rate on this side, m
    """

    contact: int
    distance: float
    change: float


def passed(
    shooting: Shooting,
    family: Family,
    direction: Direction,
    length: float,
    with_lead: Callable[[Solution], Solution],
) -> tuple[Solution, Direction, Corner] | None:
    """A motion behind a corner within a step along a direction, and the direction away from the corner.

    Parameters
    ----------
    shooting, family : of the branch
    direction : of the branch before the corner
    length : of the step
    with_lead : the same motion with derivatives by the lead
    """
    try:
        corner = ahead(shooting, family, direction, length)
        found = None if corner is None else next(beyond(shooting, family, direction, corner, length), None)
        if corner is None or found is None:
            return None
        solution = with_lead(found)
        return solution, away(shooting, family, solution.linear, corner, length), corner
    except (SolverFailure, InputError):  # a run beside the branch fails: the caller tries a shorter step
        return None


def ahead(shooting: Shooting, family: Family, direction: Direction, length: float) -> Corner | None:
    """The corner within a step along a direction; None where no contact begins or ceases to touch.

    Raises
    ------
    SolverFailure, InputError
        When the model cannot be run there.
    """
    here = gaps_of(direction.at)
    if not len(here) or family.lead == PERIOD:
        return None
    # gaps beyond a corner are those of motions that are not periodic: only their rates on this side count
    change = (_at(shooting, family, direction, GAP_STEP * length) - here) / GAP_STEP
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = -here / change * length
    passing = np.flatnonzero((distance > -BEHIND_RATIO * length) & (distance < length))
    if not len(passing):
        return None
    contact = int(passing[np.argmin(distance[passing])])
    low, high = 0.0, max(2.0 * float(distance[contact]), 0.0)
    for _ in range(HALVINGS if high > 0.0 else 0):
        middle = 0.5 * (low + high)
        passed = (_at(shooting, family, direction, middle)[contact] < 0.0) != (here[contact] < 0.0)
        low, high = (low, middle) if passed else (middle, high)
    return Corner(contact, high, float(change[contact]))


def beyond(
    shooting: Shooting, family: Family, direction: Direction, corner: Corner, length: float
) -> Iterator[Solution]:
    """Motions on the far side of a corner, at values of the lead on both sides of that of the corner."""
    at = shooting.evaluate(predicted(shooting, family, direction, corner.distance))
    start = gaps_of(direction.at)[corner.contact]
    for share in TRIAL_SHARES:
        way = share * length
        lead = max(abs(direction.others[family.lead]), MIN_LEAD_CHANGE)
        lead *= -1.0 if direction.others[family.lead] < 0.0 else 1.0
        for y, change in ((0.0, lead), (1.0, -lead), (1.0, lead), (0.0, -lead)):
            try:
                point = shooting.moved(at, way * y * direction.y, {family.lead: way * change * family.scale})
                found = solve(shooting, point, family.fixed(), ITERATIONS)
            except (SolverFailure, InputError):
                continue
            gap = gaps_of(found.linear.of)[corner.contact]
            passed = gap * corner.change > 0.0 and (gap - start) * corner.change > 0.0
            if passed and _distance(family, direction, at, found.linear.of) < MAX_DISTANCE_RATIO * way:
                yield found


def _distance(family: Family, direction: Direction, first: Evaluation, second: Evaluation) -> float:
    """Between two motions nearby."""
    y = np.array([space.of(arc.start) for space, arc in zip(first.spaces, second.arcs, strict=True)])
    lead = family.distance_of_lead(first, second)
    return Direction(first, y, {family.lead: lead}, direction.amplitude).length(family.lead)


def away(shooting: Shooting, family: Family, linear: Linearised, corner: Corner, length: float) -> Direction:
    """The direction of a branch at a motion behind a corner, away from it: the gap goes on as it did."""
    found = family.tangent(linear, None)
    moved = _at(shooting, family, found, GAP_STEP * length) - gaps_of(linear.of)
    return found if moved[corner.contact] * corner.change > 0.0 else found.scaled(-1.0)


def gaps_of(evaluation: Evaluation) -> Array:
    """(contacts,) m, smallest gaps in the period."""
    return np.asarray(np.min([arc.gaps for arc in evaluation.arcs], axis=0))


def _at(shooting: Shooting, family: Family, direction: Direction, distance: float) -> Array:
    return gaps_of(shooting.evaluate(predicted(shooting, family, direction, distance)))


def nearest(shooting: Shooting, first: M, contact: int, at: Callable[[M, float], M]) -> M:
    """The motion that is found nearest to a corner, on the side of a motion behind it.

    Parameters
    ----------
    shooting : of the problem
    first : a motion of a branch behind the corner, with a direction that leads away from it
    contact : whose gap is zero at the corner
    at : the motion at a distance along the direction of another one
    """
    gap = start = float(gaps_of(first.direction.at)[contact])
    ahead = float(_at(shooting, first.family, first.direction, RATE_STEP)[contact])
    found, place = first, 0.0
    way = -(1.0 - 0.5 * GAP_RATIO) * start / (ahead - start) * RATE_STEP if ahead != start else 0.0
    for _ in range(NEARER_MOTIONS):
        try:
            there = at(first, place + way)
            own = float(there.orbit.gaps[contact])
        except (SolverFailure, InputError):
            own = -start
        if not 0.0 < own / start < gap / start:
            way *= 0.5
            continue
        place, found = place + way, there
        way *= (1.0 - 0.5 * GAP_RATIO) * own / (gap - own)
        gap = own
        if abs(gap) < GAP_RATIO * abs(start):
            break
    return found
