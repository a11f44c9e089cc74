"""Compiled: what friction sees of a contact's motion, and how its force acts on the bodies.

P is the projection on the plane normal to the step's normal. There are two ways to move with a body:

    by levers:  s_m = P [Dx + (Rbar_L b_L) x lambda_L - (Rbar_K b_K) x lambda_K]      (Bauchau and Ju, eqs. 5 and 7)
    at points:  s_m = P [Dx + DR_L eta_L - DR_K eta_K],    eta = Rbar^-1 lambda

lambda are the levers from the two points to the contact at mid-step. "At points" takes the material points that are
there: forces at material points are pulled back exactly, so that forces and moments balance and a rigid motion of both
bodies, however large, is no slip at all. "By levers" the moments act on the rows b by the same levers. Either way the
work of the friction force -f_n mu on L is -f_n mu . s_m exactly.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.compiled import kernel
from fem_mbd.joints.contact.geometry.vectors import cross, remove_along


@kernel
def _add_turn(body, lever, sign, slip):
    """slip (3,) += sign (Rbar b) x lever, the path of a body's contact point about the point where it is held."""
    turn, moved = np.empty(3, slip.dtype), np.empty(3, slip.dtype)
    for i in range(3):
        turn[i] = 0.0 * body.x[3]
        for j in range(3):
            turn[i] += 0.5 * (body.r_i[i, j] + body.r_f[i, j]) * body.x[3 + j]
    cross(turn, lever, moved)
    for i in range(3):
        slip[i] += sign * moved[i]


@kernel
def _turn_moment(body, lever, friction, moment):
    """Fill moment (3,) on the rows b of a node: that of ``friction`` (3,) at ``lever``, dual to `_add_turn`."""
    turned = np.empty(3, moment.dtype)
    cross(lever, friction, turned)
    for j in range(3):
        moment[j] = 0.0
        for i in range(3):
            moment[j] += 0.5 * (body.r_i[i, j] + body.r_f[i, j]) * turned[i]


@kernel
def _material_point(body, p, eta):
    """Fill eta (3,) with (R_i + R_f) eta/2 = p: the body's point that is at ``p`` (3,) at mid-step."""
    m, c = np.empty((3, 3), p.dtype), np.empty((3, 3), p.dtype)
    for i in range(3):
        for j in range(3):
            m[i, j] = 0.5 * (body.r_i[i, j] + body.r_f[i, j])
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
def find_slip(contact, k, l, meeting, eta_k, eta_l):
    """Fill the meeting's slip (3,), and eta_k, eta_l (3,) where friction acts at points."""
    slip = meeting.slip
    for i in range(3):
        slip[i] = meeting.apart_f[i] - meeting.apart_i[i]
    if contact.at_points:
        _material_point(k, meeting.lever_k, eta_k)
        _material_point(l, meeting.lever_l, eta_l)
        for i in range(3):
            for a in range(3):
                slip[i] += (l.r_f[i, a] - l.r_i[i, a]) * eta_l[a] - (k.r_f[i, a] - k.r_i[i, a]) * eta_k[a]
    else:
        _add_turn(l, meeting.lever_l, 1.0, slip)
        _add_turn(k, meeting.lever_k, -1.0, slip)
    remove_along(meeting.normal, slip)


@kernel
def set_forces(contact, body, f_n, force, turn, friction, lever, eta, out):
    """Fill out (5, 3): ambient forces on a body's four vectors, and a moment on its rows b.

    ``force`` (3,) acts at the body's point, f_n ``turn`` (3, 3) on its directors, ``friction`` (3,) at the contact.
    """
    for i in range(3):
        out[0, i], out[4, i] = force[i], 0.0
        for a in range(3):
            out[1 + a, i] = body.arm[a] * force[i] + f_n * turn[a, i]
            if contact.at_points:
                out[1 + a, i] += eta[a] * friction[i]
    if not contact.at_points:
        _turn_moment(body, lever, friction, out[4])
