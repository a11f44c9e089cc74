"""Strains, stress resultants and nodal forces of a beam element at one Gauss point (compiled).

Reference line and directors are interpolated: z = (x', d_1, d_2, d_3, d_1', d_2', d_3') at a Gauss point is linear in
the nodes' ambient vectors. Where the nodes are rotated relative to each other, interpolated directors are shorter than
1. Strains must not depend on that, or a beam in tension stretches without strain (theory.md, section 5). With D the
matrix of the directors, n the unit tangent of the reference line in their axes, and the quadratic measures

    g_a = d_a . x'                                       l = |D n|^2
    k_a = (d_b' . d_c - d_c' . d_b)/2, (a, b, c) cyclic  t = (d_1.d_1 + d_2.d_2 + d_3.d_3 - 1)/2

the strains are Gamma = g/sqrt(l) and K = (1 + 2/t) k/3, less those of the reference configuration. sqrt(l) is the
length of the interpolated tangent. Between two nodes rotated by theta about any axis k is sin(theta)/h along it, and
k/t 2 tan(theta/2)/h: their errors of third order cancel in (1 + 2/t) k/3, which grows without bound as k/t does.

A measure is a tuple of four numbers, v (3) and w: (g, l) and (k, t); a strain is f(w) v. Its discrete derivative is

    D(f v) = mean(f) Dv + f[w_i, w_f] mean(v) Dw         f[w_i, w_f] = (f_f - f_i)/(w_f - w_i), in closed form,

so that the discrete forces on v and w do the work of the stresses exactly; those on z follow by the rule of
`discrete_rule`, as v and w are quadratic in z. A scale (`length_scale`, `square_scale`) holds what depends on w.

The kernels use tuples of numbers, three of seven for z (one per global component), two of four for measures, six for
strains and stresses: the compiler keeps them in registers, while small arrays would be written to memory and read
again. This takes two thirds of the time.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.vectors import (
    difference,
    dot,
    four_scaled,
    four_total,
    middle,
    product,
    seven,
    seven_scaled,
    seven_sum,
    total,
)
from fem_mbd.core.scheme.discrete_rule import half_jump, mean, mean_rate, rate_excess

# -- interpolation ---------------------------------------------------------------------------------------------


@kernel
def _component(q, element, gauss, i):
    """Component i of z: seven numbers."""
    x, d1, d2, d3, e1, e2, e3 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for m in range(element.nodes.shape[0]):
        n = element.nodes[m]
        s, d = element["shape"][gauss, m], element["slope"][gauss, m]
        off = element["offset"][m]
        q1, q2, q3 = q[n, 1, i], q[n, 2, i], q[n, 3, i]
        x += d * (q[n, 0, i] + off[0] * q1 + off[1] * q2 + off[2] * q3)
        d1 += s * q1
        d2 += s * q2
        d3 += s * q3
        e1 += d * q1
        e2 += d * q2
        e3 += d * q3
    return x, d1, d2, d3, e1, e2, e3


@kernel
def interpolate(q, element, gauss):
    """z from the ambient vectors q (n, 4, 3) of all nodes."""
    return (
        _component(q, element, gauss, 0),
        _component(q, element, gauss, 1),
        _component(q, element, gauss, 2),
    )


@kernel
def store_point(z, out):
    """Write z to out (3, 7)."""
    out[0, 0], out[0, 1], out[0, 2], out[0, 3], out[0, 4], out[0, 5], out[0, 6] = z[0]
    out[1, 0], out[1, 1], out[1, 2], out[1, 3], out[1, 4], out[1, 5], out[1, 6] = z[1]
    out[2, 0], out[2, 1], out[2, 2], out[2, 3], out[2, 4], out[2, 5], out[2, 6] = z[2]


@kernel
def stored_point(element, gauss):
    """z at t_i from the record (`store_point`)."""
    z = element["z_i"][gauss]
    return seven(z[0]), seven(z[1]), seven(z[2])


# -- measures --------------------------------------------------------------------------------------------------


@kernel
def along(axis, v):
    """Component of D n along a global axis, from the seven numbers v of z; axis : n (3,) of an array."""
    return axis[0] * v[1] + axis[1] * v[2] + axis[2] * v[3]


@kernel
def _vectors_form(z, y):
    """One global component of the bilinear forms of g and k."""
    x, d1, d2, d3, e1, e2, e3 = z
    u, a1, a2, a3, b1, b2, b3 = y
    return (
        x * a1 + u * d1,
        x * a2 + u * d2,
        x * a3 + u * d3,
        0.5 * (e2 * a3 - e3 * a2 + b2 * d3 - b3 * d2),
        0.5 * (e3 * a1 - e1 * a3 + b3 * d1 - b1 * d3),
        0.5 * (e1 * a2 - e2 * a1 + b1 * d2 - b2 * d1),
    )


@kernel
def vectors_form(z, y):
    """The symmetric bilinear form of g and k: six numbers; for y = z twice their values."""
    return total(total(_vectors_form(z[0], y[0]), _vectors_form(z[1], y[1])), _vectors_form(z[2], y[2]))


@kernel
def _scales_form(axis, z, y):
    """One global component of the bilinear forms of l and t."""
    return 2.0 * along(axis, z) * along(axis, y), z[1] * y[1] + z[2] * y[2] + z[3] * y[3]


@kernel
def measures_form(element, gauss, z, y):
    """Both measures' symmetric bilinear form, B(z) y: their change at z by y; for y = z twice the quadratic part."""
    axis = element["axis"][gauss]
    g0, g1, g2, k0, k1, k2 = vectors_form(z, y)
    a, b, c = _scales_form(axis, z[0], y[0]), _scales_form(axis, z[1], y[1]), _scales_form(axis, z[2], y[2])
    return (g0, g1, g2, a[0] + b[0] + c[0]), (k0, k1, k2, a[1] + b[1] + c[1])


