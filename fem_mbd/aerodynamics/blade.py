"""Class `BladeAerodynamics`: chord, twist, airfoils and aerodynamic centres along a blade."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fem_mbd.aerodynamics.airfoils import Polar
from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import array
from fem_mbd.elements.curve import ReferenceLine
from fem_mbd.errors import InputError

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
