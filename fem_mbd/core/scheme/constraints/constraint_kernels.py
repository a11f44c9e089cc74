"""Residual, tangent, driver work, reactions and drives of constraints made of quadratic forms, compiled.

Constraint r of a joint is  sum_k g_k(t) psi_k(y) - f_r(t) = 0  with forms psi_k and given functions of time g_k, f_r
(g = 1, f = 0 for an ideal joint at rest). Each brings two multipliers, mean lambda_g and jump dlambda, and two
equations, its value at t_f and dt times its rate there. The products g psi go through the discrete-derivative rule
twice, once for the product and once for psi, which keeps the work of the driver exact.
Source: docs/explanation/theory.md, sections 2 (composition) and 7.

A joint's local unknowns are the 12 of K, the 12 of L and its multipliers. Multipliers are those times dt^2.

`set_drives` writes the values of the functions of time in a step to the records of the constraints.
"""

from __future__ import annotations

from typing import Any, NamedTuple

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
from fem_mbd.core.compiled.vectors import dot
from fem_mbd.core.model.workspace import Accepted, Forces, Maps, Motion, Rotations
from fem_mbd.core.scheme.constraints.forms import (
    add_forces,
    add_mapped,
    form_fields,
    form_parts,
    gather,
    gradient,
    pair_tangent,
    value_and_rate,
)
from fem_mbd.core.scheme.discrete_rule import Q_f, Q_m, composed
from fem_mbd.core.scheme.nodes.node_map import INSTANTS, WEIGHTS, pull_back, rotations_of_step, wrench_at

MAX_FORMS = 7  # a driven revolute: five of the revolute joint, two for the angle
MAX_ROWS = 6

CONSTRAINT = np.dtype(
    [
        ("nodes", "i8", (2,)),
        ("forms", "i8"),
        ("rows", "i8"),
        ("driven", "i8"),
        ("row", "i8", (MAX_FORMS,)),  # constraint each form belongs to
        *form_fields(MAX_FORMS),
        ("g_i", "f8", (MAX_FORMS,)),  # weight at t_i, t_f and dt times its rate at t_f
        ("g_f", "f8", (MAX_FORMS,)),
        ("g_p", "f8", (MAX_FORMS,)),
        ("f_i", "f8", (MAX_ROWS,)),  # likewise the given value
        ("f_f", "f8", (MAX_ROWS,)),
        ("f_p", "f8", (MAX_ROWS,)),
    ],
    align=True,
)


class Scratch(NamedTuple):
    """Arrays that the tangent of a joint works in."""

    y: Any  # (3, 8, 3) vectors of its nodes
    parts: Any  # (5, 8, 3) as of `form_parts`
    h: Any  # (2, 8, 8) its forms times the stresses on them
    lines: Any  # (2, 2 rows, 24) derivatives of constraints, and of the equations by multipliers


@kernel
def _weights(joint, k):
    """Four numbers: s_g and s_d on form k are w[0] L_g + w[1] L_d and w[2] L_g + w[3] L_d (composed with g_k)."""
    g_mean, change = 0.5 * (joint.g_i[k] + joint.g_f[k]), joint.g_f[k] - joint.g_i[k]
    g_of_g, d_of_g = composed(Q_m(g_mean, joint.g_p[k], 1.0, 0.0), Q_f(joint.g_f[k], change, 1.0, 0.0))
    g_of_d, d_of_d = composed(Q_m(g_mean, joint.g_p[k], 0.0, 1.0), Q_f(joint.g_f[k], change, 0.0, 1.0))
    return g_of_g, g_of_d, d_of_g, d_of_d


@kernel
def _gather_step(joint, motion, y):
    """Fill y (3, 8, 3) with the vectors of the joint's nodes, of a `Motion`."""
    gather(joint, motion.q_i, y[0])
    gather(joint, motion.q_f, y[1])
    gather(joint, motion.p, y[2])


