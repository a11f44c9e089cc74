"""Aerodynamics of a blade: airfoil coefficients, and chord, twist and aerodynamic centres along it.

`Polar` has the coefficients of an airfoil over the whole circle of angles of attack, `MachPolars` over the Mach number,
too, `PolarSet` over relative thickness. Separation follows Kirchhoff's flow past a plate, as used by Hansen, Gaunaa &
Madsen 2004 (Riso-R-1354, eqs. 15 to 17):

    f = (2 sqrt(cl/(s (alpha - alpha_0))) - 1)^2        cl_fs = (cl - s (alpha - alpha_0) f)/(1 - f)

f is the attached part of the chord, cl_fs the lift of fully separated flow (cl/2 where f = 1), alpha_0 the angle of
zero lift and s the largest slope cl/(alpha - alpha_0) near it, so that f does not exceed 1. Beyond the angles on both
sides at which f first vanishes, the flow is fully separated.

`BladeAerodynamics` places polars, chord and twist along a blade.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.base.validation import array
from fem_mbd.elements.curve import ReferenceLine
from fem_mbd.errors import InputError

HALF_TURN = 180.0  # deg
COVER = 0.04  # deg, by which a table may end before a half turn: that of 3.141 rad
LINEAR_RANGE = np.radians(10.0)  # of angles of attack in which angle of zero lift and slope are found
NEAR_ZERO_LIFT = np.radians(0.2)  # the slope is not computed nearer to the angle of zero lift
LEAST_SLOPE = 1.0  # 1/rad: airfoils with less lift, as cylinders, do not stall
ATTACHED = 0.999  # f above which the lift of separated flow is half the lift
ROUNDING = 0.05  # % of the chord, by which a thickness may lie outside of a set
INCOMPRESSIBLE = np.zeros(1)  # Mach number of a polar that does not depend on it


@arguments()
@dataclass(frozen=True, eq=False)
class Polar:
    """Coefficients of an airfoil over the angle of attack, linear in between.

    Parameters
    ----------
    alpha : (n,) deg, ascending, from -180 to 180
    cl, cd : (n,) lift and drag
    cm : (n,) moment about a quarter of the chord, positive nose up; zero when left out
    name : shown in messages, such as the file and line

    Raises
    ------
    InputError
        For angles that do not ascend or do not cover the circle, other lengths, numbers that are not finite.
    """

    alpha: Any
    cl: Any
    cd: Any
    cm: Any = None
    _: KW_ONLY
    name: str = "polar"
    zero_lift: float = field(init=False)  # rad
    slope: float = field(init=False)  # 1/rad; 0 for airfoils without lift

    def __post_init__(self) -> None:
        alpha = array(self.alpha, np.shape(self.alpha), f"{self.name}: angles of attack")
        if alpha.ndim != 1 or len(alpha) < 2:
            raise InputError(f"{self.name}: give two angles of attack at least")
        columns = {"alpha": alpha}
        for column in ("cl", "cd", "cm"):
            values = np.zeros(len(alpha)) if getattr(self, column) is None else getattr(self, column)
            columns[column] = array(values, (len(alpha),), f"{self.name}: {column}")
        check_angles(alpha, self.name)
        for column, values in columns.items():
            object.__setattr__(self, column, values)
        zero_lift, slope = _linear_lift(np.radians(alpha), columns["cl"])
        object.__setattr__(self, "zero_lift", zero_lift)
        object.__setattr__(self, "slope", slope)

    @property
    def machs(self) -> Array:
        """(1,) Mach number, on which nothing depends."""
        return INCOMPRESSIBLE

    @property
    def largest_mach(self) -> float:
        """Up to which it holds: there is no limit."""
        return np.inf

    def at_mach(self, mach: float) -> Polar:
        """Itself."""
        return self

    def lifted(self, factor: float) -> Polar:
        """With its lift times a factor."""
        return replace(self, cl=factor * self.cl)

    def on(self, alpha: Array, mach: float = 0.0) -> Array:
        """(n + 1, 5) cl, cd, cm, f and cl_fs at angles of attack; last row as `fem_mbd.aerodynamics.stall` has it.

        Parameters
        ----------
        alpha : (n,) rad, ascending; with all angles of this polar among them nothing is lost
        mach : the Mach number that the last row has
        """
        degrees = np.degrees(alpha)
        cl, cd, cm = (np.interp(degrees, self.alpha, column) for column in (self.cl, self.cd, self.cm))
        f, separated = _separation(alpha, cl, self.zero_lift, self.slope)
        coefficients = np.stack([cl, cd, cm, f, separated], axis=1)
        return np.vstack([coefficients, [mach, self.zero_lift, self.slope, 0.0, 0.0]])


def check_angles(alpha: Array, name: str) -> None:
    """InputError for angles of attack that do not ascend or do not cover the circle.

    Parameters
    ----------
    alpha : (n,) deg
    name : shown in the message
    """
    if not np.all(np.diff(alpha) > 0.0):
        k = int(np.argmin(np.diff(alpha) > 0.0))
        raise InputError(
            f"{name}: angles of attack do not ascend: {alpha[k + 1]:g} deg follows {alpha[k]:g} deg"
        )
    if alpha[0] > COVER - HALF_TURN or alpha[-1] < HALF_TURN - COVER:
        raise InputError(
            f"{name}: angles of attack run from {alpha[0]:g} to {alpha[-1]:g} deg: coefficients are needed from "
            "-180 to 180 deg; extrapolate them, by Viterna's method for instance"
        )


def _linear_lift(alpha: Array, cl: Array) -> tuple[float, float]:
    """Angle of zero lift, rad, next to angle zero, and the largest slope of lift from there, 1/rad."""
    inside = np.flatnonzero(np.abs(alpha) <= LINEAR_RANGE)
    rising = [k for k in inside[:-1] if cl[k] <= 0.0 < cl[k + 1]]
    if not rising:
        return 0.0, 0.0
    k = min(rising, key=lambda k: abs(alpha[k] + alpha[k + 1]))
    zero = float(alpha[k] - cl[k] * (alpha[k + 1] - alpha[k]) / (cl[k + 1] - cl[k]))
    near = np.abs(alpha - zero)
    chosen = (near > NEAR_ZERO_LIFT) & (np.abs(alpha) <= LINEAR_RANGE)
    slope = float(np.max(cl[chosen] / (alpha[chosen] - zero), initial=0.0))
    return (zero, slope) if slope >= LEAST_SLOPE else (zero, 0.0)


def _separation(alpha: Array, cl: Array, zero: float, slope: float) -> tuple[Array, Array]:
    """(n,) f and cl_fs; fully attached where the airfoil has no lift slope."""
    if slope == 0.0:
        return np.ones(len(alpha)), 0.5 * cl
    attached = slope * (alpha - zero)
    share = np.divide(cl, attached, out=np.ones(len(alpha)), where=np.abs(alpha - zero) > 1e-9)
    f = np.clip(2 * np.sqrt(np.clip(share, 0.25, 1.0)) - 1.0, 0.0, 1.0) ** 2
    middle = int(np.argmin(np.abs(alpha - zero)))
    gone = f <= 0.0
    above, below = np.flatnonzero(gone[middle:]), np.flatnonzero(gone[: middle + 1])
    if len(above):
        f[middle + above[0] :] = 0.0
    if len(below):
        f[: below[-1] + 1] = 0.0
    rest = np.where(f < ATTACHED, 1.0 - f, 1.0)
    return f, np.where(f < ATTACHED, (cl - attached * f) / rest, 0.5 * cl)


@dataclass(frozen=True, eq=False)
class PolarSet:
    """Polars over relative thickness, linear in between.

    Parameters
    ----------
    thickness : (n,) % of the chord, ascending
    polars : of each thickness
    name : shown in messages

    Raises
    ------
    InputError
        For no polars, or thicknesses that do not ascend.
    """

    thickness: Any
    polars: Sequence[Polar]
    name: str = "polars"

    def __post_init__(self) -> None:
        thickness = array(self.thickness, (len(self.polars),), f"{self.name}: thickness")
        if not len(thickness):
            raise InputError(f"{self.name}: there is no polar")
        if not np.all(np.diff(thickness) > 0.0):
            raise InputError(f"{self.name}: relative thickness does not ascend: {thickness.tolist()} %")
        object.__setattr__(self, "thickness", thickness)

    def at(self, thickness: float) -> Polar:
        """The polar of a thickness.

        Parameters
        ----------
        thickness : % of the chord

        Raises
        ------
        InputError
            For a thickness outside the set.
        """
        first, last = self.thickness[0], self.thickness[-1]
        if not first - ROUNDING <= thickness <= last + ROUNDING:
            raise InputError(
                f"{self.name}: relative thickness {thickness:g} % is outside the polars, "
                f"which have {first:g} to {last:g} %"
            )
        return _between(self.thickness, self.polars, thickness, f"{self.name}, {thickness:g} %")


@arguments()
@dataclass(frozen=True, eq=False)
class MachPolars:
    """Polars over the Mach number, linear in between.

    Beyond the largest Mach number its polar holds, and a run warns (`RangeWarning`); below the least one that
    one holds, without a warning. One polar alone holds everywhere.

    Parameters
    ----------
    machs : (m,) Mach numbers, ascending
    polars : (m,) of each Mach number
    name : shown in messages
    largest_mach : up to which they hold; the last of ``machs`` when left out

    Raises
    ------
    InputError
        For no polars, Mach numbers that do not ascend or are negative.
    """

    machs: Any
    polars: Sequence[Polar]
    _: KW_ONLY
    name: str = "polars over the Mach number"
    largest_mach: float | None = None

    def __post_init__(self) -> None:
        machs = array(self.machs, (len(self.polars),), f"{self.name}: Mach numbers")
        if not len(machs):
            raise InputError(f"{self.name}: there is no polar")
        check_machs(machs, self.name)
        object.__setattr__(self, "machs", machs)
        if self.largest_mach is None:
            object.__setattr__(self, "largest_mach", float(machs[-1]) if len(machs) > 1 else np.inf)

    @property
    def alpha(self) -> Array:
        """(n,) deg, all angles of attack."""
        return np.unique(np.concatenate([polar.alpha for polar in self.polars]))

    def at_mach(self, mach: float) -> Polar:
        """The polar of a Mach number."""
        return _between(self.machs, self.polars, mach, f"{self.name}, Mach number {mach:g}")

    def lifted(self, factor: float) -> MachPolars:
        """With their lift times a factor."""
        return replace(self, polars=[polar.lifted(factor) for polar in self.polars])


def check_machs(machs: Array, name: str) -> None:
    """InputError for Mach numbers (m,) that are negative or do not ascend; name: shown in the message."""
    if machs[0] < 0.0 or not np.all(np.diff(machs) > 0.0):
        raise InputError(f"{name}: Mach numbers have to ascend from 0 or more: {machs.tolist()}")


def _between(values: Array, polars: Sequence[Polar], value: float, name: str) -> Polar:
    """The polar at a value of ascending ones (n,), beyond them that of the end."""
    if len(polars) == 1:
        return polars[0]
    k = int(np.clip(np.searchsorted(values, value) - 1, 0, len(polars) - 2))
    share = float(np.clip((value - values[k]) / (values[k + 1] - values[k]), 0.0, 1.0))
    if share in (0.0, 1.0):
        return polars[k + int(share)]
    return mixed(polars[k], polars[k + 1], share, name)


def mixed(first: Polar, second: Polar, share: float, name: str) -> Polar:
    """The polar between two others.

    Parameters
    ----------
    first, second : polars
    share : of the second
    name : of the result
    """
    alpha = np.union1d(first.alpha, second.alpha)
    columns = [
        (1.0 - share) * np.interp(alpha, first.alpha, getattr(first, c))
        + share * np.interp(alpha, second.alpha, getattr(second, c))
        for c in ("cl", "cd", "cm")
    ]
    return Polar(alpha, *columns, name=name)


MAX_ITERATIONS = 100  # of the search for the foot of a point
STATIONS = 50  # of a blade, at which loads are computed
LONGER = (
    0.01  # fraction of the structure's length by which the aerodynamic description may be longer or shorter
)


@dataclass(frozen=True, eq=False)
class BladeAerodynamics:
    """Aerodynamic description of a blade: stations along its reference line, linear in between.

    Parameters
    ----------
    span : (n,) m along the blade from its root, ascending
    chord : (n,) m
    polars : (n,) polar of each station, or polars over the Mach number
    twist : (n,) rad, of the chord against the section's axes, positive nose down; zero where those follow the chord
    centre : (n, 2) m, aerodynamic centre (a quarter of the chord) from the reference line, in section axes: x to the
        suction side, y to the trailing edge
    source : the files, for messages
    ends : (2,) m, first and last place of the file's own span, which may be measured along another line (HAWC2: the
        half chord); those of ``span`` when left out

    Raises
    ------
    InputError
        For lengths that differ, a span that does not ascend, chords that are not above zero.
    """

    span: Any
    chord: Any
    polars: Sequence[Polar | MachPolars]
    twist: Any
    centre: Any
    source: str = ""
    ends: Any = None

    def __post_init__(self) -> None:
        n, what = len(self.polars), self.source or "aerodynamics of a blade"
        if n < 2:
            raise InputError(f"{what}: two stations are needed at least")
        for name, shape in (("span", (n,)), ("chord", (n,)), ("twist", (n,)), ("centre", (n, 2))):
            object.__setattr__(self, name, array(getattr(self, name), shape, f"{what}: {name}"))
        ends = self.span[[0, -1]] if self.ends is None else self.ends
        object.__setattr__(self, "ends", array(ends, (2,), f"{what}: ends"))
        if not np.all(np.diff(self.span) > 0.0):
            k = int(np.argmin(np.diff(self.span) > 0.0))
            raise InputError(
                f"{what}: station {k + 2} at {self.span[k + 1]:g} m does not lie beyond station {k + 1}"
            )
        if not np.all(self.chord > 0.0):
            raise InputError(
                f"{what}: the chord of station {int(np.argmin(self.chord)) + 1} is not above zero"
            )

    def check_length(self, length: float, blade: str) -> None:
        """InputError when it does not end where the structure of length (m) ends.

        Parameters
        ----------
        length : m
        blade : its name
        """
        if abs(self.span[-1] - length) > LONGER * length:
            raise InputError(
                f"{self.source}: the aerodynamic description of '{blade}' ends at {self.span[-1]:g} m, its "
                f"structure at "
                f"{length:g} m: they may differ by {100 * LONGER:g} %; compare the units and the root's position"
            )

    def at(self, s: Array) -> tuple[Array, Array, Array]:
        """Chord (k,), twist (k,) and aerodynamic centre (k, 2).

        Parameters
        ----------
        s : (k,) m along the blade
        """
        centre = np.stack([np.interp(s, self.span, column) for column in self.centre.T], axis=1)
        return np.interp(s, self.span, self.chord), np.interp(s, self.span, self.twist), centre

    def tables(self, s: Array, alpha: Array, machs: Array) -> Array:
        """(k, n + 1, 5 m) tables at k places, see `fem_mbd.aerodynamics.stall`.

        Parameters
        ----------
        s : (k,) m along the blade
        alpha : (n,) rad, see `angles`
        machs : (m,) see `machs`
        """
        at, share = self._places(s)
        return np.concatenate([self._tables_at(at, share, alpha, mach) for mach in machs], axis=2)

    def _places(self, s: Array) -> tuple[Indices, Array]:
        """(k,) stations before places, and share of the next one."""
        at = np.clip(np.searchsorted(self.span, s, side="right") - 1, 0, len(self.span) - 2)
        return at, np.clip((s - self.span[at]) / (self.span[at + 1] - self.span[at]), 0.0, 1.0)

    def _tables_at(self, at: Indices, share: Array, alpha: Array, mach: float) -> Array:
        """(k, n + 1, 5) of one Mach number."""
        of = {id(p): p.at_mach(mach).on(alpha) for p in self.polars}
        tables = []
        for k, w in zip(at, share, strict=True):
            a, b = of[id(self.polars[k])][:-1, :3], of[id(self.polars[k + 1])][:-1, :3]
            mean = (1.0 - w) * a + w * b
            tables.append(Polar(np.degrees(alpha), *mean.T, name=self.source or "polar").on(alpha, mach))
        return np.array(tables)

    def angles(self) -> Array:
        """(n,) rad, all angles of attack of its polars."""
        return np.unique(np.round(np.radians(np.concatenate([p.alpha for p in self.polars])), 9))

    def machs(self) -> Array:
        """(m,) all Mach numbers of its polars."""
        return np.unique(np.concatenate([p.machs for p in self.polars]))

    def largest_mach(self, s: Array) -> Array:
        """(k,) up to which the polars on both sides of places hold; s (k,) m along the blade."""
        at, largest = self._places(s)[0], np.array([p.largest_mach for p in self.polars])
        return np.asarray(np.minimum(largest[at], largest[at + 1]))


def along_line(
    line: ReferenceLine, centres: Array, trailing: Array, chord: Array, polars: Sequence[Polar], source: str
) -> BladeAerodynamics:
    """The description along a reference line, from points and directions in the line's axes.

    Parameters
    ----------
    line : of the blade's structure
    centres : (n, 3) m, aerodynamic centres
    trailing : (n, 3) directions of the chord, to the trailing edge
    chord : (n,) m
    polars : of each station
    source : the files, for messages
    """
    span, twist, centre = np.zeros(len(chord)), np.zeros(len(chord)), np.zeros((len(chord), 2))
    for k, (point, direction) in enumerate(zip(centres, trailing, strict=True)):
        span[k] = s = _foot(line, point)
        position, axes = line.at(s / line.length)[:2]
        from_line, across = (point - position) @ axes, direction @ axes
        twist[k], centre[k] = np.arctan2(across[1], across[2]), from_line[1:]
    return BladeAerodynamics(span, chord, polars, twist, centre, source)


def _foot(line: ReferenceLine, point: Array) -> float:
    """Arc length, m, at which the line's normal plane contains the point; beyond its ends along its tangent there."""
    s = 0.5 * line.length
    for _ in range(MAX_ITERATIONS):
        inside = min(max(s, 0.0), line.length)
        position, axes = line.at(inside / line.length)[:2]
        foot = inside + float((point - position) @ axes[:, 0])
        change, s = abs(foot - s), foot
        if change < 1e-10 * line.length:
            break
    return s


def cosine_stations(number: int, start: float, end: float) -> tuple[Array, Array]:
    """Middle (n,) and length (n,) of parts of a span, which are short at root and tip.

    Parameters
    ----------
    number : of stations
    start, end : m
    """
    bounds = start + 0.5 * (end - start) * (1.0 - np.cos(np.linspace(0.0, np.pi, number + 1)))
    return 0.5 * (bounds[1:] + bounds[:-1]), np.diff(bounds)
