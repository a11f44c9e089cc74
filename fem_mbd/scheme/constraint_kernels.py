"""Compiled constraints made of quadratic forms, at position and velocity level.

Constraint r of a joint is  sum_k g_k(t) psi_k(y) - f_r(t) = 0  with forms psi_k and given functions of time g_k, f_r
(g = 1, f = 0 for an ideal joint at rest). Each brings two multipliers, mean lambda_g and jump dlambda, and two
equations, its value at t_f and dt times its rate there. The products g psi go through the discrete-derivative rule
twice, once for the product and once for psi, which keeps the work of the driver exact.
Source: docs/theory.md, sections 2 (composition) and 7.

A joint's local unknowns are the 12 of K, the 12 of L and its multipliers. Multipliers are those times dt^2.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.compiled import kernel
from fem_mbd.scheme.discrete_rule import Q_f, Q_m, composed
from fem_mbd.scheme.forms import pull_back_form
from fem_mbd.scheme.node_map import pull_back

MAX_FORMS = 7  # a driven revolute: five of the revolute joint, two for the angle
MAX_ROWS = 6

CONSTRAINT = np.dtype(
    [
        ("nodes", "i8", (2,)),
        ("forms", "i8"),
        ("rows", "i8"),
        ("driven", "i8"),
        ("row", "i8", (MAX_FORMS,)),  # constraint each form belongs to
        ("h", "f8", (MAX_FORMS, 8, 8)),
        ("l", "f8", (MAX_FORMS, 8, 3)),
        ("constant", "f8", (MAX_FORMS,)),
        ("g_i", "f8", (MAX_FORMS,)),  # weight at t_i, t_f and dt times its rate at t_f
        ("g_f", "f8", (MAX_FORMS,)),
        ("g_p", "f8", (MAX_FORMS,)),
        ("f_i", "f8", (MAX_ROWS,)),  # likewise the given value
        ("f_f", "f8", (MAX_ROWS,)),
        ("f_p", "f8", (MAX_ROWS,)),
    ],
    align=True,
)


@kernel
def gather(joint, q, y):
    """y (8, 3) = the ambient vectors of the joint's two nodes."""
    for side in range(2):
        for a in range(4):
            for i in range(3):
                y[4 * side + a, i] = q[joint.nodes[side], a, i]


@kernel
def _apply(h, y, out):
    """out (8, 3) = h y."""
    for a in range(8):
        out[a, 0] = out[a, 1] = out[a, 2] = 0.0
        for b in range(8):
            c = h[a, b]
            if c != 0.0:
                out[a, 0] += c * y[b, 0]
                out[a, 1] += c * y[b, 1]
                out[a, 2] += c * y[b, 2]


@kernel
def _weights(joint, k, out):
    """out (4,): s_g and s_d on form k are out[0] L_g + out[1] L_d and out[2] L_g + out[3] L_d (composed with g_k)."""
    g_mean, change = 0.5 * (joint.g_i[k] + joint.g_f[k]), joint.g_f[k] - joint.g_i[k]
    for c in range(2):
        l_g, l_d = 1.0 - c, 1.0 * c
        on_m, on_f = Q_m(g_mean, joint.g_p[k], l_g, l_d), Q_f(joint.g_f[k], change, l_g, l_d)
        out[c], out[2 + c] = composed(on_m, on_f)


@kernel
def form_parts(joint, k, y_i, y_f, y_p, work, parts):
    """parts (5, 8, 3): dQ_m/ds_g, dQ_m/ds_d, dQ_f/ds_g, dQ_f/ds_d of form k, and h p; work (2, 8, 3) scratch."""
    h, l = joint["h"][k], joint["l"][k]
    _apply(h, y_i, work[0])
    _apply(h, y_f, work[1])
    _apply(h, y_p, parts[4])
    for a in range(8):
        for i in range(3):
            start, end, rate = work[0, a, i], work[1, a, i], parts[4, a, i]
            b_mean, b_f = 0.5 * (start + end) + l[a, i], end + l[a, i]
            parts[0, a, i] = Q_m(b_mean, rate, 1.0, 0.0)
            parts[1, a, i] = Q_m(b_mean, rate, 0.0, 1.0)
            parts[2, a, i] = Q_f(b_f, end - start, 1.0, 0.0)
            parts[3, a, i] = Q_f(b_f, end - start, 0.0, 1.0)


