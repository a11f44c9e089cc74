"""Compiled driver of all contacts: geometry, laws, forces, and the tangent by complex step.

A contact is a geometry (`geometry`) with a normal and a friction law. Both forces are constant over the step. The
geometry gives the gap's exact change and the forces conjugate to it, `friction_motion` the slip and its forces, so that
the works are those of the laws to round-off. Source: docs/theory.md, section 8; docs/contact.md.

Everything is generic in the type of the unknowns: the tangent is a complex step over (a, b, e) of both nodes, exact to
round-off. It is that of the ambient forces; how the nodes' maps change under them is added once per node.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.compiled import kernel
from fem_mbd.friction.normal.dispatch import impact_speed, normal_force, normal_potential
from fem_mbd.friction.tangential import directed_force, stored_energy, turned_states
from fem_mbd.joints.contact.bristle_motion import bring, half_twist, keep
from fem_mbd.joints.contact.friction_motion import find_slip, set_forces
from fem_mbd.joints.contact.geometry.dispatch import meet
from fem_mbd.joints.contact.geometry.step import Body, new_meeting
from fem_mbd.joints.contact.geometry.vectors import TINY, add_point, length, remove_along
from fem_mbd.scheme.node_map import node_configuration

H = 1e-40  # of the complex step


@kernel
def _approach(contact, k, l, meeting):
    """Ends of the step of both bodies, and how they meet; returns the gaps (m). A contact's record, two `Body`."""
    p = np.empty((4, 3), meeting.pull.dtype)
    node_configuration(k.x, k.r_i, k.q_i, k.q_f, p, k.r_f)
    node_configuration(l.x, l.r_i, l.q_i, l.q_f, p, l.r_f)
    for i in range(3):
        meeting.apart_i[i], meeting.apart_f[i] = 0.0, 0.0
        for a in range(3):
            meeting.turn_k[a, i], meeting.turn_l[a, i] = 0.0, 0.0
    add_point(l.q_i, l.arm, meeting.apart_i, 1.0)
    add_point(k.q_i, k.arm, meeting.apart_i, -1.0)
    add_point(l.q_f, l.arm, meeting.apart_f, 1.0)
    add_point(k.q_f, k.arm, meeting.apart_f, -1.0)
    return meet(contact, k, l, meeting)


@kernel
def _find_axis(axis, k, normal, along):
    """along (3,): unit vector of the step's plane nearest to ``axis`` (3,), which is fixed to K's node."""
    for i in range(3):
        for a in range(3):
            along[i] += 0.5 * axis[a] * (k.r_i[i, a] + k.r_f[i, a])
    remove_along(normal, along)
    size = length(along) + TINY
    for i in range(3):
        along[i] /= size


@kernel
def contact_forces(
    contact, normal_law, friction_law, bristles, began, deepest, before, dt, k, l, meeting, forces, z_f
):  # fmt: skip
    """Fill forces (2, 5, 3) on K and L (internal ones, as `set_forces` says), z_f (nz, 3) and ``meeting``.

    bristles (nz, 3), began (speed at which the contact began, m/s), deepest (approach so far, m) and before (normal
    force of the last step, N) are the history. A contact that pulls has no friction. Returns gap_i, gap_f, the normal
    force, its elastic part, and the energy that friction loses.
    """
    kind, nz = meeting.pull.dtype, z_f.shape[0]
    gap_i, gap_f = _approach(contact, k, l, meeting)
    f_n, f_e = normal_force(normal_law, gap_i, gap_f, dt, began, deepest)
    eta_k, eta_l, z_i = np.empty(3, kind), np.empty(3, kind), np.empty((nz, 3), kind)
    find_slip(contact, k, l, meeting, eta_k, eta_l)
    for n in range(nz):
        for i in range(3):
            z_i[n, i] = bristles[n, i]
    turns = turned_states(friction_law) if f_n.real > 0.0 else 0
    c, s = 1.0 + 0.0 * f_n, 0.0 * f_n
    if turns > 0:
        if contact["twists"][0]:
            c, s = half_twist(contact, k, l, meeting)
        bring(contact, meeting, c, s, z_i[:turns])
    mu = meeting.mu
    along = np.zeros(3, kind)
    if friction_law["directed"]:
        _find_axis(friction_law["axis"], k, meeting.normal, along)
    loss = directed_force(friction_law, along, meeting.slip, z_i, f_n, before, dt, mu, z_f)
    if turns > 0:
        keep(contact, meeting, c, s, z_f[:turns])
    if f_n.real != 0.0:
        friction = f_n * mu
        force = f_n * meeting.pull + friction
        set_forces(contact, k, f_n, -force, meeting.turn_k, -friction, meeting.lever_k, eta_k, forces[0])
        set_forces(contact, l, f_n, force, meeting.turn_l, friction, meeting.lever_l, eta_l, forces[1])
    else:
        forces[:] = 0.0
    return gap_i, gap_f, f_n, f_e, loss


