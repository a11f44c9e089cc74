"""Contact geometries on an unbounded plane: a point or a ball, and a flat spheroid, a disk with crowned faces at any
tilt.

A point, or a ball about it, on one side. The plane is fixed to K, with unit normal n, through K's point; x = x_L - x_K,
gap q = n . x - rho_L,

    Dq = n_m . Dx + x_m . Dn,     n_m = (n_i + n_f)/2,     x_m = (x_i + x_f)/2,

exactly. So the work of a force f_n along n_m, and -f_n x_m on the directors of K that define n, is f_n Dq. Friction
acts in the middle of the penetration, -(rho_L + q_m/2) n_m from L's point. Bristles are transported by the smallest
rotation between normals and the spin of K. Source: Colantonio et al., A projected LuGre model, sections 2.3 and 3; the
discretisation was derived for this package (docs/explanation/contact.md).

A flat spheroid. The plane through K's point is fixed to K, with the triad e1K, e2K, e3K = n; the spheroid about L's
point is fixed to L, radius rho and half height eps along its axis e3L. With x = x_L - x_K and g_a = eaK . e3L the gap
is

    q = n . x - r,     r = sqrt(rho^2 (g1^2 + g2^2) + eps^2 g3^2),

r being the extent of the spheroid towards the plane. For a flat disk (eps = 0) it is rho |sin(tilt)|, with a kink where
disk and plane are parallel: the contact would jump across the face. With eps it moves from the centre (parallel) to the
rim over tilts of some eps/rho, and q is smooth.

Work. n . x and g_a are quadratic in the nodes' vectors; with means (m) and changes (D) over the step

    Dq = n_m . Dx + x_m . Dn - 2/(r_i + r_f) sum_a w_a g_am (eaK_m . De3L + e3L_m . DeaK),   w = (rho^2, rho^2, eps^2),

exactly. Friction acts at the point of contact, in the middle of the penetration: from L's point this is, with the mean
directions n and e of the step, the spheroid's lowest point (support point) and half the gap,

    lambda_L = -[rho^2 (n - (n.e) e) + eps^2 (n.e) e] / r - (q_m/2) n.

Bristles are transported by the smallest rotation between normals and the spin of K. The source (F. Marques, Frictional
contacts in multibody dynamics, thesis, University of Minho 2015) puts the force at the rim when tilted (eqs. 4.19 to
4.23) and at the centre when parallel (eqs. 4.17 and 4.18); the transition by a spheroid is an addition of this package.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.vectors import dot, length
from fem_mbd.core.model.node import Point
from fem_mbd.core.rotations import triad_with_third
from fem_mbd.joints.contact.contact_kinematics import POINT_ON_PLANE, SPHEROID_ON_PLANE, TINY, disk_from_k


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
def find_point(contact, k, l, kinematics):
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


@dataclass(frozen=True, eq=False)
class SpheroidOnPlane:
    """A spheroid of radius_l and half height ``crown`` (m) about L's point on a plane through K's.

    normal, axis : (3,) unit normal towards L, and the spheroid's axis; global axes, reference configuration.
    """

    radius_l: float
    crown: float
    normal: Array
    axis: Array

    @property
    def radius_k(self) -> float:
        """Zero: the plane is flat."""
        return 0.0

    def fill(self, record: Any, k: Point, l: Point) -> None:
        """Copy the geometry to the contact's ``record``."""
        record["form"] = SPHEROID_ON_PLANE
        record["oriented"] = True, True
        record["twists"] = True, False
        record["radius_l"], record["crown"] = self.radius_l, self.crown
        record["axes_k"] = k.node.rotation.T @ triad_with_third(self.normal)
        record["axis_l"] = l.node.rotation.T @ self.axis

    def start(self, k: Point, l: Point) -> tuple[float, Array]:
        """Gap (m) and unit normal (3,) of the reference configuration."""
        g = triad_with_third(self.normal).T @ self.axis
        reach = float(np.linalg.norm(g * (self.radius_l, self.radius_l, self.crown)))
        return float(self.normal @ (l.position - k.position)) - reach, self.normal


@kernel
def _reach(contact, e):
    """r (m), the extent of the spheroid towards the plane; e (3,) is its axis in the plane's triad."""
    across, along = contact.radius_l, contact.crown
    return np.sqrt(across * across * (e[0] * e[0] + e[1] * e[1]) + along * along * e[2] * e[2])


@kernel
def _set_lever(contact, normal, axis, depth, lever):
    """Fill lever (3,) from L's point to the contact; unit normal (3,), mean axis (3,), depth: q_m/2, m."""
    size = length(axis) + TINY
    across, along = contact.radius_l * contact.radius_l, contact.crown * contact.crown
    cosine = dot(normal, axis) / size
    reach = np.sqrt(across * (1.0 - cosine * cosine) + along * cosine * cosine)
    for i in range(3):
        e = cosine * axis[i] / size  # part of the normal along the axis
        lever[i] = -(across * (normal[i] - e) + along * e) / reach - depth * normal[i]


@kernel
def _touch(contact, axes, axis, weight, depth, kinematics):
    """Forces and lever of the step; axes (3, 3), axis (3,): means, weight (3,): of each Dg_a in Dr, depth: q_m/2."""
    for i in range(3):
        kinematics.pull[i] = -axes[i, 2]
    size = length(kinematics.pull) + TINY
    for i in range(3):
        kinematics.normal[i] = axes[i, 2] / size
    _set_lever(contact, kinematics.normal, axis, depth, kinematics.lever_l)
    for i in range(3):
        reach = weight[0] * axes[i, 0] + weight[1] * axes[i, 1] + weight[2] * axes[i, 2]
        x_m = 0.5 * (kinematics.distance_i[i] + kinematics.distance_f[i])
        for a in range(3):
            along = contact["axes_k"][a, 0] * weight[0] + contact["axes_k"][a, 1] * weight[1]
            along += contact["axes_k"][a, 2] * weight[2]
            kinematics.turn_k[a, i] = along * axis[i] - contact["axes_k"][a, 2] * x_m
            kinematics.turn_l[a, i] = contact["axis_l"][a] * reach


@kernel
def find_spheroid(contact, k, l, kinematics):
    """Gaps at both ends of the step; see `contact_kinematics`."""
    kind = kinematics.pull.dtype
    axes_i, axis_i, y_i, e_i = np.empty((3, 3)), np.empty(3), np.empty(3), np.empty(3)
    axes_f, axis_f, y_f, e_f = np.empty((3, 3), kind), np.empty(3, kind), np.empty(3, kind), np.empty(3, kind)
    disk_from_k(contact, k.q_i, l.q_i, kinematics.distance_i, axes_i, axis_i, y_i, e_i)
    disk_from_k(contact, k.q_f, l.q_f, kinematics.distance_f, axes_f, axis_f, y_f, e_f)
    r_i, r_f = _reach(contact, e_i), _reach(contact, e_f)
    gap_i, gap_f = y_i[2] - r_i, y_f[2] - r_f
    weight = (e_i + e_f) / (r_i + r_f)
    for j in range(3):
        weight[j] *= contact.crown**2 if j == 2 else contact.radius_l**2
    for i in range(3):
        kinematics.normal_i[i], kinematics.normal_f[i] = axes_i[i, 2], axes_f[i, 2]
    axes, axis = 0.5 * (axes_i + axes_f), 0.5 * (axis_i + axis_f)
    _touch(contact, axes, axis, weight, 0.25 * (gap_i + gap_f), kinematics)
    return gap_i, gap_f
