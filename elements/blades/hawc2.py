"""Reader of HAWC2 blades: the `_st` file (sections) and the body's `c2_def` in the htc file (centre line and twist).

Meaning of the files (HAWC2 manual, "timoschenko_input", "c2_def"):

- body axes: x to the leading edge, y to the suction side, z to the tip; ours are x = y_HAWC2, y = -x_HAWC2;
- c2_def: the half-chord line x, y, z in body axes, and the angle between local x and body x, seen along z and
  positive about +z, degrees: rule "hawc2" of `blade`. BeamDyn's twist is about -z: the same blade has the other sign;
- the nodes of HAWC2's beam are the elastic centres (x_e, y_e) of the sections at the points of c2_def, and its sections
  lie across the line through them. This line is the blade's axis; the half-chord line is kept beside it, since nodes,
  masses and aerodynamic data refer to it;
- st file: r is the arc length of the half-chord line; x_cg, y_cg, x_sh, y_sh, x_e, y_e are seen from the half chord
  in its local axes; pitch turns these about +z into the principal bending axes x_e, y_e, degrees;
- 19 columns: beam constants. EA, E I_x, E I_y act at the elastic centre, k_x G A, k_y G A and G I_p at the shear
  centre, both in principal bending axes;
- 30 columns: K11 … K66, the upper triangle by rows of the stiffness in principal bending axes at the elastic centre,
  in the order (Fx, Fy, Fz, Mx, My, Mz);
- ri_x, ri_y: radii of gyration about the axes x_e, y_e. The manual takes them at the elastic centre, and so does the
  DTU 10 MW blade; the files of the IEA 15 MW blade have them at the mass centre. The files do not specify which.
  Where both are possible and differ, `radii_at` has to be given; where the elastic centre is impossible (a negative
  moment of inertia at the mass centre would follow) the mass centre is used.

All matrices are transformed to the blade's axis. The mass per length is that of the half-chord line.

Damping (`StDamping`). Blades are read without it: the files give it as factors of the solver's matrices. The factors of
HAWC2's `damping_posdef`, `damping_aniso` and `damping_aniso_v2` are times, s, of bending about the principal axes x and
y, and of twist. With S the square roots of the times

    posdef   bending about the elastic centre and twist about the shear centre: diag(eta_x EI_x, eta_y EI_y, K_z GI_p)
    aniso    S K S, shear along y like bending about x and shear along x like bending about y, none of stretch

Assignment of the factors: in the anisotropic commands K_x is that of bending about x, with which the blades of the IEA
15 and 22 MW turbines have the damping that their files are tuned to (3 % log decrement, 0.5 % of critical). In posdef
it is that of bending along x, about y: eta_x = K_y, eta_y = K_x. The files of the DTU 10 MW and the IEA 10 MW turbine
are tuned in this way, and HAWCStab2 gives these results for them (github.com/IEAWindTask37/IEA-10.0-198-RWT, issue 13).
The factors of the mass matrix have no counterpart here. Anisotropic: M. H. Hansen, Anisotropic damping of Timoshenko
beam elements, Riso-R-1267 (2001).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.elements.blades.blade import Blade, BladeAxis
from fem_mbd.elements.blades.hawc2_htc import read_centre_line
from fem_mbd.elements.blades.stations import (
    BLADE_FROM_HAWC2,
    FROM_HAWC2,
    about_third,
    at_point,
    checked_section,
    in_axes,
)
from fem_mbd.elements.blades.text import TextFile, as_number, tokens
from fem_mbd.elements.section.checks import definite
from fem_mbd.elements.section.section import Section
from fem_mbd.elements.section.table import SectionTable
from fem_mbd.errors import InputError

Radii = Literal["mass centre", "elastic centre"]
CENTRES: tuple[Radii, ...] = ("mass centre", "elastic centre")
_RADII = 1e-3  # largest relative difference of rotary inertia for which the reference point does not matter
_CONSTANTS = "r m x_cg y_cg ri_x ri_y x_sh y_sh E G I_x I_y I_p k_x k_y A pitch x_e y_e".split()  # 19 columns
_MATRIX = "r m x_cg y_cg ri_x ri_y pitch x_e y_e".split() + [
    f"K{i}{j}" for i in range(1, 7) for j in range(i, 7)
]  # 30 columns
_LENGTH = 0.01  # largest relative difference of the last r and the arc length of the centre line
# degrees of the principal axes between two stations that matrices, linear in between, represent to 1 %
_PITCH_STEP = 5.0
Row = dict[str, float]


@dataclass(frozen=True)
class StDamping:
    """Damping times, s, of bending about the principal axes x and y and of twist; kind as in the module's docstring."""

    kind: Literal["posdef", "aniso"]
    about_x: float
    about_y: float
    twist: float

    @classmethod
    def of(cls, command: str, kx: float, ky: float, kz: float) -> StDamping:
        """Damping times from the factors K_x, K_y, K_z of a HAWC2 command.

        command : "damping_posdef", "damping_aniso" or "damping_aniso_v2"
        """
        return cls("posdef", ky, kx, kz) if command == "damping_posdef" else cls("aniso", kx, ky, kz)


