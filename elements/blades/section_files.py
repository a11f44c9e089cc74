"""Writers of section tables: BeamDyn's blade file and HAWC2's `_st` file with full matrices.

The meaning of the files is in `beamdyn` and `hawc2`. In the `_st` file, the line to which x_cg … y_e refer is the
reference axis of the sections: HAWC2's `c2_def` has to be that axis. Radii of gyration are about the elastic centre, as
in HAWC2's manual; the file has no product of inertia in the principal bending axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.elements.blades.stations import FROM_BEAMDYN, FROM_HAWC2, about_third, at_point, in_axes
from fem_mbd.elements.section.section import Section
from fem_mbd.elements.section.table import SectionTable


def beamdyn_matrices(section: Section) -> tuple[Array, Array]:
    """(6, 6) stiffness and mass in BeamDyn's axes and order."""
    return in_axes(section.stiffness, FROM_BEAMDYN.T), in_axes(section.mass_matrix, FROM_BEAMDYN.T)


def write_beamdyn_blade(path: str | Path, table: SectionTable, mu: ArrayLike = (0.0,) * 6) -> Path:
    """Write a BeamDyn blade file.

    Parameters
    ----------
    path : of the file
    table : sections over fractions of the axis
    mu : (6,) damping times, s, in BeamDyn's order
    """
    damping = np.asarray(mu, dtype=float)
    lines = [
        "------- BEAMDYN INDIVIDUAL BLADE INPUT FILE -------------------------------------",
        "Sections written by fem_mbd",
        "---------------------- BLADE PARAMETERS -----------------------------------------",
        f"{len(table.s):10d}  station_total  - Number of blade input stations (-)",
        f"{int(damping.any()):10d}  damp_type      - Damping type (switch): 0: none, 1: stiffness-proportional",
        "---------------------- DAMPING COEFFICIENT --------------------------------------",
        " mu1 mu2 mu3 mu4 mu5 mu6",
        " (-) (-) (-) (-) (-) (-)",
        _row(damping),
        "---------------------- DISTRIBUTED PROPERTIES -----------------------------------",
    ]
    for s, section in zip(table.s, table.sections, strict=True):
        lines.append(f"{s:18.12f}")
        for matrix in beamdyn_matrices(section):
            lines += [*map(_row, matrix), ""]
    return _written(path, lines)


def write_hawc2_st(path: str | Path, table: SectionTable, length: float) -> Path:
    """Write a HAWC2 `_st` file with one set and one subset of 30 columns.

    Parameters
    ----------
    path : of the file
    table : sections over fractions of the axis
    length : m, arc length of the axis
    """
    names = "r m x_cg y_cg ri_x ri_y pitch x_e y_e".split()
    names += [f"K{i}{j}" for i in range(1, 7) for j in range(i, 7)]
    lines = ["#1 Sections written by fem_mbd", "".join(f"{name:>19}" for name in names)]
    lines.append(f"$1 {len(table.s)}")
    lines += [_row(_st_row(s * length, section)) for s, section in zip(table.s, table.sections, strict=True)]
    return _written(path, lines)


def _st_row(r: float, section: Section) -> Array:
    elastic = FROM_HAWC2.T @ np.array([0.0, *section.tension_centre])
    centre = FROM_HAWC2.T @ np.array([0.0, *section.mass_centre])
    softest = FROM_HAWC2.T @ np.array([0.0, np.cos(section.principal_angle), np.sin(section.principal_angle)])
    pitch = float(np.arctan(softest[1] / softest[0])) if softest[0] else np.pi / 2
    own, mass = (
        in_axes(at_point(in_axes(matrix, FROM_HAWC2.T), elastic), about_third(pitch).T)
        for matrix in (section.stiffness, section.mass_matrix)
    )
    radii = np.sqrt(np.diag(mass)[3:5] / section.mass_per_length)
    numbers = [r, section.mass_per_length, *centre[:2], *radii, np.degrees(pitch), *elastic[:2]]
    return np.concatenate([numbers, own[np.triu_indices(6)]])


def _row(numbers: Sequence[float] | Array) -> str:
    return " " + " ".join(f"{number:18.10e}" for number in numbers)


def _written(path: str | Path, lines: Sequence[str]) -> Path:
    target = Path(path)
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return target


def section_rows(sections: Sequence[Section], s: Sequence[float]) -> dict[str, Array]:
    """Columns for a table: mass, rigidities and centres at the fractions ``s``."""
    compliance = [np.linalg.inv(section.stiffness) for section in sections]
    bending = np.array([1 / np.linalg.eigvalsh(c[4:, 4:])[::-1] for c in compliance])
    columns = {
        "at": np.asarray(s, dtype=float),
        "mass [kg/m]": np.array([section.mass_per_length for section in sections]),
        "EA [N]": np.array(
            [1 / np.linalg.inv(np.asarray(k.stiffness)[np.ix_([0, 4, 5], [0, 4, 5])])[0, 0] for k in sections]
        ),
        "EI flap [N m^2]": bending[:, 0],
        "EI edge [N m^2]": bending[:, 1],
        "GJ [N m^2]": np.array([1 / c[3, 3] for c in compliance]),
    }
    for name in ("mass_centre", "tension_centre", "shear_centre"):
        values = np.array([getattr(section, name) for section in sections])
        short = name.split("_")[0]
        columns |= {f"{short} x [m]": values[:, 0], f"{short} y [m]": values[:, 1]}
    return columns
