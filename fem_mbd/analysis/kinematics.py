"""Kinematic analysis: positions, velocities and accelerations of a driven mechanism, without any force.

The position is continued through time (`PositionContinuation`). At every time Phi(q, t) = 0 is solved by Newton's
method, then J w and J w' from the derivatives of the constraints. The last velocities and accelerations predict the
next position. Where the correction is not small compared with the predicted increment, the increment is halved, so that
the mechanism stays on its branch. Positions in which the drivers do not determine the motion are listed
(`SingularPosition`).

`ConstraintRates` has the constraints of driven joints with their first and second derivatives at a given time.

A constraint is sum_k g_k(t) psi_k(y) - f(t) = 0 with quadratic forms psi_k of the vectors y of two nodes (see
`fem_mbd.core.scheme.constraints.forms`). With J its derivative with respect to the velocities w = (v, Omega) of the
nodes,

    J w  = f' - sum g' psi
    J w' = f'' - sum [g (y'^T h y' + grad psi . b) + 2 g' grad psi . y' + g'' psi]

b being the part of y'' for w' = 0: R (Omega x (Omega x e_a)) of the directors. SI units, global axes; Omega in node
axes, rotations of bodies in body axes. Source: F. Marques, "Frictional contacts in multibody dynamics" (2015), section
2.2 and eqs. 2.12 to 2.21.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from math import cos, inf, sin

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.base.lazy import nearest
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.time_functions import TimeFunction
from fem_mbd.core.model.time_functions.base import numerical_rate
from fem_mbd.core.model.time_functions.kernels import is_at
from fem_mbd.core.rotations import rotation_from_vector, skew
from fem_mbd.core.scheme.constraints.constraint_kind import ConstraintKind
from fem_mbd.core.scheme.constraints.forms import Form
from fem_mbd.core.scheme.initial import (
    InitialVelocityWarning,
    constraint_jacobian,
    make_consistent,
)
from fem_mbd.core.scheme.state import State, ambient_vectors
from fem_mbd.core.scheme.system import System
from fem_mbd.errors import InputError, SolverFailure

SPACING = 1e-4  # s, step of the differences of a driver's rate where a complex step is impossible


class ConstraintRates:
    """All constraints of a model with ideal joints, as functions of a `State`."""

    def __init__(self, system: System, joints: ConstraintKind) -> None:
        self.system, self.joints = system, joints
        self.free = np.flatnonzero(~system.fixed.ravel())  # components of w that are not prescribed

    def values(self, state: State) -> Array:
        """(m,) constraint violations, m or rad."""
        return self._collect(
            state, lambda n, k, y: self.joints.records[n]["g_f"][k] * self._form(n, k).value(y), "f_f"
        )

    def jacobian(self, state: State) -> Array:
        """(m, free) J."""
        return np.asarray(constraint_jacobian(self.system, state)[:, self.free].toarray())

    def velocity_target(self, state: State, side: int = +1) -> Array:
        """(m,) J w; at a kink of a driver with ``side`` -1 the limit from earlier times."""
        return -self._collect(
            state, lambda n, k, y: self.joints.records[n]["g_p"][k] * self._form(n, k).value(y), "f_p", side
        )

    def acceleration_target(self, state: State, side: int = +1) -> Array:
        """(m,) J w', for the state's velocities; ``side`` as for these."""
        rates, convective = _rates(state)

        def part(n: int, k: int, y: Array) -> float:
            record, form = self.joints.records[n], self._form(n, k)
            y_rate, convective_part = self.joints.vectors(n, rates), self.joints.vectors(n, convective)
            gradient = form.gradient(y)
            second = np.einsum("ab,ai,bi", form.h, y_rate, y_rate) + np.vdot(gradient, convective_part)
            turning = 2.0 * record["g_p"][k] * np.vdot(gradient, y_rate)
            return float(record["g_f"][k] * second + turning)

        return self._driver_accelerations(state, side) - self._collect(state, part, None, side)

    def _form(self, n: int, k: int) -> Form:
        return self.joints.forms[n][k][1]

    def _collect(
        self, state: State, part: Callable[[int, int, Array], float], prescribed: str | None, side: int = +1
    ) -> Array:
        """Sums of ``part`` over the forms of every constraint, minus the prescribed values of that name."""
        q, joints = ambient_vectors(state), self.joints
        joints.set_instant(state.time, side)
        total = np.zeros(self.system.constraints)
        for n in range(len(joints.specs)):
            y, first = joints.vectors(n, q), int(joints.first_row[n])
            for k, (row, _) in enumerate(joints.forms[n]):
                total[first + row] += part(n, k, y)
            if prescribed is not None:
                rows = int(joints.multipliers[n])
                total[first : first + rows] -= joints.records[n][prescribed][:rows]
        return total

    def _driver_accelerations(self, state: State, side: int) -> Array:
        """(m,) f'' - sum g'' psi of the drivers."""
        q, joints, t = ambient_vectors(state), self.joints, state.time
        total = np.zeros(self.system.constraints)
        for n, spec in enumerate(joints.specs):
            y, first = joints.vectors(n, q), int(joints.first_row[n])
            for drive in spec.drives:
                if drive.value is not None:
                    total[first + drive.row] += second_rate(drive.value, t, side)
                if drive.angle is not None:
                    angle, rate = float(drive.angle.value(t, side)), float(drive.angle.rate(t, side))
                    acceleration = second_rate(drive.angle, t, side)
                    weights = (
                        acceleration * cos(angle) - rate**2 * sin(angle),
                        -acceleration * sin(angle) - rate**2 * cos(angle),
                    )
                    forms = [form for row, form in joints.forms[n] if row == drive.row]
                    total[first + drive.row] -= sum(
                        w * form.value(y) for w, form in zip(weights, forms, strict=True)
                    )
        return total


def second_rate(function: TimeFunction, t: float, side: int = +1) -> float:
    """Second derivative of a driver's function of time, at a kink the limit from one side."""
    kinks = [k for k in function.breakpoints() if not is_at(t, k)]
    here = len(kinks) < len(function.breakpoints())
    before = max((k for k in kinks if k < t), default=-inf)
    after = min((k for k in kinks if k > t), default=inf)
    smooth = (t, after) if here and side > 0 else (before, t) if here else (before, after)
    return float(numerical_rate(lambda s: function.rate(s, side), t, smooth, SPACING))


