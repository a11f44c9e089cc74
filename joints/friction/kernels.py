"""Residual and tangent of friction in ideal joints, driven by the joint's reaction in the step (compiled).

Relative coordinates. The increments of a joint's six relative coordinates over a step (`find_motion`) are

    rotations   e_j . (Rbar_L b_L - Rbar_K b_K)          displacements   a_j . Dgap + gap . Da_j

(gap and a_j at mid-step), which vanish exactly in a common rigid motion of both bodies. Forces on the bodies follow
from the transposes (`add_rows`): the work taken from the bodies is G . increments to round-off.

Reaction (`find_loads`). The joint's multipliers vary linearly over the step, lambda_g - dlambda to lambda_g + dlambda.
With the joint's forms they give a force and a moment on L at the joint's point. A load of constant magnitude may rotate
during the step relative to the bodies, so the reaction is evaluated at the two points of Radau's quadrature,
t_i + dt/3 and t_f, with the weights 3/4 and 1/4: there the reactions have the order of the scheme.

Friction (`joint_rows`). Components of the reaction give the normal force N of each contribution; the friction law gives
its coefficient mu for the slip s of the step, and the generalised forces on the joint's six coordinates are

    G_j = length_j (N mu_j + c s_j/dt),        c : viscous, not multiplied by N

They are constant over the step (Q_m only). The tangent is a complex step over the unknowns of both nodes and over the
joint's multipliers. Source: docs/explanation/joint_friction.md.
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
from fem_mbd.core.scheme.nodes.node_map import node_configuration, pull_back
from fem_mbd.friction.records import FRICTION_LAW
from fem_mbd.friction.tangential import friction_force
from fem_mbd.joints.friction.contributions import (
    ALONG_1,
    ALONG_2,
    AXIAL,
    BENDING,
    CONTRIBUTION,
    FORCE,
    FRICTION_JOINT,
    NONE,
    RADIAL,
    TORSION,
)

# For each point: weights of the value at t_i, of that at t_f and of dt times its rate there in the quadratic through
# the three; factor of dlambda; weight of the point.
RADAU = ((4 / 9, 5 / 9, -2 / 9, -1 / 3, 3 / 4), (0.0, 1.0, 0.0, 1.0, 1 / 4))


class Pair(NamedTuple):
    """A joint's two nodes over a step: unknowns x (2, 12), R (2, 3, 3) and ambient vectors q (2, 4, 3) at both ends."""

    x: Any
    r_i: Any
    r_f: Any
    q_i: Any
    q_f: Any


class Axes(NamedTuple):
    """K's triad at both ends by rows, and the joint's orthonormal one at mid-step, each (3, 3)."""

    a_i: Any
    a_f: Any
    frame: Any


@kernel
def _unit(v):
    """Scale v (3,) to length 1."""
    size = np.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    for i in range(3):
        v[i] /= size


@kernel
def find_axes(joint, q_i, q_f, axes):
    """Fill `Axes` from the ambient vectors (2, 4, 3) of K and L."""
    a_i, a_f, frame = axes
    for j in range(3):
        for i in range(3):
            a_i[j, i] = 0.0 * q_f[0, 0, 0]
            a_f[j, i] = 0.0 * q_f[0, 0, 0]
            for d in range(3):
                a_i[j, i] += joint["axes"][0, d, j] * q_i[0, 1 + d, i]
                a_f[j, i] += joint["axes"][0, d, j] * q_f[0, 1 + d, i]
    for i in range(3):
        frame[2, i] = 0.5 * (a_i[2, i] + a_f[2, i])
        frame[0, i] = 0.5 * (a_i[0, i] + a_f[0, i])
        if joint.cross:
            frame[0, i] = 0.0 * q_f[0, 0, 0]
            for d in range(3):
                frame[0, i] += 0.5 * joint["axes"][1, d, 0] * (q_i[1, 1 + d, i] + q_f[1, 1 + d, i])
    _unit(frame[2])
    along = frame[0, 0] * frame[2, 0] + frame[0, 1] * frame[2, 1] + frame[0, 2] * frame[2, 2]
    for i in range(3):
        frame[0, i] -= along * frame[2, i]
    _unit(frame[0])
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        frame[1, i] = frame[2, j] * frame[0, k] - frame[2, k] * frame[0, j]


