"""A step as it reads: attempt, check, accept, in Python. `steps` makes those that go well without it."""

from __future__ import annotations

import time
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem_mbd.base.arrays import Array
from fem_mbd.core.newton.energy_residual import SMALL
from fem_mbd.core.newton.newton_result import NewtonResult
from fem_mbd.core.newton.newton_solver import NewtonSolver
from fem_mbd.core.scheme.ledger import RESIDUAL
from fem_mbd.core.scheme.tdg import Scheme
from fem_mbd.core.solver.energy_balance import EnergyBalance
from fem_mbd.core.solver.failing_step import open_joint, worst_residual
from fem_mbd.core.solver.impacts import IMPACT, KINETIC, LOST, Impacts
from fem_mbd.core.stepping.step_record import CONTACT_RECORD, StepRecord
from fem_mbd.core.stepping.step_retry import Retries
from fem_mbd.core.stepping.step_sizes import StepSizes
from fem_mbd.errors import InputError, SolverFailure

COUNTS = ("steps", "rejected", "newton_iterations", "factorisations")
PHASES = ("assembly", "solve", "control")  # wall seconds


class ReadableSteps:
    """The only place where attempts are rejected; the parts are those of `Simulation`.

    Attributes
    ----------
    counters : of the run, `COUNTS` and `PHASES`
    retries : memory of failures
    contacts : records of the last step's contacts
    """

    def __init__(self, scheme: Scheme, solver: NewtonSolver, sizes: StepSizes, impacts: Impacts):
        self.scheme, self.solver, self.sizes = scheme, solver, sizes
        self.system, self.state = scheme.system, scheme.state
        self._impacts = impacts
        self._redundant = self.system.redundant > 0
        self.balance = EnergyBalance(scheme.energy)
        self.retries = Retries()
        self._opened = ""  # the joint that an attempt at this step has left open
        self.counters: dict[str, Any] = dict.fromkeys(COUNTS, 0) | dict.fromkeys(PHASES, 0.0)
        self.contacts = self._contact_records()

    def make(self, t_end: float) -> StepRecord:
        """One accepted step towards t_end (s), every decision taken here.

        Raises
        ------
        SolverFailure
            When the smallest step does not converge.
        """
        dt, rule = self.sizes.aimed
        least, rejections, factorisations = dt, 0, 0
        while True:
            record, reason, factored = self._attempt(dt, rule)
            factorisations += factored
            if record is None:
                least = min(least, dt)
                dt = self._another_size(dt, least, reason)
            else:
                retry = self.sizes.check(record)
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
        if self._impacts.kind is None:
            return record
        found: StepRecord | None = record

        def attempt(length: float) -> bool:
            nonlocal found
            found, _, _ = self._attempt(length, IMPACT)
            return found is not None

        if self._impacts.first_event(record.dt, attempt) == 0.0:
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
        self.retries.failed(self.state.time, dt)
        if self.retries.hopeless:
            raise SolverFailure(f"{self._failure(dt, reason)}. {self.retries.hopeless}")
        longer = self.retries.longer(least)
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
        try:
            predictor = self._begin(t_f)
        except InputError as error:
            # a function of time without a value there, or a prescribed rotation too large for one step
            return None, str(error), 0
        self.solver.energy_residual.scale = self.balance.scale
        outcome = self.solver.solve(predictor, dt, keep=keep and not self.sizes.carries_jump)
        if not outcome.converged and self._redundant:
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
            return None, f"{outcome.reason}. {worst_residual(self.system)}", outcome.factorisations
        if self._redundant and (opened := open_joint(self.system)):
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
            energy=row, round_off=self._round_off(row), contacts=self._contact_records(),
        )  # fmt: skip
        return record, "", outcome.factorisations

    def _round_off(self, row: Array) -> float:
        """J, what round-off can make of the balance of a step with that row.

        The forces say it at no cost. Only where more is left is the tangent asked how far the balance depends on the
        last digits of places.
        """
        by_forces = self.scheme.round_off
        if self.balance.resolved(row, by_forces):
            return by_forces
        self.solver.lose_factors()
        return by_forces + self.scheme.unresolved_work()

    def _begin(self, t_f: float) -> Array:
        """Start a step to t_f; the predictor, (size,)."""
        return self.scheme.begin(t_f)

    def _solve_on(self, outcome: NewtonResult, dt: float) -> NewtonResult:
        """Solve on from where Newton has converged, with the step's own energies as the scale of what may be left.

        A run that begins at rest has had no energy yet that the work left could be held against.
        """
        row = self.scheme.ledger()
        self.solver.energy_residual.scale = self.balance.scale_with(row)
        if abs(row[RESIDUAL]) <= SMALL * self.solver.energy_residual.scale:
            return outcome
        return self.solver.solve(self.solver.y.copy(), dt).after(outcome)

    def _accept(self, record: StepRecord, rejections: int, factorisations: int, t_end: float) -> StepRecord:
        record.rejections, record.factorisations = rejections, factorisations
        self.scheme.accept(record.energy)
        lost = self._impacts.strike()
        if lost != 0.0:
            record.energy[KINETIC] -= lost
            record.energy[LOST] += lost
            self.scheme.energy -= lost
        self.balance.add(record.energy)
        self.retries.passed()
        self._opened = ""
        self.contacts = record.contacts
        self.counters["steps"] += 1
        start = time.perf_counter()
        if self.state.time < t_end:
            self.sizes.next(record, t_end)
        self.counters["control"] += time.perf_counter() - start
        return record

    def _failure(self, dt: float, reason: str) -> str:
        return (
            f"step from t = {self.state.time:.9g} s failed, the last size tried {dt:.3g} s: {reason.rstrip('.')}. "
            "Results up to this time are kept; see the last steps' rule and iterations"
        )

    def _contact_records(self) -> NDArray[np.void]:
        contacts = self.scheme.calls.contacts
        return contacts.copy() if len(contacts) else np.zeros(0, dtype=CONTACT_RECORD)
