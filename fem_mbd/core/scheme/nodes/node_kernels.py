"""Loops over all nodes, compiled: kinematics, inertia, gravity, rotations in a step.

Rows are scaled by dt and ambient forces by dt^2 (multipliers likewise, Lambda = dt^2 lambda), so that the conditioning
of the equations does not depend on the step size. Source: docs/explanation/theory.md, sections 1 and 3.

`NodeRanges` limits how far the nodes rotate in a step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.calls import Call, Task
from fem_mbd.core.compiled.signatures import array3, array4, float64, index_rows, matrix, slots, vector, void
from fem_mbd.core.model.function_values import MAX_ROTATION
from fem_mbd.core.model.ranges import SHORTEN, NamedRanges, Range
from fem_mbd.core.model.workspace import Forces, Masses, StateArrays, Workspace
from fem_mbd.core.scheme.nodes.node_map import (
    node_configuration,
    pull_back,
    pull_back_derivative,
    spin_derivative,
    trial_maps,
    variation_maps,
)


@kernel(void(matrix, matrix, matrix, index_rows, float64, matrix, matrix))
def predict(v, omega, slope, equation, dt, x_i, x):
    """Fill x_i (n, 6) = dt (v_i, Omega_i) and x (n, 12) from velocities and their slope; fixed unknowns are zero."""
    for k in range(x.shape[0]):
        for i in range(6):
            x_i[k, i] = dt * (v[k, i] if i < 3 else omega[k, i - 3])
            half = 0.5 * dt * dt * slope[k, i]
            x[k, i] = x_i[k, i] + half if equation[k, i] >= 0 else 0.0
            x[k, 6 + i] = half if equation[k, 6 + i] >= 0 else 0.0


@kernel(void(matrix, float64, matrix))
def predict_multipliers(stored, dt, multipliers):
    """Fill multipliers (m, 2), times dt^2, with those of the last step; dt 0: none."""
    for l in range(stored.shape[0]):
        multipliers[l, 0], multipliers[l, 1] = dt * dt * stored[l, 0], dt * dt * stored[l, 1]


@kernel(void(matrix, float64, matrix, vector))
def finish_multipliers(multipliers, dt, stored, lam):
    """Those of the step without dt^2, (m, 2), and their sum at t_f, (m,)."""
    for l in range(stored.shape[0]):
        stored[l, 0], stored[l, 1] = multipliers[l, 0] / dt**2, multipliers[l, 1] / dt**2
        lam[l] = stored[l, 0] + stored[l, 1]


@kernel(void(matrix, array3, array3, float64, StateArrays, array3, array3))
def finish_step(x, q_f, r_f, dt, state, q_i, r_i):
    """Make the end of the step the state and the next step's start; shapes as in `Workspace`, dt in s."""
    u, r, v, omega, slope = state
    for k in range(x.shape[0]):
        for i in range(3):
            u[k, i] = q_f[k, 0, i]
            v[k, i] = (x[k, i] + x[k, 6 + i]) / dt
            omega[k, i] = (x[k, 3 + i] + x[k, 9 + i]) / dt
            for j in range(3):
                r[k, i, j] = r_i[k, i, j] = r_f[k, i, j]
            for j in range(4):
                q_i[k, j, i] = q_f[k, j, i]
        for i in range(6):
            slope[k, i] = 2 * x[k, 6 + i] / dt**2


@kernel(void(matrix, array3, array3, array3, array3, array3))
def kinematics(x, r_i, q_i, q_f, p, r_f):
    """End configuration of every node; arrays with n nodes, shapes as in `Workspace`."""
    for k in range(x.shape[0]):
        node_configuration(x[k], r_i[k], q_i[k], q_f[k], p[k], r_f[k])


@kernel(void(matrix, array3, array3, array4, array4, array3, array4, array4))
def all_maps(x, r_i, r_f, w_m, w_f, g, d_q, d_p):
    """All maps of every node for tangents, from x (n, 12), r_i and r_f (n, 3, 3).

    W_m, W_f, D_q and D_p (n, 3, 3, 6), spin derivative g (n, 3, 6)
    """
    for k in range(x.shape[0]):
        variation_maps(x[k], r_i[k], r_f[k], w_m[k], w_f[k])
        spin_derivative(x[k], g[k])
        trial_maps(x[k], r_f[k], g[k], d_q[k], d_p[k])


