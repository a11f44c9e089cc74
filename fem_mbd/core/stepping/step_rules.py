"""Rules that choose the size of the next time step, one class each; `StepControl` takes the smallest of their sizes.

Contact and friction rules follow Bauchau & Ju, "Modeling friction phenomena in flexible multibody dynamics", equations
19, 20 and 33; of several contacts the one with the smallest step counts. As printed these equations are estimates only:
they have no sign and no upper limit, and they do not reject a step that was too long. The rules `Penetration` and
`Stribeck` add what was found necessary. `PrintedPenetration` and `PrintedStribeck` do not; they are for comparison (use
them with `growth=inf` and a finite `dt_max`).

The rules are evaluated by two kernels: `propose` gives the next step size, `reject` a smaller one for a step that was
too long. There a rule is a record of dtype `RULE`, and contacts (n,) are of dtype `CONTACT_RECORD`; NaN of a contact
always counts, so that it is reported.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import not_negative, positive
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import record, vector, void
from fem_mbd.core.scheme.ledger import LEDGER
from fem_mbd.core.stepping.step_record import CONTACT_RECORD, StepRecord
from fem_mbd.errors import InputError

FIXED, PENETRATION, PRINTED_PENETRATION, STRIBECK, PRINTED_STRIBECK, ERROR, EFFORT, ROTATION = range(8)
RULE = np.dtype(
    [
        ("code", "i8"),
        ("a", "f8"),  # the rule's parameters in their order
        ("b", "f8"),
        ("c", "f8"),
        ("d", "f8"),
        ("e", "f8"),
        ("scale", "f8"),  # J, largest energy of the run so far: the state of a rule
    ],
    align=True,
)
# numbers of a step that rules read besides its contacts and energies
DT, PREVIOUS_DT, ITERATIONS, LARGEST_ROTATION = range(4)
MIN_FACTOR, MAX_FACTOR = 0.1, 0.5  # new size over that of a rejected step
SLOWEST = 1e-30  # v_s: a slip speed above zero
LONGEST_REST = 1e6  # largest factor by which steps at rest may be longer
WOKEN = 4.0  # multiple of the size for the slip at its end above which a step from rest is repeated
MAX_FACTOR_ERROR = 0.8  # the same where the error estimate rejects it
_KINETIC, _ELASTIC, _CONTACT = (LEDGER.index(name) for name in ("kinetic", "elastic", "contact"))
_SCHEME_DISSIPATION = LEDGER.index("dissipation_scheme")


@kernel
def allowed_change(gap, eps_p, q_min, alpha, deep):
    """Allowed change of the gap (m) in a step (Bauchau and Ju 2006, eq. 19); in contact at least ``deep`` gap."""
    return max(eps_p * max(gap / (eps_p * q_min), 1.0) ** alpha, -deep * gap)


@kernel
def _allowed_size(contacts, duration, eps_p, q_min, alpha, deep):
    """Time (s) in which the first gap changes by the allowed amount; inf where none changes (eq. 20).

    The gaps are assumed to change at the rate of the last step, whose changes took ``duration`` (s).
    """
    smallest = np.inf
    for contact in contacts:
        change = abs(contact.gap_f - contact.gap_i)
        if not change <= 0.0:
            size = duration * allowed_change(contact.gap_f, eps_p, q_min, alpha, deep) / change
            if not size >= smallest:
                smallest = size
    return smallest


@kernel
def _allowed_fraction(contacts, eps_p, q_min, alpha, tolerance, deep):
    """Fraction of the step in which gaps that changed too much would change by the allowed amount; inf for none.

    Too much is a penetration of more than tolerance eps_p from an open gap, or a change of more than tolerance times
    the larger of the changes allowed at the two ends.
    """
    smallest = np.inf
    for contact in contacts:
        change = abs(contact.gap_f - contact.gap_i)
        allowed = max(
            allowed_change(contact.gap_i, eps_p, q_min, alpha, deep),
            allowed_change(contact.gap_f, eps_p, q_min, alpha, deep),
        )
        too_deep = contact.gap_i > 0.0 and contact.gap_f < -tolerance * eps_p
        if too_deep or change > tolerance * allowed:
            smallest = min(smallest, allowed / change)
    return smallest


@kernel
def _friction_size(contacts, closed_only, tau_min, v_min, alpha, rest):
    """Step size (s) by the friction laws of the contacts; inf for laws without a time constant (eq. 33).

    Below the slip speed ``rest`` v_s the size grows with the bristles' time constant, inversely to the slip speed.
    """
    smallest = np.inf
    for contact in contacts:
        if closed_only and not contact.normal_force > 0.0:
            continue
        if contact.omega > 0.0 and contact.stribeck_velocity > 0.0:
            v = contact.slip_velocity
            speed = np.sqrt(v[0] ** 2 + v[1] ** 2 + v[2] ** 2) / contact.stribeck_velocity
            size = tau_min * max(speed / v_min, 1.0) ** alpha / contact.omega
            if speed < rest:
                size *= min(rest / max(speed, SLOWEST), LONGEST_REST)
            if not size >= smallest:
                smallest = size
    return smallest


@kernel
def _energy_scale(rule, row):
    """Largest energy (J) so far, including that of a step with this row of the ledger; at least the rule's floor."""
    return max(rule.scale, abs(row[_KINETIC] + row[_ELASTIC] + row[_CONTACT]), rule.b)


