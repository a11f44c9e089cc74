"""Parameters of the comparison (table 2.3 of the source), and the spatial slider-crank as a `RigidSystem`.

It has 18 velocities, 17 constraints and one degree of freedom.

Rigid multibody system in the source's formulation: Euler parameters, absolute velocities, constraints.

Of each body q has r (3) and Euler parameters p (4, scalar first), v has r' (3) and omega (3) in body axes, so that the
mass matrix M is constant and diagonal. Every constraint is a quadratic form of the vectors x = (r, e1, e2, e3) of all
bodies, the ground's first:

    Phi = L x + x^T Q x/2,    x' = T(q) v,    D = (L + Q x) T,    Phi' = D v,    Phi'' = D v' - gamma
    gamma = -(L + Q x) T' v - x'^T Q x'

SI units. Source: F. Marques, "Frictional contacts in multibody dynamics" (2015), eqs. 2.3 to 2.24.

Constraints of ideal joints are combined from `Forms`: a vector form (3, x) gives a vector in global axes from the
bodies' vectors x; the dot product of two is a constraint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.case_parameters import check_positive, parameter
from fem_mbd.cases._spatial_slider_crank import (
    CRANK,
    GRAVITY,
    GUIDE_HEIGHT,
    INERTIA,
    MASS,
    OMEGA,
    POSITION,
    ROD,
    ROD_AXES,
    TOP,
)
from fem_mbd.errors import InputError

VECTORS = 4  # of a body: position and three axes
UNITS = np.eye(3)


@dataclass(frozen=True)
class Row:
    """One constraint: linear (x,) and symmetric quadratic (x, x) coefficients."""

    linear: Array
    quadratic: Array


@dataclass(frozen=True)
class Instant:
    """Terms of the equations of motion at one state; m constraints, n velocities."""

    phi: Array  # (m,)
    phi_rate: Array  # (m,) Phi'
    jacobian: Array  # (m, n) D
    gamma: Array  # (m,) D v' of a motion that satisfies the constraints
    force: Array  # (n,) applied and gyroscopic


class RigidSystem:
    """Bodies, numbered from 1, and constraints between them and the ground, 0.

    mass (bodies,) kg; inertia (bodies, 3) principal, kg m^2; gravity (3,) m/s^2. A state vector y is all q, then all v.
    """

    def __init__(self, mass: Array, inertia: Array, gravity: Array, rows: Sequence[Row]) -> None:
        bodies = self.bodies = len(mass)
        self.mass, self.inertia, self.gravity = mass, inertia, gravity
        self.diagonal = np.column_stack([np.repeat(mass[:, None], 3, axis=1), inertia]).ravel()  # of M
        self.linear = np.array([row.linear for row in rows])
        self._quadratic = np.array([row.quadratic for row in rows]).reshape(-1, self.linear.shape[1])
        # e_j' = R (omega x E_j): T without R
        self._axis_rates = -_skew(np.eye(3))
        self._map = np.zeros((bodies + 1, VECTORS, 3, bodies, 6))
        for b in range(bodies):
            self._map[b + 1, 0, :, b, :3] = np.eye(3)

    def split(self, y: Array) -> tuple[Array, Array]:
        """q (bodies, 7) and v (bodies, 6) of a state vector, as views."""
        ends = 7 * self.bodies
        return y[:ends].reshape(-1, 7), y[ends:].reshape(-1, 6)

    def instant(self, y: Array) -> Instant:
        """Compute the terms of the equations of motion."""
        q, v = self.split(y)
        rotations, omega = rotation(q[:, 3:]), v[:, 3:]
        x, to_vectors = _vectors(q, rotations), self._to_vectors(rotations)
        by_x = self._times(x)
        gradient, x_rate = self.linear + by_x, to_vectors @ v.ravel()
        jacobian = gradient @ to_vectors
        spin = _skew(omega)
        convective = np.zeros((self.bodies + 1, VECTORS, 3))  # T' v
        convective[1:, 1:] = np.swapaxes(rotations @ spin @ spin, 1, 2)
        force = np.zeros((self.bodies, 6))
        force[:, :3] = self.mass[:, None] * self.gravity
        force[:, 3:] = _products(spin, -self.inertia * omega)
        return Instant(
            self.linear @ x + 0.5 * (by_x @ x),
            jacobian @ v.ravel(),
            jacobian,
            -gradient @ convective.ravel() - self._times(x_rate) @ x_rate,
            force.ravel(),
        )

    def _times(self, x: Array) -> Array:
        """(m, x) Q x."""
        return (self._quadratic @ x).reshape(self.linear.shape)

    def _to_vectors(self, rotations: Array) -> Array:
        """(x, n) T."""
        by_axis = np.einsum("bij,kjl->bkil", rotations, self._axis_rates)
        for b in range(self.bodies):
            self._map[b + 1, 1:, :, b, 3:] = by_axis[b]
        return self._map.reshape(-1, 6 * self.bodies)

    def coordinate_rates(self, y: Array) -> Array:
        """(7 bodies,) q' of the state's velocities (eq. 2.11, body axes)."""
        q, v = self.split(y)
        rates = np.empty_like(q)
        rates[:, :3] = v[:, :3]
        rates[:, 3:] = euler_rates(q[:, 3:], v[:, 3:])
        return rates.ravel()

    def moved(self, y: Array, step: Array) -> Array:
        """The state with its coordinates changed by ``step`` (n,), m and rad in body axes, to first order."""
        out = y.copy()
        q, _ = self.split(out)
        change = step.reshape(-1, 6)
        q[:, :3] += change[:, :3]
        q[:, 3:] += euler_rates(q[:, 3:], change[:, 3:])
        return out

    def energy(self, y: Array) -> float:
        """Kinetic plus potential energy, J."""
        q, v = self.split(y)
        kinetic = 0.5 * float(self.diagonal @ v.ravel() ** 2)
        return kinetic - float(self.mass @ (q[:, :3] @ self.gravity))


def rotation(p: Array) -> Array:
    """(b, 3, 3) body axes to global axes; Euler parameters (b, 4) of any length."""
    e0, e = p[:, 0], p[:, 1:]
    square = np.einsum("bi,bi->b", e, e)
    out = 2.0 * (e[:, :, None] * e[:, None, :] + e0[:, None, None] * _skew(e))
    out += (e0**2 - square)[:, None, None] * np.eye(3)
    # any length of the Euler parameters: its drift does not violate a constraint of the mechanism
    return np.asarray(out / (e0**2 + square)[:, None, None])


def euler_rates(p: Array, omega: Array) -> Array:
    """(b, 4) p' of angular velocities (b, 3) in body axes."""
    e0, e = p[:, :1], p[:, 1:]
    along = -np.einsum("bi,bi->b", e, omega)[:, None]
    return 0.5 * np.concatenate([along, e0 * omega + _products(_skew(e), omega)], axis=1)


