"""Tangent of contacts: complex steps in a few directions, chained with the nodes' maps (compiled).

A contact does not depend on the 18 unknowns of its bodies directly, but on

    x    the vector between its two points at t_f, which changes with a and with the bodies' rotations
    phi  the spins of R_f of K and L, phi = g (b, e) as in `spin_derivative`
    b    of K and L themselves, in the slip by levers (`slip_and_bristles`)

All forces depend on x, and on the spin of a body where the geometry, the spin of bristles or the axis of the friction
law depends on its rotation. These derivatives are complex steps of `forces.contact_forces`, exact to round-off. All
other motions change only the slip and the point of action of the friction force: with M the derivative of mu by the
slip at the same normal force and bristles (complex steps of the law alone) and P the projection on the plane,

    d(friction) = f_n M P d(slip).

This is the tangent of the ambient forces; the derivative of the nodes' maps is added once per node. It is tested by
complex steps over all unknowns. Source: docs/explanation/theory.md, section 8.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import array3, array4, float64, matrix, record, slots, vector, void
from fem_mbd.core.compiled.vectors import cross, dot
from fem_mbd.friction.records import FRICTION_LAW, NORMAL_LAW
from fem_mbd.friction.tangential import directed_force, has_friction
from fem_mbd.joints.contact.geometry.contact_kinematics import (
    CONTACT,
    Body,
    History,
    Laws,
    new_kinematics,
    remove_along,
    two_bodies,
)
from fem_mbd.joints.contact.kernels.forces import contact_forces
from fem_mbd.joints.contact.kernels.slip_and_bristles import material_point, set_forces, sides

H = 1e-40  # of the complex step
DISTANCE, SPIN, ROTATION = 0, 3, 9  # first directions: x, phi of K and L, b of K and L
DIRECTIONS = 15
COLUMNS = (0, 1, 2, 3, 4, 5, 9, 10, 11)  # a, b and e: forces do not depend on c


@kernel
def _spin(body, j, h, rotated):
    """Fill rotation and directors at t_f of ``rotated`` with those of ``body``, rotated by h about its axis j."""
    b, c = (j + 1) % 3, (j + 2) % 3
    for i in range(3):
        on_b, on_c = body.r_f[i, b] + h * body.r_f[i, c], body.r_f[i, c] - h * body.r_f[i, b]
        rotated.r_f[i, b], rotated.r_f[i, c] = on_b, on_c
        rotated.q_f[1 + b, i], rotated.q_f[1 + c, i] = on_b, on_c


class Scratch(NamedTuple):
    """Work arrays for the tangent of a contact."""

    x: Any  # (2, 12), complex; so are the next ones up to ``stepped``
    q_f: Any  # (2, 4, 3)
    r_f: Any  # (2, 3, 3)
    forces: Any  # (2, 5, 3)
    z_f: Any  # (nz, 3)
    stepped: Any  # `ContactKinematics`
    kinematics: Any
    local: Any  # (15, 2, 5, 3) derivatives of the forces
    rows: Any  # (15, 18)
    by_slip: Any  # (3, 3)
    path: Any  # (3,)
    column: Any  # (18,)
    by_rotation: Any  # (2,) whether all forces depend on the spin of K, of L


@kernel
def _by_complex_step(contact, laws, past, k, l, room):
    """Fill ``local`` for x, and for the spins of bodies with ``by_rotation``; room: `Scratch`."""
    for side, body in ((0, k), (1, l)):
        for i in range(12):
            room.x[side, i] = body.x[i]
        for i in range(3):
            for a in range(4):
                room.q_f[side, a, i] = body.q_f[a, i]
            for a in range(3):
                room.r_f[side, i, a] = body.r_f[i, a]
    k_c = Body(room.x[0], k.arm, k.q_i, room.q_f[0], k.r_i, room.r_f[0])
    l_c = Body(room.x[1], l.arm, l.q_i, room.q_f[1], l.r_i, room.r_f[1])
    forces = room.forces
    for d in range(ROTATION):
        side, j = (d - SPIN) // 3, d % 3
        if d >= SPIN and not room.by_rotation[side]:
            continue
        if d < SPIN:
            l_c.q_f[0, j] = l.q_f[0, j] + 1j * H
        elif side == 0:
            _spin(k, j, 1j * H, k_c)
        else:
            _spin(l, j, 1j * H, l_c)
        contact_forces(contact, laws, past, k_c, l_c, room.stepped, forces, room.z_f)
        if d < SPIN:
            l_c.q_f[0, j] = l.q_f[0, j]
        elif side == 0:
            _spin(k, j, 0j, k_c)
        else:
            _spin(l, j, 0j, l_c)
        for on in range(2):
            for v in range(5):
                for i in range(3):
                    room.local[d, on, v, i] = forces[on, v, i].imag / H


@kernel
def _by_slip(law, f_n, f_n_prev, dt, kinematics, z_f, out):
    """Fill out (3, 3): f_n times the derivative of mu by the slip from the law alone; kinematics is complex."""
    for j in range(3):
        kinematics.slip[j] += 1j * H
        directed_force(
            law,
            kinematics.along,
            kinematics.slip,
            kinematics.bristles,
            f_n + 0j,
            f_n_prev,
            dt,
            kinematics.mu,
            z_f,
        )
        kinematics.slip[j] = kinematics.slip[j].real
        for i in range(3):
            out[i, j] = f_n * kinematics.mu[i].imag / H


@kernel
def _set_by_slip(contact, k, l, kinematics, by_slip, path, out):
    """Fill out (2, 5, 3): change of the forces for a change ``path`` (3,) of the slip before its projection."""
    change = kinematics.force  # no longer needed: used as scratch
    remove_along(kinematics.normal, path)
    for i in range(3):
        change[i] = dot(by_slip[i], path)
    on_k, on_l = sides(k, l, kinematics)
    set_forces(contact, on_k, 0.0, change, change, out[0])
    set_forces(contact, on_l, 0.0, change, change, out[1])


@kernel
def _from_axes(r, v):
    """r v of a rotation (3, 3) and a vector (3,), as three numbers."""
    return dot(r[0], v), dot(r[1], v), dot(r[2], v)


@kernel
def _by_rotation_vector(contact, k, l, on, j, kinematics, by_slip, path, out):
    """Fill out (2, 5, 3) for b_j of the body of a `Side`."""
    body, sign, _, lever, _ = on
    axis = (
        0.5 * (body.r_i[0, j] + body.r_f[0, j]),
        0.5 * (body.r_i[1, j] + body.r_f[1, j]),
        0.5 * (body.r_i[2, j] + body.r_f[2, j]),
    )
    p0, p1, p2 = cross(axis, lever)
    path[0], path[1], path[2] = sign * p0, sign * p1, sign * p2
    _set_by_slip(contact, k, l, kinematics, by_slip, path, out)


@kernel
def _by_spin(contact, k, l, on, unit, kinematics, by_slip, path, out):
    """Fill out (2, 5, 3) for the spin ``unit`` (3,) of the body of a `Side`, without the displacement of its point."""
    body, sign, _, lever, eta = on
    side = 1 if sign > 0.0 else 0
    friction, r_i, r_f = kinematics.friction, body.r_i, body.r_f
    if contact.at_points:
        # the contact point is fixed in space: another material point of the body, Rbar d(eta) = -d(Rbar) eta
        m = _from_axes(r_f, cross(unit, eta))
        d = material_point(body, m)
        b0, b1, b2 = _from_axes(r_f, d)
        s0, s1, s2 = _from_axes(r_i, d)
        path[0] = sign * (m[0] - 0.5 * (b0 - s0))
        path[1] = sign * (m[1] - 0.5 * (b1 - s1))
        path[2] = sign * (m[2] - 0.5 * (b2 - s2))
        _set_by_slip(contact, k, l, kinematics, by_slip, path, out)
        for i in range(3):
            half = 0.5 * sign * friction[i]
            out[side, 1, i] -= half * d[0]
            out[side, 2, i] -= half * d[1]
            out[side, 3, i] -= half * d[2]
        return
    p0, p1, p2 = cross(_from_axes(r_f, cross(unit, body.x[3:6])), lever)
    path[0], path[1], path[2] = 0.5 * sign * p0, 0.5 * sign * p1, 0.5 * sign * p2
    _set_by_slip(contact, k, l, kinematics, by_slip, path, out)
    moment = cross(lever, friction)
    t0, t1, t2 = cross(unit, (dot(r_f[:, 0], moment), dot(r_f[:, 1], moment), dot(r_f[:, 2], moment)))
    out[side, 4, 0] -= 0.5 * sign * t0
    out[side, 4, 1] -= 0.5 * sign * t1
    out[side, 4, 2] -= 0.5 * sign * t2


@kernel
def _by_friction(contact, k, l, by_rotation, kinematics, by_slip, path, local):
    """Fill local (15, 2, 5, 3) for motions that change friction only: spins of bodies without by_rotation, and b."""
    on_k, on_l = sides(k, l, kinematics)
    for side in range(2):
        on = on_l if side == 1 else on_k
        for j in range(3):
            unit = (1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0)
            turn, spin = local[ROTATION + 3 * side + j], local[SPIN + 3 * side + j]
            if not contact.at_points:
                _by_rotation_vector(contact, k, l, on, j, kinematics, by_slip, path, turn)
            if not by_rotation[side]:
                _by_spin(contact, k, l, on, unit, kinematics, by_slip, path, spin)


@kernel
def _add_point_displacements(k, l, by_rotation, local):
    """Add the effect of the displacement of points by spins, of bodies without by_rotation, to local (15, 2, 5, 3)."""
    for side in range(2):
        if by_rotation[side]:
            continue
        body, sign = (l, 1.0) if side == 1 else (k, -1.0)
        for j in range(3):
            b, c = (j + 1) % 3, (j + 2) % 3
            for i in range(3):
                moved = sign * (body.r_f[i, c] * body.arm[b] - body.r_f[i, b] * body.arm[c])
                for on in range(2):
                    for v in range(5):
                        for m in range(3):
                            local[SPIN + 3 * side + j, on, v, m] += moved * local[DISTANCE + i, on, v, m]


@kernel
def _pull_back(local, w_m, on, rows):
    """Fill rows (15, 18) from 9 ``on`` on: forces local (15, 2, 5, 3) pulled back to a, b and e of one body."""
    for d in range(DIRECTIONS):
        row, force = rows[d, 9 * on : 9 * on + 9], local[d, on]
        for i in range(3):
            row[i], row[3 + i], row[6 + i] = force[0, i], force[4, i], 0.0
        for a in range(3):
            for i in range(3):
                for j in range(6):
                    row[3 + j] += w_m[a, i, j] * force[1 + a, i]


@kernel
def _add_columns(rows, spin, side, scale, slots, column, data):
    """Add the columns of rows (15, 18) for a, b and e of a body to data; spin (3, 6) is its g, slots (24, 24)."""
    dump = data.shape[0] - 1
    for m in range(9):
        at = 12 * side + COLUMNS[m]
        if slots[at, at] == dump:
            continue  # fixed
        if m < 3:
            for r in range(18):
                column[r] = (2.0 * side - 1.0) * rows[DISTANCE + m, r]
        else:
            g, first = spin[:, m - 3], SPIN + 3 * side
            for r in range(18):
                column[r] = g[0] * rows[first, r] + g[1] * rows[first + 1, r] + g[2] * rows[first + 2, r]
            if m < 6:
                for r in range(18):
                    column[r] += rows[ROTATION + 3 * side + m - 3, r]
        for r in range(18):
            data[slots[12 * (r // 9) + COLUMNS[r % 9], at]] += scale * column[r]


@kernel
def _real_parts(stepped, kinematics):
    """Fill ``kinematics`` with the real parts of ``stepped``; clear the imaginary parts of ``stepped``."""
    for v in range(kinematics.all.shape[0]):
        for i in range(3):
            kinematics.all[v, i] = stepped.all[v, i].real
            stepped.all[v, i] = kinematics.all[v, i]


@kernel
def _contact_tangent(contact, laws, past, k, l, room):
    """Fill ``local`` with the derivatives of one contact's forces, and ``forces``; room: `Scratch`."""
    for side in range(2):
        room.by_rotation[side] = contact["oriented"][side] or contact["twists"][side]
    room.by_rotation[0] = room.by_rotation[0] or laws.friction["directed"]
    room.local[:] = 0.0
    _by_complex_step(contact, laws, past, k, l, room)
    if has_friction(laws.friction):
        _real_parts(room.stepped, room.kinematics)
        _by_slip(
            laws.friction, contact.normal_force, past.f_n_prev, past.dt, room.stepped, room.z_f, room.by_slip
        )
        _by_friction(contact, k, l, room.by_rotation, room.kinematics, room.by_slip, room.path, room.local)
    _add_point_displacements(k, l, room.by_rotation, room.local)


