"""Residual, energies and records of all contacts, from geometry and laws (compiled).

A contact is a geometry (`balls`, `planes`, `disk_in_cylinder`) with a normal and a friction law. `find_contact` and
`begin` select the functions of its geometry, one line for each. Both forces are constant over the step. The geometry
gives the exact change of the gap and the forces conjugate to it, `slip_and_bristles` the slip and its forces, so that
the work of both is that of the laws to round-off. Source: theory.md, section 8; contact.md.

All quantities that depend on the motion of the step are generic in type, for complex-step derivatives.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import array3, float64, matrix, record, vector, void
from fem_mbd.core.compiled.vectors import length
from fem_mbd.core.model.workspace import Configuration
from fem_mbd.core.stepping.step_record import CONTACT_RECORD
from fem_mbd.friction.normal.dispatch import impact_speed, normal_force, normal_potential
from fem_mbd.friction.records import FRICTION_LAW
from fem_mbd.friction.tangential import directed_force, stored_energy, turned_states
from fem_mbd.joints.contact import balls, disk_in_cylinder, planes
from fem_mbd.joints.contact.contact_kinematics import (
    BALL_IN_SOCKET,
    BALL_ON_BALL,
    CONTACT,
    DISK_IN_CYLINDER,
    POINT_ON_PLANE,
    SPHEROID_ON_PLANE,
    TINY,
    Body,
    Contacts,
    Histories,
    History,
    Laws,
    mean_axis,
    new_kinematics,
    remove_along,
    set_distance,
)
from fem_mbd.joints.contact.slip_and_bristles import (
    add_to_nodes,
    find_slip,
    half_spin,
    set_forces,
    set_rotation,
    to_step_plane,
    to_stored,
)


@kernel
def find_contact(contact, k, l, kinematics):
    """Gaps in m at both ends of the step; fills the `ContactKinematics` of two `Body` (see `contact_kinematics`).

    Raises ValueError for a record of unknown form.
    """
    if contact.form == BALL_IN_SOCKET:
        return balls.find_in_socket(contact, k, l, kinematics)
    if contact.form == DISK_IN_CYLINDER:
        return disk_in_cylinder.find_contact(contact, k, l, kinematics)
    if contact.form == POINT_ON_PLANE:
        return planes.find_point(contact, k, l, kinematics)
    if contact.form == BALL_ON_BALL:
        return balls.find_outside(contact, k, l, kinematics)
    if contact.form == SPHEROID_ON_PLANE:
        return planes.find_spheroid(contact, k, l, kinematics)
    raise ValueError("contact: record of unknown form; it is filled by the geometry's fill()")


@kernel(void(record(CONTACT)[::1], array3))
def begin(contacts, q_i):
    """Quantities constant over a step, once for all iterations; q_i (n, 4, 3) are the nodes' ambient vectors."""
    for c in range(contacts.shape[0]):
        contact = contacts[c]
        if contact.form == DISK_IN_CYLINDER:
            disk_in_cylinder.begin(contact, q_i[contact.nodes[0]], q_i[contact.nodes[1]])


@kernel
def _find_gaps(contact, k, l, kinematics):
    """Fill the ``kinematics`` of two bodies `k` and `l`; return the gaps (m) at both ends of the step."""
    for i in range(3):
        for a in range(3):
            kinematics.turn_k[a, i], kinematics.turn_l[a, i] = 0.0, 0.0
    set_distance(k.q_i, k.arm, l.q_i, l.arm, kinematics.distance_i)
    set_distance(k.q_f, k.arm, l.q_f, l.arm, kinematics.distance_f)
    return find_contact(contact, k, l, kinematics)


@kernel
def _find_axis(axis, k, normal, along):
    """along (3,): unit vector of the step's plane nearest to ``axis`` (3,), which is fixed to K's node."""
    mean_axis(axis, k.r_i, k.r_f, along)
    remove_along(normal, along)
    size = length(along) + TINY
    for i in range(3):
        along[i] /= size


@kernel
def contact_forces(contact, laws, past, k, l, kinematics, forces, z_f):
    """Fill forces (2, 5, 3) on K and L (internal ones, as `set_forces` says), z_f (nz, 3) and ``kinematics``.

    laws : `Laws`; past : `History`; k and l : `Body`. A contact in tension has no friction. Returns gap_i, gap_f, the
    normal force, its elastic part, and the energy dissipated by friction. `set_rotation` of both bodies comes before.
    """
    friction_law = laws.friction
    gap_i, gap_f = _find_gaps(contact, k, l, kinematics)
    f_n, f_e = normal_force(laws.normal, gap_i, gap_f, past.dt, past.initial_speed, past.deepest)
    find_slip(contact, k, l, kinematics)
    mu, z_i = kinematics.mu, kinematics.bristles
    for n in range(z_f.shape[0]):
        for i in range(3):
            z_i[n, i] = past.bristles[n, i]
    transported_states = turned_states(friction_law) if f_n.real > 0.0 else 0
    c, s = 1.0 + 0.0 * f_n, 0.0 * f_n
    if transported_states > 0:
        if contact["twists"][0]:
            c, s = half_spin(contact, k, l, kinematics)
        to_step_plane(contact, kinematics, c, s, z_i[:transported_states])
    if friction_law["directed"]:
        _find_axis(friction_law["axis"], k, kinematics.normal, kinematics.along)
    loss = directed_force(
        friction_law, kinematics.along, kinematics.slip, z_i, f_n, past.f_n_prev, past.dt, mu, z_f
    )
    if transported_states > 0:
        to_stored(contact, kinematics, c, s, z_f[:transported_states])
    if f_n.real != 0.0:
        force, friction = kinematics.force, kinematics.friction
        for i in range(3):
            friction[i] = f_n * mu[i]
            force[i] = f_n * kinematics.pull[i] + friction[i]
        set_forces(
            contact, k, -1.0, f_n, force, kinematics.turn_k, friction, kinematics.lever_k, kinematics.eta_k, forces[0]
        )  # fmt: skip
        set_forces(
            contact, l, 1.0, f_n, force, kinematics.turn_l, friction, kinematics.lever_l, kinematics.eta_l, forces[1]
        )  # fmt: skip
    else:
        forces[:] = 0.0
    return gap_i, gap_f, f_n, f_e, loss


