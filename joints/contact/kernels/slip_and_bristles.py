"""Slip and bristle deflections of a contact over a step, and the friction force on both bodies (compiled).

P is the projection on the plane normal to the step's normal, lambda the way from L's point to the contact at mid-step,
x = x_L - x_K, x_m its mean. The slip is, by ``slip_of``,

    BY_CENTRE:    s_m = P [Dx - DR_K eta_K + (Rbar_L b_L - Rbar_K b_K) x lambda],       eta_K = Rbar_K^-1 x_m
    BY_POINTS:    s_m = P [Dx + DR_L eta_L - DR_K eta_K],     eta_L = Rbar_L^-1 lambda, eta_K = Rbar_K^-1 (x_m + lambda)
    BY_SURFACES:  s_m = P [Dx + (Rbar_L b_L) x lambda_L - (Rbar_K b_K) x lambda_K]      (Bauchau and Ju, eqs. 5 and 7)

BY_CENTRE is the displacement of L's point against the material of K there, and the relative spin times the lever:
exact for a ball that spins in its socket or rolls on a plane. BY_POINTS is that of the two bodies' material points at
the contact, which treats them alike (two balls). In both a rigid motion of both bodies, however large, causes no slip
to round-off, and forces and moments balance. BY_SURFACES has the paper's two levers, that end apart by the penetration.

In all three the work of the friction force -f_n mu on L is exactly -f_n mu . s_m: it is pulled back to the points, to
the directors with eta, and to the rows b with the levers.

Bristle deflections are transported with the contact plane, from t_i to mid-step and on to t_f. Transported bristles
rotate by the smallest rotation between normals, and by the spin about the normal of the bodies selected by the geometry
(the mean of two), so that they follow a common rotation of both bodies. Bristles in a frame have constant components in
it. Both preserve their length.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.vectors import cross, dot, length
from fem_mbd.joints.contact.geometry.contact_kinematics import (
    BY_POINTS,
    BY_SURFACES,
    TINY,
    remove_along,
    transport,
    transported,
)


@kernel
def _add_rotation(body, lever, sign, slip):
    """slip (3,) += sign (Rbar b) x lever, the displacement of a body's contact point due to its rotation."""
    m0, m1, m2 = cross(_mean_rotated(body, body.x[3:6]), lever)
    slip[0] += sign * m0
    slip[1] += sign * m1
    slip[2] += sign * m2


@kernel
def _mean_rotated(body, v):
    """Rbar v of a vector (3,) in a body's axes."""
    r_i, r_f = body.r_i, body.r_f
    return (
        0.5 * (dot(r_i[0], v) + dot(r_f[0], v)),
        0.5 * (dot(r_i[1], v) + dot(r_f[1], v)),
        0.5 * (dot(r_i[2], v) + dot(r_f[2], v)),
    )


@kernel
def material_point(body, p):
    """eta with Rbar eta = p: the material point of the body at ``p`` (3,) at mid-step, as three numbers."""
    r_i, r_f = body.r_i, body.r_f
    columns = (
        (0.5 * (r_i[0, 0] + r_f[0, 0]), 0.5 * (r_i[1, 0] + r_f[1, 0]), 0.5 * (r_i[2, 0] + r_f[2, 0])),
        (0.5 * (r_i[0, 1] + r_f[0, 1]), 0.5 * (r_i[1, 1] + r_f[1, 1]), 0.5 * (r_i[2, 1] + r_f[2, 1])),
        (0.5 * (r_i[0, 2] + r_f[0, 2]), 0.5 * (r_i[1, 2] + r_f[1, 2]), 0.5 * (r_i[2, 2] + r_f[2, 2])),
    )
    # a row of the cofactors is the cross product of the other two columns
    c0, c1, c2 = cross(columns[1], columns[2]), cross(columns[2], columns[0]), cross(columns[0], columns[1])
    scale = 1.0 / dot(columns[0], c0)
    return scale * dot(c0, p), scale * dot(c1, p), scale * dot(c2, p)


