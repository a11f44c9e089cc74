"""Compiled kernels of the geometrically exact beam with 2, 3 or 4 nodes (one code, the record's shapes decide).

Reference line and directors are interpolated, z = (x', d_1, d_2, d_3, d_1', d_2', d_3') as (7, 3) at a Gauss point,
linear in the nodes' ambient vectors. Strains are quadratic in z:

    Gamma_a = d_a . x'        K_a = (d_b' . d_c - d_c' . d_b) / 2,   (a, b, c) cyclic        eps = [Gamma, K] - eps0

so the rule of `discrete_rule` applies, with B(z) the derivative of the strains and eps_p = B(z_f) z_p. The stiffness C
and the viscosity D (6, 6), which is eta C for one damping time, give

    s_g = C (eps_j + eps_f)/2 + D Deps/dt        s_d = C (eps_f - eps_j)/2 + D (eps_p - Deps)/dt

and Q_m . Dz + Q_f . z_p = V_f - V_i + |eps_j - eps_i|_C^2 / 2 + viscous loss. Source: docs/theory.md, sections 2, 5, 6.

Forces leave these kernels times dt^2. "gauss" below runs over a record's nn - 1 Gauss points.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.compiled import kernel
from fem_mbd.scheme.discrete_rule import Q_f, Q_m, half_jump, jump, mean


def beam_dtype(nn: int) -> np.dtype:
    """One element with nn nodes: shape functions N, dN/ds at the Gauss points, weights, offsets, section data."""
    ng = nn - 1
    return np.dtype(
        [
            ("nodes", "i8", (nn,)),
            ("shape", "f8", (ng, nn)),
            ("slope", "f8", (ng, nn)),
            ("weight", "f8", (ng,)),
            ("offset", "f8", (nn, 3)),  # mass centre -> reference line, node axes
            ("stiffness", "f8", (ng, 6, 6)),
            ("strain_0", "f8", (ng, 6)),
            ("viscosity", "f8", (ng, 6, 6)),
            ("strain_i", "f8", (ng, 6)),
            ("lin_g", "f8", (ng, 6)),  # extrapolated stress resultants for the geometric stiffness
            ("lin_d", "f8", (ng, 6)),
        ],
        align=True,
    )


@kernel
def interpolate(q, element, gauss, z):
    """Fill z (7, 3) from the ambient vectors q (n, 4, 3) of all nodes."""
    z[:] = 0.0
    for m in range(element.nodes.shape[0]):
        n = element.nodes[m]
        s, d = element["shape"][gauss, m], element["slope"][gauss, m]
        off = element["offset"][m]
        for i in range(3):
            d1, d2, d3 = q[n, 1, i], q[n, 2, i], q[n, 3, i]
            z[0, i] += d * (q[n, 0, i] + off[0] * d1 + off[1] * d2 + off[2] * d3)
            z[1, i] += s * d1
            z[2, i] += s * d2
            z[3, i] += s * d3
            z[4, i] += d * d1
            z[5, i] += d * d2
            z[6, i] += d * d3


@kernel
def strain_form(z, y, out):
    """Fill out (6,) with the symmetric bilinear form of the strains; at y = z it is twice their quadratic part."""
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        g, k = 0.0, 0.0
        for i in range(3):
            g += z[0, i] * y[1 + a, i] + y[0, i] * z[1 + a, i]
            k += z[4 + b, i] * y[1 + c, i] + y[4 + b, i] * z[1 + c, i]
            k -= z[4 + c, i] * y[1 + b, i] + y[4 + c, i] * z[1 + b, i]
        out[a] = g
        out[3 + a] = 0.5 * k


@kernel
def add_force(z, stress, scale, force):
    """force (7, 3) += scale B(z)^T stress."""
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        g, k = scale * stress[a], 0.5 * scale * stress[3 + a]
        for i in range(3):
            force[0, i] += g * z[1 + a, i]
            force[1 + a, i] += g * z[0, i]
            force[4 + b, i] += k * z[1 + c, i]
            force[1 + c, i] += k * z[4 + b, i]
            force[4 + c, i] -= k * z[1 + b, i]
            force[1 + b, i] -= k * z[4 + c, i]


@kernel
def spread(force, element, gauss, out):
    """Add a force (7, 3) on z to the ambient forces out (n, 4, 3) of the element's nodes."""
    for m in range(element.nodes.shape[0]):
        n = element.nodes[m]
        s, d = element["shape"][gauss, m], element["slope"][gauss, m]
        off = element["offset"][m]
        for i in range(3):
            f = d * force[0, i]
            out[n, 0, i] += f
            for a in range(3):
                out[n, 1 + a, i] += off[a] * f + s * force[1 + a, i] + d * force[4 + a, i]


