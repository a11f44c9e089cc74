"""All joints with friction between two bodies in general position."""

from collections.abc import Callable
from typing import Any

from fem_mbd import joints
from fem_mbd.core.model.model import Model
from fem_mbd.friction import FrictionLaw, LuGre
from fem_mbd.joints.friction.joint_friction import READ_BY
from tests.joints.joint_models import ANGLE, AT, AXIS, CROSS, SIDE, bodies

# mild, so that differences of the residual are not lost in stiffness; not passive only beyond any speed met here
LAW = LuGre(sigma_0=30.0, sigma_1=0.2, sigma_2=0.15, mu_s=0.3, mu_k=0.2, v_s=0.3)
SIZES: dict[str, Any] = {
    "pin_radius": 0.2,
    "ball_radius": 0.25,
    "friction_arm": 0.15,
    "reaction_arm": 0.3,
    "bending_reaction_arm": 0.2,
    "initial_overlap": 0.4,
    "overlap_delta": "increase",
    "torque_preload": 0.4,
    "force_preload": 0.7,
    "viscous": 0.3,
}
JOINTS: dict[str, Callable[..., joints.Joint]] = {
    "revolute": lambda k, l, f: joints.Revolute(k, l, at=AT, axis=AXIS, friction=f),
    "driven revolute": lambda k, l, f: joints.DrivenRevolute(k, l, at=AT, axis=AXIS, angle=ANGLE, friction=f),
    "prismatic": lambda k, l, f: joints.Prismatic(k, l, at=AT, axis=AXIS, first=CROSS, friction=f),
    "cylindrical": lambda k, l, f: joints.Cylindrical(k, l, at=AT, axis=AXIS, friction=f),
    "spherical": lambda k, l, f: joints.Spherical(k, l, at=AT, friction=f),
    "universal": lambda k, l, f: joints.Universal(k, l, at=AT, axis_k=2 * CROSS, axis_l=SIDE, friction=f),
    "planar": lambda k, l, f: joints.Planar(k, l, at=AT, direction=AXIS, friction=f),
}
MORE: dict[str, dict[str, Any]] = {
    "faces": {"faces": (0.1, 0.15)},
    "outer faces": {"faces": (0.1, 0.15), "slider": "outer"},
}
NAMES = [*JOINTS, *MORE]


def friction(kind: str, law: FrictionLaw = LAW, **others: Any) -> joints.JointFriction:
    """Every length given, and all preloads of a joint of this kind."""
    own = {name: value for name, value in SIZES.items() if kind in READ_BY.get(name, (kind,))}
    return joints.JointFriction(law=law, **{**own, **others})


def joint_with_friction(name: str, law: FrictionLaw = LAW, ground: bool = False, **others: Any) -> Model:
    """Two bodies with the joint of that name between them, under gravity, the first one free or fixed."""
    model = Model(gravity=(0, 0, -9.81))
    k, l = bodies(model)
    if ground:
        model.fix(k)
    else:
        model.set_velocity([k, l], (1, -0.5, 0.3), (2, 1, -3), about=AT)
    kind = "prismatic" if name in MORE else name
    model.add(JOINTS[kind](k, l, friction(kind.split()[-1], law, **MORE.get(name, {}), **others)))
    return model