@kernel
def _add_joint(joint, first, motion, multipliers, forces, constraints, y):
    """Forces and equations of one joint, whose first constraint is ``first``, as in `residual`; y (3, 8, 3) scratch."""
    _gather_step(joint, motion, y)
    for r in range(joint.rows):
        constraints[first + r, 0] = -joint.f_f[r]
        constraints[first + r, 1] = -joint.f_p[r]
    for k in range(joint.forms):
        row = first + joint.row[k]
        w, l_g, l_d = _weights(joint, k), multipliers[row, 0], multipliers[row, 1]
        s_g, s_d = w[0] * l_g + w[1] * l_d, w[2] * l_g + w[3] * l_d
        value, rate = add_forces(joint, k, y[0], y[1], y[2], s_g, s_d, forces.m, forces.f)
        constraints[row, 0] += joint.g_f[k] * value
        constraints[row, 1] += joint.g_f[k] * rate + joint.g_p[k] * value


@kernel(void(record(CONSTRAINT)[::1], indices, Motion, matrix, Forces, matrix))
def residual(joints, first_row, motion, multipliers, forces, constraints):
    """Add the constraint forces, and set the constraint residuals (m, 2).

    joints (n,) records, first_row (n,) of their multipliers (m, 2), times dt^2.
    """
    y = np.empty((3, 8, 3))
    for n in range(joints.shape[0]):
        _add_joint(joints[n], first_row[n], motion, multipliers, forces, constraints, y)


@kernel
def _add_form(joint, k, multipliers, maps, lin, scratch):
    """Add form k to ``h`` and ``lines`` of a `Scratch`; multipliers (2,), the rest as in `tangent`.

    ``h`` gets its matrix times the stresses, ``lines`` the derivatives of its constraint by the nodes' unknowns, and
    those of the nodes' equations by mean and jump of its multiplier. Returns whether the form has a matrix at all.
    """
    h, parts, gradients, columns = scratch.h, scratch.parts, scratch.lines[0], scratch.lines[1]
    w_m, w_f, d_q, d_p = maps
    w, at, curved = _weights(joint, k), 2 * joint.row[k], False
    s_g = w[0] * multipliers[0] + w[1] * multipliers[1]
    s_d = w[2] * multipliers[0] + w[3] * multipliers[1]
    for m in range(joint["vectors"][k]):
        a = joint["vector"][k, m]
        node, v, first = joint.nodes[a >> 2], a & 3, 12 * (a >> 2)
        for c in range(joint["partners"][k, m]):
            b, curved = joint["partner"][k, m, c], True
            h[0, a, b] += s_g * joint["h"][k, a, b]
            h[1, a, b] += s_d * joint["h"][k, a, b]
        linear = joint["partners"][k, m] == 0
        for i in range(3):
            if linear and joint["l"][k, a, i] == 0.0:
                continue
            lin.m[node, v, i] += parts[0, a, i] * s_g + parts[1, a, i] * s_d
            lin.f[node, v, i] += parts[2, a, i] * s_g + parts[3, a, i] * s_d
            slope = 3 * parts[3, a, i]
            by_value = joint.g_f[k] * slope
            by_rate = joint.g_f[k] * parts[4, a, i] + joint.g_p[k] * slope
            add_mapped(by_value, 0.0, d_q[node], d_p[node], v, i, gradients[at, first : first + 12])
            add_mapped(by_rate, by_value, d_q[node], d_p[node], v, i, gradients[at + 1, first : first + 12])
            for c in range(2):
                on_m = parts[0, a, i] * w[c] + parts[1, a, i] * w[2 + c]
                on_f = parts[2, a, i] * w[c] + parts[3, a, i] * w[2 + c]
                add_mapped(on_m, on_f, w_m[node], w_f[node], v, i, columns[at + c, first : first + 12])
    return curved


@kernel
def _add_forms(joint, first, motion, multipliers, maps, lin, scratch):
    """Fill ``h`` and ``lines`` of a `Scratch` and add to lin; whether any form of the joint has a matrix."""
    y, curved = scratch.y, False
    _gather_step(joint, motion, y)
    scratch.h[:] = 0.0
    scratch.lines[:] = 0.0
    for k in range(joint.forms):
        form_parts(joint, k, y[0], y[1], y[2], scratch.parts)
        stressed = _add_form(joint, k, multipliers[first + joint.row[k]], maps, lin, scratch)
        curved = curved or stressed
    return curved