def fill_maps(workspace: Workspace) -> None:
    """`all_maps` of a workspace, at its unknowns, into its arrays."""
    w = workspace
    all_maps(w.x, w.r_i, w.r_f, w.w_m, w.w_f, w.spin, w.d_q, w.d_p)


@kernel(void(matrix, matrix, array4, array4, array3, array3))
def ambient_increments(x, x_old, d_q, d_p, dq, dp):
    """First-order change (n, 4, 3) of q_f and p when x_old becomes x, with the derivatives at x_old."""
    for k in range(x.shape[0]):
        for i in range(3):
            dq[k, 0, i] = x[k, i] - x_old[k, i]
            dp[k, 0, i] = dq[k, 0, i] + x[k, 6 + i] - x_old[k, 6 + i]
            for a in range(3):
                s, t = 0.0, 0.0
                for j in range(3):
                    db, de = x[k, 3 + j] - x_old[k, 3 + j], x[k, 9 + j] - x_old[k, 9 + j]
                    s += d_q[k, a, i, j] * db + d_q[k, a, i, 3 + j] * de
                    t += d_p[k, a, i, j] * db + d_p[k, a, i, 3 + j] * de
                dq[k, 1 + a, i] = s
                dp[k, 1 + a, i] = t


@kernel
def _add_inertia(x, x_i, m, j, rows):
    """Add the P1-DG momentum balance of a node (times dt); x_i (6,) = dt (v_i, Omega_i), mass m, inertia j (3, 3).

    The gyroscopic terms are the exact Galerkin ones of Omega x J Omega: they do no work.
    """
    for i in range(3):
        rows[i] += m * (x[i] + x[6 + i] - x_i[i])
        rows[6 + i] += m * (x_i[i] + x[6 + i] - x[i])
    b0, b1, b2 = x[3], x[4], x[5]
    e0, e1, e2 = x[9], x[10], x[11]
    w0, w1, w2 = x_i[3], x_i[4], x_i[5]
    jb0 = j[0, 0] * b0 + j[0, 1] * b1 + j[0, 2] * b2
    jb1 = j[1, 0] * b0 + j[1, 1] * b1 + j[1, 2] * b2
    jb2 = j[2, 0] * b0 + j[2, 1] * b1 + j[2, 2] * b2
    je0 = j[0, 0] * e0 + j[0, 1] * e1 + j[0, 2] * e2
    je1 = j[1, 0] * e0 + j[1, 1] * e1 + j[1, 2] * e2
    je2 = j[2, 0] * e0 + j[2, 1] * e1 + j[2, 2] * e2
    jw0 = j[0, 0] * w0 + j[0, 1] * w1 + j[0, 2] * w2
    jw1 = j[1, 0] * w0 + j[1, 1] * w1 + j[1, 2] * w2
    jw2 = j[2, 0] * w0 + j[2, 1] * w1 + j[2, 2] * w2
    rows[3] += jb0 + je0 - jw0 + b1 * jb2 - b2 * jb1 + (e1 * je2 - e2 * je1) / 3
    rows[4] += jb1 + je1 - jw1 + b2 * jb0 - b0 * jb2 + (e2 * je0 - e0 * je2) / 3
    rows[5] += jb2 + je2 - jw2 + b0 * jb1 - b1 * jb0 + (e0 * je1 - e1 * je0) / 3
    rows[9] += jw0 + je0 - jb0 + (b1 * je2 - b2 * je1 + e1 * jb2 - e2 * jb1) / 3
    rows[10] += jw1 + je1 - jb1 + (b2 * je0 - b0 * je2 + e2 * jb0 - e0 * jb2) / 3
    rows[11] += jw2 + je2 - jb2 + (b0 * je1 - b1 * je0 + e0 * jb1 - e1 * jb0) / 3


@kernel
def finish_node(x, x_i, mass, inertia, fall, r_i, r_f, force_m, force_f, rows):
    """Rows (12,) of a node, as `finish_rows`; fall: dt^2 gravity, three numbers."""
    pull_back(x, r_i, r_f, force_m, force_f, rows)
    for i in range(3):
        rows[i] -= mass * fall[i]
    _add_inertia(x, x_i, mass, inertia, rows)


