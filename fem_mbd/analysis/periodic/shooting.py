"""Equations of a periodic motion by multiple shooting, and their derivatives by states, period and parameters.

Let s_j be the state at the start of segment j and P(s_j) the state at its end. The equations are P(s_j) = s_{j+1}, with
the first state after the last. In local coordinates y_j of the states near those of an iterate (`tangent_space`) they
are, linearised,

    M_j y_j - y_{j+1} + sum_k c_jk e_k = -r_j

with M_j the derivatives of the ends by the starts, and e_k further unknowns: the period, a parameter, the gain.
Derivatives by a parameter at the start of a period (`ParameterSeed`) are those of a model's arrays, and of states on
the constraints.

History variables that do not affect the motion (largest penetration so far, strains that only count revolutions,
bristles of contacts that open before the bristles are used) have no equation: nothing else depends on them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import block_array, csc_matrix
from scipy.sparse.linalg import splu

from fem_mbd.analysis.periodic.arcs import Arc, Arcs, Seed
from fem_mbd.analysis.periodic.problem import Point, Problem
from fem_mbd.analysis.periodic.tangent_space import (
    StateDuals,
    TangentSpace,
    flat_history,
    numbers_of,
    place,
    rotation_vectors,
    set_history,
)
from fem_mbd.analysis.sensitivity.dual_scheme import DualScheme
from fem_mbd.analysis.sensitivity.setup import SetUp
from fem_mbd.base.arrays import Array, Flags
from fem_mbd.core.model.model import Model
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.system import System
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.errors import SolverFailure

DIFFERENCE_STEP = 1e-5  # of the parameter's scale: central differences of states on the constraints
ROUND_OFF = 1e-13  # m, rad: change of a state by round-off, where it is put onto the constraints
Values = Mapping[str, float]


class PeriodSeed:
    """The period over itself: all times since its start grow in proportion."""

    def __init__(self, period: float):
        self._period = period

    def put(self, scheme: DualScheme, start: State, component: int) -> float:
        """See `arcs.Seed`."""
        return 1.0


class ParameterSeed:
    """A parameter over its scale, with the period that it changes.

    Parameters
    ----------
    build : model from values
    values : of all parameters
    name : of this one
    scale : of it
    period_of : s, from values, or None where it does not depend on them
    origin, period : s, from where times grow with the period; of the motion

    Raises
    ------
    InputError
        For parameters that decide about more than numbers, or do not enter.
    """

    def __init__(
        self,
        build: Callable[[Values], Model],
        values: Values,
        name: str,
        scale: float,
        period_of: Callable[[Values], float] | None,
        origin: float,
        period: float,
    ):
        self._values, self._name, self._scale = dict(values), name, scale
        self._build, self._origin, self._period = build, origin, period
        self._rate = 0.0
        if period_of is not None:
            ends = [float(period_of(self._at(sign * DIFFERENCE_STEP))) for sign in (1.0, -1.0)]
            self._rate = (ends[0] - ends[1]) / (2.0 * DIFFERENCE_STEP) / period
        self._setup: SetUp | None = None
        self._beside: list[System] = []
        self._stays = False  # whether the state fulfils the constraints of all values

    def _at(self, share: float) -> dict[str, float]:
        return {**self._values, self._name: self._values[self._name] + share * self._scale}

    def _prepare(self, start: State) -> SetUp:
        if self._setup is None:
            self._stays = True

            def simulation(values: Values) -> Simulation:
                model = self._build({**self._values, **values})
                initial = start.copy()
                place(System(model), initial)
                self._stays &= not model.prescribed and _distance(start, initial) <= ROUND_OFF
                control = StepControl.fixed(self._period)
                return Simulation(model, start.time + 2.0 * self._period, control, initial=initial)

            self._setup = SetUp(simulation, {self._name: self._values[self._name]}, {self._name: self._scale})
            if not self._stays:
                self._beside = [System(self._build(self._at(sign * DIFFERENCE_STEP))) for sign in (1.0, -1.0)]
        return self._setup

    def put(self, scheme: DualScheme, start: State, component: int) -> float:
        """See `arcs.Seed`."""
        setup = self._prepare(start)
        of_arrays = setup.derivatives[self._name]
        setup.derivatives[self._name] = [
            None if change is None else change * self._scale for change in of_arrays
        ]
        setup.seed(scheme, [self._name], component)
        setup.derivatives[self._name] = of_arrays
        motion, velocity = self._of_state(start)
        reactions, histories = scheme.simulation.system.constraints, np.zeros((history_size(start), 1))
        direction = numbers_of(motion, velocity, reactions, histories)
        StateDuals(scheme).put(slice(component, component + 1), direction)
        return self._rate

    def _of_state(self, start: State) -> tuple[Array, Array]:
        """(6 n, 1) motions and velocities of a state that stays on the constraints."""
        if self._stays:
            return np.zeros((6 * len(start.u), 1)), np.zeros((6 * len(start.u), 1))
        more, less = (start.copy() for _ in range(2))
        for system, state, sign in zip(self._beside, (more, less), (1.0, -1.0), strict=True):
            state.time = self._origin + (start.time - self._origin) * (
                1.0 + sign * DIFFERENCE_STEP * self._rate
            )
            place(system, state)
        turn = rotation_vectors(np.einsum("nji,njk->nik", less.r, more.r))
        motion = np.concatenate([more.u - less.u, turn], axis=1)
        velocity = np.concatenate([more.v - less.v, more.omega - less.omega], axis=1)
        return motion.reshape(-1, 1) / (2.0 * DIFFERENCE_STEP), velocity.reshape(-1, 1) / (
            2.0 * DIFFERENCE_STEP
        )


def _distance(first: State, second: State) -> float:
    """Largest change of a number of places, rotations and velocities."""
    pairs = ((first.u, second.u), (first.r, second.r), (first.v, second.v), (first.omega, second.omega))
    return max(float(np.abs(a - b).max(initial=0.0)) for a, b in pairs)


def history_size(state: State) -> int:
    """Count of the numbers of a state's histories."""
    return sum(h.nbytes // 8 for h in state.history)


PERIOD, GAIN = "period", "gain"  # unknowns besides states and a parameter
ZERO_TOLERANCE = 1e-12  # of the largest derivative of a coordinate: round-off
DENSE = 400  # unknowns up to which the matrix is solved as a dense one


@dataclass(eq=False)
class Evaluation:
    """A point with its runs.

    Attributes
    ----------
    point : of the motion
    arcs : runs of the segments
    spaces : coordinates at their starts
    residuals : (segments, size) coordinates of the ends, in those of the next starts
    """

    point: Point
    arcs: list[Arc]
    spaces: list[TangentSpace]
    residuals: Array

    @property
    def size(self) -> int:
        """Coordinates of a state."""
        return self.residuals.shape[1]

    @property
    def amplitude(self) -> float:
        """Half the largest way of a node's mass centre along an axis, over the model's length."""
        low, high = (
            np.min([arc.low for arc in self.arcs], axis=0),
            np.max([arc.high for arc in self.arcs], axis=0),
        )
        return float(0.5 * np.max(high - low) / self.spaces[0].system.length)

    @property
    def motion(self) -> float:
        """Size of the motion in coordinates: `amplitude`, or the largest speed where segments begin."""
        speeds = [
            space.length(space.of_speeds(arc.start))
            for space, arc in zip(self.spaces, self.arcs, strict=True)
        ]
        return max(self.amplitude, *speeds)


@dataclass(eq=False)
class Linearised:
    """Derivatives at an evaluation.

    Attributes
    ----------
    of : the evaluation
    blocks : (segments, size, size) M_j
    columns : (segments, size, k) derivatives of the ends by further unknowns
    names : of these
    active : (size,) coordinates that have equations
    secants : pairs (unknowns,) of what the equations differ by from what these derivatives say after a step, and this
        step over the square of its length: Broyden's updates, for `solve`
    """

    of: Evaluation
    blocks: Array
    columns: Array
    names: tuple[str, ...]
    active: Flags
    secants: tuple[tuple[Array, Array], ...] = ()

    def reduced(self) -> list[Array]:
        """M_j in the coordinates that have equations."""
        return [block[np.ix_(self.active, self.active)] for block in self.blocks]

    def residual(self) -> Array:
        """(segments, active) of the equations."""
        return np.asarray(self.of.residuals[:, self.active])

    def largest_residual(self) -> float:
        """In coordinates."""
        return largest(self.of, np.where(self.active, self.of.residuals, 0.0))

    def solve(self, rows: Array, right: Array, homogeneous: bool = False) -> Array:
        """Changes (segments active + k,) of all unknowns.

        Parameters
        ----------
        rows : (k, segments active + k) further equations
        right : their right sides
        homogeneous : whether the residuals of the motion are taken as zero

        Raises
        ------
        SolverFailure
            When the equations are singular.
        """
        matrix, size = self._matrix(), rows.shape[1]
        whole = csc_matrix(block_array([[matrix], [csc_matrix(rows)]])) if len(rows) else matrix
        residual = self.residual().ravel()
        both = np.concatenate([np.zeros_like(residual) if homogeneous else -residual, right])
        try:
            if size <= DENSE:
                dense = whole.toarray()
                for missed, step in self.secants:
                    dense += np.outer(missed, step)
                solution = np.linalg.solve(dense, both)
            else:
                solution = splu(whole).solve(both)
        except (np.linalg.LinAlgError, RuntimeError) as error:
            raise SolverFailure(
                "the equations of the periodic motion are singular: it belongs to a family (a free or autonomous "
                "motion), or is a bifurcation"
            ) from error
        return np.asarray(solution)

    def _matrix(self) -> csc_matrix:
        """(segments active, segments active + k) of all segments."""
        blocks, count = self.reduced(), len(self.blocks)
        block_rows: list[list[csc_matrix | None]] = [[None] * count for _ in range(count)]
        unit = np.eye(int(self.active.sum()))
        for j, block in enumerate(blocks):
            following = (j + 1) % count
            if following == j:
                block_rows[j][j] = csc_matrix(block - unit)
            else:
                block_rows[j][j], block_rows[j][following] = csc_matrix(block), csc_matrix(-unit)
        if self.names:
            for j, row in enumerate(block_rows):
                row.append(csc_matrix(self.columns[j][self.active]))
        return csc_matrix(block_array(block_rows))

    def spread(self, change: Array) -> tuple[Array, Array]:
        """Changes of the coordinates (segments, size), passive ones zero, and of the further unknowns (k,)."""
        count = len(self.blocks) * int(self.active.sum())
        y = np.zeros_like(self.of.residuals)
        y[:, self.active] = change[:count].reshape(len(self.blocks), -1)
        return y, change[count:]


def largest(evaluation: Evaluation, y: Array) -> float:
    """Of coordinates (segments, size)."""
    spaces = evaluation.spaces
    return max(space.length(coordinates) for space, coordinates in zip(spaces, y, strict=True))


class Shooting:
    """Runs, equations and derivatives of one problem.

    Parameters
    ----------
    problem : see there
    """

    def __init__(self, problem: Problem):
        self.problem = problem

    def arcs_of(self, point: Point) -> Arcs:
        """Runs with the point's values."""
        return self.problem.arcs(point.values, point.period)

    def evaluate(self, point: Point, like: Evaluation | None = None) -> Evaluation:
        """Run all segments from the states of a point, with coordinates that continue those of one nearby.

        Raises
        ------
        SolverFailure
            When a run fails.
        """
        problem, model = self.problem, self.arcs_of(point)
        arcs = []
        for state, times in zip(point.states, problem.times(point.period), strict=True):
            arcs.append(model.run(state, times.tolist()))
        problem.note_sizes(point.states[0], arcs)
        sizes = problem.history_sizes()
        before: list[TangentSpace | None] = [None] * len(arcs) if like is None else list(like.spaces)
        spaces = [
            TangentSpace(model.system, arc.start, problem.frequency, sizes, previous)
            for arc, previous in zip(arcs, before, strict=True)
        ]
        residuals = []
        for j, arc in enumerate(arcs):
            last = j == len(arcs) - 1
            end = arc.end
            if last and point.gain:
                end = arc.end.copy()
                end.v *= 1.0 + point.gain
                end.omega *= 1.0 + point.gain
            residuals.append(spaces[(j + 1) % len(arcs)].of(end))
        return Evaluation(point, arcs, spaces, np.array(residuals))

    def linearise(self, evaluation: Evaluation, seeds: dict[str, Seed | None]) -> Linearised:
        """Derivatives by the states and by further unknowns, ``None`` for the gain.

        Raises
        ------
        SolverFailure
            When derivatives of a step are not found.
        """
        model, arcs, spaces = self.arcs_of(evaluation.point), evaluation.arcs, evaluation.spaces
        blocks, columns = [], []
        for j, arc in enumerate(arcs):
            following = spaces[(j + 1) % len(arcs)]
            last, gain = j == len(arcs) - 1, 1.0 + evaluation.point.gain
            propagated_seeds = [seed for seed in seeds.values() if seed is not None]
            block, others = model.derivatives(arc, spaces[j], following, propagated_seeds)
            r = following.motions
            if last:
                block[r : 2 * r] *= gain
                others[r : 2 * r] *= gain
            of_segment, at = np.zeros((following.size, len(seeds))), 0
            for k, seed in enumerate(seeds.values()):
                if seed is not None:
                    of_segment[:, k] = others[:, at]
                    at += 1
                elif last:
                    of_segment[:, k] = following.of_speeds(arc.end)
            blocks.append(block)
            columns.append(of_segment)
        active = active_of(np.array(blocks), 2 * spaces[0].motions)
        return Linearised(evaluation, np.array(blocks), np.array(columns), tuple(seeds), active)

    def seeds(self, point: Point, names: Sequence[str], scale: float = 1.0) -> dict[str, Seed | None]:
        """Of further unknowns: `PERIOD` over itself, `GAIN`, or a parameter over ``scale``."""
        seeds: dict[str, Seed | None] = {}
        for name in names:
            if name == PERIOD:
                seeds[name] = PeriodSeed(point.period)
            elif name == GAIN:
                seeds[name] = None
            else:
                problem = self.problem
                seeds[name] = ParameterSeed(
                    problem.build, point.values, name, scale, problem.period_of, problem.origin, point.period
                )
        return seeds

    def moved(self, evaluation: Evaluation, y: Array, changes: dict[str, float]) -> Point:
        """The point at coordinates (segments, size), and with changed further unknowns (absolute)."""
        point = evaluation.point
        values = {name: value + changes.get(name, 0.0) for name, value in point.values.items()}
        period = (
            self.problem.period(values) if self.problem.period_of else point.period + changes.get(PERIOD, 0.0)
        )
        states = []
        system, times = self.problem.arcs(values, period).system, self.problem.times(period)
        starts = [self.problem.start_of(period), *(float(segment_times[-1]) for segment_times in times[:-1])]
        for space, coordinates, time in zip(evaluation.spaces, y, starts, strict=True):
            state = space.moved(coordinates)
            state.time = time
            if values != point.values:
                place(system, state)
            states.append(state)
        return Point(tuple(states), values, period, point.gain + changes.get(GAIN, 0.0))

    def with_passive(self, linear: Linearised, point: Point) -> Point:
        """The point with histories that have no equation as the runs have left them."""
        passive = ~linear.active[2 * linear.of.spaces[0].motions :]
        if not passive.any():
            return point
        states = []
        for j, state in enumerate(point.states):
            history, end = flat_history(state), flat_history(linear.of.arcs[j - 1].end)
            history[passive] = end[passive]
            set_history(state, history)
            states.append(state)
        return point.with_values(states=tuple(states))


def active_of(blocks: Array, motions: int) -> Flags:
    """(size,) which coordinates the motion depends on: all but some histories."""
    size = np.abs(blocks).max(axis=2, keepdims=True, initial=0.0)
    depends = np.any(np.abs(blocks) > ZERO_TOLERANCE * size, axis=0)
    active = np.arange(blocks.shape[1]) < motions
    while True:
        more = active | depends[active].any(axis=0)
        if (more == active).all():
            return np.asarray(active)
        active = more
