"""Forces, energies and tangent of bushings and linear bearings (compiled).

A triad is fixed to each of the two bodies, equal in the reference configuration. Seven quadratic forms of the nodes'
vectors give the six strains eps = (x, phi), in K's triad:

    x_a = (x_L - x_K) . e_aK - its value at the start        k_a = axial vector of R = R_K^T R_L = sin(theta) n_a
    c = (tr R - 1)/2 = cos(theta)                            phi_a = g(c) k_a

with g(c) = (8 - c + 16/(1 + c))/15: phi is the rotation vector theta n up to theta^7/840, and grows without bound up to
half a turn (a rational function, as for the curvature of beams: theory.md, section 5). Stresses are

    s = K eps + C eps' + preload + curves + chains,      K = K_s + K_a (symmetric and antisymmetric part).

K_s has the potential eps.K_s eps/2, the preload eps.P, a curve its integral, C dissipates eps'.C eps'. The work of K_a
and of a table of K over speed, which no potential has, is counted as that of loads. s_g and s_d of the linear parts
are those of the discrete rule (`discrete_rule`). A curve has the mean of its force between both ends and no half-jump:
exact for any curve, of second order.

A Maxwell element is a spring k in series with a damper k tau, e the spring's strain: e' = eps' - e/tau. With e linear
from e_j to e_f and the Galerkin equations of the scheme for w = 1 and w = t, h = dt/tau, a = eps_j - eps_i,
d = eps_f - eps_j,

    e_f - e_i + h (e_j + e_f)/2 = a + d        (e_f - e_j)/2 + h (e_j/6 + e_f/3) = d/2

of third order, and the work of its stress k e is dV + k (e_j - e_i)^2/2 + the loss of the damper, k h (m^2 + q^2/3)
with m, q mean and half difference of e_j and e_f. In a step without end it is relaxed. In linear models e is a state,
e' = G x' - e/tau with the slopes G of eps (`strain_slopes`), and k G^T e a force.

With (v, w) = (k, c), G, J and H of g(w) v as in theory.md, section 5, the forces on the forms are

    F_m = G^T (s_g - s_d/3) - H p/6        F_f = J^T s_d/3 + H Delta/6.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import array3, float64, matrix, record, slots, vector, void
from fem_mbd.core.compiled.vectors import transposed_product
from fem_mbd.core.model.workspace import Forces, Maps, Motion, Rotations
from fem_mbd.core.scheme.constraints.constraint_kernels import add_to_values
from fem_mbd.core.scheme.constraints.forms import (
    add_forces,
    changes,
    form_fields,
    form_parts,
    gather,
    pair_tangent,
    value_and_rate,
)
from fem_mbd.core.scheme.discrete_rule import composed, half_jump, jump, mean
from fem_mbd.elements.springs.tangent import maps_of_form, stress_forms

H = 1e-40  # of the complex step
FORMS, COSINE = 7, 6
AT_REST = -1  # of ``speed_from``: the speed is that of the record, not of the nodes
BUSHING = np.dtype(
    [
        ("nodes", "i8", (2,)),
        *form_fields(FORMS),
        ("count", "i8"),  # 7, or 3 without rotations
        ("symmetric", "f8", (6, 6)),  # K_s of this step
        ("skew", "f8", (6, 6)),  # K_a
        ("damping", "f8", (6, 6)),
        ("preload", "f8", (6,)),
        ("curve", "i8", (6,)),  # first row of the direction's curve
        ("points", "i8", (6,)),  # number of its rows, 0 without one
        ("branch", "i8"),  # first Maxwell element, and number of them
        ("branches", "i8"),
        ("table", "i8"),  # first row of the table over speed, and number of rows
        ("rows", "i8"),
        ("turns", "f8", (2, 3)),  # axis of the speed in node axes, that of K times -1
        ("speed", "f8"),  # rad/s, at the start of this step
        ("follows", "i8"),  # whether the speed is that of the nodes
        ("change", "f8"),  # J, of the potential by the change of K with the speed
        # results of the last evaluation
        ("y_i", "f8", (FORMS,)),
        ("eps_i", "f8", (6,)),
        ("eps_f", "f8", (6,)),
        ("eps_p", "f8", (6,)),
        ("lin_g", "f8", (6,)),
        ("lin_d", "f8", (6,)),
    ],
    align=True,
)
BRANCH = np.dtype(
    [("direction", "i8"), ("stiffness", "f8"), ("time", "f8"), ("e_j", "f8"), ("e_f", "f8")], align=True
)
TABLE_ROW = 1 + 2 * 36  # speed, K, C


class Bushings(NamedTuple):
    """All bushings: their records, curves, Maxwell elements, tables over speed, and strains of the elements at t_i."""

    records: Annotated[Any, record(BUSHING)[::1]]
    curves: Annotated[Any, matrix]  # (rows, 2) displacement, force
    branches: Annotated[Any, record(BRANCH)[::1]]
    tables: Annotated[Any, matrix]  # (rows, TABLE_ROW)
    stored: Annotated[Any, vector]  # (branches,) e_i


@kernel
def _factor(c):
    """g, its first and second derivative."""
    w = 1.0 / (1.0 + c)
    return (8.0 - c + 16.0 * w) / 15.0, -(1.0 + 16.0 * w * w) / 15.0, 32.0 / 15.0 * w * w * w


@kernel
def _strains(count, y, y_p, eps, eps_p):
    """Fill strains (6,) and dt times their rates from the forms' values y (7,) and y_p."""
    for i in range(6):
        eps[i], eps_p[i] = 0.0 * y[0], 0.0 * y[0]
    for i in range(3):
        eps[i], eps_p[i] = y[i], y_p[i]
    if count == FORMS:
        g, slope, _ = _factor(y[COSINE])
        for i in range(3, 6):
            eps[i], eps_p[i] = g * y[i], g * y_p[i] + slope * y_p[COSINE] * y[i]


