"""Pseudo-arc-length continuation of periodic motions over a parameter, with location of bifurcations.

Source: H. B. Keller, Numerical solution of bifurcation and nonlinear eigenvalue problems (1977); W. Govaerts, Numerical
Methods for Bifurcations of Dynamical Equilibria (SIAM, 2000).

Branch switching at a bifurcation: to motions of twice the period, or to the branch that crosses at a branch point.

Along the other branch the first-order change of the state is the eigenvector of the multiplier -1, with opposite signs
in the two periods, or of +1; the parameter does not change to first order. Source: Y. Kuznetsov, Elements of Applied
Bifurcation Theory (Springer), sections 5.3 and 10.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from scipy.optimize import brentq

from fem_mbd.analysis.periodic import bifurcations
from fem_mbd.analysis.periodic.bifurcations import (
    BRANCH,
    CORNER,
    DOUBLING,
    FOLD,
    GRAZING,
    Corner,
    Event,
    Indicators,
    below_one,
    distance_from_one,
    events,
    test_function,
)
from fem_mbd.analysis.periodic.newton import Solution, solve
from fem_mbd.analysis.periodic.orbit import SMALLEST, Direction, Family, Orbit, multipliers, predicted
from fem_mbd.analysis.periodic.problem import Point, Problem
from fem_mbd.analysis.periodic.shooting import PERIOD, Linearised, Shooting
from fem_mbd.base.arrays import Array, Complex
from fem_mbd.errors import InputError, SolverFailure

EASY, HARD = 4, 7  # iterations below which steps grow, above which they become shorter
GROWTH, SHRINKING = 1.4, 0.6
ITERATIONS = 8
# last change of coordinates, of motions of a branch and in the search for a bifurcation
BROYDEN_TOLERANCE, LOCATION_CHANGE = 1e-6, 1e-9
MIN_COSINE = 0.9  # cosine between directions, below which a step is made again, shorter
LOCATION_TOLERANCE = 1e-8  # of a step, for the place of a bifurcation
FOLD_TOLERANCE = 1e-5  # the same for a fold, near which the parameter changes with the square of the way
MAX_TRIALS = 40
CROSSING_NEAR = 0.5  # distance of a real multiplier from +1, below which derivatives are not kept
TURN_HALVINGS = 4  # of a step behind which a multiplier has turned round at +1
BLUR = 100.0  # errors of multipliers of free vibrations, over the gain
# of the first amplitude of free vibrations: where they become smaller, the branch has come to rest
REST_AMPLITUDE = 1e-2
NOT_LOCATED = ", not located"  # behind the name of a bifurcation that is somewhere before a motion


@dataclass(frozen=True, eq=False)
class OnBranch:
    """A motion of a branch.

    Attributes
    ----------
    orbit : the motion
    family : what changes along the branch
    direction : of the branch there
    event : what it is, for bifurcations: names as in `bifurcations`
    contact : number of the contact that begins to touch, else -1
    located : whether a bifurcation is at this motion; else it lies between this motion and the one before it, and no
        motion nearer to it was found
    """

    orbit: Orbit
    family: Family
    direction: Direction
    event: str = ""
    contact: int = -1
    located: bool = True

    @property
    def label(self) -> str:
        """The event as tables and figures show it."""
        return self.event if self.located else f"{self.event}{NOT_LOCATED}"

    def __repr__(self) -> str:
        return f"<{self.label or 'motion'} on a branch: {self.orbit}>"


@dataclass(frozen=True)
class StepLengths:
    """Lengths of steps along a branch, in ranges of the parameter (`orbit`): first, smallest and largest."""

    first: float = 0.05
    smallest: float = 1e-5
    largest: float = 0.2


@dataclass(eq=False)
class ArcLengthContinuation:
    """Steps along a branch from a motion.

    Parameters
    ----------
    shooting : of the problem
    family : what changes along it
    lengths : of the steps
    bounds : of the lead; those of `PERIOD` are frequencies, rad/s
    locate : whether bifurcations are located

    Attributes
    ----------
    lost : why the branch ended before its range was left, "" where it did not
    length : of the next step; 0: the first one
    ended : whether the end of the range was reached
    """

    shooting: Shooting
    family: Family
    bounds: tuple[float, float]
    lengths: StepLengths = field(default_factory=StepLengths)
    locate: bool = True
    lost: str = ""
    length: float = 0.0
    ended: bool = False

    def value(self, there: OnBranch) -> float:
        """Of the lead; of `PERIOD` the frequency, rad/s."""
        lead = self.family.lead
        return there.orbit.frequency if lead == PERIOD else there.orbit.values[lead]

    def first(self, solution: Solution, sign: float) -> OnBranch:
        """The first motion of a branch, with the direction in which the lead, or free vibrations, grow by ``sign``."""
        motion = self._made(self._with_lead(solution), None, sign)
        if not self.family.free:
            return motion
        linear = motion.orbit.solution.linear
        space, arc = linear.of.spaces[0], linear.of.arcs[0]
        grows = float(motion.direction.y[0] @ space.of_speeds(arc.start))
        return motion if sign * grows > 0.0 else replace(motion, direction=motion.direction.scaled(-1.0))

    def _with_lead(self, solution: Solution) -> Solution:
        """With derivatives by the lead."""
        if solution.linear.names == self.family.names:
            return solution
        seeds = self.shooting.seeds(solution.point, self.family.names, self.family.scale)
        return replace(solution, linear=self.shooting.linearise(solution.linear.of, seeds))

    def _made(self, solution: Solution, before: Direction | None, sign: float = 1.0) -> OnBranch:
        direction = self.family.tangent(solution.linear, before, sign)
        return OnBranch(Orbit(self.shooting.problem, solution), self.family, direction)

    def restored(self, point: Point, y: Array, others: dict[str, float]) -> OnBranch:
        """A known motion, from a file: run again, with its direction."""
        evaluation = self.shooting.evaluate(point)
        linear = self.shooting.linearise(
            evaluation, self.shooting.seeds(point, self.family.names, self.family.scale)
        )
        before = Direction(evaluation, y, others, max(evaluation.amplitude, SMALLEST))
        return self._made(Solution(linear, 0, 0.0), before)

    def indicators(self, there: OnBranch) -> Indicators:
        """Quantities of which bifurcations are test functions."""
        orbit = there.orbit
        blur = BLUR * abs(orbit.gain) if self.family.free else 0.0
        return Indicators(
            there.direction.others[self.family.lead], self.own_multipliers(orbit), orbit.gaps, blur
        )

    def own_multipliers(self, orbit: Orbit) -> Complex:
        """Without those that are +1 of any motion of the family: one of a moving period, two of free vibrations."""
        remaining = orbit.multipliers
        for _ in range(2 * self.family.free or int(self.family.moving)):
            remaining = np.delete(remaining, np.abs(remaining - 1.0).argmin())
        return remaining

    def below_one(self, there: OnBranch) -> float:
        """1 minus the real multiplier nearest to +1, infinite where none is real."""
        return below_one(self.own_multipliers(there.orbit))

    def motions(self, first: OnBranch, most: int) -> Iterator[OnBranch]:
        """Motions along the branch, ``first`` left out, bifurcations among them in their places.

        They end outside the range, after ``most`` steps, or where the branch is lost: `lost` then says why.
        """
        here, before = first, None
        self.length = self.length if self.length > 0.0 else self.lengths.first
        for _ in range(most):
            step = self._straight_on(before, here)
            if step is None:
                return
            there, self.length, corner = step
            if not self.bounds[0] <= self.value(there) <= self.bounds[1]:
                last = self._at_end(here, there)
                self.ended = last is not None
                if last is not None:
                    yield from self._between(here, last)
                    yield last
                return
            if corner is None:
                yield from self._between(here, there)
                if self.locate and self._turned(before, here, there, corner):
                    yield replace(there, event=BRANCH, located=False)
            elif self.locate:
                yield self._place(here, there, corner)
            yield there
            if self.family.free and there.orbit.amplitude < REST_AMPLITUDE * first.orbit.amplitude:
                self.ended = True
                return
            here, before = there, here if corner is None else None

    def _straight_on(
        self, before: OnBranch | None, here: OnBranch
    ) -> tuple[OnBranch, float, Corner | None] | None:
        """As `_step`, with shorter steps where the branch seems to go over to one that crosses."""
        length = self.length
        step = self._step(here, length)
        for _ in range(TURN_HALVINGS):
            if step is None or not self._turned(before, here, step[0], step[2]):
                return step
            length *= 0.5
            step = self._step(here, length)
        return step

    def _turned(
        self, before: OnBranch | None, here: OnBranch, there: OnBranch, corner: Corner | None
    ) -> bool:
        """Whether the branch has gone over to one that crosses it behind ``here``."""
        if before is None or corner is not None or self.family.free:
            return False
        signed = (self.below_one(before), self.below_one(here), self.below_one(there))
        lengths = (self._distance(before, here), self._distance(here, there))
        return bool(np.all(np.isfinite(signed))) and lengths[0] > 0.0 and bifurcations.turned(signed, lengths)

    def _step(self, here: OnBranch, length: float) -> tuple[OnBranch, float, Corner | None] | None:
        """The next motion, the length of the step after it, and the corner between; None where the branch is lost."""
        reason = ""
        while length >= self.lengths.smallest:
            try:
                there = self.at(here, length)
                turn = self._cosine(here, there)
                if turn >= MIN_COSINE or length <= 2.0 * self.lengths.smallest:
                    iterations = there.orbit.solution.iterations
                    factor = GROWTH if iterations <= EASY else SHRINKING if iterations >= HARD else 1.0
                    return there, min(length * factor, self.lengths.largest), None
                reason = f"its direction changes by {np.degrees(np.arccos(np.clip(turn, -1, 1))):.0f} degrees"
            except (SolverFailure, InputError) as error:  # also of models that cannot be built with a value
                reason = str(error)
            over = self._over_corner(here, length)
            if over is not None:
                return over[0], self.lengths.first, over[1]
            length *= 0.5
        self.lost = (
            f"the branch was lost behind {here.orbit}: no step of {length * 2.0:.3g} (of the range) or more led on. "
            f"The last attempt: {reason}"
        )
        return None

    def _over_corner(self, here: OnBranch, length: float) -> tuple[OnBranch, Corner] | None:
        """The next motion behind a corner within a step, or within the first one, which is no shorter."""
        length = max(length, self.lengths.first)
        passage = bifurcations.passed(self.shooting, self.family, here.direction, length, self._with_lead)
        return passage and (
            OnBranch(Orbit(self.shooting.problem, passage[0]), self.family, passage[1]),
            passage[2],
        )

    def _place(self, here: OnBranch, there: OnBranch, corner: Corner) -> OnBranch:
        """The motion at a corner that has been passed, as near to it as motions are found."""
        turned = self._cosine(here, there) < MIN_COSINE
        nearest = bifurcations.nearest(self.shooting, there, corner.contact, self.at)
        return replace(nearest, event=CORNER if turned else GRAZING, contact=corner.contact)

    def _cosine(self, here: OnBranch, there: OnBranch) -> float:
        """Between the directions at two motions."""
        row = self.family.row(here.direction, there.orbit.solution.linear)
        linear = there.orbit.solution.linear
        components = np.concatenate(
            [there.direction.y[:, linear.active].ravel(), [there.direction.others[n] for n in linear.names]]
        )
        return float(row[0] @ components)

    def at(self, here: OnBranch, distance: float, guess: OnBranch | None = None) -> OnBranch:
        """The motion at a distance along the direction of ``here``, with one near it to begin with.

        Where the branch may be crossed, kept derivatives lead to the other branch: their error, over the distance of a
        multiplier from +1, grows from one iteration to the next behind the crossing.
        """
        base = here.direction
        if guess is None:
            base_point = predicted(self.shooting, self.family, base, distance)
        else:
            base_point = guess.orbit.solution.point
        condition = self.family.at(base, distance)
        near: Linearised | None = (guess or here).orbit.solution.linear
        kept = LOCATION_CHANGE if guess else BROYDEN_TOLERANCE
        if abs(self.below_one(here)) < CROSSING_NEAR:
            kept, near = 0.0, None
        return self._made(solve(self.shooting, base_point, condition, ITERATIONS, kept, near), base)

    def _at_end(self, here: OnBranch, there: OnBranch) -> OnBranch | None:
        """The motion at the end of the range, between one inside and one beyond it."""
        lead, family = self.family.lead, self.family
        if lead == PERIOD:
            return there
        first, second = (motion.orbit.values[lead] for motion in (here, there))
        bound = min(max(second, self.bounds[0]), self.bounds[1])
        distance = self._distance(here, there) * (bound - first) / (second - first)
        try:
            near = predicted(self.shooting, family, here.direction, distance)
            changes = {lead: bound - near.values[lead]}
            start = self.shooting.evaluate(near)
            near = self.shooting.moved(start, np.zeros_like(start.residuals), changes)
            solution = solve(self.shooting, near, family.fixed(), ITERATIONS)
        except SolverFailure as error:
            self.lost = f"the motion at the end of the range was not found: {error}"
            return None
        return self._made(self._with_lead(solution), here.direction)

    def _between(self, here: OnBranch, there: OnBranch) -> list[OnBranch]:
        """Bifurcations between two motions, in their order."""
        if not self.locate:
            return []
        pairs = []
        for event in events(self.indicators(here), self.indicators(there)):
            place = self._located(here, there, event)
            bifurcation = replace(
                place or there, event=event.kind, contact=event.contact, located=place is not None
            )
            pairs.append((self._distance(here, bifurcation), bifurcation))
        return [bifurcation for _, bifurcation in sorted(pairs, key=lambda pair: pair[0])]

    def _located(self, here: OnBranch, there: OnBranch, event: Event) -> OnBranch | None:
        """The motion at a bifurcation between two motions; None where it is not found: it is somewhere in between."""
        test = partial(self._test, event)
        if event.kind == BRANCH:
            ends = (0.0, here), (self._distance(here, there), there)
            return bifurcations.located(partial(self.at, here), test, self._from_one, ends)
        try:
            return self._root(here, there, test, FOLD_TOLERANCE if event.kind == FOLD else LOCATION_TOLERANCE)
        except (SolverFailure, ValueError):
            return None

    def _from_one(self, there: OnBranch) -> float:
        return distance_from_one(self.own_multipliers(there.orbit))

    def _test(self, event: Event, there: OnBranch) -> float:
        return test_function(event, self.indicators(there))

    def _distance(self, here: OnBranch, there: OnBranch) -> float:
        return self.family.distance(here.direction, there.orbit.solution.linear.of)

    def _root(
        self, here: OnBranch, there: OnBranch, of: Callable[[OnBranch], float], precise: float
    ) -> OnBranch:
        """The motion between two at which a function is zero."""
        length = self._distance(here, there)
        known = {0.0: here, length: there}

        def value(distance: float) -> float:
            if distance not in known:
                nearest = min(known, key=lambda one: abs(one - distance))
                known[distance] = self.at(here, distance, known[nearest])
            return of(known[distance])

        xtol = precise * abs(length)
        root = brentq(value, 0.0, length, xtol=xtol, rtol=1e-14, maxiter=MAX_TRIALS, disp=False)
        value(root)
        return known[root]


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
    starts = [problem.start_of(period), *(float(times[-1]) for times in problem.times(period)[:-1])]
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
    vector = vectors[:, np.abs(values - value).argmin()]
    vector = np.real(vector * np.exp(-1j * np.angle(vector[np.abs(vector).argmax()])))
    eigenvectors = np.zeros_like(linear.of.residuals)
    for k, block in enumerate(blocks):
        eigenvectors[k, linear.active] = vector
        vector = block @ vector
    return eigenvectors
