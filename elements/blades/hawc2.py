"""Blades from HAWC2: the `_st` file (sections) and the body's `c2_def` in the htc file (centre line and twist).

What the files mean (HAWC2 manual, "timoschenko_input", "c2_def"):

- body axes: x to the leading edge, y to the suction side, z to the tip; ours are x = y_HAWC2, y = -x_HAWC2;
- c2_def: the half-chord line x, y, z in body axes, and the angle between local x and body x, seen along z and
  positive about +z, degrees: rule "hawc2" of `axis`. BeamDyn's twist is about -z: the same blade has the other sign;
- st file: r is the arc length of that line; x_cg, y_cg, x_sh, y_sh, x_e, y_e are seen from the half chord in its
  local axes; pitch turns these about +z into the principal bending axes x_e, y_e, degrees;
- 19 columns: beam constants. EA, E I_x, E I_y act at the elastic centre, k_x G A, k_y G A and G I_p at the shear
  centre, both in principal bending axes;
- 30 columns: K11 … K66, the upper triangle by rows of the stiffness in principal bending axes at the elastic centre,
  in the order (Fx, Fy, Fz, Mx, My, Mz);
- ri_x, ri_y: radii of gyration about the axes x_e, y_e. The manual takes them at the elastic centre, and so does the
  DTU 10 MW blade; the files of the IEA 15 MW blade have them at the mass centre. Nothing in a file says which. Where
  both are possible and differ, `radii_at` has to be given; where the elastic centre is impossible (a negative moment of
  inertia at the mass centre would follow) it is the mass centre.

Everything is moved to the half-chord line. Damping is not read: it is given as factors of the solver's own matrices.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from fem_mbd.arrays import Array
from fem_mbd.elements.blades.axis import BladeAxis
from fem_mbd.elements.blades.blade import Blade
from fem_mbd.elements.blades.frames import BLADE_FROM_HAWC2, FROM_HAWC2, about_third, at_point, in_axes
from fem_mbd.elements.blades.hawc2_htc import read_centre_line
from fem_mbd.elements.blades.stations import checked_section
from fem_mbd.elements.blades.text import TextFile, as_number, tokens
from fem_mbd.elements.section.checks import definite
from fem_mbd.elements.section.section import Section
from fem_mbd.elements.section.table import SectionTable
from fem_mbd.errors import InputError

Radii = Literal["mass centre", "elastic centre"]
_CENTRES: tuple[Radii, ...] = ("mass centre", "elastic centre")
_RADII = 1e-3  # relative: rotary inertia differs by less, whichever centre is meant
_CONSTANTS = "r m x_cg y_cg ri_x ri_y x_sh y_sh E G I_x I_y I_p k_x k_y A pitch x_e y_e".split()  # 19 columns
_MATRIX = "r m x_cg y_cg ri_x ri_y pitch x_e y_e".split() + [
    f"K{i}{j}" for i in range(1, 7) for j in range(i, 7)
]  # 30 columns
_LENGTH = 0.01  # relative: what the last r may miss of the arc length of the centre line


def read_hawc2(
    st_file: str | Path,
    htc_file: str | Path,
    body: str,
    set_number: int = 1,
    subset: int = 1,
    radii_at: Radii | None = None,
    name: str = "blade",
) -> Blade:
    """The blade `body` of an htc file with the sections of one set and subset of an `_st` file.

    Parameters
    ----------
    st_file, htc_file : paths
    body : name of the main body in the htc file
    set_number, subset : of the st file, from 1
    radii_at : "mass centre" or "elastic centre", where the file's radii of gyration are taken; has to be given
        where the two differ by more than 1e-3 and both are possible
    name : of the beam

    Raises
    ------
    InputError
        Naming file, line, station and entry: files that cannot be read, a body, set or subset that is not there, wrong
        counts, stations or sections of the centre line out of order, matrices that are not those of a section.
    """
    if radii_at not in (None, *_CENTRES):
        raise InputError(f"read_hawc2: radii_at is {radii_at!r}: give 'mass centre' or 'elastic centre'")
    line = read_centre_line(htc_file, body)
    axis = BladeAxis(line[:, :3] @ BLADE_FROM_HAWC2.T, np.radians(line[:, 3]), rule="hawc2")
    text, rows = _table(st_file, set_number, subset)
    r = np.array([row["r"] for row, _ in rows])
    if abs(r[-1] / axis.length - 1.0) > _LENGTH:
        text.fail(
            f"the last station has r = {r[-1]:g} m, but the centre line of '{body}' is {axis.length:g} m long: "
            "do the files belong together?"
        )
    radii_at = radii_at or _radii_at([row for row, _ in rows], text)
    sections = []
    for k, (row, at) in enumerate(rows):
        where = f"{text.path}, line {at + 1}, station {k + 1} (r = {row['r']:g} m)"
        sections.append(_section(row, radii_at, where))
    return Blade(axis, SectionTable(r / r[-1], sections), name=name, source=f"{st_file}, {htc_file}")


def _radii_at(rows: Sequence[dict[str, float]], text: TextFile) -> Radii:
    """Where the radii of gyration are taken, if the file allows one reading only; InputError if it allows both."""
    largest = 0.0
    for row in rows:
        principal = np.diag([row["ri_x"] ** 2, row["ri_y"] ** 2])
        arm = np.array([row["x_cg"] - row["x_e"], row["y_cg"] - row["y_e"]])
        turn = about_third(np.radians(row["pitch"]))[:2, :2]
        # second moments of mass over mass: that about x_e is of y^2
        moved = turn @ principal @ turn.T - (arm @ arm * np.eye(2) - np.outer(arm, arm))
        size = float(np.trace(principal))
        if np.linalg.eigvalsh(moved)[0] < -1e-9 * size:
            return "mass centre"
        largest = max(largest, float(arm @ arm) / size if size > 0.0 else 0.0)
    if largest > _RADII:
        raise InputError(
            f"{text.path}: its radii of gyration may be meant at the elastic centre (HAWC2's manual, DTU 10 MW) or "
            f"at the mass centre (IEA 15 MW); rotary inertia differs by up to {100 * largest:.2g} %: "
            "give radii_at='elastic centre' or radii_at='mass centre'"
        )
    return "elastic centre"


# -- the table -----------------------------------------------------------------------------------------------


def _table(
    path: str | Path, set_number: int, subset: int
) -> tuple[TextFile, list[tuple[dict[str, float], int]]]:
    """The stations by column name, with their lines (from 0)."""
    text = TextFile(path, "HAWC2 st file")
    _go_to(text, "#", set_number, "set", ("#",))
    _go_to(text, "$", subset, f"subset of set {set_number}", ("$", "#"))
    words = tokens(text.lines[text.next - 1].replace("$", " $ ", 1))
    count = as_number(words[2]) if len(words) > 2 else None
    if count is None or count != int(count) or count < 2:
        text.fail("give the subset's number and how many stations it has, 2 at least, e.g. '$1 26'")
    rows: list[tuple[dict[str, float], int]] = []
    columns: list[str] = []
    for k in range(int(count)):
        what = f"station {k + 1} of {int(count)}"
        if not text.at_numbers():
            text.fail(f"{what} is missing: the subset announces {int(count)} stations", text.next)
        words = tokens(text.line(what))
        columns = columns or {len(c): c for c in (_CONSTANTS, _MATRIX)}.get(len(words), [])
        if len(words) != len(columns):
            text.fail(
                f"{what}: {len(words)} columns; beam constants have 19, full matrices 30, the same in all rows"
            )
        row = dict(zip(columns, text.convert(words, what), strict=True))
        if (not rows and row["r"] != 0.0) or (rows and row["r"] <= rows[-1][0]["r"]):
            text.fail(f"{what} has r = {row['r']:g} m: r must ascend from 0")
        rows.append((row, text.next - 1))
    if text.at_numbers():
        text.line("")
        text.fail(f"there are more stations than the {int(count)} that the subset announces")
    return text, rows


def _go_to(text: TextFile, mark: str, number: int, what: str, stops: Sequence[str]) -> None:
    """Go behind the line that starts with `mark` and the number; a line with another stop ends the search."""
    while text.next < len(text.lines):
        line = text.lines[text.next].strip()
        if line.startswith(tuple(stops)):
            found = tokens(line[1:])
            if line[0] == mark and found and as_number(found[0]) == number:
                text.next += 1
                return
            if line[0] != mark:
                break
        text.next += 1
    raise InputError(f"{text.path}: there is no {what} {number} (no line '{mark}{number}')")


# -- one station ---------------------------------------------------------------------------------------------


def _section(row: dict[str, float], radii_at: Radii, where: str) -> Section:
    """Everything at the half chord, in local axes x, y, z of HAWC2, then in ours."""
    turn = about_third(np.radians(row["pitch"]))  # takes components in principal bending axes to local ones
    elastic, centre = np.array([row["x_e"], row["y_e"], 0.0]), np.array([row["x_cg"], row["y_cg"], 0.0])
    if "K11" in row:
        stiffness = at_point(in_axes(_matrix(row, where), turn), -elastic)
    else:
        stiffness = _from_constants(row, turn, elastic, where)
    if row["m"] <= 0.0:
        raise InputError(f"{where}: m is {row['m']:g} kg/m: it must be above zero")
    squares = np.array([row["ri_x"] ** 2, row["ri_y"] ** 2])
    tensor = turn @ np.diag(row["m"] * np.array([*squares, squares.sum()])) @ turn.T
    mass = np.zeros((6, 6))
    mass[:3, :3], mass[3:, 3:] = row["m"] * np.eye(3), tensor
    if radii_at == "elastic centre":
        # the tensor at the mass centre is smaller by that of the mass there
        arm = centre - elastic
        mass[3:, 3:] -= row["m"] * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return checked_section(stiffness, at_point(mass, -centre), FROM_HAWC2, where)


def _matrix(row: dict[str, float], where: str) -> Array:
    upper = np.zeros((6, 6))
    upper[np.triu_indices(6)] = [row[name] for name in _MATRIX[9:]]
    full = upper + upper.T - np.diag(np.diag(upper))
    return definite(full, 6, f"{where}: stiffness K11 … K66", strict=True)


def _from_constants(row: dict[str, float], turn: Array, elastic: Array, where: str) -> Array:
    for name in ("E", "G", "A", "I_x", "I_y", "I_p", "k_x", "k_y"):
        if row[name] <= 0.0:
            raise InputError(f"{where}: {name} is {row[name]:g}: it must be above zero")
    shear = np.array([row["x_sh"], row["y_sh"], 0.0])
    young, rigid, area = row["E"], row["G"], row["A"]
    at_elastic = np.diag([0.0, 0.0, young * area, young * row["I_x"], young * row["I_y"], 0.0])
    at_shear = np.diag(
        [row["k_x"] * rigid * area, row["k_y"] * rigid * area, 0.0, 0.0, 0.0, rigid * row["I_p"]]
    )
    return at_point(in_axes(at_elastic, turn), -elastic) + at_point(in_axes(at_shear, turn), -shear)
