"""Compiled contact of a point or a ball with a plane, and of two balls, with friction.

K carries the plane (unit normal n fixed to it, through its point) or a ball, L the point or a ball; x = x_L - x_K.

    plane: q = n . x - rho_L                 Dq = n_m . Dx + x_m . Dn       n_m = (n_i + n_f)/2, x_m = (x_i + x_f)/2
    balls: q = |x| - rho_K - rho_L           Dq = n_m . Dx                  n_m = (x_i + x_f)/(|x_i| + |x_f|)

Both are exact, so a force f_n along n_m (and, for the plane, -f_n x_m on the directors of K that make up n) does
exactly the work f_n Dq. Friction acts in the middle of the penetration: p_L = -(rho_L + q_m/2) n_m from L's point,
p_K = x_m + p_L from that of K. It is applied to the material points that are there at mid-step, eta = Rbar^-1 p in each
body's axes, whose slip is

    s_m = P [Dx + DR_L eta_L - DR_K eta_K],     P the projection on the plane normal to n_m.

Forces at material points are pulled back exactly: the work of friction is -f_n mu . s_m, forces and moments balance,
and a rigid motion of both bodies, however large, is no slip at all. Bristles are carried by the smallest rotation
between normals and with the twist of the plane's body about the normal (of both balls: its mean), so that they turn
with bodies that turn together. Tangent: complex step over (a, b, e) of both nodes.

Source: Colantonio et al., A projected LuGre model, sections 2.3 (contact of a point and a plane) and 3; the
discretisation is this package's own (docs/contact.md).
"""

from __future__ import annotations

import numpy as np

from fem_mbd.compiled import kernel
from fem_mbd.friction.normal.dispatch import normal_force
from fem_mbd.friction.tangential import friction_force, turned_states
from fem_mbd.joints.contact.contact_assembly import assembly_of
from fem_mbd.joints.contact.contact_parts import (
    TINY,
    add_point,
    carry,
    cross,
    length,
    read_bristles,
    remove_along,
    store_directions,
    store_forces,
)
from fem_mbd.scheme.node_map import node_configuration, pull_back, variation_maps

PLANE, BALLS = 1, 2


@kernel
def gap_and_normal(contact, q_k, q_l, x, n):
    """Fill x (3,), point of L from point of K, and the unit normal n (3,) from K to L; return the gap in m."""
    for i in range(3):
        x[i] = 0.0 * q_l[0, i]
    add_point(q_l, contact["arm"][1], x, 1.0)
    add_point(q_k, contact["arm"][0], x, -1.0)
    if contact.form == PLANE:
        gap = -contact.radius_l + 0.0 * x[0]
        for i in range(3):
            n[i] = 0.0 * x[i]
            for a in range(3):
                n[i] += contact["plane"][a] * q_k[1 + a, i]
            gap += n[i] * x[i]
        return gap
    distance = length(x)
    for i in range(3):
        n[i] = x[i] / (distance + TINY)
    return distance - contact.radius_k - contact.radius_l


@kernel
def _mean_normal(contact, x_i, x_f, n_i, n_f, n_m):
    """Fill n_m (3,), along which the normal force acts; not of unit length."""
    weight = 0.5 + 0.0 * x_f[0]
    if contact.form == BALLS:
        weight = 1.0 / (length(x_i) + length(x_f) + TINY)
    for i in range(3):
        if contact.form == BALLS:
            n_m[i] = weight * (x_i[i] + x_f[i])
        else:
            n_m[i] = weight * (n_i[i] + n_f[i])


@kernel
def _material_point(r_i, r_f, p, eta):
    """Fill eta (3,) with (R_i + R_f) eta/2 = p: the body's point that is at ``p`` (3,) at mid-step."""
    m, c = np.empty((3, 3), r_f.dtype), np.empty((3, 3), r_f.dtype)
    for i in range(3):
        for j in range(3):
            m[i, j] = 0.5 * (r_i[i, j] + r_f[i, j])
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        # row i of the cofactors is the cross product of the other two columns
        c[i, 0] = m[1, j] * m[2, k] - m[2, j] * m[1, k]
        c[i, 1] = m[2, j] * m[0, k] - m[0, j] * m[2, k]
        c[i, 2] = m[0, j] * m[1, k] - m[1, j] * m[0, k]
    determinant = m[0, 0] * c[0, 0] + m[1, 0] * c[0, 1] + m[2, 0] * c[0, 2]
    for i in range(3):
        eta[i] = (c[i, 0] * p[0] + c[i, 1] * p[1] + c[i, 2] * p[2]) / determinant


