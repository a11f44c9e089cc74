"""Constraints of driven joints with their first and second time derivatives at a given time.

A constraint is sum_k g_k(t) psi_k(y) - f(t) = 0 with quadratic forms psi_k of the vectors y of two nodes (see
`fem_mbd.core.scheme.constraints.forms`). With J its derivative with respect to the velocities w = (v, Omega) of the
nodes,

    J w  = f' - sum g' psi
    J w' = f'' - sum [g (y'^T h y' + grad psi . b) + 2 g' grad psi . y' + g'' psi]

b being the part of y'' for w' = 0: R (Omega x (Omega x e_a)) of the directors. SI units, global axes; Omega in node
axes. Source: F. Marques, "Frictional contacts in multibody dynamics" (2015), eqs. 2.12 to 2.21.
"""

from __future__ import annotations

from collections.abc import Callable
from math import cos, inf, sin

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.time_functions import TimeFunction
from fem_mbd.core.model.time_functions.kernels import is_at
from fem_mbd.core.model.time_functions.numerical_rate import numerical_rate
from fem_mbd.core.rotations import skew
from fem_mbd.core.scheme.constraints.constraint_kind import ConstraintKind
from fem_mbd.core.scheme.constraints.forms import Form
from fem_mbd.core.scheme.initial import ambient_vectors, constraint_jacobian
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.system import System

SPACING = 1e-4  # s, step of the differences of a driver's rate where a complex step is impossible


class ConstraintRates:
    """All constraints of a model with ideal joints, as functions of a `State`."""

    def __init__(self, system: System, joints: ConstraintKind) -> None:
        self.system, self.joints = system, joints
        self.free = np.flatnonzero(~system.held.ravel())  # components of w that are not prescribed

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
