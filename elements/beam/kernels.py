"""Compiled kernels of the geometrically exact beam with 2, 3 or 4 nodes (one code, the record's shapes decide).

Reference line and directors are interpolated, z = (x', d_1, d_2, d_3, d_1', d_2', d_3') as (7, 3) at a Gauss point,
linear in the nodes' ambient vectors. Strains are quadratic in z:

    Gamma_a = d_a . x'        K_a = (d_b' . d_c - d_c' . d_b) / 2,   (a, b, c) cyclic        eps = [Gamma, K] - eps0

so the discrete-derivative rule applies: with B(z) the derivative of the strains,

    eps_j = eps_i + (Deps - ed)/3,  ed = B(z_f) z_p,     s_g = C (eps_j + eps_f)/2,  ds = C (eps_f - eps_j)/2
    Q_m = B(zbar - z_p/6)^T s_g - B(zbar)^T ds/3         Q_f = [2 B(z_f)^T ds + B(Dz)^T s_g]/6

and Q_m . Dz + Q_f . z_p = V_f - V_i + |eps_j - eps_i|_C^2 / 2 exactly. Kelvin-Voigt damping eta adds
eta C Deps/dt to s_g and eta C (ed - Deps)/dt to ds; a viscosity matrix D does the same in the place of
eta C. Source: docs/theory.md, sections 2, 5 and 6.

Forces leave these kernels times dt^2. "gauss" below runs over a record's nn - 1 Gauss points.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.compiled import kernel


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
            ("damping", "f8"),
            ("viscous", "i8"),  # whether there is a viscosity beside damping times stiffness
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
def discrete_strains(element, gauss, z_f, z_p, eps_f, eps_d, eps_j):
    """Fill the strains at t_f, dt times their rate there, and the strains after the jump at t_i."""
    strain_form(z_f, z_f, eps_f)
    strain_form(z_f, z_p, eps_d)
    for r in range(6):
        eps_f[r] = 0.5 * eps_f[r] - element["strain_0"][gauss, r]
        e_i = element["strain_i"][gauss, r]
        eps_j[r] = e_i + (eps_f[r] - e_i - eps_d[r]) / 3


@kernel
def discrete_stress(element, gauss, dt, eps_f, eps_d, eps_j, s_g, s_d):
    """Fill s_g and ds (6,), Kelvin-Voigt part included."""
    c = element["stiffness"][gauss]
    rate = element["damping"] / dt
    for r in range(6):
        g, d = 0.0, 0.0
        for k in range(6):
            jump = eps_f[k] - element["strain_i"][gauss, k]
            g += c[r, k] * (0.5 * (eps_j[k] + eps_f[k]) + rate * jump)
            d += c[r, k] * (0.5 * (eps_f[k] - eps_j[k]) + rate * (eps_d[k] - jump))
        s_g[r] = g
        s_d[r] = d
    if element["viscous"]:
        for r in range(6):
            for k in range(6):
                v = element["viscosity"][gauss, r, k] / dt
                jump = eps_f[k] - element["strain_i"][gauss, k]
                s_g[r] += v * jump
                s_d[r] += v * (eps_d[k] - jump)


@kernel
def discrete_force(z_i, z_f, z_p, s_g, s_d, scale, z_work, force_m, force_f):
    """Fill the forces (7, 3) on z: Q_m, conjugate to its change, and Q_f, conjugate to dt times its rate at t_f."""
    force_m[:] = 0.0
    force_f[:] = 0.0
    for v in range(7):
        for i in range(3):
            z_work[v, i] = 0.5 * (z_i[v, i] + z_f[v, i])
    add_force(z_work, s_d, -scale / 3, force_m)
    for v in range(7):
        for i in range(3):
            z_work[v, i] -= z_p[v, i] / 6
    add_force(z_work, s_g, scale, force_m)
    for v in range(7):
        for i in range(3):
            z_work[v, i] = z_f[v, i] - z_i[v, i]
    add_force(z_work, s_g, scale / 6, force_f)
    add_force(z_f, s_d, scale / 3, force_f)


@kernel
def residual(elements, dt, q_i, q_f, p, force_m, force_f):
    """Add every element's ambient forces (times dt^2)."""
    z_i, z_f, z_p, z_w = np.empty((7, 3)), np.empty((7, 3)), np.empty((7, 3)), np.empty((7, 3))
    f_m, f_f = np.empty((7, 3)), np.empty((7, 3))
    eps_f, eps_d, eps_j, s_g, s_d = np.empty(6), np.empty(6), np.empty(6), np.empty(6), np.empty(6)
    for e in range(elements.shape[0]):
        element = elements[e]
        for g in range(element.weight.shape[0]):
            interpolate(q_i, element, g, z_i)
            interpolate(q_f, element, g, z_f)
            interpolate(p, element, g, z_p)
            discrete_strains(element, g, z_f, z_p, eps_f, eps_d, eps_j)
            discrete_stress(element, g, dt, eps_f, eps_d, eps_j, s_g, s_d)
            discrete_force(z_i, z_f, z_p, s_g, s_d, dt * dt * element.weight[g], z_w, f_m, f_f)
            spread(f_m, element, g, force_m)
            spread(f_f, element, g, force_f)