@kernel
def _piece(curves, first, count, x):
    k = first
    while k < first + count - 2 and curves[k + 1, 0] < x:
        k += 1
    return k


@kernel
def _on_piece(curves, k, x):
    slope = (curves[k + 1, 1] - curves[k, 1]) / (curves[k + 1, 0] - curves[k, 0])
    return curves[k, 1] + slope * (x - curves[k, 0])


@kernel
def curve_mean(curves, first, count, a, b):
    """Mean force of a curve of straight pieces between the displacements a and b; its last pieces go on."""
    if a.real > b.real:
        a, b = b + 0.0 * a, a + 0.0 * b
    k, last = _piece(curves, first, count, a.real), _piece(curves, first, count, b.real)
    if k == last:
        return 0.5 * (_on_piece(curves, k, a) + _on_piece(curves, k, b))
    total = 0.5 * (_on_piece(curves, k, a) + curves[k + 1, 1]) * (curves[k + 1, 0] - a)
    for m in range(k + 1, last):
        total += 0.5 * (curves[m, 1] + curves[m + 1, 1]) * (curves[m + 1, 0] - curves[m, 0])
    total += 0.5 * (curves[last, 1] + _on_piece(curves, last, b)) * (b - curves[last, 0])
    return total / (b - a)


@kernel
def relaxed(h, e_i, a, change):
    """e_j and e_f of a Maxwell element; change: a + d."""
    det, d, whole = -(0.5 + h / 3.0 + h * h / 12.0), change - a, e_i + change
    e_f = (whole * (h / 6.0 - 0.5) - 0.25 * d * h) / det
    e_j = (0.5 * d * (1.0 + 0.5 * h) - whole * (0.5 + h / 3.0)) / det
    return e_j, e_f