@kernel
def _set_levers(contact, k, l, kinematics):
    """Fill eta_k, eta_l and the levers of the spins, lever_k, lever_l, from lever_l of the geometry."""
    eta_k, eta_l = kinematics.eta_k, kinematics.eta_l
    lever_k, lever_l = kinematics.lever_k, kinematics.lever_l
    if contact.slip_of == BY_SURFACES:
        for i in range(3):
            eta_k[i], eta_l[i] = 0.0, 0.0
        return
    x_i, x_f = kinematics.distance_i, kinematics.distance_f
    on_k = 0.5 * (x_i[0] + x_f[0]), 0.5 * (x_i[1] + x_f[1]), 0.5 * (x_i[2] + x_f[2])
    if contact.slip_of == BY_POINTS:
        on_k = on_k[0] + lever_l[0], on_k[1] + lever_l[1], on_k[2] + lever_l[2]
        eta_l[0], eta_l[1], eta_l[2] = material_point(l, lever_l)
        for i in range(3):
            lever_l[i] = 0.0
    else:
        for i in range(3):
            eta_l[i] = 0.0
    eta_k[0], eta_k[1], eta_k[2] = material_point(k, on_k)
    for i in range(3):
        lever_k[i] = lever_l[i]


@kernel
def find_slip(contact, k, l, kinematics):
    """Fill the kinematics's slip (3,), eta_k and eta_l (3,), and the levers of the spins."""
    _set_levers(contact, k, l, kinematics)
    slip, eta_k, eta_l = kinematics.slip, kinematics.eta_k, kinematics.eta_l
    for i in range(3):
        slip[i] = kinematics.distance_f[i] - kinematics.distance_i[i]
        for a in range(3):
            slip[i] += (l.r_f[i, a] - l.r_i[i, a]) * eta_l[a] - (k.r_f[i, a] - k.r_i[i, a]) * eta_k[a]
    if contact.slip_of != BY_POINTS:
        _add_rotation(l, kinematics.lever_l, 1.0, slip)
        _add_rotation(k, kinematics.lever_k, -1.0, slip)
    remove_along(kinematics.normal, slip)


@kernel
def set_forces(contact, body, sign, f_n, force, turn, friction, lever, eta, out):
    """Fill out (5, 3): ambient forces on the four vectors of a body, and a moment on its rows b.

    sign times ``force`` (3,) acts at the body's point and times ``friction`` (3,) at eta from it and by ``lever``, f_n
    times ``turn`` (3, 3) on the directors; sign is 1 for L and -1 for K.
    """
    for i in range(3):
        out[0, i], out[4, i] = sign * force[i], 0.0
        for a in range(3):
            out[1 + a, i] = body.arm[a] * (sign * force[i]) + f_n * turn[a, i] + eta[a] * (sign * friction[i])
    if contact.slip_of != BY_POINTS:
        # the moment of the friction force, dual to `_add_rotation`
        m0, m1, m2 = cross(lever, friction)
        r_i, r_f = body.r_i, body.r_f
        for j in range(3):
            rotated = (
                (r_i[0, j] + r_f[0, j]) * m0 + (r_i[1, j] + r_f[1, j]) * m1 + (r_i[2, j] + r_f[2, j]) * m2
            )
            out[4, j] = 0.5 * sign * rotated


@kernel
def add_to_nodes(forces, nodes, scale, force_m, rows):
    """Add scale times forces (2, 5, 3) on K and L, as in `set_forces`, to their nodes' force_m (n, 4, 3) and rows."""
    for side in range(2):
        node = nodes[side]
        for i in range(3):
            rows[node, 3 + i] += scale * forces[side, 4, i]
            for a in range(4):
                force_m[node, a, i] += scale * forces[side, a, i]


