"""Aerodynamic loads given as tables on the blades of a machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from fem_mbd.base.arguments import arguments
from fem_mbd.elements.loads.load_table import LoadTable
from fem_mbd.elements.loads.load_table_file import read_load_table
from fem_mbd.elements.loads.table_load import Spoke, TableLoad
from fem_mbd.errors import InputError
from fem_mbd.machines.assembly.assembled import Assembly
from fem_mbd.machines.assembly.load_stations import blade_root, shaft_axes
from fem_mbd.machines.description.machine import blades_of

Source = LoadTable | str | Path


@arguments()
def add_load_tables(
    assembly: Assembly, tables: Source | Sequence[Source], axes: Literal["section", "rotor"] = "section"
) -> None:
    """Load the blades of a machine by tables over span, azimuth and time, see `TableLoad`.

    Parameters
    ----------
    assembly : machine and model
    tables : one for all blades, or one for each: a `LoadTable`, or the path of a file for `read_load_table`
    axes : "section", following the deformed section, or "rotor", axes of the undeformed blade at zero pitch

    Raises
    ------
    InputError
        When there is not one table for each blade, and as `TableLoad` and `read_load_table`.
    """
    blades = blades_of(assembly.machine)
    sources = [tables] * len(blades) if isinstance(tables, Source) else list(tables)
    if len(sources) != len(blades):
        raise InputError(
            f"machine '{assembly.machine.name}': {len(sources)} load tables are given for {len(blades)} blades"
        )
    loaded: dict[int, LoadTable] = {}
    up = shaft_axes(assembly)[:, 2]
    for members, source in zip(blades, sources, strict=True):
        if id(source) not in loaded:
            loaded[id(source)] = source if isinstance(source, LoadTable) else read_load_table(source)
        name, pitch_axis = blade_root(assembly, members)
        beam = assembly.beams[name]
        spoke = Spoke(assembly.rotor.axis, up, pitch_axis, beam.line.at(0.0)[1])
        assembly.model.add(TableLoad(beam, loaded[id(source)], axes=axes, spoke=spoke, name=f"{name} loads"))
