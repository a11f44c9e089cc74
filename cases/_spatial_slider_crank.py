"""Model of the spatial slider-crank of F. Marques, "Frictional contacts in multibody dynamics" (2015), table 2.2.

A crank turns about y at the origin; a rod joins its end, by a spherical joint, to a slider that moves along y, by a
universal joint. The weight, along -z, drives it. SI units, global axes.

Two numbers of table 2.2 are not used as printed. The slider starts at y = sqrt(0.29^2 - 0.25^2) = 0.14697 m (printed
0.1470), where the rod is exactly 0.29 m long. The universal joint's axes are not given; here they are x on the slider
and the rod's axis zeta, for which the rod's angular velocity is (0, -1.8678, -1.0980) rad/s: the printed one,
(0, -1.5661, -1.6112), has a spin of 0.595 rad/s about the rod that no joint with axes along those of the bodies allows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import pi, sqrt
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Node
from fem_mbd.elements import BodyHandle, RigidBody
from fem_mbd.joints import JointFriction, Prismatic, Revolute, Spherical, Universal

GRAVITY = 9.81  # m/s^2, along -z
CRANK, ROD, GUIDE_HEIGHT = 0.10, 0.29, -0.15  # m: lengths, and z of the slider's path
SLIDER_START = sqrt(ROD**2 - (CRANK - GUIDE_HEIGHT) ** 2)  # m, y with the crank upright
START_SPEED = 2 * pi  # rad/s, of the crank about -y
MASS = {"crank": 0.12, "rod": 0.5, "slider": 0.5}  # kg
INERTIA = {  # kg m^2, principal, about the mass centre
    "crank": (1e-4, 1e-4, 1e-5),
    "rod": (4e-3, 4e-4, 4e-3),
    "slider": (1e-4, 1e-4, 1e-4),
}
TILT = np.array([0.0, SLIDER_START, GUIDE_HEIGHT - CRANK]) / ROD  # the rod's axis, crank to slider
ROD_AXES = np.column_stack([(1.0, 0.0, 0.0), TILT, (0.0, -TILT[2], TILT[1])])  # xi, eta (along the rod), zeta
POSITION = {
    "crank": np.array([0.0, 0.0, 0.5 * CRANK]),
    "rod": np.array([0.0, 0.5 * SLIDER_START, 0.5 * (CRANK + GUIDE_HEIGHT)]),
    "slider": np.array([0.0, SLIDER_START, GUIDE_HEIGHT]),
}
TOP, PIN = (0.0, 0.0, CRANK), (0.0, SLIDER_START, GUIDE_HEIGHT)  # crank-rod, rod-slider
ROD_SPIN = -START_SPEED * CRANK / ROD  # rad/s about zeta, so that the rod's upper end moves with the crank
OMEGA = {
    "crank": np.array([0.0, -START_SPEED, 0.0]),
    "rod": ROD_SPIN * ROD_AXES[:, 2],
    "slider": np.zeros(3),
}


@dataclass(frozen=True)
class Mechanism:
    """The model, its bodies, and the slider's translational joint."""

    model: Model
    crank: BodyHandle
    rod: BodyHandle
    slider: BodyHandle


def build_mechanism(
    friction: JointFriction | None = None,
    bearing: Callable[[Node, Node], Any] | None = None,
    start_speed: float = START_SPEED,
) -> Mechanism:
    """The mechanism with its initial motion.

    ``friction`` : of the translational joint; ``bearing(ground, crank)`` : the joint of the two, by default an ideal
        revolute one; ``start_speed`` : rad/s, of the crank about -y.
    """
    model = Model(gravity=(0.0, 0.0, -GRAVITY), name="spatial slider-crank")
    crank, rod, slider = (
        model.add(
            RigidBody(
                MASS[name],
                INERTIA[name],
                POSITION[name],
                rotation=ROD_AXES if name == "rod" else None,
                name=name,
            )
        )
        for name in MASS
    )
    model.add((bearing or _ideal_bearing)(model.ground, crank.node))
    model.add(Spherical(crank.node, rod.node, at=TOP, name="ball"))
    model.add(Universal(rod.node, slider.node, at=PIN, axis_k=ROD_AXES[:, 2], axis_l=(1, 0, 0), name="cross"))
    guide = Prismatic(
        model.ground, slider.node, at=PIN, axis=(0, 1, 0), first=(1, 0, 0), name="guide", friction=friction
    )
    model.add(guide)
    faster = start_speed / START_SPEED
    model.set_velocity(crank.node, omega=faster * OMEGA["crank"], about=(0, 0, 0))
    model.set_velocity(rod.node, omega=faster * OMEGA["rod"], about=PIN)
    return Mechanism(model, crank, rod, slider)


def _ideal_bearing(ground: Node, crank: Node) -> Revolute:
    return Revolute(ground, crank, at=(0, 0, 0), axis=(0, 1, 0), name="bearing")


def slider_y(angle: Array) -> Array:
    """y of the slider (m) as a function of the crank's angle (rad) from upright, with constant length of the rod."""
    across, along = CRANK * np.sin(angle), CRANK * np.cos(angle) - GUIDE_HEIGHT
    return np.asarray(np.sqrt(ROD**2 - across**2 - along**2))
