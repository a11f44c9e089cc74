"""Strains, stress resultants and nodal forces of a beam element at one Gauss point (compiled).

Reference line and directors are interpolated: z = (x', d_1, d_2, d_3, d_1', d_2', d_3') at a Gauss point is linear in
the nodes' ambient vectors. Strains are quadratic in z:

    Gamma_a = d_a . x'        K_a = (d_b' . d_c - d_c' . d_b) / 2,   (a, b, c) cyclic        eps = [Gamma, K] - eps0

The kernels use tuples of numbers, three of seven for z (one per global component), six for strains and stresses: the
compiler keeps them in registers, while small arrays would be written to memory and read again. This takes two thirds of
the time.
"""

from __future__ import annotations

from fem_mbd.core.compiled import kernel
from fem_mbd.core.scheme.discrete_rule import Q_f, Q_m, half_jump, mean, mean_rate, rate_excess


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
def _form_of_component(z, y):
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
def total(a, b):
    """a + b of six numbers each."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


@kernel
def strain_form(z, y):
    """The symmetric bilinear form of the strains, B(z) y; for y = z it is twice their quadratic part."""
    first = total(_form_of_component(z[0], y[0]), _form_of_component(z[1], y[1]))
    return total(first, _form_of_component(z[2], y[2]))


@kernel
def strains(element, gauss, z):
    """eps at z."""
    f, e = strain_form(z, z), element["strain_0"][gauss]
    return (
        0.5 * f[0] - e[0],
        0.5 * f[1] - e[1],
        0.5 * f[2] - e[2],
        0.5 * f[3] - e[3],
        0.5 * f[4] - e[4],
        0.5 * f[5] - e[5],
    )


@kernel
def inner(a, b):
    """a . b of six numbers each, also of a row of an array."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


@kernel
def product(c, v):
    """c v, with c (6, 6) of an array."""
    return inner(c[0], v), inner(c[1], v), inner(c[2], v), inner(c[3], v), inner(c[4], v), inner(c[5], v)


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


@kernel
def _scaled(factor, s):
    return factor * s[0], factor * s[1], factor * s[2], factor * s[3], factor * s[4], factor * s[5]


@kernel
def _component_force(z, s, y, t):
    """Component of B(z)^T s + B(y)^T t on z: seven numbers."""
    x, d1, d2, d3, e1, e2, e3 = z
    u, a1, a2, a3, b1, b2, b3 = y
    g1, g2, g3, k1, k2, k3 = s
    h1, h2, h3, l1, l2, l3 = t
    return (
        g1 * d1 + g2 * d2 + g3 * d3 + (h1 * a1 + h2 * a2 + h3 * a3),
        g1 * x + h1 * u + 0.5 * (k2 * e3 - k3 * e2 + (l2 * b3 - l3 * b2)),
        g2 * x + h2 * u + 0.5 * (k3 * e1 - k1 * e3 + (l3 * b1 - l1 * b3)),
        g3 * x + h3 * u + 0.5 * (k1 * e2 - k2 * e1 + (l1 * b2 - l2 * b1)),
        0.5 * (d2 * k3 - d3 * k2 + (a2 * l3 - a3 * l2)),
        0.5 * (d3 * k1 - d1 * k3 + (a3 * l1 - a1 * l3)),
        0.5 * (d1 * k2 - d2 * k1 + (a1 * l2 - a2 * l1)),
    )


@kernel
def _mean_and_change(z_i, z_f):
    """(z_i + z_f)/2 and z_f - z_i of seven numbers each."""
    i0, i1, i2, i3, i4, i5, i6 = z_i
    f0, f1, f2, f3, f4, f5, f6 = z_f
    middle = (
        0.5 * (i0 + f0),
        0.5 * (i1 + f1),
        0.5 * (i2 + f2),
        0.5 * (i3 + f3),
        0.5 * (i4 + f4),
        0.5 * (i5 + f5),
        0.5 * (i6 + f6),
    )
    return middle, (f0 - i0, f1 - i1, f2 - i2, f3 - i3, f4 - i4, f5 - i5, f6 - i6)


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
def _add_component(z, sums, element, gauss, i, force_m, force_f):
    (z_i, z_f, z_p), (m_mean, m_p, f_f, f_change) = z, sums
    middle, change = _mean_and_change(z_i, z_f)
    _add_to_nodes(_component_force(middle, m_mean, z_p, m_p), element, gauss, i, force_m)
    _add_to_nodes(_component_force(z_f, f_f, change, f_change), element, gauss, i, force_f)


@kernel
def add_forces(element, gauss, z_i, z_f, z_p, s_g, s_d, scale, force_m, force_f):
    """Add scale times Q_m and Q_f of the stresses to the nodes' ambient forces force_m, force_f (n, 4, 3).

    Both are linear in the stresses, so B of the mean of z, of z_p, of z_f and of the change of z each multiply one sum.
    """
    m_mean = total(
        _scaled(scale * Q_m(1.0, 0.0, 1.0, 0.0), s_g), _scaled(scale * Q_m(1.0, 0.0, 0.0, 1.0), s_d)
    )
    m_p = total(_scaled(scale * Q_m(0.0, 1.0, 1.0, 0.0), s_g), _scaled(scale * Q_m(0.0, 1.0, 0.0, 1.0), s_d))
    f_f = total(_scaled(scale * Q_f(1.0, 0.0, 1.0, 0.0), s_g), _scaled(scale * Q_f(1.0, 0.0, 0.0, 1.0), s_d))
    f_change = total(
        _scaled(scale * Q_f(0.0, 1.0, 1.0, 0.0), s_g), _scaled(scale * Q_f(0.0, 1.0, 0.0, 1.0), s_d)
    )
    sums = m_mean, m_p, f_f, f_change
    _add_component((z_i[0], z_f[0], z_p[0]), sums, element, gauss, 0, force_m, force_f)
    _add_component((z_i[1], z_f[1], z_p[1]), sums, element, gauss, 1, force_m, force_f)
    _add_component((z_i[2], z_f[2], z_p[2]), sums, element, gauss, 2, force_m, force_f)


@kernel
def add_strain_forces(element, gauss, z, s, out):
    """Add B(z)^T s, whose power is s times the strain rates, to the ambient forces out (n, 4, 3) of the nodes."""
    none = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    _add_to_nodes(_component_force(z[0], s, z[0], none), element, gauss, 0, out)
    _add_to_nodes(_component_force(z[1], s, z[1], none), element, gauss, 1, out)
    _add_to_nodes(_component_force(z[2], s, z[2], none), element, gauss, 2, out)


@kernel
def store(numbers, out):
    """Write six numbers to out (6,)."""
    out[0], out[1], out[2], out[3], out[4], out[5] = numbers


@kernel
def _seven(v):
    return v[0], v[1], v[2], v[3], v[4], v[5], v[6]


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
    return _seven(z[0]), _seven(z[1]), _seven(z[2])
