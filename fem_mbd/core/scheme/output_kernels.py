"""Outputs of nodes and supports, compiled: positions, rotations and velocities of nodes, forces of supports."""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import array3, float64, indices, matrix, void
from fem_mbd.core.model.node_arrays import Accepted
from fem_mbd.core.scheme.nodes.step_wrench import INSTANTS, WEIGHTS, rotations_of_step, wrench_at


@kernel
def _quaternion(r, q):
    """Fill q (4,), scalar first and non-negative, of the rotation r (3, 3); divides by the largest component only."""
    trace = r[0, 0] + r[1, 1] + r[2, 2]
    best, largest = 0, 1 + trace
    for k in range(3):
        square = 1 + 2 * r[k, k] - trace
        if square > largest:
            best, largest = k + 1, square
    if best == 0:
        q[0] = largest
        q[1], q[2], q[3] = r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]
    else:
        i = best - 1
        j, k = (i + 1) % 3, (i + 2) % 3
        q[0] = r[k, j] - r[j, k]
        q[1 + i] = largest
        q[1 + j], q[1 + k] = r[i, j] + r[j, i], r[i, k] + r[k, i]
    scale = 0.5 / np.sqrt(largest)
    if q[0] < 0:
        scale = -scale
    for k in range(4):
        q[k] *= scale


@kernel(void(matrix, array3, float64[:, :], float64[:, :], matrix, matrix, matrix, matrix))
def node_outputs(u, r, v, omega, centre, position, quaternion, velocity):
    """Fill positions (n, 3), quaternions (n, 4) and velocities (n, 3) of the nodes from those of their mass centres."""
    arm, spin = np.empty(3), np.empty(3)
    for n in range(u.shape[0]):
        for i in range(3):
            arm[i], spin[i] = 0.0, 0.0
            for j in range(3):
                arm[i] += r[n, i, j] * centre[n, j]
                spin[i] += r[n, i, j] * omega[n, j]
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            position[n, i] = u[n, i] - arm[i]
            velocity[n, i] = v[n, i] - (spin[j] * arm[k] - spin[k] * arm[j])
        _quaternion(r[n], quaternion[n])


@kernel(void(float64[:, :, :], indices, matrix))
def first_rows(values, counts, out):
    """Fill out (rows, 3) with the first counts (n,) rows of each of the values (n, k, 3)."""
    at = 0
    for n in range(counts.shape[0]):
        for k in range(counts[n]):
            for i in range(3):
                out[at, i] = values[n, k, i]
            at += 1


@kernel(void(indices, Accepted, array3, matrix, matrix))
def support_forces(held, accepted, r, centre, out):
    """Fill out (s, 6): mean force and moment of the step by the supports on the fixed nodes ``held`` (s,).

    Global axes, at the positions of the nodes; zero before the first step. r (n, 3, 3) rotations at its end, centre
    (n, 3).
    """
    out[:] = 0.0
    dt = accepted.clock[2]
    if not dt > 0.0:
        return
    rotations, position, wrench = np.empty((INSTANTS, 3, 3)), np.empty(3), np.empty(6)
    half = np.empty(12)
    for s in range(held.shape[0]):
        n = held[s]
        rotations_of_step(accepted.x[n], r[n], half, rotations)
        for i in range(3):
            position[i] = -centre[n, i]  # the node, seen from its mass centre
        for k in range(INSTANTS):
            wrench_at(accepted.rows[n], position, rotations[k], k, wrench)
            for i in range(6):
                out[s, i] += WEIGHTS[k] / dt**2 * wrench[i]
