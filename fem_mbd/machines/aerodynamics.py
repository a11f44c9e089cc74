"""Aerodynamic loads given as tables on the blades of a machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from fem_mbd.elements.loads.load_table import LoadTable
from fem_mbd.elements.loads.load_table_file import read_load_table
from fem_mbd.elements.loads.table_load import Spoke, TableLoad
from fem_mbd.errors import InputError
from fem_mbd.machines.assembly.assembled import Assembly
from fem_mbd.machines.assembly.load_stations import blade_root, shaft_axes
from fem_mbd.machines.description.machine import blades_of

Source = LoadTable | str | Path


def add_load_tables(
    made: Assembly, tables: Source | Sequence[Source], axes: Literal["section", "rotor"] = "section"
) -> None:
    """Load the blades of a machine by tables over span, azimuth and time, see `TableLoad`.

    Parameters
    ----------
    made : machine and model
    tables : one for all blades, or one for each: a `LoadTable`, or the path of a file for `read_load_table`
    axes : "section", which follow the deformed section, or "rotor", those of the blade undeformed and without pitch

    Raises
    ------
    InputError
        When there is not one table for each blade, or for tables as `TableLoad` and `read_load_table` refuse them.
    """
    blades = blades_of(made.machine)
    given = [tables] * len(blades) if isinstance(tables, Source) else list(tables)
    if len(given) != len(blades):
        raise InputError(
            f"machine '{made.machine.name}': {len(given)} load tables are given for {len(blades)} blades"
        )
    read: dict[int, LoadTable] = {}
    up = shaft_axes(made)[:, 2]
    for members, source in zip(blades, given, strict=True):
        if id(source) not in read:
            read[id(source)] = source if isinstance(source, LoadTable) else read_load_table(source)
        name, along = blade_root(made, members)
        beam = made.beams[name]
        spoke = Spoke(made.rotor.axis, up, along, beam.line.at(0.0)[1])
        made.model.add(TableLoad(beam, read[id(source)], axes=axes, spoke=spoke, name=f"{name} loads"))
