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
from fem_mbd.friction.normal import impact_speed, normal_force, normal_potential
from fem_mbd.friction.tangential import bristle_energy, friction_force, turned_states
from fem_mbd.node_map import node_configuration, pull_back, variation_maps

CLEARANCE = np.dtype(
    [
        ("nodes", "i8", (2,)),
        ("arm", "f8", (2, 3)),  # centres of the two races from the mass centres, node axes
        ("radius_k", "f8"),
        ("radius_l", "f8"),
        # what the last evaluation found
        ("gap_i", "f8"),
        ("gap_f", "f8"),
        ("normal_force", "f8"),
        ("impact_speed", "f8"),  # of the contact that is closed at t_f
        ("mu", "f8", (3,)),
        ("slip", "f8", (3,)),
        ("normal", "f8", (3,)),  # nhat of the step
        ("normal_f", "f8", (3,)),  # at t_f
        ("loss_contact", "f8"),
        ("loss_friction", "f8"),
    ],
    align=True,
)
TINY = 1e-300  # keeps 0/0 away when the centres coincide; the contact is open there


@kernel
def _centre(q, arm, x, sign):
    """x (3,) += sign times the position of the point at ``arm`` of a node with ambient vectors q (4, 3)."""
    for i in range(3):
        x[i] += sign * (q[0, i] + arm[0] * q[1, i] + arm[1] * q[2, i] + arm[2] * q[3, i])


@kernel
def _cross(a, b, out):
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


@kernel
def _length(a):
    return np.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@kernel
def carry(z, n_from, n_to):
    """Turn the tangent vectors z (nz, 3) by the smallest rotation that takes the unit normal n_from to n_to."""
    cosine = 0.0 * n_to[0]
    for i in range(3):
        cosine += n_from[i] * n_to[i]
    for k in range(z.shape[0]):
        along = 0.0 * n_to[0]
        for i in range(3):
            along += n_to[i] * z[k, i]
        for i in range(3):
            # 1e-14: opposite normals occur only when the contact re-opened in between, with z = 0
            z[k, i] -= along / (1.0 + cosine + 1e-14) * (n_to[i] + n_from[i])


@kernel
def _spin_step(r_i, r_f, b, out):
    """out = Rbar b, the increment of rotation of the step in global axes."""
    for i in range(3):
        out[i] = 0.0 * b[0]
        for j in range(3):
            out[i] += 0.5 * (r_i[i, j] + r_f[i, j]) * b[j]


@kernel
def _add_rows(side, x, r_i, r_f, force, arm, lever, friction, rows):
    """Rows of one node: ``force`` (3,) at its centre point and the moment there of ``friction`` at ``lever``."""
    w_m, w_f = np.empty((3, 3, 6), x.dtype), np.empty((3, 3, 6), x.dtype)
    q_m, q_f = np.zeros((4, 3), x.dtype), np.zeros((4, 3), x.dtype)
    moment = np.empty(3, x.dtype)
    variation_maps(x, r_i, r_f, w_m, w_f)
    for i in range(3):
        q_m[0, i] = force[i]
        for a in range(3):
            q_m[1 + a, i] = arm[a] * force[i]
    own = rows[12 * side : 12 * side + 12]
    pull_back(w_m, w_f, q_m, q_f, own)
    _cross(lever, friction, moment)
    for j in range(3):
        for i in range(3):
            own[3 + j] += 0.5 * (r_i[i, j] + r_f[i, j]) * moment[i]


