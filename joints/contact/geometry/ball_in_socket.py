"""Compiled contact between a ball (or disk) and the socket (or ring) around it, with friction, at a pair of points.

x = x_L - x_K between the centres; gap q = rho_K - rho_L - |x| (Bauchau and Ju, eq. 2). Normal and friction forces are
constant over the step. With n_m = (x_i + x_f)/(|x_i| + |x_f|) (eq. 4) the normal force does exactly the work
f_n (q_f - q_i). Slip of the step, with nhat = n_m/|n_m|, projected on the plane normal to nhat (eqs. 5 and 7):

    s_m = P [Dx + (Rbar_L b_L) x rho_L nhat - (Rbar_K b_K) x rho_K nhat]

The friction force on L is -f_n mu; its moments act on the rows b by the same levers, so its work is -f_n mu . s_m
exactly. Bristles lie in the tangent plane and turn with it by the smallest rotation between normals, which keeps their
length. Source: docs/theory.md, section 8.

Generic in the type of the unknowns: the tangent is a complex step over (a, b, e) of both nodes, exact to round-off.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.compiled import kernel
from fem_mbd.friction.normal.dispatch import normal_force
from fem_mbd.friction.tangential import friction_force, turned_states
from fem_mbd.joints.contact.contact_assembly import assembly_of
from fem_mbd.joints.contact.contact_parts import (
    TINY,
    add_lever_moment,
    add_lever_slip,
    add_point,
    carry,
    length,
    read_bristles,
    remove_along,
    store_directions,
    store_forces,
)
from fem_mbd.scheme.node_map import node_configuration, pull_back, variation_maps


@kernel
def _between_centres(contact, q_k, q_l, x):
    """Fill x (3,), centre of L from that of K; return its length in m."""
    for i in range(3):
        x[i] = 0.0 * q_l[0, i]
    add_point(q_l, contact["arm"][1], x, 1.0)
    add_point(q_k, contact["arm"][0], x, -1.0)
    return length(x)


@kernel
def _directions(x_i, l_i, x_f, l_f, n_m, n_hat, n_f):
    """Fill n_m, its unit vector n_hat and the unit normal n_f at t_f, (3,) each."""
    for i in range(3):
        n_m[i] = (x_i[i] + x_f[i]) / (l_i + l_f + TINY)
        n_f[i] = x_f[i] / (l_f + TINY)
    size = length(n_m) + TINY
    for i in range(3):
        n_hat[i] = n_m[i] / size


@kernel
def _add_rows(x, r_i, r_f, force, arm, lever, friction, own):
    """Rows own (12,) of a node: ``force`` (3,) at its centre point, and the moment of ``friction`` at ``lever``."""
    w_m, w_f = np.empty((3, 3, 6), x.dtype), np.empty((3, 3, 6), x.dtype)
    q_m, q_f = np.zeros((4, 3), x.dtype), np.zeros((4, 3), x.dtype)
    variation_maps(x, r_i, r_f, w_m, w_f)
    for i in range(3):
        q_m[0, i] = force[i]
        for a in range(3):
            q_m[1 + a, i] = arm[a] * force[i]
    pull_back(w_m, w_f, q_m, q_f, own)
    add_lever_moment(r_i, r_f, lever, friction, own)


@kernel
def contact_rows(
    contact, normal_law, friction_law, history, dt, x_k, x_l, r_k, r_l, q_k, q_l, rows, z_f, store
):
    """Fill rows (24,) of K and L (internal forces, not times dt^2) and z_f (nz, 3); with ``store`` also the record.

    history (3 nz + 5,): bristles, speed at which the contact began, normal at t_i, normal force of the last step.
    r_k, r_l, q_k, q_l are those at t_i.
    """
    kind, nz = x_l.dtype, z_f.shape[0]
    qf_k, qf_l, p = np.empty((4, 3), kind), np.empty((4, 3), kind), np.empty((4, 3), kind)
    rf_k, rf_l = np.empty((3, 3), kind), np.empty((3, 3), kind)
    node_configuration(x_k, r_k, q_k, qf_k, p, rf_k)
    node_configuration(x_l, r_l, q_l, qf_l, p, rf_l)
    x_i, x_f = np.empty(3), np.empty(3, kind)
    l_i, l_f = _between_centres(contact, q_k, q_l, x_i), _between_centres(contact, qf_k, qf_l, x_f)
    clearance = contact.radius_k - contact.radius_l
    gap_i, gap_f = clearance - l_i, clearance - l_f
    f_n, f_e = normal_force(normal_law, gap_i, gap_f, dt, history[3 * nz])

    n_m, n_hat, n_f = np.empty(3, kind), np.empty(3, kind), np.empty(3, kind)
    _directions(x_i, l_i, x_f, l_f, n_m, n_hat, n_f)
    slip, mu, z_i = x_f - x_i, np.empty(3, kind), np.empty((nz, 3), kind)
    lever_k, lever_l = contact.radius_k * n_hat, contact.radius_l * n_hat
    add_lever_slip(x_l, r_l, rf_l, lever_l, 1.0, slip)
    add_lever_slip(x_k, r_k, rf_k, lever_k, -1.0, slip)
    remove_along(n_hat, slip)

    read_bristles(history, z_i)
    turns = turned_states(friction_law) if f_n.real > 0.0 else 0
    carry(z_i[:turns], history[3 * nz + 1 : 3 * nz + 4], n_hat)
    loss = friction_force(friction_law, slip, z_i, f_n, history[3 * nz + 4], dt, mu, z_f)
    carry(z_f[:turns], n_hat, n_f)
    rows[:] = 0.0
    if f_n.real > 0.0:
        friction = f_n * mu
        force = f_n * n_m + friction
        _add_rows(x_l, r_l, rf_l, force, contact["arm"][1], lever_l, friction, rows[12:])
        _add_rows(x_k, r_k, rf_k, -force, contact["arm"][0], lever_k, -friction, rows[:12])
    if store:
        store_forces(contact, history[3 * nz], dt, gap_i, gap_f, f_n, f_e, loss)
        store_directions(contact, mu, slip, n_hat, n_f)


residual, tangent = assembly_of(contact_rows)
