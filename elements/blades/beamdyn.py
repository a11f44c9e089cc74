"""Reader of BeamDyn blades: the primary file (key points, twist) and the blade file (stations, damping).

Meaning of the files (BeamDyn user guide, "Input Files"; OpenFAST documentation):

- blade axes are ours: x to the suction side, y to the trailing edge, z to the tip; key points in them;
- `initial_twist` in degrees about -z, hence our angle is its negative; sections as rule "beamdyn" of `blade`;
- station_eta is a fraction of the arc length of the axis; between stations both matrices are linear in it;
- 6 x 6 matrices about the axis, in section axes x', y', z' = tangent: forces (Fx, Fy, Fz, Mx, My, Mz). Ours are
  (1, 2, 3) = (z', x', y'): the cyclic permutation FROM_BEAMDYN, no sign changes;
- damp_type (damp_flag in early files) 0: none; 1: mu_1 … mu_6, s, in the same order as forces: stress = C strain +
  mu C strain rate, which is not symmetric for coupled sections, so it is replaced by sqrt(mu) C sqrt(mu) (see
  `viscosity`); 2: modal, ratios zeta;
- mass matrices that are all zero, as in static models, are replaced by a negligible mass, with a warning.

The mesh, quadrature and outputs in the primary file are for BeamDyn's solver and not used. Key points of several
members form one smooth axis.
"""

from __future__ import annotations

import warnings
from pathlib import Path, PureWindowsPath
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.elements.blades.blade import Blade, BladeAxis
from fem_mbd.elements.blades.stations import FROM_BEAMDYN, checked_section
from fem_mbd.elements.blades.text import TextFile, in_any_case, tokens
from fem_mbd.elements.section.table import SectionTable
from fem_mbd.errors import FemMbdWarning

MIN_MASS = 1e-9  # kg/m, for files without mass; beams need a positive mass
_POINT = np.diag([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])


class MasslessWarning(FemMbdWarning):
    """The blade's file has no mass: only statics without weight is meaningful."""


def read_beamdyn(primary: str | Path, blade_file: str | Path | None = None, name: str = "blade") -> Blade:
    """The blade of a BeamDyn primary file.

    Parameters
    ----------
    primary : file
    blade_file : replaces the file named in the primary file
    name : of the blade

    Raises
    ------
    InputError
        Naming file, line, station and entry: files that cannot be read, missing keywords, wrong counts, stations or
        key points out of order, matrices that are not symmetric, not definite, or not those of a section.

    Warns
    -----
    MasslessWarning
        When no station has mass.
    """
    axis, file = _primary(primary)
    folder = Path(primary).parent
    named = PureWindowsPath(file).parts  # both kinds of slashes
    path = in_any_case(folder, named) or folder.joinpath(*named) if blade_file is None else Path(blade_file)
    text = TextFile(path, "BeamDyn blade file")
    count = text.whole("station_total", 2)
    damping, ratios = _damping(text)
    text.find("DISTRIBUTED PROPERTIES", "the heading of the stations")
    sections = _stations(text, count)
    return Blade(axis, sections, damping, ratios, name, f"{primary}, {path}")


# -- primary file --------------------------------------------------------------------------------------------


def _primary(path: str | Path) -> tuple[BladeAxis, str]:
    text = TextFile(path, "BeamDyn primary file")
    members = text.whole("member_total", 1)
    total = text.whole("kp_total", 3)
    count = 0
    for k in range(members):
        words = tokens(text.line(f"member {k + 1}"))[:2]
        number, own_points = text.convert(words, f"member {k + 1}") if len(words) == 2 else (0.0, 0.0)
        if number != k + 1 or own_points < 3 or not float(own_points).is_integer():
            text.fail(
                f"member {k + 1} of {members}: give its number and its number of key points, 3 at least"
            )
        count += int(own_points)
    if count - members + 1 != total:
        text.fail(
            f"the members have {count} key points, {members - 1} of them shared, so {count - members + 1} in total, "
            f"but kp_total is {total}"
        )
    text.find("kp_zr", "the heading of the key points")
    text.line("the units of the key points")
    points = _key_points(text, total)
    # twist is positive about -z, our angle about +z
    axis = BladeAxis(points[:, :3], -np.radians(points[:, 3]), rule="beamdyn")
    return axis, text.value("BldFile").strip('"' + "'")


