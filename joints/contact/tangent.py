"""Compiled tangent of contacts: complex steps in the few directions that matter, chained with the nodes' maps.

A contact does not see the 18 unknowns that move its bodies, but

    x    the distance of its two points at t_f, which moves with a and with the bodies' turns about their mass centres
    phi  the spins of R_f of K and L, phi = g (b, e) as of `spin_derivative`
    b    of K and L themselves, in the slip by levers (`friction_motion`)

By x everything changes; by the spin of a body too, where the geometry, the twist of bristles or the axis of the
friction law goes by its rotation. These derivatives are complex steps of `driver.contact_forces`, exact to round-off.
All other motions change the slip and where the friction force acts, and nothing else: with M the derivative of mu by
the slip at the same normal force and bristles (complex steps of the law alone) and P the projection on the plane,

    d(friction) = f_n M P d(slip).

It is the tangent of the ambient forces; how the nodes' maps change under them is added once per node. The test is the
complex step over all unknowns. Source: docs/theory.md, section 8.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.compiled import kernel
from fem_mbd.friction.tangential import directed_force, rubs
from fem_mbd.joints.contact.driver import contact_forces
from fem_mbd.joints.contact.friction_motion import material_point, set_forces
from fem_mbd.joints.contact.geometry.step import Body, new_meeting
from fem_mbd.joints.contact.geometry.vectors import cross, dot, remove_along

H = 1e-40  # of the complex step
APART, SPIN, TURN = 0, 3, 9  # first directions: x, phi of K and L, b of K and L
DIRECTIONS = 15
MOVING = (0, 1, 2, 3, 4, 5, 9, 10, 11)  # a, b and e: forces do not depend on c


@kernel
def _spin(body, j, h, turned):
    """Fill rotation and directors at t_f of ``turned`` with those of ``body``, moved by h about its axis j."""
    b, c = (j + 1) % 3, (j + 2) % 3
    for i in range(3):
        on_b, on_c = body.r_f[i, b] + h * body.r_f[i, c], body.r_f[i, c] - h * body.r_f[i, b]
        turned.r_f[i, b], turned.r_f[i, c] = on_b, on_c
        turned.q_f[1 + b, i], turned.q_f[1 + c, i] = on_b, on_c


@kernel
def _by_complex_step(
    contact, normal_law, friction_law, bristles, began, deepest, before, dt, k, l, k_c, l_c, whole, meeting, z_f,
    forces, local
):  # fmt: skip
    """Fill local (15, 2, 5, 3) for x, and for the spins of the bodies of which whole (2,) says so.

    k_c and l_c are k and l in complex arrays; meeting, forces (2, 5, 3) and z_f (nz, 3) are complex too.
    """
    for d in range(TURN):
        side, j = (d - SPIN) // 3, d % 3
        if d >= SPIN and not whole[side]:
            continue
        if d < SPIN:
            l_c.q_f[0, j] = l.q_f[0, j] + 1j * H
        elif side == 0:
            _spin(k, j, 1j * H, k_c)
        else:
            _spin(l, j, 1j * H, l_c)
        contact_forces(
            contact, normal_law, friction_law, bristles, began, deepest, before, dt, k_c, l_c, meeting, forces, z_f
        )  # fmt: skip
        if d < SPIN:
            l_c.q_f[0, j] = l.q_f[0, j]
        elif side == 0:
            _spin(k, j, 0j, k_c)
        else:
            _spin(l, j, 0j, l_c)
        for on in range(2):
            for v in range(5):
                for i in range(3):
                    local[d, on, v, i] = forces[on, v, i].imag / H


@kernel
def _by_slip(law, f_n, before, dt, meeting, z_f, out):
    """Fill out (3, 3): f_n times the derivative of mu by the slip, as the law alone gives it; meeting is complex."""
    for j in range(3):
        meeting.slip[j] += 1j * H
        directed_force(
            law, meeting.along, meeting.slip, meeting.bristles, f_n + 0j, before, dt, meeting.mu, z_f
        )
        meeting.slip[j] = meeting.slip[j].real
        for i in range(3):
            out[i, j] = f_n * meeting.mu[i].imag / H


@kernel
def _set_by_path(contact, k, l, meeting, by_slip, path, out):
    """Fill out (2, 5, 3): change of the forces when the slip, before its projection, changes by ``path`` (3,)."""
    change = meeting.force  # their sum has been made, the place is free
    remove_along(meeting.normal, path)
    for i in range(3):
        change[i] = dot(by_slip[i], path)
    set_forces(contact, k, -1.0, 0.0, change, meeting.turn_k, change, meeting.lever_k, meeting.eta_k, out[0])
    set_forces(contact, l, 1.0, 0.0, change, meeting.turn_l, change, meeting.lever_l, meeting.eta_l, out[1])


@kernel
def _from_axes(r, v):
    """r v of a rotation (3, 3) and a vector (3,), as three numbers."""
    return dot(r[0], v), dot(r[1], v), dot(r[2], v)


@kernel
def _by_turn(contact, k, l, body, sign, lever, j, meeting, by_slip, path, out):
    """Fill out (2, 5, 3) for b_j of ``body``, of k and l the one whose paths count with ``sign`` in the slip."""
    axis = (
        0.5 * (body.r_i[0, j] + body.r_f[0, j]),
        0.5 * (body.r_i[1, j] + body.r_f[1, j]),
        0.5 * (body.r_i[2, j] + body.r_f[2, j]),
    )
    path[0], path[1], path[2] = cross(axis, lever)
    for i in range(3):
        path[i] *= sign
    _set_by_path(contact, k, l, meeting, by_slip, path, out)


@kernel
def _by_spin(contact, k, l, body, sign, lever, eta, unit, meeting, by_slip, path, out):
    """Fill out (2, 5, 3) for the spin ``unit`` (3,) of ``body``, as `_by_turn`, but for its point's path."""
    on = 1 if sign > 0.0 else 0
    friction, r_f = meeting.friction, body.r_f
    if contact.at_points:
        # the contact stays where it is: another point of the body, Rbar d(eta) = -d(Rbar) eta
        moved = _from_axes(r_f, cross(unit, eta))
        other = material_point(body, moved)
        for i in range(3):
            back = dot(r_f[i], other) - dot(body.r_i[i], other)
            path[i] = sign * (moved[i] - 0.5 * back)
        _set_by_path(contact, k, l, meeting, by_slip, path, out)
        for a in range(3):
            for i in range(3):
                out[on, 1 + a, i] -= 0.5 * sign * other[a] * friction[i]
        return
    way = cross(_from_axes(r_f, cross(unit, body.x[3:6])), lever)
    for i in range(3):
        path[i] = 0.5 * sign * way[i]
    _set_by_path(contact, k, l, meeting, by_slip, path, out)
    moment = cross(lever, friction)
    own = dot(r_f[:, 0], moment), dot(r_f[:, 1], moment), dot(r_f[:, 2], moment)
    turned = cross(unit, own)
    for i in range(3):
        out[on, 4, i] -= 0.5 * sign * turned[i]


