"""What carries a tower: members from the ground up, at its lower end held, or on a foundation of given stiffness.

A foundation is a straight piece without mass whose upper end has the stiffness K (6, 6): with c the flexibility of its
section per length, L its length and t the distance from the upper end, where a force and a moment (F, M) there make
(I + t N)(F, M) with N (F, M) = (0, e_z x F),

    K^-1 = int_0^L (I + t N)^T c (I + t N) dt

which is linear in c. A beam element of third order is exact for loads at its end, so that statics of small motions are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.arrays import Array
from fem_mbd.elements.blades.axis import BladeAxis
from fem_mbd.elements.blades.blade import Blade
from fem_mbd.elements.section.section import Section
from fem_mbd.elements.section.table import SectionTable
from fem_mbd.errors import InputError
from fem_mbd.machines.machine import Member, SoilSpring
from fem_mbd.machines.pieces import LIGHT
from fem_mbd.rotations import skew
from fem_mbd.validation import array

Z = np.array([0.0, 0.0, 1.0])
LONGEST = 1.0  # m, of a foundation's piece
SHORTER = 12  # halvings of that length
TO_SECTION = [2, 0, 1, 5, 3, 4]  # of forces and moments along x, y, z: those along the piece, across, across


@dataclass(frozen=True, eq=False)
class Support:
    """What carries a tower.

    Attributes
    ----------
    members : from the ground up, each on the last node of the one before it; straight, along z
    base : m, height of the lower end, global z
    soil : springs along the members
    """

    members: tuple[Member, ...]
    base: float
    soil: tuple[SoilSpring, ...] = field(default=())


def on_foundation(support: Support, stiffness: ArrayLike) -> Support:
    """The same support on a foundation that gives way instead of being held.

    Parameters
    ----------
    support : what stands on it
    stiffness : (6, 6) symmetric positive definite, of forces and moments at the support's lower end to displacements
        and rotations there, global axes x, y, z; N/m, N/rad, N m/rad

    Raises
    ------
    InputError
        For a matrix that is no such stiffness.
    """
    piece = foundation_piece("foundation", stiffness)
    return replace(support, members=(piece, *support.members), base=support.base - piece.blade.length)


def in_soil(
    support: Support, stiffness: Callable[[float], float], mudline: float, number: int = 40
) -> Support:
    """The same support with springs along what of its first member lies in the soil (a Winkler foundation).

    Parameters
    ----------
    support : whose first member is the pile
    stiffness : N/m per m of the pile, in each horizontal direction, a function of the depth (m) below the mudline:
        the slope of p-y curves at rest, say
    mudline : m, global z
    number : of springs, at the middle of pieces of equal length

    Raises
    ------
    InputError
        When nothing of the pile lies in the soil, or a stiffness is negative.
    """
    pile = support.members[0]
    length = pile.blade.length
    buried = min(mudline - support.base, length)
    if not buried > 0.0:
        raise InputError(
            f"'{pile.name}' begins at z = {support.base:g} m, not below the mudline at z = {mudline:g} m"
        )
    step = buried / number
    heights = (np.arange(number) + 0.5) * step
    values = [float(stiffness(mudline - support.base - height)) * step for height in heights]
    if min(values) < 0.0 or not np.all(np.isfinite(values)):
        raise InputError(f"soil along '{pile.name}': its stiffness has to be finite and not negative")
    nodes = np.unique(np.concatenate([pile.nodes, heights / length]))
    moved = [int(np.searchsorted(nodes, pile.nodes[lump.node])) for lump in pile.lumps]
    lumps = tuple(replace(lump, node=k) for lump, k in zip(pile.lumps, moved, strict=True))
    given = np.asarray(pile.blade.sections.s) if pile.bounds is None else pile.bounds
    bounds = np.unique(np.concatenate([given, heights / length]))
    places = [int(np.searchsorted(nodes, height / length)) for height in heights]
    springs = tuple(
        SoilSpring(pile.name, node, value) for node, value in zip(places, values, strict=True) if value
    )
    member = replace(pile, nodes=nodes, lumps=lumps, bounds=bounds)
    return replace(support, members=(member, *support.members[1:]), soil=(*support.soil, *springs))


def foundation_piece(name: str, stiffness: ArrayLike) -> Member:
    """The piece that gives way; its upper end is the place of ``stiffness`` (6, 6), see `on_foundation`."""
    given = array(stiffness, (6, 6), f"'{name}': stiffness")
    scale = 1.0 / np.sqrt(np.maximum(np.abs(np.diag(given)), 1e-300))
    scaled = scale[:, None] * given * scale
    if np.abs(scaled - scaled.T).max() > 1e-6 or np.linalg.eigvalsh(0.5 * (scaled + scaled.T))[0] <= 0.0:
        raise InputError(
            f"'{name}': its stiffness has to be symmetric positive definite: something has to hold every motion"
        )
    flexible = np.linalg.inv(0.5 * (given + given.T))
    for halving in range(SHORTER):
        length = LONGEST / 2.0**halving
        section = _section(flexible, length)
        if section is not None:
            axis = BladeAxis([[0.0, 0.0, 0.0], [0.0, 0.0, length]], [0.0, 0.0])
            blade = Blade(axis, SectionTable([0.0, 1.0], [section, section]), 0.0, name=name)
            return Member(name, blade, np.array([0.0, 1.0]))
    raise InputError(f"'{name}': no short piece has this stiffness: look at its units (N, m, rad)")


def _section(flexible: Array, length: float) -> Section | None:
    """The section of a piece of ``length`` (m) whose end has the flexibility (6, 6); None when there is none."""
    eye, couple = np.eye(6), np.zeros((6, 6))
    couple[3:, :3] = skew(Z)
    n = couple.T
    # row-major: vec(A c B) = kron(A, B^T) vec(c)
    operator = length * np.kron(eye, eye) + length**3 / 3 * np.kron(n, n)
    operator += length**2 / 2 * (np.kron(n, eye) + np.kron(eye, n))
    own = np.linalg.solve(operator, flexible.ravel()).reshape(6, 6)
    own = 0.5 * (own + own.T)
    scale = np.sqrt(np.abs(np.diag(own)))
    if np.any(np.diag(own) <= 0.0) or np.linalg.eigvalsh(own / np.outer(scale, scale))[0] <= 1e-9:
        return None
    stiff = np.linalg.inv(own)[np.ix_(TO_SECTION, TO_SECTION)]
    return Section(0.5 * (stiff + stiff.T), LIGHT, LIGHT * np.diag([2.0, 1.0, 1.0]))
