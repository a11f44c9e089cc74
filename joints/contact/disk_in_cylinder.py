"""Contact geometry of a thin disk (body L) in a cylinder (body K) (Bauchau and Ju, section 2.2).

Deepest point: position, gap and the gap's exact discrete gradient. Cylinder of radius rho_K with axis e3K on body K,
disk of radius rho_L with axis e3L on body L, x = x_L - x_K. With d1(phi) = cos phi e1K + sin phi e2K, d2 = e3K x d1,
g = e3L.d1, g_e = e3L.d2 and h = sqrt(1 - g^2), the gap towards the tangent plane at phi is

    qbar(phi) = rho_K - rho_L h - d1.x              (Bauchau and Ju, eq. 11)

and q is its minimum over phi (eqs. 12 and 13): the projection of the disk along the cylinder's axis is an ellipse, and
the contact is its point farthest from the axis. A quadrant of that ellipse contains exactly one such point, so the
search always succeeds, also for a centred or aligned disk.

Work. qbar at a fixed phi has an exact discrete gradient G(phi), with h1m in eq. 15 being the mean of the two norms
|d1 x e3L|. As printed eq. 15 is exact only for constant phi. Here the gradients at phi of both ends are weighted,

    G = w G(phi_i) + (1 - w) G(phi_f),   w = P_i / (P_i + P_f):   G.(change over the step) = q_f - q_i   to round-off,

P_k being the excess of qbar at instant k with the other instant's phi over that with its own, divided by sin(dphi/2)^2.
In the plane w = |x_i| / (|x_i| + |x_f|), eq. 4. Source: docs/explanation/theory.md, section 8.

Friction (`find_contact`). lambda_L is the lever from the disk's centre to the contact, its deepest point; friction acts
on both bodies there. The paper's lambda for K (eqs. 16 and 18) ends on the cylinder, at the distance of the
penetration, so the two friction forces would leave a moment. Bristles lie in the cylinder's surface and are stored by
their components along (d1, d2, d3): they move around with the contact and rotate with body K, at constant length.
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
from fem_mbd.joints.contact.contact_kinematics import DISK_IN_CYLINDER, TINY, add_point, disk_from_k

MAX_STEPS = 100  # of the search; bisection alone needs 50
FLAT_RATIO = 1e-12  # fraction of the radius: the minimum is not refined if less curved (contact all around)


@kernel
def _farthest(p, q, tilt, radius):
    """Angle in [0, pi/2] from the short axis of the ellipse to its farthest point from the cylinder's axis.

    p, q >= 0: position of the ellipse's centre along its short and long axis; ``tilt`` is sin^2 of the disk's tilt.
    """
    low, high = 0.0, 0.5 * np.pi
    psi = np.arctan2(q, p)
    if p * np.sqrt(1.0 - tilt) < radius * tilt:
        psi = 0.25 * np.pi  # the end of the short axis is a local minimum of the distance: start away from it
    for _ in range(MAX_STEPS):
        s, c = np.sin(psi), np.cos(psi)
        h = np.sqrt(1.0 - tilt * c * c)
        slope = -p * s + q * c + radius * tilt * c * s / h
        curve = -p * c - q * s + radius * tilt * ((c * c - s * s) / h - tilt * c * c * s * s / (h * h * h))
        if slope > 0.0:
            low = psi
        else:
            high = psi
        new = 0.5 * (low + high)
        if curve < 0.0 and low < psi - slope / curve < high:
            new = psi - slope / curve
        step = abs(new - psi)
        psi = new
        if step < 1e-15:
            break
    return psi


@kernel
def contact_direction(y, e, radius):
    """(cos phi, sin phi) of the contact (eq. 12), for x and e3L as y, e (3,) in the cylinder's axes; of y's type.

    The search uses real parts; two Newton steps add the derivative of a complex argument.
    """
    e0, e1, y0, y1 = e[0].real, e[1].real, y[0].real, y[1].real
    tilt = e0 * e0 + e1 * e1
    size = np.sqrt(tilt)
    if size > 0.0:
        e0, e1 = e0 / size, e1 / size
    else:
        e0, e1 = 1.0, 0.0
    p, q = y0 * e0 + y1 * e1, y1 * e0 - y0 * e1
    psi = _farthest(abs(p), abs(q), min(tilt, 1.0), radius)
    along, across = np.cos(psi), np.sin(psi)
    if p < 0.0:
        along = -along
    if q < 0.0:
        across = -across
    c, s = along * e0 - across * e1 + 0.0 * y[0], along * e1 + across * e0 + 0.0 * y[0]
    for _ in range(2):
        g, ge = e[0] * c + e[1] * s, e[1] * c - e[0] * s
        h = np.sqrt(1.0 - g * g)
        slope = radius * g * ge / h + y[0] * s - y[1] * c
        curve = radius * (ge * ge / (h * h * h) - g * g / h) + y[0] * c + y[1] * s
        if curve.real > FLAT_RATIO * radius:
            half = -0.5 * slope / curve
            n = 1.0 / (1.0 + half * half)
            c, s = (
                ((1.0 - half * half) * c - 2.0 * half * s) * n,
                ((1.0 - half * half) * s + 2.0 * half * c) * n,
            )
    return c, s


@kernel
def gap_at(y, e, c, s, radius_k, radius_l):
    """qbar (eq. 11) at (c, s) = (cos phi, sin phi) on the cylinder."""
    g = e[0] * c + e[1] * s
    return radius_k - radius_l * np.sqrt(1.0 - g * g) - y[0] * c - y[1] * s


@kernel
def _half_angle(c_i, s_i, c_f, s_f):
    """(cos, sin) of (phi_f - phi_i)/2, regular for any two directions."""
    cosine, sine = c_f * c_i + s_f * s_i, s_f * c_i - c_f * s_i
    if cosine.real >= 0.0:
        half_cosine = np.sqrt(0.5 * (1.0 + cosine))
        return half_cosine, 0.5 * sine / half_cosine
    half_sine = np.sqrt(0.5 * (1.0 - cosine))
    if sine.real < 0.0:
        half_sine = -half_sine
    return 0.5 * sine / half_sine, half_sine


@kernel
def _excess(y, e, c, s, half_cosine, half_sine, radius):
    """[qbar(other phi) - qbar(own phi)] / sin(dphi/2)^2 at one instant, without that division.

    ``half_sine`` is that of half the angle from the own phi to the other one; stationarity of qbar at the own phi
    eliminates the first-order part.
    """
    g, ge = e[0] * c + e[1] * s, e[1] * c - e[0] * s
    h = np.sqrt(1.0 - g * g)
    w = half_cosine * ge - half_sine * g
    other = g + 2.0 * half_sine * w
    both = h + np.sqrt(1.0 - other * other)
    level = 2.0 * (y[0] * c + y[1] * s) + 4.0 * radius * (w * w - g * g) / both
    return level + 8.0 * half_cosine * radius * ge * g * w * (g + half_sine * w) / (h * both * both)


@kernel
def start_weight(y_i, e_i, c_i, s_i, y_f, e_f, c_f, s_f, radius):
    """w, the weight of the gradient at phi_i; y and e (3,) in the cylinder's axes, c and s cosine and sine of phi."""
    half_cosine, half_sine = _half_angle(c_i, s_i, c_f, s_f)
    p_i = _excess(y_i, e_i, c_i, s_i, half_cosine, half_sine, radius)
    p_f = _excess(y_f, e_f, c_f, s_f, half_cosine, -half_sine, radius)
    return (p_i + 1e-300) / (p_i + p_f + 2e-300)  # for a disk that stays centred any weight is valid


@kernel
def add_gradient(weight, c, s, e_i, e_f, means, radius, on):
    """Add ``weight`` times minus G(phi) at (c, s) to ``on``: forces on x (3,), on e3L (3,) and on e1K, e2K (2, 3).

    e_i, e_f: e3L in the cylinder's axes; means over the step in global axes: of x, of e3L and of (3, 3), whose columns
    are e1K, e2K, e3K. -G.change = d1.Dx - kappa d1.De3L - (kappa e3L - x).Dd1; kappa is rho_L g1m/h1m of eq. 15.
    """
    (x_mean, axis_mean, axes_mean), (on_x, on_e, on_k) = means, on
    g_i, g_f = e_i[0] * c + e_i[1] * s, e_f[0] * c + e_f[1] * s
    kappa = radius * (g_i + g_f) / (np.sqrt(1.0 - g_i * g_i) + np.sqrt(1.0 - g_f * g_f))
    for i in range(3):
        d1 = weight * (c * axes_mean[i, 0] + s * axes_mean[i, 1])
        turn = weight * (kappa * axis_mean[i] - x_mean[i])
        on_x[i] += d1
        on_e[i] -= kappa * d1
        on_k[0, i] -= turn * c
        on_k[1, i] -= turn * s


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
