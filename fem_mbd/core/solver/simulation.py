"""Class `Simulation`: one run of a model, which combines scheme, Newton solver and step control."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isfinite
from typing import Any

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.validation import check_kind, positive
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.ranges import Ranges
from fem_mbd.core.model.time_functions.inputs import Inputs
from fem_mbd.core.newton.newton_solver import IN_PLACE, NewtonOptions, NewtonSolver, StepEquations
from fem_mbd.core.scheme.initial import make_consistent
from fem_mbd.core.scheme.ledger_names import LEDGER
from fem_mbd.core.scheme.outputs import StateOutputs
from fem_mbd.core.scheme.start_reactions import set_start_reactions
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.system import System
from fem_mbd.core.scheme.tdg import Scheme
from fem_mbd.core.solver.advancing import Advancing
from fem_mbd.core.solver.impacts import Impacts
from fem_mbd.core.solver.run_hooks import RunHooks
from fem_mbd.core.solver.steps import Steps
from fem_mbd.core.stepping.blind_rules import warn_of_blind_rules
from fem_mbd.core.stepping.default_control import default_control
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.core.stepping.step_record import StepRecord
from fem_mbd.core.stepping.step_sizes import StepSizes
from fem_mbd.errors import InputError


@arguments()
class Simulation(Advancing):
    """One run of a model: from start to end by `steps`, or interval by interval by `advance`.

    Parameters
    ----------
    model : the finished model
    end_time : s
    control : step-size rules, None for `default_control`
    newton : solver options
    initial : initial state, e.g. that of an equilibrium, instead of the reference configuration; initial velocities
        of the model are ignored then

    Attributes
    ----------
    inputs : values of the model's inputs (`Input`) by name
    hooks : what recorders and restarts use (`RunHooks`)
    ranges : of the parts, and how far the run has been in them (`fem_mbd.core.model.ranges.Ranges`)

    Raises
    ------
    InputError
        Before anything runs: joints that do not close, redundant constraints, unsupported nodes …
    """

    def __init__(
        self,
        model: Model,
        end_time: float,
        control: StepControl | None = None,
        *,
        newton: NewtonOptions | None = None,
        initial: State | None = None,
    ):
        self.end_time = positive(end_time, "end_time (s)")
        check_kind(control, StepControl, "control", "StepControl.fixed(1e-3)")
        check_kind(newton, NewtonOptions, "newton", "NewtonOptions(max_iterations=20)")
        check_kind(initial, State, "initial", "find_equilibrium(model).state")
        newton = newton or NewtonOptions()
        self.system = System(model, newton.threads, newton.linear_solver in IN_PLACE)
        self.inputs = Inputs(self.system.functions())
        self.state = self.system.reference_state() if initial is None else _copy(initial, self.system)
        self.initial_message = make_consistent(self.system, self.state)
        self.impacts = Impacts(self.system, self.state)
        self.scheme = Scheme(self.system, self.state)
        system, scheme = self.system, self.scheme
        equations = StepEquations(
            system.indptr, system.indices, system.unit, system.length, scheme.residual, scheme.tangent,
            system.inertia_read, system.elimination_work, system.redundant > 0, system.pattern, system.scale(),
            system.spacing,
        )  # fmt: skip
        self.solver = NewtonSolver(equations, newton, scheme.calls)
        if not isfinite(self.scheme.energy):
            raise InputError(
                f"model '{model.name}': its energy at the start is not finite: check velocities, masses and springs"
            )
        self._evaluate_outputs = StateOutputs(
            self.state, self.system.kinds, self.scheme.work, self.system.supports
        )
        for kind in self.system.kinds:
            kind.warn_before_run()
        contacts = [k for k in self.system.kinds if k.has_contacts]
        for kind in contacts:
            kind.record_contacts(self.scheme.work)
        for gather in self.scheme.calls.gather_contacts:
            gather()
        if control is not None and contacts:
            warn_of_blind_rules(control, 3)
        self.control = control or self._default_control(bool(contacts))
        self.system.prepare_functions(self.state.time, max(self.end_time, self.state.time))
        self.sizes = StepSizes(self.control, self.system.breakpoints(), self.system.jumps())
        self.sizes.first(self.state.time, self.end_time)
        self.ranges = Ranges(self.system.measured, self.system.work)
        self._steps = Steps(self.scheme, self.solver, self.sizes, self.inputs, self.impacts, self.ranges)
        self.hooks = RunHooks(self.scheme, self.solver, self.sizes, self._steps, self._evaluate_outputs)
        self.balance, self.counters = self._steps.balance, self._steps.counters
        self._ledger = np.zeros(len(LEDGER))
        self._restored: tuple[int, dict[str, Any]] | None = None

    def _default_control(self, contacts: bool) -> StepControl:
        duration = positive(self.end_time - self.state.time, "end_time less the start's time (s)")
        mass = float(self.system.work.mass.sum())
        return default_control(self.system.length, mass, contacts, duration)

    @property
    def energy_scale(self) -> float:
        """Scale of the run's energies and works so far, J."""
        return self.balance.scale

    # -- stepping -------------------------------------------------------------------------------------------

    def stop_at(self, times: Iterable[float]) -> None:
        """Make steps end at further times too; called before the first step.

        Parameters
        ----------
        times : s
        """
        self.sizes.stop_at(times)
        self.sizes.first(self.state.time, self.end_time)

    def steps(self) -> Iterator[StepRecord]:
        """Accepted steps up to the end time.

        Raises
        ------
        SolverFailure
            When the smallest step does not converge; the state is that of the last accepted step.
        """
        self.sizes.plan_step(self.state.time, self.end_time)
        while self.state.time < self.end_time:
            yield self._step(self.end_time)

    def _step(self, t_end: float) -> StepRecord:
        return self._steps.make(t_end)

    def outputs(self) -> dict[str, Any]:
        """All quantities of the current accepted state as arrays by name (results.md); `of` has them by part."""
        if self._restored is not None and self._restored[0] == self.counters["steps"]:
            return self._restored[1]
        if self.counters["steps"] == 0 and self.state.time < self.end_time:
            set_start_reactions(self.scheme)
            self._steps.refresh_contacts()
        return self._evaluate_outputs() | {"contact": self._steps.contacts}


def _copy(initial: State, system: System) -> State:
    """A copy of the given state; InputError when it belongs to another model."""
    state = system.reference_state()
    state.fill_from_flat(initial.to_flat())
    return state