@kernel
def _stresses(all_of_them, n, dt, eps, eps_p, s_g, s_d):
    """Fill s_g and s_d (6,) of bushing n for the strains at t_f."""
    records, curves, branches, _, stored = all_of_them
    bushing = records[n]
    for i in range(6):
        s_g[i], s_d[i] = bushing["preload"][i] + 0.0 * eps[0], 0.0 * eps[0]
        for j in range(6):
            start, k, c = (
                bushing["eps_i"][j],
                bushing["symmetric"][i, j] + bushing["skew"][i, j],
                bushing["damping"][i, j] / dt,
            )
            change = eps[j] - start
            s_g[i] += k * mean(start, eps[j], eps_p[j]) + c * change
            s_d[i] += k * half_jump(start, eps[j], eps_p[j]) + c * (eps_p[j] - change)
        if bushing["points"][i] > 0:
            s_g[i] += curve_mean(
                curves, bushing["curve"][i], bushing["points"][i], bushing["eps_i"][i] + 0.0 * eps[i], eps[i]
            )
    for m in range(bushing.branch, bushing.branch + bushing.branches):
        branch = branches[m]
        i = branch.direction
        step = jump(bushing["eps_i"][i], eps[i], eps_p[i])
        e_j, e_f = relaxed(dt / branch.time, stored[m], step, eps[i] - bushing["eps_i"][i])
        s_g[i] += 0.5 * branch.stiffness * (e_j + e_f)
        s_d[i] += 0.5 * branch.stiffness * (e_f - e_j)


@kernel
def _forces(bushing, y, y_p, s_g, s_d, on_m, on_f):
    """Fill the forces on_m and on_f (7,) on the forms, for their values y (7,) at t_f; linear in s_g and s_d (6,)."""
    for i in range(3):
        on_m[i], on_f[i] = s_g[i] - s_d[i] / 3, s_d[i] / 3
    if bushing.count < FORMS:
        return
    before = bushing["y_i"]
    c_i, c = before[COSINE], y[COSINE]
    g_i, _, _ = _factor(c_i)
    g, slope, _ = _factor(c)
    _, bend, curl = _factor(0.5 * (c_i + c))
    quotient = -(1.0 + 16.0 / ((1.0 + c_i) * (1.0 + c))) / 15.0
    step = c - c_i
    on_m[COSINE], on_f[COSINE] = 0.0 * c, 0.0 * c
    for i in range(3, 6):
        middle, change = 0.5 * (before[i] + y[i]), y[i] - before[i]
        net, half = s_g[i] - s_d[i] / 3, s_d[i] / 3
        on_m[i] = 0.5 * (g_i + g) * net - s_g[i] * bend * y_p[COSINE] / 6
        on_f[i] = g * half + s_g[i] * bend * step / 6
        on_m[COSINE] += quotient * middle * net - s_g[i] * (bend * y_p[i] + curl * middle * y_p[COSINE]) / 6
        on_f[COSINE] += slope * y[i] * half + s_g[i] * (bend * change + curl * middle * step) / 6


@kernel
def _coefficients(bushing, tables, speed):
    """Set K and C from the table at a speed, linear between its rows and constant beyond them."""
    first, last = bushing.table, bushing.table + bushing.rows - 1
    k, t = first, 0.0
    if speed >= tables[last, 0]:
        k, t = last - 1, 1.0
    elif speed > tables[first, 0]:
        while tables[k + 1, 0] <= speed:
            k += 1
        t = (speed - tables[k, 0]) / (tables[k + 1, 0] - tables[k, 0])
    for i in range(6):
        for j in range(6):
            at, across = 1 + 6 * i + j, 1 + 6 * j + i
            entry = (1.0 - t) * tables[k, at] + t * tables[k + 1, at]
            transposed = (1.0 - t) * tables[k, across] + t * tables[k + 1, across]
            bushing["symmetric"][i, j] = 0.5 * (entry + transposed)
            bushing["skew"][i, j] = 0.5 * (entry - transposed)
            bushing["damping"][i, j] = (1.0 - t) * tables[k, at + 36] + t * tables[k + 1, at + 36]