@kernel
def _add_lines(joint, lines, slots, data):
    """Add the derivatives of a joint's constraints, and those by its multipliers, to the matrix values."""
    start, end = _moving(slots, data.shape[0] - 1)
    for r in range(2 * joint.rows):
        for i in range(start, end):
            data[slots[24 + r, i]] += lines[0, r, i]
            data[slots[i, 24 + r]] += lines[1, r, i]


@kernel(
    void(record(CONSTRAINT)[::1], indices, Motion, matrix, Rotations, Maps, Forces, slots, vector),
)
def tangent(joints, first_row, motion, multipliers, rotations, maps, lin, slots, data):
    """Add every joint's tangent to the matrix values, and its ambient forces to lin.

    joints (n,) records, first_row (n,) of their multipliers (m, 2); slots (n, L, L) indices in data.
    """
    scratch = Scratch(
        np.empty((3, 8, 3)), np.empty((5, 8, 3)), np.empty((2, 8, 8)), np.empty((2, 2 * MAX_ROWS, 24))
    )
    k_loc, turns, form, products = (
        np.empty((24, 24)), np.empty((3, 2, 3, 3)), np.empty((3, 4, 4)), np.empty((3, 3, 3))
    )  # fmt: skip
    for n in range(joints.shape[0]):
        if _add_forms(joints[n], first_row[n], motion, multipliers, maps, lin, scratch):
            pair_tangent(scratch.h, joints[n].nodes, rotations, maps.w_m, k_loc, turns, form, products)
            add_to_values(k_loc, 1.0, slots[n], data)
        _add_lines(joints[n], scratch.lines, slots[n], data)


@kernel(void(record(CONSTRAINT)[::1], array3, array3))
def velocity_jacobian(joints, q, out):
    """out (constraints, 2, 6): derivatives of the rates by v (global) and Omega (node axes) of K and L; q (n, 4, 3)."""
    y, first = np.empty((8, 3)), 0
    for n in range(joints.shape[0]):
        joint = joints[n]
        out[first : first + joint.rows] = 0.0
        gather(joint, q, y)
        for k in range(joint.forms):
            for m in range(joint["vectors"][k]):
                a = joint["vector"][k, m]
                row, w, of_node = out[first + joint.row[k], a >> 2], gradient(joint, k, m, y), a & 4
                if a == of_node:
                    for i in range(3):
                        row[i] += joint.g_f[k] * w[i]
                    continue
                # d_b changes by R (Omega x e_b): the moment e_b x R^T w
                b = a - of_node - 1
                c, d = (b + 1) % 3, (b + 2) % 3
                row[3 + c] -= joint.g_f[k] * dot(y[of_node + 1 + d], w)
                row[3 + d] += joint.g_f[k] * dot(y[of_node + 1 + c], w)
        first += joint.rows


@kernel
def _moving(slots, dump):
    """First and end of the free unknowns among the 24 of two nodes; the ground has none."""
    first, end = 0, 24
    while first < 24 and slots[first, first] == dump:
        first += 1
    while end > first and slots[end - 1, end - 1] == dump:
        end -= 1
    return first, end


@kernel
def add_to_values(k_loc, scale, slots, data):
    """Add scale times a local matrix (24, 24) to the entries of data at ``slots`` (24 or more, 24 or more)."""
    first, end = _moving(slots, data.shape[0] - 1)
    for i in range(first, end):
        for j in range(first, end):
            data[slots[i, j]] += scale * k_loc[i, j]


@kernel
def _work_of(joint, first, motion, multipliers, y):
    """dt^2 times the work of one joint's given functions, as in `driver_work`; y (3, 8, 3) scratch."""
    total = 0.0
    _gather_step(joint, motion, y)
    for k in range(joint.forms):
        change, rate = joint.g_f[k] - joint.g_i[k], joint.g_p[k]
        if change == 0.0 and rate == 0.0:
            continue
        l_g, l_d = multipliers[first + joint.row[k], 0], multipliers[first + joint.row[k], 1]
        start, _ = value_and_rate(joint, k, y[0], y[2])
        end, psi_p = value_and_rate(joint, k, y[1], y[2])
        total += Q_m(0.5 * (start + end), psi_p, l_g, l_d) * change + Q_f(end, end - start, l_g, l_d) * rate
    for r in range(joint.rows):
        l_g, l_d = multipliers[first + r, 0], multipliers[first + r, 1]
        total -= (
            Q_m(1.0, 0.0, l_g, l_d) * (joint.f_f[r] - joint.f_i[r]) + Q_f(1.0, 0.0, l_g, l_d) * joint.f_p[r]
        )
    return total