@kernel
def _store(contact, normal_law, meeting, began, deepest, dt, gap_i, gap_f, f_n, f_e, loss):
    """Put what a real evaluation found into the contact's record: gaps in m, forces in N, losses in J."""
    contact.gap_i, contact.gap_f = gap_i, gap_f
    contact.normal_force = f_n
    contact.impact_speed = impact_speed(normal_law, began, gap_i, gap_f, dt)
    contact.deepest = max(deepest, -gap_f)
    contact.loss_contact = (f_n - f_e) * (gap_i - gap_f)
    contact.loss_friction = loss
    for i in range(3):
        contact["mu"][i], contact["slip"][i] = meeting.mu[i], meeting.slip[i]
        contact["normal"][i] = meeting.normal[i]


@kernel
def residual(
    contacts, normal_laws, friction_laws, bristles, began, deepest, before, dt, x, r_i, q_i, force_m, rows, z_f
):  # fmt: skip
    """Add all contacts' forces times dt^2 to the ambient ones, force_m (n, 4, 3), and to rows (n, 12).

    Fills the records and z_f (contacts, nz, 3).
    """
    forces, meeting = np.empty((2, 5, 3)), new_meeting(x)
    q_k, q_l, r_k, r_l = np.empty((4, 3)), np.empty((4, 3)), np.empty((3, 3)), np.empty((3, 3))
    for n in range(contacts.shape[0]):
        contact = contacts[n]
        k, l = contact.nodes[0], contact.nodes[1]
        body_k = Body(x[k], contact["arm"][0], q_i[k], q_k, r_i[k], r_k)
        body_l = Body(x[l], contact["arm"][1], q_i[l], q_l, r_i[l], r_l)
        gap_i, gap_f, f_n, f_e, loss = contact_forces(
            contact, normal_laws[n], friction_laws[n], bristles[n], began[n], deepest[n], before[n], dt,
            body_k, body_l, meeting, forces, z_f[n],
        )  # fmt: skip
        _store(contact, normal_laws[n], meeting, began[n], deepest[n], dt, gap_i, gap_f, f_n, f_e, loss)
        for side in range(2):
            node = contact.nodes[side]
            for i in range(3):
                rows[node, 3 + i] += dt * dt * forces[side, 4, i]
                for a in range(4):
                    force_m[node, a, i] += dt * dt * forces[side, a, i]


@kernel
def _add_column(force, scale, w_m, places, data):
    """Add to data at places (12,) what a node's equations get by the imaginary part of the forces (5, 3) on it.

    w_m (3, 3, 6) pulls back. The change of the maps themselves is that of the node (`lin_m`).
    """
    for j in range(3):
        on_b, on_e = force[4, j].imag, 0.0
        for a in range(3):
            for i in range(3):
                f = force[1 + a, i].imag
                on_b += w_m[a, i, j] * f
                on_e += w_m[a, i, 3 + j] * f
        data[places[j]] += scale * force[0, j].imag
        data[places[3 + j]] += scale * on_b
        data[places[9 + j]] += scale * on_e


