"""One time step in Python: attempt, check, accept or reject. `steps` uses the compiled time loop where it can."""

from __future__ import annotations

import time
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.ranges import Ranges
from fem_mbd.core.newton.energy_residual import TOLERANCE
from fem_mbd.core.newton.newton_result import NewtonResult
from fem_mbd.core.newton.newton_solver import NewtonSolver
from fem_mbd.core.scheme.ledger import RESIDUAL
from fem_mbd.core.scheme.round_off_sensitivity import UNIT
from fem_mbd.core.scheme.tdg import Scheme
from fem_mbd.core.solver.energy_balance import EnergyBalance
from fem_mbd.core.solver.failing_step import blocked_drive, violated_joint, worst_residual
from fem_mbd.core.solver.impacts import DISSIPATION, IMPACT, KINETIC, Impacts
from fem_mbd.core.stepping.size_kernels import RANGE
from fem_mbd.core.stepping.step_record import CONTACT_RECORD, StepRecord
from fem_mbd.core.stepping.step_retry import Retries
from fem_mbd.core.stepping.step_sizes import StepSizes
from fem_mbd.errors import InputError, SolverFailure

COUNTS = ("steps", "rejected", "newton_iterations", "factorisations")
PHASES = ("assembly", "solve", "control")  # wall seconds


