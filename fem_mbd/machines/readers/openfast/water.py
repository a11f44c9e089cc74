"""The water that moves with an upright pile: added mass outside, and what fills it.

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

STEPS = 200  # with which a length is summed


@dataclass(frozen=True, eq=False)
class Water:
    """Water along a pile.

    Attributes
    ----------
    heights : (n,) m, ascending, where the diameters are given, linear between them
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
        """m, up to where there is water."""
        return max(self.surface, self.level)

    def mass(self, low: float, high: float) -> float:
        """kg between two heights, m."""
        z = low + (np.arange(STEPS) + 0.5) / STEPS * (high - low)
        inside = (z >= self.heights[0]) & (z <= self.heights[-1])
        outer, inner = (np.interp(z, self.heights, d) for d in (self.outer, self.inner))
        each = self.density * self.added * outer**2 * (z <= self.surface)
        each = each + self.filling * inner**2 * (z <= self.level)
        return float(np.pi / 4 * np.sum(each * inside) * (high - low) / STEPS)


def read_water(deck: Deck, density: float, remarks: list[str]) -> Water:
    """The water of a HydroDyn file with one upright line of members.

    Parameters
    ----------
    deck : HydroDyn's file
    density : kg/m^3, of the sea
    remarks : to which is added what is left out

    Raises
    ------
    InputError
        Naming file and line: numbers that cannot be, members that are not there.
    """
    joints = {row.words[0]: row.number("Jointzi", 3) for row in deck.records("NJoints", 4, "MEMBER JOINTS")}
    sets = property_sets(deck)
    spots: list[tuple[float, float, float]] = []
    for row in deck.records("NMembers", 5):
        ends = [
            (named_row(joints, row, f"MJointID{k}", k), named_row(sets, row, f"MPropSetID{k}", k + 2))
            for k in (1, 2)
        ]
        spots += [(z, size[0], size[0] - 2.0 * size[1]) for z, size in ends]
        if row.named.get("mcoefmod", "1") != "1":
            remarks.append(
                f"HydroDyn: MCoefMod {row.named['mcoefmod']} is not read: SimplCa is taken for all members"
            )
    heights, outer, inner = np.array(sorted(spots)).T if spots else np.zeros((3, 2))
    if deck.has("NMGDepths") and deck.number("NMGDepths") > 0:
        remarks.append("HydroDyn: marine growth is not read: the pile's frequencies are too high")
    filling, level = _filling(deck, density)
    return Water(heights, outer, inner, density, filling, simple_added(deck), 0.0, level)


def property_sets(deck: Deck) -> dict[str, tuple[float, float]]:
    """Outer diameter and thickness (m) of sections by name; InputError naming file and line."""
    count = "NPropSetsCyl" if deck.has("NPropSetsCyl") else "NPropSets"
    rows = deck.records(count, 3)
    return {row.words[0]: (row.number("PropD", 1, 0.0), row.number("PropThck", 2, 0.0)) for row in rows}


def named_row(found: dict[str, Any], row: Record, name: str, place: int) -> Any:
    """What the entry below a heading names; InputError where there is no such row."""
    given = row.word(name, place)
    if given not in found:
        row.fail(f"{name} is {given}: there is no such row")
    return found[given]


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


def _filling(deck: Deck, density: float) -> tuple[float, float]:
    """Density and level of the water inside; none where no member is filled."""
    rows = deck.records("NFillGroups") if deck.has("NFillGroups") else []
    if not rows:
        return 0.0, -np.inf
    # FillNumM members are listed before level and density
    row = rows[0]
    at = 1 + int(row.number("FillNumM", 0, least=0.0))
    if len(row.words) < at + 2:
        row.fail(f"there are {len(row.words)} entries, FillNumM requires {at + 2}")
    level, given = as_number(row.words[at]), row.words[at + 1]
    filling = density if given.strip("\"'").lower() == "default" else as_number(given)
    if level is None or filling is None or not np.isfinite([level, filling]).all():
        row.fail("FillFSLoc and FillDens have to be numbers")
    return float(filling), float(level)
