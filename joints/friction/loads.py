"""Normal forces on the friction surfaces of a joint, from its reaction force and moment (compiled).

The joint's multipliers vary linearly over the step, lambda_g - dlambda to lambda_g + dlambda. With the joint's forms
they give a force and a moment on L at the joint's point. A load of constant magnitude may rotate during the step
relative to the bodies, so the reaction is evaluated at the two points of Radau's quadrature, t_i + dt/3 and t_f, with
the weights 3/4 and 1/4: there the reactions have the order of the scheme.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.joints.friction.coordinates import Axes, find_axes
from fem_mbd.joints.friction.records import ALONG_1, ALONG_2, AXIAL, BENDING, FORCE, RADIAL, TORSION

# For each point: weights of the value at t_i, of that at t_f and of dt times its rate there in the quadratic through
# the three; factor of dlambda; weight of the point.
RADAU = ((4 / 9, 5 / 9, -2 / 9, -1 / 3, 3 / 4), (0.0, 1.0, 0.0, 1.0, 1 / 4))


@kernel
def _absolute(a):
    """|a| of a number, real or complex, by the sign of its real part (complex step)."""
    return a if a.real >= 0.0 else -a


@kernel
def find_reaction(joint, ideal, point, lam, y, frame, load):
    """load (6,): force and moment of the joint on L at its point, along the joint's axes, at one point of `RADAU`.

    lam (2, MAX_ROWS): means and half-jumps of the multipliers; y (8, 3): vectors of both nodes, and frame (3, 3): the
    joint's axes by rows, at that time.
    """
    out = np.zeros(6, load.dtype)
    grad = np.empty(3, load.dtype)
    for n in range(ideal.forms):
        weight = point[0] * ideal.g_i[n] + point[1] * ideal.g_f[n] + point[2] * ideal.g_p[n]
        s = -weight * (lam[0, ideal.row[n]] + point[3] * lam[1, ideal.row[n]])
        for a in range(4, 8):
            for i in range(3):
                grad[i] = ideal["l"][n, a, i] + 0.0 * s
            for b in range(8):
                h = ideal["h"][n, a, b]
                if h != 0.0:
                    for i in range(3):
                        grad[i] += h * y[b, i]
            for i in range(3):
                j, k = (i + 1) % 3, (i + 2) % 3
                if a == 4:
                    out[i] += s * grad[i]
                else:
                    out[3 + i] += s * (y[a, j] * grad[k] - y[a, k] * grad[j])
    arm = np.empty(3, load.dtype)
    for i in range(3):
        arm[i] = joint["arm"][1, 0] * y[5, i] + joint["arm"][1, 1] * y[6, i] + joint["arm"][1, 2] * y[7, i]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[3 + i] -= arm[j] * out[k] - arm[k] * out[j]
    for j in range(3):
        load[j], load[3 + j] = 0.0, 0.0
        for i in range(3):
            load[j] += frame[j, i] * out[i]
            load[3 + j] += frame[j, i] * out[3 + i]


@kernel
def find_loads(joint, ideal, lam, q_i, q_f, p, loads):
    """loads (2, 6): the reaction of `find_reaction` at both points of `RADAU`; q_i, q_f, p (2, 4, 3)."""
    q, y = np.empty((2, 4, 3), loads.dtype), np.empty((8, 3), loads.dtype)
    kind = loads.dtype
    axes = Axes(np.empty((3, 3), kind), np.empty((3, 3), kind), np.empty((3, 3), kind))
    for n in range(2):
        point = RADAU[n]
        for s in range(2):
            for a in range(4):
                for i in range(3):
                    q[s, a, i] = point[0] * q_i[s, a, i] + point[1] * q_f[s, a, i] + point[2] * p[s, a, i]
                    y[4 * s + a, i] = q[s, a, i]
        find_axes(joint, q, q, axes)
        find_reaction(joint, ideal, point, lam, y, axes.frame, loads[n])


@kernel
def mean_normal_force(part, loads, overlap):
    """Normal force (N) of a contribution, mean of the step; loads (2, 6)."""
    return RADAU[0][4] * normal_force_of(part, loads[0], overlap) + RADAU[1][4] * normal_force_of(
        part, loads[1], overlap
    )


@kernel
def normal_force_of(part, load, overlap):
    """Normal force (N) of a contribution from the load (6,), force and moment in the joint's axes."""
    i, j, k = part.axis, (part.axis + 1) % 3, (part.axis + 2) % 3
    w = part["weight"]
    n = part.preload + 0.0 * load[0]
    if w[FORCE] != 0.0:
        n += w[FORCE] * np.sqrt(load[0] * load[0] + load[1] * load[1] + load[2] * load[2])
    if w[RADIAL] != 0.0:
        n += w[RADIAL] * np.sqrt(load[j] * load[j] + load[k] * load[k])
    if w[BENDING] != 0.0:
        bending = w[BENDING] * np.sqrt(load[3 + j] * load[3 + j] + load[3 + k] * load[3 + k])
        n += bending / overlap if part.over_overlap else bending
    n += w[AXIAL] * _absolute(load[i]) + w[TORSION] * _absolute(load[3 + i])
    return n + w[ALONG_1] * _absolute(load[0]) + w[ALONG_2] * _absolute(load[1])