def _rates(state: State) -> tuple[Array, Array]:
    """(n, 4, 3) y', and y'' for w' = 0, of all nodes' vectors."""
    spin = skew(state.omega)
    first, second = state.r @ spin, state.r @ spin @ spin
    rates = np.concatenate([state.v[:, None, :], np.swapaxes(first, 1, 2)], axis=1)
    convective = np.concatenate([np.zeros_like(state.v)[:, None, :], np.swapaxes(second, 1, 2)], axis=1)
    return rates, convective


@dataclass(frozen=True)
class SingularPosition:
    """A position in which the drivers do not determine the motion (a dead centre, a change point).

    Attributes
    ----------
    time : s; interpolated between two times
    body : body that can move most there with the drivers held
    """

    time: float
    body: str


@dataclass(frozen=True)
class BodyMotion:
    """Motion of one body at k times; nan where it is undetermined in a singular position.

    Attributes
    ----------
    position : (k, 3) m, of the body's node, global axes
    rotation : (k, 3, 3) body axes to global axes
    velocity, acceleration : (k, 3) m/s, m/s^2, of the body's node, global axes
    omega, angular_acceleration : (k, 3) rad/s, rad/s^2, body axes
    """

    position: Array
    rotation: Array
    velocity: Array
    omega: Array
    acceleration: Array
    angular_acceleration: Array

    @classmethod
    def of(cls, states: Sequence[State], rates: Sequence[Array], node: int, centre: Array) -> BodyMotion:
        """From states, whose positions are those of the mass centre.

        Parameters
        ----------
        states, rates : k states, and (n, 6) accelerations of mass centres and of rotations (body axes)
        node : index of the body's node
        centre : (3,) mass centre relative to the node, body axes
        """
        r = np.array([s.r[node] for s in states])
        omega, alpha = np.array([s.omega[node] for s in states]), np.array([a[node, 3:] for a in rates])
        arm_rate = np.cross(omega, centre)
        arm_acceleration = np.cross(alpha, centre) + np.cross(omega, arm_rate)
        return cls(
            np.array([s.u[node] for s in states]) - r @ centre,
            r,
            np.array([s.v[node] for s in states]) - np.einsum("kij,kj->ki", r, arm_rate),
            omega,
            np.array([a[node, :3] for a in rates]) - np.einsum("kij,kj->ki", r, arm_acceleration),
            alpha,
        )


