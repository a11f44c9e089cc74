"""Transport of bristle deflections with the contact plane, from t_i to mid-step and on to t_f (compiled).

Carried bristles turn by the smallest rotation between normals, and by the twist about the normal of the bodies that the
geometry names (of two: the mean), so that they turn with bodies that turn together. Bristles in a frame keep their
components in it. Either way their length stays.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.vectors import cross, dot, length
from fem_mbd.joints.contact.geometry.vectors import TINY, carried, carry, remove_along


@kernel
def _of_tangent(body, t, n_i, n_f):
    """Cosine and sine of the twist of a body as the unit tangent ``t`` at t_i sees it."""
    r_i, r_f = body.r_i, body.r_f
    own = dot(r_i[:, 0], t), dot(r_i[:, 1], t), dot(r_i[:, 2], t)
    with_body = dot(r_f[0], own), dot(r_f[1], own), dot(r_f[2], own)
    with_normal = carried(t, n_i, n_f)
    return dot(with_normal, with_body), dot(cross(with_normal, with_body), n_f)


@kernel
def _twist(body, n_i, n_f):
    """Twice the cosine and sine of a body's twist about the normal that goes from n_i to n_f."""
    x, y, z = abs(n_i[0].real), abs(n_i[1].real), abs(n_i[2].real)
    aside = (1.0, 0.0, 0.0) if x <= y and x <= z else ((0.0, 1.0, 0.0) if y <= z else (0.0, 0.0, 1.0))
    t = cross(n_i, aside)
    size = length(t)
    first = t[0] / size, t[1] / size, t[2] / size
    c, s = _of_tangent(body, first, n_i, n_f)
    c_2, s_2 = _of_tangent(body, cross(n_i, first), n_i, n_f)
    return c + c_2, s + s_2


@kernel
def half_twist(contact, k, l, kinematics):
    """Cosine and sine of half the twist that carried bristles take part in; ``twists`` names one body or both."""
    c, s = 0.0 * kinematics.normal_f[0], 0.0 * kinematics.normal_f[0]
    if contact["twists"][0]:
        c_k, s_k = _twist(k, kinematics.normal_i, kinematics.normal_f)
        c, s = c + c_k, s + s_k
    if contact["twists"][1]:
        c_l, s_l = _twist(l, kinematics.normal_i, kinematics.normal_f)
        c, s = c + c_l, s + s_l
    c += np.sqrt(c * c + s * s) + TINY
    size = np.sqrt(c * c + s * s) + TINY
    return c / size, s / size


@kernel
def _turn(z, axis, c, s):
    """Turn the tangent vectors z (nz, 3) about the unit ``axis`` by the angle of cosine c and sine s."""
    for k in range(z.shape[0]):
        a0, a1, a2 = cross(axis, z[k])
        z[k, 0], z[k, 1], z[k, 2] = c * z[k, 0] + s * a0, c * z[k, 1] + s * a1, c * z[k, 2] + s * a2


@kernel
def _to_global(z, frame):
    """Replace z (nz, 3), components in the columns of frame, by the vectors."""
    for k in range(z.shape[0]):
        v0, v1, v2 = z[k, 0], z[k, 1], z[k, 2]
        for i in range(3):
            z[k, i] = frame[i, 0] * v0 + frame[i, 1] * v1 + frame[i, 2] * v2


@kernel
def _to_components(z, frame):
    """Replace z (nz, 3) by its components in the columns of frame."""
    for k in range(z.shape[0]):
        v0, v1, v2 = z[k, 0], z[k, 1], z[k, 2]
        for j in range(3):
            z[k, j] = frame[0, j] * v0 + frame[1, j] * v1 + frame[2, j] * v2


@kernel
def bring(contact, kinematics, c, s, z):
    """From what is kept at t_i to vectors z (nz, 3) of the step's plane; c, s from `half_twist`."""
    if contact.in_frame:
        _to_global(z, kinematics.frame)
    else:
        carry(z, kinematics.normal_i, kinematics.normal)
        if contact["twists"][0]:
            _turn(z, kinematics.normal, c, s)
    # a law that scales bristles up by slip over deflection makes round-off across the plane grow from step to step, and
    # friction would do work there that no slip is booked for
    for k in range(z.shape[0]):
        remove_along(kinematics.normal, z[k])


@kernel
def keep(contact, kinematics, c, s, z):
    """From vectors z (nz, 3) of the step's plane to what is kept at t_f."""
    if contact.in_frame:
        _to_components(z, kinematics.frame)
        return
    if contact["twists"][0]:
        _turn(z, kinematics.normal, c, s)
    carry(z, kinematics.normal, kinematics.normal_f)
