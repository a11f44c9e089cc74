"""Ranges of contacts: depth, tilt of disks in cylinders, and what a step may miss; evaluated at its ends (compiled).

A disk of radius rho whose centre is at the distance p from the cylinder's axis, in the direction of its tilt, touches
at two points instead of one when rho sin(tilt)^2 exceeds p. The deeper one is used; where both are equally deep the
direction of the force is undefined and Newton's method does not converge. A joint gets there when its law is too soft
for its load.

The direction of a ball's force is the mean of the normals at both ends of a step, (x_i + x_f)/(|x_i| + |x_f|): where
they differ by an angle theta it is shorter than one by theta^2/8. Two balls that pass each other within a step have
touched if their centres' straight path comes nearer than the sum of the radii.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import array3, matrix, record, void
from fem_mbd.core.compiled.vectors import dot
from fem_mbd.core.model.ranges import SHORTEN, STOP, Range
from fem_mbd.joints.contact.contact_kinematics import (
    BALL_IN_SOCKET,
    BALL_ON_BALL,
    CONTACT,
    DISK_IN_CYLINDER,
    POINT_ON_PLANE,
    TINY,
    set_distance,
)

LARGEST_TILT = np.radians(60.0)  # beyond it the disk lies across the cylinder
LARGEST_WHIRL = 0.5  # rad, theta of the means of normals: forces are 3 % too small
MISSED = 1e-3  # of the smaller radius: depth of a contact within a step that neither of its ends sees

PENETRATION, TILT, WHIRL, MISS = range(4)
RANGES = (
    Range(
        "penetration", "m", np.inf, "it is deeper than the smaller body, where laws of contact have no meaning",
        "use a stiffer law or the rule Penetration, and look at the loads",
        "radius of the body; of a point on a plane, its distance from the body's mass centre", SHORTEN,
    ),
    Range(
        "tilt of a disk in its cylinder", "rad", LARGEST_TILT,
        "the indentation is far beyond its clearance, and it touches at two points",
        "its law is too soft for the load: use a stiffer one, or add joints that carry it",
        "beyond 60 degrees the disk lies across the cylinder", STOP,
    ),
    Range(
        "rotation of a contact's normal in a step", "rad", LARGEST_WHIRL,
        "the mean of the normals at both ends is shorter than one, and the force too small by 3 % and more",
        "use shorter steps, or the default step control", "theta^2/8",
    ),
    Range(
        "depth of a contact between the ends of a step", "m", np.inf, "two balls have passed through each other",
        "use shorter steps, or the default step control", f"{MISSED:g} of the smaller radius", SHORTEN,
    ),
)  # fmt: skip


@kernel
def _cosine(contact, q):
    """Of the angle between a disk's axis and its cylinder's, in magnitude."""
    k, l = contact.nodes[0], contact.nodes[1]
    cosine = 0.0
    for i in range(3):
        on_k, on_l = 0.0, 0.0
        for a in range(3):
            on_k += contact["axes_k"][a, 2] * q[k, 1 + a, i]
            on_l += contact["axis_l"][a] * q[l, 1 + a, i]
        cosine += on_k * on_l
    return min(abs(cosine), 1.0)


@kernel
def _set_distance(contact, q, x):
    """Fill x (3,) with the way from K's point to L's; of a disk in its cylinder across the cylinder's axis."""
    k, l = contact.nodes[0], contact.nodes[1]
    set_distance(q[k], contact["arm"][0], q[l], contact["arm"][1], x)
    if contact.form == DISK_IN_CYLINDER:
        along = 0.0
        for i in range(3):
            along += x[i] * _axis(contact, q[k], i)
        for i in range(3):
            x[i] -= along * _axis(contact, q[k], i)


@kernel
def _axis(contact, q_k, i):
    axes = contact["axes_k"]
    return axes[0, 2] * q_k[1, i] + axes[1, 2] * q_k[2, i] + axes[2, 2] * q_k[3, i]


@kernel
def _missed(contact, x_i, x_f):
    """Depth (m) to which two balls penetrate on the straight path between the ends of a step, if neither shows it.

    0 where they touch at an end, or come nearest there.
    """
    if contact.gap_i < 0.0 or contact.gap_f < 0.0:
        return 0.0
    change = x_f[0] - x_i[0], x_f[1] - x_i[1], x_f[2] - x_i[2]
    square, along = dot(change, change), -(x_i[0] * change[0] + x_i[1] * change[1] + x_i[2] * change[2])
    if along <= 0.0 or along >= square:
        return 0.0
    nearest = dot(x_i, x_i) - along * along / square
    return max(contact.radius_k + contact.radius_l - np.sqrt(max(nearest, 0.0)), 0.0)


@kernel(void(record(CONTACT)[::1], array3, array3, matrix))
def evaluate(contacts, q_i, q_f, out):
    """Fill out (4, n): penetration, tilt, rotation of the normal in the step, missed depth."""
    x_i, x_f = np.empty(3), np.empty(3)
    for c in range(contacts.shape[0]):
        contact = contacts[c]
        out[PENETRATION, c] = max(-contact.gap_f, 0.0)
        out[TILT, c] = out[WHIRL, c] = out[MISS, c] = 0.0
        if contact.form == DISK_IN_CYLINDER:
            out[TILT, c] = np.arccos(_cosine(contact, q_f))
        if contact.form == BALL_IN_SOCKET or contact.form == BALL_ON_BALL or contact.form == DISK_IN_CYLINDER:
            _set_distance(contact, q_i, x_i)
            _set_distance(contact, q_f, x_f)
            if contact.gap_i < 0.0 and contact.gap_f < 0.0:
                cosine = dot(x_i, x_f) / (np.sqrt(dot(x_i, x_i) * dot(x_f, x_f)) + TINY)
                out[WHIRL, c] = np.arccos(min(max(cosine, -1.0), 1.0))
            if contact.form == BALL_ON_BALL:
                out[MISS, c] = _missed(contact, x_i, x_f)


def limits(records: Any, geometries: Sequence[Any]) -> Array:
    """(4, n) limits of contacts with these records and geometries."""
    values = np.repeat([[declared.limit] for declared in RANGES], len(records), axis=1)
    for c, (contact, geometry) in enumerate(zip(records, geometries, strict=True)):
        radii = [radius for radius in (geometry.radius_k, geometry.radius_l) if radius > 0.0]
        if radii:
            values[PENETRATION, c], values[MISS, c] = min(radii), MISSED * min(radii)
        elif contact["form"] == POINT_ON_PLANE and (arm := float(np.linalg.norm(contact["arm"][1]))) > 0.0:
            values[PENETRATION, c] = arm
    return values