@dataclass(frozen=True)
class Kinematics:
    """Result of `kinematic_analysis`.

    Attributes
    ----------
    time : (k,) s
    bodies : `BodyMotion` by name
    singular : `SingularPosition`, in order of time
    """

    time: Array
    bodies: Mapping[str, BodyMotion]
    singular: tuple[SingularPosition, ...]

    def of(self, body: str) -> BodyMotion:
        """Motion of a body.

        Parameters
        ----------
        body : its name

        Raises
        ------
        InputError
            For an unknown name.
        """
        if body not in self.bodies:
            raise InputError(f"kinematics: there is no body {body!r}; {nearest(body, list(self.bodies))}")
        return self.bodies[body]


SINGULAR = 1e-9  # smallest singular value of J over the largest
CONVERGED = 1e-13  # Newton's last update, of the model's length, or rad
MAX_ITERATIONS = 20
MAX_CORRECTION = 0.1  # fraction of the predicted increment
MIN_INCREMENT = 1e-6  # fraction of the time between two requested times


class PositionContinuation:
    """The current position with its velocities and accelerations, and the singular positions so far."""

    def __init__(self, model: Model) -> None:
        if model.prescribed:
            raise InputError("kinematic_analysis: drive joints (DrivenRevolute, DrivenPrismatic), not nodes")
        self.system = system = System(model)
        if any(kind is not system.joints for kind in system.constrained):
            raise InputError(
                "kinematic_analysis: positions of rolling bodies are not determined by drivers alone "
                "(rolling is a condition on velocities): run the model with fem_mbd.simulate"
            )
        self.state = system.reference_state()
        with warnings.catch_warnings():
            # initial velocities have no influence here
            warnings.simplefilter("ignore", InitialVelocityWarning)
            make_consistent(system, self.state)
        free = system.workspace.n * 6 - int(system.fixed.sum())
        undriven = free - system.constraints + system.redundant
        if system.joints is None or undriven > 0:
            raise InputError(
                f"kinematic_analysis: model '{model.name}' has {undriven} degrees of freedom without a driver: "
                "add as many drivers (DrivenRevolute, DrivenPrismatic)"
            )
        self.rates = ConstraintRates(system, system.joints)
        self._start, self._kinks = self.state.time, system.breakpoints()
        self.singular: list[SingularPosition] = []
        self._accelerations = np.zeros((system.workspace.n, 6))
        self._determinant, self._singular = 0.0, False
        self._differentiate()

    def to(self, time: float) -> tuple[State, Array]:
        """State and accelerations (n, 6) at a time (s); nan where the position is singular."""
        span = increment = time - self.state.time
        while self.state.time < time:
            remaining = time - self.state.time
            trial = self._predicted(min(increment, remaining))
            if min(increment, remaining) == remaining:
                trial.time = time
            if self._satisfy_constraints(trial):
                before, self.state = self.state, trial
                self._differentiate(before.time)
                increment *= 2.0
            elif increment > MIN_INCREMENT * span:
                increment *= 0.5
            else:
                raise SolverFailure(
                    "kinematic analysis: the drivers prescribe a position that the mechanism cannot "
                    f"reach, after t = {self.state.time:.6g} s; body '{self._freest_body()}' is at the end "
                    "of its range"
                )
        state, accelerations = deepcopy(self.state), self._accelerations.copy()
        if self._singular:
            state.v[:], state.omega[:], accelerations[:] = np.nan, np.nan, np.nan
        elif time > self._start and any(is_at(time, kink) for kink in self._kinks):
            accelerations = self._set_rates(state, self.rates.jacobian(state), -1)
        return state, accelerations

    def _predicted(self, increment: float) -> State:
        trial = deepcopy(self.state)
        trial.time += increment
        velocity = np.concatenate([trial.v, trial.omega], axis=1)
        _move(trial, increment * velocity + 0.5 * increment**2 * self._accelerations)
        return trial

    def _satisfy_constraints(self, trial: State) -> bool:
        """Newton's method on the constraints; whether it converges, and close to the prediction."""
        length = self.system.length
        units = np.array([length, length, length, 1.0, 1.0, 1.0])
        closed = np.where(np.arange(6) < 3, self.system.small_length(CONVERGED), CONVERGED)
        rotation = np.abs(np.swapaxes(self.state.r, 1, 2) @ trial.r - np.eye(3)).max()
        predicted = max(float(np.abs(trial.u - self.state.u).max()) / length, float(rotation))
        allowed = MAX_CORRECTION * predicted + 1e-6
        total = np.zeros((self.system.workspace.n, 6))
        for _ in range(MAX_ITERATIONS):
            step = self._least_squares(self.rates.jacobian(trial), -self.rates.values(trial))
            total += step
            if not np.abs(total / units).max() < allowed:
                return False
            _move(trial, step)
            if (np.abs(step) < closed).all():
                return True
        return False

    def _differentiate(self, before: float = 0.0) -> None:
        """Velocities and accelerations of the current position; a singular one keeps the last ones, for the
        prediction.
        """
        jacobian = self.rates.jacobian(self.state)
        sizes = np.linalg.svd(jacobian, compute_uv=False)
        self._singular = bool(sizes[-1] <= SINGULAR * sizes[0])
        if self._singular:
            self._record_singular(self.state.time)
            return
        self._record_sign_change(jacobian, float(sizes[-1]), before)
        self._accelerations = self._set_rates(self.state, jacobian, +1)

    def _set_rates(self, state: State, jacobian: Array, side: int) -> Array:
        """Set a state's velocities; (n, 6) accelerations. At a kink of a driver the limits from one side."""
        velocity = self._least_squares(jacobian, self.rates.velocity_target(state, side))
        state.v[:], state.omega[:] = velocity[:, :3], velocity[:, 3:]
        return self._least_squares(jacobian, self.rates.acceleration_target(state, side))

    def _record_sign_change(self, jacobian: Array, size: float, before: float) -> None:
        """Record a singular position between two times when the determinant has changed its sign.

        With redundant constraints there is no determinant, and only singular positions that are reached exactly are
        found.
        """
        if jacobian.shape[0] != jacobian.shape[1]:
            return
        determinant = float(np.linalg.slogdet(jacobian)[0]) * size
        recorded = bool(self.singular) and self.singular[-1].time >= before > 0.0
        if self._determinant * determinant < 0.0 and not recorded:
            share = self._determinant / (self._determinant - determinant)
            self._record_singular(before + share * (self.state.time - before))
        self._determinant = determinant

    def _record_singular(self, time: float) -> None:
        self.singular.append(SingularPosition(time, self._freest_body()))

    def _freest_body(self) -> str:
        """The body that moves most in the direction that the drivers determine least."""
        motion = np.zeros(6 * self.system.workspace.n)
        motion[self.rates.free] = np.linalg.svd(self.rates.jacobian(self.state))[2][-1]
        size = np.linalg.norm(motion.reshape(-1, 6), axis=1)
        return max(self.system.model.bodies.items(), key=lambda item: size[item[1].index])[0]

    def _least_squares(self, jacobian: Array, target: Array) -> Array:
        """(n, 6) solution of J x = target; redundant rows are consistent."""
        solution = np.zeros(6 * self.system.workspace.n)
        solution[self.rates.free] = np.linalg.lstsq(jacobian, target, rcond=SINGULAR)[0]
        return solution.reshape(-1, 6)


