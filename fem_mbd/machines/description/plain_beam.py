"""Beams given by bending stiffness and mass only, such as the towers and blades of ElastoDyn.

They do not stretch, shear or twist there, and have no rotary inertia. Here with EI the larger stiffness of bending of a
section and L the length, EA and GA are RIGID EI/L^2, GJ is TWIST EI, and the inertia is that of a radius of gyration of
SLENDER L.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.elements.blades.axis import BladeAxis
from fem_mbd.elements.blades.blade import Blade
from fem_mbd.elements.section.section import Section
from fem_mbd.elements.section.table import SectionTable
from fem_mbd.errors import InputError

RIGID, TWIST = 1e5, 100.0
SLENDER = 0.005


def plain_beam(
    name: str,
    axis: BladeAxis,
    s: Array,
    mass: Array,
    bending: tuple[Array, Array],
    stretching: Array | None = None,
    torsion: Array | None = None,
    times: Array | float = 0.0,
    source: str = "",
    slender: Array | None = None,
) -> Blade:
    """A beam of tables over s (n,), fractions of its length.

    Parameters
    ----------
    name : of the beam
    axis : along which it runs
    s : (n,) from 0 to 1
    mass : (n,) kg/m
    bending : (n,) about x' and about y' of the sections, N m^2
    stretching, torsion : (n,) EA, N, and GJ, N m^2; stiff when left out
    times : (6,) Kelvin-Voigt times, s, see `Blade`
    source : the file, for messages
    slender : (n,) N m^2, what EA and GA follow where ``bending`` holds a direction; the larger of the two otherwise

    Raises
    ------
    InputError
        For masses or stiffnesses that are not above zero.
    """
    largest = np.maximum(*bending) if slender is None else slender
    rigid = RIGID * largest / axis.length**2
    stretching = rigid if stretching is None else stretching
    torsion = TWIST * largest if torsion is None else torsion
    columns = np.stack([stretching, rigid, rigid, torsion, *bending], axis=1)
    for what, values in (("mass", mass), ("stiffness", columns)):
        if np.any(values <= 0.0):
            raise InputError(f"{source}: the {what} of '{name}' has to be above zero at all stations")
    rotary = (SLENDER * axis.length) ** 2 * np.diag([2.0, 1.0, 1.0])
    sections = [Section(np.diag(row), float(m), m * rotary) for row, m in zip(columns, mass, strict=True)]
    return Blade(axis, SectionTable(s, sections), times, name=name, source=source)
