"""Residual and tangent of friction in ideal joints, driven by the joint's reaction in the step (compiled).

Components of the reaction give the normal force N of each contribution (`loads`); the friction law gives its
coefficient mu for the slip s of the step, and the generalised forces on the joint's six coordinates (`loads`) are

    G_j = length_j (N mu_j + c s_j/dt),        c : viscous, not multiplied by N

They are constant over the step (Q_m only). The tangent is a complex step over the unknowns of both nodes
and over the joint's multipliers. Source: docs/explanation/joint_friction.md.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import (
    array3,
    float64,
    indices,
    matrix,
    record,
    slots,
    vector,
    void,
)
from fem_mbd.core.scheme.constraints.constraint_kernels import CONSTRAINT, MAX_ROWS
from fem_mbd.core.scheme.nodes.node_map import node_configuration
from fem_mbd.friction.records import FRICTION_LAW
from fem_mbd.friction.tangential import friction_force
from fem_mbd.joints.friction.contributions import CONTRIBUTION, FRICTION_JOINT, NONE
from fem_mbd.joints.friction.loads import (
    Axes,
    Pair,
    add_rows,
    find_axes,
    find_loads,
    find_motion,
    mean_normal_force,
)

H = 1e-40  # of the complex step
MIN_OVERLAP = 1e-3  # fraction of the initial overlap: lower bound for Newton's iterates


class FrictionJoints(NamedTuple):
    """The n joints with friction, and their contributions (parts)."""

    joints: Annotated[Any, record(FRICTION_JOINT)[::1]]  # (n,)
    parts: Annotated[Any, record(CONTRIBUTION)[::1]]  # (parts,)
    ideal: Annotated[Any, record(CONSTRAINT)[::1]]  # all ideal joints of the model
    first_row: Annotated[Any, indices]  # (n,) first multiplier of each joint
    laws: Annotated[Any, record(FRICTION_LAW)[::1]]  # (parts,)


class History(NamedTuple):
    """Of the contributions, from the last step."""

    bristles: Annotated[Any, float64[:, :, :]]  # (parts, nz, 3) m, states of the friction laws
    f_n_prev: Annotated[Any, float64[:]]  # (parts,) N, normal forces


class Loaded(NamedTuple):
    """Motion of the n nodes from the start of the step, and the m multipliers."""

    x: Annotated[Any, matrix]  # (n, 12) unknowns
    multipliers: Annotated[Any, matrix]  # (m, 2) times dt^2
    r_i: Annotated[Any, array3]  # (n, 3, 3) rotations at t_i
    q_i: Annotated[Any, array3]  # (n, 4, 3) ambient vectors at t_i


class JointRecords(NamedTuple):
    """Records of one joint with friction, of its contributions, its ideal joint and its laws."""

    joint: Any
    parts: Any
    ideal: Any
    laws: Any


class JointForces(NamedTuple):
    """Results of `joint_rows`: rows (24,), states z_f (parts, nz, 3) and results of the contributions (parts, 9)."""

    rows: Any
    z_f: Any
    parts: Any


@kernel
def joint_rows(records, past, dt, x, lam, r_i, q_i, found):
    """Friction of one joint: fills a `JointForces`; internal forces in its rows are not times dt^2.

    records : `JointRecords`; past : the history, bristles (parts, nz, 3) and normal forces (parts,); x (2, 12) :
    unknowns of K and L; lam (2, MAX_ROWS) : means and half-jumps of the multipliers, N or N m; r_i, q_i : of K and L. A
    row of its ``parts``: normal force, slip (3), friction force on L along the slip (3), dissipated energy, and the
    moment on L of a force at a face off the axis.
    """
    (joint, parts, ideal, laws), (bristles, f_n_prev), (rows, z_f, found) = records, past, found
    kind = x.dtype
    q_f, p, r_f = np.empty((2, 4, 3), kind), np.empty((2, 4, 3), kind), np.empty((2, 3, 3), kind)
    axes = Axes(np.empty((3, 3), kind), np.empty((3, 3), kind), np.empty((3, 3), kind))
    loads, motion, general = np.empty((2, 6), kind), np.empty(6, kind), np.zeros(6, kind)
    gap, slip, mu = np.zeros(3, kind), np.empty(3, kind), np.empty(3, kind)
    z_i = np.empty((z_f.shape[1], 3), kind)
    for s in range(2):
        node_configuration(x[s], r_i[s], q_i[s], q_f[s], p[s], r_f[s])
    pair = Pair(x, r_i, r_f, q_i, q_f)
    find_axes(joint, q_i, q_f, axes)
    find_loads(joint, ideal, lam, q_i, q_f, p, loads)
    slide = find_motion(joint, pair, axes, gap, motion)
    overlap = joint.overlap + joint.overlap_rate * (slide - joint.slide)
    if overlap.real < MIN_OVERLAP * joint.overlap:
        overlap = MIN_OVERLAP * joint.overlap + 0.0 * slide
    for n in range(parts.shape[0]):
        part = parts[n]
        f_n = mean_normal_force(part, loads, overlap)
        for j in range(3):
            c = part.coordinate[j]
            slip[j] = part.length[j] * motion[c] if c != NONE else 0.0 * f_n
            for m in range(z_i.shape[0]):
                z_i[m, j] = bristles[n, m, j]
        found[n, 8] = 0.0
        loss = friction_force(laws[n], slip, z_i, f_n, f_n_prev[n], dt, mu, z_f[n])
        found[n, 0] = f_n
        for j in range(3):
            force = f_n * mu[j] + part.viscous * slip[j] / dt
            loss += part.viscous * slip[j] * slip[j] / dt
            found[n, 1 + j], found[n, 4 + j] = slip[j], -force
            if part.coordinate[j] != NONE:
                general[part.coordinate[j]] += part.length[j] * force
                if part.face_axis != NONE and part.coordinate[j] == 5:
                    # the force acts at the face pressed by the reaction, off the axis: a moment about the other axis
                    mean = 3.0 * loads[0, part.face_axis] + loads[1, part.face_axis]
                    h = part.face if mean.real >= 0.0 else -part.face
                    moment = (2.0 * part.face_axis - 1.0) * h * force
                    general[1 - part.face_axis] += moment
                    found[n, 8] = -moment
        found[n, 7] = loss
    add_rows(joint, pair, axes, gap, general, rows)


@kernel
def _gather(joint, q_i, r_i, q, r):
    """Fill q (2, 4, 3) and r (2, 3, 3) with the vectors and rotations of the joint's two nodes at t_i."""
    for s in range(2):
        for i in range(3):
            for a in range(4):
                q[s, a, i] = q_i[joint.nodes[s], a, i]
            for a in range(3):
                r[s, i, a] = r_i[joint.nodes[s], i, a]