@dataclass(frozen=True)
class StSubset:
    """Selection of sections in an `_st` file: set and subset number, from 1; full: whether matrices are expected."""

    path: str | Path
    set_number: int = 1
    subset: int = 1
    full: bool | None = None


class StTable:
    """The stations of a body of ``length`` (m).

    r is the "curved length distance from main_body node 1" of HAWC2's manual: it is not stretched to the length of the
    centre line; what lies beyond the last station has its section, what lies beyond the line is left out. Constants are
    linear in r, as in HAWC2, also the direction of the principal axes: where it changes by more than a few degrees,
    stations are inserted, since matrices are linear between those of a `SectionTable`.

    Parameters
    ----------
    subset : of the file
    length : m, of the body's half-chord line
    body : its name, for messages
    radii_at : reference point of the radii of gyration, see `read_hawc2`
    damping : of the body
    uniform_fits : a table with equal stations is accepted for any length

    Attributes
    ----------
    r : (n,) m, from 0 to the length

    Raises
    ------
    InputError
        Naming file, line, station and entry.
    """

    def __init__(
        self,
        subset: StSubset,
        length: float,
        body: str,
        radii_at: Radii | None = None,
        damping: StDamping | None = None,
        uniform_fits: bool = False,
    ):
        text, rows = _table(subset.path, subset.set_number, subset.subset)
        if subset.full is not None and subset.full is not ("K11" in rows[0][0]):
            needed = "full matrices (30 columns)" if subset.full else "beam constants (19 columns)"
            text.fail(
                f"body '{body}' needs {needed}, this table has the other format: is FPM right?",
                rows[0][1],
            )
        last = rows[-1][0]["r"]
        fits = abs(last / length - 1.0) <= _LENGTH
        if not fits and not (uniform_fits and _uniform([row for row, _ in rows])):
            text.fail(
                f"the last station has r = {last:g} m, but the centre line of '{body}' is {length:g} m long: "
                "do the files belong together?",
                rows[-1][1],
            )
        self.damping, self.radii_at = damping, radii_at or _radii_at([row for row, _ in rows], text)
        for k, (row, line) in enumerate(rows):
            self._section(
                row, f"{text.path}, line {line + 1}, station {k + 1} (r = {row['r']:g} m)", (0.0, 0.0)
            )
        self._rows = _along([row for row, _ in rows], length if fits else last)
        self.r = np.array([row["r"] for row in self._rows]) * (1.0 if fits else length / last)
        self._path = text.path

    def elastic_centres(self, r: ArrayLike) -> Array:
        """(k, 2) m, x_e and y_e at the arc lengths ``r`` (k,) m, HAWC2's local axes."""
        return np.stack(
            [np.interp(np.asarray(r, float), self.r, [row[e] for row in self._rows]) for e in ("x_e", "y_e")],
            axis=1,
        )

    def sections(self, points: Array) -> list[Section]:
        """The sections at points of their planes.

        points : (n, 2) m, from the half chord, HAWC2's local axes
        """
        return [
            self._section(row, f"{self._path}, r = {row['r']:g} m", point)
            for row, point in zip(self._rows, points, strict=True)
        ]

    def _section(self, row: Row, where: str, point: ArrayLike) -> Section:
        """Section at a point, computed in HAWC2's local axes x, y, z, then transformed to ours."""
        x, y = np.asarray(point, dtype=float)
        at_this: Row = {
            **row,
            **{name: row[name] - x for name in ("x_cg", "x_sh", "x_e") if name in row},
            **{name: row[name] - y for name in ("y_cg", "y_sh", "y_e") if name in row},
        }
        return _section(at_this, self.radii_at, self.damping, where)


