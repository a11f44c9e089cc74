"""Parameters of the comparison (table 2.3 of the source), and the spatial slider-crank as a `RigidSystem`.

It has 18 velocities, 17 constraints and one degree of freedom.
"""

from __future__ import annotations

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
from fem_mbd.cases.constraint_methods.rigid_system import UNITS, Forms, RigidSystem, Row
from fem_mbd.errors import InputError

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
