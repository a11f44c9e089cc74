"""Contact point of a rolling disk or ball, and the velocities of both bodies there (compiled).

With the plane's unit normal n, the disk's axis a, g = a . n and f = sqrt(1 - g**2), the lowest point of the rim is at

    rho = -R (n - g a)/f        from the centre of the disk,        rho = -R n        from that of a ball.

The kernels are generic in type, for complex-step tangents.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.joints.contact.geometry.contact_kinematics import add_point

ROWS = 3  # constraints of a joint: along the two axes of the plane, and along its normal

ROLLING = np.dtype(
    [
        ("nodes", "i8", (2,)),
        ("arm", "f8", (2, 3)),  # m, a point of the plane and the rolling body's centre, from the mass centres
        ("plane", "f8", (3, 3)),  # columns in the axes of node K: two axes of the plane, its normal
        ("axle", "f8", (3,)),  # a disk's axis in the axes of node L
        ("radius", "f8"),  # m
        ("ball", "i8"),  # 1: a ball, which has no axis
    ],
    align=True,
)


@kernel
def find_vectors(joint, q, centre, plane, axle):
    """Fill centre (3,), from the plane's point to the centre, plane (3, 3), its axes and normal in rows, and axle (3,).

    They are linear in the ambient vectors q (2, 4, 3) of both nodes: with the rates p as q they are rates.
    """
    for i in range(3):
        centre[i], axle[i] = 0.0, 0.0
        for j in range(3):
            plane[j, i] = 0.0
        for a in range(3):
            axle[i] += joint["axle"][a] * q[1, 1 + a, i]
            for j in range(3):
                plane[j, i] += joint["plane"][a, j] * q[0, 1 + a, i]
    add_point(q[1], joint["arm"][1], centre, 1.0)
    add_point(q[0], joint["arm"][0], centre, -1.0)


@kernel
def steepness(ball, g):
    """f, one for a ball or an upright disk and zero for a disk that lies flat; ``g`` as in the module's docstring."""
    return 1.0 + 0.0 * g if ball else np.sqrt(1.0 - g * g)


@kernel
def find_levers(joint, q, plane, axle, levers):
    """Fill levers (2, 3): the contact point from the mass centres of K and L, in components along their directors."""
    g = 0.0 * axle[0]
    for i in range(3):
        g += axle[i] * plane[2, i]
    if joint.ball:
        g = 0.0 * g
    f = steepness(joint.ball, g)
    point = np.zeros(3, q.dtype)
    add_point(q[1], joint["arm"][1], point, 1.0)
    for i in range(3):
        point[i] -= joint.radius * (plane[2, i] - g * axle[i]) / f
    for s in range(2):
        for a in range(3):
            levers[s, a] = 0.0 * g
            for i in range(3):
                levers[s, a] += (point[i] - q[s, 0, i]) * q[s, 1 + a, i]


@kernel
def slip_rates(p, plane, levers, out):
    """Fill out (ROWS,): velocity of L's point at the contact minus that of K's, along the axes and the normal.

    p (2, 4, 3): rates of the ambient vectors, in any unit of time.
    """
    for j in range(ROWS):
        out[j] = 0.0 * levers[0, 0]
        for i in range(3):
            moved = p[1, 0, i] - p[0, 0, i]
            for a in range(3):
                moved += levers[1, a] * p[1, 1 + a, i] - levers[0, a] * p[0, 1 + a, i]
            out[j] += plane[j, i] * moved


@kernel
def unit_forces(q, plane, levers, out):
    """Fill out (ROWS, 2, 6): force (global) and moment (node axes) on K and L of a unit force on L along a row.

    The opposite force acts on K at the same point. This is also the derivative of `slip_rates` by the velocities of the
    mass centres and the angular velocities in node axes.
    """
    along = np.empty(3, q.dtype)
    for j in range(ROWS):
        for s in range(2):
            sign = 2.0 * s - 1.0
            for a in range(3):
                along[a] = 0.0 * levers[0, 0]
                for i in range(3):
                    along[a] += plane[j, i] * q[s, 1 + a, i]
            for i in range(3):
                k, l = (i + 1) % 3, (i + 2) % 3
                out[j, s, i] = sign * plane[j, i]
                out[j, s, 3 + i] = sign * (levers[s, k] * along[l] - levers[s, l] * along[k])
