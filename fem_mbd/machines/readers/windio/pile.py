"""Reader of the monopile of a windIO file: its walls above the sea bed, and the mass of its transition piece.

Files include the part in the soil but not the soil's stiffness. That part is left out and the pile is clamped at the
sea bed, as in published frequencies of clamped piles.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fem_mbd.elements.blades.axis import BladeAxis
from fem_mbd.elements.blades.blade import Blade
from fem_mbd.elements.section.table import SectionTable
from fem_mbd.errors import InputError
from fem_mbd.machines.building.substructure import Substructure
from fem_mbd.machines.description.parts import Lump, Member
from fem_mbd.machines.readers.windio.entries import Entries
from fem_mbd.machines.readers.windio.tube_walls import tube_sections

TOP_TOLERANCE = 1e-3  # m: permitted distance of the pile's top from the tower's foot


def read_pile(
    part: Entries, materials: Any, depth: float | None, base: float, path: str, remarks: list[str]
) -> Substructure | None:
    """The monopile below the tower; None, with a remark, where the file does not give the sea bed or the walls.

    Parameters
    ----------
    part : the component `monopile`
    materials : of the file
    depth : m, of the water
    base : m, height of the tower's foot
    path : of the file, for messages
    remarks : list to which unused data are added

    Raises
    ------
    InputError
        For invalid walls, and a pile that does not end at the tower's foot.
    """
    consequence = "the tower is clamped at its foot, its frequencies are too high"
    if depth is None:
        remarks.append(f"component 'monopile' is not read without 'environment.water_depth': {consequence}")
        return None
    if not isinstance(part.part("structure").get("layers"), list):
        remarks.append(f"component 'monopile' has no 'structure.layers' and is not read: {consequence}")
        return None
    where = f"{path}: components.monopile"
    z = part.part("reference_axis").part("z").table("values")
    bottom, top = float(z["values"][0]), float(z["values"][-1])
    foot = max(bottom, -float(depth))
    if abs(top - base) > TOP_TOLERANCE or not top > foot:
        raise InputError(
            f"{where}: it reaches from {foot:g} to {top:g} m, but the tower stands at {base:g} m"
        )
    full_table = tube_sections(part, materials, where)
    start = (foot - bottom) / (top - bottom)
    s = np.concatenate([[start], np.asarray(full_table.s)[np.asarray(full_table.s) > start]])
    table = SectionTable((s - start) / (1.0 - start), [full_table(float(at)) for at in s])
    axis = BladeAxis([[0.0, 0.0, 0.0], [0.0, 0.0, top - foot]], [0.0, 0.0])
    transition_mass = part.number("transition_piece_mass", 0.0)
    lumps = (Lump(1, transition_mass, np.zeros(3), np.zeros((3, 3))),) if transition_mass > 0.0 else ()
    blade = Blade(axis, table, name="monopile", source=path)
    remarks.append(
        f"monopile: clamped at the sea bed, z = {foot:g} m, without soil and without added mass of water"
    )
    return Substructure((Member("monopile", blade, np.array([0.0, 1.0]), lumps, where),), foot)