@kernel
def value_and_rate(joint, k, y, p, b3, out):
    """out = (psi, dt psi') at t_f; b3 (8, 3) is a third of the gradient there."""
    s, r = joint.constant[k], 0.0
    for a in range(8):
        for i in range(3):
            grad = 3 * b3[a, i]
            s += 0.5 * (grad + joint["l"][k, a, i]) * y[a, i]
            r += grad * p[a, i]
    out[0] = s
    out[1] = r


@kernel
def residual(joints, first_row, q_i, q_f, p, multipliers, force_m, force_f, constraints):
    """Add the constraint forces (times dt^2) and set the constraint residuals (m, 2)."""
    y_i, y_f, y_p = np.empty((8, 3)), np.empty((8, 3)), np.empty((8, 3))
    work, parts, w, psi = np.empty((2, 8, 3)), np.empty((5, 8, 3)), np.empty(4), np.empty(2)
    for n in range(joints.shape[0]):
        joint = joints[n]
        gather(joint, q_i, y_i)
        gather(joint, q_f, y_f)
        gather(joint, p, y_p)
        for r in range(joint.rows):
            constraints[first_row[n] + r, 0] = -joint.f_f[r]
            constraints[first_row[n] + r, 1] = -joint.f_p[r]
        for k in range(joint.forms):
            row = first_row[n] + joint.row[k]
            form_parts(joint, k, y_i, y_f, y_p, work, parts)
            _weights(joint, k, w)
            value_and_rate(joint, k, y_f, y_p, parts[3], psi)
            constraints[row, 0] += joint.g_f[k] * psi[0]
            constraints[row, 1] += joint.g_f[k] * psi[1] + joint.g_p[k] * psi[0]
            s_g = w[0] * multipliers[row, 0] + w[1] * multipliers[row, 1]
            s_d = w[2] * multipliers[row, 0] + w[3] * multipliers[row, 1]
            for side in range(2):
                for a in range(4):
                    for i in range(3):
                        v = 4 * side + a
                        force_m[joint.nodes[side], a, i] += parts[0, v, i] * s_g + parts[1, v, i] * s_d
                        force_f[joint.nodes[side], a, i] += parts[2, v, i] * s_g + parts[3, v, i] * s_d


@kernel
def row_derivative(grad_q, grad_p, d_q, d_p, side, out):
    """out (12,) += grad_q . dq_f + grad_p . dp for one node; grad_q, grad_p (8, 3)."""
    o = 4 * side
    for i in range(3):
        out[i] += grad_q[o, i] + grad_p[o, i]
        out[6 + i] += grad_p[o, i]
        for a in range(3):
            gq, gp = grad_q[o + 1 + a, i], grad_p[o + 1 + a, i]
            for j in range(3):
                out[3 + j] += gq * d_q[a, i, j] + gp * d_p[a, i, j]
                out[9 + j] += gq * d_q[a, i, 3 + j] + gp * d_p[a, i, 3 + j]


@kernel
def _multiplier_columns(parts, w, first, w_m, w_f, f_m, f_f, column, k_loc, row, at):
    """Add to k_loc[row:row+12, at:at+2] what one node's equations get by a form's mean and jump of multiplier.

    parts (5, 8, 3) and w (4,) of the form, first 0 or 4: the node's vectors in it; w_m, w_f (3, 3, 6) of the node;
    f_m, f_f (4, 3) and column (12,) are scratch.
    """
    for c in range(2):
        for a in range(4):
            for i in range(3):
                f_m[a, i] = parts[0, first + a, i] * w[c] + parts[1, first + a, i] * w[2 + c]
                f_f[a, i] = parts[2, first + a, i] * w[c] + parts[3, first + a, i] * w[2 + c]
        column[:] = 0.0
        pull_back(w_m, w_f, f_m, f_f, column)
        for i in range(12):
            k_loc[row + i, at + c] += column[i]


