"""Tangent of contacts: complex steps in a few directions, chained with the nodes' maps (compiled).

A contact does not depend on the 18 unknowns of its bodies directly, but on

    x    the vector between its two points at t_f, which changes with a and with the bodies' rotations
    phi  the spins of R_f of K and L, phi = g (b, e) as in `spin_derivative`
    b    of K and L themselves, in the slip by levers (`slip_and_bristles`)

All forces depend on x, and on the spin of a body where the geometry or the axis of the friction law depends on its
rotation: these derivatives are complex steps of `forces.contact_forces`, exact to round-off (`_by_complex_step`). All
other motions change only the slip, the point of action of the friction force and the spin of bristles (`by_friction`).
With M the derivative of mu by the slip at the same normal force and bristles, from complex steps of the law alone, and
P the projection on the plane of the contact,

    d(friction) = f_n M P d(slip).

Spins of both bodies turn the bristles about the normal, by one angle: its effect on mu is one more complex step of the
law, and its derivatives by the spins are in closed form (`slip_and_bristles.half_spin_derivatives`).

This is the tangent of the ambient forces; the derivative of the nodes' maps is added once per node. It is tested by
complex steps over all unknowns. Source: docs/explanation/theory.md, section 8.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import array3, array4, float64, slots, vector, void
from fem_mbd.core.compiled.vectors import cross, dot
from fem_mbd.core.model.workspace import Configuration
from fem_mbd.friction.tangential import directed_force, has_friction, turned_states
from fem_mbd.joints.contact.contact_kinematics import (
    BY_CENTRE,
    BY_POINTS,
    Body,
    Contacts,
    Histories,
    History,
    Laws,
    new_kinematics,
    remove_along,
)
from fem_mbd.joints.contact.forces import contact_forces
from fem_mbd.joints.contact.slip_and_bristles import at_material, half_spin_derivatives, set_rotation

H = 1e-40  # of the complex step
SPIN, ROTATION = 3, 9  # first directions of phi of K and L, and of b of K and L


class Slopes(NamedTuple):
    """What the friction force changes by."""

    by_slip: Any  # (3, 3) N/m
    by_twist: Any  # (3,) N, by the angle about the normal by which bristles are turned
    twist: Any  # (2, 3) or more, changes of this angle by the spins of K and L
    reach: Any  # (2, 4, 3) of K and L: force on the directors, and (3, 3) moment on rows b, per unit friction on L


@kernel
def by_slip(law, f_n, f_n_prev, dt, kinematics, z_f, out):
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
def by_twist(law, f_n, f_n_prev, dt, kinematics, z_f, out):
    """Fill out (3,): f_n times the derivative of mu by the angle about the normal by which bristles are turned."""
    z, n, turned = kinematics.bristles, kinematics.normal, turned_states(law)
    for k in range(turned):
        a0, a1, a2 = cross(n, z[k])
        z[k, 0], z[k, 1], z[k, 2] = z[k, 0] + 1j * H * a0, z[k, 1] + 1j * H * a1, z[k, 2] + 1j * H * a2
    directed_force(law, kinematics.along, kinematics.slip, z, f_n + 0j, f_n_prev, dt, kinematics.mu, z_f)
    for k in range(turned):
        for i in range(3):
            z[k, i] = z[k, i].real
    for i in range(3):
        out[i] = f_n * kinematics.mu[i].imag / H


@kernel
def _set_reach(side, body, kinematics, reach):
    """Fill the reach (2, 4, 3) of friction on K, ``side`` 0, or L, 1, for `_set_by_slip`."""
    sign = 1.0 if side == 1 else -1.0
    lever, eta = (
        (kinematics.lever_l, kinematics.eta_l) if side == 1 else (kinematics.lever_k, kinematics.eta_k)
    )
    for a in range(3):
        reach[side, 0, a] = sign * (body.arm[a] + eta[a])
        mean = (
            0.5 * (body.r_i[0, a] + body.r_f[0, a]),
            0.5 * (body.r_i[1, a] + body.r_f[1, a]),
            0.5 * (body.r_i[2, a] + body.r_f[2, a]),
        )
        # Rbar e_a . (lever x change) = (Rbar e_a x lever) . change
        m0, m1, m2 = cross(mean, lever)
        reach[side, 1 + a, 0], reach[side, 1 + a, 1], reach[side, 1 + a, 2] = sign * m0, sign * m1, sign * m2


@kernel
def _set_by_slip(contact, kinematics, slopes, turned, path, out):
    """Fill out (2, 5, 3): change of the forces for a change ``path`` (3,) of the slip before its projection.

    turned : change of the angle by which bristles are turned
    """
    change, reach = kinematics.force, slopes.reach  # force is no longer needed: used as scratch
    remove_along(kinematics.normal, path)
    for i in range(3):
        change[i] = dot(slopes.by_slip[i], path) + turned * slopes.by_twist[i]
    for side in range(2):
        for i in range(3):
            out[side, 0, i] = change[i] if side == 1 else -change[i]
            for a in range(3):
                out[side, 1 + a, i] = reach[side, 0, a] * change[i]
            out[side, 4, i] = dot(reach[side, 1 + i], change) if contact.slip_of != BY_POINTS else 0.0


@kernel
def _from_axes(r, v):
    """r v of a rotation (3, 3) and a vector (3,), as three numbers."""
    return dot(r[0], v), dot(r[1], v), dot(r[2], v)


@kernel
def _by_rotation_vector(contact, side, j, kinematics, slopes, path, out):
    """Fill out (2, 5, 3) for b_j of K, ``side`` 0, or of L, 1: the slip changes by the row of the moment's reach."""
    for i in range(3):
        path[i] = slopes.reach[side, 1 + j, i]
    _set_by_slip(contact, kinematics, slopes, 0.0, path, out)


