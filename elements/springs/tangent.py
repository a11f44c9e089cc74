"""Tangent stiffness of springs and dampers (compiled).

As for beams, geometric terms use the linearly extrapolated stresses, material terms the derivative at the iterate
(theory.md, section 6): a stiff spring needs it to converge from the predictor. With A, F the factors of s_g and
s_d in Q_m and Q_f (`kernels`), the change of the forces with (u_f, u_p), by complex steps, is

    A_g ds_g + A_d ds_d + (s_g - s_d/3) dG - s_g/6 d(S u_p)        F_g ds_g + F_d ds_d + s_d/3 dgrad f + s_g/6 d(S Du).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import float64, record, slots, vector, void
from fem_mbd.core.compiled.vectors import dot, transposed_product
from fem_mbd.core.model.workspace import Forces, Maps, Motion, Rotations
from fem_mbd.core.scheme.constraints.constraint_kernels import add_to_values
from fem_mbd.core.scheme.constraints.forms import add_mapped, form_parts, gather, pair_tangent
from fem_mbd.elements.springs.kernels import ANGLE, FORMS, SPRING, components, forces, push, strain, stress

H = 1e-40  # of the complex step


class Scratch(NamedTuple):
    """Work arrays for the tangent of a spring."""

    y: Any  # (3, 8, 3) vectors of its nodes
    parts: Any  # (5, 8, 3) of `form_parts`
    moved: Any  # (2, 3) complex, u_f and u_p
    by_u: Any  # (2, 3, 2, 3) derivatives of Q_m and Q_f by u_f and u_p
    lines: Any  # (2, 6, 24) maps conjugate to Q_m and Q_f, and d(u_f, u_p)/dx
    h: Any  # (2, 8, 8) forms of an angle times the stresses on them


@kernel
def force_change(spring, dt, u_f, u_p, moved, out):
    """Fill out (2, 3, 2, 3), derivatives of Q_m and Q_f by u_f and u_p, by complex steps; moved (2, 3) scratch."""
    for i in range(3):
        moved[0, i], moved[1, i] = u_f[i], u_p[i]
    for k in range(2):
        for j in range(3):
            moved[k, j] += 1j * H
            f_f, g = strain(spring.kind, moved[0], spring.near)
            s_g, s_d = stress(spring, dt, f_f, dot(g, moved[1]))
            # forces are linear in the stresses: geometric terms with the extrapolated ones, material terms
            lin_g, lin_d = spring.lin_g + 1j * s_g.imag, spring.lin_d + 1j * s_d.imag
            on_m, on_f = forces(spring, moved[0], moved[1], f_f, g, lin_g, lin_d)
            moved[k, j] = moved[k, j].real
            for i in range(3):
                out[0, i, k, j], out[1, i, k, j] = on_m[i].imag / H, on_f[i].imag / H


@kernel
def _maps_of_points(spring, maps, test_rows, trial_rows):
    """Fill test_rows (6, 24), maps conjugate to Q_m and Q_f, and trial_rows (6, 24), d(u_f, u_p)/dx, of a length."""
    w_m, w_f, d_q, d_p = maps
    for side in range(2):
        n, first, sign = spring.nodes[side], 12 * side, 2.0 * side - 1.0
        a1, a2, a3 = spring["arm"][side, 0], spring["arm"][side, 1], spring["arm"][side, 2]
        for i in range(3):
            for line in (test_rows[i], test_rows[3 + i], trial_rows[i], trial_rows[3 + i]):
                line[first + i] = sign
            test_rows[3 + i, first + 6 + i] = trial_rows[3 + i, first + 6 + i] = sign
            for j in range(6):
                at = first + 3 + j if j < 3 else first + 6 + j
                test_rows[i, at] = sign * (a1 * w_m[n, 0, i, j] + a2 * w_m[n, 1, i, j] + a3 * w_m[n, 2, i, j])
                test_rows[3 + i, at] = sign * (
                    a1 * w_f[n, 0, i, j] + a2 * w_f[n, 1, i, j] + a3 * w_f[n, 2, i, j]
                )
                trial_rows[i, at] = sign * (
                    a1 * d_q[n, 0, i, j] + a2 * d_q[n, 1, i, j] + a3 * d_q[n, 2, i, j]
                )
                trial_rows[3 + i, at] = sign * (
                    a1 * d_p[n, 0, i, j] + a2 * d_p[n, 1, i, j] + a3 * d_p[n, 2, i, j]
                )


@kernel
def maps_of_form(spring, k, count, parts, maps, test_rows, trial_rows):
    """Add form k of ``count`` to test_rows and trial_rows (2 count, 24), as in `_maps_of_points`.

    parts (5, 8, 3) as in `form_parts`.
    """
    w_m, w_f, d_q, d_p = maps
    for m in range(spring["vectors"][k]):
        a = spring["vector"][k, m]
        n, v, node_columns = spring.nodes[a >> 2], a & 3, slice(12 * (a >> 2), 12 * (a >> 2) + 12)
        for i in range(3):
            # composed: s_g' = Q_m + Q_f, s_d' = 3 Q_f
            m_g, f_g, m_d, f_d = parts[0, a, i], parts[2, a, i], parts[1, a, i], parts[3, a, i]
            add_mapped(m_g, f_g, w_m[n], w_f[n], v, i, test_rows[k, node_columns])
            add_mapped(m_g + 3 * m_d, f_g + 3 * f_d, w_m[n], w_f[n], v, i, test_rows[count + k, node_columns])
            gradient = 3 * f_d
            add_mapped(gradient, 0.0, d_q[n], d_p[n], v, i, trial_rows[k, node_columns])
            add_mapped(parts[4, a, i], gradient, d_q[n], d_p[n], v, i, trial_rows[count + k, node_columns])


@kernel
def stress_forms(spring, count, on_m, on_f, h):
    """Fill h (2, 8, 8) with ``count`` forms times the stresses on them."""
    h[:] = 0.0
    for k in range(count):
        for m in range(spring["vectors"][k]):
            a = spring["vector"][k, m]
            for c in range(spring["partners"][k, m]):
                b = spring["partner"][k, m, c]
                h[0, a, b] += (on_m[k] + on_f[k]) * spring["h"][k, a, b]
                h[1, a, b] += 3 * on_f[k] * spring["h"][k, a, b]


@kernel
def _begin_spring(spring, dt, motion, maps, lin, scratch):
    """Fill ``by_u``, ``lines`` and, of an angle, ``h`` times dt^2 of a `Scratch`; add to lin."""
    (q_i, q_f, p), (y, parts, moved, by_u, lines, h) = motion, scratch
    u_f, u_p = components(spring, q_f, p, y[1:])
    f_f, g = strain(spring.kind, u_f, spring.near)
    force_change(spring, dt, u_f, u_p, moved, by_u)
    on_m, on_f = forces(spring, u_f, u_p, f_f, g, spring.lin_g, spring.lin_d)
    lines[:] = 0.0
    if spring.kind != ANGLE:
        _maps_of_points(spring, maps, lines[0], lines[1])
    else:
        gather(spring, q_i, y[0])
        for k in range(FORMS):
            form_parts(spring, k, y[0], y[1], y[2], parts)
            maps_of_form(spring, k, 3, parts, maps, lines[0], lines[1])
        stress_forms(spring, FORMS, on_m, on_f, h)
    push(spring, y, on_m, on_f, dt * dt, lin)


@kernel
def _stress_by_unknowns(by_u, lines, out):
    """Fill out (6, 24) with the product of by_u (6, 6) and lines (6, 24)."""
    for i in range(6):
        for j in range(24):
            out[i, j] = 0.0
        for k in range(6):
            for j in range(24):
                out[i, j] += by_u[i, k] * lines[k, j]


@kernel(void(record(SPRING)[::1], float64, Motion, Rotations, Maps, Forces, slots, vector))
def tangent(springs, dt, motion, rotations, maps, lin, slots, data):
    """Add every spring's tangent to the matrix values, and its ambient forces to lin; slots (n, 24, 24): their indices.

    springs (n,) records; dt: s.
    """
    by_u, lines, h = np.empty((2, 3, 2, 3)), np.empty((2, 6, 24)), np.empty((2, 8, 8))
    moved = np.empty((2, 3), np.complex128)
    scratch = Scratch(np.empty((3, 8, 3)), np.empty((5, 8, 3)), moved, by_u, lines, h)
    change_by_x, k_loc = np.empty((6, 24)), np.empty((24, 24))
    turns, form, products = np.empty((3, 2, 3, 3)), np.empty((3, 4, 4)), np.empty((3, 3, 3))
    for n in range(springs.shape[0]):
        spring = springs[n]
        _begin_spring(spring, dt, motion, maps, lin, scratch)
        _stress_by_unknowns(by_u.reshape(6, 6), lines[1], change_by_x)
        transposed_product(lines[0].reshape(-1), change_by_x.reshape(-1), 6, 24, 24, k_loc.reshape(-1), 0, 3)
        add_to_values(k_loc, dt * dt, slots[n], data)
        if spring.kind == ANGLE:
            pair_tangent(h, spring.nodes, rotations, maps.w_m, k_loc, turns, form, products)
            add_to_values(k_loc, dt * dt, slots[n], data)
