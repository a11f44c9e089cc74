"""Registration of a joint's friction with the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.model import Model
from fem_mbd.core.scheme.constraints.constraint_kind import Constraints
from fem_mbd.errors import InputError
from fem_mbd.joints.friction.contributions import Contribution
from fem_mbd.joints.friction.joint_friction import JointFriction
from fem_mbd.joints.friction.kind import JointFrictionKind, JointFrictionSpec

Surfaces = Callable[[JointFriction], Sequence[Contribution]]


def friction_of(
    friction: JointFriction,
    joint: Constraints,
    surfaces: Surfaces,
    triads: tuple[Array, Array],
    cross: bool = False,
) -> JointFrictionSpec:
    """The data that the model registers; InputError, naming the joint, for missing lengths."""
    what = f"{joint.joint} joint '{joint.name}'"
    try:
        contributions = surfaces(friction)
    except InputError as error:
        raise InputError(f"friction of {what}: {error}") from error
    if not contributions:
        raise InputError(
            f"friction of {what}: none of its loads acts on the surfaces of a {joint.joint} joint"
        )
    friction.warn_if_active(what)
    return JointFrictionSpec(
        f"{joint.name}.friction",
        joint,
        friction.law_in_effect(),
        [replace(part, viscous=friction.viscous) for part in contributions],
        triads,
        cross,
        friction.initial_overlap or 1.0,
        friction.overlap_rate if friction.initial_overlap else 0.0,
        friction.in_statics,
    )


def register(model: Model, spec: JointFrictionSpec) -> None:
    """Register the joint's friction with the model."""
    model.registry.add(JointFrictionKind, spec)
