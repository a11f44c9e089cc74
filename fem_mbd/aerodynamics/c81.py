"""Reader of C81 files: lift, drag and moment of an airfoil over the angle of attack and the Mach number.

Columns are fixed. The first line has a name (30 columns) and six numbers of two columns each: of Mach numbers and
angles of attack for lift, drag and moment. Each of the three tables is a row of Mach numbers and a row for each angle
of attack (deg, then coefficients), with ten fields of seven columns in a line; a row of more than nine Mach numbers
goes on in lines whose first field is blank. Each table has angles and Mach numbers of its own; what follows the third
is not read (MBDyn, `c81data`; format (A30,6I2), (7X,9F7.0), (10F7.0/(7X,9F7.0))).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fem_mbd.aerodynamics.blade import MachPolars, Polar, check_angles, check_machs
from fem_mbd.base.arrays import Array
from fem_mbd.elements.blades.text import TextFile

NAME, COUNT, FIELD = 30, 2, 7  # columns
FIELDS = 9  # of a line, after the first
TABLES = ("lift", "drag", "moment")


def read_c81(path: str | Path) -> MachPolars:
    """Polars over the Mach number of a C81 file.

    Between the Mach numbers and angles of the file each coefficient is linear, and beyond its own Mach numbers
    constant. They hold up to the last Mach number of lift or of drag, whichever is less.

    Parameters
    ----------
    path : of the file

    Raises
    ------
    InputError
        Naming file and line: numbers that are missing, Mach numbers and angles that do not ascend, angles that do not
        cover the circle.
    """
    text = TextFile(path, "C81 file")
    header = text.line("the name and the numbers of Mach numbers and angles")
    counts = [_count(text, header, k) for k in range(2 * len(TABLES))]
    tables = [_table(text, name, counts[2 * k : 2 * k + 2]) for k, name in enumerate(TABLES)]
    alpha = np.unique(np.concatenate([each[0] for each in tables]))
    machs = np.unique(np.concatenate([each[1] for each in tables]))
    columns = [_on(alpha, machs, *each) for each in tables]
    name = f"{path} ({header[:NAME].strip()})"
    polars = [
        Polar(alpha, *c, name=f"{name}, Mach number {machs[k]:g}")
        for k, c in enumerate(zip(*columns, strict=True))
    ]
    last = min((float(each[1][-1]) for each in tables[:2] if len(each[1]) > 1), default=None)
    return MachPolars(machs, polars, name=name, largest_mach=last)


def _count(text: TextFile, header: str, k: int) -> int:
    """The k-th number of the first line."""
    at = NAME + COUNT * k
    word = header[at : at + COUNT].strip()
    if not word.isdecimal() or int(word) < (2 if k % 2 else 1):
        what = f"{'angles of attack' if k % 2 else 'Mach numbers'} of {TABLES[k // 2]}"
        text.fail(f"columns {at + 1} and {at + 2} should have the number of {what}, not {word!r}")
    return int(word)


def _table(text: TextFile, name: str, counts: list[int]) -> tuple[Array, Array, Array]:
    """Angles (n,), deg, Mach numbers (m,) and coefficients (n, m)."""
    machs = _row(text, counts[0], f"Mach numbers of {name}", first=False)
    check_machs(machs, f"{text.path}, {name}")
    rows = np.array([_row(text, counts[0], f"an angle with {name}", first=True) for _ in range(counts[1])])
    check_angles(rows[:, 0], f"{text.path}, {name}")
    return rows[:, 0], machs, rows[:, 1:]


def _row(text: TextFile, count: int, what: str, first: bool) -> Array:
    """(count,) numbers of a row, or (count + 1,) with that of its first field."""
    words: list[str] = []
    for start in range(0, count, FIELDS):
        line, skipped = text.line(what), 0 if first and not start else 1
        if "\t" in line:
            text.fail(f"{what}: a tab stands in the line, whose columns are fixed")
        if skipped and line[:FIELD].strip():
            text.fail(f"{what}: columns 1 to {FIELD} should be blank here, not {line[:FIELD]!r}")
        fields = range(skipped, 1 + min(FIELDS, count - start))
        words += [line[FIELD * k : FIELD * (k + 1)].strip() for k in fields]
    return text.convert(words, what)


def _on(alpha: Array, machs: Array, own_alpha: Array, own_machs: Array, values: Array) -> Array:
    """(m, n) coefficients (own angles, own Mach numbers) at others."""
    by_alpha = np.array([np.interp(alpha, own_alpha, column) for column in values.T])
    return np.array([np.interp(machs, own_machs, column) for column in by_alpha.T]).T