@kernel
def _by_friction(contact, k, l, whole, meeting, by_slip, local):
    """Fill local (15, 2, 5, 3) for all that changes nothing but friction: spins that are not whole, and b."""
    path = np.empty(3)
    for side in range(2):
        body, sign = (l, 1.0) if side == 1 else (k, -1.0)
        lever, eta = (meeting.lever_l, meeting.eta_l) if side == 1 else (meeting.lever_k, meeting.eta_k)
        for j in range(3):
            unit = (1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0)
            turn, spin = local[TURN + 3 * side + j], local[SPIN + 3 * side + j]
            if not contact.at_points:
                _by_turn(contact, k, l, body, sign, lever, j, meeting, by_slip, path, turn)
            if not whole[side]:
                _by_spin(contact, k, l, body, sign, lever, eta, unit, meeting, by_slip, path, spin)


@kernel
def _add_paths_of_points(k, l, whole, local):
    """Add to local (15, 2, 5, 3) what spins that are not whole do by moving the body's point."""
    for side in range(2):
        if whole[side]:
            continue
        body, sign = (l, 1.0) if side == 1 else (k, -1.0)
        for j in range(3):
            b, c = (j + 1) % 3, (j + 2) % 3
            for i in range(3):
                moved = sign * (body.r_f[i, c] * body.arm[b] - body.r_f[i, b] * body.arm[c])
                for on in range(2):
                    for v in range(5):
                        for m in range(3):
                            local[SPIN + 3 * side + j, on, v, m] += moved * local[APART + i, on, v, m]