@kernel
def _potential(bushing, eps):
    """eps.K_s eps/2."""
    total = 0.0
    for i in range(6):
        for j in range(6):
            total += 0.5 * eps[i] * bushing["symmetric"][i, j] * eps[j]
    return total


@kernel(void(Bushings, matrix, matrix, float64, array3))
def begin_step(all_of_them, history, x_i, dt, q_i):
    """Forms, strains, stiffness and extrapolated stresses at t_i; history (n, 13): strains, rates, speed at t_i."""
    records, curves, branches, tables, stored = all_of_them
    v, nothing, rate = np.empty((8, 3)), np.zeros((8, 3)), np.empty(6)
    for n in range(records.shape[0]):
        bushing = records[n]
        gather(bushing, q_i, v)
        for k in range(bushing.count):
            bushing["y_i"][k], _ = value_and_rate(bushing, k, v, nothing)
        _strains(bushing.count, bushing["y_i"], np.zeros(FORMS), bushing["eps_i"], rate)
        bushing.change = 0.0
        if bushing.rows > 0:
            _coefficients(bushing, tables, history[n, 12])
            before = _potential(bushing, bushing["eps_i"])
            if bushing.follows:
                bushing.speed = 0.0
                for side in range(2 if dt > 0.0 else 0):  # a state at rest has no step
                    for i in range(3):
                        bushing.speed += bushing["turns"][side, i] * x_i[bushing["nodes"][side], 3 + i] / dt
            _coefficients(bushing, tables, bushing.speed)
            bushing.change = _potential(bushing, bushing["eps_i"]) - before
        for i in range(6):
            bushing["lin_g"][i], bushing["lin_d"][i] = bushing["preload"][i], 0.0
            for j in range(6):
                stiffness = bushing["symmetric"][i, j] + bushing["skew"][i, j]
                bushing["lin_g"][i] += stiffness * bushing["eps_i"][j]
            if bushing["points"][i] > 0:
                x = bushing["eps_i"][i]
                bushing["lin_g"][i] += curve_mean(curves, bushing["curve"][i], bushing["points"][i], x, x)
        for m in range(bushing.branch, bushing.branch + bushing.branches):
            bushing["lin_g"][branches[m].direction] += branches[m].stiffness * stored[m]


@kernel
def _values(bushing, q_f, p, v, y, y_p):
    """Fill values of the forms at t_f and dt times their rates (7,); v (2, 8, 3) with the nodes' vectors."""
    gather(bushing, q_f, v[0])
    gather(bushing, p, v[1])
    for k in range(bushing.count):
        y[k], y_p[k] = value_and_rate(bushing, k, v[0], v[1])


@kernel(void(Bushings, float64, Motion, Forces))
def residual(all_of_them, dt, motion, on_nodes):
    """Add every bushing's ambient forces; store strains for the energy balance and the tangent."""
    v, y, y_p = np.empty((3, 8, 3)), np.zeros(FORMS), np.zeros(FORMS)
    s_g, s_d, on_m, on_f = np.empty(6), np.empty(6), np.empty(FORMS), np.empty(FORMS)
    records, _, branches, _, stored = all_of_them
    for n in range(records.shape[0]):
        bushing = records[n]
        _values(bushing, motion.q_f, motion.p, v[1:], y, y_p)
        gather(bushing, motion.q_i, v[0])
        _strains(bushing.count, y, y_p, bushing["eps_f"], bushing["eps_p"])
        _stresses(all_of_them, n, dt, bushing["eps_f"], bushing["eps_p"], s_g, s_d)
        _forces(bushing, y, y_p, s_g, s_d, on_m, on_f)
        for k in range(bushing.count):
            g, d = composed(dt * dt * on_m[k], dt * dt * on_f[k])
            add_forces(bushing, k, v[0], v[1], v[2], g, d, on_nodes.m, on_nodes.f)
        for m in range(bushing.branch, bushing.branch + bushing.branches):
            i = branches[m].direction
            step = jump(bushing["eps_i"][i], bushing["eps_f"][i], bushing["eps_p"][i])
            branches[m].e_j, branches[m].e_f = relaxed(
                dt / branches[m].time, stored[m], step, bushing["eps_f"][i] - bushing["eps_i"][i]
            )


