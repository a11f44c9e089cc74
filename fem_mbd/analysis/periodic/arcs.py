"""Runs over segments of a period, and their derivatives.

`Arcs` is the only file of this package that runs a model or propagates derivatives.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.linalg import qr, solve_triangular

from fem_mbd.analysis.periodic.carried import Carried, Seed
from fem_mbd.analysis.periodic.placement import check_constraints, place
from fem_mbd.analysis.periodic.tangent_space import TangentSpace, flat_history
from fem_mbd.analysis.sensitivity.forward import rates_of
from fem_mbd.analysis.sensitivity.path import Path
from fem_mbd.analysis.sensitivity.phases import refuse, refuse_rigid_contacts
from fem_mbd.analysis.sensitivity.steps.stretch import most_steps
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.model import Model
from fem_mbd.core.newton.newton_options import NewtonOptions
from fem_mbd.core.scheme.nodes.batches import one_by_one
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.system import System
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.core.stepping.step_rules import FixedStep
from fem_mbd.errors import FemMbdWarning

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
            return Simulation(self.model, self._end, self._control, newton=self._newton, initial=initial)

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
        carried = self._carried
        growth = carried.begin(others, arc.start)
        columns, factor = of_start.numbers(np.eye(of_start.size)), np.eye(of_start.size)
        first, state, of_others = 0, arc.start, np.zeros((len(columns), 0))
        for last, middle in [*arc.between, (len(arc.path), arc.end)]:
            if first:
                columns, share = _factors(columns)
                factor = share @ factor
            carried.stretch_to(arc.path, first, last, state)
            columns = carried.states(columns, checked=first == 0)
            if others:
                along = carried.others(partial(rates_of, start=self._origin, growth=growth))
                of_others = along[:, : len(others)]
            first, state = last, middle
        return np.asarray(of_end.along(arc.end.r, columns) @ factor), of_end.along(arc.end.r, of_others)


def _factors(found: Array) -> tuple[Array, Array]:
    """Some columns (size, k) of a matrix, and the factors (k, columns) of all of them, to round-off of its rows."""
    size = np.abs(found).max(axis=1, keepdims=True)
    size[size == 0.0] = 1.0
    triangle, order = qr(found / size, mode="r", pivoting=True)
    diagonal = np.abs(triangle.diagonal())
    kept = int((diagonal > PIVOT_TOLERANCE * diagonal[0]).sum())
    factor = np.zeros((kept, found.shape[1]))
    factor[:, order[:kept]] = np.eye(kept)
    factor[:, order[kept:]] = solve_triangular(triangle[:kept, :kept], triangle[:kept, kept:])
    return np.ascontiguousarray(found[:, order[:kept]]), factor
