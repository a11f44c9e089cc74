"""Aerodynamics of a blade: airfoil coefficients, and chord, twist and aerodynamic centres along it.

`Polar` has the coefficients of an airfoil over the whole circle of angles of attack, `PolarSet` sets of them over
relative thickness. Separation follows Kirchhoff's flow past a plate, as used by Hansen, Gaunaa & Madsen 2004
(Riso-R-1354, eqs. 15 to 17):

    f = (2 sqrt(cl/(s (alpha - alpha_0))) - 1)^2        cl_fs = (cl - s (alpha - alpha_0) f)/(1 - f)

f is the attached part of the chord, cl_fs the lift of fully separated flow (cl/2 where f = 1), alpha_0 the angle of
zero lift and s the largest slope cl/(alpha - alpha_0) near it, so that f does not exceed 1. Beyond the angles on both
sides at which f first vanishes, the flow is fully separated.

`BladeAerodynamics` places polars, chord and twist along a blade.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
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
COLUMNS = 5  # of `Polar.on`


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
        given = {"alpha": alpha}
        for column in ("cl", "cd", "cm"):
            values = np.zeros(len(alpha)) if getattr(self, column) is None else getattr(self, column)
            given[column] = array(values, (len(alpha),), f"{self.name}: {column}")
        if not np.all(np.diff(alpha) > 0.0):
            k = int(np.argmin(np.diff(alpha) > 0.0))
            raise InputError(
                f"{self.name}: angles of attack do not ascend: {alpha[k + 1]:g} deg follows {alpha[k]:g} deg"
            )
        if alpha[0] > COVER - HALF_TURN or alpha[-1] < HALF_TURN - COVER:
            raise InputError(
                f"{self.name}: angles of attack run from {alpha[0]:g} to {alpha[-1]:g} deg: "
                "coefficients are needed from "
                "-180 to 180 deg; extrapolate them, by Viterna's method for instance"
            )
        for column, values in given.items():
            object.__setattr__(self, column, values)
        zero_lift, slope = _linear_lift(np.radians(alpha), given["cl"])
        object.__setattr__(self, "zero_lift", zero_lift)
        object.__setattr__(self, "slope", slope)

    def on(self, alpha: Array) -> Array:
        """(n, 5) cl, cd, cm, f and cl_fs at angles of attack.

        Parameters
        ----------
        alpha : (n,) rad, ascending; with all angles of this polar among them nothing is lost
        """
        degrees = np.degrees(alpha)
        cl, cd, cm = (np.interp(degrees, self.alpha, column) for column in (self.cl, self.cd, self.cm))
        f, separated = _separation(alpha, cl, self.zero_lift, self.slope)
        return np.stack([cl, cd, cm, f, separated], axis=1)


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
        k = int(np.clip(np.searchsorted(self.thickness, thickness) - 1, 0, max(len(self.polars) - 2, 0)))
        if len(self.polars) == 1:
            return self.polars[0]
        share = (thickness - self.thickness[k]) / (self.thickness[k + 1] - self.thickness[k])
        share = float(np.clip(share, 0.0, 1.0))
        if share in (0.0, 1.0):
            return self.polars[k + int(share)]
        return mixed(self.polars[k], self.polars[k + 1], share, f"{self.name}, {thickness:g} %")


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
    polars : (n,) polar of each station
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
    polars: Sequence[Polar]
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

    def tables(self, s: Array, alpha: Array) -> tuple[Array, Array]:
        """(k, 2) angle of zero lift and slope, and (k, n, 5) coefficients and separation at k places, see `Polar.on`.

        Parameters
        ----------
        s : (k,) m along the blade
        alpha : (n,) rad, see `angles`
        """
        of = {id(p): p.on(alpha) for p in self.polars}
        at = np.clip(np.searchsorted(self.span, s, side="right") - 1, 0, len(self.span) - 2)
        share = np.clip((s - self.span[at]) / (self.span[at + 1] - self.span[at]), 0.0, 1.0)
        found = []
        for k, w in zip(at, share, strict=True):
            a, b = of[id(self.polars[k])][:, :3], of[id(self.polars[k + 1])][:, :3]
            mean = (1.0 - w) * a + w * b
            found.append(Polar(np.degrees(alpha), *mean.T, name=self.source or "polar"))
        return np.array([[p.zero_lift, p.slope] for p in found]), np.array([p.on(alpha) for p in found])

    def angles(self) -> Array:
        """(n,) rad, all angles of attack of its polars."""
        return np.unique(np.round(np.radians(np.concatenate([p.alpha for p in self.polars])), 9))


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
        found = inside + float((point - position) @ axes[:, 0])
        change, s = abs(found - s), found
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