@kernel
def _new_scratch(x, states):
    """`Scratch` for contacts with ``states`` bristles; x is real."""
    kind = np.complex128
    x_c, q_c, r_c = np.empty((2, 12), kind), np.empty((2, 4, 3), kind), np.empty((2, 3, 3), kind)
    forces, z_f, small = np.empty((2, 5, 3), kind), np.empty((states, 3), kind), np.empty((5, 18))
    return Scratch(
        x_c, q_c, r_c, forces, z_f, new_kinematics(x_c, states), new_kinematics(x, states),
        np.empty((DIRECTIONS, 2, 5, 3)), np.empty((DIRECTIONS, 18)), small[:3, :3], small[3, :3], small[4],
        np.empty(2, np.bool_),
    )  # fmt: skip


@kernel(
    void(record(CONTACT)[::1], record(NORMAL_LAW)[::1], record(FRICTION_LAW)[::1], float64[:, :, :],
    float64[:], float64[:], float64[:], float64, matrix, array3, array3, array3, array3, array3, array4,
    array3, slots, vector),
)  # fmt: skip
def tangent(
    contacts, normal_laws, friction_laws, bristles, initial_speed, deepest, f_n_prev, dt, x, r_i, q_i, r_f, q_f, spin,
    w_m, lin_m, slots, data
):  # fmt: skip
    """Add the closed contacts' tangents to the matrix values, and their ambient forces to lin_m (n, 4, 3).

    Arguments as in `forces.residual`; spin (n, 3, 6), w_m (n, 3, 3, 6), slots (contacts, 24, 24).
    """
    room = _new_scratch(x, bristles.shape[1])
    for n in range(contacts.shape[0]):
        contact, laws = contacts[n], Laws(normal_laws[n], friction_laws[n])
        if contact.normal_force == 0.0:
            continue
        k, l = two_bodies(contact, x, r_i, q_i, r_f, q_f)
        past = History(bristles[n], initial_speed[n], deepest[n], f_n_prev[n], dt)
        _contact_tangent(contact, laws, past, k, l, room)
        for side in range(2):
            node = contact.nodes[side]
            _pull_back(room.local, w_m[node], side, room.rows)
            for a in range(4):
                for i in range(3):
                    lin_m[node, a, i] += dt * dt * room.forces[side, a, i].real
        for side in range(2):
            g = spin[contact.nodes[side]]
            _add_columns(room.rows, g, side, dt * dt, slots[n], room.column, data)
