"""Compiled tangent of springs: complex step for the few components of the strain, chained with the maps of the nodes.

As for beams, geometric terms use the linearly extrapolated stresses, material terms the derivative at the iterate
(docs/theory.md, section 6): a stiff spring needs it to converge from the predictor.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.compiled import kernel
from fem_mbd.elements.springs.kernels import MAX_FORMS, STEP, _force, _stress, find_forms
from fem_mbd.scheme.constraint_kernels import add_to_values
from fem_mbd.scheme.form_kernels import add_forces, add_moved, add_pulled, form_parts, gather
from fem_mbd.scheme.forms import pull_back_form


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
def _maps(spring, k, parts, w_m, w_f, d_q, d_p, tested, moving):
    """Add form k to tested (2, 3, 24), rows of unit stresses (s_g', s_d'), and moving (2, 3, 24), d(u_f, u_p)/dx.

    parts (5, 8, 3) as of `form_parts`.
    """
    for m in range(spring["vectors"][k]):
        a = spring["vector"][k, m]
        node, v, first = spring.nodes[a // 4], a % 4, 12 * (a // 4)
        own = slice(first, first + 12)
        for i in range(3):
            for c in range(2):
                add_pulled(parts[c, a, i], parts[2 + c, a, i], w_m[node], w_f[node], v, i, tested[c, k, own])
            gradient = 3 * parts[3, a, i]
            add_moved(gradient, 0.0, d_q[node], d_p[node], v, i, moving[0, k, own])
            add_moved(parts[4, a, i], gradient, d_q[node], d_p[node], v, i, moving[1, k, own])


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
        for m in range(spring["vectors"][k]):
            a = spring["vector"][k, m]
            for c in range(spring["partners"][k, m]):
                b = spring["partner"][k, m, c]
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
    y_i, y_f, y_p = np.empty((8, 3)), np.empty((8, 3)), np.empty((8, 3))
    parts, u_f, u_p = np.empty((5, 8, 3)), np.empty(MAX_FORMS), np.empty(MAX_FORMS)
    s, jacobian = np.empty((2, 3)), np.empty((2, 3, 2, 3))
    tested, moving, k_loc = np.empty((2, 3, 24)), np.empty((2, 3, 24)), np.empty((24, 24))
    for n in range(springs.shape[0]):
        spring = springs[n]
        gather(spring, q_i, y_i)
        gather(spring, q_f, y_f)
        gather(spring, p, y_p)
        find_forms(spring, y_f, y_p, u_f, u_p)
        _local(spring, dt, u_f, u_p, s, jacobian)
        tested[:] = 0.0
        moving[:] = 0.0
        for k in range(spring.forms):
            form_parts(spring, k, y_i, y_f, y_p, parts)
            _maps(spring, k, parts, w_m, w_f, d_q, d_p, tested, moving)
            add_forces(spring, k, y_i, y_f, y_p, s[0, k], s[1, k], lin_m, lin_f)
        _chain(spring.forms, tested, jacobian, moving, k_loc)
        _add_geometric(spring, s, w_m, w_f, d_q, d_p, k_loc)
        add_to_values(k_loc, slots[n], data)