@kernel
def find_motion(joint, pair, axes, gap, motion):
    """Fill motion (6,), rotations and displacements of the step, and gap (3,), L's point from K's at mid-step.

    Returns the mean of the displacement along axis 3.
    """
    (x, r_i, r_f, q_i, q_f), (a_i, a_f, frame) = pair, axes
    gap_i, gap_f = np.empty(3, gap.dtype), np.empty(3, gap.dtype)
    for i in range(3):
        gap_i[i] = q_i[1, 0, i] - q_i[0, 0, i] + 0.0 * gap[0]
        gap_f[i] = q_f[1, 0, i] - q_f[0, 0, i]
        for d in range(3):
            gap_i[i] += joint["arm"][1, d] * q_i[1, 1 + d, i] - joint["arm"][0, d] * q_i[0, 1 + d, i]
            gap_f[i] += joint["arm"][1, d] * q_f[1, 1 + d, i] - joint["arm"][0, d] * q_f[0, 1 + d, i]
    for i in range(3):
        gap[i] = 0.5 * (gap_i[i] + gap_f[i])
    motion[:] = 0.0
    for i in range(3):
        turn = 0.0 * x[0, 0]
        for d in range(3):
            turn += 0.5 * (r_i[1, i, d] + r_f[1, i, d]) * x[1, 3 + d]
            turn -= 0.5 * (r_i[0, i, d] + r_f[0, i, d]) * x[0, 3 + d]
        for j in range(3):
            motion[j] += frame[j, i] * turn
            motion[3 + j] += 0.5 * (a_i[j, i] + a_f[j, i]) * (gap_f[i] - gap_i[i])
            motion[3 + j] += gap[i] * (a_f[j, i] - a_i[j, i])
    slide = 0.0 * x[0, 0]
    for i in range(3):
        slide += 0.5 * (a_i[2, i] * gap_i[i] + a_f[2, i] * gap_f[i])
    return slide


@kernel
def add_rows(joint, pair, axes, gap, general, rows):
    """Fill rows (24,) of K and L with the transposes of the six coordinates' increments times ``general`` (6,)."""
    (x, r_i, r_f, _, _), (a_i, a_f, frame) = pair, axes
    moment, force = np.empty(3, rows.dtype), np.empty(3, rows.dtype)
    for i in range(3):
        moment[i], force[i] = 0.0, 0.0
        for j in range(3):
            moment[i] += general[j] * frame[j, i]
            force[i] += general[3 + j] * 0.5 * (a_i[j, i] + a_f[j, i])
    rows[:] = 0.0
    slides = general[3].real != 0.0 or general[4].real != 0.0 or general[5].real != 0.0
    q_m, q_f = np.empty((4, 3), rows.dtype), np.zeros((4, 3), rows.dtype)
    for s in range(2):
        sign = 2.0 * s - 1.0
        if slides:
            for i in range(3):
                q_m[0, i] = sign * force[i]
                for d in range(3):
                    q_m[1 + d, i] = sign * joint["arm"][s, d] * force[i]
                    if s == 0:
                        for j in range(3):
                            q_m[1 + d, i] += general[3 + j] * joint["axes"][0, d, j] * gap[i]
            pull_back(x[s], r_i[s], r_f[s], q_m, q_f, rows[12 * s : 12 * s + 12])
        for d in range(3):
            for i in range(3):
                rows[12 * s + 3 + d] += sign * 0.5 * (r_i[s, i, d] + r_f[s, i, d]) * moment[i]


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
def joint_rows(records, past, dt, x, lam, r_i, q_i, part_results):
    """Friction of one joint: fills a `JointForces`; internal forces in its rows are not times dt^2.

    records : `JointRecords`; past : the history, bristles (parts, nz, 3) and normal forces (parts,); x (2, 12) :
    unknowns of K and L; lam (2, MAX_ROWS) : means and half-jumps of the multipliers, N or N m; r_i, q_i : of K and L. A
    row of its ``parts``: normal force, slip (3), friction force on L along the slip (3), dissipated energy, and the
    moment on L of a force at a face off the axis.
    """
    (joint, parts, ideal, laws), (bristles, f_n_prev), (rows, z_f, part_results) = records, past, part_results
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
        part_results[n, 8] = 0.0
        loss = friction_force(laws[n], slip, z_i, f_n, f_n_prev[n], dt, mu, z_f[n])
        part_results[n, 0] = f_n
        for j in range(3):
            force = f_n * mu[j] + part.viscous * slip[j] / dt
            loss += part.viscous * slip[j] * slip[j] / dt
            part_results[n, 1 + j], part_results[n, 4 + j] = slip[j], -force
            if part.coordinate[j] != NONE:
                general[part.coordinate[j]] += part.length[j] * force
                if part.face_axis != NONE and part.coordinate[j] == 5:
                    # the force acts at the face pressed by the reaction, off the axis: a moment about the other axis
                    mean = 3.0 * loads[0, part.face_axis] + loads[1, part.face_axis]
                    h = part.face if mean.real >= 0.0 else -part.face
                    moment = (2.0 * part.face_axis - 1.0) * h * force
                    general[1 - part.face_axis] += moment
                    part_results[n, 8] = -moment
        part_results[n, 7] = loss
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
def residual(friction, history, dt, loaded, rows, z_f, part_results):
    """Add the joints' friction times dt^2 to rows (n, 12); fills z_f (parts, nz, 3) and part_results (parts, 9).

    dt s; a row of part_results as in `joint_rows`.
    """
    joints, parts, ideal, first_row, laws = friction
    (bristles, f_n_prev), (x, multipliers, r_i, q_i) = history, loaded
    pair_rows, pair, lam = np.empty(24), np.empty((2, 12)), np.zeros((2, MAX_ROWS))
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
            records,
            (bristles[at], f_n_prev[at]),
            dt,
            pair,
            lam,
            r,
            q,
            JointForces(pair_rows, z_f[at], part_results[at]),
        )
        for i in range(12):
            rows[joint.nodes[0], i] += dt * dt * pair_rows[i]
            rows[joint.nodes[1], i] += dt * dt * pair_rows[12 + i]