@kernel
def _slip(change, r_k, r_l, rf_k, rf_l, eta_k, eta_l, n_hat, slip):
    """Fill slip (3,): change of place of the material point of L against that of K, in the tangent plane."""
    for i in range(3):
        slip[i] = change[i]
        for a in range(3):
            slip[i] += (rf_l[i, a] - r_l[i, a]) * eta_l[a] - (rf_k[i, a] - r_k[i, a]) * eta_k[a]
    remove_along(n_hat, slip)


@kernel
def _add_twist(r_i, r_f, n_i, n_f, sums):
    """Add to sums (2,) twice the cosine and sine of a body's twist about the normal that goes from n_i to n_f."""
    t, moved = np.empty((2, 3), n_f.dtype), np.empty(3, n_f.dtype)
    least = 0
    for i in range(1, 3):
        if abs(n_i[i].real) < abs(n_i[least].real):
            least = i
    side = np.zeros(3, n_f.dtype)
    side[least] = 1.0
    cross(n_i, side, t[0])
    size = length(t[0])
    for i in range(3):
        t[0, i] /= size
    cross(n_i, t[0], t[1])
    for a in range(2):
        for i in range(3):
            moved[i] = 0.0 * n_f[0]
        for j in range(3):
            component = r_i[0, j] * t[a, 0] + r_i[1, j] * t[a, 1] + r_i[2, j] * t[a, 2]
            for i in range(3):
                moved[i] += r_f[i, j] * component
        carry(t[a : a + 1], n_i, n_f)
        cross(t[a], moved, side)
        for i in range(3):
            sums[0] += t[a, i] * moved[i]
            sums[1] += side[i] * n_f[i]


@kernel
def _turn(z, axis, c, s):
    """Turn the tangent vectors z (nz, 3) about the unit ``axis`` by the angle of cosine c and sine s."""
    out = np.empty(3, z.dtype)
    for k in range(z.shape[0]):
        cross(axis, z[k], out)
        for i in range(3):
            z[k, i] = c * z[k, i] + s * out[i]


@kernel
def _half_twist(contact, r_k, r_l, rf_k, rf_l, n_i, n_f):
    """Cosine and sine of half the twist that the bristles take part in: K's on a plane, the mean of two balls'."""
    sums = np.zeros(2, n_f.dtype)
    _add_twist(r_k, rf_k, n_i, n_f, sums)
    if contact.form == BALLS:
        _add_twist(r_l, rf_l, n_i, n_f, sums)
    size = np.sqrt(sums[0] * sums[0] + sums[1] * sums[1]) + TINY
    c, s = sums[0] + size, sums[1]
    size = np.sqrt(c * c + s * s) + TINY
    return c / size, s / size


@kernel
def _add_rows(x, r_i, r_f, arm, eta, force, friction, own):
    """Add to own (12,) ``force`` (3,) at the point ``arm`` and ``friction`` (3,) at ``eta`` from it, in node axes."""
    w_m, w_f = np.empty((3, 3, 6), x.dtype), np.empty((3, 3, 6), x.dtype)
    q_m, q_f = np.empty((4, 3), x.dtype), np.zeros((4, 3), x.dtype)
    variation_maps(x, r_i, r_f, w_m, w_f)
    for i in range(3):
        q_m[0, i] = force[i] + friction[i]
        for a in range(3):
            q_m[1 + a, i] = arm[a] * (force[i] + friction[i]) + eta[a] * friction[i]
    pull_back(w_m, w_f, q_m, q_f, own)


