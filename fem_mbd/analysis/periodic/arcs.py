"""Runs over parts of a period, and derivatives along them.

`Arcs` is the only place of this package that runs a model or propagates derivatives.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from fem_mbd.analysis.periodic.placement import check_constraints, place
from fem_mbd.analysis.periodic.tangent_space import TangentSpace, flat_history
from fem_mbd.analysis.sensitivity.dual_scheme import DualScheme
from fem_mbd.analysis.sensitivity.forward import Forward
from fem_mbd.analysis.sensitivity.path import Path
from fem_mbd.analysis.sensitivity.phases import refuse, refuse_rigid_contacts
from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.duals.number import DIRECTIONS
from fem_mbd.core.model.model import Model
from fem_mbd.core.newton.newton_options import NewtonOptions
from fem_mbd.core.scheme.nodes.batches import one_by_one
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.system import System
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.core.stepping.step_rules import FixedStep
from fem_mbd.errors import FemMbdWarning


class Seed(Protocol):
    """A quantity by which derivatives are wanted."""

    def put(self, scheme: DualScheme, start: State, lane: int) -> float:
        """Put its derivatives of the arrays of a scheme at ``start`` into a lane; returns what all times since the
        start of the period grow by, in proportion, 1/s of time.
        """
        ...


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
    """

    start: State
    end: State
    path: Path
    history: Array
    gaps: Array
    low: Array
    high: Array


class Arcs:
    """One model, run from given states.

    Parameters
    ----------
    model : with numbers for its parameters
    newton : options of the solver
    start, period : s, of which no run is longer

    Attributes
    ----------
    runs, passes : steps made, and steps gone through with dual numbers, of which each carries `DIRECTIONS`
    """

    def __init__(self, model: Model, newton: NewtonOptions | None, start: float, period: float):
        self.model, self._newton, self._start = model, newton, start
        # every step ends where `advance` is told to end: the size wanted is always larger
        self._control = StepControl(
            FixedStep(period),
            dt_initial=period,
            dt_max=period,
            dt_min=min(1e-9, 1e-6 * period),
            growth=np.inf,
        )
        self._end = start + period
        self.simulation = self._simulation(None)
        refuse(self.simulation)
        refuse_rigid_contacts(self.simulation, "shooting")
        self.path = Path()
        self.path.follow(self.simulation)
        self._controller = self.simulation.hooks.controller_state()
        self._dual: tuple[DualScheme, Forward] | None = None
        self.runs = self.passes = 0

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
        largest, gaps = (
            np.abs(flat_history(start)),
            np.full(len(self.simulation.scheme.calls.contacts), np.inf),
        )
        for time in times:
            for record in self.simulation.advancing(time):
                if len(gaps):
                    gaps = np.minimum(gaps, record.contacts["gap_f"])
            np.minimum(low, state.u, out=low)
            np.maximum(high, state.u, out=high)
            largest = np.maximum(largest, np.abs(flat_history(state)))
        self.runs += len(self.path)
        self._controller = self.simulation.hooks.controller_state()
        path = Path(list(self.path.clocks), list(self.path.unknowns))
        return Arc(start.copy(), state.copy(), path, largest, gaps, low, high)

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
        columns, total = np.eye(of_start.size), of_start.size + len(others)
        found = np.zeros((of_end.size, total))
        for first in range(0, total, DIRECTIONS):
            lanes = range(first, min(first + DIRECTIONS, total))
            scheme, forward = self._dual_at(arc.start)
            if first < of_start.size:
                of_start.seed(scheme, columns[:, lanes[0] : min(lanes[-1] + 1, of_start.size)])
            rates = np.zeros(DIRECTIONS)
            for k in lanes:
                if k >= of_start.size:
                    rates[k - first] = others[k - of_start.size].put(scheme, arc.start, k - first + 1)
            forward.clock_rates = self._clock_rates(rates) if rates.any() else None
            self._propagate(forward, arc.path)
            found[:, lanes] = of_end.along(scheme)[:, : len(lanes)]
        return found[:, : of_start.size], found[:, of_start.size :]

    def _propagate(self, forward: Forward, path: Path) -> None:
        """Carry the derivatives in the lanes of a scheme along a path."""
        forward.path.clocks[:], forward.path.unknowns[:] = path.clocks, path.unknowns
        for _ in forward.steps():
            self.passes += 1

    def _clock_rates(self, rates: Array) -> Any:
        def of(clock: Array) -> Array:
            return np.outer(clock - np.array([self._start, self._start, 0.0]), rates)

        return of

    def _dual_at(self, start: State) -> tuple[DualScheme, Forward]:
        """The scheme with dual numbers, at a state, all derivatives zero."""
        if self._dual is None:
            with one_by_one():
                scheme = DualScheme(self._simulation(start))
            self._dual = scheme, Forward(scheme, Path())
        scheme, forward = self._dual
        self._restart(scheme.simulation, start)
        for block in scheme.shadow.blocks:
            block.refresh()
        return scheme, forward