@kernel
def derivatives(friction, history, dt, loaded, n, out):
    """Derivatives of joint n's rows (24,), to the columns of out, by complex step.

    By (a, b, c, e) of K and L and by lambda_g and dlambda of each constraint: out (24, 24 + 2 rows of the joint).
    """
    joints, parts, ideal, first_row, laws = friction
    (bristles, f_n_prev), (x, multipliers, r_i, q_i) = history, loaded
    joint = joints[n]
    pair, lam = np.zeros((2, 12), np.complex128), np.zeros((MAX_ROWS, 2), np.complex128)
    pair_rows, q, r = np.empty(24, np.complex128), np.empty((2, 4, 3)), np.empty((2, 3, 3))
    at = slice(joint.first, joint.first + joint.count)
    z_f = np.empty((joint.count, bristles.shape[1], 3), np.complex128)
    z_i, n_i = np.empty(z_f.shape, np.complex128), np.empty(joint.count, np.complex128)
    part_results = np.empty((joint.count, 9), np.complex128)
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
        joint_rows(records, (z_i, n_i), dt, pair, lam.T, r, q, JointForces(pair_rows, z_f, part_results))
        moved[number] = moved[number].real
        for i in range(24):
            out[i, j] = pair_rows[i].imag / H


@kernel(
    void(FrictionJoints, History, float64, Loaded, matrix, slots, vector),
)
def tangent(friction, history, dt, loaded, part_results, slots, data):
    """Add the tangents of the joints that are loaded, or have a viscous part, to the matrix values.

    part_results (parts, 9) from the last residual, slots (joints, L, L) indices in data.
    """
    joints, parts = friction.joints, friction.parts
    out = np.empty((24, 24 + 2 * MAX_ROWS))
    for n in range(joints.shape[0]):
        joint, active = joints[n], False
        for m in range(joint.first, joint.first + joint.count):
            active = active or part_results[m, 0] > 0.0 or parts[m].viscous > 0.0
        if not active:
            continue
        derivatives(friction, history, dt, loaded, n, out[:, : 24 + 2 * joint.rows])
        for i in range(24):
            for j in range(24):
                data[slots[n, i, j]] += dt * dt * out[i, j]
            for j in range(24, 24 + 2 * joint.rows):
                data[slots[n, i, j]] += out[i, j]