@kernel
def _error(rule, row):
    """The error estimate of a step."""
    scale = _energy_scale(rule, row)
    return np.sqrt(max(row[_SCHEME_DISSIPATION], 0.0) / scale) if scale > 0.0 else 0.0


@kernel(void(record(RULE)[::1], record(CONTACT_RECORD)[::1], vector, vector, vector))
def propose(rules, contacts, row, step, out):
    """out[0] = size (s) that a rule proposes for the step after this one; inf for no limit.

    rules (1,) of dtype RULE; row (len(LEDGER),) of the ledger; step (4,): DT, PREVIOUS_DT, ITERATIONS, LARGEST_ROTATION
    (rad, of a node).
    """
    rule, dt = rules[0], step[DT]
    size = np.inf
    if rule.code == FIXED:
        size = rule.a
    elif rule.code == PENETRATION:
        # the mean velocity over the step itself: the mean over two steps, as printed, is inaccurate where their sizes
        # differ, as after an output time or a rejection
        size = _allowed_size(contacts, dt, rule.a, rule.b, rule.c, rule.e)
    elif rule.code == PRINTED_PENETRATION:
        size = _allowed_size(contacts, 0.5 * (step[PREVIOUS_DT] + dt), rule.a, rule.b, rule.c, rule.e)
    elif rule.code == STRIBECK or rule.code == PRINTED_STRIBECK:
        size = _friction_size(contacts, rule.code == STRIBECK, rule.a, rule.b, rule.c, rule.d)
    elif rule.code == ERROR:
        error = _error(rule, row)
        rule.scale = _energy_scale(rule, row)
        if error > 0.0:
            size = dt * 0.9 * np.sqrt(rule.a / error)
    elif rule.code == EFFORT and step[ITERATIONS] >= rule.a:
        size = dt * max(rule.a / step[ITERATIONS], 0.5)
    elif rule.code == ROTATION and step[LARGEST_ROTATION] > 0.0:
        size = dt * rule.a / step[LARGEST_ROTATION]
    out[0] = size