@kernel
def _by_material_point(body, sign, unit, eta, inverse, path):
    """Spin ``unit`` (3,) about a material point that is fixed in space: change of the slip, added to path (3,).

    It is another point of the body then, Rbar d(eta) = -d(Rbar) eta, with d(Rbar) = d(R_f)/2. Returns -2 d(eta).
    """
    m = _from_axes(body.r_f, cross(unit, eta))
    d = at_material(inverse, m)
    b0, b1, b2 = _from_axes(body.r_f, d)
    s0, s1, s2 = _from_axes(body.r_i, d)
    path[0] += sign * (m[0] - 0.5 * (b0 - s0))
    path[1] += sign * (m[1] - 0.5 * (b1 - s1))
    path[2] += sign * (m[2] - 0.5 * (b2 - s2))
    return d


@kernel
def _by_lever(body, sign, unit, lever, friction, path, moment):
    """Spin ``unit`` (3,) of a body with a lever: adds to the path (3,); fills moment (3,), change of that on rows b."""
    r_f = body.r_f
    p0, p1, p2 = cross(_from_axes(r_f, cross(unit, body.x[3:6])), lever)
    path[0] += 0.5 * sign * p0
    path[1] += 0.5 * sign * p1
    path[2] += 0.5 * sign * p2
    m = cross(lever, friction)
    t0, t1, t2 = cross(unit, (dot(r_f[:, 0], m), dot(r_f[:, 1], m), dot(r_f[:, 2], m)))
    moment[0], moment[1], moment[2] = -0.5 * sign * t0, -0.5 * sign * t1, -0.5 * sign * t2


@kernel
def _by_spin(contact, k, l, side, j, kinematics, slopes, path, out):
    """Fill out (2, 5, 3) for the spin of K, ``side`` 0, or L, 1, about axis j, without displacement of its point."""
    body, sign = (l, 1.0) if side == 1 else (k, -1.0)
    lever, eta, inverse = (
        (kinematics.lever_l, kinematics.eta_l, kinematics.inverse_l)
        if side == 1
        else (kinematics.lever_k, kinematics.eta_k, kinematics.inverse_k)
    )
    unit = (1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0)
    friction, moment, d = kinematics.friction, kinematics.pull, (0.0, 0.0, 0.0)
    for i in range(3):
        path[i], moment[i] = 0.0, 0.0  # pull is no longer needed: used as scratch
    if contact.slip_of == BY_POINTS or (contact.slip_of == BY_CENTRE and side == 0):
        d = _by_material_point(body, sign, unit, eta, inverse, path)
    if contact.slip_of != BY_POINTS:
        _by_lever(body, sign, unit, lever, friction, path, moment)
    _set_by_slip(contact, kinematics, slopes, slopes.twist[side, j], path, out)
    for i in range(3):
        half = 0.5 * sign * friction[i]
        out[side, 1, i] -= half * d[0]
        out[side, 2, i] -= half * d[1]
        out[side, 3, i] -= half * d[2]
        out[side, 4, i] += moment[i]