@kernel
def tangent(
    contacts, normal_laws, friction_laws, bristles, began, deepest, before, dt, x, r_i, q_i, w_m, lin_m, slots, data
):  # fmt: skip
    """Add the closed contacts' tangents to the matrix values, and their ambient forces to lin_m (n, 4, 3).

    Arguments as in `residual`; w_m (n, 3, 3, 6), slots (contacts, 24, 24).
    """
    dump = data.shape[0] - 1
    y, forces = np.empty((2, 12), np.complex128), np.zeros((2, 5, 3), np.complex128)
    q_k, q_l = np.empty((4, 3), np.complex128), np.empty((4, 3), np.complex128)
    r_k, r_l = np.empty((3, 3), np.complex128), np.empty((3, 3), np.complex128)
    z_f, meeting = np.empty((bristles.shape[1], 3), np.complex128), new_meeting(y)
    for n in range(contacts.shape[0]):
        contact = contacts[n]
        if contact.normal_force == 0.0:
            continue
        k, l = contact.nodes[0], contact.nodes[1]
        for i in range(12):
            y[0, i], y[1, i] = x[k, i], x[l, i]
        body_k = Body(y[0], contact["arm"][0], q_i[k], q_k, r_i[k], r_k)
        body_l = Body(y[1], contact["arm"][1], q_i[l], q_l, r_i[l], r_l)
        for j in range(24):
            side, unknown = j // 12, j % 12
            # forces do not depend on c (unknowns 6 to 8); held unknowns have no column
            if (6 <= unknown < 9) or slots[n, j, j] == dump:
                continue
            y[side, unknown] += 1j * H
            contact_forces(
                contact, normal_laws[n], friction_laws[n], bristles[n], began[n], deepest[n], before[n], dt,
                body_k, body_l, meeting, forces, z_f,
            )  # fmt: skip
            y[side, unknown] = y[side, unknown].real
            for on in range(2):
                places = slots[n, 12 * on : 12 * on + 12, j]
                _add_column(forces[on], dt * dt / H, w_m[contact.nodes[on]], places, data)
        for on in range(2):
            for a in range(4):
                for i in range(3):
                    lin_m[contact.nodes[on], a, i] += dt * dt * forces[on, a, i].real


@kernel
def energies(contacts, normal_laws, friction_laws, z_f, out):
    """Add contact potential, bristle energy, contact loss and friction loss of the step to out (4,)."""
    for c in range(contacts.shape[0]):
        out[0] += normal_potential(
            normal_laws[c], contacts[c].gap_f, contacts[c].impact_speed, contacts[c].deepest
        )
        out[1] += stored_energy(friction_laws[c], z_f[c], contacts[c].normal_force)
        out[2] += contacts[c].loss_contact
        out[3] += contacts[c].loss_friction


@kernel
def remember(contacts, z_f, bristles, began, deepest, normal_force):
    """Take over the history of the converged step: bristles (n, nz, 3), began, deepest and normal_force (n,)."""
    for c in range(contacts.shape[0]):
        began[c], deepest[c] = contacts[c].impact_speed, contacts[c].deepest
        normal_force[c] = contacts[c].normal_force
        for k in range(z_f.shape[1]):
            for i in range(3):
                bristles[c, k, i] = z_f[c, k, i]


@kernel
def record(contacts, friction_laws, constants, dt, out):
    """Fill out (n,) of dtype `CONTACT_RECORD`; constants (n, 2): time constants of the laws."""
    for c in range(contacts.shape[0]):
        contact, row = contacts[c], out[c]
        row.gap_i, row.gap_f, row.normal_force = contact.gap_i, contact.gap_f, contact.normal_force
        for i in range(3):
            row["normal"][i] = contact["normal"][i]
            row["friction_force"][i] = -contact.normal_force * contact["mu"][i]
            row["slip_velocity"][i] = contact["slip"][i] / dt if dt > 0.0 else 0.0
        row.omega, row.stribeck_velocity = constants[c, 0], constants[c, 1]
        # that of a classical law falls with the normal force
        pressed = friction_laws[c].classical * contact.normal_force
        if pressed > 0.0:
            row.omega /= pressed