@kernel(void(Bushings, float64, array3, array3, array3, array3))
def extrapolate(all_of_them, dt, q_f, p, dq, dp):
    """lin_g, lin_d = stresses with the forms of the last tangent's iterate plus their change by (dq, dp)."""
    v, y, y_p, eps, eps_p = np.empty((4, 8, 3)), np.zeros(FORMS), np.zeros(FORMS), np.empty(6), np.empty(6)
    records = all_of_them.records
    for n in range(records.shape[0]):
        bushing = records[n]
        _values(bushing, q_f, p, v, y, y_p)
        gather(bushing, dq, v[2])
        gather(bushing, dp, v[3])
        for k in range(bushing.count):
            by_q, by_p = changes(bushing, k, v[0], v[1], v[2], v[3])
            y[k] += by_q
            y_p[k] += by_p
        y[COSINE] = max(y[COSINE], -0.99)  # a large correction may go beyond half a turn
        _strains(bushing.count, y, y_p, eps, eps_p)
        _stresses(all_of_them, n, dt, eps, eps_p, bushing["lin_g"], bushing["lin_d"])


@kernel(void(record(BUSHING)[::1], array3, array3))
def strain_slopes(records, q, out):
    """Fill out (n, 6, 12), derivatives of the strains by the motions of K and L at q (N, 4, 3).

    Of each the displacement of its mass centre, then its rotation in node axes: d_b changes by R (theta x e_b).
    """
    v, y, y_p, eps, eps_p = np.empty((2, 8, 3)), np.zeros(FORMS), np.zeros(FORMS), np.empty(6), np.empty(6)
    for n in range(records.shape[0]):
        bushing = records[n]
        gather(bushing, q, v[0])
        for j in range(12):
            v[1, :, :] = 0.0
            a, side = j % 3, j // 6
            for i in range(3):
                if j % 6 < 3:
                    v[1, 4 * side, a] = 1.0
                else:
                    b, c = 4 * side + 1 + (a + 1) % 3, 4 * side + 1 + (a + 2) % 3
                    v[1, b, i], v[1, c, i] = v[0, c, i], -v[0, b, i]
            for k in range(bushing.count):
                y[k], y_p[k] = value_and_rate(bushing, k, v[0], v[1])
            _strains(bushing.count, y, y_p, eps, eps_p)
            for i in range(6):
                out[n, i, j] = eps_p[i]


class Scratch(NamedTuple):
    """Work arrays for the tangent of a bushing."""

    v: Any  # (3, 8, 3) vectors of its nodes
    moved: Any  # (2, FORMS) complex, values of the forms and their rates
    stress: Any  # (4, FORMS) complex
    strain: Any  # (2, 6) complex
    by_y: Any  # (2 FORMS, 2 FORMS) derivatives of F_m and F_f by values and rates
    lines: Any  # (2, 2 FORMS, 24) maps conjugate to F_m and F_f, and d(values, rates)/dx
    parts: Any  # (5, 8, 3) of `form_parts`


@kernel
def _force_changes(all_of_them, n, dt, scratch):
    """Fill by_y by complex steps; geometric terms with the extrapolated stresses, material terms at the iterate."""
    _, moved, (s_g, s_d, on_m, on_f), (eps, eps_p), by_y, _, _ = scratch
    bushing = all_of_them.records[n]
    count = bushing.count
    for k in range(2):
        for j in range(count):
            moved[k, j] += 1j * H
            _strains(count, moved[0], moved[1], eps, eps_p)
            _stresses(all_of_them, n, dt, eps, eps_p, s_g[:6], s_d[:6])
            for i in range(6):
                s_g[i] = bushing["lin_g"][i] + 1j * s_g[i].imag
                s_d[i] = bushing["lin_d"][i] + 1j * s_d[i].imag
            _forces(bushing, moved[0], moved[1], s_g[:6], s_d[:6], on_m, on_f)
            moved[k, j] = moved[k, j].real
            for i in range(count):
                by_y[i, count * k + j] = on_m[i].imag / H
                by_y[count + i, count * k + j] = on_f[i].imag / H


