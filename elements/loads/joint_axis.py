"""Check that the joints between two nodes leave the rotation about a given axis free, for torques about it.

L is rotated about the joint's point by a finite angle, about the axis and about two directions normal to it: the
joints' conditions must be satisfied by the first rotation, and violated by the other two.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Node
from fem_mbd.core.rotations import rotation_about, triad_with_third
from fem_mbd.core.scheme.constraints.constraint_kind import ConstraintKind, Constraints
from fem_mbd.errors import InputError

TEST_ANGLE = 0.3  # rad
CONSTRAINT_TOLERANCE = 1e-9  # m or rad: above round-off, far below TEST_ANGLE and its square


def check_joint_axis(model: Model, k: Node, l: Node, axis: Array, what: str) -> None:
    """Refuse an axis (3,), global, about which the joints do not let L rotate relative to K; ``what`` needs the axis.

    Raises
    ------
    InputError
        When no joint joins the two nodes yet, or those that do lack such an axis.
    """
    joints: list[Constraints] = [
        spec for spec in model.specs.get(ConstraintKind, []) if {spec.k.node, spec.l.node} == {k, l}
    ]
    if not joints:
        raise InputError(
            f"{what}: no ideal joint joins node '{k.name}' to node '{l.name}': add the joint before its torque"
        )
    across_1, across_2, along = triad_with_third(axis).T
    free = _violation(joints, along) < CONSTRAINT_TOLERANCE
    if not free or min(_violation(joints, across_1), _violation(joints, across_2)) < CONSTRAINT_TOLERANCE:
        names = ", ".join(f"{spec.joint} joint '{spec.name}'" for spec in joints)
        raise InputError(
            f"{what}: axis {np.round(axis, 6).tolist()} is not an axis that {names} keeps aligned in both "
            "bodies and free to rotate about: give the axis of a revolute, cylindrical or planar joint"
        )


def _violation(joints: list[Constraints], direction: Array) -> float:
    """Largest violation of the joints' conditions when body L rotates about ``direction`` through the first joint."""
    turn, centre = rotation_about(direction, TEST_ANGLE), joints[0].l.position
    worst = 0.0
    for joint in joints:
        same = joint.l.node is joints[0].l.node
        driven = {drive.row for drive in joint.drives}
        vectors = []
        for point, rotates in ((joint.k, not same), (joint.l, same)):
            position, rotation = point.node.position, point.node.rotation
            if rotates:
                position, rotation = centre + turn @ (position - centre), turn @ rotation
            vectors += [position[None], rotation.T]
        y = np.concatenate(vectors)
        for row, form in joint.conditions(joint.k.offset, joint.l.offset):
            if row not in driven:
                worst = max(worst, abs(form.value(y)))
    return worst