@kernel(void(matrix, matrix, Masses, vector, float64, array3, array3, Forces, matrix))
def finish_rows(x, x_i, masses, gravity, dt, r_i, r_f, forces, rows):
    """Rows (n, 12) of the nodes: direct ones, ambient forces pulled back, inertia, less the weight.

    x (n, 12), x_i (n, 6), gravity (3,) m/s^2, dt s, r_i and r_f (n, 3, 3).
    """
    (mass, inertia), (force_m, force_f) = masses, forces
    fall = dt * dt * gravity[0], dt * dt * gravity[1], dt * dt * gravity[2]
    for k in range(x.shape[0]):
        finish_node(x[k], x_i[k], mass[k], inertia[k], fall, r_i[k], r_f[k], force_m[k], force_f[k], rows[k])


@kernel
def _subtract_skew(v, scale, k, row, col):
    """k[row:row+3, col:col+3] -= scale v~ with v (3,)."""
    k[row, col + 1] += scale * v[2]
    k[row, col + 2] -= scale * v[1]
    k[row + 1, col] -= scale * v[2]
    k[row + 1, col + 2] += scale * v[0]
    k[row + 2, col] += scale * v[1]
    k[row + 2, col + 1] -= scale * v[0]


@kernel
def _gyroscopic(u, j, k, row, col, scale):
    """k block += scale d(u x J w + w x J u)/dw at the other factor u, which is (u~ J - (J u)~)."""
    for i in range(3):
        k[row, col + i] += scale * (u[1] * j[2, i] - u[2] * j[1, i])
        k[row + 1, col + i] += scale * (u[2] * j[0, i] - u[0] * j[2, i])
        k[row + 2, col + i] += scale * (u[0] * j[1, i] - u[1] * j[0, i])
    ju0 = j[0, 0] * u[0] + j[0, 1] * u[1] + j[0, 2] * u[2]
    ju1 = j[1, 0] * u[0] + j[1, 1] * u[1] + j[1, 2] * u[2]
    ju2 = j[2, 0] * u[0] + j[2, 1] * u[1] + j[2, 2] * u[2]
    _subtract_skew((ju0, ju1, ju2), scale, k, row, col)


@kernel
def add_rows(block, first, node, column, slots, data):
    """Add block[:, first:first+12], entries of rows at the unknowns of a node, to the matrix values.

    slots : (rows,) index of the node's first unknown in each row, the last index of data where there is none
    column : (n, 12) index of an unknown among those of its node, -1 where it is fixed
    """
    free = column[node, 11] == 11
    for i in range(slots.shape[0]):
        if slots[i] == data.shape[0] - 1:
            continue
        place = data[slots[i] : slots[i] + 12]
        if free:
            for j in range(12):
                place[j] += block[i, first + j]
        else:
            for j in range(12):
                if column[node, j] >= 0:
                    place[column[node, j]] += block[i, first + j]


@kernel
def _inertia_tangent(x, m, j, k):
    """Fill k (12, 12), derivative of `_add_inertia`; x (12,), mass m, inertia j (3, 3)."""
    b, e = (x[3], x[4], x[5]), (x[9], x[10], x[11])
    k[:] = 0.0
    for i in range(3):
        k[i, i] = k[i, 6 + i] = k[6 + i, 6 + i] = m
        k[6 + i, i] = -m
        for l in range(3):
            k[3 + i, 3 + l] = k[3 + i, 9 + l] = k[9 + i, 9 + l] = j[i, l]
            k[9 + i, 3 + l] = -j[i, l]
    _gyroscopic(b, j, k, 3, 3, 1.0)
    _gyroscopic(e, j, k, 3, 9, 1.0 / 3.0)
    _gyroscopic(e, j, k, 9, 3, 1.0 / 3.0)
    _gyroscopic(b, j, k, 9, 9, 1.0 / 3.0)


@kernel
def node_block(x, r_i, r_f, g, mass, inertia, lin_m, lin_f, k, geo):
    """Fill a node's block k (12, 12), see `node_tangent`; geo (6, 6) is scratch."""
    _inertia_tangent(x, mass, inertia, k)
    geo[:] = 0.0
    pull_back_derivative(x, r_i, r_f, g, lin_m, lin_f, geo)
    for i in range(3):
        for l in range(3):
            k[3 + i, 3 + l] += geo[i, l]
            k[3 + i, 9 + l] += geo[i, 3 + l]
            k[9 + i, 3 + l] += geo[3 + i, l]
            k[9 + i, 9 + l] += geo[3 + i, 3 + l]


