"""Towers and monopiles of a windIO file from their walls: circular tubes of layers, with their outer diameter.

A section (`tube_sections`) is a ring of layers with the materials' Young's moduli, all on the middle line of the whole
wall. The mass is that of the walls times `outfitting_factor` (flanges, ladders, paint), which adds no stiffness.

A monopile (`read_pile`) is its walls above the sea bed, and the mass of its transition piece. Files include the part in
the soil but not the soil's stiffness. That part is left out and the pile is clamped at the sea bed, as in published
frequencies of clamped piles.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.elements.blades.blade import Blade, BladeAxis
from fem_mbd.elements.section.section import Section
from fem_mbd.elements.section.shapes import Material
from fem_mbd.elements.section.table import SectionTable
from fem_mbd.errors import InputError
from fem_mbd.machines.building.substructure import Substructure
from fem_mbd.machines.description.parts import Lump, Member
from fem_mbd.machines.readers.windio.file import Entries


def tube_sections(part: Entries, materials: Any, where: str) -> SectionTable:
    """The sections of a tower, over fractions of its length.

    Parameters
    ----------
    part : the tower or pile of the file, with `outer_shape.outer_diameter` and `structure.layers`
    materials : of the file, a list of mappings with name, E, nu or G, rho
    where : for messages

    Raises
    ------
    InputError
        When there are no walls, unknown materials, or invalid numbers.
    """
    structure = part.part("structure")
    layers = structure.get("layers")
    if not isinstance(layers, list) or not layers:
        raise InputError(
            f"{where}: 'structure' has neither 'elastic_properties' nor 'layers': give one of them"
        )
    walls = [_wall(layer, materials, f"{where}.structure.layers[{k}]") for k, layer in enumerate(layers)]
    diameter = _columns(part.part("outer_shape").part("outer_diameter"))
    s = np.unique(np.concatenate([diameter[0], *(wall[0] for wall in walls)]))
    outer = np.interp(s, *diameter)
    thickness = np.array([np.interp(s, wall[0], wall[1]) for wall in walls])
    factor = structure.number("outfitting_factor", 1.0)
    sections = []
    for k, at in enumerate(s):
        try:
            sections.append(_ring(float(outer[k]), thickness[:, k], [wall[2] for wall in walls], factor))
        except InputError as error:
            raise InputError(f"{where}: section at {at:g}: {error}") from error
    return SectionTable(s, sections)


def _ring(outer: float, thickness: Array, materials: list[Material], factor: float) -> Section:
    """One section, m; the layers share the middle line of the whole wall."""
    wall = float(thickness.sum())
    total = None
    for part, material in zip(thickness, materials, strict=True):
        if part <= 0.0:
            continue
        ring = Section.tube(0.5 * (outer - wall), wall, material)
        share = float(part) / wall
        stiffness, mass = share * np.asarray(ring.stiffness), share * factor * ring.mass_per_length
        inertia = share * factor * np.asarray(ring.inertia)
        if total is not None:
            stiffness, mass = stiffness + total.stiffness, mass + total.mass_per_length
            inertia = inertia + total.inertia
        total = replace(ring, stiffness=stiffness, mass_per_length=mass, inertia=inertia)
    if total is None:
        raise InputError("the wall has no thickness")
    return total


def _wall(layer: Any, materials: Any, where: str) -> tuple[Array, Array, Material]:
    """Grid, thickness (m) and material of a layer."""
    if not isinstance(layer, dict):
        raise InputError(f"{where}: must be a mapping")
    part = Entries(layer, where)
    name = str(part["material"])
    matching = [m for m in materials if isinstance(m, dict) and m.get("name") == name] if materials else []
    if not matching:
        raise InputError(f"{where}: there is no material '{name}' in 'materials'")
    row = Entries(matching[0], f"materials '{name}'")
    try:
        stiffness: dict[str, float] = (
            {"shear": row.number("G")} if "G" in row else {"poisson": row.number("nu")}
        )
        material = Material(row.number("E"), density=row.number("rho"), **stiffness)
    except InputError as error:
        raise InputError(f"{where}: {error}") from error
    return (*_columns(part.part("thickness")), material)


def _columns(part: Entries) -> tuple[Array, Array]:
    """Grid and values of a table."""
    columns = part.table("values")
    return columns["grid"], columns["values"]


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
