"""Compiled tangent of springs: complex step for the few components of the strain, chained with the maps of the nodes.

As for beams, geometric terms use the linearly extrapolated stresses, material terms the derivative at the iterate
(docs/theory.md, section 6): a stiff spring needs it to converge from the predictor.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.compiled import bare_kernel, kernel
from fem_mbd.elements.springs.kernels import MAX_FORMS, STEP, _force, _stress, find_forms
from fem_mbd.scheme.constraint_kernels import add_to_values
from fem_mbd.scheme.form_kernels import add_forces, add_moved, add_pulled, form_parts, gather
from fem_mbd.scheme.forms import pull_back_form


@bare_kernel
def _local(spring, dt, u_f, u_p, v, s, jacobian):
    """Fill stresses on the forms s (2, 3), of extrapolated s_g and s_d, and the jacobian (2, 3, 2, 3) by (u_f, u_p).

    v (9, 3) is complex scratch.
    """
    x, grad, work, out = v[:2], v[2], v[3:7], v[7:]
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


@bare_kernel
def _maps(spring, k, parts, w_m, w_f, d_q, d_p, tested, moving):
    """Add form k to tested (2, 3, 24), rows of unit stresses (s_g', s_d'), and moving (2, 3, 24), d(u_f, u_p)/dx.

    parts (5, 8, 3) as of `form_parts`.
    """
    for m in range(spring["vectors"][k]):
        a = spring["vector"][k, m]
        node, v, first = spring.nodes[a >> 2], a & 3, 12 * (a >> 2)
        own = slice(first, first + 12)
        for i in range(3):
            for c in range(2):
                add_pulled(parts[c, a, i], parts[2 + c, a, i], w_m[node], w_f[node], v, i, tested[c, k, own])
            gradient = 3 * parts[3, a, i]
            add_moved(gradient, 0.0, d_q[node], d_p[node], v, i, moving[0, k, own])
            add_moved(parts[4, a, i], gradient, d_q[node], d_p[node], v, i, moving[1, k, own])


@bare_kernel
def _chain(forms, tested, jacobian, moving, row, k_loc):
    """Fill k_loc (24, 24) with tested^T jacobian moving; row (24,) scratch."""
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


@bare_kernel
def _add_geometric(spring, s, w_m, w_f, d_q, d_p, h, thin, k_loc):
    """Add what comes of the forms' own curvature under the stresses s (2, 3); h (2, 8, 8), thin (2, 3, 12) scratch."""
    h_g, h_d = h[0], h[1]
    h[:] = 0.0
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
                w_m[i], w_f[i], d_q[j], d_p[j], k_loc, 12 * row, 12 * col, thin[0], thin[1],
            )  # fmt: skip


@bare_kernel
def _add_spring(
    spring, dt, q_i, q_f, p, w_m, w_f, d_q, d_p, lin_m, lin_f, slots, data, y, parts, v, complex_v, jacobian, lines,
    h, thin, k_loc
):  # fmt: skip
    """`tangent` of one spring; y (3, 8, 3) and all behind it are scratch."""
    u_f, u_p, s, tested, moving = v[0], v[1], v[2:], lines[0], lines[1]
    gather(spring, q_i, y[0])
    gather(spring, q_f, y[1])
    gather(spring, p, y[2])
    find_forms(spring, y[1], y[2], u_f, u_p)
    _local(spring, dt, u_f, u_p, complex_v, s, jacobian)
    lines[:] = 0.0
    for k in range(spring.forms):
        form_parts(spring, k, y[0], y[1], y[2], parts)
        _maps(spring, k, parts, w_m, w_f, d_q, d_p, tested, moving)
        add_forces(spring, k, y[0], y[1], y[2], s[0, k], s[1, k], lin_m, lin_f)
    _chain(spring.forms, tested, jacobian, moving, lines[2, 0, 0], k_loc)
    _add_geometric(spring, s, w_m, w_f, d_q, d_p, h, thin, k_loc)
    add_to_values(k_loc, slots, data)


@kernel
def tangent(springs, dt, q_i, q_f, p, w_m, w_f, d_q, d_p, lin_m, lin_f, slots, data):
    """Add every spring's tangent to the matrix values, and its ambient forces to lin_m, lin_f.

    springs (n,) records; q_i, q_f, p, lin_m, lin_f (nodes, 4, 3); w_m, w_f, d_q, d_p (nodes, 3, 3, 6); slots
    (n, 24, 24) places in data.
    """
    y, parts, v, jacobian = np.empty((3, 8, 3)), np.empty((5, 8, 3)), np.empty((4, 3)), np.empty((2, 3, 2, 3))
    lines, complex_v, h = (
        np.empty((3, 2, MAX_FORMS, 24)),
        np.empty((9, 3), np.complex128),
        np.empty((2, 8, 8)),
    )
    thin, k_loc = np.empty((2, 3, 12)), np.empty((24, 24))
    for n in range(springs.shape[0]):
        _add_spring(
            springs[n], dt, q_i, q_f, p, w_m, w_f, d_q, d_p, lin_m, lin_f, slots[n], data, y, parts, v, complex_v,
            jacobian, lines, h, thin, k_loc,
        )  # fmt: skip