@kernel
def tangent(joints, first_row, q_i, q_f, p, multipliers, w_m, w_f, d_q, d_p, lin_m, lin_f, slots, data):
    """Add every joint's tangent to the matrix values, and its ambient forces to lin_m, lin_f.

    joints (n,) records, first_row (n,); q_i, q_f, p, lin_m, lin_f (nodes, 4, 3); multipliers (m, 2); w_m, w_f, d_q, d_p
    (nodes, 3, 3, 6); slots (n, L, L) places in data.
    """
    y_i, y_f, y_p = np.empty((8, 3)), np.empty((8, 3)), np.empty((8, 3))
    work, parts, w = np.empty((2, 8, 3)), np.empty((5, 8, 3)), np.empty(4)
    grad_v, grad_q, grad_p = np.empty((8, 3)), np.empty((8, 3)), np.empty((8, 3))
    zero = np.zeros((8, 3))
    f_m, f_f, column = np.empty((4, 3)), np.empty((4, 3)), np.empty(12)
    h_g, h_d, k_loc = np.empty((8, 8)), np.empty((8, 8)), np.empty((24 + 2 * MAX_ROWS, 24 + 2 * MAX_ROWS))
    t_m, t_f = np.empty((3, 12)), np.empty((3, 12))
    for n in range(joints.shape[0]):
        joint = joints[n]
        gather(joint, q_i, y_i)
        gather(joint, q_f, y_f)
        gather(joint, p, y_p)
        h_g[:] = 0.0
        h_d[:] = 0.0
        k_loc[:] = 0.0
        for k in range(joint.forms):
            row = first_row[n] + joint.row[k]
            form_parts(joint, k, y_i, y_f, y_p, work, parts)
            _weights(joint, k, w)
            s_g = w[0] * multipliers[row, 0] + w[1] * multipliers[row, 1]
            s_d = w[2] * multipliers[row, 0] + w[3] * multipliers[row, 1]
            for a in range(8):
                for b in range(8):
                    h_g[a, b] += s_g * joint["h"][k, a, b]
                    h_d[a, b] += s_d * joint["h"][k, a, b]
                for i in range(3):
                    b_f = 3 * parts[3, a, i]
                    grad_v[a, i] = joint.g_f[k] * b_f
                    grad_q[a, i] = joint.g_f[k] * parts[4, a, i] + joint.g_p[k] * b_f
                    grad_p[a, i] = joint.g_f[k] * b_f
            at = 24 + 2 * joint.row[k]
            for side in range(2):
                node, o = joint.nodes[side], 4 * side
                for a in range(4):
                    for i in range(3):
                        lin_m[node, a, i] += parts[0, o + a, i] * s_g + parts[1, o + a, i] * s_d
                        lin_f[node, a, i] += parts[2, o + a, i] * s_g + parts[3, o + a, i] * s_d
                row_derivative(
                    grad_v, zero, d_q[node], d_p[node], side, k_loc[at, 12 * side : 12 * side + 12]
                )
                row_derivative(
                    grad_q, grad_p, d_q[node], d_p[node], side, k_loc[at + 1, 12 * side : 12 * side + 12]
                )
                _multiplier_columns(parts, w, o, w_m[node], w_f[node], f_m, f_f, column, k_loc, 12 * side, at)
        for s in range(2):
            for t in range(2):
                i, j = joint.nodes[s], joint.nodes[t]
                pull_back_form(
                    h_g[4 * s : 4 * s + 4, 4 * t : 4 * t + 4],
                    h_d[4 * s : 4 * s + 4, 4 * t : 4 * t + 4],
                    w_m[i], w_f[i], d_q[j], d_p[j], k_loc, 12 * s, 12 * t, t_m, t_f,
                )  # fmt: skip
        _add(k_loc, slots[n], data)


@kernel
def _add(k_loc, slots, data):
    """Add the local matrix to the entries of data at ``slots`` (L, L)."""
    for i in range(slots.shape[0]):
        for j in range(slots.shape[1]):
            data[slots[i, j]] += k_loc[i, j]