@kernel(void(record(CONSTRAINT)[::1], indices, Motion, matrix, float64, vector))
def driver_work(joints, first_row, motion, multipliers, dt, out):
    """Add the work that the given functions of time do on the system over the step to out (1,), J.

    joints (n,) records, first_row (n,) of their multipliers (m, 2), times dt^2.
    """
    y = np.empty((3, 8, 3))
    for n in range(joints.shape[0]):
        if joints[n].driven != 0:
            out[0] += _work_of(joints[n], first_row[n], motion, multipliers, y) / dt**2


@kernel(void(record(CONSTRAINT)[::1], indices, array3, array3, vector, matrix))
def end_reactions(joints, first_row, offsets, q, lam, out):
    """out (n, 6): force and moment on L at its point at the end of a step, global axes.

    q (nodes, 4, 3) is the configuration there, lam (m,) the multipliers (lambda_g + dlambda); offsets (n, 2, 3).
    """
    y = np.empty((8, 3))
    for n in range(joints.shape[0]):
        joint = joints[n]
        out[n, :] = 0.0
        gather(joint, q, y)
        for k in range(joint.forms):
            s = -joint.g_f[k] * lam[first_row[n] + joint.row[k]]
            for m in range(joint["vectors"][k]):
                a = joint["vector"][k, m]
                if a < 4:
                    continue  # on K
                g0, g1, g2 = gradient(joint, k, m, y)
                if a == 4:
                    out[n, 0] += s * g0
                    out[n, 1] += s * g1
                    out[n, 2] += s * g2
                else:
                    out[n, 3] += s * (y[a, 1] * g2 - y[a, 2] * g1)
                    out[n, 4] += s * (y[a, 2] * g0 - y[a, 0] * g2)
                    out[n, 5] += s * (y[a, 0] * g1 - y[a, 1] * g0)
        arm = offsets[n, 1, 0] * y[5] + offsets[n, 1, 1] * y[6] + offsets[n, 1, 2] * y[7]
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            out[n, 3 + i] -= arm[j] * out[n, k] - arm[k] * out[n, j]


class _Means(NamedTuple):
    """Arrays that `mean_reactions` works in."""

    y: Any  # (3, 8, 3) vectors of the joint's nodes
    parts: Any  # (5, 8, 3) as of `form_parts`
    force: Any  # (2, 4, 3) ambient forces Q_m and Q_f on L
    rows: Any  # (12,) and generalised; scratch before
    k: Any  # (3, 3, 3) rotations of K at start, middle and end of the step
    l: Any  # (3, 3, 3) of L
    wrench: Any  # (6,)


@kernel
def _start_and_end(joint, q, accepted, scratch):
    """Fill y, k and l of a `_Means` from the configuration q (nodes, 4, 3) at the end of the accepted step."""
    y, of_k, of_l = scratch.y, scratch.k, scratch.l
    gather(joint, q, y[1])
    for side in range(2):
        x, first = accepted.x[joint.nodes[side]], 4 * side
        rotations = of_k if side == 0 else of_l
        for i in range(3):
            for j in range(3):
                rotations[2, i, j] = y[1, first + 1 + j, i]
        rotations_of_step(x, rotations[2], scratch.rows, rotations)
        w0, w1, w2 = x[3] + x[9], x[4] + x[10], x[5] + x[11]
        for i in range(3):
            f0, f1, f2 = rotations[2, i, 0], rotations[2, i, 1], rotations[2, i, 2]
            y[0, first, i] = y[1, first, i] - x[i]
            y[2, first, i] = x[i] + x[6 + i]
            for j in range(3):
                y[0, first + 1 + j, i] = rotations[0, i, j]
            y[2, first + 1, i] = f1 * w2 - f2 * w1
            y[2, first + 2, i] = f2 * w0 - f0 * w2
            y[2, first + 3, i] = f0 * w1 - f1 * w0


