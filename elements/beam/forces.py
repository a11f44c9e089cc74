"""Residual, extrapolated stresses and energies of geometrically exact beam elements of 2, 3 or 4 nodes (compiled).

The strains eps of a Gauss point are functions of measures that are quadratic in its interpolated vectors z
(`gauss_point`): the rule of `discrete_rule` applies twice, with eps_p dt times the strain rate at t_f. The stiffness C
and the viscosity D (6, 6), which is eta C for one damping time, give

    s_g = C (eps_j + eps_f)/2 + D Deps/dt        s_d = C (eps_f - eps_j)/2 + D (eps_p - Deps)/dt

and Q_m . Dz + Q_f . z_p = V_f - V_i + |eps_j - eps_i|_C^2 / 2 + viscous loss. Source: theory.md, sections 2, 5, 6.

Forces are multiplied by dt^2. An element has nn - 1 Gauss points, index ``gauss``.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import array3, float64, matrix, record, vector, void
from fem_mbd.core.scheme.discrete_rule import jump
from fem_mbd.elements.beam.gauss_point import (
    add_forces,
    discrete_stress,
    forces_on_measures,
    interpolate,
    measures,
    measures_form,
    rate_changes,
    store_measures,
    store_point,
    stored_point,
    strain_changes,
    strain_rates,
    strains,
    vectors_form,
)
from fem_mbd.elements.beam.tuples import four_total, inner, product, store, total


@cache
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
            ("strain_0", "f8", (ng, 6)),  # of the reference configuration
            ("axis", "f8", (ng, 3)),  # n, unit tangent of the reference line, node axes
            ("viscous", "i8"),  # whether there is any viscosity
            ("z_i", "f8", (ng, 3, 7)),  # z at t_i as in `gauss_point`: constant over the iterations
            ("measures_i", "f8", (ng, 10)),  # (g, l), (k, t) and 1/sqrt(l), 1/t at t_i
            ("strain_i", "f8", (ng, 6)),
            ("lin_g", "f8", (ng, 6)),  # extrapolated stress resultants for the geometric stiffness
            ("lin_d", "f8", (ng, 6)),
            ("viscosity", "f8", (ng, 6, 6)),  # last: not read if it is zero
        ],
        align=True,
    )


@kernel
def add_element_forces(element, dt, q_f, p, force_m, force_f):
    """Add an element's ambient forces (times dt^2) to force_m, force_f (n, 4, 3); q_f and p likewise (n, 4, 3)."""
    for g in range(element.weight.shape[0]):
        z_i, z_f, z_p = stored_point(element, g), interpolate(q_f, element, g), interpolate(p, element, g)
        y_f, y_p = measures(element, g, z_f), measures_form(element, g, z_f, z_p)
        s_g, s_d = discrete_stress(element, g, dt, strains(element, g, y_f), strain_changes(y_f, y_p))
        on_measures = forces_on_measures(element, g, y_f, y_p, s_g, s_d)
        add_forces(element, g, (z_i, z_f, z_p), on_measures, dt * dt * element.weight[g], force_m, force_f)


@kernel(*(void(record(beam_dtype(nn))[::1], float64, array3, array3, array3, array3) for nn in (2, 3, 4)))
def residual(elements, dt, q_f, p, force_m, force_f):
    """Add every element's ambient forces, see `add_element_forces`."""
    for e in range(elements.shape[0]):
        add_element_forces(elements[e], dt, q_f, p, force_m, force_f)


@kernel(*(void(record(beam_dtype(nn))[::1], array3) for nn in (2, 3, 4)))
def set_reference(elements, q):
    """Tangents and strains of the reference configuration q (n, 4, 3): the initial shape is free of stress."""
    for e in range(elements.shape[0]):
        element = elements[e]
        for g in range(element.weight.shape[0]):
            z = interpolate(q, element, g)
            tangent = vectors_form(z, z)
            length = np.sqrt(tangent[0] * tangent[0] + tangent[1] * tangent[1] + tangent[2] * tangent[2])
            for a in range(3):
                element["axis"][g, a] = tangent[a] / length
            element["strain_0"][g, :] = 0.0
            store(strains(element, g, measures(element, g, z)), element["strain_0"][g])


@kernel(*(void(record(beam_dtype(nn))[::1], array3) for nn in (2, 3, 4)))
def begin_step(elements, q_i):
    """z, measures and strains at t_i from q_i (n, 4, 3); the extrapolated stresses are set to the stresses there."""
    for e in range(elements.shape[0]):
        element = elements[e]
        for g in range(element.weight.shape[0]):
            z_i = interpolate(q_i, element, g)
            store_point(z_i, element["z_i"][g])
            y_i = measures(element, g, z_i)
            store_measures(element, g, y_i)
            eps = strains(element, g, y_i)
            store(eps, element["strain_i"][g])
            store(product(element["stiffness"][g], eps), element["lin_g"][g])
            element["lin_d"][g, :] = 0.0