@kernel
def driver_work(joints, first_row, q_i, q_f, p, multipliers, dt, out):
    """Add the work that the given functions of time do on the system over the step to out (1,), J.

    joints (n,) records, first_row (n,); q_i, q_f, p (nodes, 4, 3); multipliers (m, 2).
    """
    y_i, y_f, y_p = np.empty((8, 3)), np.empty((8, 3)), np.empty((8, 3))
    grad, psi = np.empty((8, 3)), np.empty(2)
    total = 0.0
    for n in range(joints.shape[0]):
        joint = joints[n]
        if joint.driven == 0:
            continue
        gather(joint, q_i, y_i)
        gather(joint, q_f, y_f)
        gather(joint, p, y_p)
        for k in range(joint.forms):
            l_g, l_d = (
                multipliers[first_row[n] + joint.row[k], 0],
                multipliers[first_row[n] + joint.row[k], 1],
            )
            for a in range(8):
                for i in range(3):
                    grad[a, i] = joint["l"][k, a, i] / 3
                    for b in range(8):
                        grad[a, i] += joint["h"][k, a, b] * y_i[b, i] / 3
            value_and_rate(joint, k, y_i, y_p, grad, psi)
            start = psi[0]
            for a in range(8):
                for i in range(3):
                    grad[a, i] = joint["l"][k, a, i] / 3
                    for b in range(8):
                        grad[a, i] += joint["h"][k, a, b] * y_f[b, i] / 3
            value_and_rate(joint, k, y_f, y_p, grad, psi)
            total += Q_m(0.5 * (start + psi[0]), psi[1], l_g, l_d) * (joint.g_f[k] - joint.g_i[k])
            total += Q_f(psi[0], psi[0] - start, l_g, l_d) * joint.g_p[k]
        for r in range(joint.rows):
            l_g, l_d = multipliers[first_row[n] + r, 0], multipliers[first_row[n] + r, 1]
            total -= (
                Q_m(1.0, 0.0, l_g, l_d) * (joint.f_f[r] - joint.f_i[r])
                + Q_f(1.0, 0.0, l_g, l_d) * joint.f_p[r]
            )
    out[0] += total / dt**2


@kernel
def reactions(joints, first_row, offsets, q, lam, out):
    """out (n, 18): force and moment on L at its point at the end of a step, in global axes, in K's and in L's.

    q (nodes, 4, 3) is the configuration there, lam (m,) the multipliers (lambda_g + dlambda); offsets (n, 2, 3).
    """
    y, grad = np.empty((8, 3)), np.empty((8, 3))
    for n in range(joints.shape[0]):
        joint = joints[n]
        out[n, :] = 0.0
        gather(joint, q, y)
        for k in range(joint.forms):
            s = -joint.g_f[k] * lam[first_row[n] + joint.row[k]]
            _apply(joint["h"][k], y, grad)
            for i in range(3):
                out[n, i] += s * (grad[4, i] + joint["l"][k, 4, i])
                for a in range(5, 8):
                    f1 = grad[a, (i + 1) % 3] + joint["l"][k, a, (i + 1) % 3]
                    f2 = grad[a, (i + 2) % 3] + joint["l"][k, a, (i + 2) % 3]
                    out[n, 3 + i] += s * (y[a, (i + 1) % 3] * f2 - y[a, (i + 2) % 3] * f1)
        arm = offsets[n, 1, 0] * y[5] + offsets[n, 1, 1] * y[6] + offsets[n, 1, 2] * y[7]
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            out[n, 3 + i] -= arm[j] * out[n, k] - arm[k] * out[n, j]
        for i in range(3):
            for j in range(3):
                out[n, 6 + i] += y[1 + i, j] * out[n, j]
                out[n, 9 + i] += y[1 + i, j] * out[n, 3 + j]
                out[n, 12 + i] += y[5 + i, j] * out[n, j]
                out[n, 15 + i] += y[5 + i, j] * out[n, 3 + j]
