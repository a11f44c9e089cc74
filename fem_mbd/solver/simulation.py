"""A simulation: scheme, solver and step control put together, stepping from one accepted state to the next."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem_mbd.compiled.by_address import calls_by_address
from fem_mbd.errors import InputError, SolverFailure
from fem_mbd.model.model import Model
from fem_mbd.model.time_functions.inputs import Inputs
from fem_mbd.scheme.initial import make_consistent
from fem_mbd.scheme.ledger import RESIDUAL
from fem_mbd.scheme.ledger_names import LEDGER
from fem_mbd.scheme.outputs import StateOutputs
from fem_mbd.scheme.share import Share
from fem_mbd.scheme.state import State
from fem_mbd.scheme.system import System
from fem_mbd.scheme.tdg import Scheme
from fem_mbd.solver.advancing import Advancing
from fem_mbd.solver.energy_balance import EnergyBalance
from fem_mbd.solver.failing_step import open_joint, worst_residual
from fem_mbd.solver.impacts import IMPACT, KINETIC, LOST, Impacts
from fem_mbd.solver.newton import NewtonOptions, NewtonResult, NewtonSolver
from fem_mbd.solver.ranked_lu import RankedMatrix
from fem_mbd.solver.ranks import Alone, Ranks
from fem_mbd.solver.work_left import SMALL
from fem_mbd.stepping.blind_rules import warn_of_blind_rules
from fem_mbd.stepping.default_control import default_control
from fem_mbd.stepping.step_control import StepControl
from fem_mbd.stepping.step_record import CONTACT_RECORD, StepRecord
from fem_mbd.stepping.step_retry import Retries
from fem_mbd.stepping.step_sizes import StepSizes
from fem_mbd.validation import check_kind, positive

COUNTS = ("steps", "rejected", "newton_iterations", "factorisations")
PHASES = ("assembly", "solve", "control")  # wall seconds


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
    ranks : the processes that share the run

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
        ranks = Ranks(newton.ranks) if newton.ranks > 1 else None
        self.ranks: Alone = ranks or Alone()
        self.system = System(model, newton.threads, newton.ranks)
        self.inputs = Inputs(self.system.functions())
        self.state = self.system.reference_state() if initial is None else _own(initial, self.system)
        self.initial_message = make_consistent(self.system, self.state)
        self.impacts = Impacts(self.system, self.state)
        share = None if ranks is None else _share(self.system, ranks)
        self.scheme = Scheme(self.system, self.state, newton.compiled and calls_by_address(), share)
        shared = None
        if ranks is not None and share is not None:
            values = self.scheme.calls.values
            shared = RankedMatrix(ranks, share.bounds, self.system.indptr, self.system.indices, values)
        self.solver = NewtonSolver(
            self.system.indptr, self.system.indices, self.system.unit, self.system.length,
            self.scheme.residual, self.scheme.tangent, newton, self.system.inertia_read,
            self.system.elimination_work, self.system.redundant > 0, self.scheme.calls,
            self.system.pattern, shared,
        )  # fmt: skip
        self.counters: dict[str, Any] = dict.fromkeys(COUNTS, 0) | dict.fromkeys(PHASES, 0.0)
        self._retries = Retries()
        self._opened = ""  # the joint that an attempt at this step has left open
        if not isfinite(self.scheme.energy):
            raise InputError(
                f"model '{model.name}': its energy at the start is not finite: look at velocities, masses and springs"
            )
        self.balance = EnergyBalance(self.scheme.energy)
        self._measured = StateOutputs(
            self.state, self.system.kinds, self.scheme.work, self.system.supports, self.scheme.compiled
        )
        self._contacts = [k for k in self.system.kinds if k.has_contacts]
        for kind in self._contacts:
            kind.record_contacts(self.scheme.work)
        self._last_contacts = self._contact_records()
        if control is not None and self._contacts:
            warn_of_blind_rules(control)
        self.control = control or self._default_control()
        self.sizes = StepSizes(self.control, self.system.breakpoints(), self.system.jumps())
        self._next = self.sizes.first(self.state.time, self.end_time)
        self._books = np.zeros(len(LEDGER))
        self._outputs: dict[str, Any] | None = None

    def _default_control(self) -> StepControl:
        duration = positive(self.end_time - self.state.time, "end_time less the start's time (s)")
        mass = float(self.system.work.mass.sum())
        return default_control(self.system.length, mass, bool(self._contacts), duration)

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
        self._next = self.sizes.first(self.state.time, self.end_time)

    def steps(self) -> Iterator[StepRecord]:
        """Accepted steps up to the end time.

        Raises
        ------
        SolverFailure
            When the smallest step does not converge; the state is that of the last accepted step.
        """
        self._next = self.sizes.aim(self.state.time, self.end_time)
        while self.state.time < self.end_time:
            yield self._step(self.end_time)

    def _step(self, t_end: float) -> StepRecord:
        """One accepted step towards t_end (s): the only place where attempts are accepted or rejected."""
        self.inputs.install()
        dt, rule = self._next
        least, rejections, factorisations = dt, 0, 0
        while True:
            record, reason, factored = self._attempt(dt, rule)
            factorisations += factored
            if record is None:
                least = min(least, dt)
                dt = self._another_size(dt, least, reason)
            else:
                retry = self.sizes.judge(record)
                if retry == 0.0:
                    accepted = self._up_to_impact(record)
                    if accepted is not None:
                        record = accepted
                        break
                    retry = dt
                dt = retry
            rejections += 1
            self.counters["rejected"] += 1
            rule = self.sizes.rule
        return self._accept(record, rejections, factorisations, t_end)

    def _up_to_impact(self, record: StepRecord) -> StepRecord | None:
        """The step, or the part of it that ends with an impact; None when a contact has opened: to be tried again."""
        if self.impacts.kind is None:
            return record
        found: StepRecord | None = record

        def attempt(length: float) -> bool:
            nonlocal found
            found, _, _ = self._attempt(length, IMPACT)
            return found is not None

        if self.impacts.first_event(record.dt, attempt) == 0.0:
            return None
        if found is None:
            raise SolverFailure(
                self._failure(record.dt, "the step that ends with an impact did not converge")
            )
        return found

    def _another_size(self, dt: float, least: float, reason: str) -> float:
        """After a step of ``dt`` has failed: half the least size tried, or a longer one that may get over the place.

        Raises
        ------
        SolverFailure
            When there is none left.
        """
        self._retries.failed(self.state.time, dt)
        if self._retries.hopeless:
            raise SolverFailure(f"{self._failure(dt, reason)}. {self._retries.hopeless}")
        longer = self._retries.longer(least)
        if longer > 0.0 and (size := self.sizes.longer(longer)) > least:
            return size
        smaller = self.sizes.after_newton_failure(least)
        if smaller is None:
            raise SolverFailure(self._failure(least, reason))
        return smaller

    def _attempt(self, dt: float, rule: str, keep: bool = True) -> tuple[StepRecord | None, str, int]:
        """A step of ``dt``, solved with kept factorisations if ``keep``: what it led to, or why it failed."""
        start = time.perf_counter()
        t_f = self.sizes.end_of_step(dt)
        self.ranks.check_together(t_f)
        unfit = ""
        try:
            predictor = self.scheme.begin(t_f)
        except InputError as error:
            # a function of time without a value there, or a prescribed rotation too large for one step
            unfit = str(error)
        refused_by = int(self.ranks.largest(self.ranks.rank + 1 if unfit else 0))
        if refused_by > 0:
            return None, unfit or f"rank {refused_by - 1} cannot begin it", 0
        self.solver.work_left.scale = self.balance.scale
        outcome = self.solver.solve(predictor, dt, keep=keep and not self.sizes.carries_jump)
        if not outcome.converged and self.system.redundant:
            with self.scheme.near_singular():
                outcome = self.solver.solve(self.scheme.begin(t_f), dt).after(outcome)
        if outcome.converged and self.balance.scale == 0.0:
            outcome = self._solve_on(outcome, dt)
        self.counters["newton_iterations"] += outcome.iterations
        self.counters["factorisations"] += outcome.factorisations
        total, assembly = time.perf_counter() - start, self.solver.seconds_assembly
        self.counters["solve"] += total - (assembly - self.counters["assembly"])
        self.counters["assembly"] = assembly
        if not outcome.converged:
            self.scheme.complete()
            return None, f"{outcome.reason}. {worst_residual(self.system)}", outcome.factorisations
        if self.system.redundant and (opened := open_joint(self.system)):
            self._opened = opened
            return None, opened, outcome.factorisations
        row = self.scheme.ledger()
        if not isfinite(row.sum()):
            return None, "the energies of the step are not finite: velocities or forces are out of range", 0
        missing = self.balance.missing(row, self.scheme.round_off)
        if missing and keep and outcome.factorisations < outcome.iterations:
            return self._attempt(dt, rule, keep=False)
        if missing:
            # multipliers that fight each other are why, where a longer attempt has seen them do so
            return None, self._opened or missing, outcome.factorisations
        record = StepRecord(
            index=self.counters["steps"] + 1, time=t_f, dt=self.scheme.work.dt, rule=rule,
            newton_iterations=outcome.iterations, factorisations=outcome.factorisations, rejections=0,
            energy=row, round_off=self.scheme.round_off, contacts=self._contact_records(),
        )  # fmt: skip
        return record, "", outcome.factorisations

    def _solve_on(self, outcome: NewtonResult, dt: float) -> NewtonResult:
        """Solve on from where Newton has converged, with the step's own energies as the scale of what may be left.

        A run that begins at rest has had no energy yet that the work left could be held against.
        """
        row = self.scheme.ledger()
        self.solver.work_left.scale = self.balance.scale_with(row)
        if abs(row[RESIDUAL]) <= SMALL * self.solver.work_left.scale:
            return outcome
        return self.solver.solve(self.solver.y.copy(), dt).after(outcome)

    def _accept(self, record: StepRecord, rejections: int, factorisations: int, t_end: float) -> StepRecord:
        record.rejections, record.factorisations = rejections, factorisations
        self.scheme.accept(record.energy)
        lost = self.impacts.strike()
        if lost != 0.0:
            record.energy[KINETIC] -= lost
            record.energy[LOST] += lost
            self.scheme.energy -= lost
        self.balance.add(record.energy)
        self._retries.passed()
        self._opened = ""
        self._last_contacts, self._outputs = record.contacts, None
        self.counters["steps"] += 1
        start = time.perf_counter()
        if self.state.time < t_end:
            self._next = self.sizes.next(record, t_end)
        self.counters["control"] += time.perf_counter() - start
        return record

    def _contact_records(self) -> NDArray[np.void]:
        if not self._contacts:
            return np.zeros(0, dtype=CONTACT_RECORD)
        records = [kind.contact_records() for kind in self._contacts]
        return records[0] if len(records) == 1 else np.concatenate(records)

    def _failure(self, dt: float, reason: str) -> str:
        return (
            f"step from t = {self.state.time:.9g} s failed, the last size tried {dt:.3g} s: {reason.rstrip('.')}. "
            "Results up to this time are kept; see the last steps' rule and iterations"
        )

    # -- what recorders and restarts use --------------------------------------------------------------------

    def outputs(self) -> dict[str, Any]:
        """Quantities of the current accepted state (see the module `results` for their shapes)."""
        if self._outputs is not None:
            return self._outputs
        return self._measured() | {"contact": self._last_contacts}

    def controller_state(self) -> dict[str, float]:
        """What the next step depends on besides the state: the controller's memory, the energy balance, the counts."""
        own = {f"control {k}": v for k, v in self.sizes.state().items()}
        own |= {f"retries {k}": v for k, v in self._retries.state().items()}
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
        self._retries.restore(_of(controller_state, "retries "))
        self._next = self.sizes.aim(self.state.time, self.end_time)
        self.balance.restore(_of(controller_state, "balance "))
        self.scheme.energy = controller_state["energy"]
        for name in COUNTS:
            self.counters[name] = int(controller_state[f"count {name}"])
        self.solver_reset()

    def solver_reset(self) -> None:
        """Forget the kept factorisation; called at checkpoints so that a resumed run repeats the numbers."""
        self.solver.forget()


def _share(system: System, ranks: Ranks) -> Share:
    return Share(system, ranks.rank, lambda bounds: ranks.everywhere(bounds).fill)


def _of(stored: dict[str, float], prefix: str) -> dict[str, float]:
    return {key.removeprefix(prefix): value for key, value in stored.items() if key.startswith(prefix)}


def _own(initial: State, system: System) -> State:
    """A copy of the given state; InputError when it belongs to another model."""
    own = system.reference_state()
    own.fill_from_flat(initial.to_flat())
    return own