@kernel(void(Bushings, float64, Motion, Rotations, Maps, Forces, slots, vector))
def tangent(all_of_them, dt, motion, rotations, maps, lin, places, data):
    """Add every bushing's tangent to the matrix values, and its ambient forces to lin; places (n, 24, 24)."""
    records, kind = all_of_them.records, np.complex128
    scratch = Scratch(
        np.empty((3, 8, 3)), np.zeros((2, FORMS), kind), np.zeros((4, FORMS), kind), np.zeros((2, 6), kind),
        np.empty((2 * FORMS, 2 * FORMS)), np.empty((2, 2 * FORMS, 24)), np.empty((5, 8, 3)),
    )  # fmt: skip
    v, moved, _, _, by_y, lines, parts = scratch
    by_x, k_loc, h = np.empty((2 * FORMS, 24)), np.empty((24, 24)), np.empty((2, 8, 8))
    y, y_p, real_m, real_f = np.zeros(FORMS), np.zeros(FORMS), np.zeros(FORMS), np.zeros(FORMS)
    turns, form, products = np.empty((3, 2, 3, 3)), np.empty((3, 4, 4)), np.empty((3, 3, 3))
    for n in range(records.shape[0]):
        bushing = records[n]
        count = bushing.count
        _values(bushing, motion.q_f, motion.p, v[1:], y, y_p)
        gather(bushing, motion.q_i, v[0])
        for k in range(count):
            moved[0, k], moved[1, k] = y[k], y_p[k]
        _force_changes(all_of_them, n, dt, scratch)
        _forces(bushing, y, y_p, bushing["lin_g"], bushing["lin_d"], real_m, real_f)
        lines[:] = 0.0
        for k in range(count):
            form_parts(bushing, k, v[0], v[1], v[2], parts)
            maps_of_form(bushing, k, count, parts, maps, lines[0], lines[1])
            g, d = composed(dt * dt * real_m[k], dt * dt * real_f[k])
            add_forces(bushing, k, v[0], v[1], v[2], g, d, lin.m, lin.f)
        for i in range(2 * count):
            for j in range(24):
                by_x[i, j] = 0.0
            for k in range(2 * count):
                for j in range(24):
                    by_x[i, j] += by_y[i, k] * lines[1, k, j]
        transposed_product(lines[0].reshape(-1), by_x.reshape(-1), 2 * count, 24, 24, k_loc.reshape(-1), 0, 3)
        add_to_values(k_loc, dt * dt, places[n], data)
        stress_forms(bushing, count, real_m, real_f, h)
        pair_tangent(h, bushing["nodes"], rotations, maps.w_m, k_loc, turns, form, products)
        add_to_values(k_loc, dt * dt, places[n], data)


@kernel
def stored_energy(all_of_them, n, eps, e):
    """J, of bushing n at strains eps (6,); e (branches,) strains of all Maxwell elements."""
    records, curves, branches, _, _ = all_of_them
    bushing = records[n]
    total = _potential(bushing, eps)
    for i in range(6):
        total += bushing["preload"][i] * eps[i]
        if bushing["points"][i] > 0:
            total += eps[i] * curve_mean(
                curves, bushing["curve"][i], bushing["points"][i], 0.0 * eps[i], eps[i]
            )
    for m in range(bushing.branch, bushing.branch + bushing.branches):
        total += 0.5 * branches[m].stiffness * e[m] * e[m]
    return total


@kernel(void(Bushings, vector))
def initial_energy(all_of_them, out):
    """Add the stored energy at t_i to out[0], J."""
    for n in range(all_of_them.records.shape[0]):
        out[0] += stored_energy(all_of_them, n, all_of_them.records[n]["eps_i"], all_of_them.stored)