@kernel(void(record(RULE)[::1], record(CONTACT_RECORD)[::1], vector, vector, vector))
def reject(rules, contacts, row, step, out):
    """out[0] = smaller size (s) with which to repeat a step, 0.0 to accept it; arguments as those of `propose`."""
    rule, dt = rules[0], step[DT]
    size = 0.0
    if rule.code == PENETRATION:
        fraction = _allowed_fraction(contacts, rule.a, rule.b, rule.c, rule.d, rule.e)
        if fraction != np.inf:
            size = dt * min(max(fraction, MIN_FACTOR), MAX_FACTOR)
    elif rule.code == STRIBECK and rule.d > 0.0:
        allowed = _friction_size(contacts, True, rule.a, rule.b, rule.c, rule.d)
        if dt > WOKEN * allowed:
            size = dt * min(max(allowed / dt, MIN_FACTOR), MAX_FACTOR)
    elif rule.code == ERROR:
        error = _error(rule, row)
        if not error <= rule.c * rule.a:
            size = dt * min(max(0.9 * np.sqrt(rule.a / error), MIN_FACTOR), MAX_FACTOR_ERROR)
    elif rule.code == ROTATION and step[LARGEST_ROTATION] > rule.b * rule.a:
        size = dt * min(max(rule.a / step[LARGEST_ROTATION], MIN_FACTOR), MAX_FACTOR_ERROR)
    out[0] = size


class StepRule(Protocol):
    """Base class of rules: a rule has a `name`, defines `propose` and, if it rejects steps, `reject`."""

    @property
    def name(self) -> str:
        """Name of the rule in the results, where it has decided the size of a step."""
        ...

    def propose(self, record: StepRecord, previous_dt: float) -> float:
        """Proposed size (s) of the next step; inf for no limit.

        Parameters
        ----------
        record : of the step that was accepted
        previous_dt : s, size of the accepted step before ``record`` (that of ``record`` itself at the first step)
        """
        return inf

    def reject(self, record: StepRecord) -> float:
        """0.0 to accept a step, else the smaller size (s) with which to repeat it.

        Parameters
        ----------
        record : of the step
        """
        return 0.0

    def for_run(self) -> StepRule:
        """The rule for one run: a rule with a state returns a new object each time."""
        return self

    def state(self) -> dict[str, float]:
        """State of the rule that it carries from step to step; most rules have none."""
        return {}

    def restore(self, state: Mapping[str, float]) -> None:
        """Restore the state returned by `state`.

        Parameters
        ----------
        state : from a checkpoint
        """
        return None


class CompiledRule(StepRule):
    """A rule of this module: `propose` and `reject` evaluate it, so that the compiled time loop needs no Python for it.

    Attributes
    ----------
    code : its number, `FIXED` to `ROTATION`
    compiled : (1,) of dtype `RULE`, its parameters and its state in a run
    """

    code: ClassVar[int]

    def numbers(self) -> tuple[float, ...]:
        """Its parameters in the order of the kernels."""
        raise NotImplementedError

    @cached_property
    def compiled(self) -> Any:
        """The record for the kernels."""
        compiled = np.zeros(1, dtype=RULE)
        compiled["code"] = self.code
        for name, number in zip("abcde", self.numbers(), strict=False):
            compiled[name] = number
        return compiled

    def propose(self, record: StepRecord, previous_dt: float) -> float:
        return self._evaluate(propose, record, previous_dt)

    def reject(self, record: StepRecord) -> float:
        return self._evaluate(reject, record, record.dt)

    def _evaluate(self, kernel: Any, record: StepRecord, previous_dt: float) -> float:
        numbers = record.dt, previous_dt, record.newton_iterations, record.rotation
        step, out = np.array(numbers, dtype=float), np.zeros(1)
        kernel(self.compiled, record.contacts, record.energy, step, out)
        return float(out[0])


@dataclass(frozen=True)
class FixedStep(CompiledRule):
    """The same step size throughout.

    Parameters
    ----------
    dt : s
    """

    dt: float
    name: ClassVar[str] = "fixed"
    code: ClassVar[int] = FIXED

    def __post_init__(self) -> None:
        positive(self.dt, "FixedStep dt")

    def numbers(self) -> tuple[float, ...]:
        return (self.dt,)