@kernel(
    void(FrictionJoints, History, float64, Loaded, matrix, array3, matrix),
)
def residual(friction, history, dt, loaded, rows, z_f, found):
    """Add the joints' friction times dt^2 to rows (n, 12); fills z_f (parts, nz, 3) and found (parts, 9).

    dt s; a row of found as in `joint_rows`.
    """
    joints, parts, ideal, first_row, laws = friction
    (bristles, f_n_prev), (x, multipliers, r_i, q_i) = history, loaded
    own, pair, lam = np.empty(24), np.empty((2, 12)), np.zeros((2, MAX_ROWS))
    q, r = np.empty((2, 4, 3)), np.empty((2, 3, 3))
    for n in range(joints.shape[0]):
        joint = joints[n]
        _gather(joint, q_i, r_i, q, r)
        for i in range(12):
            pair[0, i], pair[1, i] = x[joint.nodes[0], i], x[joint.nodes[1], i]
        for i in range(joint.rows):
            for m in range(2):
                lam[m, i] = multipliers[first_row[n] + i, m] / (dt * dt)
        at = slice(joint.first, joint.first + joint.count)
        records = JointRecords(joint, parts[at], ideal[joint.joint], laws[at])
        joint_rows(
            records, (bristles[at], f_n_prev[at]), dt, pair, lam, r, q, JointForces(own, z_f[at], found[at])
        )
        for i in range(12):
            rows[joint.nodes[0], i] += dt * dt * own[i]
            rows[joint.nodes[1], i] += dt * dt * own[12 + i]


@kernel
def derivatives(friction, history, dt, loaded, n, out):
    """Derivatives of joint n's rows (24,), to the columns of out, by complex step.

    By (a, b, c, e) of K and L and by lambda_g and dlambda of each constraint: out (24, 24 + 2 rows of the joint).
    """
    joints, parts, ideal, first_row, laws = friction
    (bristles, f_n_prev), (x, multipliers, r_i, q_i) = history, loaded
    joint = joints[n]
    pair, lam = np.zeros((2, 12), np.complex128), np.zeros((MAX_ROWS, 2), np.complex128)
    own, q, r = np.empty(24, np.complex128), np.empty((2, 4, 3)), np.empty((2, 3, 3))
    at = slice(joint.first, joint.first + joint.count)
    z_f = np.empty((joint.count, bristles.shape[1], 3), np.complex128)
    z_i, n_i = np.empty(z_f.shape, np.complex128), np.empty(joint.count, np.complex128)
    found = np.empty((joint.count, 9), np.complex128)
    _gather(joint, q_i, r_i, q, r)
    for m in range(n_i.shape[0]):
        n_i[m] = f_n_prev[joint.first + m]
        for k in range(z_i.shape[1]):
            for j in range(3):
                z_i[m, k, j] = bristles[joint.first + m, k, j]
    for i in range(12):
        pair[0, i], pair[1, i] = x[joint.nodes[0], i], x[joint.nodes[1], i]
    for i in range(joint.rows):
        for m in range(2):
            lam[i, m] = multipliers[first_row[n] + i, m] / (dt * dt)
    records = JointRecords(joint, parts[at], ideal[joint.joint], laws[at])
    for j in range(out.shape[1]):
        moved, number = pair.reshape(24), j
        if j >= 24:
            moved, number = lam.reshape(lam.size), j - 24
        moved[number] += 1j * H
        joint_rows(records, (z_i, n_i), dt, pair, lam.T, r, q, JointForces(own, z_f, found))
        moved[number] = moved[number].real
        for i in range(24):
            out[i, j] = own[i].imag / H


@kernel(
    void(FrictionJoints, History, float64, Loaded, matrix, slots, vector),
)
def tangent(friction, history, dt, loaded, found, slots, data):
    """Add the tangents of the joints that are loaded, or have a viscous part, to the matrix values.

    found (parts, 9) from the last residual, slots (joints, L, L) indices in data.
    """
    joints, parts = friction.joints, friction.parts
    out = np.empty((24, 24 + 2 * MAX_ROWS))
    for n in range(joints.shape[0]):
        joint, active = joints[n], False
        for m in range(joint.first, joint.first + joint.count):
            active = active or found[m, 0] > 0.0 or parts[m].viscous > 0.0
        if not active:
            continue
        derivatives(friction, history, dt, loaded, n, out[:, : 24 + 2 * joint.rows])
        for i in range(24):
            for j in range(24):
                data[slots[n, i, j]] += dt * dt * out[i, j]
            for j in range(24, 24 + 2 * joint.rows):
                data[slots[n, i, j]] += out[i, j]