class ReadableSteps:
    """The steps of one run, made in Python; only here are attempts rejected. The arguments are parts of `Simulation`.

    Attributes
    ----------
    counters : of the run, `COUNTS` and `PHASES`
    retries : record of failures
    contacts : records of the last step's contacts
    ranges : of the parts
    """

    def __init__(
        self, scheme: Scheme, solver: NewtonSolver, sizes: StepSizes, impacts: Impacts, ranges: Ranges
    ):
        self.scheme, self.solver, self.sizes = scheme, solver, sizes
        self.system, self.state = scheme.system, scheme.state
        self._impacts, self.ranges = impacts, ranges
        self._redundant = self.system.redundant > 0
        self.balance = EnergyBalance(scheme.energy)
        self.retries = Retries()
        self._violated_joint = ""  # message on the joint that an attempt at this step has violated
        self.counters: dict[str, Any] = dict.fromkeys(COUNTS, 0) | dict.fromkeys(PHASES, 0.0)
        self.contacts = self._contact_records()

    def make(self, t_end: float) -> StepRecord:
        """Make one accepted step towards t_end (s).

        Raises
        ------
        SolverFailure
            When the smallest step does not converge.
        """
        dt, rule = self.sizes.planned
        smallest, rejections, factorisations = dt, 0, 0
        while True:
            record, reason, factored = self._attempt(dt, rule)
            factorisations += factored
            if record is None:
                smallest = min(smallest, dt)
                dt = self._size_after_failure(dt, smallest, reason)
            else:
                retry = self.sizes.check(record)
                if retry == 0.0:
                    accepted = self._up_to_impact(record)
                    retry = dt if accepted is None else self._size_within_ranges(accepted.dt)
                    if accepted is not None and retry == accepted.dt:
                        record = accepted
                        break
                dt = retry
            rejections += 1
            self.counters["rejected"] += 1
            rule = self.sizes.rule
        return self._accept(record, rejections, factorisations, t_end)

    def _size_within_ranges(self, dt: float) -> float:
        """The size of a step that has converged, or half of it where a part refuses the step.

        Raises
        ------
        SolverFailure
            When a part is out of its range, and shorter steps do not help.
        """
        refusal, shorter_helps = self.ranges.refusal()
        if not refusal:
            return dt
        smaller = self.sizes.after_newton_failure(dt, RANGE) if shorter_helps else None
        if smaller is None:
            raise SolverFailure(self._failure(dt, refusal))
        return smaller

    def _up_to_impact(self, record: StepRecord) -> StepRecord | None:
        """The step, or the part of it that ends with an impact; None when a contact opens and the step is repeated."""
        if self._impacts.kind is None:
            return record
        last: StepRecord | None = record

        def attempt(length: float) -> bool:
            nonlocal last
            last, _, _ = self._attempt(length, IMPACT)
            return last is not None

        if self._impacts.first_event(record.dt, attempt) == 0.0:
            return None
        if last is None:
            raise SolverFailure(
                self._failure(record.dt, "the step that ends with an impact did not converge")
            )
        return last

    def _size_after_failure(self, dt: float, smallest: float, reason: str) -> float:
        """Size after a failed step of ``dt``: half the smallest tried, or a longer one across a singular position.

        Raises
        ------
        SolverFailure
            When there is no size left to try.
        """
        self.retries.step_failed(self.state.time, dt)
        if self.retries.reason_to_give_up:
            reason = self._with_blocked_drive(reason)
            raise SolverFailure(f"{self._failure(dt, reason)}. {self.retries.reason_to_give_up}")
        longer = self.retries.longer_size(smallest)
        if longer > 0.0 and (size := self.sizes.longer_size(longer)) > smallest:
            return size
        smaller = self.sizes.after_newton_failure(smallest)
        if smaller is None:
            raise SolverFailure(self._failure(smallest, self._with_blocked_drive(reason)))
        return smaller

    def _attempt(self, dt: float, rule: str, keep: bool = True) -> tuple[StepRecord | None, str, int]:
        """Attempt a step of ``dt``, with reused factorisations if ``keep``: record, or None and the reason; effort."""
        start = time.perf_counter()
        t_f = self.sizes.end_of_step(dt)
        try:
            predictor = self._begin(t_f)
        except InputError as error:
            # a function of time without a value at t_f, or a prescribed rotation too large for one step
            return None, str(error), 0
        self.solver.energy_residual.scale = self.balance.scale
        outcome = self.solver.solve(predictor, dt, keep=keep and not self.sizes.carries_jump)
        if not outcome.converged and self._redundant:
            with self.scheme.near_singular():
                outcome = self.solver.solve(self.scheme.begin(t_f), dt).after(outcome)
        if outcome.converged and self.balance.scale == 0.0:
            outcome = self._solve_further(outcome, dt)
        self.counters["newton_iterations"] += outcome.iterations
        self.counters["factorisations"] += outcome.factorisations
        total, assembly = time.perf_counter() - start, self.solver.seconds_assembly
        self.counters["solve"] += total - (assembly - self.counters["assembly"])
        self.counters["assembly"] = assembly
        if not outcome.converged:
            return None, f"{outcome.reason}. {worst_residual(self.system)}", outcome.factorisations
        if self._redundant and (violated := violated_joint(self.system)):
            self._violated_joint = violated
            return None, violated, outcome.factorisations
        row = self.scheme.ledger()
        if not isfinite(row.sum()):
            return None, "the energies of the step are not finite: velocities or forces are out of range", 0
        reused = keep and outcome.factorisations < outcome.iterations
        if reused and self.balance.improvable(row, self.scheme.round_off):
            return self._attempt(dt, rule, keep=False)
        failure = self.balance.failure_message(row, self.scheme.round_off)
        if failure:
            # where a longer attempt has violated a joint, contradictory multipliers are the cause
            return None, self._violated_joint or failure, outcome.factorisations
        self.ranges.evaluate()
        record = StepRecord(
            index=self.counters["steps"] + 1, time=t_f, dt=self.scheme.work.dt, rule=rule,
            newton_iterations=outcome.iterations, factorisations=outcome.factorisations, rejections=0,
            energy=row, round_off=self._round_off(row), contacts=self._contact_records(),
            rotation=float(self.scheme.work.rotation[0]),
        )  # fmt: skip
        return record, "", outcome.factorisations

    def _round_off(self, row: Array) -> float:
        """Bound of the energy residual that round-off causes in a step with that row, J.

        The bound from the forces is available at no cost. Only where the residual is larger, the tangent is evaluated
        for the sensitivity of the balance to round-off of positions: one unit in the last place, or the last update of
        Newton where that was noise.
        """
        by_forces = self.scheme.round_off
        if self.balance.resolved(row, by_forces):
            return by_forces
        self.solver.invalidate_factors()
        return by_forces + self.scheme.unresolved_work(max(UNIT, self.solver.convergence.noise))

    def _begin(self, t_f: float) -> Array:
        """Begin a step to t_f; return the predictor, (size,)."""
        return self.scheme.begin(t_f)

    def _solve_further(self, outcome: NewtonResult, dt: float) -> NewtonResult:
        """Solve further from the converged iterate, with the step's own energies as the scale of the energy residual.

        A run that begins at rest has had no energy yet that could be this scale.
        """
        row = self.scheme.ledger()
        self.solver.energy_residual.scale = self.balance.scale_with(row)
        if abs(row[RESIDUAL]) <= TOLERANCE * self.solver.energy_residual.scale:
            return outcome
        return self.solver.solve(self.solver.y.copy(), dt).after(outcome)

    def _accept(self, record: StepRecord, rejections: int, factorisations: int, t_end: float) -> StepRecord:
        record.rejections, record.factorisations = rejections, factorisations
        self.ranges.accept()
        self.scheme.accept(record.energy)
        loss = self._impacts.apply_impacts()
        if loss != 0.0:
            record.energy[KINETIC] -= loss
            record.energy[DISSIPATION] += loss
            self.scheme.energy -= loss
        self.balance.add(record.energy)
        self.retries.steps_accepted()
        self._violated_joint = ""
        self.contacts = record.contacts
        self.counters["steps"] += 1
        start = time.perf_counter()
        if self.state.time < t_end:
            self.sizes.next(record, t_end)
        self.counters["control"] += time.perf_counter() - start
        return record

    def _with_blocked_drive(self, reason: str) -> str:
        blocked = blocked_drive(self.system, self.state)
        return f"{reason.rstrip('.')}. {blocked[:1].upper()}{blocked[1:]}" if blocked else reason

    def _failure(self, dt: float, reason: str) -> str:
        return (
            f"step from t = {self.state.time:.9g} s failed, last size tried {dt:.3g} s: {reason.rstrip('.')}. "
            "Results up to this time are stored; look at rule and iterations of the last steps"
        )

    def refresh_contacts(self) -> None:
        """Take over the records of contacts from the scheme."""
        self.contacts = self._contact_records()

    def _contact_records(self) -> NDArray[np.void]:
        contacts = self.scheme.calls.contacts
        return contacts.copy() if len(contacts) else np.zeros(0, dtype=CONTACT_RECORD)
