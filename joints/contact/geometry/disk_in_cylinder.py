"""Compiled contact of a thin disk on body L in a cylinder on body K, with friction (Bauchau and Ju, section 2.2).

Geometry and the normal force's exact work: `disk_in_cylinder`. Normal and friction force are constant over the step.
Slip of the step, nhat being the mean normal and P the projection on the plane normal to it (their eqs. 16, 18):

    s_m = P [Dx + (Rbar_L b_L) x lambda_L - (Rbar_K b_K) x lambda_K],    lambda_K = x_mean + lambda_L

lambda_L is the disk's radius to its contact point. Both bodies are taken at that same point: the paper's lambda for K
ends on the cylinder, a penetration away, by which the two friction forces would leave a moment. The friction force on L
is -f_n mu, its moments act on the rows b by the same levers, so its work is -f_n mu . s_m exactly.

Bristles lie in the cylinder's surface and are kept by their components along (d1, d2, d3): they go round with the
contact and turn with body K, at constant length. Tangent: complex step over (a, b, e) of both nodes.
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
    cross,
    length,
    read_bristles,
    remove_along,
    store_directions,
    store_forces,
)
from fem_mbd.joints.contact.disk_in_cylinder import add_gradient, contact_direction, gap_at, start_weight
from fem_mbd.scheme.node_map import node_configuration, pull_back, variation_maps


@kernel
def _relative(contact, q_k, q_l, axes, axis, x, y, e):
    """Fill cylinder's axes (3, 3; columns) and disk's axis (3,), x (3,) in global axes; x and e3L in the cylinder's."""
    for i in range(3):
        axis[i], x[i] = 0.0 * q_l[0, 0], 0.0 * q_l[0, 0]
        for j in range(3):
            axis[i] += contact["axis_l"][j] * q_l[1 + j, i]
            axes[i, j] = 0.0 * q_k[0, 0]
            for a in range(3):
                axes[i, j] += contact["axes_k"][a, j] * q_k[1 + a, i]
    add_point(q_l, contact["arm"][1], x, 1.0)
    add_point(q_k, contact["arm"][0], x, -1.0)
    for j in range(3):
        y[j], e[j] = 0.0 * x[0], 0.0 * x[0]
        for i in range(3):
            y[j] += axes[i, j] * x[i]
            e[j] += axes[i, j] * axis[i]


@kernel
def begin(contacts, q_i):
    """Place of the contact and gap at t_i of all records, from the nodes' ambient vectors q_i (n, 4, 3)."""
    axes, axis, x, y, e = np.empty((3, 3)), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for n in range(contacts.shape[0]):
        contact = contacts[n]
        _relative(contact, q_i[contact.nodes[0]], q_i[contact.nodes[1]], axes, axis, x, y, e)
        c, s = contact_direction(y, e, contact.radius_l)
        contact["place_i"][0], contact["place_i"][1] = c, s
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
    cross(frame[:, 2], frame[:, 0], frame[:, 1])


@kernel
def _to_global(components, frame, z):
    for k in range(z.shape[0]):
        for i in range(3):
            z[k, i] = 0.0 * frame[i, 0]
            for j in range(3):
                z[k, i] += frame[i, j] * components[k, j]


@kernel
def _to_components(z, frame):
    """Replace z (nz, 3) by its components in the columns of frame."""
    for k in range(z.shape[0]):
        v0, v1, v2 = z[k, 0], z[k, 1], z[k, 2]
        for j in range(3):
            z[k, j] = frame[0, j] * v0 + frame[1, j] * v1 + frame[2, j] * v2


@kernel
def _levers(contact, normal, x_mean, axis_mean, lever_k, lever_l):
    """Contact point from the centres of the cylinder and of the disk at mid-step."""
    size, along = length(axis_mean), 0.0 * normal[0]
    for i in range(3):
        along += normal[i] * axis_mean[i] / size
    for i in range(3):
        lever_l[i] = normal[i] - along * axis_mean[i] / size
    radius = contact.radius_l / (length(lever_l) + TINY)
    for i in range(3):
        lever_l[i] *= radius
        lever_k[i] = x_mean[i] + lever_l[i]


@kernel
def _add_rows(x, r_i, r_f, q_m, lever, friction, own):
    """Rows (12,) of one node: ambient forces q_m (4, 3), and the moment of ``friction`` at ``lever``."""
    w_m, w_f = np.empty((3, 3, 6), x.dtype), np.empty((3, 3, 6), x.dtype)
    q_f = np.zeros((4, 3), x.dtype)
    variation_maps(x, r_i, r_f, w_m, w_f)
    pull_back(w_m, w_f, q_m, q_f, own)
    add_lever_moment(r_i, r_f, lever, friction, own)