@kernel
def _spin_of_tangent(body, t, n_i, n_f):
    """Cosine and sine of the spin of a body measured with the unit tangent ``t`` at t_i."""
    r_i, r_f = body.r_i, body.r_f
    own = dot(r_i[:, 0], t), dot(r_i[:, 1], t), dot(r_i[:, 2], t)
    with_body = dot(r_f[0], own), dot(r_f[1], own), dot(r_f[2], own)
    with_normal = transported(t, n_i, n_f)
    return dot(with_normal, with_body), dot(cross(with_normal, with_body), n_f)


@kernel
def _spin_about_normal(body, n_i, n_f):
    """Twice the cosine and sine of a body's spin about the normal, which moves from n_i to n_f."""
    x, y, z = abs(n_i[0].real), abs(n_i[1].real), abs(n_i[2].real)
    least = (1.0, 0.0, 0.0) if x <= y and x <= z else ((0.0, 1.0, 0.0) if y <= z else (0.0, 0.0, 1.0))
    t = cross(n_i, least)
    size = length(t)
    first = t[0] / size, t[1] / size, t[2] / size
    c, s = _spin_of_tangent(body, first, n_i, n_f)
    c_2, s_2 = _spin_of_tangent(body, cross(n_i, first), n_i, n_f)
    return c + c_2, s + s_2


@kernel
def half_spin(contact, k, l, kinematics):
    """Cosine and sine of half the spin that transported bristles follow; ``twists`` selects one body or both."""
    c, s = 0.0 * kinematics.normal_f[0], 0.0 * kinematics.normal_f[0]
    if contact["twists"][0]:
        c_k, s_k = _spin_about_normal(k, kinematics.normal_i, kinematics.normal_f)
        c, s = c + c_k, s + s_k
    if contact["twists"][1]:
        c_l, s_l = _spin_about_normal(l, kinematics.normal_i, kinematics.normal_f)
        c, s = c + c_l, s + s_l
    c += np.sqrt(c * c + s * s) + TINY
    size = np.sqrt(c * c + s * s) + TINY
    return c / size, s / size


@kernel
def _rotate(z, axis, c, s):
    """Rotate the tangent vectors z (nz, 3) about the unit ``axis`` by the angle of cosine c and sine s."""
    for k in range(z.shape[0]):
        a0, a1, a2 = cross(axis, z[k])
        z[k, 0], z[k, 1], z[k, 2] = c * z[k, 0] + s * a0, c * z[k, 1] + s * a1, c * z[k, 2] + s * a2


@kernel
def _to_global(z, frame):
    """Replace z (nz, 3), components in the columns of frame, by the vectors."""
    for k in range(z.shape[0]):
        v0, v1, v2 = z[k, 0], z[k, 1], z[k, 2]
        for i in range(3):
            z[k, i] = frame[i, 0] * v0 + frame[i, 1] * v1 + frame[i, 2] * v2


@kernel
def _to_components(z, frame):
    """Replace z (nz, 3) by its components in the columns of frame."""
    for k in range(z.shape[0]):
        v0, v1, v2 = z[k, 0], z[k, 1], z[k, 2]
        for j in range(3):
            z[k, j] = frame[0, j] * v0 + frame[1, j] * v1 + frame[2, j] * v2


@kernel
def to_step_plane(contact, kinematics, c, s, z):
    """Transform stored bristles at t_i to vectors z (nz, 3) of the step's plane; c, s from `half_spin`."""
    if contact.in_frame:
        _to_global(z, kinematics.frame)
    else:
        transport(z, kinematics.normal_i, kinematics.normal)
        if contact["twists"][0]:
            _rotate(z, kinematics.normal, c, s)
    # a law that scales bristles up by slip over deflection amplifies round-off normal to the plane from step to step,
    # and friction would do work there without a corresponding slip
    for k in range(z.shape[0]):
        remove_along(kinematics.normal, z[k])


@kernel
def to_stored(contact, kinematics, c, s, z):
    """Transform vectors z (nz, 3) of the step's plane to the stored bristles at t_f."""
    if contact.in_frame:
        _to_components(z, kinematics.frame)
        return
    if contact["twists"][0]:
        _rotate(z, kinematics.normal, c, s)
    transport(z, kinematics.normal, kinematics.normal_f)
