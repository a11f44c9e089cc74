"""A simulation: scheme, solver and step control put together, stepping from one accepted state to the next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isfinite
from typing import Any

import numpy as np

from fem_mbd.base.validation import check_kind, positive
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.time_functions.inputs import Inputs
from fem_mbd.core.newton.newton_solver import NewtonOptions, NewtonSolver, StepEquations
from fem_mbd.core.scheme.initial import make_consistent
from fem_mbd.core.scheme.ledger_names import LEDGER
from fem_mbd.core.scheme.outputs import StateOutputs
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.system import System
from fem_mbd.core.scheme.tdg import Scheme
from fem_mbd.core.solver.advancing import Advancing
from fem_mbd.core.solver.impacts import Impacts
from fem_mbd.core.solver.readable_steps import COUNTS
from fem_mbd.core.solver.step_block import Block, Sink
from fem_mbd.core.solver.steps import Steps
from fem_mbd.core.stepping.blind_rules import warn_of_blind_rules
from fem_mbd.core.stepping.default_control import default_control
from fem_mbd.core.stepping.step_control import StepControl
from fem_mbd.core.stepping.step_record import StepRecord
from fem_mbd.core.stepping.step_sizes import StepSizes
from fem_mbd.errors import InputError


class Simulation(Advancing):
    """One run of a model: whole, by `steps`, or led from outside, by `advance`.

    Parameters
    ----------
    model : the finished model
    control : step-size rules, None for `default_control`
    end_time : s
    newton : solver options
    initial : state to begin from, e.g. an equilibrium's, instead of the reference configuration; the initial
        velocities given to the model do not count then

    Attributes
    ----------
    inputs : values of the model's inputs (`Input`) by name

    Raises
    ------
    InputError
        Before anything runs: joints that do not close, redundant constraints, unsupported nodes …
    """

    def __init__(
        self,
        model: Model,
        control: StepControl | None,
        end_time: float,
        newton: NewtonOptions | None = None,
        initial: State | None = None,
    ):
        self.end_time = positive(end_time, "end_time (s)")
        check_kind(control, StepControl, "control", "StepControl.fixed(1e-3)")
        check_kind(newton, NewtonOptions, "newton", "NewtonOptions(max_iterations=20)")
        check_kind(initial, State, "initial", "find_equilibrium(model).state")
        newton = newton or NewtonOptions()
        self.system = System(model, newton.threads)
        self.inputs = Inputs(self.system.functions())
        self.state = self.system.reference_state() if initial is None else _own(initial, self.system)
        self.initial_message = make_consistent(self.system, self.state)
        self.impacts = Impacts(self.system, self.state)
        self.scheme = Scheme(self.system, self.state, newton.compiled)
        system, scheme = self.system, self.scheme
        equations = StepEquations(
            system.indptr, system.indices, system.unit, system.length, scheme.residual, scheme.tangent,
            system.inertia_read, system.elimination_work, system.redundant > 0, system.pattern,
        )  # fmt: skip
        self.solver = NewtonSolver(equations, newton, scheme.calls)
        if not isfinite(self.scheme.energy):
            raise InputError(
                f"model '{model.name}': its energy at the start is not finite: look at velocities, masses and springs"
            )
        self._measured = StateOutputs(
            self.state, self.system.kinds, self.scheme.work, self.system.supports, self.scheme.compiled
        )
        contacts = [k for k in self.system.kinds if k.has_contacts]
        for kind in contacts:
            kind.record_contacts(self.scheme.work)
        for gather in self.scheme.calls.gather_contacts:
            gather()
        if control is not None and contacts:
            warn_of_blind_rules(control)
        self.control = control or self._default_control(bool(contacts))
        self.sizes = StepSizes(self.control, self.system.breakpoints(), self.system.jumps())
        self.sizes.first(self.state.time, self.end_time)
        self._steps = Steps(self.scheme, self.solver, self.sizes, self.inputs, self.impacts)
        self.balance, self.counters = self._steps.balance, self._steps.counters
        self._books = np.zeros(len(LEDGER))
        self._outputs: dict[str, Any] | None = None

    def _default_control(self, contacts: bool) -> StepControl:
        duration = positive(self.end_time - self.state.time, "end_time less the start's time (s)")
        mass = float(self.system.work.mass.sum())
        return default_control(self.system.length, mass, contacts, duration)

    @property
    def energy_scale(self) -> float:
        """Size of the run's energies and works so far, J."""
        return self.balance.scale

    # -- stepping -------------------------------------------------------------------------------------------

    def stop_at(self, times: Iterable[float]) -> None:
        """Make steps end at further instants; called before the first step.

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
        self.sizes.aim(self.state.time, self.end_time)
        while self.state.time < self.end_time:
            yield self._step(self.end_time)

    def make_steps(self, most: int, sink: Sink, row: int) -> Block | None:
        """Up to ``most`` accepted steps at once, without Python between them, for those who record a run.

        None where the next step needs Python: `steps` makes it.

        Parameters
        ----------
        most : steps; there may be fewer, so that signals are answered every 50 ms
        sink : where outputs are stored
        row : of the sink, for the next outputs
        """
        self._outputs = None
        if self.state.time >= self.end_time:
            return None
        return self._steps.make_steps(self.end_time, most, self._measured, sink, row)

    def _step(self, t_end: float) -> StepRecord:
        self._outputs = None
        return self._steps.make(t_end)

    # -- what recorders and restarts use --------------------------------------------------------------------

    def outputs(self) -> dict[str, Any]:
        """Quantities of the current accepted state (see the module `results` for their shapes)."""
        if self._outputs is not None:
            return self._outputs
        return self._measured() | {"contact": self._steps.contacts}

    def controller_state(self) -> dict[str, float]:
        """What the next step depends on besides the state: the controller's memory, the energy balance, the counts."""
        own = {f"control {k}": v for k, v in self.sizes.state().items()}
        own |= {f"retries {k}": v for k, v in self._steps.retries.state().items()}
        own |= {f"balance {k}": v for k, v in self.balance.state().items()} | {"energy": self.scheme.energy}
        return own | {f"count {k}": float(self.counters[k]) for k in COUNTS}

    def resume_from(self, controller_state: dict[str, float]) -> None:
        """Continue from a checkpoint, whose state is in ``state`` already.

        Parameters
        ----------
        controller_state : what `controller_state` gave
        """
        self.scheme.load_state()
        self.sizes.restore(_of(controller_state, "control "))
        self._steps.retries.restore(_of(controller_state, "retries "))
        self.sizes.aim(self.state.time, self.end_time)
        self.balance.restore(_of(controller_state, "balance "))
        self.scheme.energy = controller_state["energy"]
        for name in COUNTS:
            self.counters[name] = int(controller_state[f"count {name}"])
        self.solver_reset()

    def solver_reset(self) -> None:
        """Forget the kept factorisation; called at checkpoints so that a resumed run repeats the numbers."""
        self._steps.begin_anew()
        self.solver.forget()


def _of(stored: dict[str, float], prefix: str) -> dict[str, float]:
    return {key.removeprefix(prefix): value for key, value in stored.items() if key.startswith(prefix)}


def _own(initial: State, system: System) -> State:
    """A copy of the given state; InputError when it belongs to another model."""
    own = system.reference_state()
    own.fill_from_flat(initial.to_flat())
    return own
