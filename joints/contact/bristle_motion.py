"""Compiled: how bristles go with a contact whose plane turns, from t_i to the step's plane and on to t_f.

Carried bristles turn by the smallest rotation between normals, and by the twist about the normal of the bodies that the
geometry names (of two: the mean), so that they turn with bodies that turn together. Bristles in a frame keep their
components in it. Either way their length stays.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.compiled import bare_kernel, kernel
from fem_mbd.compiled.late import late_kernel, two_numbers
from fem_mbd.joints.contact.geometry.vectors import TINY, carry, cross, dot, length, remove_along


@kernel
def _add_twist(body, n_i, n_f, sums):
    """Add to sums (2,) twice the cosine and sine of a body's twist about the normal that goes from n_i to n_f."""
    t = np.zeros((2, 3), n_f.dtype)
    least = 0
    for i in range(1, 3):
        if abs(n_i[i].real) < abs(n_i[least].real):
            least = i
    t[1, least] = 1.0
    t[0, 0], t[0, 1], t[0, 2] = cross(n_i, t[1])
    size = length(t[0])
    for i in range(3):
        t[0, i] /= size
    t[1, 0], t[1, 1], t[1, 2] = cross(n_i, t[0])
    for a in range(2):
        # a tangent at t_i as the body turns it, and as the normal takes it along
        moved = _with_body(body, t[a])
        carry(t[a : a + 1], n_i, n_f)
        sums[0] += dot(t[a], moved)
        sums[1] += dot(cross(t[a], moved), n_f)


@bare_kernel
def _with_body(body, v):
    """R_f R_i^T v of a vector (3,) that goes with a body."""
    r_i, r_f = body.r_i, body.r_f
    own = dot(r_i[:, 0], v), dot(r_i[:, 1], v), dot(r_i[:, 2], v)
    return dot(r_f[0], own), dot(r_f[1], own), dot(r_f[2], own)


@late_kernel(two_numbers)
def half_twist(contact, k, l, meeting):
    """Cosine and sine of half the twist that carried bristles take part in."""
    sums = np.zeros(2, meeting.normal_f.dtype)
    if contact["twists"][0]:
        _add_twist(k, meeting.normal_i, meeting.normal_f, sums)
    if contact["twists"][1]:
        _add_twist(l, meeting.normal_i, meeting.normal_f, sums)
    size = np.sqrt(sums[0] * sums[0] + sums[1] * sums[1]) + TINY
    c, s = sums[0] + size, sums[1]
    size = np.sqrt(c * c + s * s) + TINY
    return c / size, s / size


@bare_kernel
def _turn(z, axis, c, s):
    """Turn the tangent vectors z (nz, 3) about the unit ``axis`` by the angle of cosine c and sine s."""
    for k in range(z.shape[0]):
        a0, a1, a2 = cross(axis, z[k])
        z[k, 0], z[k, 1], z[k, 2] = c * z[k, 0] + s * a0, c * z[k, 1] + s * a1, c * z[k, 2] + s * a2


@bare_kernel
def _to_global(z, frame):
    """Replace z (nz, 3), components in the columns of frame, by the vectors."""
    for k in range(z.shape[0]):
        v0, v1, v2 = z[k, 0], z[k, 1], z[k, 2]
        for i in range(3):
            z[k, i] = frame[i, 0] * v0 + frame[i, 1] * v1 + frame[i, 2] * v2


@bare_kernel
def _to_components(z, frame):
    """Replace z (nz, 3) by its components in the columns of frame."""
    for k in range(z.shape[0]):
        v0, v1, v2 = z[k, 0], z[k, 1], z[k, 2]
        for j in range(3):
            z[k, j] = frame[0, j] * v0 + frame[1, j] * v1 + frame[2, j] * v2


@bare_kernel
def bring(contact, meeting, c, s, z):
    """From what is kept at t_i to vectors z (nz, 3) of the step's plane; c, s from `half_twist`."""
    if contact.in_frame:
        _to_global(z, meeting.frame)
    else:
        carry(z, meeting.normal_i, meeting.normal)
        if contact["twists"][0]:
            _turn(z, meeting.normal, c, s)
    # a law that scales bristles up by slip over deflection makes round-off across the plane grow from step to step, and
    # friction would do work there that no slip is booked for
    for k in range(z.shape[0]):
        remove_along(meeting.normal, z[k])


@bare_kernel
def keep(contact, meeting, c, s, z):
    """From vectors z (nz, 3) of the step's plane to what is kept at t_f."""
    if contact.in_frame:
        _to_components(z, meeting.frame)
        return
    if contact["twists"][0]:
        _turn(z, meeting.normal, c, s)
    carry(z, meeting.normal, meeting.normal_f)