@kernel
def contact_rows(
    contact, normal_law, friction_law, history, dt, x_k, x_l, r_k, r_l, q_k, q_l, rows, z_f, store
):
    """Fill rows (24,) of K and L (internal forces, not times dt^2) and z_f (nz, 3); with ``store`` also the record.

    history (3 nz + 5,): bristles, speed at which the contact began, normal at t_i, normal force of the last step.
    r_k, r_l, q_k, q_l are those at t_i.
    """
    kind = x_l.dtype
    qf_k, qf_l, p = np.empty((4, 3), kind), np.empty((4, 3), kind), np.empty((4, 3), kind)
    rf_k, rf_l = np.empty((3, 3), kind), np.empty((3, 3), kind)
    node_configuration(x_k, r_k, q_k, qf_k, p, rf_k)
    node_configuration(x_l, r_l, q_l, qf_l, p, rf_l)
    x_i, x_f = np.zeros(3), np.zeros(3, kind)
    _centre(q_l, contact["arm"][1], x_i, 1.0)
    _centre(q_k, contact["arm"][0], x_i, -1.0)
    _centre(qf_l, contact["arm"][1], x_f, 1.0)
    _centre(qf_k, contact["arm"][0], x_f, -1.0)
    l_i, l_f = _length(x_i), _length(x_f)
    nz = z_f.shape[0]
    clearance = contact.radius_k - contact.radius_l
    gap_i, gap_f = clearance - l_i, clearance - l_f
    f_n, f_e = normal_force(normal_law, gap_i, gap_f, dt, history[3 * nz])

    z_i, n_i = np.empty((nz, 3), kind), history[3 * nz + 1 : 3 * nz + 4]
    n_m, n_hat, n_f = np.empty(3, kind), np.empty(3, kind), np.empty(3, kind)
    for i in range(3):
        n_m[i] = (x_i[i] + x_f[i]) / (l_i + l_f + TINY)
        n_f[i] = x_f[i] / (l_f + TINY)
    size = _length(n_m) + TINY
    for i in range(3):
        n_hat[i] = n_m[i] / size
    for k in range(nz):
        for i in range(3):
            z_i[k, i] = history[3 * k + i]

    lever_k, lever_l = np.empty(3, kind), np.empty(3, kind)
    slip, mu, turn, arm = np.empty(3, kind), np.empty(3, kind), np.empty(3, kind), np.empty(3, kind)
    for i in range(3):
        lever_k[i] = contact.radius_k * n_hat[i]
        lever_l[i] = contact.radius_l * n_hat[i]
        slip[i] = x_f[i] - x_i[i]
    _spin_step(r_l, rf_l, x_l[3:6], turn)
    _cross(turn, lever_l, arm)
    for i in range(3):
        slip[i] += arm[i]
    _spin_step(r_k, rf_k, x_k[3:6], turn)
    _cross(turn, lever_k, arm)
    along = 0.0 * slip[0]
    for i in range(3):
        slip[i] -= arm[i]
        along += slip[i] * n_hat[i]
    for i in range(3):
        slip[i] -= along * n_hat[i]

    turns = turned_states(friction_law) if f_n.real > 0.0 else 0
    carry(z_i[:turns], n_i, n_hat)
    loss = friction_force(friction_law, slip, z_i, f_n, history[3 * nz + 4], dt, mu, z_f)
    carry(z_f[:turns], n_hat, n_f)
    rows[:] = 0.0
    if f_n.real > 0.0:
        force, friction = np.empty(3, kind), np.empty(3, kind)
        for i in range(3):
            friction[i] = f_n * mu[i]
            force[i] = f_n * n_m[i] + friction[i]
        _add_rows(1, x_l, r_l, rf_l, force, contact["arm"][1], lever_l, friction, rows)
        for i in range(3):
            friction[i] = -friction[i]
            force[i] = -force[i]
        _add_rows(0, x_k, r_k, rf_k, force, contact["arm"][0], lever_k, friction, rows)
    if store:
        contact.gap_i, contact.gap_f = gap_i, gap_f.real
        contact.normal_force = f_n.real
        contact.impact_speed = impact_speed(history[3 * nz], gap_i, gap_f.real, dt)
        contact.loss_contact = ((f_n - f_e) * (gap_i - gap_f)).real
        contact.loss_friction = loss.real
        for i in range(3):
            contact["mu"][i], contact["slip"][i] = mu[i].real, slip[i].real
            contact["normal"][i], contact["normal_f"][i] = n_hat[i].real, n_f[i].real


@kernel
def residual(contacts, normal_laws, friction_laws, history, dt, x, r_i, q_i, rows, z_f):
    """Add all contacts' forces times dt^2 to rows (n, 12); fills the records and z_f (contacts, nz, 3)."""
    own = np.empty(24)
    for c in range(contacts.shape[0]):
        k, l = contacts[c].nodes[0], contacts[c].nodes[1]
        contact_rows(
            contacts[c], normal_laws[c], friction_laws[c], history[c], dt,
            x[k], x[l], r_i[k], r_i[l], q_i[k], q_i[l], own, z_f[c], True,
        )  # fmt: skip
        for i in range(12):
            rows[k, i] += dt * dt * own[i]
            rows[l, i] += dt * dt * own[12 + i]


@kernel
def tangent(contacts, normal_laws, friction_laws, history, dt, x, r_i, q_i, slots, data):
    """Add the closed contacts' tangents to the matrix values."""
    h = 1e-40
    dump = data.shape[0] - 1
    y_k, y_l, own = np.empty(12, np.complex128), np.empty(12, np.complex128), np.empty(24, np.complex128)
    for c in range(contacts.shape[0]):
        if contacts[c].normal_force <= 0.0:
            continue
        k, l = contacts[c].nodes[0], contacts[c].nodes[1]
        z_f = np.empty((max((history.shape[1] - 5) // 3, 1), 3), np.complex128)
        for i in range(12):
            y_k[i], y_l[i] = x[k, i], x[l, i]
        for j in range(24):
            unknown = j % 12
            # forces do not depend on c (unknowns 6 to 8); held unknowns have no column
            if (6 <= unknown < 9) or slots[c, j, j] == dump:
                continue
            if j < 12:
                y_k[unknown] += 1j * h
            else:
                y_l[unknown] += 1j * h
            contact_rows(
                contacts[c], normal_laws[c], friction_laws[c], history[c], dt,
                y_k, y_l, r_i[k], r_i[l], q_i[k], q_i[l], own, z_f, False,
            )  # fmt: skip
            y_k[unknown], y_l[unknown] = x[k, unknown], x[l, unknown]
            for i in range(24):
                data[slots[c, i, j]] += dt * dt * own[i].imag / h


@kernel
def energies(contacts, normal_laws, friction_laws, z_f, out):
    """Add contact potential, bristle energy, contact loss and friction loss of the step to out (4,)."""
    for c in range(contacts.shape[0]):
        out[0] += normal_potential(normal_laws[c], contacts[c].gap_f)
        out[1] += contacts[c].normal_force * bristle_energy(friction_laws[c], z_f[c])
        out[2] += contacts[c].loss_contact
        out[3] += contacts[c].loss_friction