@kernel
def by_friction(contact, k, l, by_rotation, kinematics, slopes, path, local):
    """Fill local (15, 2, 5, 3) for motions that change friction only: spins of bodies without by_rotation, and b."""
    _set_reach(0, k, kinematics, slopes.reach)
    _set_reach(1, l, kinematics, slopes.reach)
    for side in range(2):
        for j in range(3):
            turn, spin = local[ROTATION + 3 * side + j], local[SPIN + 3 * side + j]
            if contact.slip_of != BY_POINTS:
                _by_rotation_vector(contact, side, j, kinematics, slopes, path, turn)
            if not by_rotation[side]:
                _by_spin(contact, k, l, side, j, kinematics, slopes, path, spin)


DISTANCE, DIRECTIONS = 0, 15  # first direction of x, and their number
COLUMNS = (0, 1, 2, 3, 4, 5, 9, 10, 11)  # a, b and e: forces do not depend on c


@kernel
def _spin(body, j, h, rotated):
    """Fill rotation and directors at t_f of ``rotated`` with those of ``body``, rotated by h about its axis j."""
    b, c = (j + 1) % 3, (j + 2) % 3
    for i in range(3):
        on_b, on_c = body.r_f[i, b] + h * body.r_f[i, c], body.r_f[i, c] - h * body.r_f[i, b]
        rotated.r_f[i, b], rotated.r_f[i, c] = on_b, on_c
        rotated.q_f[1 + b, i], rotated.q_f[1 + c, i] = on_b, on_c


@kernel
def _stepped(body, x, q_f, r_f):
    """A copy of the `Body` with its unknowns and motion at t_f in complex arrays."""
    for i in range(12):
        x[i] = body.x[i]
    for i in range(3):
        for a in range(4):
            q_f[a, i] = body.q_f[a, i]
        for a in range(3):
            r_f[i, a] = body.r_f[i, a]
    return Body(x, body.arm, body.q_i, q_f, body.r_i, r_f)


@kernel
def _by_complex_step(contact, laws, past, bodies, stepped, by_rotation, kinematics, z_f, forces, local):
    """Fill local (15, 2, 5, 3) for x, and for the spins of bodies with by_rotation (2,).

    stepped : the two bodies in complex arrays; kinematics, forces (2, 5, 3) and z_f (nz, 3) are complex too
    """
    (k, l), (k_c, l_c) = bodies, stepped
    set_rotation(contact, k, kinematics.spin_k, kinematics.inverse_k)
    set_rotation(contact, l, kinematics.spin_l, kinematics.inverse_l)
    for d in range(ROTATION):
        side, j = (d - SPIN) // 3, d % 3
        if d >= SPIN and not by_rotation[side]:
            continue
        if d < SPIN:
            l_c.q_f[0, j] = l.q_f[0, j] + 1j * H
        elif side == 0:
            _spin(k, j, 1j * H, k_c)
            set_rotation(contact, k_c, kinematics.spin_k, kinematics.inverse_k)
        else:
            _spin(l, j, 1j * H, l_c)
            set_rotation(contact, l_c, kinematics.spin_l, kinematics.inverse_l)
        contact_forces(contact, laws, past, k_c, l_c, kinematics, forces, z_f)
        if d < SPIN:
            l_c.q_f[0, j] = l.q_f[0, j]
        elif side == 0:
            _spin(k, j, 0j, k_c)
            set_rotation(contact, k, kinematics.spin_k, kinematics.inverse_k)
        else:
            _spin(l, j, 0j, l_c)
            set_rotation(contact, l, kinematics.spin_l, kinematics.inverse_l)
        for on in range(2):
            for v in range(5):
                for i in range(3):
                    local[d, on, v, i] = forces[on, v, i].imag / H


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
def _find_by_rotation(contact, law, by_rotation):
    """Fill by_rotation (2,): whether all forces depend on the spin of K, of L, not friction alone."""
    for side in range(2):
        by_rotation[side] = contact["oriented"][side] != 0
    by_rotation[0] = by_rotation[0] or law["directed"] != 0


