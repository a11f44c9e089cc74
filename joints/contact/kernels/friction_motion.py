"""Slip of a contact over a step, and the friction force's action on both bodies (compiled).

P is the projection on the plane normal to the step's normal. There are two ways to move with a body:

    by levers:  s_m = P [Dx + (Rbar_L b_L) x lambda_L - (Rbar_K b_K) x lambda_K]      (Bauchau and Ju, eqs. 5 and 7)
    at points:  s_m = P [Dx + DR_L eta_L - DR_K eta_K],    eta = Rbar^-1 lambda

lambda are the levers from the two points to the contact at mid-step. "At points" takes the material points that are
there: forces at material points are pulled back exactly, so that forces and moments balance and a rigid motion of both
bodies, however large, is no slip at all. "By levers" the moments act on the rows b by the same levers. Either way the
work of the friction force -f_n mu on L is -f_n mu . s_m exactly.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.vectors import cross, dot
from fem_mbd.joints.contact.geometry.vectors import remove_along


@kernel
def _add_turn(body, lever, sign, slip):
    """slip (3,) += sign (Rbar b) x lever, the path of a body's contact point about the point where it is held."""
    m0, m1, m2 = cross(_turned(body, body.x[3:6]), lever)
    slip[0] += sign * m0
    slip[1] += sign * m1
    slip[2] += sign * m2


@kernel
def _turned(body, v):
    """Rbar v of a vector (3,) in a body's axes."""
    r_i, r_f = body.r_i, body.r_f
    return (
        0.5 * (dot(r_i[0], v) + dot(r_f[0], v)),
        0.5 * (dot(r_i[1], v) + dot(r_f[1], v)),
        0.5 * (dot(r_i[2], v) + dot(r_f[2], v)),
    )


@kernel
def material_point(body, p):
    """eta with Rbar eta = p: the body's point that is at ``p`` (3,) at mid-step, as three numbers."""
    r_i, r_f = body.r_i, body.r_f
    columns = (
        (0.5 * (r_i[0, 0] + r_f[0, 0]), 0.5 * (r_i[1, 0] + r_f[1, 0]), 0.5 * (r_i[2, 0] + r_f[2, 0])),
        (0.5 * (r_i[0, 1] + r_f[0, 1]), 0.5 * (r_i[1, 1] + r_f[1, 1]), 0.5 * (r_i[2, 1] + r_f[2, 1])),
        (0.5 * (r_i[0, 2] + r_f[0, 2]), 0.5 * (r_i[1, 2] + r_f[1, 2]), 0.5 * (r_i[2, 2] + r_f[2, 2])),
    )
    # a row of the cofactors is the cross product of the other two columns
    c0, c1, c2 = cross(columns[1], columns[2]), cross(columns[2], columns[0]), cross(columns[0], columns[1])
    scale = 1.0 / dot(columns[0], c0)
    return scale * dot(c0, p), scale * dot(c1, p), scale * dot(c2, p)


@kernel
def find_slip(contact, k, l, kinematics):
    """Fill the kinematics's slip (3,), and eta_k, eta_l (3,) where friction acts at points."""
    slip, eta_k, eta_l = kinematics.slip, kinematics.eta_k, kinematics.eta_l
    for i in range(3):
        slip[i] = kinematics.apart_f[i] - kinematics.apart_i[i]
    if contact.at_points:
        eta_k[0], eta_k[1], eta_k[2] = material_point(k, kinematics.lever_k)
        eta_l[0], eta_l[1], eta_l[2] = material_point(l, kinematics.lever_l)
        for i in range(3):
            for a in range(3):
                slip[i] += (l.r_f[i, a] - l.r_i[i, a]) * eta_l[a] - (k.r_f[i, a] - k.r_i[i, a]) * eta_k[a]
    else:
        _add_turn(l, kinematics.lever_l, 1.0, slip)
        _add_turn(k, kinematics.lever_k, -1.0, slip)
    remove_along(kinematics.normal, slip)


class Side(NamedTuple):
    """One body of a contact and what concerns it in a `ContactKinematics`."""

    body: Any
    sign: Any  # of its forces, and of its path in the slip: -1 for K, 1 for L
    turn: Any
    lever: Any
    eta: Any


@kernel
def sides(k, l, kinematics):
    """A `Side` each for K and L."""
    return (
        Side(k, -1.0, kinematics.turn_k, kinematics.lever_k, kinematics.eta_k),
        Side(l, 1.0, kinematics.turn_l, kinematics.lever_l, kinematics.eta_l),
    )


@kernel
def set_forces(contact, on, f_n, force, friction, out):
    """Fill out (5, 3): ambient forces on the four vectors of a body, and a moment on its rows b.

    on : `Side`, by whose sign ``force`` (3,) acts at the body's point and ``friction`` (3,) at the contact; f_n times
    its ``turn`` (3, 3) acts on the directors.
    """
    body, sign, turn, lever, eta = on
    for i in range(3):
        out[0, i], out[4, i] = sign * force[i], 0.0
        for a in range(3):
            out[1 + a, i] = body.arm[a] * (sign * force[i]) + f_n * turn[a, i]
            if contact.at_points:
                out[1 + a, i] += eta[a] * (sign * friction[i])
    if not contact.at_points:
        # the moment of the friction force, dual to `_add_turn`
        m0, m1, m2 = cross(lever, friction)
        r_i, r_f = body.r_i, body.r_f
        for j in range(3):
            turned = (
                (r_i[0, j] + r_f[0, j]) * m0 + (r_i[1, j] + r_f[1, j]) * m1 + (r_i[2, j] + r_f[2, j]) * m2
            )
            out[4, j] = 0.5 * sign * turned


@kernel
def add_to_nodes(forces, nodes, scale, force_m, rows):
    """Add scale times forces (2, 5, 3) on K and L, as of `set_forces`, to their nodes' force_m (n, 4, 3) and rows."""
    for side in range(2):
        node = nodes[side]
        for i in range(3):
            rows[node, 3 + i] += scale * forces[side, 4, i]
            for a in range(4):
                force_m[node, a, i] += scale * forces[side, a, i]