@kernel
def _add_normal_moment(x, r_i, r_f, plane, force, own):
    """Add to own (12,) the force (3,) that acts on the plane's normal."""
    w_m, w_f = np.empty((3, 3, 6), x.dtype), np.empty((3, 3, 6), x.dtype)
    q_m, q_f = np.zeros((4, 3), x.dtype), np.zeros((4, 3), x.dtype)
    variation_maps(x, r_i, r_f, w_m, w_f)
    for i in range(3):
        for a in range(3):
            q_m[1 + a, i] = plane[a] * force[i]
    pull_back(w_m, w_f, q_m, q_f, own)


@kernel
def contact_rows(
    contact, normal_law, friction_law, history, dt, x_k, x_l, r_k, r_l, q_k, q_l, rows, z_f, store
):
    """Fill rows (24,) of K and L (internal forces, not times dt^2) and z_f (nz, 3); with ``store`` also the record.

    history (3 nz + 5,): as in `clearance_kernels.contact_rows`. r_k, r_l, q_k, q_l are those at t_i.
    """
    kind, nz = x_l.dtype, z_f.shape[0]
    qf_k, qf_l, p = np.empty((4, 3), kind), np.empty((4, 3), kind), np.empty((4, 3), kind)
    rf_k, rf_l = np.empty((3, 3), kind), np.empty((3, 3), kind)
    node_configuration(x_k, r_k, q_k, qf_k, p, rf_k)
    node_configuration(x_l, r_l, q_l, qf_l, p, rf_l)
    x_i, n_i, x_f, n_f = np.empty(3), np.empty(3), np.empty(3, kind), np.empty(3, kind)
    gap_i = gap_and_normal(contact, q_k, q_l, x_i, n_i)
    gap_f = gap_and_normal(contact, qf_k, qf_l, x_f, n_f)
    f_n, f_e = normal_force(normal_law, gap_i, gap_f, dt, history[3 * nz])

    n_m, slip, mu, z_i = np.empty(3, kind), np.empty(3, kind), np.empty(3, kind), np.empty((nz, 3), kind)
    eta_k, eta_l, x_m = np.empty(3, kind), np.empty(3, kind), 0.5 * (x_i + x_f)
    _mean_normal(contact, x_i, x_f, n_i, n_f, n_m)
    n_hat, p_l = n_m / (length(n_m) + TINY), -(contact.radius_l + 0.25 * (gap_i + gap_f)) * n_m
    _material_point(r_k, rf_k, x_m + p_l, eta_k)
    _material_point(r_l, rf_l, p_l, eta_l)
    _slip(x_f - x_i, r_k, r_l, rf_k, rf_l, eta_k, eta_l, n_hat, slip)

    read_bristles(history, z_i)
    turns = turned_states(friction_law) if f_n.real > 0.0 else 0
    c, s = 1.0 + 0.0 * f_n, 0.0 * f_n
    if turns > 0:
        c, s = _half_twist(contact, r_k, r_l, rf_k, rf_l, n_i, n_f)
        carry(z_i[:turns], n_i, n_hat)
        _turn(z_i[:turns], n_hat, c, s)
    loss = friction_force(friction_law, slip, z_i, f_n, history[3 * nz + 4], dt, mu, z_f)
    if turns > 0:
        _turn(z_f[:turns], n_hat, c, s)
        carry(z_f[:turns], n_hat, n_f)
    rows[:] = 0.0
    if f_n.real > 0.0:
        force, friction = -f_n * n_m, f_n * mu
        _add_rows(x_l, r_l, rf_l, contact["arm"][1], eta_l, force, friction, rows[12:])
        _add_rows(x_k, r_k, rf_k, contact["arm"][0], eta_k, -force, -friction, rows[:12])
        if contact.form == PLANE:
            _add_normal_moment(x_k, r_k, rf_k, contact["plane"], -f_n * x_m, rows[:12])
    if store:
        store_forces(contact, history[3 * nz], dt, gap_i, gap_f, f_n, f_e, loss)
        store_directions(contact, mu, slip, n_hat, n_f)


residual, tangent = assembly_of(contact_rows)