@kernel
def _turned_by_spins(contact, by_rotation):
    """Whether bristles turn with the spin of a body whose complex steps do not include it."""
    if contact["twists"][0] == 0 or contact.in_frame:
        return False
    return not by_rotation[0] or (contact["twists"][1] != 0 and not by_rotation[1])


@kernel(
    void(Contacts, Histories, float64, Configuration, array3, array4, array3, slots, vector),
)
def tangent(contacts, histories, dt, nodes, spin, w_m, lin_m, slots, data):
    """Add the closed contacts' tangents to the matrix values, and their ambient forces to lin_m (n, 4, 3).

    Arguments as in `forces.residual`; spin (n, 3, 6), w_m (n, 3, 3, 6), slots (contacts, 24, 24).
    """
    records, normal_laws, friction_laws = contacts
    bristles, initial_speed, deepest, f_n_prev = histories
    x, r_i, q_i, r_f, q_f = nodes
    kind, nz = np.complex128, bristles.shape[1]
    x_c, q_c, r_c = np.empty((2, 12), kind), np.empty((2, 4, 3), kind), np.empty((2, 3, 3), kind)
    forces, z_f, stepped = np.empty((2, 5, 3), kind), np.empty((nz, 3), kind), new_kinematics(x_c, nz)
    local, rows, small = np.empty((DIRECTIONS, 2, 5, 3)), np.empty((DIRECTIONS, 18)), np.empty((5, 18))
    kinematics, by_rotation, twist = new_kinematics(x, nz), np.empty(2, np.bool_), np.zeros((4, 3))
    reach = np.empty((2, 4, 3))
    for n in range(records.shape[0]):
        contact, law = records[n], friction_laws[n]
        if contact.normal_force == 0.0:
            continue
        k, l = contact.nodes[0], contact.nodes[1]
        body_k = Body(x[k], contact["arm"][0], q_i[k], q_f[k], r_i[k], r_f[k])
        body_l = Body(x[l], contact["arm"][1], q_i[l], q_f[l], r_i[l], r_f[l])
        moved = _stepped(body_k, x_c[0], q_c[0], r_c[0]), _stepped(body_l, x_c[1], q_c[1], r_c[1])
        laws, past = (
            Laws(normal_laws[n], law),
            History(bristles[n], initial_speed[n], deepest[n], f_n_prev[n], dt),
        )
        _find_by_rotation(contact, law, by_rotation)
        local[:] = 0.0
        _by_complex_step(
            contact, laws, past, (body_k, body_l), moved, by_rotation, stepped, z_f, forces, local
        )  # fmt: skip
        if has_friction(law):
            _real_parts(stepped, kinematics)
            by_slip(law, contact.normal_force, f_n_prev[n], dt, stepped, z_f, small[:3, :3])
            small[4, :3] = 0.0
            if _turned_by_spins(contact, by_rotation):
                by_twist(law, contact.normal_force, f_n_prev[n], dt, stepped, z_f, small[4, :3])
                half_spin_derivatives(contact, body_k, body_l, stepped.normal_i, kinematics.normal_f, twist)
            slopes = Slopes(small[:3, :3], small[4, :3], twist, reach)
            by_friction(contact, body_k, body_l, by_rotation, kinematics, slopes, small[3, :3], local)
        _add_point_displacements(body_k, body_l, by_rotation, local)
        for side in range(2):
            node = contact.nodes[side]
            _pull_back(local, w_m[node], side, rows)
            for a in range(4):
                for i in range(3):
                    lin_m[node, a, i] += dt * dt * forces[side, a, i].real
        for side in range(2):
            _add_columns(rows, spin[contact.nodes[side]], side, dt * dt, slots[n], small[4], data)
