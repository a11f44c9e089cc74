"""Output quantities of joint friction: forces and torques, contributions, states of the laws."""

from __future__ import annotations

from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.output import Output, Quantity
from fem_mbd.joints.friction.records import NONE


def _along(name: str) -> tuple[str, ...]:
    return tuple(f"{name} {n}" for n in (1, 2, 3))


TOTAL = Output(
    "joint_friction",
    "joint_friction",
    (
        Quantity(
            "torque",
            "N m",
            "friction on L about the joint's axes",
            _along("friction_torque"),
            "joint",
            "mean",
        ),
        Quantity(
            "force", "N", "friction on L along the joint's axes", _along("friction_force"), "joint", "mean"
        ),
    ),
)
CONTRIBUTIONS = Output(
    "joint_friction_contribution",
    "contribution",
    (
        Quantity("normal_force", "N", "of the surfaces, mean of the step", within="mean"),
        Quantity(
            "slip_velocity", "m/s", "of L on K at the surfaces", _along("slip_velocity"), "surface", "mean"
        ),
        Quantity(
            "friction_force", "N", "on L at the surfaces", _along("surface_friction"), "surface", "mean"
        ),
    ),
    many=True,
)
BRISTLE = Output(
    "joint_bristle",
    "joint_bristle",
    (
        Quantity(
            "bristle",
            "m",
            "states of the friction law at t_f, contribution by contribution",
            _along("joint_bristle"),
            "surface",
        ),
    ),
    many=True,
)


def totals(joints: Any, parts: Any, found: Array) -> Array:
    """(joints, 6) torque and force on L from the results of the kernels (parts, 9)."""
    out = np.zeros((len(joints), 6))
    for n, joint in enumerate(joints):
        for m in range(joint["first"], joint["first"] + joint["count"]):
            for j, c in enumerate(parts[m]["coordinate"]):
                if c != NONE:
                    out[n, c] += parts[m]["length"][j] * found[m, 4 + j]
            if parts[m]["face_axis"] != NONE:
                out[n, 1 - parts[m]["face_axis"]] += found[m, 8]
    return out
