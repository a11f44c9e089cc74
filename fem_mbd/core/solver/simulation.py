"""Class `Simulation`: one run of a model, which combines scheme, Newton solver and step control.

`RunHooks` is the interface of a simulation for recorders, checkpoints and restarts.

`Advancing` has the methods that advance a simulation interval by interval, for controllers and co-simulation. Between
two calls of `advance` inputs can be set, quantities read, and the simulation saved and restored. The steps are those of
`Simulation.steps` with stops at the ends of the intervals.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.base.lazy import attached
from fem_mbd.base.validation import check_kind, finite, positive
from fem_mbd.core.compiled.calls import Task
from fem_mbd.core.linear_solvers.turned import turning_of
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.ranges import Ranges
from fem_mbd.core.model.time_functions.inputs import Inputs, Piece
from fem_mbd.core.newton.newton_solver import IN_PLACE, NewtonOptions, NewtonSolver, StepEquations
from fem_mbd.core.scheme.initial import make_consistent, set_start_reactions
from fem_mbd.core.scheme.ledger import ENERGIES, LEDGER
from fem_mbd.core.scheme.outputs import CONTACT, StateOutputs
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.system import System
from fem_mbd.core.scheme.tdg import Scheme
from fem_mbd.core.solver.impacts import Impacts
from fem_mbd.core.solver.readable_steps import COUNTS
from fem_mbd.core.solver.saved_state import SavedState, digest
from fem_mbd.core.solver.steps import Steps
from fem_mbd.core.stepping.step_control import Pace, StepControl, default_control, warn_of_blind_rules
from fem_mbd.core.stepping.step_record import Block, Sink, StepRecord
from fem_mbd.core.stepping.step_sizes import StepSizes
from fem_mbd.errors import InputError

if TYPE_CHECKING:
    from fem_mbd.core.scheme.tdg import Scheme


class RunHooks:
    """The hooks of one simulation, `Simulation.hooks`.

    Parameters
    ----------
    scheme, solver, sizes, steps : of the simulation
    evaluate_outputs : evaluates the outputs of the state
    """

    def __init__(
        self,
        scheme: Scheme,
        solver: NewtonSolver,
        sizes: StepSizes,
        steps: Steps,
        evaluate_outputs: StateOutputs,
    ) -> None:
        self._scheme, self._solver, self._sizes, self._steps = scheme, solver, sizes, steps
        self._evaluate_outputs = evaluate_outputs

    def make_steps(self, t_end: float, most: int, sink: Sink, row: int) -> Block | None:
        """Make up to ``most`` accepted steps in compiled code.

        None where the next step has to be made in Python, by `Simulation.steps`.

        Parameters
        ----------
        t_end : s, the end of the run
        most : number of steps; fewer are made after 50 ms, so that Python handles signals
        sink : arrays for the outputs
        row : of the sink, for the next outputs
        """
        if self._scheme.state.time >= t_end:
            return None
        self._sizes.plan_step(self._scheme.state.time, t_end)
        return self._steps.make_steps(t_end, most, self._evaluate_outputs, sink, row)

    @property
    def output_names(self) -> tuple[str, ...]:
        """The keys of `Simulation.outputs`, which are known without evaluating them."""
        return (*self._evaluate_outputs.names, CONTACT)

    def outputs_in_place(self) -> tuple[list[Task], dict[str, list[Any]]]:
        """Calls that evaluate the outputs of the state, and the arrays that they fill: `StateOutputs.in_place`."""
        return self._evaluate_outputs.in_place()

    def range_findings(self) -> list[dict[str, Any]]:
        """The largest measures of the run: `Ranges.findings`."""
        return self._steps.ranges.findings()

    def restore_ranges(self, findings: list[dict[str, Any]]) -> None:
        """Continue from the largest measures of an earlier session.

        Parameters
        ----------
        findings : as returned by `range_findings`
        """
        self._steps.ranges.restore(findings)

    def controller_state(self) -> dict[str, float]:
        """Data on which the next step depends besides the state: states of step control and energy balance, counts."""
        data = {f"control {k}": v for k, v in self._sizes.state().items()}
        data |= {f"retries {k}": v for k, v in self._steps.retries.state().items()}
        data |= {f"balance {k}": v for k, v in self._steps.balance.state().items()}
        data["energy"] = self._scheme.energy
        return data | {f"count {k}": float(self._steps.counters[k]) for k in COUNTS}

    def resume_from(self, controller_state: dict[str, float]) -> None:
        """Continue from a checkpoint, whose state is in the simulation's ``state`` already.

        Parameters
        ----------
        controller_state : as returned by `controller_state`
        """
        self._scheme.load_state()
        self._sizes.restore(_with_prefix(controller_state, "control "))
        self._steps.retries.restore(_with_prefix(controller_state, "retries "))
        self._steps.balance.restore(_with_prefix(controller_state, "balance "))
        self._scheme.energy = controller_state["energy"]
        for name in COUNTS:
            self._steps.counters[name] = int(controller_state[f"count {name}"])
        self.solver_reset()

    def solver_reset(self) -> None:
        """Discard the stored factorisation; called at checkpoints so that a resumed run repeats the numbers."""
        self._steps.discard_begun_step()
        self._solver.reset()


def _with_prefix(stored: dict[str, float], prefix: str) -> dict[str, float]:
    return {key.removeprefix(prefix): value for key, value in stored.items() if key.startswith(prefix)}


class Advancing:
    """Base class of `Simulation` with the methods besides `steps`; the attributes are those of `Simulation`."""

    system: System
    state: State
    scheme: Scheme
    sizes: StepSizes
    inputs: Inputs
    _ledger: Array  # (len(LEDGER),) of the intervals so far: energies now, sums of all amounts
    hooks: RunHooks
    counters: dict[str, Any]
    _restored: tuple[int, dict[str, Any]] | None  # number of steps and outputs of a restored state

    @property
    def time(self) -> float:
        """Time of the last accepted step, s."""
        return self.state.time

    def advance(self, time: float, inputs: Mapping[str, float] | None = None) -> list[StepRecord]:
        """Make steps up to a time, which the last of them hits exactly.

        Parameters
        ----------
        time : s, later than `time`; it may be later than the end time, which limits `steps` only
        inputs : values of inputs by name for the interval from now on; other inputs keep their values. The course of an
            input between now and ``time`` depends on its ``within`` (`fem_mbd.Input`)

        Returns
        -------
        list
            The steps that were accepted.

        Raises
        ------
        InputError
            For a time that is not later, an unknown input, or a value that is not a finite number. The simulation is
            unchanged then.
        SolverFailure
            When the smallest step does not converge; the state is that of the last accepted step.
        """
        return list(self.advancing(time, inputs))

    def advancing(self, time: float, inputs: Mapping[str, float] | None = None) -> Iterator[StepRecord]:
        """As `advance`, as an iterator: quantities can be read after each step.

        Parameters
        ----------
        time, inputs : as for `advance`, with the same errors
        """
        end = finite(time, "advance: time (s)")
        if end - self.time < self.sizes.control.dt_min:
            raise InputError(
                f"advance to {end:g} s: the simulation is at {self.time:g} s; give a time that is later by at least "
                f"{self.sizes.control.dt_min:g} s (dt_min)"
            )
        self.inputs.set(self.time, end, inputs or {})
        self.sizes.plan_step(self.time, end)
        while self.time < end:
            record = self._step(end)
            self._add_to_ledger(record.energy)
            if self.time >= end:
                self.sizes.choose(record)
            yield record

    def of(self, part: Any) -> Any:
        """The present quantities of one part, under the names of `Result.of`.

            sim.of("hinge").angle
            sim.of(body).velocity               # (3,) m/s

        Parameters
        ----------
        part : its handle or name, a node or a point of the model

        Raises
        ------
        InputError
            When no part has this name; the message suggests the most similar one.
        """
        return attached("Simulation.of")(self, part)

    def value(self, path: str) -> Any:
        """One present quantity by its path, as returned by `of`.

        Parameters
        ----------
        path : PART.QUANTITY, PART.QUANTITY[k] for the k-th component from 0, PART.QUANTITY(s) for a beam's quantity at
            the fraction s of its length: "hinge.angle", "bob.position[2]", "blade1.section_force(0.0)[4]"

        Returns
        -------
        float or (…,) array

        Raises
        ------
        InputError
            When there is no such part or quantity; the message suggests the most similar one.
        """
        return attached("Simulation.value")(self, path)

    @property
    def ledger(self) -> dict[str, float]:
        """The energy balance, J: energies now, and works and dissipations of all intervals so far.

        "residual" is the residual of the balance: round-off.
        """
        return dict(zip(LEDGER, self._ledger.tolist(), strict=True))

    # -- save and restore -----------------------------------------------------------------------------------

    def save(self) -> SavedState:
        """The complete state of the simulation between two steps, for `restore`.

        The solver discards its stored factorisation, as at a checkpoint. So this run and one that is restored from the
        saved state continue bitwise equally.
        """
        self.hooks.solver_reset()
        pieces = {name: tuple(piece) for name, piece in self.inputs.pieces.items()}
        return SavedState(
            self._digest,
            self.state.to_flat(),
            self.hooks.controller_state(),
            pieces,
            self._ledger.copy(),
            self.outputs(),
        )

    def restore(self, saved: SavedState) -> None:
        """Restore a state saved by this simulation or by another one of an equal model.

        Parameters
        ----------
        saved : as returned by `save`

        Raises
        ------
        InputError
            When it is of another model.
        """
        check_kind(saved, SavedState, "restore", "sim.save()")
        if saved.model != self._digest or set(saved.inputs) != set(self.inputs):
            raise InputError(
                f"restore: the state saved at t = {saved.time:g} s is not one of model '{self.system.model.name}'"
            )
        self.state.fill_from_flat(saved.state)
        self.hooks.resume_from(dict(saved.controller))
        self.inputs.pieces.update({name: Piece(*piece) for name, piece in saved.inputs.items()})
        self._ledger = saved.ledger.copy()
        self._restored = int(self.counters["steps"]), dict(saved.outputs)

    @cached_property
    def _digest(self) -> str:
        return digest(self.system.describe() | {"inputs": sorted(self.inputs)})

    def _add_to_ledger(self, row: Array) -> None:
        energies = len(ENERGIES)
        self._ledger = np.concatenate([row[:energies], self._ledger[energies:] + row[energies:]])

    # -- defined by `Simulation` ----------------------------------------------------------------------------

    def _step(self, t_end: float) -> StepRecord:
        raise NotImplementedError

    def outputs(self) -> dict[str, Any]:
        """Quantities of the present state."""
        raise NotImplementedError


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
            system.spacing, turning_of(system),
        )  # fmt: skip
        self.solver = NewtonSolver(equations, newton, scheme.calls)
        if not isfinite(self.scheme.energy):
            raise InputError(
                f"model '{model.name}': its energy at the start is not finite: check velocities, masses and springs"
            )
        self._evaluate_outputs = StateOutputs(
            self.state, self.system.kinds, self.scheme.workspace, self.system.supports
        )
        for kind in self.system.kinds:
            kind.warn_before_run()
        contacts = [k for k in self.system.kinds if k.has_contacts]
        for kind in contacts:
            kind.record_contacts(self.scheme.workspace)
        for gather in self.scheme.calls.gather_contacts:
            gather()
        if control is not None and contacts:
            warn_of_blind_rules(control, 3)
        self.control = control or self._default_control(bool(contacts))
        self.system.prepare_functions(self.state.time, max(self.end_time, self.state.time))
        self.sizes = StepSizes(self.control, self.system.breakpoints(), self.system.jumps())
        self.sizes.first(self.state.time, self.end_time)
        self.ranges = Ranges(self.system.measured, self.system.workspace)
        self._steps = Steps(self.scheme, self.solver, self.sizes, self.inputs, self.impacts, self.ranges)
        if control is None:
            names = [name for kind in contacts for name in kind.part_names()]
            self._steps.pace = Pace(self.state.time, self.end_time, names)
        self.hooks = RunHooks(self.scheme, self.solver, self.sizes, self._steps, self._evaluate_outputs)
        self.balance, self.counters = self._steps.balance, self._steps.counters
        self._ledger = np.zeros(len(LEDGER))
        self._restored: tuple[int, dict[str, Any]] | None = None

    def _default_control(self, contacts: bool) -> StepControl:
        duration = positive(self.end_time - self.state.time, "end_time less the start's time (s)")
        mass = float(self.system.workspace.mass.sum())
        return default_control(self.system.length, mass, contacts, duration, self.end_time)

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
        return self._evaluate_outputs() | {CONTACT: self._steps.contacts}


def _copy(initial: State, system: System) -> State:
    """A copy of the given state; InputError when it belongs to another model."""
    state = system.reference_state()
    state.fill_from_flat(initial.to_flat())
    return state