def _along(rows: Sequence[Row], length: float) -> list[Row]:
    """The rows from r = 0 to the length, with more of them where the principal axes turn by more than a step."""
    r = np.array([row["r"] for row in rows])
    places = [0.0]
    for start, end in zip(rows[:-1], rows[1:], strict=True):
        turn = abs(end["pitch"] - start["pitch"])
        # by 90 degrees and more the two principal axes are exchanged, and nothing is turned
        pieces = int(np.ceil(turn / _PITCH_STEP)) if turn < 90.0 else 1
        places += list(np.linspace(start["r"], end["r"], max(pieces, 1) + 1)[1:])
    at = [place for place in places if place < length * (1.0 - 1e-9)] + [length]
    columns = {name: np.interp(at, r, [row[name] for row in rows]) for name in rows[0]} | {"r": np.array(at)}
    return [{name: float(values[k]) for name, values in columns.items()} for k in range(len(at))]


def _uniform(rows: Sequence[Row]) -> bool:
    """Whether all stations have the same section."""
    return all(row[name] == rows[0][name] for row in rows for name in row if name != "r")


def _radii_at(rows: Sequence[Row], text: TextFile) -> Radii:
    """Reference point of the radii of gyration if only one is possible; InputError if both are."""
    largest = 0.0
    for row in rows:
        principal = np.diag([row["ri_x"] ** 2, row["ri_y"] ** 2])
        arm = np.array([row["x_cg"] - row["x_e"], row["y_cg"] - row["y_e"]])
        turn = about_third(np.radians(row["pitch"]))[:2, :2]
        # second moments of mass divided by mass: that about x_e is the mean of y^2
        about_mass_centre = turn @ principal @ turn.T - (arm @ arm * np.eye(2) - np.outer(arm, arm))
        size = float(np.trace(principal))
        if np.linalg.eigvalsh(about_mass_centre)[0] < -1e-9 * size:
            return "mass centre"
        largest = max(largest, float(arm @ arm) / size if size > 0.0 else 0.0)
    if largest > _RADII:
        raise InputError(
            f"{text.path}: its radii of gyration may refer to the elastic centre (HAWC2's manual, DTU 10 MW) or "
            f"to the mass centre (IEA 15 MW); rotary inertia differs by up to {100 * largest:.2g} %: "
            "give radii_at='elastic centre' or radii_at='mass centre' "
            "(command line: --set 'radii_at=elastic centre')"
        )
    return "elastic centre"


# -- the table -----------------------------------------------------------------------------------------------


def _table(path: str | Path, set_number: int, subset: int) -> tuple[TextFile, list[tuple[Row, int]]]:
    """Stations as dictionaries by column name, with their lines (from 0)."""
    text = TextFile(path, "HAWC2 st file")
    _find_mark(text, "#", set_number, "set", ("#",))
    _find_mark(text, "$", subset, f"subset of set {set_number}", ("$", "#"))
    words = tokens(text.lines[text.next - 1].replace("$", " $ ", 1))
    count = as_number(words[2]) if len(words) > 2 else None
    if count is None or not count.is_integer() or count < 2:
        text.fail("give the subset's number and its number of stations, 2 at least, e.g. '$1 26'")
    rows: list[tuple[Row, int]] = []
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


