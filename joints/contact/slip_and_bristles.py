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
from fem_mbd.joints.contact.contact_kinematics import (
    BY_CENTRE,
    BY_POINTS,
    BY_SURFACES,
    TINY,
    remove_along,
    transport,
    transported,
)


@kernel
def _add_rotation(spin, lever, sign, slip):
    """slip (3,) += sign spin x lever, the displacement of a body's contact point due to its rotation."""
    m0, m1, m2 = cross(spin, lever)
    slip[0] += sign * m0
    slip[1] += sign * m1
    slip[2] += sign * m2


@kernel
def _rows_of_inverse(body):
    """Rbar^-1 of a body's mean rotation over the step: its rows, three numbers each."""
    r_i, r_f = body.r_i, body.r_f
    columns = (
        (0.5 * (r_i[0, 0] + r_f[0, 0]), 0.5 * (r_i[1, 0] + r_f[1, 0]), 0.5 * (r_i[2, 0] + r_f[2, 0])),
        (0.5 * (r_i[0, 1] + r_f[0, 1]), 0.5 * (r_i[1, 1] + r_f[1, 1]), 0.5 * (r_i[2, 1] + r_f[2, 1])),
        (0.5 * (r_i[0, 2] + r_f[0, 2]), 0.5 * (r_i[1, 2] + r_f[1, 2]), 0.5 * (r_i[2, 2] + r_f[2, 2])),
    )
    # a row of the cofactors is the cross product of the other two columns
    c0, c1, c2 = cross(columns[1], columns[2]), cross(columns[2], columns[0]), cross(columns[0], columns[1])
    scale = 1.0 / dot(columns[0], c0)
    return (
        (scale * c0[0], scale * c0[1], scale * c0[2]),
        (scale * c1[0], scale * c1[1], scale * c1[2]),
        (scale * c2[0], scale * c2[1], scale * c2[2]),
    )


@kernel
def material_point(body, p):
    """eta with Rbar eta = p: the material point of the body at ``p`` (3,) at mid-step, as three numbers."""
    rows = _rows_of_inverse(body)
    return dot(rows[0], p), dot(rows[1], p), dot(rows[2], p)


@kernel
def set_rotation(contact, body, spin, inverse):
    """Fill spin (3,) and inverse (3, 3) of the kinematics for the rotation of one body over the step."""
    r_i, r_f, x = body.r_i, body.r_f, body.x
    if contact.slip_of != BY_POINTS:
        b0, b1, b2 = x[3], x[4], x[5]
        for i in range(3):
            spin[i] = 0.5 * (
                (r_i[i, 0] + r_f[i, 0]) * b0 + (r_i[i, 1] + r_f[i, 1]) * b1 + (r_i[i, 2] + r_f[i, 2]) * b2
            )
    if contact.slip_of != BY_SURFACES:
        row_0, row_1, row_2 = _rows_of_inverse(body)
        inverse[0, 0], inverse[0, 1], inverse[0, 2] = row_0
        inverse[1, 0], inverse[1, 1], inverse[1, 2] = row_1
        inverse[2, 0], inverse[2, 1], inverse[2, 2] = row_2


@kernel
def at_material(inverse, p):
    """eta = Rbar^-1 p with the inverse (3, 3), as three numbers."""
    return dot(inverse[0], p), dot(inverse[1], p), dot(inverse[2], p)


@kernel
def _set_levers(contact, kinematics):
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
        eta_l[0], eta_l[1], eta_l[2] = at_material(kinematics.inverse_l, lever_l)
        for i in range(3):
            lever_l[i] = 0.0
    else:
        for i in range(3):
            eta_l[i] = 0.0
    eta_k[0], eta_k[1], eta_k[2] = at_material(kinematics.inverse_k, on_k)
    for i in range(3):
        lever_k[i] = lever_l[i]


