"""Speeds, torques, work and tangent of generators (compiled); equations: `generator`."""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import float64, matrix, record, slots, vector, void

TURNS = 3  # index of a node's mean rotation in the step among its unknowns
OWN_LAW = -1  # ``count`` of a generator whose torque is computed in Python

GENERATOR = np.dtype(
    [
        ("nodes", "i8", (2,)),
        ("axes", "f8", (2, 3)),  # node axes; that of K times -1: the speed is the sum of axis . b/dt
        ("first", "i8"),  # of its rows in the table of speeds and torques
        ("count", "i8"),  # of them; 0: torque = factor speed^2
        ("factor", "f8"),
    ],
    align=True,
)


@kernel
def _in_table(table, first, count, speed):
    """Torque and its derivative by linear interpolation between rows (speed, torque); constant beyond the ends."""
    last = first + count - 1
    if speed <= table[first, 0]:
        return table[first, 1], 0.0
    if speed >= table[last, 0]:
        return table[last, 1], 0.0
    k = first
    while table[k + 1, 0] <= speed:
        k += 1
    slope = (table[k + 1, 1] - table[k, 1]) / (table[k + 1, 0] - table[k, 0])
    return table[k, 1] + slope * (speed - table[k, 0]), slope


@kernel(void(record(GENERATOR)[::1], matrix, matrix, float64, matrix, vector))
def evaluate(generators, table, x, dt, means, slopes):
    """Fill means (n, 3) with speed and torque, means of the step, and slopes (n,) with the torque's derivative."""
    for k in range(generators.shape[0]):
        one, speed = generators[k], 0.0
        for side in range(2):
            for i in range(3):
                speed += one["axes"][side, i] * x[one["nodes"][side], TURNS + i] / dt
        means[k, 0] = speed
        if one.count > 0:
            means[k, 1], slopes[k] = _in_table(table, one.first, one.count, speed)
        elif one.count == 0:
            forward = max(speed, 0.0)
            means[k, 1], slopes[k] = one.factor * forward * forward, 2.0 * one.factor * forward


@kernel(void(record(GENERATOR)[::1], matrix, float64, matrix))
def add_torques(generators, means, dt, rows):
    """Add dt^2 times the moments, internal ones, to the nodes' rows (N, 12)."""
    for k in range(generators.shape[0]):
        for side in range(2):
            node = generators[k]["nodes"][side]
            for i in range(3):
                rows[node, TURNS + i] += dt * dt * means[k, 1] * generators[k]["axes"][side, i]


@kernel(void(record(GENERATOR)[::1], vector, float64, slots, vector))
def tangent(generators, slopes, dt, places, data):
    """Add the derivatives of `add_torques`; places (n, 24, 24) in the matrix values."""
    for k in range(generators.shape[0]):
        axes = generators[k]["axes"]
        for row in range(6):
            for column in range(6):
                product = axes[row // 3, row % 3] * axes[column // 3, column % 3]
                i, j = 12 * (row // 3) + TURNS + row % 3, 12 * (column // 3) + TURNS + column % 3
                data[places[k, i, j]] += dt * slopes[k] * product


@kernel(void(matrix, float64, vector))
def work(means, dt, out):
    """Fill the powers, means[:, 2], and out[0] with the work of the loads, J: extracted energy is negative."""
    out[0] = 0.0
    for k in range(means.shape[0]):
        means[k, 2] = means[k, 0] * means[k, 1]
        out[0] -= means[k, 2] * dt