@kernel
def strains(element, gauss, z, eps):
    """Fill eps (6,), the strains at z (7, 3) of a Gauss point."""
    strain_form(z, z, eps)
    for r in range(6):
        eps[r] = 0.5 * eps[r] - element["strain_0"][gauss, r]


@kernel
def discrete_stress(element, gauss, dt, eps_f, eps_p, s_g, s_d):
    """Fill s_g and s_d (6,) of the strains at t_f and dt times their rates there (6,)."""
    s_g[:] = 0.0
    s_d[:] = 0.0
    for k in range(6):
        eps_i = element["strain_i"][gauss, k]
        middle, half = mean(eps_i, eps_f[k], eps_p[k]), half_jump(eps_i, eps_f[k], eps_p[k])
        change = eps_f[k] - eps_i
        for r in range(6):
            c, d = element["stiffness"][gauss, r, k], element["viscosity"][gauss, r, k] / dt
            s_g[r] += c * middle + d * change
            s_d[r] += c * half + d * (eps_p[k] - change)


@kernel
def discrete_arguments(z_i, z_f, z_p, y):
    """Fill y (4, 7, 3), where B is taken: Q_m = B(y[0])^T s_g + B(y[2])^T s_d, Q_f = B(y[1])^T s_g + B(y[3])^T s_d."""
    for v in range(7):
        for i in range(3):
            z_mean, z_change = 0.5 * (z_i[v, i] + z_f[v, i]), z_f[v, i] - z_i[v, i]
            y[0, v, i] = Q_m(z_mean, z_p[v, i], 1.0, 0.0)
            y[1, v, i] = Q_f(z_f[v, i], z_change, 1.0, 0.0)
            y[2, v, i] = Q_m(z_mean, z_p[v, i], 0.0, 1.0)
            y[3, v, i] = Q_f(z_f[v, i], z_change, 0.0, 1.0)


@kernel
def discrete_force(y, s_g, s_d, scale, force_m, force_f):
    """Fill scale times Q_m and Q_f (7, 3) on z of the stresses (6,); y (4, 7, 3) from `discrete_arguments`."""
    force_m[:] = 0.0
    force_f[:] = 0.0
    add_force(y[0], s_g, scale, force_m)
    add_force(y[1], s_g, scale, force_f)
    add_force(y[2], s_d, scale, force_m)
    add_force(y[3], s_d, scale, force_f)


@kernel
def residual(elements, dt, q_i, q_f, p, force_m, force_f):
    """Add every element's ambient forces (times dt^2) to force_m, force_f (n, 4, 3); q_i, q_f, p likewise (n, 4, 3)."""
    z_i, z_f, z_p, y = np.empty((7, 3)), np.empty((7, 3)), np.empty((7, 3)), np.empty((4, 7, 3))
    f_m, f_f = np.empty((7, 3)), np.empty((7, 3))
    eps_f, eps_p, s_g, s_d = np.empty(6), np.empty(6), np.empty(6), np.empty(6)
    for e in range(elements.shape[0]):
        element = elements[e]
        for g in range(element.weight.shape[0]):
            interpolate(q_i, element, g, z_i)
            interpolate(q_f, element, g, z_f)
            interpolate(p, element, g, z_p)
            strains(element, g, z_f, eps_f)
            strain_form(z_f, z_p, eps_p)
            discrete_stress(element, g, dt, eps_f, eps_p, s_g, s_d)
            discrete_arguments(z_i, z_f, z_p, y)
            discrete_force(y, s_g, s_d, dt * dt * element.weight[g], f_m, f_f)
            spread(f_m, element, g, force_m)
            spread(f_f, element, g, force_f)