@kernel
def measures(element, gauss, z):
    """(g, l) and (k, t) at z."""
    g, k = measures_form(element, gauss, z, z)
    return four_scaled(0.5, g), (0.5 * k[0], 0.5 * k[1], 0.5 * k[2], 0.5 * k[3] - 0.5)


@kernel
def store_measures(element, gauss, y):
    """Keep the measures at t_i, 1/sqrt(l) and 1/t in the record."""
    (g0, g1, g2, l), (k0, k1, k2, t) = y
    out = element["measures_i"][gauss]
    out[0], out[1], out[2], out[3], out[4], out[5], out[6], out[7] = g0, g1, g2, l, k0, k1, k2, t
    out[8], out[9] = 1.0 / np.sqrt(l), 1.0 / t


@kernel
def stored_measures(element, gauss):
    """Measures at t_i from the record."""
    y = element["measures_i"][gauss]
    return (y[0], y[1], y[2], y[3]), (y[4], y[5], y[6], y[7])


# -- strains ---------------------------------------------------------------------------------------------------


@kernel
def by_length(l):
    """f = 1/sqrt(l) with its first two derivatives."""
    f = 1.0 / np.sqrt(l)
    slope = -0.5 * f * f * f
    return f, slope, -1.5 * f * f * slope


@kernel
def by_square(t):
    """f = (1 + 2/t)/3 with its first two derivatives."""
    u = 1.0 / t
    slope = -2.0 / 3.0 * u * u
    return (1.0 + 2.0 * u) / 3.0, slope, -2.0 * u * slope


@kernel
def strain_vector(f, y, rest):
    """f v - rest of a measure; rest (3,) of an array."""
    return f * y[0] - rest[0], f * y[1] - rest[1], f * y[2] - rest[2]


@kernel
def of_square(t):
    """(1 + 2/t)/3."""
    return (1.0 + 2.0 / t) / 3.0


@kernel
def strains(element, gauss, y):
    """eps = [Gamma, K] of the measures y, less that of the reference configuration."""
    rest = element["strain_0"][gauss]
    gamma, kappa = (
        strain_vector(1.0 / np.sqrt(y[0][3]), y[0], rest),
        strain_vector(of_square(y[1][3]), y[1], rest[3:]),
    )
    return gamma[0], gamma[1], gamma[2], kappa[0], kappa[1], kappa[2]


@kernel
def _change(f, slope, y, dy):
    """Change of f v by the change dy of a measure."""
    by_w = slope * dy[3]
    return f * dy[0] + by_w * y[0], f * dy[1] + by_w * y[1], f * dy[2] + by_w * y[2]