@kernel
def _forces_on_l(joint, first, accepted, scratch):
    """Fill ``rows`` of a `_Means`: generalised forces of the joint on L over the accepted step, times dt^2."""
    force, parts, rows = scratch.force, scratch.parts, scratch.rows
    force[:] = 0.0
    rows[:] = 0.0
    for k in range(joint.forms):
        w, row = _weights(joint, k), first + joint.row[k]
        l_g, l_d = accepted.multipliers[row, 0], accepted.multipliers[row, 1]
        s_g, s_d = w[0] * l_g + w[1] * l_d, w[2] * l_g + w[3] * l_d
        form_parts(joint, k, scratch.y[0], scratch.y[1], scratch.y[2], parts)
        for m in range(joint["vectors"][k]):
            a = joint["vector"][k, m]
            if a < 4:
                continue  # on K
            for i in range(3):
                force[0, a - 4, i] -= parts[0, a, i] * s_g + parts[1, a, i] * s_d
                force[1, a - 4, i] -= parts[2, a, i] * s_g + parts[3, a, i] * s_d
    pull_back(accepted.x[joint.nodes[1]], scratch.l[0], scratch.l[2], force[0], force[1], rows)


@kernel(void(record(CONSTRAINT)[::1], indices, array3, array3, Accepted, matrix, matrix))
def mean_reactions(joints, first_row, offsets, q, accepted, at_end, out):
    """Fill out (n, 18): force and moment on L at its point, means of the step, in global axes, in K's and in L's.

    Means of the components in the axes as they turn in the step. q (nodes, 4, 3) is the configuration at its end,
    at_end (n, 6) the reactions there, which stand for the means before the first step; offsets (n, 2, 3).
    """
    dt = accepted.clock[2]
    scratch = _Means(
        np.empty((3, 8, 3)), np.empty((5, 8, 3)), np.empty((2, 4, 3)), np.empty(12), np.empty((3, 3, 3)),
        np.empty((3, 3, 3)), np.empty(6),
    )  # fmt: skip
    for n in range(joints.shape[0]):
        joint, wrench, of_k, of_l = joints[n], scratch.wrench, scratch.k, scratch.l
        out[n, :] = 0.0
        _start_and_end(joint, q, accepted, scratch)
        _forces_on_l(joint, first_row[n], accepted, scratch)
        for s in range(INSTANTS):
            scale = WEIGHTS[s]
            if dt > 0.0:
                scale /= dt**2
                wrench_at(scratch.rows, offsets[n, 1], of_l[s], s, wrench)
            else:
                for i in range(6):
                    wrench[i] = at_end[n, i]
            for i in range(6):
                first, axis = 3 * (i // 3), i % 3
                out[n, i] += scale * wrench[i]
                for j in range(3):
                    out[n, 6 + i] += scale * of_k[s, j, axis] * wrench[first + j]
                    out[n, 12 + i] += scale * of_l[s, j, axis] * wrench[first + j]


DRIVE = np.dtype(
    [
        ("joint", "i8"),
        ("row", "i8"),
        # form that is weighted with the sine of the given angle, the next one with the cosine; -1 for a given value
        ("first", "i8"),
    ],
    align=True,
)


@kernel(void(record(CONSTRAINT)[::1], record(DRIVE)[::1], array3, float64))
def set_drives(joints, drives, values, dt):
    """Write the weights or values of drives (n,) in this step, and their rates, to the records of their joints.

    joints : records of dtype `constraint_kernels.CONSTRAINT`
    values : (3, n, 3) `StepFunctions.values`, each a number three times
    """
    for d in range(drives.shape[0]):
        joint, row, first = joints[drives[d].joint], drives[d].row, drives[d].first
        start, end, rate = values[0, d, 0], values[1, d, 0], values[2, d, 0]
        if first < 0:
            joint.f_i[row], joint.f_f[row], joint.f_p[row] = start, end, dt * rate
        else:
            joint.g_i[first], joint.g_i[first + 1] = np.sin(start), np.cos(start)
            joint.g_f[first], joint.g_f[first + 1] = np.sin(end), np.cos(end)
            joint.g_p[first], joint.g_p[first + 1] = dt * rate * np.cos(end), -dt * rate * np.sin(end)
