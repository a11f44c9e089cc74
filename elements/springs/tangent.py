"""Compiled tangent of springs: complex step for the few components of the strain, chained with the maps of the nodes.

As for beams, geometric terms use the linearly extrapolated stresses, material terms the derivative at the iterate
(docs/theory.md, section 6): a stiff spring needs it to converge from the predictor.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.compiled import kernel
from fem_mbd.elements.springs.kernels import MAX_FORMS, STEP, _add, _force, _forms, _stress
from fem_mbd.scheme.constraint_kernels import gather, row_derivative
from fem_mbd.scheme.forms import pull_back_form
from fem_mbd.scheme.node_map import pull_back


@kernel
def _local(spring, dt, u_f, u_p, s, jacobian):
    """Fill stresses on the forms s (2, 3), of extrapolated s_g and s_d, and the jacobian (2, 3, 2, 3) by (u_f, u_p)."""
    x, grad = np.empty((2, 3), np.complex128), np.empty(3, np.complex128)
    work, out = np.empty((4, 3), np.complex128), np.empty((2, 3), np.complex128)
    for k in range(spring.forms):
        x[0, k], x[1, k] = u_f[k], u_p[k]
    for c in range(2):
        for l in range(spring.forms):
            x[c, l] += 1j * STEP
            f_f, _, s_g, s_d = _stress(spring, dt, x[0], x[1], grad)
            s_g, s_d = spring.lin_g + 1j * s_g.imag, spring.lin_d + 1j * s_d.imag
            _force(spring, x[0], x[1], f_f, grad, s_g, s_d, dt * dt, work, out)
            x[c, l] = x[c, l].real
            for r in range(2):
                for k in range(spring.forms):
                    jacobian[r, k, c, l] = out[r, k].imag / STEP
                    s[r, k] = out[r, k].real


@kernel
def _maps(spring, parts, w_m, w_f, d_q, d_p, tested, moving):
    """Fill tested (2, 3, 24), rows of unit stresses (s_g', s_d') on forms, and moving (2, 3, 24), d(u_f, u_p)/dx."""
    f_m, f_f, grad, zero = np.empty((4, 3)), np.empty((4, 3)), np.empty((8, 3)), np.zeros((8, 3))
    tested[:] = 0.0
    moving[:] = 0.0
    for k in range(spring.forms):
        for a in range(8):
            for i in range(3):
                grad[a, i] = 3 * parts[k, 3, a, i]
        for side in range(2):
            node, first = spring.nodes[side], 4 * side
            own = slice(12 * side, 12 * side + 12)
            for c in range(2):
                for a in range(4):
                    for i in range(3):
                        f_m[a, i] = parts[k, c, first + a, i]
                        f_f[a, i] = parts[k, 2 + c, first + a, i]
                pull_back(w_m[node], w_f[node], f_m, f_f, tested[c, k, own])
            row_derivative(grad, zero, d_q[node], d_p[node], side, moving[0, k, own])
            row_derivative(parts[k, 4], grad, d_q[node], d_p[node], side, moving[1, k, own])


@kernel
def _chain(forms, tested, jacobian, moving, k_loc):
    """Fill k_loc (24, 24) with tested^T jacobian moving."""
    row = np.empty(24)
    k_loc[:] = 0.0
    for r in range(2):
        for k in range(forms):
            row[:] = 0.0
            for c in range(2):
                for l in range(forms):
                    for j in range(24):
                        row[j] += jacobian[r, k, c, l] * moving[c, l, j]
            for i in range(24):
                for j in range(24):
                    k_loc[i, j] += tested[r, k, i] * row[j]


@kernel
def _add_geometric(spring, s, w_m, w_f, d_q, d_p, k_loc):
    """Add what comes of the forms' own curvature under the stresses s (2, 3) on them."""
    h_g, h_d, t_m, t_f = np.zeros((8, 8)), np.zeros((8, 8)), np.empty((3, 12)), np.empty((3, 12))
    for k in range(spring.forms):
        for a in range(8):
            for b in range(8):
                h_g[a, b] += s[0, k] * spring["h"][k, a, b]
                h_d[a, b] += s[1, k] * spring["h"][k, a, b]
    for row in range(2):
        for col in range(2):
            i, j = spring.nodes[row], spring.nodes[col]
            pull_back_form(
                h_g[4 * row : 4 * row + 4, 4 * col : 4 * col + 4],
                h_d[4 * row : 4 * row + 4, 4 * col : 4 * col + 4],
                w_m[i], w_f[i], d_q[j], d_p[j], k_loc, 12 * row, 12 * col, t_m, t_f,
            )  # fmt: skip


@kernel
def tangent(springs, dt, q_i, q_f, p, w_m, w_f, d_q, d_p, lin_m, lin_f, slots, data):
    """Add every spring's tangent to the matrix values, and its ambient forces to lin_m, lin_f.

    springs (n,) records; q_i, q_f, p, lin_m, lin_f (nodes, 4, 3); w_m, w_f, d_q, d_p (nodes, 3, 3, 6); slots
    (n, 24, 24) places in data.
    """
    y_i, y_f, y_p, work = np.empty((8, 3)), np.empty((8, 3)), np.empty((8, 3)), np.empty((2, 8, 3))
    parts, u_f, u_p = np.empty((MAX_FORMS, 5, 8, 3)), np.empty(MAX_FORMS), np.empty(MAX_FORMS)
    s, jacobian = np.empty((2, 3)), np.empty((2, 3, 2, 3))
    tested, moving, k_loc = np.empty((2, 3, 24)), np.empty((2, 3, 24)), np.empty((24, 24))
    for n in range(springs.shape[0]):
        spring = springs[n]
        gather(spring, q_i, y_i)
        gather(spring, q_f, y_f)
        gather(spring, p, y_p)
        _forms(spring, y_i, y_f, y_p, work, parts, u_f, u_p)
        _local(spring, dt, u_f, u_p, s, jacobian)
        _maps(spring, parts, w_m, w_f, d_q, d_p, tested, moving)
        _chain(spring.forms, tested, jacobian, moving, k_loc)
        _add_geometric(spring, s, w_m, w_f, d_q, d_p, k_loc)
        _add(spring, parts, s, lin_m, lin_f)
        for i in range(24):
            for j in range(24):
                data[slots[n, i, j]] += k_loc[i, j]