@kernel
def strain_changes(y, dy):
    """First-order change of the strains at the measures y by dy: six numbers."""
    f, slope, _ = by_length(y[0][3])
    h, bend, _ = by_square(y[1][3])
    gamma, kappa = _change(f, slope, y[0], dy[0]), _change(h, bend, y[1], dy[1])
    return gamma[0], gamma[1], gamma[2], kappa[0], kappa[1], kappa[2]


@kernel
def _second(f, slope, curvature, y, y_p, dy, dy_p):
    """Change of `_change` of y_p at y, when y changes by dy and y_p by dy_p."""
    v = slope * y_p[3]
    by_w, by_y = slope * dy[3], slope * dy_p[3] + curvature * y_p[3] * dy[3]
    return (
        f * dy_p[0] + v * dy[0] + by_w * y_p[0] + by_y * y[0],
        f * dy_p[1] + v * dy[1] + by_w * y_p[1] + by_y * y[1],
        f * dy_p[2] + v * dy[2] + by_w * y_p[2] + by_y * y[2],
    )


@kernel
def rate_changes(y, y_p, dy, dy_p):
    """First-order change of the strain rates `strain_changes` (y, y_p) by dy and dy_p: six numbers."""
    f, slope, curvature = by_length(y[0][3])
    h, bend, bend2 = by_square(y[1][3])
    gamma = _second(f, slope, curvature, y[0], y_p[0], dy[0], dy_p[0])
    kappa = _second(h, bend, bend2, y[1], y_p[1], dy[1], dy_p[1])
    return gamma[0], gamma[1], gamma[2], kappa[0], kappa[1], kappa[2]


@kernel
def strain_rates(element, gauss, dt, f, p):
    """Mean rate of the strains in the step, and by how much it is more at t_f: six numbers each."""
    e, r = element["strain_i"][gauss], 1 / dt
    m0, m1, m2 = mean_rate(e[0], f[0], r), mean_rate(e[1], f[1], r), mean_rate(e[2], f[2], r)
    m3, m4, m5 = mean_rate(e[3], f[3], r), mean_rate(e[4], f[4], r), mean_rate(e[5], f[5], r)
    return (m0, m1, m2, m3, m4, m5), (
        rate_excess(m0, p[0], r),
        rate_excess(m1, p[1], r),
        rate_excess(m2, p[2], r),
        rate_excess(m3, p[3], r),
        rate_excess(m4, p[4], r),
        rate_excess(m5, p[5], r),
    )


@kernel
def discrete_stress(element, gauss, dt, eps_f, eps_p):
    """s_g and s_d from the strains at t_f and dt times their rates there."""
    e, f, p, stiffness = element["strain_i"][gauss], eps_f, eps_p, element["stiffness"][gauss]
    s_g = product(
        stiffness,
        (
            mean(e[0], f[0], p[0]),
            mean(e[1], f[1], p[1]),
            mean(e[2], f[2], p[2]),
            mean(e[3], f[3], p[3]),
            mean(e[4], f[4], p[4]),
            mean(e[5], f[5], p[5]),
        ),
    )
    s_d = product(
        stiffness,
        (
            half_jump(e[0], f[0], p[0]),
            half_jump(e[1], f[1], p[1]),
            half_jump(e[2], f[2], p[2]),
            half_jump(e[3], f[3], p[3]),
            half_jump(e[4], f[4], p[4]),
            half_jump(e[5], f[5], p[5]),
        ),
    )
    if element.viscous:
        change, rest = strain_rates(element, gauss, dt, eps_f, eps_p)
        viscosity = element["viscosity"][gauss]
        s_g, s_d = total(s_g, product(viscosity, change)), total(s_d, product(viscosity, rest))
    return s_g, s_d


# -- discrete forces on the measures ---------------------------------------------------------------------------


@kernel
def length_scale(f_i, l_f):
    """f = 1/sqrt(l) and its derivatives at t_i and t_f, f[l_i, l_f] and its derivative by l_f."""
    f_f, slope_f, curvature_f = by_length(l_f)
    slope_i = -0.5 * f_i * f_i * f_i
    both, r = f_i * f_f, 1.0 / (f_i + f_f)
    secant, bend = -both * both * r, 0.5 * both * both * f_f * f_f * (2.0 * f_i + f_f) * r * r
    return (f_i, slope_i, -1.5 * f_i * f_i * slope_i), (f_f, slope_f, curvature_f), (secant, bend)