@kernel
def _forces(contact, f_n, friction, on_x, on_e, on_k, q_k, q_l):
    """Ambient forces (4, 3) on K and L of the normal force's gradient and of the friction force on x."""
    for i in range(3):
        pull = f_n * on_x[i] + friction[i]
        q_l[0, i], q_k[0, i] = pull, -pull
        for a in range(3):
            q_l[1 + a, i] = contact["arm"][1, a] * pull + f_n * contact["axis_l"][a] * on_e[i]
            q_k[1 + a, i] = f_n * (
                contact["axes_k"][a, 0] * on_k[0, i] + contact["axes_k"][a, 1] * on_k[1, i]
            )
            q_k[1 + a, i] -= contact["arm"][0, a] * pull


@kernel
def contact_rows(
    contact, normal_law, friction_law, history, dt, x_k, x_l, r_k, r_l, q_k, q_l, rows, z_f, store
):
    """Fill rows (24,) of K and L (internal forces, not times dt^2) and z_f (nz, 3); with ``store`` also the record.

    history (3 nz + 5,): bristles along (d1, d2, d3), speed at which the contact began, normal at t_i (not used), normal
    force of the last step.
    r_k, r_l, q_k, q_l are those at t_i; `begin` has been called for them.
    """
    kind, nz = x_l.dtype, z_f.shape[0]
    qf_k, qf_l, p = np.empty((4, 3), kind), np.empty((4, 3), kind), np.empty((4, 3), kind)
    rf_k, rf_l = np.empty((3, 3), kind), np.empty((3, 3), kind)
    node_configuration(x_k, r_k, q_k, qf_k, p, rf_k)
    node_configuration(x_l, r_l, q_l, qf_l, p, rf_l)
    axes_i, axis_i, x_i, y_i, e_i = np.empty((3, 3)), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    axes_f, axis_f, x_f = np.empty((3, 3), kind), np.empty(3, kind), np.empty(3, kind)
    y_f, e_f = np.empty(3, kind), np.empty(3, kind)
    _relative(contact, q_k, q_l, axes_i, axis_i, x_i, y_i, e_i)
    _relative(contact, qf_k, qf_l, axes_f, axis_f, x_f, y_f, e_f)
    c_i, s_i, gap_i = contact["place_i"][0], contact["place_i"][1], contact.gap_i
    c_f, s_f = contact_direction(y_f, e_f, contact.radius_l)
    gap_f = gap_at(y_f, e_f, c_f, s_f, contact.radius_k, contact.radius_l)
    f_n, f_e = normal_force(normal_law, gap_i, gap_f, dt, history[3 * nz])

    weight = start_weight(y_i, e_i, c_i, s_i, y_f, e_f, c_f, s_f, contact.radius_l)
    on_x, on_e, on_k = np.zeros(3, kind), np.zeros(3, kind), np.zeros((2, 3), kind)
    x_m, axis_m, axes_m = 0.5 * (x_i + x_f), 0.5 * (axis_i + axis_f), 0.5 * (axes_i + axes_f)
    add_gradient(weight, c_i, s_i, e_i, e_f, x_m, axis_m, axes_m, contact.radius_l, on_x, on_e, on_k)
    add_gradient(1.0 - weight, c_f, s_f, e_i, e_f, x_m, axis_m, axes_m, contact.radius_l, on_x, on_e, on_k)

    normal, slip, mu = on_x / (length(on_x) + TINY), x_f - x_i, np.empty(3, kind)
    lever_k, lever_l, frame = np.empty(3, kind), np.empty(3, kind), np.empty((3, 3), kind)
    _levers(contact, normal, x_m, axis_m, lever_k, lever_l)
    add_lever_slip(x_l, r_l, rf_l, lever_l, 1.0, slip)
    add_lever_slip(x_k, r_k, rf_k, lever_k, -1.0, slip)
    remove_along(normal, slip)

    z_i = np.empty((nz, 3), kind)
    read_bristles(history, z_i)
    turns = turned_states(friction_law) if f_n.real > 0.0 else 0
    if turns > 0:
        _surface(normal, axes_i, axes_f, frame)
        _to_global(history[: 3 * turns].reshape(turns, 3), frame, z_i[:turns])
    loss = friction_force(friction_law, slip, z_i, f_n, history[3 * nz + 4], dt, mu, z_f)
    if turns > 0:
        _to_components(z_f[:turns], frame)
    rows[:] = 0.0
    if f_n.real > 0.0:
        friction, force_k, force_l = f_n * mu, np.empty((4, 3), kind), np.empty((4, 3), kind)
        _forces(contact, f_n, friction, on_x, on_e, on_k, force_k, force_l)
        _add_rows(x_l, r_l, rf_l, force_l, lever_l, friction, rows[12:])
        _add_rows(x_k, r_k, rf_k, force_k, lever_k, -friction, rows[:12])
    if store:
        store_forces(contact, history[3 * nz], dt, gap_i, gap_f, f_n, f_e, loss)
        store_directions(contact, mu, slip, normal, c_f * axes_f[:, 0] + s_f * axes_f[:, 1])


residual, tangent = assembly_of(contact_rows)
