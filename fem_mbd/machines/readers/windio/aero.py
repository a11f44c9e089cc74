"""Aerodynamics of a windIO file: chord, aerodynamic centres and polars of the blade, of version 1 or 2.

The quarter chord lies behind the leading edge, whose place is that of `layers`. Sections follow the chord: there is no
twist against them. Between the airfoils polars are interpolated by relative thickness (`rthick`, or that of the
airfoils at their places, PCHIP). Of several configurations the first one is read, of several Reynolds numbers the
largest. Angles of attack are in degrees, in version 1 in rad.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy.interpolate import PchipInterpolator

from fem_mbd.aerodynamics.blade import BladeAerodynamics, Polar, PolarSet
from fem_mbd.aerodynamics.momentum import AIR
from fem_mbd.base.arrays import Array
from fem_mbd.elements.blades.axis import BladeAxis
from fem_mbd.errors import InputError
from fem_mbd.machines.description.parts import RotorAerodynamics
from fem_mbd.machines.readers.windio.file import Entries, reference_points
from fem_mbd.machines.readers.windio.layers import load_with_polars

PERCENT = 100.0
QUARTER = 0.25


def read_aero(path: Path, axis: BladeAxis, blades: int, hub_radius: float) -> RotorAerodynamics:
    """The aerodynamics of the rotor of a windIO file.

    Parameters
    ----------
    path : of the yaml file
    axis : of the blade's structure
    blades : their number
    hub_radius : m

    Raises
    ------
    InputError
        Naming the file: entries that are missing or not as windIO's schema has them, polars that do not cover the
        circle.
    """
    tree = Entries(load_with_polars(path), str(path))
    try:
        found = _blade(tree, axis, path)
        density = _density(tree)
    except InputError:
        raise
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{path}: outer shape or airfoils of the blade are not as windIO's schema has them "
            f"({type(error).__name__}: {str(error)[:120]}): check the file with windIO's validator"
        ) from error
    names = [f"blade{k}" for k in range(1, blades + 1)]
    return RotorAerodynamics(
        dict.fromkeys(names, found), hub_radius=hub_radius, density=density, source=str(path)
    )


def _density(tree: Entries) -> float:
    environment = tree.get("environment")
    value = environment.get("air_density", AIR) if isinstance(environment, dict) else AIR
    return float(value)


def _blade(tree: Entries, axis: BladeAxis, path: Path) -> BladeAerodynamics:
    blade = tree.part("components").part("blade")
    version_1 = "outer_shape_bem" in blade
    shape = blade.part("outer_shape_bem" if version_1 else "outer_shape")
    grid, chord = _table(shape.part("chord"))
    if version_1:
        place = shape.part("airfoil_position")
        at, labels = np.asarray(place["grid"], dtype=float), [str(label) for label in place["labels"]]
        behind, across = _at(shape, "pitch_axis", grid) * chord, np.zeros(len(grid))
    else:
        at = np.array([row["spanwise_position"] for row in shape["airfoils"]], dtype=float)
        labels = [str(row["name"]) for row in shape["airfoils"]]
        behind = _at(shape, "section_offset_y", grid)
        across = _at(shape, "section_offset_x", grid) if "section_offset_x" in shape else np.zeros(len(grid))
    airfoils = {
        str(row["name"]): Entries(row, f"{path}: airfoil '{row['name']}'") for row in tree["airfoils"]
    }
    missing = [label for label in labels if label not in airfoils]
    if missing:
        raise InputError(f"{path}: there is no airfoil '{missing[0]}' in 'airfoils'")
    relative = {label: _thickness(airfoils[label]) for label in dict.fromkeys(labels)}
    polars = _polars(airfoils, relative, version_1, str(path))
    if "rthick" in shape:
        thick = PERCENT * _at(shape, "rthick", grid)
    else:
        places, first = np.unique(at, return_index=True)
        thick = PchipInterpolator(places, [relative[labels[k]] for k in first])(grid)
    thick = np.clip(thick, polars.thickness[0], polars.thickness[-1])
    where, _ = reference_points((blade if "reference_axis" in blade else shape).part("reference_axis"))
    span = axis.length * np.interp(grid, where, axis.bounds)
    centre = np.column_stack([across, QUARTER * chord - behind])
    return BladeAerodynamics(
        span, chord, [polars.at(float(t)) for t in thick], np.zeros(len(grid)), centre, str(path)
    )


def _at(shape: Entries, name: str, grid: Array) -> Array:
    return np.asarray(np.interp(grid, *_table(shape.part(name))))


def _table(part: Entries) -> tuple[Array, Array]:
    """Grid and values, without units and names beside them."""
    table = Entries({name: part[name] for name in ("grid", "values")}, part.where).table("values")
    return table["grid"], table["values"]


def _thickness(airfoil: Entries) -> float:
    """Relative thickness, %."""
    return PERCENT * airfoil.number("rthick" if "rthick" in airfoil else "relative_thickness")


def _polars(airfoils: dict[str, Entries], relative: dict[str, float], version_1: bool, path: str) -> PolarSet:
    by_thickness = {relative[label]: label for label in relative}
    for label, thickness in relative.items():
        if by_thickness[thickness] != label:
            raise InputError(
                f"{path}: airfoils '{label}' and '{by_thickness[thickness]}' are both {thickness:g} % thick: polars "
                "are interpolated by thickness, so that one of them would be lost"
            )
    order = sorted(by_thickness)
    found = [
        _polar(airfoils[by_thickness[t]], version_1, f"{path}, airfoil '{by_thickness[t]}'") for t in order
    ]
    return PolarSet(np.array(order), found, path)


def _polar(airfoil: Entries, version_1: bool, name: str) -> Polar:
    sets: Any = airfoil["polars"] if version_1 else airfoil["polars"][0]["re_sets"]
    chosen = Entries(max(sets, key=lambda row: float(row.get("re", 0.0))), name)
    names = ("c_l", "c_d", "c_m") if version_1 else ("cl", "cd", "cm")
    tables = [_table(chosen.part(column)) for column in names]
    alpha = np.unique(np.concatenate([grid for grid, _ in tables]))
    columns = [np.interp(alpha, *table) for table in tables]
    return Polar(np.degrees(alpha) if version_1 else alpha, *columns, name=name)
