"""Compiled: what presses the surfaces of a joint with friction: its reaction, and each contribution's part of it.

The joint's mean multipliers lambda_g, through the joint's forms at mid-step, are a force and a moment on L at the
joint's point.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.compiled import kernel
from fem_mbd.joints.friction.records import ALONG_1, ALONG_2, AXIAL, BENDING, FORCE, RADIAL, TORSION


@kernel
def _size(a):
    """|a| of a number, real or complex, by its real part (complex step)."""
    return a if a.real >= 0.0 else -a


@kernel
def find_reaction(joint, ideal, lam, q_i, q_f, frame, load):
    """load (6,): mean force and moment of the joint on L at its point, along the joint's axes at mid-step."""
    out, y = np.zeros(6, load.dtype), np.empty((8, 3), load.dtype)
    for s in range(2):
        for a in range(4):
            for i in range(3):
                y[4 * s + a, i] = 0.5 * (q_i[s, a, i] + q_f[s, a, i])
    grad = np.empty(3, load.dtype)
    for n in range(ideal.forms):
        s = -0.5 * (ideal.g_i[n] + ideal.g_f[n]) * lam[ideal.row[n]]
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
def pressing_force(part, load, overlap):
    """N that presses a contribution's surfaces together, from the load (6,), force and moment in the joint's axes."""
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
    n += w[AXIAL] * _size(load[i]) + w[TORSION] * _size(load[3 + i])
    return n + w[ALONG_1] * _size(load[0]) + w[ALONG_2] * _size(load[1])