@kernel
def elastic_stress(element, gauss, eps, s):
    """Fill s (6,) = C eps of a Gauss point."""
    for r in range(6):
        total = 0.0
        for k in range(6):
            total += element["stiffness"][gauss, r, k] * eps[k]
        s[r] = total


@kernel
def begin_step(elements, q_i):
    """Strains at t_i from q_i (n, 4, 3); the extrapolated stresses start from the stress there."""
    z = np.empty((7, 3))
    for e in range(elements.shape[0]):
        element = elements[e]
        for g in range(element.weight.shape[0]):
            interpolate(q_i, element, g, z)
            strains(element, g, z, element["strain_i"][g])
            elastic_stress(element, g, element["strain_i"][g], element["lin_g"][g])
            element["lin_d"][g, :] = 0.0


@kernel
def extrapolate(elements, dt, q_f, p, dq, dp):
    """lin_g, lin_d = stresses at the last tangent's iterate (q_f, p) plus their first-order change by (dq, dp)."""
    z_f, z_p, dz_f, dz_p = np.empty((7, 3)), np.empty((7, 3)), np.empty((7, 3)), np.empty((7, 3))
    eps_f, eps_p, by_f, by_p, along = np.empty(6), np.empty(6), np.empty(6), np.empty(6), np.empty(6)
    for e in range(elements.shape[0]):
        element = elements[e]
        for g in range(element.weight.shape[0]):
            interpolate(q_f, element, g, z_f)
            interpolate(p, element, g, z_p)
            interpolate(dq, element, g, dz_f)
            interpolate(dp, element, g, dz_p)
            strains(element, g, z_f, eps_f)
            strain_form(z_f, z_p, eps_p)
            strain_form(z_f, dz_f, along)
            strain_form(z_p, dz_f, by_f)
            strain_form(z_f, dz_p, by_p)
            for r in range(6):
                eps_f[r] += along[r]
                eps_p[r] += by_f[r] + by_p[r]
            discrete_stress(element, g, dt, eps_f, eps_p, element["lin_g"][g], element["lin_d"][g])


@kernel
def energies(elements, dt, q_f, p, out):
    """Add elastic energy at t_f, the scheme's elastic dissipation and the viscous one of the step to out (3,)."""
    z_f, z_p = np.empty((7, 3)), np.empty((7, 3))
    eps_f, eps_p, lost, change, rest = np.empty(6), np.empty(6), np.empty(6), np.empty(6), np.empty(6)
    for e in range(elements.shape[0]):
        element = elements[e]
        for g in range(element.weight.shape[0]):
            interpolate(q_f, element, g, z_f)
            interpolate(p, element, g, z_p)
            strains(element, g, z_f, eps_f)
            strain_form(z_f, z_p, eps_p)
            for r in range(6):
                eps_i = element["strain_i"][g, r]
                lost[r], change[r] = jump(eps_i, eps_f[r], eps_p[r]), eps_f[r] - eps_i
                rest[r] = eps_p[r] - change[r]
            w = element.weight[g]
            for r in range(6):
                for k in range(6):
                    c, d = w * element["stiffness"][g, r, k], w * element["viscosity"][g, r, k] / dt
                    out[0] += 0.5 * c * eps_f[r] * eps_f[k]
                    out[1] += 0.5 * c * lost[r] * lost[k]
                    out[2] += d * (change[r] * change[k] + rest[r] * rest[k] / 3)


@kernel
def section_state(elements, q, strain, force):
    """Fill strains and elastic stress resultants (n_gauss, 6) at q (n, 4, 3), axes of the record."""
    z, row = np.empty((7, 3)), 0
    for e in range(elements.shape[0]):
        element = elements[e]
        for g in range(element.weight.shape[0]):
            interpolate(q, element, g, z)
            strains(element, g, z, strain[row])
            elastic_stress(element, g, strain[row], force[row])
            row += 1
