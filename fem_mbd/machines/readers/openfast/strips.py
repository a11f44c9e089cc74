"""Reader of water from HydroDyn's file: of a vertical pile, and of a platform's cylinders in strip theory.

A vertical pile (`read_water`) has water that moves with it: added mass per length rho Ca pi D^2/4 below the still water
level (strip theory, HydroDyn user documentation), water inside rho_f pi (D - 2 t)^2/4 up to its own level. Heights are
global, z up.

Members of a platform (`read_strips`) have added mass, hydrostatic stiffness and ballast. A slice ds of a member of
diameter D and direction t, below the still water level z = 0, has the added mass rho Ca pi D^2/4 (I - t t^T) ds; a
joint rho AxCa |V| n n^T, with V = |V| n the sum of 2/3 pi R^3, outwards, over the members that end there (HydroDyn user
documentation, strip theory). A slice has the buoyancy rho g pi D^2/4 ds, and a member that crosses z = 0 a water plane
of area A = pi D^2/(4 t_z); about a point, z upwards from the water:

    C33 = rho g A     C34 = rho g A y     C35 = -rho g A x     C45 = -rho g A x y
    C44 = rho g (A y^2 + A D^2/16 + int z dV)     C55 likewise with x

Members with PropPot True belong to the potential flow; their ballast is computed here nevertheless.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import skew
from fem_mbd.elements.blades.text import as_number, tokens
from fem_mbd.machines.description.parts import Lump
from fem_mbd.machines.readers.openfast.deck import Deck, Record

INTERVALS = 200  # for the sum over a length


@dataclass(frozen=True, eq=False)
class Water:
    """Water along a pile.

    Attributes
    ----------
    heights : (n,) m, ascending, of the diameters, which are interpolated linearly
    outer, inner : (n,) m, diameters
    density, filling : kg/m^3, outside and inside
    added : coefficient of added mass
    surface, level : m, of the sea and of the water inside; -inf for none
    """

    heights: Array
    outer: Array
    inner: Array
    density: float
    filling: float
    added: float
    surface: float
    level: float

    @property
    def highest(self) -> float:
        """Highest water level, m."""
        return max(self.surface, self.level)

    def mass(self, low: float, high: float) -> float:
        """kg between two heights, m."""
        z = low + (np.arange(INTERVALS) + 0.5) / INTERVALS * (high - low)
        inside = (z >= self.heights[0]) & (z <= self.heights[-1])
        outer, inner = (np.interp(z, self.heights, d) for d in (self.outer, self.inner))
        per_length = self.density * self.added * outer**2 * (z <= self.surface)
        per_length = per_length + self.filling * inner**2 * (z <= self.level)
        return float(np.pi / 4 * np.sum(per_length * inside) * (high - low) / INTERVALS)


def read_water(deck: Deck, density: float, surface: float, remarks: list[str]) -> Water:
    """The water of a HydroDyn file with one vertical line of members.

    Parameters
    ----------
    deck : HydroDyn's file
    density : kg/m^3, of the sea
    surface : m, of the still water above mean sea level, from which heights are measured
    remarks : list to which unused data are added

    Raises
    ------
    InputError
        Naming file and line: invalid numbers, unknown members.
    """
    joints = {row.words[0]: row.number("Jointzi", 3) for row in deck.records("NJoints", 4, "MEMBER JOINTS")}
    sets = property_sets(deck)
    diameters: list[tuple[float, float, float]] = []
    for row in deck.records("NMembers", 5):
        ends = [
            (named_row(joints, row, f"MJointID{k}", k), named_row(sets, row, f"MPropSetID{k}", k + 2))
            for k in (1, 2)
        ]
        diameters += [(z, size[0], size[0] - 2.0 * size[1]) for z, size in ends]
        if row.named.get("mcoefmod", "1") != "1":
            remarks.append(
                f"HydroDyn: MCoefMod {row.named['mcoefmod']} is not read: SimplCa is taken for all members"
            )
    heights, outer, inner = np.array(sorted(diameters)).T if diameters else np.zeros((3, 2))
    if deck.has("NMGDepths") and deck.number("NMGDepths") > 0:
        remarks.append("HydroDyn: marine growth is not read: the pile's frequencies are too high")
    groups = deck.records("NFillGroups") if deck.has("NFillGroups") else []
    _, level, filling = fill_group(groups[0], density) if groups else ([], -np.inf, 0.0)
    return Water(heights, outer, inner, density, filling, simple_added(deck), surface, level)


def property_sets(deck: Deck) -> dict[str, tuple[float, float]]:
    """Outer diameter and thickness (m) of sections by name; InputError naming file and line."""
    count = "NPropSetsCyl" if deck.has("NPropSetsCyl") else "NPropSets"
    rows = deck.records(count, 3)
    return {row.words[0]: (row.number("PropD", 1, 0.0), row.number("PropThck", 2, 0.0)) for row in rows}


def named_row(rows: dict[str, Any], row: Record, name: str, place: int) -> Any:
    """The row named by the entry below a heading; InputError where there is none."""
    key = row.word(name, place)
    if key not in rows:
        row.fail(f"{name} is {key}: there is no such row")
    return rows[key]


def simple_added(deck: Deck) -> float:
    """SimplCa, below its heading; InputError naming file and line."""
    deck.text.next = 0
    deck.text.find("SimplCa", "the heading with SimplCa")
    heading = [word.lower() for word in tokens(deck.text.lines[deck.text.next - 1])]
    deck.text.line("the units of SimplCa")
    words = tokens(deck.text.line("the row below SimplCa"))
    if "simplca" not in heading or len(words) <= heading.index("simplca"):
        deck.fail("the row below SimplCa is too short")
    return float(deck.text.convert([words[heading.index("simplca")]], "SimplCa")[0])


def fill_group(row: Record, density: float) -> tuple[list[str], float, float]:
    """Members, level (m) and density (kg/m^3) of a fill group; InputError naming file and line."""
    count = int(row.number("FillNumM", 0, least=0.0))
    if len(row.words) < count + 3:
        row.fail(f"there are {len(row.words)} entries, FillNumM requires {count + 3}")
    level, density_text = as_number(row.words[count + 1]), row.words[count + 2]
    filling = density if density_text.strip("\"'").lower() == "default" else as_number(density_text)
    if level is None or filling is None or not np.isfinite([level, filling]).all():
        row.fail("FillFSLoc and FillDens have to be numbers")
    return row.words[1 : count + 1], float(level), float(filling)


SLICES = 200  # of a member


@dataclass(frozen=True, eq=False)
class Strip:
    """A cylindrical member.

    Attributes
    ----------
    ends : (2, 3) m, global axes
    outer, inner : (2,) m, diameters
    added : (2,) coefficients of added mass
    joints : names of the joints at its ends
    potential : whether it belongs to the potential flow
    """

    ends: Array
    outer: Array
    inner: Array
    added: Array
    joints: tuple[str, str]
    potential: bool

    @property
    def direction(self) -> Array:
        """(3,) unit vector from the first end to the second."""
        span = self.ends[1] - self.ends[0]
        return np.asarray(span / np.linalg.norm(span))

    def slices(self, top: float) -> tuple[Array, Array, float]:
        """Fractions (n,) and positions (n, 3) of the slices below ``top`` (m), and the length (m) of each."""
        s = (np.arange(SLICES) + 0.5) / SLICES
        positions = self.ends[0] + s[:, None] * (self.ends[1] - self.ends[0])
        below = positions[:, 2] < top
        return s[below], positions[below], float(np.linalg.norm(self.ends[1] - self.ends[0])) / SLICES

    def at(self, values: Array, s: Array) -> Array:
        """(n,) linear interpolation of values (2,) at the ends."""
        return np.asarray(values[0] + s * (values[1] - values[0]))


def read_strips(deck: Deck) -> dict[str, Strip]:
    """Members by name.

    Parameters
    ----------
    deck : HydroDyn's file

    Raises
    ------
    InputError
        Naming file and line: invalid numbers, rectangular members, unknown joints.
    """
    if deck.has("NPropSetsRec") and deck.number("NPropSetsRec") > 0:
        deck.fail("NPropSetsRec is not 0: rectangular members are not supported")
    rows = deck.records("NMembers", 5)
    if not rows:
        return {}
    joints = {row.words[0]: row for row in deck.records("NJoints", 4, "MEMBER JOINTS")}
    sets, coefficients = property_sets(deck), _Coefficients(deck)
    strips = {}
    for row in rows:
        end_joints = [named_row(joints, row, f"MJointID{k}", k) for k in (1, 2)]
        ends = np.array(
            [[j.number(f"Joint{axis}i", k) for k, axis in enumerate("xyz", start=1)] for j in end_joints]
        )
        sizes = np.array([named_row(sets, row, f"MPropSetID{k}", k + 2) for k in (1, 2)])
        if np.allclose(ends[0], ends[1]):
            row.fail("the member has no length")
        strips[row.words[0]] = Strip(
            ends, sizes[:, 0], sizes[:, 0] - 2.0 * sizes[:, 1], coefficients.of(row, ends[:, 2]),
            (end_joints[0].words[0], end_joints[1].words[0]), row.named.get("proppot", "false").lower().startswith("t"),
        )  # fmt: skip
    return strips


class _Coefficients:
    """Coefficients of added mass: simple, by depth, by member (MCoefMod 1, 2, 3)."""

    def __init__(self, deck: Deck):
        self.deck = deck

    def of(self, row: Record, heights: Array) -> Array:
        kind = row.named.get("mcoefmod", "1")
        if kind == "1":
            return np.full(2, simple_added(self.deck))
        name = "NCoefDpth" if kind == "2" else "NCoefMembers"
        rows = self.deck.records(name + "Cyl" if self.deck.has(name + "Cyl") else name)
        if kind == "2" and rows:
            depths = np.array([r.number("Dpth", 0) for r in rows])
            order = np.argsort(depths)
            values = np.array([r.number("DpthCa", 3) for r in rows])
            return np.asarray(np.interp(-heights, depths[order], values[order]))
        for member_row in rows:
            if kind == "3" and member_row.words[0] == row.words[0]:
                return np.array([member_row.number("MemberCa1", 5), member_row.number("MemberCa2", 6)])
        row.fail(f"MCoefMod is {kind}, and there are no such coefficients of the member")


def added_mass(deck: Deck, strips: dict[str, Strip], density: float, reference: Array) -> Array:
    """(6, 6) added mass of the members outside the potential flow, about a point (3,); kg, m.

    Raises
    ------
    InputError
        Naming file and line.
    """
    total = np.zeros((6, 6))
    for strip in strips.values():
        if not strip.potential:
            s, positions, ds = strip.slices(0.0)
            masses = density * np.pi / 4 * strip.at(strip.added, s) * strip.at(strip.outer, s) ** 2 * ds
            across = np.eye(3) - np.outer(strip.direction, strip.direction)
            for mass, position in zip(masses, positions, strict=True):
                total += _mass_about(mass * across, position - reference)
    return total + _at_joints(deck, strips, density, reference)


def _at_joints(deck: Deck, strips: dict[str, Strip], density: float, reference: Array) -> Array:
    wet_strips = [strip for strip in strips.values() if not strip.potential]
    if not wet_strips:
        return np.zeros((6, 6))
    axial = {row.words[0]: row.number("AxCa", 2) for row in deck.records("NAxCoef")}
    kinds = {row.words[0]: row.word("JointAxID", 4) for row in deck.records("NJoints", 4, "MEMBER JOINTS")}
    volumes: dict[str, tuple[Array, Array]] = {}
    for strip in wet_strips:
        for k, joint in enumerate(strip.joints):
            position, volume = volumes.get(joint, (strip.ends[k], np.zeros(3)))
            outwards = strip.direction * (-1.0, 1.0)[k]
            volumes[joint] = position, volume + outwards * np.pi / 12 * strip.outer[k] ** 3
    total = np.zeros((6, 6))
    for joint, (position, volume) in volumes.items():
        size = float(np.linalg.norm(volume))
        if size > 0.0 and position[2] < 0.0:
            mass = density * axial.get(kinds[joint], 0.0) * size
            total += _mass_about(mass * np.outer(volume, volume) / size**2, position - reference)
    return total


def _mass_about(mass: Array, arm: Array) -> Array:
    """(6, 6) mass matrix of a mass (3, 3) at the end of an arm (3,)."""
    motion = np.hstack([np.eye(3), -skew(arm)])
    return np.asarray(motion.T @ mass @ motion)


def restoring(strips: dict[str, Strip], density: float, gravity: float, reference: Array) -> Array:
    """(6, 6) hydrostatic stiffness of the members outside the potential flow, about a point (3,)."""
    c = np.zeros((6, 6))
    for strip in strips.values():
        if strip.potential:
            continue
        s, positions, ds = strip.slices(0.0)
        volume = np.pi / 4 * strip.at(strip.outer, s) ** 2 * ds
        depth = float(volume @ (positions[:, 2] - reference[2]))
        c[3, 3], c[4, 4] = c[3, 3] + depth, c[4, 4] + depth
        z0, z1 = strip.ends[:, 2]
        if min(z0, z1) < 0.0 <= max(z0, z1):
            at = np.array([-z0 / (z1 - z0)])
            size = float(strip.at(strip.outer, at)[0])
            area = np.pi * size**2 / 4 / abs(strip.direction[2])
            x, y, _ = strip.ends[0] + at[0] * (strip.ends[1] - strip.ends[0]) - reference
            c[2:5, 2:5] += area * np.array([[1.0, y, -x], [y, y * y, -x * y], [-x, -x * y, x * x]])
            c[3, 3], c[4, 4] = c[3, 3] + area * size**2 / 16, c[4, 4] + area * size**2 / 16
    return density * gravity * c


def displaced(strips: dict[str, Strip]) -> float:
    """Displaced volume, m^3, of the members outside the potential flow."""
    total = 0.0
    for strip in strips.values():
        if not strip.potential:
            s, _, ds = strip.slices(0.0)
            total += float(np.sum(np.pi / 4 * strip.at(strip.outer, s) ** 2) * ds)
    return total


def ballast(deck: Deck, strips: dict[str, Strip], density: float, foot: Array, weighs: bool) -> list[Lump]:
    """Ballast in members, as masses on the tower's foot (3,); inertia of lines along the axes, as in HydroDyn.

    Raises
    ------
    InputError
        Naming file and line.
    """
    lumps = []
    for row in deck.records("NFillGroups") if deck.has("NFillGroups") else []:
        members, level, filling = fill_group(row, density)
        for name in members:
            if name not in strips:
                row.fail(f"FillMList names member {name}: there is no such row")
            s, positions, ds = strips[name].slices(level)
            inner = strips[name].at(strips[name].inner, s)
            masses = filling * np.pi / 4 * inner**2 * ds
            if masses.sum() > 0.0:
                centre = masses @ positions / masses.sum()
                arms = positions - centre
                inertia = np.einsum("n,ni,ni", masses, arms, arms) * np.eye(3) - np.einsum(
                    "n,ni,nj", masses, arms, arms
                )
                lumps.append(Lump(0, float(masses.sum()), centre - foot, inertia, not weighs))
    return lumps
