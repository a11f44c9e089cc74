"""Contact geometry of two balls that touch from outside.

x = x_L - x_K between the centres; gap q = |x| - rho_K - rho_L, Dq = n_m . Dx with n_m = (x_i + x_f)/(|x_i| + |x_f|),
exactly. Friction acts in the middle of the penetration, -(rho_L + q_m/2) n_m from L's centre. Bristles are transported
by the smallest rotation between normals and the mean spin of the balls. Source: docs/explanation/contact.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.vectors import length
from fem_mbd.core.model.node import Point
from fem_mbd.joints.contact.contact_kinematics import BALL_ON_BALL, BY_POINTS, TINY


@dataclass(frozen=True)
class BallOnBall:
    """A ball of radius_k (m) about K's point and one of radius_l (m) about L's."""

    radius_k: float
    radius_l: float

    def fill(self, record: Any, k: Point, l: Point) -> None:
        """Copy the geometry to the contact's ``record``."""
        record["form"] = BALL_ON_BALL
        record["slip_of"] = BY_POINTS
        record["twists"] = True, True
        record["radius_k"], record["radius_l"] = self.radius_k, self.radius_l

    def start(self, k: Point, l: Point) -> tuple[float, Array]:
        """Gap (m) and unit normal (3,) of the reference configuration."""
        x = l.position - k.position
        distance = float(np.linalg.norm(x))
        return distance - self.radius_k - self.radius_l, x / distance


@kernel
def find_contact(contact, k, l, kinematics):
    """Gaps at both ends of the step; see `contact_kinematics`."""
    x_i, x_f = kinematics.distance_i, kinematics.distance_f
    l_i, l_f = length(x_i), length(x_f)
    gap_i, gap_f = l_i - contact.radius_k - contact.radius_l, l_f - contact.radius_k - contact.radius_l
    weight = 1.0 / (l_i + l_f + TINY)
    for i in range(3):
        kinematics.pull[i] = -(weight * (x_i[i] + x_f[i]))
        kinematics.normal_i[i] = x_i[i] / (l_i + TINY)
        kinematics.normal_f[i] = x_f[i] / (l_f + TINY)
    size, reach = length(kinematics.pull) + TINY, contact.radius_l + 0.25 * (gap_i + gap_f)
    for i in range(3):
        kinematics.normal[i] = -kinematics.pull[i] / size
        kinematics.lever_l[i] = reach * kinematics.pull[i]
    return gap_i, gap_f
