"""Readers of aerodynamic files: HAWC2's (ae, pc), AeroDyn's from 15 to 5.0 (blade, airfoil), C81 files over the Mach
number. Errors name file and line.

Columns of C81 files are fixed. The first line has a name (30 columns) and six numbers of two columns each: of Mach
numbers and angles of attack for lift, drag and moment. Each of the three tables is a row of Mach numbers and a row for
each angle of attack (deg, then coefficients), with ten fields of seven columns in a line; a row of more than nine Mach
numbers goes on in lines whose first field is blank. Each table has angles and Mach numbers of its own; what follows the
third is not read (MBDyn, `c81data`; format (A30,6I2), (7X,9F7.0), (10F7.0/(7X,9F7.0))).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fem_mbd.aerodynamics.blade import MachPolars, Polar, PolarSet, check_angles, check_machs
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.elements.blades.text import TextFile, as_number, tokens
from fem_mbd.errors import InputError

MAX_ROWS = 100_000
COMMENT = ("!", "#")
# AeroDyn's columns of a blade: name here, names there in small letters
BLADE_COLUMNS = {
    "span": "blspn", "curve": "blcrvac", "sweep": "blswpac", "twist": "bltwist", "chord": "blchord",
    "airfoil": "blafid",
}  # fmt: skip
POLAR_COLUMNS = {"alpha": "alpha", "cl": "cl", "cd": "cd", "cm": "cm"}


@dataclass(frozen=True, eq=False)
class AeFile:
    """A set of an ae file: (n,) radius along the blade, m, chord, m, thickness, %, and number of the set of polars."""

    radius: Array
    chord: Array
    thickness: Array
    polar_set: Indices
    path: Path


def read_ae(path: str | Path, number: int = 1) -> AeFile:
    """A set of HAWC2's file of the blade's layout.

    Parameters
    ----------
    path : of the file
    number : of the set, from 1

    Raises
    ------
    InputError
        Naming file and line.
    """
    text = TextFile(path, "ae file")
    count = _first_count(text, "the number of sets")
    if not 1 <= number <= count:
        text.fail(f"set {number} is asked for: the file has {count}")
    for _ in range(number):
        words = tokens(text.line("a set"))
        rows = _count(text, words, 1, "number of rows of the set")
        table = np.array([_numbers(text, 4, "radius, chord, thickness, set of polars") for _ in range(rows)])
        last = text.next - 1
    radius, chord, thickness, sets = table.T
    if rows < 2 or not np.all(np.diff(radius) > 0.0):
        text.fail(f"radii of set {number} do not ascend", last)
    if np.any(chord <= 0.0):
        text.fail(f"chords of set {number} have to be above zero", last)
    return AeFile(radius, chord, thickness, sets.astype(np.int64), Path(path))


def read_pc(path: str | Path) -> list[PolarSet]:
    """The sets of polars of HAWC2's file of profile coefficients.

    Parameters
    ----------
    path : of the file

    Raises
    ------
    InputError
        Naming file and line.
    """
    text = TextFile(path, "pc file")
    sets = []
    for number in range(1, _first_count(text, "the number of sets") + 1):
        profiles = _count(text, tokens(text.line("the number of profiles")), 0, "number of profiles")
        thickness, polars = [], []
        for _ in range(profiles):
            words = tokens(text.line("a profile"))
            heading = text.next
            rows = _count(text, words, 1, "number of rows of the profile")
            thickness.append(_value(text, words, 2, "relative thickness"))
            table = np.array([_numbers(text, 4, "alpha, cl, cd, cm") for _ in range(rows)])
            polars.append(Polar(*table.T, name=f"{path}, line {heading}"))
        order = np.argsort(thickness)
        sets.append(PolarSet(np.array(thickness)[order], [polars[k] for k in order], f"{path}, set {number}"))
    return sets


@dataclass(frozen=True, eq=False)
class AeroDynBlade:
    """Nodes of AeroDyn's blade: (n, 3) aerodynamic centre in root axes, m, twist, rad, chord, m, number of the
    airfoil.
    """

    centre: Array
    twist: Array
    chord: Array
    airfoil: Indices
    path: Path


def read_aerodyn_blade(path: str | Path) -> AeroDynBlade:
    """AeroDyn's blade file; columns are found by their names.

    Parameters
    ----------
    path : of the file

    Raises
    ------
    InputError
        Naming file and line.
    """
    text = TextFile(path, "AeroDyn blade file")
    count = text.whole("NumBlNds", 2)
    words = [word.lower() for word in tokens(_row(text, "the names of the columns"))]
    missing = [name for name in BLADE_COLUMNS.values() if name not in words]
    if missing:
        text.fail(f"there is no column {', '.join(missing)}: the blade file of AeroDyn 15 or newer is needed")
    _row(text, "the units of the columns")
    rows = [
        _numbers(text, max(words.index(n) for n in BLADE_COLUMNS.values()) + 1, "a blade node")
        for _ in range(min(count, MAX_ROWS))
    ]
    columns = {
        name: np.array([row[words.index(there)] for row in rows]) for name, there in BLADE_COLUMNS.items()
    }
    if not np.all(np.diff(columns["span"]) > 0.0):
        text.fail("BlSpn does not ascend")
    if np.any(columns["chord"] <= 0.0):
        text.fail("BlChord has to be above zero")
    centre = np.stack([columns["curve"], columns["sweep"], columns["span"]], axis=1)
    return AeroDynBlade(
        centre,
        np.radians(columns["twist"]),
        columns["chord"],
        columns["airfoil"].astype(np.int64),
        Path(path),
    )


def read_aerodyn_polar(path: str | Path, columns: tuple[int, int, int, int] = (1, 2, 3, 4)) -> Polar:
    """The first table of AeroDyn's airfoil file.

    Parameters
    ----------
    path : of the file
    columns : numbers of the columns of alpha, cl, cd and cm, as in AeroDyn's main file; 0 for no cm

    Raises
    ------
    InputError
        Naming file and line.
    """
    text = TextFile(path, "airfoil file")
    count = text.whole("NumAlf", 3)
    heading = text.next
    while not text.at_numbers():
        text.line("the table of coefficients")
    rows = [_numbers(text, max(columns), "alpha and coefficients") for _ in range(min(count, MAX_ROWS))]
    table = np.array(rows)
    coefficients = [None if k < 1 else table[:, k - 1] for k in columns]
    if coefficients[0] is None or coefficients[1] is None or coefficients[2] is None:
        raise InputError(f"{path}: columns of alpha, cl and cd are needed; given are {columns}")
    return Polar(*coefficients, name=f"{path}, line {heading}")


def _first_count(text: TextFile, what: str) -> int:
    return _count(text, tokens(text.line(what)), 0, what)


def _count(text: TextFile, words: list[str], place: int, what: str) -> int:
    number = _value(text, words, place, what)
    if not number.is_integer() or not 1 <= number <= MAX_ROWS:
        text.fail(f"{what} is {words[place]!r}: give a whole number from 1")
    return int(number)


def _value(text: TextFile, words: list[str], place: int, what: str) -> float:
    number = as_number(words[place]) if place < len(words) else None
    if number is None or not np.isfinite(number):
        text.fail(f"{what} is missing: entry {place + 1} should be a number")
    return number


def _row(text: TextFile, what: str) -> str:
    """The next line that is neither blank nor a comment."""
    line = text.line(what)
    while line.lstrip().startswith(COMMENT):
        line = text.line(what)
    return line


def _numbers(text: TextFile, count: int, what: str) -> Array:
    words = tokens(_row(text, what))[:count]
    if len(words) < count:
        text.fail(f"{what}: {len(words)} entries, {count} are needed")
    return text.convert(words, what)


NAME, COUNT, FIELD = 30, 2, 7  # columns of a C81 file
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
    counts = [_c81_count(text, header, k) for k in range(2 * len(TABLES))]
    tables = [_c81_table(text, name, counts[2 * k : 2 * k + 2]) for k, name in enumerate(TABLES)]
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


def _c81_count(text: TextFile, header: str, k: int) -> int:
    """The k-th number of the first line."""
    at = NAME + COUNT * k
    word = header[at : at + COUNT].strip()
    if not word.isdecimal() or int(word) < (2 if k % 2 else 1):
        what = f"{'angles of attack' if k % 2 else 'Mach numbers'} of {TABLES[k // 2]}"
        text.fail(f"columns {at + 1} and {at + 2} should have the number of {what}, not {word!r}")
    return int(word)


def _c81_table(text: TextFile, name: str, counts: list[int]) -> tuple[Array, Array, Array]:
    """Angles (n,), deg, Mach numbers (m,) and coefficients (n, m)."""
    machs = _c81_row(text, counts[0], f"Mach numbers of {name}", first=False)
    check_machs(machs, f"{text.path}, {name}")
    rows = np.array(
        [_c81_row(text, counts[0], f"an angle with {name}", first=True) for _ in range(counts[1])]
    )
    check_angles(rows[:, 0], f"{text.path}, {name}")
    return rows[:, 0], machs, rows[:, 1:]


def _c81_row(text: TextFile, count: int, what: str, first: bool) -> Array:
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