@kernel
def _linear_amounts(bushing, dt, out):
    """Add what the scheme and the dampers lose, and the work of the antisymmetric stiffness, to out (4,)."""
    for i in range(6):
        a_i, f_i, p_i = bushing["eps_i"][i], bushing["eps_f"][i], bushing["eps_p"][i]
        change = f_i - a_i
        lost, rest = jump(a_i, f_i, p_i), p_i - change
        for j in range(6):
            a_j, f_j, p_j = bushing["eps_i"][j], bushing["eps_f"][j], bushing["eps_p"][j]
            out[1] += 0.5 * lost * bushing["symmetric"][i, j] * jump(a_j, f_j, p_j)
            out[2] += bushing["damping"][i, j] * (change * (f_j - a_j) + rest * (p_j - f_j + a_j) / 3) / dt
            skew = bushing["skew"][i, j]
            g, d = skew * mean(a_j, f_j, p_j), skew * half_jump(a_j, f_j, p_j)
            out[3] -= g * change + d * rest / 3


@kernel(void(Bushings, float64, vector))
def energies(all_of_them, dt, out):
    """Add stored energy at t_f, dissipation of scheme and dampers, work of what has no potential to out (4,), J."""
    records, _, branches, _, stored = all_of_them
    e_f = np.empty(branches.shape[0])
    for m in range(branches.shape[0]):
        branch = branches[m]
        e_f[m] = branch.e_f
        middle, half, h = 0.5 * (branch.e_j + branch.e_f), 0.5 * (branch.e_f - branch.e_j), dt / branch.time
        out[1] += 0.5 * branch.stiffness * (branch.e_j - stored[m]) ** 2
        out[2] += branch.stiffness * h * (middle**2 + half**2 / 3)
    for n in range(records.shape[0]):
        bushing = records[n]
        out[0] += stored_energy(all_of_them, n, bushing["eps_f"], e_f)
        out[3] += bushing.change
        _linear_amounts(bushing, dt, out)


@kernel(void(Bushings, float64, matrix))
def store_history(all_of_them, dt, history):
    """Fill history (n, 13): strains at t_f, their rates there, speed; and the strains of Maxwell elements."""
    records, _, branches, _, stored = all_of_them
    for n in range(records.shape[0]):
        bushing = records[n]
        for i in range(6):
            history[n, i], history[n, 6 + i] = bushing["eps_f"][i], bushing["eps_p"][i] / dt
        history[n, 12] = bushing.speed
    for m in range(branches.shape[0]):
        stored[m] = branches[m].e_f


@kernel(void(Bushings, matrix, matrix))
def outputs(all_of_them, history, out):
    """Fill out (n, 12): strains and the force and moment on L, in K's triad, from the history."""
    records, curves, branches, _, stored = all_of_them
    for n in range(records.shape[0]):
        bushing, eps = records[n], history[n]
        for i in range(6):
            s = bushing["preload"][i]
            for j in range(6):
                stiffness = bushing["symmetric"][i, j] + bushing["skew"][i, j]
                s += stiffness * eps[j] + bushing["damping"][i, j] * eps[6 + j]
            if bushing["points"][i] > 0:
                s += curve_mean(curves, bushing["curve"][i], bushing["points"][i], eps[i], eps[i])
            out[n, i], out[n, 6 + i] = eps[i], -s
        for m in range(bushing.branch, bushing.branch + bushing.branches):
            out[n, 6 + branches[m].direction] -= branches[m].stiffness * stored[m]


@kernel(void(record(BUSHING)[::1], matrix))
def rotations_of(records, out):
    """Fill out (1, n) with the amounts of rotation, rad, at t_f."""
    for n in range(records.shape[0]):
        eps = records[n]["eps_f"]
        out[0, n] = np.sqrt(eps[3] ** 2 + eps[4] ** 2 + eps[5] ** 2)
