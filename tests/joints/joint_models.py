"""All ideal joints between two bodies in general position, with their free motions."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fem_mbd import Model, Node, joints
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.time_functions import Harmonic
from fem_mbd.core.rotations import rotation_about, triad_with_third
from fem_mbd.elements import RigidBody

AT = np.array([0.4, 0.1, -0.2])
AXIS = np.array([0.48, -0.6, 0.64])
CROSS = triad_with_third(AXIS)[:, 0]  # normal to AXIS, so is SIDE
SIDE = triad_with_third(AXIS)[:, 1]
# amplitude (1 - cos): the drivers start from rest
ANGLE = Harmonic(amplitude=-0.8, omega=2.5, phase=np.pi / 2, offset=0.8)
SLIDE = Harmonic(amplitude=-0.3, omega=3.0, phase=np.pi / 2, offset=0.3)
Motion = tuple[Array, Array]  # rotation (3, 3) about AT and displacement (3,) of L against K


@dataclass(frozen=True)
class Case:
    """How to make the joint, how many conditions it has, and a motion that it allows, from three numbers."""

    make: Callable[[Any, Any], joints.Joint]
    conditions: int
    motion: Callable[[Array], Motion]
    driven: bool = False


def _turn(axis: Array, angle: float) -> Array:
    return rotation_about(axis, angle)


CASES: dict[str, Case] = {
    "clamp": Case(lambda k, l: joints.Clamp(k, l, at=AT), 6, lambda s: (np.eye(3), np.zeros(3))),
    "rigid offset": Case(lambda k, l: joints.RigidOffset(k, l), 6, lambda s: (np.eye(3), np.zeros(3))),
    "spherical": Case(
        lambda k, l: joints.Spherical(k, l, at=AT), 3, lambda s: (_turn(s + (0, 0, 2), s[0]), np.zeros(3))
    ),
    "revolute": Case(
        lambda k, l: joints.Revolute(k, l, at=AT, axis=AXIS), 5, lambda s: (_turn(AXIS, s[0]), np.zeros(3))
    ),
    "universal": Case(
        lambda k, l: joints.Universal(k, l, at=AT, axis_k=2 * CROSS, axis_l=SIDE),
        4,
        lambda s: (_turn(CROSS, s[0]) @ _turn(SIDE, s[1]), np.zeros(3)),
    ),
    "cylindrical": Case(
        lambda k, l: joints.Cylindrical(k, l, at=AT, axis=AXIS), 4, lambda s: (_turn(AXIS, s[0]), s[1] * AXIS)
    ),
    "prismatic": Case(
        lambda k, l: joints.Prismatic(k, l, at=AT, axis=AXIS), 5, lambda s: (np.eye(3), s[0] * AXIS)
    ),
    "planar": Case(
        lambda k, l: joints.Planar(k, l, at=AT, direction=AXIS),
        3,
        lambda s: (_turn(AXIS, s[0]), s[1] * CROSS + s[2] * SIDE),
    ),
    "driven revolute": Case(
        lambda k, l: joints.DrivenRevolute(k, l, at=AT, axis=AXIS, angle=ANGLE),
        6,
        lambda s: (np.eye(3), np.zeros(3)),
        driven=True,
    ),
    "driven prismatic": Case(
        lambda k, l: joints.DrivenPrismatic(k, l, at=AT, axis=AXIS, displacement=SLIDE),
        6,
        lambda s: (np.eye(3), np.zeros(3)),
        driven=True,
    ),
}
PASSIVE = [name for name, case in CASES.items() if not case.driven]
DRIVEN = [name for name, case in CASES.items() if case.driven]


def bodies(model: Model) -> tuple[Node, Node]:
    """Two rotated bodies with eccentric mass centres."""
    k = model.add(
        RigidBody(
            2.0, (0.3, 0.4, 0.5), (0, 0, 0), rotation=rotation_about((1, 2, 3), 0.7), centre=(0.1, 0, 0.05)
        )
    )
    l = model.add(
        RigidBody(
            1.0,
            (0.2, 0.25, 0.3),
            (0.7, 0.2, 0.1),
            rotation=rotation_about((1, -2, 1), 1.4),
            centre=(0, 0.2, 0.05),
        )
    )
    return k.node, l.node


def joined(name: str, gravity: float = -9.81, ground: bool = False) -> Model:
    """Two bodies with the joint between them, the first one free or fixed."""
    model = Model(gravity=(0, 0, gravity))
    k, l = bodies(model)
    if ground:
        model.fix(k)
    else:
        # one rigid motion obeys every joint; gravity and the drivers, which start from rest, do the rest
        model.set_velocity([k, l], (1, -0.5, 0.3), (2, 1, -3), about=AT)
    model.add(CASES[name].make(k, l))
    return model
