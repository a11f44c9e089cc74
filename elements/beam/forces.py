"""Residual, extrapolated stresses, energies and range of geometrically exact beam elements (compiled).

Elements have nn = 2, 3 or 4 nodes and nn - 1 Gauss points, index ``gauss``. The strains eps of a Gauss point are
functions of measures that are quadratic in its interpolated vectors z (`gauss_point`): the rule of `discrete_rule`
applies twice, with eps_p dt times the strain rate at t_f. The stiffness C and the viscosity D (6, 6), which is eta C
for one damping time, give

    s_g = C (eps_j + eps_f)/2 + D Deps/dt        s_d = C (eps_f - eps_j)/2 + D (eps_p - Deps)/dt

and Q_m . Dz + Q_f . z_p = V_f - V_i + |eps_j - eps_i|_C^2 / 2 + viscous loss. Forces are multiplied by dt^2.
Source: theory.md, sections 2, 5, 6.

Range in which the strains hold (`beam_ranges`, `evaluate`). Directors are interpolated polynomials of the nodes'
rotations, so an element resolves a rotation within it up to a limit. Bent or twisted by end moments to a rotation phi
within an element, its moment differs from EI phi/h by

    nodes    2 % at phi =    20 % at phi =    is no longer represented from
    2        0.8 rad         1.35 rad         3.0 rad, where it grows without bound and changes its sign beyond
    3        2.25 rad        4.2 rad          4.6 rad, where it falls
    4        3.2 rad         4.75 rad         6.2 rad, where it is twice and a half too large

(the derivative of K^2 of `gauss_point` by phi, for nodes on a circle). The measure is |K| times the length of the
element, which is phi as long as phi is resolved.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import array3, float64, matrix, record, vector, void
from fem_mbd.core.compiled.vectors import four_total, inner, length, product, store, total
from fem_mbd.core.model.ranges import STOP, Range
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


ROTATION, FOLD, STRAIN, STRETCH = range(4)
ACCURATE = {2: 0.8, 3: 2.25, 4: 3.2}  # rad within an element: moments are 2 % off
RESOLVED = {2: 3.0, 3: 4.6, 4: 6.2}  # rad: beyond, moments do not represent the rotation
BUCKLES = {2: 0.12, 3: 2.9, 4: 11.5}  # N h^2/EI of an element in compression: critical loads are 2 % too high
VIBRATES = {2: 0.21, 3: 0.68, 4: 1.2}  # half-waves in an element: frequencies of bending are 2 % too high
MAX_STRAIN = 0.2  # ln(1.2) = 0.18: engineering and true strain differ by 10 %
MAX_STRETCH_ERROR = 0.02
TINY = 1e-24  # directors of no length: the rotation is far beyond its limit
CIRCLE = "moment of an element whose nodes lie on a circle (theory.md, section 5)"
MORE = "use more elements there, or elements with more nodes"
SAMPLES = 8  # frames of the reference line within an element: up to half a turn from one to the next


def beam_ranges(nn: int) -> tuple[Range, ...]:
    """The ranges of elements with nn nodes, in the order of the measures of `evaluate`."""
    return (
        Range(
            f"rotation within an element of {nn} nodes", "rad", ACCURATE[nn],
            "its interpolation bends or twists too stiffly, by 2 % and more", MORE, CIRCLE,
        ),
        Range(
            f"rotation beyond interpolation by {nn} nodes", "rad", RESOLVED[nn],
            "the element does not represent its bending or twist: moments have nothing to do with it", MORE, CIRCLE,
            STOP,
        ),
        Range(
            f"strain, elements of {nn} nodes", "1", MAX_STRAIN,
            "stresses are linear in the strains only while these are small",
            "take the section's stiffness at that strain, if it is meant",
            "engineering and logarithmic strain differ by 10 %",
        ),
        Range(
            f"stretch without strain, elements of {nn} nodes", "1", MAX_STRETCH_ERROR,
            "the element's length does not follow from its strains: twist and bending within it are not resolved",
            MORE, "length of the reference line against the integral of 1 + Gamma_1", STOP,
        ),
    )  # fmt: skip


@kernel(*(void(record(beam_dtype(nn))[::1], array3, matrix) for nn in (2, 3, 4)))
def evaluate(elements, q, out):
    """Fill out (4, n_gauss): twice the rotation within the element, largest strain, stretch that no strain explains."""
    row = 0
    for e in range(elements.shape[0]):
        element = elements[e]
        span = 0.0
        for g in range(element.weight.shape[0]):
            span += element.weight[g]
        for g in range(element.weight.shape[0]):
            z = interpolate(q, element, g)
            y = measures(element, g, z)
            bent = span * length(y[1]) * (1.0 + 2.0 / max(abs(y[1][3]), TINY)) / 3.0
            stretch = length((z[0][0], z[1][0], z[2][0]))
            r, rest = 1.0 / np.sqrt(max(y[0][3], TINY)), element["strain_0"][g]
            gamma = r * y[0][0], r * y[0][1], r * y[0][2]
            strain = length((gamma[0] - rest[0], gamma[1] - rest[1], gamma[2] - rest[2]))
            out[ROTATION, row] = out[FOLD, row] = bent
            out[STRAIN, row], out[STRETCH, row] = strain, abs(stretch / length(gamma) - 1.0)
            row += 1


def compression(stiffness: Array, axis: Array, stress: Array, length: Array) -> Array:
    """N h^2/EI (n, ng) of elements in compression, 0 in tension.

    Parameters
    ----------
    stiffness, stress : (n, ng, 6, 6) and (n, ng, 6), node axes
    axis : (n, ng, 3) unit tangents, node axes
    length : (n,) m
    """
    force = np.maximum(-np.einsum("ngi,ngi->ng", axis, stress[..., :3]), 0.0)
    across = np.eye(3) - axis[..., :, None] * axis[..., None, :]
    bending = across @ stiffness[..., 3:, 3:] @ across
    softest = np.linalg.eigvalsh(bending)[..., 1]  # the first, along the axis, is zero
    return np.asarray(force * length[:, None] ** 2 / softest)


def wave_numbers(stiffness: Array, axis: Array, stress: Array, masses: Array, rate: float) -> Array:
    """Largest wave number (n,), 1/m, of waves of a frequency in each element: bending, torsion, stretch.

    Bending about the softest axis under tension N: EI k^4 + N k^2 = m w^2 (Graff, Wave Motion in Elastic Solids, Ohio
    State University Press 1975, section 3.3.2); torsion GJ k^2 = j w^2; stretch EA k^2 = m w^2.

    Parameters
    ----------
    stiffness, stress : (n, ng, 6, 6) and (n ng, 6), node axes
    axis : (n, ng, 3) unit tangents, node axes
    masses : (n, 2) kg/m, and kg m of rotation about the axis
    rate : w, rad/s
    """
    mass, polar = masses[:, :1] * rate**2, masses[:, 1:] * rate**2
    tension = np.einsum("ngi,ngi->ng", axis, stress.reshape(*axis.shape[:2], 6)[..., :3])
    along = axis[..., :, None] * axis[..., None, :]
    across = np.eye(3) - along
    softest = np.linalg.eigvalsh(across @ stiffness[..., 3:, 3:] @ across)[..., 1]
    bending = 2.0 * mass / (tension + np.sqrt(tension**2 + 4.0 * softest * mass))
    stretch = mass / np.einsum("ngij,ngij->ng", along, stiffness[..., :3, :3])
    torsion = polar / np.einsum("ngij,ngij->ng", along, stiffness[..., 3:, 3:])
    return np.sqrt(np.maximum(np.maximum(bending, stretch), torsion).max(axis=1))


def rotation_within(rotations: Array) -> float:
    """Angle, rad, through which the frames (n, 3, 3) turn from the first to the last, whole turns included."""
    relative = np.einsum("nji,njk->nik", rotations[:-1], rotations[1:])
    cosine = 0.5 * (np.trace(relative, axis1=1, axis2=2) - 1.0)
    return float(np.arccos(np.clip(cosine, -1.0, 1.0)).sum())
