"""Compiled: friction in ideal joints, from the mean reaction of the step.

The joint's mean multipliers lambda_g, through the joint's forms at mid-step, are a force and a moment on L at the
joint's point. Parts of them press each contribution (`records`); the friction law gives its coefficient mu for the slip
s of the step, and the generalised forces on the joint's six coordinates are

    G_j = length_j (N mu_j + c s_j/dt),        c : viscous, not multiplied by N

They are constant over the step (Q_m only). The coordinates' increments over a step are

    turns   e_j . (Rbar_L b_L - Rbar_K b_K)          slides   a_j . Dgap + gap . Da_j

(gap and a_j at mid-step), which vanish exactly in a common motion of both bodies, and the forces are their transposes:
the work taken from the bodies is G . increments to round-off. The tangent is a complex step over (a, b, e) of both
nodes and over lambda_g. Source: docs/joint_friction.md.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.compiled import kernel
from fem_mbd.friction.tangential import friction_force
from fem_mbd.joints.friction.records import (
    ALONG_1,
    ALONG_2,
    AXIAL,
    BENDING,
    FORCE,
    NONE,
    RADIAL,
    TORSION,
)
from fem_mbd.scheme.constraint_kernels import MAX_ROWS
from fem_mbd.scheme.node_map import node_configuration, pull_back, variation_maps

H = 1e-40  # of the complex step
SHORTEST = 1e-3  # of the overlap at the start: what Newton's iterates may not go below


@kernel
def _size(a):
    """|a| of a number, real or complex, by its real part (complex step)."""
    return a if a.real >= 0.0 else -a


@kernel
def _unit(v):
    """Scale v (3,) to length 1."""
    size = np.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    for i in range(3):
        v[i] /= size


@kernel
def _axes(joint, q_i, q_f, a_i, a_f, frame):
    """K's triad at both ends, a_i, a_f (3, 3) by rows, and the joint's orthonormal one at mid-step."""
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
def _reaction(joint, ideal, lam, q_i, q_f, frame, load):
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
def _motion(joint, x, r_i, r_f, q_i, q_f, a_i, a_f, frame, gap, motion):
    """motion (6,): the step's turns and slides; gap (3,): L's point from K's at mid-step. Returns the mean slide."""
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
def _normal_force(part, load, overlap):
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


@kernel
def _add_rows(joint, x, r_i, r_f, a_i, a_f, frame, gap, general, rows):
    """Fill rows (24,) of K and L with the transposes of the six coordinates' increments times ``general`` (6,)."""
    moment, force = np.empty(3, rows.dtype), np.empty(3, rows.dtype)
    for i in range(3):
        moment[i], force[i] = 0.0, 0.0
        for j in range(3):
            moment[i] += general[j] * frame[j, i]
            force[i] += general[3 + j] * 0.5 * (a_i[j, i] + a_f[j, i])
    rows[:] = 0.0
    slides = general[3].real != 0.0 or general[4].real != 0.0 or general[5].real != 0.0
    w_m, w_f = np.empty((3, 3, 6), rows.dtype), np.empty((3, 3, 6), rows.dtype)
    q_m, q_f = np.empty((4, 3), rows.dtype), np.zeros((4, 3), rows.dtype)
    for s in range(2):
        sign = 2.0 * s - 1.0
        if slides:
            variation_maps(x[s], r_i[s], r_f[s], w_m, w_f)
            for i in range(3):
                q_m[0, i] = sign * force[i]
                for d in range(3):
                    q_m[1 + d, i] = sign * joint["arm"][s, d] * force[i]
                    if s == 0:
                        for j in range(3):
                            q_m[1 + d, i] += general[3 + j] * joint["axes"][0, d, j] * gap[i]
            pull_back(w_m, w_f, q_m, q_f, rows[12 * s : 12 * s + 12])
        for d in range(3):
            for i in range(3):
                rows[12 * s + 3 + d] += sign * 0.5 * (r_i[s, i, d] + r_f[s, i, d]) * moment[i]