@kernel
def _store(contact, normal_law, past, kinematics, results):
    """Store the results of a real evaluation in the contact's record: gaps in m, forces in N, losses in J.

    results : the return value of `contact_forces`
    """
    gap_i, gap_f, f_n, f_e, loss = results
    contact.gap_i, contact.gap_f = gap_i, gap_f
    contact.normal_force = f_n
    contact.impact_speed = impact_speed(normal_law, past.initial_speed, gap_i, gap_f, past.dt)
    contact.deepest = max(past.deepest, -gap_f)
    contact.loss_contact = (f_n - f_e) * (gap_i - gap_f)
    contact.loss_friction = loss
    size = length(kinematics.pull) + TINY
    for i in range(3):
        contact["mu"][i], contact["slip"][i] = kinematics.mu[i], kinematics.slip[i]
        contact["normal"][i] = -kinematics.pull[i] / size


@kernel(
    void(Contacts, Histories, float64, Configuration, array3, matrix, array3),
)
def residual(contacts, histories, dt, nodes, force_m, rows, z_f):
    """Add all contacts' forces times dt^2 to the ambient ones, force_m (n, 4, 3), and to rows (n, 12).

    dt s. Fills the records and z_f (contacts, nz, 3).
    """
    records, normal_laws, friction_laws = contacts
    bristles, initial_speed, deepest, f_n_prev = histories
    x, r_i, q_i, r_f, q_f = nodes
    forces, kinematics = np.empty((2, 5, 3)), new_kinematics(x, z_f.shape[1])
    for n in range(records.shape[0]):
        contact, laws = records[n], Laws(normal_laws[n], friction_laws[n])
        past = History(bristles[n], initial_speed[n], deepest[n], f_n_prev[n], dt)
        k, l = contact.nodes[0], contact.nodes[1]
        body_k = Body(x[k], contact["arm"][0], q_i[k], q_f[k], r_i[k], r_f[k])
        body_l = Body(x[l], contact["arm"][1], q_i[l], q_f[l], r_i[l], r_f[l])
        set_rotation(contact, body_k, kinematics.spin_k, kinematics.inverse_k)
        set_rotation(contact, body_l, kinematics.spin_l, kinematics.inverse_l)
        results = contact_forces(contact, laws, past, body_k, body_l, kinematics, forces, z_f[n])
        _store(contact, laws.normal, past, kinematics, results)
        if contact.normal_force != 0.0:
            add_to_nodes(forces, contact.nodes, dt * dt, force_m, rows)


@kernel(void(Contacts, array3, vector))
def energies(contacts, z_f, out):
    """Add contact potential, bristle energy, contact loss and friction loss of the step to out (4,), J."""
    records, normal_laws, friction_laws = contacts
    for c in range(records.shape[0]):
        contact = records[c]
        out[0] += normal_potential(normal_laws[c], contact.gap_f, contact.impact_speed, contact.deepest)
        out[1] += stored_energy(friction_laws[c], z_f[c], contact.normal_force)
        out[2] += contact.loss_contact
        out[3] += contact.loss_friction


@kernel(void(record(CONTACT)[::1], array3, Histories))
def store_history(contacts, z_f, histories):
    """Store the history of the converged step; contacts (n,), z_f (n, nz, 3)."""
    bristles, initial_speed, deepest, normal_force = histories
    for c in range(contacts.shape[0]):
        initial_speed[c], deepest[c] = contacts[c].impact_speed, contacts[c].deepest
        normal_force[c] = contacts[c].normal_force
        for k in range(z_f.shape[1]):
            for i in range(3):
                bristles[c, k, i] = z_f[c, k, i]


@kernel(void(record(CONTACT)[::1], record(FRICTION_LAW)[::1], matrix, float64, record(CONTACT_RECORD)[::1]))
def fill_records(contacts, friction_laws, constants, dt, out):
    """Fill out (n,) of dtype `CONTACT_RECORD`; constants (n, 2): time constants of the laws."""
    for c in range(contacts.shape[0]):
        contact, row = contacts[c], out[c]
        row.gap_i, row.gap_f, row.normal_force = contact.gap_i, contact.gap_f, contact.normal_force
        for i in range(3):
            row["normal"][i] = contact["normal"][i]
            row["friction_force"][i] = -contact.normal_force * contact["mu"][i]
            row["slip_velocity"][i] = contact["slip"][i] / dt if dt > 0.0 else 0.0
        row.omega, row.stribeck_velocity = constants[c, 0], constants[c, 1]
        # that of a classical law decreases with the normal force
        pressed = friction_laws[c].classical * contact.normal_force
        if pressed > 0.0:
            row.omega /= pressed