def _skew(a: Array) -> Array:
    """(b, 3, 3) cross-product matrices of (b, 3)."""
    out = np.zeros((len(a), 3, 3))
    out[:, 2, 1], out[:, 0, 2], out[:, 1, 0] = a.T
    out[:, 1, 2], out[:, 2, 0], out[:, 0, 1] = -a.T
    return out


def _products(matrices: Array, vectors: Array) -> Array:
    """(b, 3) matrix times vector; much faster than `numpy.cross` for a few."""
    return np.asarray((matrices @ vectors[:, :, None])[:, :, 0])


def _vectors(q: Array, rotations: Array) -> Array:
    """(x,) position and axes of the ground and of all bodies."""
    x = np.zeros((len(q) + 1, VECTORS, 3))
    x[0, 1:] = np.eye(3)
    x[1:, 0] = q[:, :3]
    x[1:, 1:] = np.swapaxes(rotations, 1, 2)
    return x.ravel()


class Forms:
    """Vector forms of ``bodies`` bodies and the ground, which has index 0."""

    def __init__(self, bodies: int) -> None:
        self.size = 3 * VECTORS * (bodies + 1)

    def direction(self, body: int, vector: Array) -> Array:
        """(3, x) a vector (3,) fixed to a body."""
        return self._combination(body, (0.0, *vector))

    def point(self, body: int, arm: Array) -> Array:
        """(3, x) a point of a body, by its arm (3,) from the mass centre."""
        return self._combination(body, (1.0, *arm))

    def _combination(self, body: int, weights: tuple[float, ...]) -> Array:
        out = np.zeros((3, self.size // 3, 3))
        for k, weight in enumerate(weights):
            out[:, VECTORS * body + k] = weight * UNITS
        return out.reshape(3, self.size)

    def coincide(self, a: Array, b: Array) -> list[Row]:
        """Three constraints: two points coincide."""
        empty = np.zeros((self.size, self.size))
        return [Row(line, empty) for line in a - b]

    def normal(self, a: Array, b: Array) -> Row:
        """Constraint: two vectors are orthogonal."""
        product = a.T @ b
        return Row(np.zeros(self.size), product + product.T)


BODIES = tuple(MASS)
CRANK_TURN = 4  # the velocity omega_y of the crank, which is independent in every position
GROUND, CRANK_BODY, ROD_BODY, SLIDER = range(4)
ALONG_X, ALONG_Y, ALONG_Z = UNITS


@dataclass(frozen=True)
class Parameters:
    """Steps of 1 ms and 20 s as in the source."""

    end_time: float = parameter(20.0, "s", "simulated time")
    dt: float = parameter(1e-3, "s", "constant step of Runge-Kutta and of this package's scheme")
    baumgarte_alpha: float = parameter(5.0, "1/s", "Baumgarte's factor of the velocity violation")
    baumgarte_beta: float = parameter(5.0, "1/s", "Baumgarte's factor of the position violation")
    penalty_factor: float = parameter(
        1e7, "1", "over the largest term of M, as in the source's text; its table prints 1e-7"
    )
    penalty_frequency: float = parameter(10.0, "rad/s", "omega of penalty and augmented Lagrangian")
    penalty_damping: float = parameter(1.0, "1", "mu of penalty and augmented Lagrangian")
    augmented_tolerance: float = parameter(1e-10, "m/s^2, rad/s^2", "epsilon of eq. 2.64")
    correction_tolerance: float = parameter(1e-10, "m, rad", "epsilon of eq. 2.95")
    integrator: Literal["RK23", "RK45", "DOP853"] = parameter("DOP853", "", "of SciPy, besides Runge-Kutta")
    relative_tolerance: float = parameter(1e-8, "1", "of SciPy's integrator")

    def __post_init__(self) -> None:
        check_positive(
            self, "constraint_methods",
            "end_time dt baumgarte_alpha baumgarte_beta penalty_factor penalty_frequency penalty_damping "
            "augmented_tolerance correction_tolerance relative_tolerance",
        )  # fmt: skip
        if not self.dt < self.end_time:
            raise InputError(
                f"constraint_methods: dt is {self.dt} s: it must be less than the end time, {self.end_time} s"
            )


def rows() -> list[Row]:
    """Revolute (5), spherical (3), universal (4) and translational joint (5)."""
    of = Forms(len(BODIES))
    half_crank, half_rod = 0.5 * CRANK * ALONG_Z, 0.5 * ROD * ALONG_Y
    pin = of.direction(CRANK_BODY, ALONG_Y)
    rows = of.coincide(of.point(CRANK_BODY, -half_crank), of.point(GROUND, np.zeros(3)))
    rows += [of.normal(pin, of.direction(GROUND, u)) for u in (ALONG_X, ALONG_Z)]
    rows += of.coincide(of.point(CRANK_BODY, half_crank), of.point(ROD_BODY, -half_rod))
    rows += of.coincide(of.point(ROD_BODY, half_rod), of.point(SLIDER, np.zeros(3)))
    rows += [of.normal(of.direction(ROD_BODY, ALONG_Z), of.direction(SLIDER, ALONG_X))]
    gap = of.point(SLIDER, np.zeros(3)) - of.point(GROUND, GUIDE_HEIGHT * ALONG_Z)
    rows += [of.normal(gap, of.direction(GROUND, u)) for u in (ALONG_X, ALONG_Z)]
    pairs = ((ALONG_X, ALONG_Y), (ALONG_Y, ALONG_Z), (ALONG_Z, ALONG_X))
    return rows + [of.normal(of.direction(GROUND, a), of.direction(SLIDER, b)) for a, b in pairs]


def slider_crank() -> RigidSystem:
    """The mechanism of the source's tables 2.1 and 2.2."""
    return RigidSystem(
        np.array([MASS[name] for name in BODIES]),
        np.array([INERTIA[name] for name in BODIES]),
        np.array([0.0, 0.0, -GRAVITY]),
        rows(),
    )


def start() -> Array:
    """(39,) initial state vector: the crank upright."""
    q, v = np.zeros((len(BODIES), 7)), np.zeros((len(BODIES), 6))
    q[:, :3] = [POSITION[name] for name in BODIES]
    q[:, 3] = 1.0
    tilt = np.arctan2(ROD_AXES[2, 1], ROD_AXES[1, 1])  # about x
    q[ROD_BODY - 1, 3:5] = np.cos(0.5 * tilt), np.sin(0.5 * tilt)
    top_velocity = np.cross(OMEGA["crank"], TOP)
    # mass centres: half the velocity of the rod's upper end, as the other ends are at rest
    v[0, :3] = v[1, :3] = 0.5 * top_velocity
    v[:, 3:] = [OMEGA["crank"], ROD_AXES.T @ OMEGA["rod"], OMEGA["slider"]]
    return np.concatenate([q.ravel(), v.ravel()])