def _find_mark(text: TextFile, mark: str, number: int, what: str, stops: Sequence[str]) -> None:
    """Advance past the line that starts with `mark` and the number; a line with another stop ends the search."""
    while text.next < len(text.lines):
        line = text.lines[text.next].strip()
        if line.startswith(tuple(stops)):
            words = tokens(line[1:])
            if line[0] == mark and words and as_number(words[0]) == number:
                text.next += 1
                return
            if line[0] != mark:
                break
        text.next += 1
    raise InputError(f"{text.path}: there is no {what} {number} (no line '{mark}{number}')")


# -- one station ---------------------------------------------------------------------------------------------


def _section(row: Row, radii_at: Radii, damping: StDamping | None, where: str) -> Section:
    """Section at the point from which the row's centres are measured."""
    turn = about_third(np.radians(row["pitch"]))  # from principal bending axes to local axes
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
        # parallel-axis theorem: from the elastic centre to the mass centre
        arm = centre - elastic
        mass[3:, 3:] -= row["m"] * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    section = checked_section(stiffness, at_point(mass, -centre), FROM_HAWC2, where)
    if damping is None:
        return section
    viscous = _viscosity(row, damping, turn, elastic, where)
    return replace(section, damping=in_axes(viscous, FROM_HAWC2))


def _viscosity(row: Row, damping: StDamping, turn: Array, elastic: Array, where: str) -> Array:
    """(6, 6) section forces per strain rate at the reference point, local axes; see the module's docstring."""
    shear = (damping.about_y, damping.about_x) if damping.kind == "aniso" else (0.0, 0.0)
    times = np.array([*shear, 0.0, damping.about_x, damping.about_y, damping.twist])
    if "K11" in row:
        root = np.sqrt(times)
        return at_point(in_axes(root[:, None] * _matrix(row, where) * root, turn), -elastic)
    return _from_constants(row, turn, elastic, where, times)


def _matrix(row: Row, where: str) -> Array:
    upper = np.zeros((6, 6))
    upper[np.triu_indices(6)] = [row[name] for name in _MATRIX[9:]]
    full = upper + upper.T - np.diag(np.diag(upper))
    return definite(full, 6, f"{where}: stiffness K11 … K66", strict=True)


def _from_constants(row: Row, turn: Array, elastic: Array, where: str, factors: Array | float = 1.0) -> Array:
    """(6, 6) at the reference point, local axes, of the constants times factors (6,), each at its own centre."""
    for name in ("E", "G", "A", "I_x", "I_y", "I_p", "k_x", "k_y"):
        if row[name] <= 0.0:
            raise InputError(f"{where}: {name} is {row[name]:g}: it must be above zero")
    shear = np.array([row["x_sh"], row["y_sh"], 0.0])
    young, rigid, area = row["E"], row["G"], row["A"]
    bending = [0.0, 0.0, young * area, young * row["I_x"], young * row["I_y"], 0.0]
    shearing = [row["k_x"] * rigid * area, row["k_y"] * rigid * area, 0.0, 0.0, 0.0, rigid * row["I_p"]]
    at_elastic, at_shear = np.diag(factors * np.array(bending)), np.diag(factors * np.array(shearing))
    return at_point(in_axes(at_elastic, turn), -elastic) + at_point(in_axes(at_shear, turn), -shear)