@kernel
def joint_rows(joint, parts, ideal, laws, bristles, before, dt, x, lam, r_i, q_i, rows, z_f, found):
    """Friction of one joint: fills rows (24,), internal forces not times dt^2, z_f (parts, nz, 3), found (parts, 8).

    x (2, 12): unknowns of K and L; lam (MAX_ROWS,): mean multipliers, N or N m; bristles, before: history.
    A row of ``found``: normal force, slip (3), friction force on L along the slip (3), energy lost.
    """
    kind = x.dtype
    q_f, p, r_f = np.empty((2, 4, 3), kind), np.empty((4, 3), kind), np.empty((2, 3, 3), kind)
    a_i, a_f, frame = np.empty((3, 3), kind), np.empty((3, 3), kind), np.empty((3, 3), kind)
    load, motion, general = np.empty(6, kind), np.empty(6, kind), np.zeros(6, kind)
    gap, slip, mu = np.zeros(3, kind), np.empty(3, kind), np.empty(3, kind)
    z_i = np.empty((z_f.shape[1], 3), kind)
    for s in range(2):
        node_configuration(x[s], r_i[s], q_i[s], q_f[s], p, r_f[s])
    _axes(joint, q_i, q_f, a_i, a_f, frame)
    _reaction(joint, ideal, lam, q_i, q_f, frame, load)
    slide = _motion(joint, x, r_i, r_f, q_i, q_f, a_i, a_f, frame, gap, motion)
    overlap = joint.overlap + joint.overlap_rate * (slide - joint.slide)
    if overlap.real < SHORTEST * joint.overlap:
        overlap = SHORTEST * joint.overlap + 0.0 * slide
    for n in range(parts.shape[0]):
        part = parts[n]
        f_n = _normal_force(part, load, overlap)
        for j in range(3):
            c = part.coordinate[j]
            slip[j] = part.length[j] * motion[c] if c != NONE else 0.0 * f_n
            for m in range(z_i.shape[0]):
                z_i[m, j] = bristles[n, m, j]
        loss = friction_force(laws[n], slip, z_i, f_n, before[n], dt, mu, z_f[n])
        found[n, 0] = f_n
        for j in range(3):
            force = f_n * mu[j] + part.viscous * slip[j] / dt
            loss += part.viscous * slip[j] * slip[j] / dt
            found[n, 1 + j], found[n, 4 + j] = slip[j], -force
            if part.coordinate[j] != NONE:
                general[part.coordinate[j]] += part.length[j] * force
                if part.face_axis != NONE and part.coordinate[j] == 5:
                    # the force acts at the face that the reaction presses on, off the axis: a moment about the other
                    h = part.face if load[part.face_axis].real >= 0.0 else -part.face
                    general[1 - part.face_axis] += (2.0 * part.face_axis - 1.0) * h * force
        found[n, 7] = loss
    _add_rows(joint, x, r_i, r_f, a_i, a_f, frame, gap, general, rows)


@kernel
def _gather(joint, q_i, r_i, q, r):
    """q (2, 4, 3), r (2, 3, 3): what the joint's two nodes have at t_i."""
    for s in range(2):
        for i in range(3):
            for a in range(4):
                q[s, a, i] = q_i[joint.nodes[s], a, i]
            for a in range(3):
                r[s, i, a] = r_i[joint.nodes[s], i, a]


