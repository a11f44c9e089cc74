"""Straight beams of machines: pieces between members, beams given by bending stiffness and mass; meshes of members.

Connecting pieces are nearly rigid and nearly massless straight beams along their z axis: mass MIN_MASS, stiffness up to
the limit of `fem_mbd.machines.assemble`. Torsional stiffness and damping can be given, for drivetrains and yaw drives.

Beams given by bending stiffness and mass only, such as towers and blades of ElastoDyn, do not stretch, shear or twist
there, and have no rotary inertia. Here, with EI the larger bending stiffness of a section and L the length, EA and GA
are RIGID EI/L^2, GJ is TWIST EI, and the radius of gyration is SLENDER L.

Meshes can have fewer elements per member than its file has stations. Elements have four nodes, and sections between
their ends are integrated exactly, so that a few of nearly equal length suffice. For the first eight modes of a clamped
blade of the IEA 22 MW turbine (110 stations) 25 elements at most change frequencies by 2.4e-4, 13 by 6.1e-4; of the IEA
15 MW turbine (37 stations) 13 by 1.1e-4, 9 by 4e-4; of the IEA 10 MW turbine (50 stations) 13 by 8.2e-4, 9 by 1.6e-3.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import positive, whole_number
from fem_mbd.elements.blades.blade import Blade, BladeAxis
from fem_mbd.elements.section.section import Section
from fem_mbd.elements.section.table import SectionTable, fits_one_element
from fem_mbd.errors import InputError
from fem_mbd.machines.description.machine import Machine
from fem_mbd.machines.description.parts import Lump, Member

MIN_MASS = 1e-3  # kg/m, and kg m of rotary inertia
RIGID_STIFFNESS = 1e20  # N and N m^2; `assemble` limits it
SLENDER = 0.005
NODES_PER_ELEMENT = 4
RIGID, TWIST = 1e5, 100.0
FEW = 8  # elements of a member whose file or user gives fewer stations


def connecting_piece(
    name: str,
    length: float,
    torsion: tuple[float, float] | None = None,
    lumps: tuple[Lump, ...] = (),
    where: str = "",
) -> Member:
    """A nearly rigid piece between two members.

    Parameters
    ----------
    name : of the member
    length : m
    torsion : stiffness (N m/rad) and damping (N m s/rad) in torsion; rigid when left out
    lumps : at its nodes 0 and 1
    where : for messages

    Raises
    ------
    InputError
        For a length or a stiffness that is not above zero.
    """
    checked_length = positive(length, f"{where or name}: length of '{name}' (m)")
    stiffness, times = np.full(6, RIGID_STIFFNESS), np.zeros(6)
    if torsion is not None:
        spring = positive(torsion[0], f"{where or name}: torsional stiffness of '{name}' (N m/rad)")
        stiffness[3], times[3] = spring * checked_length, torsion[1] / spring
    section = Section(np.diag(stiffness), MIN_MASS, MIN_MASS * np.diag([2.0, 1.0, 1.0]))
    axis = BladeAxis([[0.0, 0.0, 0.0], [0.0, 0.0, checked_length]], [0.0, 0.0])
    blade = Blade(axis, SectionTable([0.0, 1.0], [section, section]), times, name=name)
    return Member(name, blade, np.array([0.0, 1.0]), lumps, where)


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
    """A beam given by tables over s (n,), fractions of its length.

    Parameters
    ----------
    name : of the beam
    axis : along which it runs
    s : (n,) from 0 to 1
    mass : (n,) kg/m
    bending : (n,) about x' and about y' of the sections, N m^2
    stretching, torsion : (n,) EA, N, and GJ, N m^2; nearly rigid when left out
    times : (6,) Kelvin-Voigt times, s, see `Blade`
    source : the file, for messages
    slender : (n,) N m^2, EI from which EA and GA are computed; by default the larger of the two of ``bending``

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


def with_elements(machine: Machine, most: int) -> Machine:
    """The machine with fewer elements along its members.

    Parameters
    ----------
    machine : members with fewer stations are not changed
    most : elements of a member; more where its sections vary too much for one element, or masses and links are between
        the ends of elements

    Raises
    ------
    InputError
        For a number below 1.
    """
    whole_number(most, "elements of a member")
    members = []
    for member in machine.members:
        bounds = np.asarray(member.blade.sections.s) if member.bounds is None else member.bounds
        fewer = len(bounds) - 1 > most
        members.append(replace(member, bounds=element_bounds(member.blade, most)) if fewer else member)
    return replace(machine, members=tuple(members))


def element_bounds(blade: Blade, most: int) -> Array:
    """Element boundaries, fractions of the length: all stations, or those that divide it most evenly.

    Files have most of their stations near the root: every second or third of them would leave long elements outside.
    Where sections vary too much for one element, all stations. Where the stations are few, as of a uniform blade, their
    intervals are divided such that no element is longer than 1/`FEW` of the blade, or 1/``most``.

    Parameters
    ----------
    blade : with its stations
    most : elements; as many as halving, thirding … the stations would give
    """
    s = np.asarray(blade.sections.s)
    every = np.ceil((len(s) - 1) / most)
    even = np.linspace(0.0, 1.0, int(np.ceil((len(s) - 1) / every)) + 1)
    nearest = np.argmin(np.abs(s[:, None] - even), axis=0)
    bounds = with_stations(blade, s if every == 1.0 else s[np.unique(nearest)])
    if len(bounds) > min(most, FEW):
        return bounds
    parts = np.ceil(np.diff(bounds) * min(most, FEW) * (1.0 - 1e-9)).astype(int)
    inside = [np.linspace(a, b, n, endpoint=False) for (a, b), n in zip(pairwise(bounds), parts, strict=True)]
    return np.append(np.concatenate(inside), 1.0)


def with_stations(blade: Blade, bounds: Array) -> Array:
    """Element boundaries, with further stations where the sections vary too much within an element.

    Parameters
    ----------
    blade : with its stations
    bounds : (n,) from 0 to 1, ascending
    """
    s = np.asarray(blade.sections.s)
    all_bounds = [bounds]
    for start, end in zip(bounds[:-1], bounds[1:], strict=True):
        if not fits_one_element(blade.sections, NODES_PER_ELEMENT, float(start), float(end)):
            all_bounds.append(s[(s > start) & (s < end)])
    return np.unique(np.concatenate(all_bounds))
