"""Range in which the strains of beam elements hold, and its evaluation at Gauss points (compiled).

Directors are interpolated polynomials of the nodes' rotations, so an element resolves a rotation within it up to a
limit. Bent or twisted by end moments to a rotation phi within an element, its moment differs from EI phi/h by

    nodes    2 % at phi =    20 % at phi =    is no longer represented from
    2        0.8 rad         1.35 rad         3.0 rad, where it grows without bound and changes its sign beyond
    3        2.25 rad        4.2 rad          4.6 rad, where it falls
    4        3.2 rad         4.75 rad         6.2 rad, where it is twice and a half too large

(the derivative of K^2 of `gauss_point` by phi, for nodes on a circle). The measure is |K| times the length of the
element, which is phi as long as phi is resolved.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import array3, matrix, record, void
from fem_mbd.core.compiled.vectors import length
from fem_mbd.core.model.ranges import STOP, Range
from fem_mbd.elements.beam.forces import beam_dtype
from fem_mbd.elements.beam.gauss_point import interpolate, measures

ROTATION, FOLD, STRAIN, STRETCH = range(4)
ACCURATE = {2: 0.8, 3: 2.25, 4: 3.2}  # rad within an element: moments are 2 % off
RESOLVED = {2: 3.0, 3: 4.6, 4: 6.2}  # rad: beyond, moments do not represent the rotation
BUCKLES = {2: 0.12, 3: 2.9, 4: 11.5}  # N h^2/EI of an element in compression: critical loads are 2 % too high
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


def rotation_within(rotations: Array) -> float:
    """Angle, rad, through which the frames (n, 3, 3) turn from the first to the last, whole turns included."""
    relative = np.einsum("nji,njk->nik", rotations[:-1], rotations[1:])
    cosine = 0.5 * (np.trace(relative, axis1=1, axis2=2) - 1.0)
    return float(np.arccos(np.clip(cosine, -1.0, 1.0)).sum())