def _move(state: State, step: Array) -> None:
    """Add displacements and rotations (n, 6)."""
    state.u += step[:, :3]
    for n in np.flatnonzero(np.abs(step[:, 3:]).max(axis=1)):
        state.r[n] = state.r[n] @ rotation_from_vector(step[n, 3:])


def kinematic_analysis(model: Model, times: ArrayLike) -> Kinematics:
    """Positions, velocities and accelerations of the bodies of a driven mechanism.

    Forces, masses and initial velocities have no influence. The model is in its reference configuration at t = 0.
    Where a driver's function of time has a kink, velocities and accelerations are the limits from earlier times, as in
    a run; at t = 0 those from later times.

    Parameters
    ----------
    model : rigid bodies and ideal joints, as many of them driven (`DrivenRevolute`, `DrivenPrismatic`) as it has
        degrees of freedom
    times : (k,) s, ascending, from zero on

    Returns
    -------
    Kinematics
        Motions by body, and the singular positions that were reached or passed.

    Raises
    ------
    InputError
        For times that do not ascend, degrees of freedom without a driver, prescribed motions of nodes.
    SolverFailure
        Where the drivers prescribe a position that the mechanism cannot reach; the message names the blocking body.
    """
    instants = np.asarray(times, dtype=float)
    ascending = instants.ndim == 1 and len(instants) > 0 and np.isfinite(instants).all()
    if not ascending or instants[0] < 0.0 or np.any(np.diff(instants) <= 0.0):
        raise InputError("kinematic_analysis: times must be ascending numbers (s), none of them negative")
    continuation = PositionContinuation(model)
    positions = [continuation.to(float(t)) for t in instants]
    states, accelerations = [state for state, _ in positions], [rates for _, rates in positions]
    centre = continuation.system.workspace.centre
    bodies = {
        name: BodyMotion.of(states, accelerations, node.index, centre[node.index])
        for name, node in model.bodies.items()
    }
    return Kinematics(instants, bodies, tuple(continuation.singular))
