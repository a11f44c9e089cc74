"""The monopile of a windIO file: its walls above the sea bed, where it is held, and the mass of its transition piece.

The pile goes on into the soil in the file, which says nothing of the soil's stiffness along it: what is below the sea
bed is left out, as it is where published frequencies are those of a clamped pile.
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

TOP_TOLERANCE = 1e-3  # m: what the pile's top may miss of the tower's foot


def read_pile(
    part: Entries, materials: Any, depth: float | None, base: float, path: str, remarks: list[str]
) -> Substructure | None:
    """What carries the tower; None, with a remark, where the file leaves the sea bed open.

    Parameters
    ----------
    part : the component `monopile`
    materials : of the file
    depth : m, of the water
    base : m, height of the tower's foot
    path : of the file, for messages
    remarks : to which is added what is left out

    Raises
    ------
    InputError
        For walls that cannot be, and a pile that does not carry the tower.
    """
    without = "the tower is held at its own foot, its frequencies are too high"
    if depth is None:
        remarks.append(f"component 'monopile' is not read without 'environment.water_depth': {without}")
        return None
    if not isinstance(part.part("structure").get("layers"), list):
        remarks.append(f"component 'monopile' has no 'structure.layers' and is not read: {without}")
        return None
    where = f"{path}: components.monopile"
    z = part.part("reference_axis").part("z").table("values")
    bottom, top = float(z["values"][0]), float(z["values"][-1])
    foot = max(bottom, -float(depth))
    if abs(top - base) > TOP_TOLERANCE or not top > foot:
        raise InputError(
            f"{where}: it reaches from {foot:g} to {top:g} m, but the tower stands at {base:g} m"
        )
    whole = tube_sections(part, materials, where)
    start = (foot - bottom) / (top - bottom)
    s = np.concatenate([[start], np.asarray(whole.s)[np.asarray(whole.s) > start]])
    table = SectionTable((s - start) / (1.0 - start), [whole(float(at)) for at in s])
    axis = BladeAxis([[0.0, 0.0, 0.0], [0.0, 0.0, top - foot]], [0.0, 0.0])
    piece = part.number("transition_piece_mass", 0.0)
    lumps = (Lump(1, piece, np.zeros(3), np.zeros((3, 3))),) if piece > 0.0 else ()
    blade = Blade(axis, table, name="monopile", source=path)
    remarks.append(
        f"monopile: held at the sea bed, z = {foot:g} m, without the soil below it and the water that moves with it"
    )
    return Substructure((Member("monopile", blade, np.array([0.0, 1.0]), lumps, where),), foot)