def _key_points(text: TextFile, total: int) -> Array:
    points = np.empty((total, 4))
    for k in range(total):
        what = f"key point {k + 1} of {total}"
        if not text.at_numbers():
            text.line(what)
            text.fail(f"{what} is missing: kp_total is {total}")
        points[k] = text.numbers(4, what)
        if k and points[k, 2] <= points[k - 1, 2]:
            text.fail(
                f"{what} is at z = {points[k, 2]:g} m, not beyond the one before it at {points[k - 1, 2]:g} m"
            )
    if text.at_numbers() and len(tokens(text.line(""))) == 4:
        text.fail(f"there are more key points than kp_total = {total}")
    return points


# -- blade file ----------------------------------------------------------------------------------------------


def _damping(text: TextFile) -> tuple[Any, tuple[float, ...]]:
    """Six damping times in our order (0.0 for none), and modal ratios."""
    kind = text.whole("damp_flag" if text.has("damp_flag") else "damp_type", 0)
    if kind > 2:
        text.fail(f"damp_type is {kind}: give 0 (none), 1 (stiffness-proportional) or 2 (modal)")
    if kind == 1:
        text.find("mu6", "the heading of the damping coefficients mu1 … mu6")
        text.line("the units of the damping coefficients")
        mu = text.numbers(6, "damping coefficients mu1 … mu6")
        if np.any(mu < 0.0):
            text.fail(
                f"damping coefficient mu{int(np.argmin(mu)) + 1} is {mu.min():g}: it must not be negative"
            )
        return np.concatenate([FROM_BEAMDYN @ mu[:3], FROM_BEAMDYN @ mu[3:]]), ()
    if kind == 2:
        count = text.whole("n_modes", 1)
        words = tokens(text.value("zeta"))
        ratios = text.convert(words, "damping ratios zeta")
        if len(ratios) != count or np.any(ratios < 0.0):
            text.fail(f"{len(ratios)} damping ratios zeta, but n_modes is {count}; none may be negative")
        return 0.0, tuple(float(z) for z in ratios)
    return 0.0, ()


def _stations(text: TextFile, count: int) -> SectionTable:
    eta: list[float] = []  # lists grow with the stations: the number in the file is not trusted
    pairs = []
    for k in range(count):
        if not text.at_numbers():
            text.fail(f"station {k + 1} of {count} is missing: station_total is {count}", text.next)
        eta.append(float(text.numbers(1, f"station {k + 1} of {count}: its eta")[0]))
        _check_order(text, eta, count)
        pairs.append(_matrices(text, f"station {k + 1} (eta = {eta[k]:g})"))
    if text.at_numbers():
        text.line("")
        text.fail(f"there are more stations than station_total = {count}")
    if not any(np.any(pair[1]) for pair in pairs):
        pairs = [(pair[0], MIN_MASS * _POINT, pair[2]) for pair in pairs]
        warnings.warn(
            f"{text.path}: the blade has no mass: use it for statics without weight only, frequencies are meaningless",
            MasslessWarning,
            stacklevel=4,
        )
    sections = [checked_section(stiffness, mass, FROM_BEAMDYN, where) for stiffness, mass, where in pairs]
    return SectionTable(np.array(eta), sections)


def _check_order(text: TextFile, eta: list[float], count: int) -> None:
    k = len(eta)
    if k == 1 and eta[0] != 0.0:
        text.fail(f"station 1 has eta = {eta[0]:g}: the first must have 0")
    if k > 1 and eta[-1] <= eta[-2]:
        text.fail(f"station {k} has eta = {eta[-1]:g}, not above {eta[-2]:g} of the one before it")
    if k == count and eta[-1] != 1.0:
        text.fail(f"station {k}, the last, has eta = {eta[-1]:g}: it must have 1")


def _matrices(text: TextFile, station: str) -> tuple[Array, Array, str]:
    """Stiffness and mass (6, 6), and their location in the file."""
    first = 0
    pair = []
    for kind in ("stiffness", "mass"):
        rows = []
        for row in range(6):
            rows.append(text.numbers(6, f"{station}: row {row + 1} of the {kind} matrix"))
            first = first or text.next
        pair.append(np.array(rows))
    return pair[0], pair[1], f"{text.path}, line {first}, {station}"
