"""One time step in Python: attempt, check, accept or reject. `steps` uses the compiled time loop where it can.

`Retries` has the strategy after a failed attempt at a step: which sizes to try next, and when to give up. Smaller steps
come first: the size is halved repeatedly (`StepSizes.after_newton_failure`). They help with impacts and with
transitions from stick to slip. They do not help at a singular position, where constraints depend on each other for an
instant: the equations of a step that *ends* there have no solution that Newton finds, halving ends ever nearer to it,
and a step across it is as good as any other. So once halving has not helped, and no step has been accepted since, steps
of the size that failed first and somewhat longer ones are tried too. After many such attempts the run gives up: with
steps of a thousandth of the requested size, say, of which every other one fails, it would otherwise continue for hours.

`violated_joint`, `worst_residual` and `blocked_drive` name the equation, joint or node at which a step fails.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.ranges import Ranges
from fem_mbd.core.newton.energy_residual import TOLERANCE
from fem_mbd.core.newton.equations import NewtonResult
from fem_mbd.core.newton.newton_solver import NewtonSolver
from fem_mbd.core.scheme.initial import constraint_jacobian
from fem_mbd.core.scheme.ledger import RESIDUAL
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.system import System
from fem_mbd.core.scheme.tdg import UNIT, Scheme
from fem_mbd.core.solver.energy_balance import EnergyBalance
from fem_mbd.core.solver.impacts import DISSIPATION, IMPACT, KINETIC, Impacts
from fem_mbd.core.stepping.step_control import Pace
from fem_mbd.core.stepping.step_record import CONTACT_RECORD, StepRecord
from fem_mbd.core.stepping.step_sizes import RANGE, StepSizes
from fem_mbd.errors import InputError, SolverFailure

HALVINGS = 3  # failures in a row before a longer step is tried
LONGER_STEPS = (1.0, 1.25, 1.5)  # multiples of the size that failed first
# The run gives up after more failures or attempts within the time of the step that failed first, if the last of them
# was shorter than this fraction of that step.
MAX_FAILURES, MAX_ATTEMPTS, SMALL_STEP_RATIO = 100, 500, 1e-3


class Retries:
    """State of one run: the size that failed first, the time when it did, and the attempts made since then."""

    def __init__(self) -> None:
        self._size, self._since, self._failures, self._accepted = 0.0, 0.0, 0, 0
        self._in_a_row, self._last = 0, 0.0

    def step_failed(self, time: float, dt: float) -> None:
        """Record that a step of ``dt`` from ``time`` (s) has failed."""
        if self._size == 0.0 or time > self._since + self._size:
            self._size, self._since, self._failures, self._accepted = dt, time, 0, 0
        self._failures += 1
        self._in_a_row += 1
        self._last = dt

    def steps_accepted(self, steps: int = 1) -> None:
        """Record that ``steps`` have been accepted."""
        self._in_a_row = 0
        self._accepted += steps

    def longer_size(self, dt: float) -> float:
        """A size (s) that may pass a singular position after ``dt`` has failed, 0.0 for none."""
        k = self._in_a_row - HALVINGS
        size = LONGER_STEPS[k] * self._size if 0 <= k < len(LONGER_STEPS) else 0.0
        return size if size > dt else 0.0

    @property
    def reason_to_give_up(self) -> str:
        """Why the run gives up, "" while it continues."""
        within_limits = self._failures <= MAX_FAILURES and self._failures + self._accepted <= MAX_ATTEMPTS
        if within_limits or self._last > SMALL_STEP_RATIO * self._size:
            return ""
        return (
            f"{self._failures} attempts have failed since t = {self._since:.9g} s, where a step of {self._size:.3g} s "
            "failed first, and the run has not passed the end of that step yet; use steps of the size of the last "
            "recorded ones, or rules that look at contacts (Penetration, Stribeck)"
        )

    def state(self) -> dict[str, float]:
        """State for `restore`."""
        return {
            "size": self._size,
            "since": self._since,
            "failures": float(self._failures),
            "passed": float(self._accepted),
        }

    def restore(self, state: Mapping[str, float]) -> None:
        """Continue from ``state``."""
        self._size, self._since, self._failures = state["size"], state["since"], int(state["failures"])
        self._accepted = int(state["passed"])


CLOSURE_TOLERANCE = 1e-8  # fraction of the model's length, or rad: largest violation of redundant constraints
MAX_CONSTRAINTS = 3000  # of a model whose drives are examined; more would take too long
SINGULAR = (
    0.02  # fraction of the largest singular value: below it the constraints are near a singular position
)
REDUNDANT = 1e-10  # likewise: smaller ones belong to redundant constraints
SHARE = 0.05  # of a drive in the combination of constraints that becomes singular


def constraint_tolerance(system: System) -> Array:
    """(m,) largest violations after a step, m or rad, for which constraints count as fulfilled."""
    return system.allowed_errors(CLOSURE_TOLERANCE)


def violated_joint(system: System) -> str:
    """Message naming a joint that the converged step violates, "" if there is none.

    With redundant constraints the multipliers of contradictory ones grow without moving anything, which Newton's
    test of updates takes for convergence.
    """
    violation = np.abs(system.workspace.constraints[:, 0])
    relative = violation / constraint_tolerance(system)
    worst = int(np.argmax(relative))
    if relative[worst] <= 1.0:
        return ""
    return (
        f"{_constraint_name(system, worst)} stays open by {violation[worst]:.3g}: the redundant constraints contradict "
        "each other"
    )


def worst_residual(system: System) -> str:
    """Message naming the equation with the largest residual at the last iterate."""
    rows = np.abs(np.where(system.equation >= 0, system.workspace.rows, 0.0))
    constraints = np.abs(system.workspace.constraints)
    if constraints.size and constraints.max() > rows.max(initial=0.0):
        index = int(np.argmax(constraints.max(axis=1)))
        return f"The largest residual is that of {_constraint_name(system, index)}."
    node, unknown = np.unravel_index(int(np.argmax(rows)), rows.shape)
    balance = ("force", "moment")[(unknown // 3) % 2]
    return f"The largest residual is the {balance} balance of node '{system.model.nodes[int(node)].name}'."


def blocked_drive(system: System, state: State) -> str:
    """Message naming the driven joint whose motion the other joints block near a state, "" if there is none.

    At the end of a mechanism's reach a combination of constraints that includes the drive no longer moves anything:
    the Jacobian of all constraints has a small singular value, and the drive takes part in its left singular vector.
    """
    joints = system.joints
    if joints is None or not joints.functions.functions or system.constraints > MAX_CONSTRAINTS:
        return ""
    free = ~system.fixed.ravel()
    lengths = np.where(
        np.arange(free.size) % 6 < 3, 1.0, 1.0 / system.length
    )  # rotations count as motions at a length
    jacobian = (constraint_jacobian(system, state).toarray() * lengths)[:, free]
    norms = np.linalg.norm(jacobian, axis=1, keepdims=True)
    left, sizes, _ = np.linalg.svd(jacobian / np.where(norms > 0.0, norms, 1.0), full_matrices=False)
    last = int(np.flatnonzero(sizes > REDUNDANT * sizes[0])[-1])
    if sizes[last] > SINGULAR * sizes[0]:
        return ""
    share, name = _largest_share(system, left[:, last], state.time)
    if share < SHARE:
        return ""
    return (
        f"{name} there, near the end of the mechanism's reach: the other joints block a drive that goes on. Let it "
        "prescribe a shorter motion, or change the lengths"
    )


def _largest_share(system: System, vector: Array, time: float) -> tuple[float, str]:
    """The largest entry of a vector over the constraints in the row of a drive, and this drive with its value."""
    joints, best = system.joints, (0.0, "")
    for spec, first in zip(joints.specs, joints.first_row, strict=True) if joints is not None else ():
        for drive in spec.drives:
            value, unit = float(drive.function.value(time, -1)), "m" if drive.angle is None else "rad"
            text = f"{spec.joint} joint '{spec.name}' is at {value:.6g} {unit}"
            best = max(best, (float(abs(vector[first + drive.row])), text))
    return best


def _constraint_name(system: System, index: int) -> str:
    for kind in system.kinds:
        part = np.flatnonzero((kind.first_row <= index) & (index < kind.first_row + kind.multipliers))
        if len(part):
            return f"joint '{kind.describe()[int(part[0])]['name']}'"
    return f"constraint {index}"


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
    pace : of a run under the default control, else None
    """

    pace: Pace | None = None

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
            index=self.counters["steps"] + 1, time=t_f, dt=self.scheme.workspace.dt, rule=rule,
            newton_iterations=outcome.iterations, factorisations=outcome.factorisations, rejections=0,
            energy=row, round_off=self._round_off(row), contacts=self._contact_records(),
            rotation=float(self.scheme.workspace.rotation[0]),
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
        self._look_at_pace()
        start = time.perf_counter()
        if self.state.time < t_end:
            self.sizes.next(record, t_end)
        self.counters["control"] += time.perf_counter() - start
        return record

    def _look_at_pace(self) -> None:
        if self.pace is not None:
            self.pace.look(self.counters["steps"], self.state.time, self.sizes.rule, self.contacts)

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
