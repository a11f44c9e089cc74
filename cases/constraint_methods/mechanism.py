"""The spatial slider-crank as a `RigidSystem`: 18 velocities, 17 constraints, one degree of freedom."""

from __future__ import annotations

import numpy as np

from fem_mbd.base.arrays import Array
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
from fem_mbd.cases.constraint_methods.joints import UNITS, Forms
from fem_mbd.cases.constraint_methods.rigid_system import RigidSystem, Row

BODIES = tuple(MASS)
GROUND, CRANK_BODY, ROD_BODY, SLIDER = range(4)
ALONG_X, ALONG_Y, ALONG_Z = UNITS
CRANK_TURN = 4  # the velocity omega_y of the crank, which is independent in every position


def rows() -> list[Row]:
    """Revolute (5), spherical (3), universal (4) and translational joint (5)."""
    of = Forms(len(BODIES))
    half_crank, half_rod = 0.5 * CRANK * ALONG_Z, 0.5 * ROD * ALONG_Y
    pin = of.direction(CRANK_BODY, ALONG_Y)
    found = of.coincide(of.point(CRANK_BODY, -half_crank), of.point(GROUND, np.zeros(3)))
    found += [of.normal(pin, of.direction(GROUND, u)) for u in (ALONG_X, ALONG_Z)]
    found += of.coincide(of.point(CRANK_BODY, half_crank), of.point(ROD_BODY, -half_rod))
    found += of.coincide(of.point(ROD_BODY, half_rod), of.point(SLIDER, np.zeros(3)))
    found += [of.normal(of.direction(ROD_BODY, ALONG_Z), of.direction(SLIDER, ALONG_X))]
    gap = of.point(SLIDER, np.zeros(3)) - of.point(GROUND, GUIDE_HEIGHT * ALONG_Z)
    found += [of.normal(gap, of.direction(GROUND, u)) for u in (ALONG_X, ALONG_Z)]
    pairs = ((ALONG_X, ALONG_Y), (ALONG_Y, ALONG_Z), (ALONG_Z, ALONG_X))
    return found + [of.normal(of.direction(GROUND, a), of.direction(SLIDER, b)) for a, b in pairs]


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
    v[0, :3] = v[1, :3] = (
        0.5 * top_velocity
    )  # half the velocity of the rod's end, as the other end is at rest
    v[:, 3:] = [OMEGA["crank"], ROD_AXES.T @ OMEGA["rod"], OMEGA["slider"]]
    return np.concatenate([q.ravel(), v.ravel()])