@kernel
def residual(
    joints, parts, ideal, first_row, laws, bristles, before, dt, x, multipliers, r_i, q_i, rows, z_f, found
):
    """Add the joints' friction times dt^2 to rows (n, 12); fills z_f (parts, nz, 3) and found (parts, 8)."""
    own, pair, lam = np.empty(24), np.empty((2, 12)), np.zeros(MAX_ROWS)
    q, r = np.empty((2, 4, 3)), np.empty((2, 3, 3))
    for n in range(joints.shape[0]):
        joint = joints[n]
        _gather(joint, q_i, r_i, q, r)
        for i in range(12):
            pair[0, i], pair[1, i] = x[joint.nodes[0], i], x[joint.nodes[1], i]
        for i in range(joint.rows):
            lam[i] = multipliers[first_row[n] + i, 0] / (dt * dt)
        at = slice(joint.first, joint.first + joint.count)
        joint_rows(
            joint, parts[at], ideal[joint.joint], laws[at], bristles[at], before[at], dt,
            pair, lam, r, q, own, z_f[at], found[at],
        )  # fmt: skip
        for i in range(12):
            rows[joint.nodes[0], i] += dt * dt * own[i]
            rows[joint.nodes[1], i] += dt * dt * own[12 + i]


@kernel
def derivatives(
    joints, parts, ideal, first_row, laws, bristles, before, dt, x, multipliers, r_i, q_i, n, by_history, out
):
    """Derivatives of joint n's rows (24,), to the columns of out, by complex step.

    By (a, b, c, e) of K and L and by lambda_g: out (24, 24 + rows of the joint); or, with ``by_history``, by the
    bristles' states at t_i and the last normal forces: out (24, parts * nz * 3 + parts).
    """
    joint = joints[n]
    pair, lam = np.zeros((2, 12), np.complex128), np.zeros(MAX_ROWS, np.complex128)
    own, q, r = np.empty(24, np.complex128), np.empty((2, 4, 3)), np.empty((2, 3, 3))
    at = slice(joint.first, joint.first + joint.count)
    z_f = np.empty((joint.count, bristles.shape[1], 3), np.complex128)
    z_i, n_i = np.empty(z_f.shape, np.complex128), np.empty(joint.count, np.complex128)
    found = np.empty((joint.count, 8), np.complex128)
    _gather(joint, q_i, r_i, q, r)
    z_i[:], n_i[:] = bristles[at], before[at]
    for i in range(12):
        pair[0, i], pair[1, i] = x[joint.nodes[0], i], x[joint.nodes[1], i]
    for i in range(joint.rows):
        lam[i] = multipliers[first_row[n] + i, 0] / (dt * dt)
    given = pair.reshape(24)
    if by_history:
        given = z_i.reshape(z_i.size)
    for j in range(out.shape[1]):
        moved, number = given, j
        if j >= given.size:
            moved, number = n_i if by_history else lam, j - given.size
        elif not by_history and 6 <= j % 12 < 9:  # friction does not depend on c
            out[:, j] = 0.0
            continue
        moved[number] += 1j * H
        joint_rows(
            joint, parts[at], ideal[joint.joint], laws[at], z_i, n_i, dt,
            pair, lam, r, q, own, z_f, found,
        )  # fmt: skip
        moved[number] = moved[number].real
        for i in range(24):
            out[i, j] = own[i].imag / H


@kernel
def tangent(
    joints, parts, ideal, first_row, laws, bristles, before, dt, x, multipliers, r_i, q_i, found, slots, data
):
    """Add the tangents of the joints that are loaded, or have a viscous part, to the matrix values.

    Arguments as in `derivatives`; found (parts, …) from the last residual, slots (joints, L, L) places in data.
    """
    out = np.empty((24, 24 + MAX_ROWS))
    for n in range(joints.shape[0]):
        joint, active = joints[n], False
        for m in range(joint.first, joint.first + joint.count):
            active = active or found[m, 0] > 0.0 or parts[m].viscous > 0.0
        if not active:
            continue
        derivatives(
            joints, parts, ideal, first_row, laws, bristles, before, dt, x, multipliers, r_i, q_i,
            n, False, out[:, : 24 + joint.rows],
        )  # fmt: skip
        for i in range(24):
            for j in range(24):
                data[slots[n, i, j]] += dt * dt * out[i, j]
            for j in range(joint.rows):
                data[slots[n, i, 24 + 2 * j]] += out[i, 24 + j]