@kernel
def begin_step(elements, q_i):
    """Strains at t_i; the extrapolated stresses start from the stress there."""
    z, eps = np.empty((7, 3)), np.empty(6)
    for e in range(elements.shape[0]):
        element = elements[e]
        for g in range(element.weight.shape[0]):
            interpolate(q_i, element, g, z)
            strain_form(z, z, eps)
            for r in range(6):
                element["strain_i"][g, r] = 0.5 * eps[r] - element["strain_0"][g, r]
            for r in range(6):
                s = 0.0
                for k in range(6):
                    s += element["stiffness"][g, r, k] * element["strain_i"][g, k]
                element["lin_g"][g, r] = s
                element["lin_d"][g, r] = 0.0


@kernel
def extrapolate(elements, dt, q_f, p, dq, dp):
    """lin_g, lin_d = stresses at the last tangent's iterate plus their first-order change by (dq, dp)."""
    z_f, z_p, y_f, y_p = np.empty((7, 3)), np.empty((7, 3)), np.empty((7, 3)), np.empty((7, 3))
    eps_f, eps_d, eps_j, inc, s_g, s_d = (
        np.empty(6),
        np.empty(6),
        np.empty(6),
        np.empty(6),
        np.empty(6),
        np.empty(6),
    )
    for e in range(elements.shape[0]):
        element = elements[e]
        for g in range(element.weight.shape[0]):
            interpolate(q_f, element, g, z_f)
            interpolate(p, element, g, z_p)
            interpolate(dq, element, g, y_f)
            interpolate(dp, element, g, y_p)
            strain_form(z_f, z_f, eps_f)
            strain_form(z_f, z_p, eps_d)
            strain_form(z_f, y_f, inc)
            for r in range(6):
                eps_f[r] = 0.5 * eps_f[r] - element["strain_0"][g, r] + inc[r]
            strain_form(z_p, y_f, inc)
            for r in range(6):
                eps_d[r] += inc[r]
            strain_form(z_f, y_p, inc)
            for r in range(6):
                eps_d[r] += inc[r]
                e_i = element["strain_i"][g, r]
                eps_j[r] = e_i + (eps_f[r] - e_i - eps_d[r]) / 3
            discrete_stress(element, g, dt, eps_f, eps_d, eps_j, s_g, s_d)
            for r in range(6):
                element["lin_g"][g, r] = s_g[r]
                element["lin_d"][g, r] = s_d[r]


@kernel
def energies(elements, dt, q_f, p, out):
    """Add elastic energy at t_f, the scheme's elastic dissipation and the viscous one of the step to out (3,)."""
    z_f, z_p = np.empty((7, 3)), np.empty((7, 3))
    eps_f, eps_d, eps_j = np.empty(6), np.empty(6), np.empty(6)
    for e in range(elements.shape[0]):
        element = elements[e]
        rate = element.damping / dt
        for g in range(element.weight.shape[0]):
            interpolate(q_f, element, g, z_f)
            interpolate(p, element, g, z_p)
            discrete_strains(element, g, z_f, z_p, eps_f, eps_d, eps_j)
            w = element.weight[g]
            for r in range(6):
                for k in range(6):
                    c = w * element["stiffness"][g, r, k]
                    i_r, i_k = element["strain_i"][g, r], element["strain_i"][g, k]
                    m_r, m_k = eps_f[r] - i_r, eps_f[k] - i_k
                    out[0] += 0.5 * c * eps_f[r] * eps_f[k]
                    out[1] += 0.5 * c * (eps_j[r] - i_r) * (eps_j[k] - i_k)
                    v = rate * c
                    if element["viscous"]:
                        v += w * element["viscosity"][g, r, k] / dt
                    out[2] += v * (m_r * m_k + (eps_d[r] - m_r) * (eps_d[k] - m_k) / 3)


@kernel
def section_state(elements, q, strain, force):
    """Fill strains and elastic stress resultants (n_gauss, 6), axes of the record, element after element."""
    z, eps = np.empty((7, 3)), np.empty(6)
    row = 0
    for e in range(elements.shape[0]):
        element = elements[e]
        for g in range(element.weight.shape[0]):
            interpolate(q, element, g, z)
            strain_form(z, z, eps)
            for r in range(6):
                strain[row, r] = 0.5 * eps[r] - element["strain_0"][g, r]
            for r in range(6):
                s = 0.0
                for k in range(6):
                    s += element["stiffness"][g, r, k] * strain[row, k]
                force[row, r] = s
            row += 1