@kernel(void(matrix, array3, array3, array3, Masses, Forces, index_rows, slots, vector))
def node_tangent(x, r_i, r_f, g, masses, lin, column, slots, data):
    """Add every node's 12 x 12 block: inertia, and the change of the maps under the forces ``lin``.

    x (n, 12), r_i and r_f (n, 3, 3), g (n, 3, 6)
    column, slots (n, 12, 1) : as in `add_rows`
    """
    (mass, inertia), (lin_m, lin_f) = masses, lin
    k, geo = np.empty((12, 12)), np.empty((6, 6))
    for n in range(x.shape[0]):
        node_block(x[n], r_i[n], r_f[n], g[n], mass[n], inertia[n], lin_m[n], lin_f[n], k, geo)
        add_rows(k, 0, n, column, slots[n, :, 0], data)


@kernel
def kinetic_and_jump(x, x_i, mass, inertia, out):
    """out[0] = dt^2 T at t_f, out[1] = dt^2 times the energy of the velocity jump at t_i, which the scheme dissipates.

    x (n, 12), x_i (n, 6), mass (n,), inertia (n, 3, 3).
    """
    kin, jump = 0.0, 0.0
    for k in range(x.shape[0]):
        for i in range(3):
            v = x[k, i] + x[k, 6 + i]
            d = x[k, i] - x[k, 6 + i] - x_i[k, i]
            kin += 0.5 * mass[k] * v * v
            jump += 0.5 * mass[k] * d * d
            for l in range(3):
                w1, w2 = x[k, 3 + i] + x[k, 9 + i], x[k, 3 + l] + x[k, 9 + l]
                d1 = x[k, 3 + i] - x[k, 9 + i] - x_i[k, 3 + i]
                d2 = x[k, 3 + l] - x[k, 9 + l] - x_i[k, 3 + l]
                kin += 0.5 * inertia[k, i, l] * w1 * w2
                jump += 0.5 * inertia[k, i, l] * d1 * d2
    out[0] = kin
    out[1] = jump


ROTATION, TURN = range(2)
# Rotation about a fixed axis is exact. Where the axis moves, torques have an error of a quarter of the square of the
# angle of a step (a gyroscope's: 1.06 % at 0.2 rad), so that steps are shorter by this factor: 0.4 %.
MOVING_AXIS = 1.6
FIXED_AXIS = 1e-9  # of the change of the angular velocity: its part across the axis, of an axis that is fixed


@kernel(void(matrix, matrix, vector))
def rotations(x, measures, largest):
    """measures (2, n) = rotation (rad) of every node in the step, from its unknowns x (n, 12).

    largest (1,) = the largest of them, `MOVING_AXIS` times as large for a node whose axis of rotation moves.
    """
    largest[0] = 0.0
    for k in range(x.shape[0]):
        b0, b1, b2 = x[k, 3], x[k, 4], x[k, 5]
        e0, e1, e2 = x[k, 9], x[k, 10], x[k, 11]
        square = b0 * b0 + b1 * b1 + b2 * b2
        c0, c1, c2 = b1 * e2 - b2 * e1, b2 * e0 - b0 * e2, b0 * e1 - b1 * e0
        measures[ROTATION, k] = measures[TURN, k] = angle = np.sqrt(square)
        if c0 * c0 + c1 * c1 + c2 * c2 > (FIXED_AXIS * square) ** 2:
            angle *= MOVING_AXIS
        largest[0] = max(largest[0], angle)


class NodeRanges(NamedRanges):
    """The ranges of all nodes, for `fem_mbd.core.model.ranges.Ranges`.

    Parameters
    ----------
    names : of the nodes
    """

    label: ClassVar[str] = "node"
    ranges: ClassVar[tuple[Range, ...]] = (
        Range(
            "rotation in a step", "rad", 1.0,
            "directions of forces and loads vary by more than linear functions in time can follow",
            "use shorter steps, or the default step control",
            "a linear function of time differs from a sine by up to the square of the angle over 12",
        ),
        Range(
            "half turns in a step", "rad", MAX_ROTATION,
            "turns are lost", "use shorter steps", "a rotation is known up to whole turns", SHORTEN,
        ),
    )  # fmt: skip

    def __init__(self, names: Sequence[str]):
        self.names = names
        self.measures = np.zeros((len(self.ranges), len(names)))

    def tasks(self, phase: str, workspace: Workspace) -> Sequence[Task]:
        """The call that fills ``measures`` and ``workspace.rotation``."""
        return [Call(rotations, workspace.x, self.measures, workspace.rotation)]