@dataclass(frozen=True)
class Penetration(CompiledRule):
    """Step size near contact: the gap changes by about the allowed amount in a step (Bauchau and Ju 2006, eqs. 19,
    20).

    Allowed change: ``eps_p`` up to a gap of ``q_min`` eps_p and in contact, from there (gap / (q_min eps_p))^alpha
    eps_p. The approach velocity is the mean of the last step, in magnitude. A step is rejected when it goes from an
    open gap to more than ``tolerance`` eps_p deep, or when the gap changes by more than ``tolerance`` times the
    larger of the changes allowed at its two ends.

    Parameters
    ----------
    eps_p : m, change of the gap in a step near contact
    q_min : gap, in eps_p, from which longer steps are allowed
    alpha : exponent of the growth of the allowed change with the gap
    tolerance : factor by which a step may exceed the allowed change
    deep : fraction of the depth by which the gap may change in contact, where that is more than eps_p; 0 as published.
        The default control has it: in a contact that is a thousand times as deep as eps_p, changes of eps_p resolve
        nothing
    """

    eps_p: float
    q_min: float = 5.0
    alpha: float = 1.2
    tolerance: float = 4.0
    deep: float = 0.0
    name: ClassVar[str] = "penetration"
    code: ClassVar[int] = PENETRATION

    def __post_init__(self) -> None:
        for parameter in ("eps_p", "q_min", "alpha", "tolerance"):
            positive(getattr(self, parameter), f"{type(self).__name__} {parameter}")
        not_negative(self.deep, f"{type(self).__name__} deep")

    def allowed_change(self, gap: ArrayLike) -> Array:
        """Allowed change of the gap in a step, m (eq. 19).

        Parameters
        ----------
        gap : (n,) m, of either sign
        """
        return np.array([allowed_change(g, *self.numbers()[:3], self.deep) for g in np.atleast_1d(gap)])

    def numbers(self) -> tuple[float, ...]:
        return self.eps_p, self.q_min, self.alpha, self.tolerance, self.deep


@dataclass(frozen=True)
class PrintedPenetration(Penetration):
    """Equations 19 and 20 as printed, mean velocity ``2 |q1 - q0| / (dt0 + dt1)``; nothing is rejected.

    Parameters
    ----------
    eps_p, q_min, alpha, tolerance, deep : as for `Penetration`
    """

    name: ClassVar[str] = "penetration (printed)"
    code: ClassVar[int] = PRINTED_PENETRATION


@dataclass(frozen=True)
class Stribeck(CompiledRule):
    """Step size from friction in closed contacts (Bauchau and Ju 2006, eq. 33).

    dt = tau_s tau_min max(1, nu^alpha) with ``nu = |slip velocity| / (v_s v_min)``: small steps, in units of the law's
    time constant tau_s, while the slip velocity is near the Stribeck velocity v_s or below. Laws without a time
    constant do not limit the step.

    A contact that sticks needs no small steps: the bristles' time constant at a slip speed v is tau_s v_s / v. With
    ``rest`` above zero sizes grow so below the slip speed ``rest`` v_s, and a step in which a contact at rest began to
    slip is repeated with a smaller size. The default control has it; the published rule, and this one by default, do
    without.

    Parameters
    ----------
    tau_min : smallest step, in time constants of the law
    v_min : slip speed, in v_s, from which longer steps are allowed
    alpha : exponent of the growth of the step with the speed
    rest : slip speed, in v_s, below which longer steps are allowed; 0 for none
    """

    tau_min: float
    v_min: float = 5.0
    alpha: float = 1.2
    rest: float = 0.0
    name: ClassVar[str] = "stribeck"
    code: ClassVar[int] = STRIBECK

    def __post_init__(self) -> None:
        for parameter in ("tau_min", "v_min", "alpha"):
            positive(getattr(self, parameter), f"{type(self).__name__} {parameter}")
        not_negative(self.rest, f"{type(self).__name__} rest")

    def numbers(self) -> tuple[float, ...]:
        return self.tau_min, self.v_min, self.alpha, self.rest