@kernel
def square_scale(u_i, t_f):
    """f = (1 + 2/t)/3 and its derivatives at t_i and t_f, f[t_i, t_f] and its derivative by t_f; u_i : 1/t_i."""
    f_f, slope_f, curvature_f = by_square(t_f)
    u_f, slope_i = 1.0 / t_f, -2.0 / 3.0 * u_i * u_i
    at_i = (1.0 + 2.0 * u_i) / 3.0, slope_i, -2.0 * u_i * slope_i
    secant = -2.0 / 3.0 * u_i * u_f
    return at_i, (f_f, slope_f, curvature_f), (secant, -u_f * secant)


@kernel
def measure_forces(scale, y_i, y_f, y_p, s_g, s_d):
    """F_m and F_f on a measure, conjugate to its change and to dt times its rate at t_f: four numbers each.

    s_g, s_d : three stresses each. With H the second derivative of s_g . f v at t_i,

        F_m = (discrete derivative of f v)^T (s_g - s_d/3) - H y_p/6        F_f = (derivative at t_f)^T s_d/3 + H Dy/6

    The parts with H do no work, as H is symmetric; they make the forces third order, as B of the other part of the
    step does in `discrete_rule`.
    """
    (f_i, slope_i, curvature_i), (f_f, slope_f, _), (secant, _) = scale
    p0, p1, p2 = s_g[0] - s_d[0] / 3, s_g[1] - s_d[1] / 3, s_g[2] - s_d[2] / 3
    e0, e1, e2 = s_d[0] / 3, s_d[1] / 3, s_d[2] / 3
    dy = difference(y_f, y_i)
    f = 0.5 * (f_i + f_f)
    by_p, by_change = slope_i * y_p[3] / 6, slope_i * dy[3] / 6
    second = curvature_i * dot(s_g, y_i)
    on_w_m = secant * dot((p0, p1, p2), middle(y_i, y_f)) - (slope_i * dot(s_g, y_p) + second * y_p[3]) / 6
    on_w_f = slope_f * dot((e0, e1, e2), y_f) + (slope_i * dot(s_g, dy) + second * dy[3]) / 6
    return (f * p0 - by_p * s_g[0], f * p1 - by_p * s_g[1], f * p2 - by_p * s_g[2], on_w_m), (
        f_f * e0 + by_change * s_g[0],
        f_f * e1 + by_change * s_g[1],
        f_f * e2 + by_change * s_g[2],
        on_w_f,
    )


@kernel
def strain_forces(y, s):
    """Forces on both measures whose power is the stresses s times the strain rates at y: two times four numbers."""
    (f, slope, _), (h, bend, _) = by_length(y[0][3]), by_square(y[1][3])
    return (f * s[0], f * s[1], f * s[2], slope * dot((s[0], s[1], s[2]), y[0])), (
        h * s[3],
        h * s[4],
        h * s[5],
        bend * dot((s[3], s[4], s[5]), y[1]),
    )


@kernel
def forces_on_measures(element, gauss, y_f, y_p, s_g, s_d):
    """F_m and F_f of the stresses s_g, s_d on both measures: two pairs of four numbers each."""
    g_i, k_i = stored_measures(element, gauss)
    f_i, u_i = element["measures_i"][gauss, 8], element["measures_i"][gauss, 9]
    g_m, g_f = measure_forces(
        length_scale(f_i, y_f[0][3]), g_i, y_f[0], y_p[0], (s_g[0], s_g[1], s_g[2]), (s_d[0], s_d[1], s_d[2])
    )
    k_m, k_f = measure_forces(
        square_scale(u_i, y_f[1][3]), k_i, y_f[1], y_p[1], (s_g[3], s_g[4], s_g[5]), (s_d[3], s_d[4], s_d[5])
    )
    return (g_m, k_m), (g_f, k_f)


# -- forces on the nodes ---------------------------------------------------------------------------------------


