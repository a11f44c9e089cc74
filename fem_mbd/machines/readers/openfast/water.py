"""Water that moves with a vertical pile: added mass outside, and water inside. From HydroDyn's file.

Added mass per length rho Ca pi D^2/4 below the still water level (strip theory, HydroDyn user documentation), water
inside rho_f pi (D - 2 t)^2/4 up to its own level. Heights are global, z up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.elements.blades.text import as_number, tokens
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
