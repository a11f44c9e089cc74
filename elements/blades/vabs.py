"""Reader of VABS sections (.K result files) and of SONATA's blade tables.

Order of VABS: 1 extension, 2 and 3 shear, 4 twist, 5 and 6 bending: forces (F1, F2, F3, M1, M2, M3), x1 along the beam.
That is our order. The orientation of x2 and x3 in the blade is the user's choice in VABS, so it has to be given: `x2`,
the angle from the direction x' of the blade's sections (to the suction side for no twist) to x2, positive about +z.
Many blades have x2 to the leading edge and x3 to the suction side: -90 degrees, the default.

SONATA's table has 29 numbers a row: m, m x2_cm, m x3_cm, m33, m23, m22 (moments of inertia about the reference; m23 is
entry (5, 6) of the mass matrix), the upper triangle of the stiffness by columns k11, k12, k22, k13 … k66, viscous
damping (which must be 0 or equal in all rows: it is stress = C (strain + mu strain rate)), and the coordinate along the
axis, m.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import finite
from fem_mbd.elements.blades.blade import Blade, BladeAxis
from fem_mbd.elements.blades.stations import about_third, checked_section
from fem_mbd.elements.blades.text import TextFile, tokens
from fem_mbd.elements.section.section import Section
from fem_mbd.elements.section.table import SectionTable

LEADING_EDGE = -90.0  # degrees: x2 to the leading edge, x3 to the suction side
_LENGTH = 0.01  # relative: allowed difference of the last coordinate and the arc length of the axis


def read_vabs_section(path: str | Path, x2: float = LEADING_EDGE) -> Section:
    """The section of a VABS .K file: its 6 x 6 mass matrix and its Timoshenko stiffness matrix.

    Parameters
    ----------
    path : file
    x2 : degrees, the angle about +z from the direction x' of the blade's sections (to the suction side) to VABS' x2
        axis; 0 leaves the axes as they are, (1, 2, 3) = (x1, x2, x3)

    Raises
    ------
    InputError
        Naming file and line, when a matrix is missing or not that of a section.
    """
    text = TextFile(path, "VABS result file")
    matrices = []
    for heading in ("6X6 Mass Matrix", "Timoshenko Stiffness Matrix"):
        text.next = 0
        text.find(heading, f"the {heading}")
        while not text.at_numbers() and text.next < len(text.lines):
            # between heading and matrix only a rule of = or - is allowed
            if set("".join(tokens(text.line(heading)))) - set("=-"):
                text.fail(f"the {heading} is expected here")
        matrices.append(np.array([text.numbers(6, f"{heading}: row {k + 1}") for k in range(6)]))
    return checked_section(matrices[1], matrices[0], _axes(x2), str(path))


def read_sonata_table(
    path: str | Path, axis: BladeAxis, x2: float = LEADING_EDGE, name: str = "blade"
) -> Blade:
    """The blade of a table with 29 numbers a row; lines that begin with # are comments.

    Parameters
    ----------
    path : file
    axis : reference axis of the blade
    x2 : degrees, direction of the table's x2 axis, see `read_vabs_section`
    name : of the blade

    Raises
    ------
    InputError
        Naming file, line, station and entry: wrong counts, stations out of order, a table whose length differs from
        that of the axis, and matrices that are not those of a section.
    """
    text = TextFile(path, "section table")
    where: list[str] = []
    rows: list[Array] = []
    for k, line in enumerate(text.lines):
        words = tokens(line.split("#", 1)[0])
        if not words:
            continue
        text.next, what = k + 1, f"station {len(rows) + 1}"
        if len(words) != 29:
            text.fail(f"{what}: {len(words)} entries, 29 are needed")
        rows.append(text.convert(words, what))
        where.append(f"{text.path}, line {k + 1}, {what} (at {rows[-1][28]:g} m)")
        if (len(rows) == 1 and rows[0][28] != 0.0) or (len(rows) > 1 and rows[-1][28] <= rows[-2][28]):
            text.fail(f"{what} is at {rows[-1][28]:g} m: the coordinate must ascend from 0")
    if len(rows) < 2:
        text.fail("there are fewer than two stations")
    table = np.array(rows)
    if abs(table[-1, 28] / axis.length - 1.0) > _LENGTH:
        text.fail(f"the last station is at {table[-1, 28]:g} m, but the axis is {axis.length:g} m long")
    if np.ptp(table[:, 27]) != 0.0 or table[0, 27] < 0.0:
        text.fail("the viscous damping (entry 28) must not be negative, and the same at all stations")
    axes = _axes(x2)
    sections = [checked_section(*_matrices(row), axes, w) for row, w in zip(table, where, strict=True)]
    stations = SectionTable(table[:, 28] / table[-1, 28], sections)
    return Blade(axis, stations, damping=float(table[0, 27]), name=name, source=str(path))


def _matrices(row: Array) -> tuple[Array, Array]:
    m, first_2, first_3, m33, m23, m22 = row[:6]
    mass = np.zeros((6, 6))
    mass[:3, :3] = m * np.eye(3)
    # -m c~ with c = (0, x2, x3)
    mass[0, 4], mass[0, 5], mass[1, 3], mass[2, 3] = first_3, -first_2, -first_3, first_2
    mass[3:, :3] = mass[:3, 3:].T
    mass[3:, 3:] = [[m22 + m33, 0.0, 0.0], [0.0, m22, m23], [0.0, m23, m33]]
    stiffness = np.zeros((6, 6))
    rows, columns = np.tril_indices(6)
    # the upper triangle by columns is the lower one by rows
    stiffness[rows, columns] = stiffness[columns, rows] = row[6:27]
    return stiffness, mass


def _axes(x2: float) -> Array:
    """Transformation of components in (x1, x2, x3) to section axes (1, x', y'), x2 at the angle from x'."""
    turn = about_third(np.radians(finite(x2, "x2, the angle of VABS axes (degrees)")))
    axes = np.eye(3)
    axes[1:, 1:] = turn[:2, :2]
    return axes
