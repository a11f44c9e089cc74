"""Rules that choose the size of the next time step, one class each; `StepControl` takes the smallest of their sizes.

Contact and friction rules follow Bauchau & Ju, "Modeling friction phenomena in flexible multibody dynamics", equations
19, 20 and 33; of several contacts the one with the smallest step counts. As printed these equations are estimates only:
they have no sign and no upper limit, and they do not reject a step that was too long. The rules `Penetration` and
`Stribeck` add what was found necessary. `PrintedPenetration` and `PrintedStribeck` do not; they are for comparison (use
them with `growth=inf` and a finite `dt_max`).
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
from fem_mbd.core.stepping import rule_kernels as kernels
from fem_mbd.core.stepping.step_record import StepRecord
from fem_mbd.errors import InputError


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
    """A rule of this module: `rule_kernels` evaluates it, so that the compiled time loop needs no Python for it.

    Attributes
    ----------
    code : its number in `rule_kernels`
    compiled : (1,) of dtype `RULE`, its parameters and its state in a run
    """

    code: ClassVar[int]

    def numbers(self) -> tuple[float, ...]:
        """Its parameters in the order of the kernels."""
        raise NotImplementedError

    @cached_property
    def compiled(self) -> Any:
        """The record for the kernels."""
        compiled = np.zeros(1, dtype=kernels.RULE)
        compiled["code"] = self.code
        for name, number in zip("abcde", self.numbers(), strict=False):
            compiled[name] = number
        return compiled

    def propose(self, record: StepRecord, previous_dt: float) -> float:
        return self._evaluate(kernels.propose, record, previous_dt)

    def reject(self, record: StepRecord) -> float:
        return self._evaluate(kernels.reject, record, record.dt)

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
    code: ClassVar[int] = kernels.FIXED

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
    code: ClassVar[int] = kernels.PENETRATION

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
        return np.array(
            [kernels.allowed_change(g, *self.numbers()[:3], self.deep) for g in np.atleast_1d(gap)]
        )

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
    code: ClassVar[int] = kernels.PRINTED_PENETRATION


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
    code: ClassVar[int] = kernels.STRIBECK

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
    code: ClassVar[int] = kernels.PRINTED_STRIBECK


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
    code: ClassVar[int] = kernels.ERROR

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
    code: ClassVar[int] = kernels.ROTATION

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
    code: ClassVar[int] = kernels.EFFORT

    def __post_init__(self) -> None:
        positive(self.target, "NewtonEffort target")
        if self.target < 3:
            raise InputError(
                f"NewtonEffort target is {self.target}: give 3 or more, Newton needs 2 to detect convergence"
            )

    def numbers(self) -> tuple[float, ...]:
        return (self.target,)
