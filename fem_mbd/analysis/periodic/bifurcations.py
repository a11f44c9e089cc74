"""Bifurcations between neighbouring motions of a branch: their detection, branch points and corners.

`events` detects bifurcations by test functions of the Floquet multipliers. At a fold the parameter reverses its
direction. Where a real multiplier passes +1 without a fold, another branch crosses; at -1 the period doubles; where a
complex pair crosses the unit circle, a motion with a second frequency begins (Neimark-Sacker). Where a contact begins
or ceases to touch (grazing), derivatives change; where they jump, the branch has a corner.

`located` finds branch points. Where two branches cross, the equations of Newton's method are singular: beside a branch
point its solutions have the round-off of the runs over the distance of the multiplier from +1. Motions are therefore
found by exact derivatives, as kept ones belong to the other side of the crossing and lead to the crossing branch. The
place is found by regula falsi (Illinois) on det(M - I), which is smooth along the branch; it ends where the multiplier
is near enough to +1. A trial so near to the branch point that no motion is found is replaced by one beside it. `turned`
tells whether a branch went over to the crossing one.

At a corner a contact begins or ceases to touch, and the branch goes on in another direction: derivatives jump where the
smallest gap of the contact in a period passes zero, so that steps along the tangent of the near side do not lead over
it. The corner is extrapolated from the near side (`ahead`). Beyond it (`beyond`) Newton's method is tried at fixed
values of the parameter, from the state at the corner and from states further along the tangent, with the parameter
going on or turning round (nonsmooth fold). What it finds with the contact in the other state, near the corner, is the
far side.

Source: Y. Kuznetsov, Elements of Applied Bifurcation Theory (Springer), chapters 4 and 5; branch points: H. B. Keller,
Lectures on numerical methods in bifurcation problems (Springer, 1987), section 5; M. Dowell and P. Jarratt, A modified
regula falsi method, BIT 11 (1971); grazing and corners: M. di Bernardo et al., Piecewise-smooth Dynamical Systems
(Springer, 2008), chapters 2 and 5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

import numpy as np

from fem_mbd.analysis.periodic.newton import Solution, solve
from fem_mbd.analysis.periodic.orbit import Direction, Family, predicted
from fem_mbd.analysis.periodic.shooting import PERIOD, Evaluation, Linearised, Shooting
from fem_mbd.base.arrays import Array, Complex, Flags
from fem_mbd.errors import InputError, SolverFailure

FOLD, BRANCH, DOUBLING, TORUS, GRAZING, CORNER = (
    "fold",
    "branch point",
    "period doubling",
    "Neimark-Sacker",
    "grazing",
    "corner",
)
REAL = 1e-6  # imaginary part of a multiplier that counts as real, over its size


class Indicators(NamedTuple):
    """Quantities of a motion of which bifurcations are test functions.

    Attributes
    ----------
    slope : change of the parameter along the branch, over its scale
    multipliers : without those that a family has in any case
    gaps : (contacts,) m, smallest gaps in a period
    blur : by which time integration moves multipliers off the unit circle, where those of free vibrations stay
    """

    slope: float
    multipliers: Complex
    gaps: Array
    blur: float = 0.0


class Event(NamedTuple):
    """A test function that changes its sign.

    Attributes
    ----------
    kind : FOLD, BRANCH, DOUBLING, TORUS or GRAZING
    contact : number of the contact that begins or ends to touch, else -1
    """

    kind: str
    contact: int = -1


def _is_real(values: Complex) -> Flags:
    return np.asarray(np.abs(values.imag) <= REAL * np.maximum(np.abs(values), 1e-300))


def below_one(values: Complex) -> float:
    """1 minus the real multiplier nearest to +1; infinite where none is real."""
    distances = 1.0 - values[_is_real(values)].real
    return float(distances[np.abs(distances).argmin()]) if len(distances) else float("inf")


def distance_from_one(values: Complex) -> float:
    """Of the multiplier nearest to +1; of a complex pair its square, by which the pair contributes to det(M - I)."""
    distances = np.abs(values - 1.0)
    nearest = int(distances.argmin())
    return float(distances[nearest] ** (1 if _is_real(values)[nearest] else 2))


def counts(values: Complex, blur: float = 0.0) -> tuple[int, int, int]:
    """Real multipliers above +1, real ones below -1, complex pairs outside the unit circle by more than ``blur``."""
    real = _is_real(values)
    pairs = ~real & (values.imag > 0.0) & (np.abs(values) > 1.0 + blur)
    return int((real & (values.real > 1.0)).sum()), int((real & (values.real < -1.0)).sum()), int(pairs.sum())


def events(before: Indicators, after: Indicators) -> list[Event]:
    """What happens between two motions of a branch.

    Pairs that meet on the real axis outside the circle and part there change the counts, but pass nothing.
    """
    passed_events = []
    folds = before.slope * after.slope < 0.0
    if folds:
        passed_events.append(Event(FOLD))
    (up, down, pairs), (up2, down2, pairs2) = (
        counts(indicators.multipliers, max(before.blur, after.blur)) for indicators in (before, after)
    )
    # a pair outside the circle that becomes two real multipliers there, or the reverse, passes nothing
    joined = pairs2 - pairs
    if joined and (up2 - up) == -2 * joined:
        up, joined = up2, 0
    elif joined and (down2 - down) == -2 * joined:
        down, joined = down2, 0
    if up2 != up and not folds:
        passed_events.append(Event(BRANCH))
    if down2 != down:
        passed_events.append(Event(DOUBLING))
    if joined:
        passed_events.append(Event(TORUS))
    touching, touching2 = before.gaps < 0.0, after.gaps < 0.0
    passed_events += [Event(GRAZING, int(k)) for k in np.flatnonzero(touching != touching2)]
    return passed_events


def test_function(event: Event, now: Indicators) -> float:
    """What is zero at the event, of a motion near it."""
    values = now.multipliers
    if event.kind == FOLD:
        return now.slope
    if event.kind == GRAZING:
        return float(now.gaps[event.contact])
    if event.kind in (BRANCH, DOUBLING):
        sign = 1.0 if event.kind == BRANCH else -1.0
        # det(M - I) or det(-M - I): smooth also where a pair becomes real
        return float(np.prod(sign * values - 1.0).real)
    pairs = np.abs(values[~_is_real(values)])
    return float(pairs[np.abs(pairs - 1.0).argmin()] - 1.0) if len(pairs) else -1.0


# Distance of a multiplier from +1 at a branch point: runs repeat themselves to 1e-10, which leaves 1e-5 of the motion
# along the crossing branch here; nearer to the branch point that part, squared, is more than the distance itself.
TOLERANCE = 1e-5
MAX_TRIALS = 40
BESIDE = 0.02  # of the bracket: how far beside a trial without a motion the next one is
M = TypeVar("M", bound=Any)  # a motion of a branch


def located(
    at: Callable[[float, M], M],
    test: Callable[[M], float],
    near: Callable[[M], float],
    ends: tuple[tuple[float, M], tuple[float, M]],
) -> M | None:
    """The motion at a branch point between two motions; None where none is found.

    Parameters
    ----------
    at : the motion at a distance, with one near it to begin with
    test : det(M - I) of a motion, of opposite signs at the two ends
    near : distance of a motion's multiplier from +1
    ends : distance and motion on both sides
    """
    (low, first), (high, second) = ends
    left, right = test(first), test(second)
    kept = 0
    for _ in range(MAX_TRIALS):
        distance = low + (high - low) * left / (left - right)
        trial = _beside(at, distance, ends)
        if trial is None:
            return None
        distance, there = trial
        if near(there) < TOLERANCE:
            return there
        value = test(there)
        if (value < 0.0) == (left < 0.0):
            low, first, left = distance, there, value
            right, kept = right * (0.5 if kept == 1 else 1.0), 1
        else:
            high, second, right = distance, there, value
            left, kept = left * (0.5 if kept == -1 else 1.0), -1
        ends = (low, first), (high, second)
    return None


def _beside(
    at: Callable[[float, M], M], distance: float, ends: tuple[tuple[float, M], tuple[float, M]]
) -> tuple[float, M] | None:
    """A motion at a distance, or beside it where none is found, within the bracket."""
    (low, first), (high, second) = ends
    width = BESIDE * (high - low)
    for trial in (distance, distance - width, distance + width):
        if not min(low, high) < trial < max(low, high):
            continue
        try:
            return trial, at(trial, first if abs(trial - low) < abs(trial - high) else second)
        except SolverFailure:
            continue
    return None


def turned(signed: tuple[float, float, float], lengths: tuple[float, float]) -> bool:
    """Whether a multiplier that was about to pass +1 has not: the branch went over to the one that crosses there.

    On the crossing branch the multiplier turns round at +1. Shorter steps tell this from a multiplier that turns
    round before +1.

    Parameters
    ----------
    signed : 1 minus the real multiplier nearest to +1, of three motions in a row
    lengths : of the two steps between them
    """
    before, here, there = signed
    expected = here + (here - before) * lengths[1] / lengths[0]
    return expected * here < 0.0 < there * here


TRIAL_SHARES = (0.1, 0.5, 0.02)  # of a step, by which points beyond a corner are tried
MIN_LEAD_CHANGE = 0.01  # least change of the lead along the branch that is tried
MAX_DISTANCE_RATIO = 30.0  # of such a share: what is further away belongs to another branch
HALVINGS = 12  # of a step, in the search for its corner
BEHIND_RATIO = 0.01  # of a step, by which a corner may lie behind a motion
GAP_STEP = 1e-3  # of a step, for the change of a gap along a direction
ITERATIONS = 12  # of Newton's method
NEARER_MOTIONS, GAP_RATIO = 12, 0.02  # of motions nearer to a corner; gap there, over that of the first one
RATE_STEP = 1e-5  # of the range of the parameter, for the rate of a gap


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
        beyond_corner = (
            None if corner is None else next(beyond(shooting, family, direction, corner, length), None)
        )
        if corner is None or beyond_corner is None:
            return None
        solution = with_lead(beyond_corner)
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
                solution = solve(shooting, point, family.fixed(), ITERATIONS)
            except (SolverFailure, InputError):
                continue
            gap = gaps_of(solution.linear.of)[corner.contact]
            passed = gap * corner.change > 0.0 and (gap - start) * corner.change > 0.0
            if passed and _distance(family, direction, at, solution.linear.of) < MAX_DISTANCE_RATIO * way:
                yield solution


def _distance(family: Family, direction: Direction, first: Evaluation, second: Evaluation) -> float:
    """Between two motions nearby."""
    y = np.array([space.of(arc.start) for space, arc in zip(first.spaces, second.arcs, strict=True)])
    lead = family.distance_of_lead(first, second)
    return Direction(first, y, {family.lead: lead}, direction.amplitude).length(family.lead)


def away(shooting: Shooting, family: Family, linear: Linearised, corner: Corner, length: float) -> Direction:
    """The direction of a branch at a motion behind a corner, away from it: the gap goes on as it did."""
    tangent = family.tangent(linear, None)
    moved = _at(shooting, family, tangent, GAP_STEP * length) - gaps_of(linear.of)
    return tangent if moved[corner.contact] * corner.change > 0.0 else tangent.scaled(-1.0)


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
    closest, place = first, 0.0
    way = -(1.0 - 0.5 * GAP_RATIO) * start / (ahead - start) * RATE_STEP if ahead != start else 0.0
    for _ in range(NEARER_MOTIONS):
        try:
            there = at(first, place + way)
            gap_there = float(there.orbit.gaps[contact])
        except (SolverFailure, InputError):
            gap_there = -start
        if not 0.0 < gap_there / start < gap / start:
            way *= 0.5
            continue
        place, closest = place + way, there
        way *= (1.0 - 0.5 * GAP_RATIO) * gap_there / (gap - gap_there)
        gap = gap_there
        if abs(gap) < GAP_RATIO * abs(start):
            break
    return closest
