"""Contact geometry of a point, or a ball about it, on one side of an unbounded plane.

The plane is fixed to K, with unit normal n, through K's point; x = x_L - x_K, gap q = n . x - rho_L,

    Dq = n_m . Dx + x_m . Dn,     n_m = (n_i + n_f)/2,     x_m = (x_i + x_f)/2,

exactly. So the work of a force f_n along n_m, and -f_n x_m on the directors of K that define n, is f_n Dq. Friction
acts in the middle of the penetration, -(rho_L + q_m/2) n_m from L's point. Bristles are transported by the smallest
rotation between normals and the spin of K. Source: Colantonio et al., A projected LuGre model, sections 2.3 and 3; the
discretisation was derived for this package (docs/explanation/contact.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.vectors import length
from fem_mbd.core.model.node import Point
from fem_mbd.joints.contact.contact_kinematics import POINT_ON_PLANE, TINY


@dataclass(frozen=True, eq=False)
class BallOnPlane:
    """A ball of radius_l (m, 0: a point) about L's point on a plane through K's.

    normal : (3,) unit normal towards L, global axes, reference configuration.
    """

    radius_l: float
    normal: Array

    @property
    def radius_k(self) -> float:
        """Zero: the plane is flat."""
        return 0.0

    def fill(self, record: Any, k: Point, l: Point) -> None:
        """Copy the geometry to the contact's ``record``."""
        record["form"] = POINT_ON_PLANE
        record["oriented"] = True, False
        record["twists"] = True, False
        record["radius_l"] = self.radius_l
        record["axes_k"][:, 2] = k.node.rotation.T @ self.normal

    def start(self, k: Point, l: Point) -> tuple[float, Array]:
        """Gap (m) and unit normal (3,) of the reference configuration."""
        return float(self.normal @ (l.position - k.position)) - self.radius_l, self.normal


@kernel
def _normal(contact, q_k, normal):
    """Fill the plane's unit normal (3,) at one instant."""
    for i in range(3):
        normal[i] = 0.0 * q_k[0, i]
        for a in range(3):
            normal[i] += contact["axes_k"][a, 2] * q_k[1 + a, i]


@kernel
def _gap(radius, normal, x):
    """Gap (m) of a ball at x (3,) from a plane through the origin, normal (3,)."""
    gap = -radius + 0.0 * x[0]
    for i in range(3):
        gap += normal[i] * x[i]
    return gap


@kernel
def find_contact(contact, k, l, kinematics):
    """Gaps at both ends of the step; see `contact_kinematics`."""
    x_i, x_f = kinematics.distance_i, kinematics.distance_f
    _normal(contact, k.q_i, kinematics.normal_i)
    _normal(contact, k.q_f, kinematics.normal_f)
    gap_i = _gap(contact.radius_l, kinematics.normal_i, x_i)
    gap_f = _gap(contact.radius_l, kinematics.normal_f, x_f)
    for i in range(3):
        kinematics.pull[i] = -0.5 * (kinematics.normal_i[i] + kinematics.normal_f[i])
    size, reach = length(kinematics.pull) + TINY, contact.radius_l + 0.25 * (gap_i + gap_f)
    for i in range(3):
        x_m = 0.5 * (x_i[i] + x_f[i])
        kinematics.normal[i] = -kinematics.pull[i] / size
        kinematics.lever_l[i] = reach * kinematics.pull[i]
        for a in range(3):
            kinematics.turn_k[a, i] = -contact["axes_k"][a, 2] * x_m
    return gap_i, gap_f
