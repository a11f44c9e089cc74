"""Change of a contact's friction force by motions that change only the slip and the point of action (compiled).

With M the derivative of mu by the slip at the same normal force and bristles, from complex steps of the law alone, and
P the projection on the plane of the contact,

    d(friction) = f_n M P d(slip).

Motions and what they change are numbered as in `tangent`. Source: docs/explanation/theory.md, section 8.
"""

from __future__ import annotations

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.vectors import cross, dot
from fem_mbd.friction.tangential import directed_force
from fem_mbd.joints.contact.geometry.contact_kinematics import BY_POINTS, remove_along
from fem_mbd.joints.contact.kernels.slip_and_bristles import material_point, set_forces

H = 1e-40  # of the complex step
SPIN, ROTATION = 3, 9  # first directions of phi of K and L, and of b of K and L


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
def _set_by_slip(contact, k, l, kinematics, by_slip, path, out):
    """Fill out (2, 5, 3): change of the forces for a change ``path`` (3,) of the slip before its projection."""
    change = kinematics.force  # no longer needed: used as scratch
    remove_along(kinematics.normal, path)
    for i in range(3):
        change[i] = dot(by_slip[i], path)
    m = kinematics
    set_forces(contact, k, -1.0, 0.0, change, m.turn_k, change, m.lever_k, m.eta_k, out[0])
    set_forces(contact, l, 1.0, 0.0, change, m.turn_l, change, m.lever_l, m.eta_l, out[1])


@kernel
def _from_axes(r, v):
    """r v of a rotation (3, 3) and a vector (3,), as three numbers."""
    return dot(r[0], v), dot(r[1], v), dot(r[2], v)


@kernel
def _by_rotation_vector(contact, k, l, side, j, kinematics, by_slip, path, out):
    """Fill out (2, 5, 3) for b_j of K, ``side`` 0, or of L, 1."""
    body, sign = (l, 1.0) if side == 1 else (k, -1.0)
    lever = kinematics.lever_l if side == 1 else kinematics.lever_k
    axis = (
        0.5 * (body.r_i[0, j] + body.r_f[0, j]),
        0.5 * (body.r_i[1, j] + body.r_f[1, j]),
        0.5 * (body.r_i[2, j] + body.r_f[2, j]),
    )
    p0, p1, p2 = cross(axis, lever)
    path[0], path[1], path[2] = sign * p0, sign * p1, sign * p2
    _set_by_slip(contact, k, l, kinematics, by_slip, path, out)


@kernel
def _by_spin(contact, k, l, side, unit, kinematics, by_slip, path, out):
    """Fill out (2, 5, 3) for the spin ``unit`` (3,) of a body, without the displacement of its point."""
    body, sign = (l, 1.0) if side == 1 else (k, -1.0)
    lever, eta = (
        (kinematics.lever_l, kinematics.eta_l) if side == 1 else (kinematics.lever_k, kinematics.eta_k)
    )
    friction, r_i, r_f = kinematics.friction, body.r_i, body.r_f
    # the material point is fixed in space: another one of the body, Rbar d(eta) = -d(Rbar) eta
    m = _from_axes(r_f, cross(unit, eta))
    d = material_point(body, m)
    b0, b1, b2 = _from_axes(r_f, d)
    s0, s1, s2 = _from_axes(r_i, d)
    p0, p1, p2 = cross(_from_axes(r_f, cross(unit, body.x[3:6])), lever)
    path[0] = sign * (m[0] - 0.5 * (b0 - s0) + 0.5 * p0)
    path[1] = sign * (m[1] - 0.5 * (b1 - s1) + 0.5 * p1)
    path[2] = sign * (m[2] - 0.5 * (b2 - s2) + 0.5 * p2)
    _set_by_slip(contact, k, l, kinematics, by_slip, path, out)
    for i in range(3):
        half = 0.5 * sign * friction[i]
        out[side, 1, i] -= half * d[0]
        out[side, 2, i] -= half * d[1]
        out[side, 3, i] -= half * d[2]
    moment = cross(lever, friction)
    t0, t1, t2 = cross(unit, (dot(r_f[:, 0], moment), dot(r_f[:, 1], moment), dot(r_f[:, 2], moment)))
    out[side, 4, 0] -= 0.5 * sign * t0
    out[side, 4, 1] -= 0.5 * sign * t1
    out[side, 4, 2] -= 0.5 * sign * t2


@kernel
def by_friction(contact, k, l, by_rotation, kinematics, by_slip, path, local):
    """Fill local (15, 2, 5, 3) for motions that change friction only: spins of bodies without by_rotation, and b."""
    for side in range(2):
        for j in range(3):
            unit = (1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0)
            turn, spin = local[ROTATION + 3 * side + j], local[SPIN + 3 * side + j]
            if contact.slip_of != BY_POINTS:
                _by_rotation_vector(contact, k, l, side, j, kinematics, by_slip, path, turn)
            if not by_rotation[side]:
                _by_spin(contact, k, l, side, unit, kinematics, by_slip, path, spin)