@dataclass(frozen=True)
class PrintedStribeck(Stribeck):
    """Equation 33 as printed, for open contacts too, with the slip velocity in their record.

    Parameters
    ----------
    tau_min, v_min, alpha, rest : as for `Stribeck`
    """

    name: ClassVar[str] = "stribeck (printed)"
    code: ClassVar[int] = PRINTED_STRIBECK


@dataclass(frozen=True)
class ErrorEstimate(CompiledRule):
    """Step size from the scheme's own jumps at the start of a step.

    The energy that the scheme dissipates in a step is the energy of the jumps of velocity and strain, of order dt^4.
    Error: err = sqrt(dissipation / scale), of order dt^2, where scale is the largest kinetic + elastic + contact energy
    so far, and at least ``floor``. The size of the next step is chosen for an error of 0.81 ``tolerance``.

    Give a ``floor`` where a driver starts a machine from rest: without one the first instants of slow motion are
    resolved as accurately, relative to their own energy, as the rest of the run, which takes thousands of steps.

    Parameters
    ----------
    tolerance : of err, dimensionless
    floor : J, smallest scale of the energy
    reject_above : a step is rejected when its error is larger than this factor times the tolerance
    """

    tolerance: float
    floor: float = 0.0
    reject_above: float = 2.0
    name: ClassVar[str] = "error estimate"
    code: ClassVar[int] = ERROR

    def __post_init__(self) -> None:
        positive(self.tolerance, "ErrorEstimate tolerance")
        not_negative(self.floor, "ErrorEstimate floor")
        positive(self.reject_above, "ErrorEstimate reject_above")

    def numbers(self) -> tuple[float, ...]:
        return self.tolerance, self.floor, self.reject_above

    def for_run(self) -> StepRule:
        return replace(self)  # with a state of its own

    def state(self) -> dict[str, float]:
        return {"scale": float(self.compiled["scale"][0])}

    def restore(self, state: Mapping[str, float]) -> None:
        self.compiled["scale"] = state.get("scale", 0.0)


@dataclass(frozen=True)
class RotationLimit(CompiledRule):
    """No node rotates by more than an angle in a step, or by 1/1.6 of it while its axis of rotation moves.

    Rotation at a constant angular velocity is exact at any step, but what else happens in the axes of a rotating body
    (torques, gyroscopic motion, follower forces, motions of beams) turns with it, and functions that are linear in a
    step follow that to the third order in the angle of a step, reactions to the second: with 0.2 rad, 31 steps a turn,
    motions to 1e-3, and a gyroscope's torque to 0.4 %.

    Parameters
    ----------
    angle : rad
    reject_above : a step is rejected when a node rotates by more than this factor times the angle
    """

    angle: float
    reject_above: float = 2.0
    name: ClassVar[str] = "rotation"
    code: ClassVar[int] = ROTATION

    def __post_init__(self) -> None:
        positive(self.angle, "RotationLimit angle")
        positive(self.reject_above, "RotationLimit reject_above")

    def numbers(self) -> tuple[float, ...]:
        return self.angle, self.reject_above


@dataclass(frozen=True)
class NewtonEffort(CompiledRule):
    """Keep Newton at about ``target`` iterations: hold the step size when it needed so many, shorten it when more.

    Parameters
    ----------
    target : iterations per step
    """

    target: int
    name: ClassVar[str] = "newton effort"
    code: ClassVar[int] = EFFORT

    def __post_init__(self) -> None:
        positive(self.target, "NewtonEffort target")
        if self.target < 3:
            raise InputError(
                f"NewtonEffort target is {self.target}: give 3 or more, Newton needs 2 to detect convergence"
            )

    def numbers(self) -> tuple[float, ...]:
        return (self.target,)