@kernel
def extrapolate_stresses(element, dt, q_f, p, dq, dp):
    """lin_g, lin_d = stresses at the last tangent's iterate (q_f, p) plus their first-order change by (dq, dp)."""
    for g in range(element.weight.shape[0]):
        z_f, z_p = interpolate(q_f, element, g), interpolate(p, element, g)
        dz_f, dz_p = interpolate(dq, element, g), interpolate(dp, element, g)
        y_f, y_p = measures(element, g, z_f), measures_form(element, g, z_f, z_p)
        dy, by_rate = measures_form(element, g, z_f, dz_f), measures_form(element, g, z_f, dz_p)
        by_place = measures_form(element, g, z_p, dz_f)
        dy_p = four_total(by_rate[0], by_place[0]), four_total(by_rate[1], by_place[1])
        eps_f = total(strains(element, g, y_f), strain_changes(y_f, dy))
        eps_p = total(strain_changes(y_f, y_p), rate_changes(y_f, y_p, dy, dy_p))
        s_g, s_d = discrete_stress(element, g, dt, eps_f, eps_p)
        store(s_g, element["lin_g"][g])
        store(s_d, element["lin_d"][g])


@kernel(*(void(record(beam_dtype(nn))[::1], float64, array3, array3, array3, array3) for nn in (2, 3, 4)))
def extrapolate(elements, dt, q_f, p, dq, dp):
    """Extrapolate the stresses of all elements, see `extrapolate_stresses`."""
    for e in range(elements.shape[0]):
        extrapolate_stresses(elements[e], dt, q_f, p, dq, dp)


@kernel
def _strain_jumps(element, gauss, f, p):
    """Jumps eps_j - eps_i of the strains at t_i, from those at t_f and dt times their rates there: six numbers."""
    e = element["strain_i"][gauss]
    return (
        jump(e[0], f[0], p[0]),
        jump(e[1], f[1], p[1]),
        jump(e[2], f[2], p[2]),
        jump(e[3], f[3], p[3]),
        jump(e[4], f[4], p[4]),
        jump(e[5], f[5], p[5]),
    )


@kernel
def add_element_energies(element, dt, q_f, p, out):
    """Add an element's energies to out (3,), see `energies`."""
    for g in range(element.weight.shape[0]):
        z_f, w, stiffness = interpolate(q_f, element, g), element.weight[g], element["stiffness"][g]
        y_f, y_p = measures(element, g, z_f), measures_form(element, g, z_f, interpolate(p, element, g))
        eps_f, eps_p = strains(element, g, y_f), strain_changes(y_f, y_p)
        lost = _strain_jumps(element, g, eps_f, eps_p)
        out[0] += 0.5 * w * inner(eps_f, product(stiffness, eps_f))
        out[1] += 0.5 * w * inner(lost, product(stiffness, lost))
        if element.viscous:
            change, rest = strain_rates(element, g, dt, eps_f, eps_p)
            viscosity = element["viscosity"][g]
            power = inner(change, product(viscosity, change)) + inner(rest, product(viscosity, rest)) / 3
            out[2] += dt * w * power


@kernel(*(void(record(beam_dtype(nn))[::1], float64, array3, array3, vector) for nn in (2, 3, 4)))
def energies(elements, dt, q_f, p, out):
    """Add elastic energy at t_f, the scheme's elastic dissipation and the viscous one of the step to out (3,)."""
    for e in range(elements.shape[0]):
        add_element_energies(elements[e], dt, q_f, p, out)


@kernel(*(void(record(beam_dtype(nn))[::1], array3, matrix, matrix) for nn in (2, 3, 4)))
def section_state(elements, q, strain, force):
    """Fill strains and elastic stress resultants (n_gauss, 6) at q (n, 4, 3), axes of the record."""
    row = 0
    for e in range(elements.shape[0]):
        element = elements[e]
        for g in range(element.weight.shape[0]):
            eps = strains(element, g, measures(element, g, interpolate(q, element, g)))
            store(eps, strain[row])
            store(product(element["stiffness"][g], eps), force[row])
            row += 1


@kernel(void(array3, matrix, matrix))
def to_section_axes(turns, values, out):
    """out (n, 6) = strains or stress resultants in section axes, from node axes; turns (n, 3, 3)."""
    for n in range(values.shape[0]):
        for half in range(2):
            for i in range(3):
                total_i = 0.0
                for j in range(3):
                    total_i += turns[n, i, j] * values[n, 3 * half + j]
                out[n, 3 * half + i] = total_i