@kernel
def find_slip(contact, k, l, kinematics):
    """Fill the kinematics's slip (3,), eta_k and eta_l (3,), and the levers of the spins; after `set_rotation`."""
    _set_levers(contact, kinematics)
    slip, eta_k, eta_l = kinematics.slip, kinematics.eta_k, kinematics.eta_l
    for i in range(3):
        slip[i] = kinematics.distance_f[i] - kinematics.distance_i[i]
    if contact.slip_of != BY_SURFACES:
        for i in range(3):
            for a in range(3):
                slip[i] -= (k.r_f[i, a] - k.r_i[i, a]) * eta_k[a]
    if contact.slip_of == BY_POINTS:
        for i in range(3):
            for a in range(3):
                slip[i] += (l.r_f[i, a] - l.r_i[i, a]) * eta_l[a]
    elif contact.slip_of == BY_CENTRE:  # one lever
        w_k, w_l = kinematics.spin_k, kinematics.spin_l
        _add_rotation((w_l[0] - w_k[0], w_l[1] - w_k[1], w_l[2] - w_k[2]), kinematics.lever_l, 1.0, slip)
    else:
        _add_rotation(kinematics.spin_l, kinematics.lever_l, 1.0, slip)
        _add_rotation(kinematics.spin_k, kinematics.lever_k, -1.0, slip)
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
    t_in_body = dot(r_i[:, 0], t), dot(r_i[:, 1], t), dot(r_i[:, 2], t)
    with_body = dot(r_f[0], t_in_body), dot(r_f[1], t_in_body), dot(r_f[2], t_in_body)
    with_normal = transported(t, n_i, n_f)
    return dot(with_normal, with_body), dot(cross(with_normal, with_body), n_f)


@kernel
def _tangents(n):
    """Two unit vectors normal to the unit normal ``n`` (3,) and to each other, three numbers each."""
    x, y, z = abs(n[0].real), abs(n[1].real), abs(n[2].real)
    least = (1.0, 0.0, 0.0) if x <= y and x <= z else ((0.0, 1.0, 0.0) if y <= z else (0.0, 0.0, 1.0))
    t = cross(n, least)
    size = length(t)
    first = t[0] / size, t[1] / size, t[2] / size
    return first, cross(n, first)


@kernel
def _spin_about_normal(body, n_i, n_f):
    """Twice the cosine and sine of a body's spin about the normal, which moves from n_i to n_f."""
    first, second = _tangents(n_i)
    c, s = _spin_of_tangent(body, first, n_i, n_f)
    c_2, s_2 = _spin_of_tangent(body, second, n_i, n_f)
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
def _add_turn(body, t, n_i, n_f, by_cosine, by_sine):
    """Add the derivatives of `_spin_of_tangent` by the spin of R_f about the body's axes to by_cosine, by_sine (3,)."""
    r_i, r_f = body.r_i, body.r_f
    t_in_body = dot(r_i[:, 0], t), dot(r_i[:, 1], t), dot(r_i[:, 2], t)
    w = transported(t, n_i, n_f)
    u = cross(n_f, w)
    d0, d1, d2 = cross(t_in_body, (dot(r_f[:, 0], w), dot(r_f[:, 1], w), dot(r_f[:, 2], w)))
    e0, e1, e2 = cross(t_in_body, (dot(r_f[:, 0], u), dot(r_f[:, 1], u), dot(r_f[:, 2], u)))
    by_cosine[0], by_cosine[1], by_cosine[2] = by_cosine[0] + d0, by_cosine[1] + d1, by_cosine[2] + d2
    by_sine[0], by_sine[1], by_sine[2] = by_sine[0] + e0, by_sine[1] + e1, by_sine[2] + e2


@kernel
def half_spin_derivatives(contact, k, l, n_i, n_f, out):
    """Fill out (4, 3): rows 0, 1 the derivatives of the angle of `half_spin` by the spins of K and L; 2, 3 scratch.

    n_i, n_f (3,): unit normals at both ends of the step, real
    """
    c, s = 0.0, 0.0
    first, second = _tangents(n_i)
    for side in range(2):
        if contact["twists"][side]:
            c_own, s_own = _spin_about_normal(l if side == 1 else k, n_i, n_f)
            c, s = c + c_own, s + s_own
    for side in range(2):
        body = l if side == 1 else k
        out[2:] = 0.0
        if contact["twists"][side]:
            _add_turn(body, first, n_i, n_f, out[2], out[3])
            _add_turn(body, second, n_i, n_f, out[2], out[3])
        for j in range(3):
            out[side, j] = 0.5 * (c * out[3, j] - s * out[2, j]) / (c * c + s * s + TINY)


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