_ROUND_OFF = 1e-9  # of fractions of the length: a station so near a point of c2_def is at it


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

    Its axis is the line through the elastic centres, as in HAWC2; `Blade.half_chord` is the line `c2_def`.

    Parameters
    ----------
    st_file, htc_file : paths
    body : name of the main body in the htc file
    set_number, subset : of the st file, from 1
    radii_at : "mass centre" or "elastic centre", reference point of the file's radii of gyration; required where the
        two differ by more than 1e-3 and both are possible
    name : of the beam

    Raises
    ------
    InputError
        Naming file, line, station and entry: files that cannot be read, a missing body, set or subset, wrong counts,
        stations or sections of the centre line out of order, matrices that are not those of a section.
    """
    if radii_at not in (None, *CENTRES):
        raise InputError(f"read_hawc2: radii_at is {radii_at!r}: give 'mass centre' or 'elastic centre'")
    line = read_centre_line(htc_file, body)
    blade = hawc2_beam(StSubset(st_file, set_number, subset), line, body, radii_at)
    return replace(blade, name=name, source=f"{st_file}, {htc_file}")


def hawc2_beam(
    subset: StSubset,
    centre_line: Array,
    body: str,
    radii_at: Radii | None = None,
    damping: StDamping | None = None,
    uniform_fits: bool = False,
) -> Blade:
    """A main body of HAWC2.

    Parameters
    ----------
    subset, body, radii_at, damping, uniform_fits : as of `StTable`
    centre_line : (n, 4) of `c2_def`, as `fem_mbd.elements.blades.hawc2_htc.centre_line` gives it

    Raises
    ------
    InputError
        Naming file, line, station and entry.
    """
    points, angles = centre_line[:, :3] @ BLADE_FROM_HAWC2.T, np.radians(centre_line[:, 3])
    half_chord = BladeAxis(points, angles, rule="hawc2")
    table = StTable(subset, half_chord.length, body, radii_at, damping, uniform_fits)
    axis = _through_elastic_centres(half_chord, table)
    # a station keeps its fraction of the piece between two points of c2_def
    s = np.interp(table.r / half_chord.length, half_chord.bounds, axis.bounds)
    nearest = axis.bounds[np.argmin(np.abs(s[:, None] - axis.bounds), axis=1)]
    s = np.where(np.abs(s - nearest) < _ROUND_OFF, nearest, s)
    elastic = table.elastic_centres(table.r)
    sections = table.sections(elastic - _apart(half_chord, axis, table, s))
    # the mass per length is that of the half-chord line: with these ratios the blade has the mass of the file
    ratios = _tributary(table.r) / _tributary(s * axis.length)
    sections = [
        replace(section, mass_per_length=ratio * section.mass_per_length, inertia=ratio * section.inertia)
        for section, ratio in zip(sections, ratios, strict=True)
    ]
    return Blade(axis, SectionTable(s, sections), name=body, half_chord=half_chord)


def _tributary(places: Array) -> Array:
    """(n,) half the distance of the neighbours of ``places`` (n,): weights of the trapezoidal rule."""
    return np.asarray(0.5 * (np.diff(places, append=places[-1]) + np.diff(places, prepend=places[0])))


def _through_elastic_centres(half_chord: BladeAxis, table: StTable) -> BladeAxis:
    """The axis through the elastic centres at the points of the half-chord line, which may be that line itself."""
    centres = table.elastic_centres(half_chord.bounds * half_chord.length)
    if not centres.any():
        return half_chord
    points = [
        _place(half_chord, float(s), centre) for s, centre in zip(half_chord.bounds, centres, strict=True)
    ]
    return BladeAxis(points, half_chord.angles, rule="hawc2")


def _apart(half_chord: BladeAxis, axis: BladeAxis, table: StTable, s: Array) -> Array:
    """(n, 2) m, the elastic centres at the stations from the axis, at the fractions ``s`` of it, HAWC2's local axes.

    They lie on it at the points of c2_def.
    """
    centres = []
    for r, at, centre in zip(table.r, s, table.elastic_centres(table.r), strict=True):
        place, (position, rotation) = _place(half_chord, r / half_chord.length, centre), axis.at(float(at))
        centres.append((FROM_HAWC2.T @ rotation.T @ (place - position))[:2])
    return np.array(centres)


def _place(half_chord: BladeAxis, s: float, point: Array) -> Array:
    """(3,) m, blade axes, of a point (2,) in HAWC2's local axes of a section."""
    position, rotation = half_chord.at(s)
    return np.asarray(position + rotation @ FROM_HAWC2 @ [*point, 0.0])
