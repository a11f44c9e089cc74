"""Substructures: piles below the tower, clamped or on a foundation of given stiffness; floating platforms.

`on_foundation`: a foundation is a straight massless beam whose upper end has the stiffness K (6, 6). A force and a
moment (F, M) at that end give (I + t N)(F, M) in the section at the distance t, with N (F, M) = (0, e_z x F). With c
the section's flexibility per length and L the length,

    K^-1 = int_0^L (I + t N)^T c (I + t N) dt

which is linear in c. A cubic beam element is exact for loads at its end, and so are statics of small motions.

`mooring`: forces and stiffness of a platform's lines at rest, from their catenaries.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import array, whole_number
from fem_mbd.core.rotations import skew
from fem_mbd.elements.blades.blade import Blade, BladeAxis
from fem_mbd.elements.catenary import MooringLine, line_at_rest
from fem_mbd.elements.section.section import Section
from fem_mbd.elements.section.table import SectionTable
from fem_mbd.errors import InputError
from fem_mbd.machines.description.beams import MIN_MASS
from fem_mbd.machines.description.parts import Floater, Lump, Member, Soil

Z = np.array([0.0, 0.0, 1.0])
MAX_PIECE_LENGTH = 1.0  # m, of a foundation's beam
MAX_HALVINGS = 12  # of that length
TO_SECTION = [2, 0, 1, 5, 3, 4]  # order of section forces and moments (axial, across, across) in x, y, z


@dataclass(frozen=True, eq=False)
class Substructure:
    """The structure below a tower.

    Attributes
    ----------
    members : from the ground up, each on the last node of the previous one; straight, along z
    base : m, height of the lower end, global z
    soil : springs along the members
    """

    members: tuple[Member, ...]
    base: float
    soil: tuple[Soil, ...] = ()


@dataclass(frozen=True, eq=False)
class FloatingPlatform:
    """A rigid platform that carries a tower and floats; matrices as of `fem_mbd.machines.description.parts.Floater`.

    Attributes
    ----------
    lumps : its mass and ballast, at the tower's foot, node 0
    reference, added_mass, damping, stiffness, gravity : as of `Floater`
    lift : N, buoyancy less vertical mooring forces and the weight of ballast fixed in space: equal to the machine's
        weight in equilibrium
    """

    lumps: tuple[Lump, ...]
    reference: Array
    added_mass: Array
    damping: Array
    stiffness: Array
    gravity: float
    lift: float

    def under(self, member: str) -> Floater:
        """Hydrodynamic and mooring matrices at node 0 of the tower, the member of that name."""
        return Floater(
            (member, 0), self.reference, self.added_mass, self.damping, self.stiffness, self.gravity
        )


def on_foundation(substructure: Substructure, stiffness: ArrayLike) -> Substructure:
    """The same substructure on a flexible foundation instead of being clamped.

    Parameters
    ----------
    substructure : above the foundation
    stiffness : (6, 6) symmetric positive definite, of forces and moments at the lower end to displacements and
        rotations there, global axes x, y, z; N/m, N/rad, N m/rad

    Raises
    ------
    InputError
        For a matrix that is not a valid stiffness.
    """
    piece = foundation_piece("foundation", stiffness)
    members = (piece, *substructure.members)
    return replace(substructure, members=members, base=substructure.base - piece.blade.length)


def in_soil(
    substructure: Substructure, stiffness: Callable[[float], float], mudline: float, number: int = 20
) -> Substructure:
    """The same substructure with springs along the embedded part of its first member (a Winkler foundation).

    Parameters
    ----------
    substructure : whose first member is the pile
    stiffness : N/m per m of the pile, in each horizontal direction, a function of the depth (m) below the mudline:
        e.g. the initial slope of p-y curves
    mudline : m, global z
    number : of equal intervals; the function is evaluated at their ends, which are element boundaries, and interpolated

    Raises
    ------
    InputError
        When no part of the pile is in the soil, or a stiffness is negative.
    """
    pile = substructure.members[0]
    length, base = pile.blade.length, substructure.base
    embedded = min(mudline - base, length)
    if not embedded > 0.0:
        raise InputError(
            f"'{pile.name}' begins at z = {base:g} m, not below the mudline at z = {mudline:g} m"
        )
    heights = np.linspace(0.0, embedded, whole_number(number, "soil: number of pieces") + 1)
    values = np.array([float(stiffness(mudline - base - height)) for height in heights])
    if values.min() < 0.0 or not np.all(np.isfinite(values)):
        raise InputError(f"soil along '{pile.name}': its stiffness has to be finite and not negative")
    bounds = np.asarray(pile.blade.sections.s) if pile.bounds is None else pile.bounds
    member = replace(pile, bounds=np.unique(np.concatenate([bounds, heights / length])))
    soil = Soil(pile.name, "lateral", base + heights, values)
    members = (member, *substructure.members[1:])
    return replace(substructure, members=members, soil=(*substructure.soil, soil))


def foundation_piece(name: str, stiffness: ArrayLike) -> Member:
    """The foundation as a beam whose upper end has the ``stiffness`` (6, 6), see `on_foundation`."""
    matrix = array(stiffness, (6, 6), f"'{name}': stiffness")
    scale = 1.0 / np.sqrt(np.maximum(np.abs(np.diag(matrix)), 1e-300))
    scaled = scale[:, None] * matrix * scale
    if np.abs(scaled - scaled.T).max() > 1e-6 or np.linalg.eigvalsh(0.5 * (scaled + scaled.T))[0] <= 0.0:
        raise InputError(
            f"'{name}': its stiffness has to be symmetric positive definite: every motion must be restrained"
        )
    flexibility = np.linalg.inv(0.5 * (matrix + matrix.T))
    for halving in range(MAX_HALVINGS):
        length = MAX_PIECE_LENGTH / 2.0**halving
        section = _section(flexibility, length)
        if section is not None:
            axis = BladeAxis([[0.0, 0.0, 0.0], [0.0, 0.0, length]], [0.0, 0.0])
            blade = Blade(axis, SectionTable([0.0, 1.0], [section, section]), 0.0, name=name)
            return Member(name, blade, np.array([0.0, 1.0]))
    raise InputError(f"'{name}': no short beam has this stiffness: check its units (N, m, rad)")


def _section(flexibility: Array, length: float) -> Section | None:
    """Section of a beam of ``length`` (m) whose end has the flexibility (6, 6); None when there is none."""
    eye, couple = np.eye(6), np.zeros((6, 6))
    couple[3:, :3] = skew(Z)
    n = couple.T
    # row-major: vec(A c B) = kron(A, B^T) vec(c)
    operator = length * np.kron(eye, eye) + length**3 / 3 * np.kron(n, n)
    operator += length**2 / 2 * (np.kron(n, eye) + np.kron(eye, n))
    section_flexibility = np.linalg.solve(operator, flexibility.ravel()).reshape(6, 6)
    section_flexibility = 0.5 * (section_flexibility + section_flexibility.T)
    scale = np.sqrt(np.abs(np.diag(section_flexibility)))
    if (
        np.any(np.diag(section_flexibility) <= 0.0)
        or np.linalg.eigvalsh(section_flexibility / np.outer(scale, scale))[0] <= 1e-9
    ):
        return None
    stiff = np.linalg.inv(section_flexibility)[np.ix_(TO_SECTION, TO_SECTION)]
    return Section(0.5 * (stiff + stiff.T), MIN_MASS, MIN_MASS * np.diag([2.0, 1.0, 1.0]))


def mooring(lines: Sequence[MooringLine], reference: Array) -> tuple[Array, Array]:
    """Forces and moments (6,) of lines on a platform at a point, and their stiffness (6, 6) there.

    Parameters
    ----------
    lines : of the platform
    reference : (3,) m, global axes

    Raises
    ------
    InputError
        As `line_at_rest`.
    """
    total, stiffness = np.zeros(6), np.zeros((6, 6))
    for line in lines:
        force, line_stiffness = line_at_rest(line)
        arm = skew(line.fairlead - reference)
        motion = np.hstack([np.eye(3), -arm])
        stiffness += motion.T @ line_stiffness @ motion
        # the moment arm x force changes as the arm turns with the platform
        stiffness[3:, 3:] -= skew(force) @ arm
        total += np.concatenate([force, arm @ force])
    return total, stiffness
