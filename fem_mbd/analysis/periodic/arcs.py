"""Runs over segments of a period, and the derivatives of their ends by states and parameters.

`Carried` propagates these derivatives through consecutive stretches of a run's steps.

`Arcs` is the only file of this package that runs a model or propagates derivatives.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
from scipy.linalg import qr, solve_triangular

from fem_mbd.analysis.periodic.tangent_space import (
    StateDuals,
    TangentSpace,
    check_constraints,
    flat_history,
    place,
)
from fem_mbd.analysis.sensitivity.dual_scheme import DualScheme, refuse, refuse_rigid_contacts
from fem_mbd.analysis.sensitivity.forward import rates_of
from fem_mbd.analysis.sensitivity.parameters import Propagation
from fem_mbd.analysis.sensitivity.recorded_run import Path, StateVector
from fem_mbd.analysis.sensitivity.stretch import Directions, Stretch, most_steps
from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.dual_numbers import DIRECTIONS
from fem_mbd.core.model.model import Model
from fem_mbd.core.newton.equations import NewtonOptions
from fem_mbd.core.scheme.nodes.batches import one_by_one
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.system import System
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.core.stepping.step_rules import FixedStep
from fem_mbd.errors import FemMbdWarning

AGREEMENT = 1e-9  # of the largest: directions found in two ways
Restart = Callable[[Simulation, State], None]


class Seed(Protocol):
    """A quantity by which derivatives are wanted."""

    def put(self, scheme: DualScheme, start: State, component: int) -> float:
        """Put its derivatives of the arrays of a scheme at ``start`` into a component; returns what all times since the
        start of the period grow by, in proportion, 1/s of time.
        """
        ...


class Carried:
    """Two schemes: one for the states, whose directions begin anew in each stretch, one for other quantities.

    Parameters
    ----------
    simulation : of the model, made within `one_by_one`
    restart : puts a state into one

    Attributes
    ----------
    scheme : of the states
    """

    def __init__(self, simulation: Simulation, restart: Restart):
        self._simulation, self._restart = simulation, restart
        self.scheme = DualScheme(simulation)
        self._duals = StateDuals(self.scheme)
        self._vector, self._many = StateVector(simulation), Propagation(simulation)
        arrays = self._vector.arrays
        self._kept = [(plain, self.scheme.shadow.duals(view)) for plain, views in arrays for view in views]
        self._start: list[tuple[Any, Array]] = []
        self._stretch: Stretch | None = None
        self._count = 0
        self._others: DualScheme | None = None
        self._of_others: Directions | None = None

    def begin(self, others: Sequence[Seed], start: State) -> Array:
        """Seed the other quantities at the start of the run; (DIRECTIONS,) growth of times, as of `Seed`."""
        growth = np.zeros(DIRECTIONS)
        if others:
            self._others = self._others or DualScheme(self._simulation)
            self._restart(self._simulation, start)
            for block in self._others.shadow.blocks:
                block.refresh()
            for component, seed in enumerate(others, 1):
                growth[component - 1] = seed.put(self._others, start, component)
            self._of_others = None  # it forgets what was before
        return growth

    def stretch_to(self, path: Path, first: int, stop: int, state: State) -> None:
        """Factorise the matrices of some steps of a path, from the state before them."""
        self._restart(self._simulation, state)
        self._begin = self._vector.get()
        self._start = [(duals, plain.reshape(duals.shape[:-1]).copy()) for plain, duals in self._kept]
        if self._stretch is None or len(self._stretch.clocks) < stop - first:
            self._stretch = Stretch(self._simulation, stop - first)
            self._directions = Directions(self.scheme, self._stretch, alike=True)
            self._of_others = None
        self._count = self._stretch.make(path, first, stop)

    def states(self, directions: Array, checked: bool) -> Array:
        """Directions (numbers, k) of the state (`tangent_space`) carried through the stretch.

        Many of them by the matrices of the steps, unless, where it is ``checked``, these do not give what dual numbers
        do for the first ones.
        """
        assert self._stretch is not None
        if not self._many.worthwhile(directions.shape[1], self._stretch, DIRECTIONS):
            return self._by_duals(directions)
        ends = self._many.carry(self._stretch, self._count, self._begin, directions)
        if not checked or self._alike(ends[:, :DIRECTIONS], self._by_duals(directions[:, :DIRECTIONS])):
            return ends
        return self._by_duals(directions)

    def _alike(self, directions: Array, expected: Array) -> bool:
        """Whether directions agree: displacements, turns, velocities, angular velocities, each history."""
        numbers, kinds = self._many.matrices.numbers, []
        for both in (directions, expected):
            nodes = both[numbers.of_nodes].reshape(-1, 4, 3, both.shape[1])
            kinds.append(
                [nodes[:, k] for k in range(4)] + [both[entries] for _, entries in numbers.of_histories]
            )
        return all(
            np.abs(a - b).max(initial=0.0) <= AGREEMENT * np.abs(b).max(initial=0.0)
            for a, b in zip(*kinds, strict=True)
        )

    def _by_duals(self, directions: Array) -> Array:
        ends = []
        for k in range(0, directions.shape[1], DIRECTIONS):
            for duals, values in self._start:
                duals[..., 0], duals[..., 1:] = values, 0.0
            block = directions[:, k : k + DIRECTIONS]
            self._duals.put(slice(1, 1 + block.shape[1]), block)
            self._directions.forget()
            self._directions.propagate(0, self._count)
            ends.append(self._duals.get()[:, : block.shape[1]])
        return np.concatenate(ends, axis=1)

    def others(self, rates: Callable[[Array], Array]) -> Array:
        """(numbers, DIRECTIONS) the other quantities' directions behind the stretch.

        ``rates`` : (steps, 3, DIRECTIONS) derivatives of clocks (steps, 3)
        """
        assert self._stretch is not None and self._others is not None
        if self._of_others is None:
            self._of_others = Directions(self._others, self._stretch)
            self._of_others.forget()
        self._of_others.propagate(0, self._count, rates(self._stretch.clocks[: self._count]))
        return StateDuals(self._others).get()


# steps after which directions become fewer; later ones after `most_steps`
REDUCTION_STEPS = (10, 25, 50, 100)
PIVOT_TOLERANCE = 1e-12  # of the largest pivot: directions with less are left out


@dataclass(frozen=True, eq=False)
class Arc:
    """A run from one state to another.

    Attributes
    ----------
    start, end : states
    path : its steps
    history : (h,) largest sizes of the numbers of the histories
    gaps : (contacts,) m, smallest gaps of the steps
    low, high : (n, 3) m, between which the mass centres of the nodes were, along each axis
    between : states after some steps, with the number of steps
    """

    start: State
    end: State
    path: Path
    history: Array
    gaps: Array
    low: Array
    high: Array
    between: tuple[tuple[int, State], ...]


class Arcs:
    """One model, run from given states.

    Parameters
    ----------
    model : with numbers for its parameters
    newton : options of the solver
    start, period : s, of which no run is longer
    origin : s, from where times grow with the period
    """

    def __init__(
        self, model: Model, newton: NewtonOptions | None, start: float, period: float, origin: float
    ):
        self.model, self._newton, self._start, self._origin = model, newton, start, origin
        # every step ends where `advance` is told to end: the size wanted is always larger
        self._control = StepControl(
            FixedStep(period),
            dt_initial=period,
            dt_max=period,
            dt_min=1e-9 * period,
            growth=np.inf,
        )
        self._end = start + period
        self.simulation = self._simulation(None)
        refuse(self.simulation)
        refuse_rigid_contacts(self.simulation, "shooting")
        self.path = Path()
        self.path.follow(self.simulation)
        self._controller = self.simulation.hooks.controller_state()
        self._carried: Carried | None = None

    @property
    def system(self) -> System:
        """Of the model."""
        return self.simulation.system

    def reference(self) -> State:
        """The reference configuration with the model's velocities, at the start of the period."""
        state = self.system.reference_state()
        state.time = self._start
        place(self.system, state)
        return state

    def _simulation(self, initial: State | None) -> Simulation:
        """A simulation from a state, by default the reference configuration."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FemMbdWarning)
            system = System(self.model)
            check_constraints(system)
            if initial is None:
                initial = system.reference_state()
                initial.time = self._start
                place(system, initial)
            made = Simulation(self.model, self._end, self._control, newton=self._newton, initial=initial)
            for kind in made.system.kinds:
                kind.follow_configuration()
            return made

    def run(self, start: State, times: Sequence[float]) -> Arc:
        """From a state through steps that end at ``times`` (s).

        Raises
        ------
        SolverFailure
            When a step fails.
        """
        self._restart(self.simulation, start)
        self.path.clocks.clear()
        self.path.unknowns.clear()
        state, low, high = self.simulation.state, start.u.copy(), start.u.copy()
        between: list[tuple[int, State]] = []
        longest = most_steps(self.system)
        largest, gaps = (
            np.abs(flat_history(start)),
            np.full(len(self.simulation.scheme.calls.contacts), np.inf),
        )
        for k, time in enumerate(times, 1):
            for record in self.simulation.advancing(time):
                if len(gaps):
                    gaps = np.minimum(gaps, record.contacts["gap_f"])
            np.minimum(low, state.u, out=low)
            np.maximum(high, state.u, out=high)
            largest = np.maximum(largest, np.abs(flat_history(state)))
            since = len(self.path) - (between[-1][0] if between else 0)
            if (k in REDUCTION_STEPS or since >= longest) and k < len(times):
                between.append((len(self.path), state.copy()))
        self._controller = self.simulation.hooks.controller_state()
        path = Path(list(self.path.clocks), list(self.path.unknowns))
        return Arc(start.copy(), state.copy(), path, largest, gaps, low, high, tuple(between))

    def _restart(self, simulation: Simulation, start: State) -> None:
        simulation.state.fill_from_flat(start.to_flat())
        simulation.scheme.restart()
        simulation.hooks.resume_from(self._controller | {"energy": simulation.scheme.energy})

    def derivatives(
        self,
        arc: Arc,
        of_start: TangentSpace,
        of_end: TangentSpace,
        others: Sequence[Seed] = (),
    ) -> tuple[Array, Array]:
        """How the end of a run changes with its start, and with other quantities.

        Parameters
        ----------
        arc : the run
        of_start, of_end : coordinates, their origins being its start and near its end
        others : the quantities

        Returns
        -------
        (of_end.size, of_start.size), (of_end.size, len(others))
        """
        if self._carried is None:
            with one_by_one():
                self._carried = Carried(self._simulation(arc.start), self._restart)
        propagation = self._carried
        growth = propagation.begin(others, arc.start)
        read = of_start.read
        columns, factor = of_start.numbers(np.eye(of_start.size)[:, read]), np.eye(int(read.sum()))
        first, state, of_others = 0, arc.start, np.zeros((len(columns), 0))
        for last, middle in [*arc.between, (len(arc.path), arc.end)]:
            if first:
                columns, share = _factors(columns)
                factor = share @ factor
            propagation.stretch_to(arc.path, first, last, state)
            columns = propagation.states(columns, checked=first == 0)
            if others:
                along = propagation.others(partial(rates_of, start=self._origin, growth=growth))
                of_others = along[:, : len(others)]
            first, state = last, middle
        by_start = np.zeros((of_end.size, of_start.size))
        by_start[:, read] = of_end.along(arc.end.r, columns) @ factor
        return by_start, of_end.along(arc.end.r, of_others)


def _factors(matrix: Array) -> tuple[Array, Array]:
    """Some columns (size, k) of a matrix, and the factors (k, columns) of all of them, to round-off of its rows."""
    size = np.abs(matrix).max(axis=1, keepdims=True)
    size[size == 0.0] = 1.0
    triangle, order = qr(matrix / size, mode="r", pivoting=True)
    diagonal = np.abs(triangle.diagonal())
    kept = int((diagonal > PIVOT_TOLERANCE * diagonal[0]).sum())
    factor = np.zeros((kept, matrix.shape[1]))
    factor[:, order[:kept]] = np.eye(kept)
    factor[:, order[kept:]] = solve_triangular(triangle[:kept, :kept], triangle[:kept, kept:])
    return np.ascontiguousarray(matrix[:, order[:kept]]), factor
