"""Distributed loads along a blade as a table over span, azimuth and time.

    loads (n_span, n_azimuth, n_time, 6) = force per length (N/m) along x, y, z, moment per length (N m/m) about them

linear between the entries in each direction. Span is the arc length from the blade's root along its reference axis, m;
azimuth that of the blade, rad, 0 upwards, positive in the rotor's direction of rotation, periodic over 2 pi; time in s.
The forces act at the aerodynamic centre, which lies (x, y) m from the reference axis in section axes (x to the suction
side, y to the trailing edge).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.base.validation import array
from fem_mbd.elements.beam.beam import BeamHandle
from fem_mbd.elements.loads.integration import line_points
from fem_mbd.errors import InputError

END_GAP_TOLERANCE = 1e-6  # fraction of the beam's length: largest gap of a table at its ends
MAX_AZIMUTH_GAP = np.pi + 1e-9  # rad, between two azimuths


@dataclass(frozen=True, eq=False)
class LoadTable:
    """Loads per length over span, and optionally over azimuth and time.

    Parameters
    ----------
    span : (s,) m from the root, ascending
    force : N/m, (s, 3), or (s, a, 3), (s, t, 3), (s, a, t, 3) with azimuths and times
    azimuth : (a,) rad, ascending, from 0 to below 2 pi, of the blade; no two neighbours more than pi apart
    time : (t,) s, ascending
    moment : N m/m, shaped like the force; zero by default
    centre : (2,) or (s, 2) m, aerodynamic centre from the reference axis, in section axes
    source : for messages, the file
    lines : (2,) of the file, those of the first and of the last station

    Raises
    ------
    InputError
        For coordinates that do not ascend, or values that do not belong to them.
    """

    span: Any
    force: Any
    azimuth: Any = None
    time: Any = None
    moment: Any = None
    centre: Any = (0.0, 0.0)
    source: str = "load table"
    lines: tuple[int, int] | None = None
    loads: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        what = self.source
        grid = [_ascending(self.span, f"{what}: span (m)", 2)]
        if self.azimuth is not None:
            grid.append(_checked_azimuths(_ascending(self.azimuth, f"{what}: azimuth (rad)", 2), what))
        if self.time is not None:
            grid.append(_ascending(self.time, f"{what}: time (s)", 2))
        shape = (*(len(axis) for axis in grid), 3)
        force = array(self.force, shape, f"{what}: force (N/m)")
        moment = np.zeros(shape)
        if self.moment is not None:
            moment = array(self.moment, shape, f"{what}: moment (N m/m)")
        loads = np.concatenate([force, moment], axis=-1)
        if self.azimuth is None:
            loads = loads[:, None]
        loads = loads if self.time is not None else loads[:, :, None]
        centre = np.asarray(self.centre, dtype=float)
        centre = np.broadcast_to(centre, (len(grid[0]), 2)) if centre.ndim == 1 else centre
        names = ["span", *(["azimuth"] if self.azimuth is not None else [])]
        names += ["time"] if self.time is not None else []
        for name, values in zip(names, grid, strict=True):
            object.__setattr__(self, name, values)
        object.__setattr__(self, "centre", array(centre, (len(grid[0]), 2), f"{what}: centre (m)"))
        object.__setattr__(self, "loads", loads)

    def check_covers(self, length: float, beam: str) -> None:
        """Refuse a table that does not cover the beam from root to tip.

        Parameters
        ----------
        length : m, of the beam
        beam : its name, for the message

        Raises
        ------
        InputError
            With file and line.
        """
        ends = ("begins", self.span[0], self.span[0] <= END_GAP_TOLERANCE * length), (
            "ends", self.span[-1], self.span[-1] >= (1 - END_GAP_TOLERANCE) * length,
        )  # fmt: skip
        for k, (verb, position, covered) in enumerate(ends):
            if not covered:
                line = f", line {self.lines[k]}" if self.lines is not None else ""
                raise InputError(
                    f"{self.source}{line}: the span {verb} at {position:g} m, but beam '{beam}' reaches from 0 to "
                    f"{length:g} m: give loads for all of it, zero where there are none"
                )

    def onto_nodes(self, beam: BeamHandle) -> NodalLoads:
        """The loads integrated along a beam times the shape functions of its nodes, exactly.

        Parameters
        ----------
        beam : handle that `Model.add(Beam(…))` returned
        """
        points = line_points(beam, np.asarray(self.span) / beam.line.length)
        k, w = _neighbours(self.span, np.clip(points.s * beam.line.length, self.span[0], self.span[-1]))
        loads = self.loads[k] * (1 - w)[:, None, None, None] + self.loads[k + 1] * w[:, None, None, None]
        centre = self.centre[k] * (1 - w)[:, None] + self.centre[k + 1] * w[:, None]
        # force, moment, and the force at both arms: products of linear functions are integrated, not multiplied
        arms = [loads[..., :3] * centre[:, None, None, None, a] for a in range(2)]
        return NodalLoads(self, points.onto_nodes(np.concatenate([loads, *arms], axis=-1)))


@dataclass(frozen=True, eq=False)
class NodalLoads:
    """A load table on the n nodes of a beam.

    loads (n, a, t, 12): force (N), moment (N m), and the integrals of x and of y of the aerodynamic centre times the
    force (N m), all in the table's axes
    """

    table: LoadTable
    loads: Array

    def at(self, azimuth: float, time: float) -> Array:
        """(n, 12) of ``loads``.

        Parameters
        ----------
        azimuth : rad, any
        time : s

        Raises
        ------
        InputError
            For a time beyond the table.
        """
        values, table = self.loads, self.table
        if table.azimuth is not None:
            grid = np.append(table.azimuth, table.azimuth[0] + 2 * np.pi)
            angle = grid[0] + np.mod(azimuth - grid[0], 2 * np.pi)
            k, w = _neighbours(grid, np.array([angle]))
            after = (int(k[0]) + 1) % len(table.azimuth)
            values = values[:, int(k[0])] * (1 - w[0]) + values[:, after] * w[0]
        else:
            values = values[:, 0]
        if table.time is None:
            return np.asarray(values[:, 0])
        first, last = float(table.time[0]), float(table.time[-1])
        if not first <= time <= last:
            raise InputError(
                f"{table.source}: the times go from {first:g} to {last:g} s, loads are requested at {time:.9g} s"
            )
        k, w = _neighbours(table.time, np.array([time]))
        return np.asarray(values[:, int(k[0])] * (1 - w[0]) + values[:, int(k[0]) + 1] * w[0])


def _neighbours(grid: Array, positions: Array) -> tuple[Indices, Array]:
    """Index (n,) of the grid entry before each position, and the fraction of the interval, from 0 to 1."""
    k = np.clip(np.searchsorted(grid, positions, side="right") - 1, 0, len(grid) - 2)
    return k, (positions - grid[k]) / (grid[k + 1] - grid[k])


def _ascending(sequence: Any, what: str, least: int) -> Array:
    values = array(sequence, np.shape(sequence), what)
    if values.ndim != 1 or len(values) < least or np.any(np.diff(values) <= 0.0):
        raise InputError(f"{what}: give {least} numbers at least that ascend")
    return values


def _checked_azimuths(azimuth: Array, what: str) -> Array:
    """Azimuths, checked to cover one revolution."""
    if azimuth[0] < 0.0 or azimuth[-1] >= 2 * np.pi:
        raise InputError(f"{what}: azimuths have to lie from 0 to below 360 degrees")
    gaps = np.diff(np.append(azimuth, azimuth[0] + 2 * np.pi))
    if gaps.max() > MAX_AZIMUTH_GAP:
        at = np.degrees(azimuth[int(np.argmax(gaps))])
        raise InputError(f"{what}: there is no azimuth within half a revolution after {at:g} degrees")
    return azimuth