@kernel
def _component_force(axis, z, s):
    """One global component of B(z)^T s on z, s : forces on both measures; seven numbers."""
    x, d1, d2, d3, e1, e2, e3 = z
    (g1, g2, g3, l), (k1, k2, k3, t) = s
    tangent = 2.0 * l * along(axis, z)
    return (
        g1 * d1 + g2 * d2 + g3 * d3,
        g1 * x + 0.5 * (k2 * e3 - k3 * e2) + (t * d1 + tangent * axis[0]),
        g2 * x + 0.5 * (k3 * e1 - k1 * e3) + (t * d2 + tangent * axis[1]),
        g3 * x + 0.5 * (k1 * e2 - k2 * e1) + (t * d3 + tangent * axis[2]),
        0.5 * (d2 * k3 - d3 * k2),
        0.5 * (d3 * k1 - d1 * k3),
        0.5 * (d1 * k2 - d2 * k1),
    )


@kernel
def _add_to_nodes(force, element, gauss, i, out):
    """Add component i of a force on z, seven numbers, to the ambient forces out (n, 4, 3) of the element's nodes."""
    f, f1, f2, f3, g1, g2, g3 = force
    for m in range(element.nodes.shape[0]):
        n = element.nodes[m]
        s, d = element["shape"][gauss, m], element["slope"][gauss, m]
        off, u = element["offset"][m], d * f
        out[n, 0, i] += u
        out[n, 1, i] += off[0] * u + s * f1 + d * g1
        out[n, 2, i] += off[1] * u + s * f2 + d * g2
        out[n, 3, i] += off[2] * u + s * f3 + d * g3


@kernel
def _add_component(axis, z, forces, element, gauss, i, force_m, force_f):
    """Q_m = B(zbar)^T F_m - B(z_p)^T F/6 and Q_f = B(z_f)^T F_f + B(Dz)^T F/6, F = F_m + F_f: one component."""
    (z_i, z_f, z_p), (on_m, on_f, both) = z, forces
    middle_z, change = seven_scaled(0.5, seven_sum(z_i, 1.0, z_f)), seven_sum(z_f, -1.0, z_i)
    at_m = seven_sum(_component_force(axis, middle_z, on_m), -1.0, _component_force(axis, z_p, both))
    at_f = seven_sum(_component_force(axis, z_f, on_f), 1.0, _component_force(axis, change, both))
    _add_to_nodes(at_m, element, gauss, i, force_m)
    _add_to_nodes(at_f, element, gauss, i, force_f)


@kernel
def add_forces(element, gauss, z, on_measures, scale, force_m, force_f):
    """Add scale times Q_m and Q_f to the nodes' forces force_m, force_f (n, 4, 3).

    z : (z_i, z_f, z_p), on_measures : (F_m, F_f), the forces on the measures. These are quadratic in z: by the rule of
    `discrete_rule` with F_m + F_f and 3 F_f as stresses.
    """
    (z_i, z_f, z_p), (on_m, on_f), axis = z, on_measures, element["axis"][gauss]
    on_m = four_scaled(scale, on_m[0]), four_scaled(scale, on_m[1])
    on_f = four_scaled(scale, on_f[0]), four_scaled(scale, on_f[1])
    both = (
        four_scaled(1.0 / 6.0, four_total(on_m[0], on_f[0])),
        four_scaled(1.0 / 6.0, four_total(on_m[1], on_f[1])),
    )
    forces = on_m, on_f, both
    _add_component(axis, (z_i[0], z_f[0], z_p[0]), forces, element, gauss, 0, force_m, force_f)
    _add_component(axis, (z_i[1], z_f[1], z_p[1]), forces, element, gauss, 1, force_m, force_f)
    _add_component(axis, (z_i[2], z_f[2], z_p[2]), forces, element, gauss, 2, force_m, force_f)


@kernel
def add_measure_forces(element, gauss, axis, z, s, out):
    """Add B(z)^T s of forces s on the measures to the nodes' ambient forces out (n, 4, 3)."""
    _add_to_nodes(_component_force(axis, z[0], s), element, gauss, 0, out)
    _add_to_nodes(_component_force(axis, z[1], s), element, gauss, 1, out)
    _add_to_nodes(_component_force(axis, z[2], s), element, gauss, 2, out)
