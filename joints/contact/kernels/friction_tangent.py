"""Change of a contact's friction force by motions that change only the slip and the point of action (compiled).

With M the derivative of mu by the slip at the same normal force and bristles, from complex steps of the law alone, and
P the projection on the plane of the contact,

    d(friction) = f_n M P d(slip).

Spins of both bodies turn the bristles about the normal, by one angle: its effect on mu is one more complex step of the
law, and its derivatives by the spins are in closed form (`slip_and_bristles.half_spin_derivatives`).

Motions and what they change are numbered as in `tangent`. Source: docs/explanation/theory.md, section 8.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.vectors import cross, dot
from fem_mbd.friction.tangential import directed_force, turned_states
from fem_mbd.joints.contact.geometry.contact_kinematics import BY_CENTRE, BY_POINTS, remove_along
from fem_mbd.joints.contact.kernels.slip_and_bristles import at_material

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
