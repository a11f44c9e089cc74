"""Contact geometry of a thin disk (body L) in a cylinder (body K) (Bauchau and Ju, section 2.2).

Contact point, gap and the normal force's exact work: `deepest_point`. lambda_L is the lever from the disk's centre to
the contact, its deepest point; friction acts on both bodies there. The paper's lambda for K (eqs. 16 and 18) ends on
the cylinder, at the distance of the penetration, so the two friction forces would leave a moment.

Bristles lie in the cylinder's surface and are stored by their components along (d1, d2, d3): they move around with the
contact and rotate with body K, at constant length.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.vectors import cross, length
from fem_mbd.core.model.node import Point
from fem_mbd.core.rotations import triad_with_third
from fem_mbd.joints.contact.geometry.contact_kinematics import DISK_IN_CYLINDER, TINY, add_point, disk_from_k
from fem_mbd.joints.contact.geometry.deepest_point import (
    add_gradient,
    contact_direction,
    gap_at,
    start_weight,
)


@dataclass(frozen=True, eq=False)
class DiskInCylinder:
    """A disk of radius_l (m) about L's point in a cylinder of radius_k (m) whose axis passes through K's point.

    axis, disk_axis : (3,) unit vectors, global axes, reference configuration.
    """

    radius_k: float
    radius_l: float
    axis: Array
    disk_axis: Array

    def fill(self, record: Any, k: Point, l: Point) -> None:
        """Copy the geometry to the contact's ``record``."""
        record["form"] = DISK_IN_CYLINDER
        record["in_frame"] = True
        record["oriented"] = True, True
        record["radius_k"], record["radius_l"] = self.radius_k, self.radius_l
        record["axes_k"] = k.node.rotation.T @ triad_with_third(self.axis)
        record["axis_l"] = l.node.rotation.T @ self.disk_axis

    def start(self, k: Point, l: Point) -> tuple[float, Array]:
        """Gap (m) and unit normal (3,) of the reference configuration."""
        triad = triad_with_third(self.axis)
        y, e = triad.T @ (l.position - k.position), triad.T @ self.disk_axis
        c, s = contact_direction(y, e, float(self.radius_l))
        gap = gap_at(y, e, c, s, float(self.radius_k), float(self.radius_l))
        return float(gap), -triad[:, :2] @ (c, s)


@kernel
def begin(contact, q_k, q_l):
    """Store contact point and gap at t_i in the record, from the nodes' ambient vectors (4, 3)."""
    axes, axis, x, y, e = np.empty((3, 3)), np.empty(3), np.zeros(3), np.empty(3), np.empty(3)
    add_point(q_l, contact["arm"][1], x, 1.0)
    add_point(q_k, contact["arm"][0], x, -1.0)
    disk_from_k(contact, q_k, q_l, x, axes, axis, y, e)
    c, s = contact_direction(y, e, contact.radius_l)
    contact["direction_i"][0], contact["direction_i"][1] = c, s
    contact.gap_i = gap_at(y, e, c, s, contact.radius_k, contact.radius_l)


@kernel
def _surface(normal, axes_i, axes_f, frame):
    """Columns of frame (3, 3): unit normal at mid-step, and the cylinder's tangents around and along it."""
    along = 0.0 * normal[0]
    for i in range(3):
        frame[i, 0] = normal[i]
        frame[i, 2] = 0.5 * (axes_i[i, 2] + axes_f[i, 2])
        along += frame[i, 2] * normal[i]
    for i in range(3):
        frame[i, 2] -= along * normal[i]
    size = length(frame[:, 2])
    for i in range(3):
        frame[i, 2] /= size
    frame[0, 1], frame[1, 1], frame[2, 1] = cross(frame[:, 2], frame[:, 0])


@kernel
def _set_lever(radius, normal, axis_mean, lever_l):
    """Fill lever_l, from the disk's centre to the contact at mid-step; all vectors (3,)."""
    size, along = length(axis_mean), 0.0 * normal[0]
    for i in range(3):
        along += normal[i] * axis_mean[i] / size
    for i in range(3):
        lever_l[i] = normal[i] - along * axis_mean[i] / size
    scale = radius / (length(lever_l) + TINY)
    for i in range(3):
        lever_l[i] *= scale


@kernel
def _mean(start, end, out):
    """Fill out (n, 3) with the mean of arrays of its shape."""
    for v in range(out.shape[0]):
        for i in range(3):
            out[v, i] = 0.5 * (start[v, i] + end[v, i])


@kernel
def _find_contact(contact, k, l, kinematics, still, moving):
    """`find_contact`, with work arrays: still (6, 3) for quantities at t_i, moving (14, 3) for the rest."""
    radius, zero = contact.radius_l, 0.0 * kinematics.distance_f[0]
    axes_i, axis_i, y_i, e_i = still[:3], still[3], still[4], still[5]
    axes_f, axis_f, y_f, e_f = moving[:3], moving[3], moving[4], moving[5]
    axes_m, axis_m, x_m, on_e, on_k = moving[6:9], moving[9], moving[10], moving[11], moving[12:]
    disk_from_k(contact, k.q_i, l.q_i, kinematics.distance_i, axes_i, axis_i, y_i, e_i)
    disk_from_k(contact, k.q_f, l.q_f, kinematics.distance_f, axes_f, axis_f, y_f, e_f)
    c_i, s_i = contact["direction_i"][0], contact["direction_i"][1]
    c_f, s_f = contact_direction(y_f, e_f, radius)

    weight = start_weight(y_i, e_i, c_i, s_i, y_f, e_f, c_f, s_f, radius)
    on_x = kinematics.pull
    _mean(still[:4], moving[:4], moving[6:10])
    for i in range(3):
        x_m[i] = 0.5 * (kinematics.distance_i[i] + kinematics.distance_f[i])
        on_x[i], on_e[i], on_k[0, i], on_k[1, i] = zero, zero, zero, zero
    means, on = (x_m, axis_m, axes_m), (on_x, on_e, on_k)
    add_gradient(weight, c_i, s_i, e_i, e_f, means, radius, on)
    add_gradient(1.0 - weight, c_f, s_f, e_i, e_f, means, radius, on)

    size = length(on_x) + TINY
    for i in range(3):
        kinematics.normal[i] = on_x[i] / size
        kinematics.normal_f[i] = c_f * axes_f[i, 0] + s_f * axes_f[i, 1]
        for a in range(3):
            kinematics.turn_l[a, i] = contact["axis_l"][a] * on_e[i]
            kinematics.turn_k[a, i] = (
                contact["axes_k"][a, 0] * on_k[0, i] + contact["axes_k"][a, 1] * on_k[1, i]
            )
    _set_lever(radius, kinematics.normal, axis_m, kinematics.lever_l)
    _surface(kinematics.normal, axes_i, axes_f, kinematics.frame)
    return contact.gap_i, gap_at(y_f, e_f, c_f, s_f, contact.radius_k, radius)


@kernel
def find_contact(contact, k, l, kinematics):
    """Gaps at both ends of the step; see `contact_kinematics`. `begin` has been called for the step."""
    return _find_contact(
        contact, k, l, kinematics, np.empty((6, 3)), np.empty((14, 3), kinematics.pull.dtype)
    )