@kernel
def _pull_back(local, w_m, on, rows):
    """Fill rows (15, 18) from 9 ``on`` on: what a, b and e of one body see of the forces local (15, 2, 5, 3)."""
    for d in range(DIRECTIONS):
        row, force = rows[d, 9 * on : 9 * on + 9], local[d, on]
        for i in range(3):
            row[i], row[3 + i], row[6 + i] = force[0, i], force[4, i], 0.0
        for a in range(3):
            for i in range(3):
                for j in range(6):
                    row[3 + j] += w_m[a, i, j] * force[1 + a, i]


@kernel
def _add_columns(rows, spin, side, scale, slots, data):
    """Add to data what rows (15, 18) give for a, b and e of a body; spin (3, 6) is its g, slots (24, 24)."""
    dump, column = data.shape[0] - 1, np.empty(18)
    for m in range(9):
        at = 12 * side + MOVING[m]
        if slots[at, at] == dump:
            continue  # held
        if m < 3:
            for r in range(18):
                column[r] = (2.0 * side - 1.0) * rows[APART + m, r]
        else:
            g, first = spin[:, m - 3], SPIN + 3 * side
            for r in range(18):
                column[r] = g[0] * rows[first, r] + g[1] * rows[first + 1, r] + g[2] * rows[first + 2, r]
            if m < 6:
                for r in range(18):
                    column[r] += rows[TURN + 3 * side + m - 3, r]
        for r in range(18):
            data[slots[12 * (r // 9) + MOVING[r % 9], at]] += scale * column[r]


@kernel
def _as_complex(body, x, q_f, r_f):
    """The body with what moves in complex arrays x (12,), q_f (4, 3) and r_f (3, 3), which are filled."""
    x[:], q_f[:], r_f[:] = body.x, body.q_f, body.r_f
    return Body(x, body.arm, body.q_i, q_f, body.r_i, r_f)


@kernel
def tangent(
    contacts, normal_laws, friction_laws, bristles, began, deepest, before, dt, x, r_i, q_i, r_f, q_f, spin, w_m,
    lin_m, slots, data
):  # fmt: skip
    """Add the closed contacts' tangents to the matrix values, and their ambient forces to lin_m (n, 4, 3).

    Arguments as in `driver.residual`; spin (n, 3, 6), w_m (n, 3, 3, 6), slots (contacts, 24, 24).
    """
    kind, nz = np.complex128, bristles.shape[1]
    x_c, q_c, r_c = np.empty((2, 12), kind), np.empty((2, 4, 3), kind), np.empty((2, 3, 3), kind)
    forces, z_f, stepped = np.empty((2, 5, 3), kind), np.empty((nz, 3), kind), new_meeting(x_c, nz)
    local, rows = np.empty((DIRECTIONS, 2, 5, 3)), np.empty((DIRECTIONS, 18))
    meeting, by_slip, whole = new_meeting(x, nz), np.empty((3, 3)), np.empty(2, np.bool_)
    for n in range(contacts.shape[0]):
        contact, law = contacts[n], friction_laws[n]
        if contact.normal_force == 0.0:
            continue
        i, j = contact.nodes[0], contact.nodes[1]
        k = Body(x[i], contact["arm"][0], q_i[i], q_f[i], r_i[i], r_f[i])
        l = Body(x[j], contact["arm"][1], q_i[j], q_f[j], r_i[j], r_f[j])
        for side in range(2):
            whole[side] = contact["oriented"][side] or contact["twists"][side]
        whole[0] = whole[0] or law["directed"]
        local[:] = 0.0
        _by_complex_step(
            contact, normal_laws[n], law, bristles[n], began[n], deepest[n], before[n], dt, k, l,
            _as_complex(k, x_c[0], q_c[0], r_c[0]), _as_complex(l, x_c[1], q_c[1], r_c[1]), whole, stepped, z_f,
            forces, local,
        )  # fmt: skip
        if rubs(law):
            meeting.all[:] = stepped.all.real
            stepped.all[:] = meeting.all
            _by_slip(law, contact.normal_force, before[n], dt, stepped, z_f, by_slip)
            _by_friction(contact, k, l, whole, meeting, by_slip, local)
        _add_paths_of_points(k, l, whole, local)
        for side in range(2):
            node = contact.nodes[side]
            _pull_back(local, w_m[node], side, rows)
            for a in range(4):
                for i in range(3):
                    lin_m[node, a, i] += dt * dt * forces[side, a, i].real
        for side in range(2):
            _add_columns(rows, spin[contact.nodes[side]], side, dt * dt, slots[n], data)
