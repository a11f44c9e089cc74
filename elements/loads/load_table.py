"""Distributed loads along a blade as a table over span, azimuth and time: class, text file, load on a beam.

    loads (n_span, n_azimuth, n_time, 6) = force per length (N/m) along x, y, z, moment per length (N m/m) about them

linear between the entries in each direction. Span is the arc length from the blade's root along its reference axis, m;
azimuth that of the blade, rad, 0 upwards, positive in the rotor's direction of rotation, periodic over 2 pi; time in s.
The forces act at the aerodynamic centre, which lies (x, y) m from the reference axis in section axes (x to the suction
side, y to the trailing edge).

`read_load_table` reads a text file with a row for each span, azimuth and time.

    # 5 MW blade, steady wind of 11 m/s
    span [m], azimuth [deg], time [s], Fx [N/m], Fy [N/m], Mz [N m/m], x_ac [m], y_ac [m]
    0.0,      0,             0,        120.0,    -40.0,    5.0,        0.0,      -0.4

The first line that is no comment (#) names the columns, in any order, separated by commas. Required are the span and at
least one component (Fx, Fy, Fz, Mx, My, Mz); azimuth, time and the aerodynamic centre (x_ac, y_ac) where they matter.
Every combination of span, azimuth and time has one row, in any order.

A `TableLoad` applies the table to a beam, in axes of the deformed section or of the rotor:

- "section": the components are along x (section axis 2, to the suction side), y (axis 3, to the trailing edge) and z
  (axis 1, along the beam) of the deformed section, and rotate with it;
- "rotor": along the axes of the undeformed blade without pitch: z along the blade's pitch axis, y normal to it and to
  the shaft, x = y x z, downwind of an upwind rotor. They rotate with the blade's root, not with its bending and twist.

In both cases the force acts at the aerodynamic centre of the deformed section; arm x force is its moment about the
reference axis. The table is integrated exactly along the beam (`loads.integral_onto_nodes`). The azimuth is that of the
pitch axis about the shaft; the shaft's direction is that of the reference configuration. A table load is a
`fem_mbd.elements.DistributedLoad`, which describes step and energy balance.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.base.lazy import nearest
from fem_mbd.base.validation import array
from fem_mbd.core.model.model import Model
from fem_mbd.core.rotations import triad_with_first, unit_vector
from fem_mbd.elements.beam.beam import BeamHandle
from fem_mbd.elements.blades.text import TextFile
from fem_mbd.elements.loads.distributed_load import BeamPoints, DistributedLoad
from fem_mbd.elements.loads.loads import line_points
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


GRID = {"span": "m", "azimuth": "deg", "time": "s"}
COMPONENTS = {"Fx": "N/m", "Fy": "N/m", "Fz": "N/m", "Mx": "N m/m", "My": "N m/m", "Mz": "N m/m"}
CENTRE = {"x_ac": "m", "y_ac": "m"}
TITLES = {f"{name} [{unit}]": name for name, unit in (GRID | COMPONENTS | CENTRE).items()}


def read_load_table(path: str | Path) -> LoadTable:
    """The load table of a text file.

    Parameters
    ----------
    path : of the file

    Raises
    ------
    InputError
        Naming file and line: unknown or missing columns, entries that are not numbers, missing or duplicate rows.
    """
    file = TextFile(path, "load table")
    names, rows, lines = _rows(file)
    columns = dict(zip(names, rows.T, strict=True))
    axes = {name: np.unique(columns[name]) for name in GRID if name in columns}
    order = _order(file, columns, axes, lines)
    shape = [len(values) for values in axes.values()]
    values = {name: column[order].reshape(shape) for name, column in columns.items()}
    six = [values.get(name, np.zeros(shape)) for name in COMPONENTS]
    centre = [values.get(name, np.zeros(shape)).reshape(shape[0], -1) for name in CENTRE]
    for name, grid in zip(CENTRE, centre, strict=True):
        if np.any(grid != grid[:, :1]):
            file.fail(f"{name} has to be the same for all azimuths and times of a span", lines[0] - 1)
    ends = int(lines[np.argmin(columns["span"])]), int(lines[np.argmax(columns["span"])])
    return LoadTable(
        axes["span"],
        np.stack(six[:3], axis=-1),
        np.radians(axes["azimuth"]) if "azimuth" in axes else None,
        axes.get("time"),
        np.stack(six[3:], axis=-1),
        np.column_stack([grid[:, 0] for grid in centre]),
        str(path),
        ends,
    )


def _rows(file: TextFile) -> tuple[list[str], Array, Indices]:
    """Names of the columns, numbers (k, columns), and their lines (k,), from 1."""
    names: list[str] = []
    rows, lines = [], []
    for k, line in enumerate(file.lines):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split(",")]
        if not names:
            names = _names(file, cells, k)
            continue
        if len(cells) != len(names):
            file.fail(f"{len(cells)} numbers for {len(names)} columns", k)
        try:
            row = [float(cell) for cell in cells]
        except ValueError:
            file.fail(f"this is not a row of numbers: {line.strip()[:60]!r}", k)
        if not np.all(np.isfinite(row)):
            file.fail("numbers have to be finite", k)
        rows.append(row)
        lines.append(k + 1)
    if not rows:
        file.fail("there are no rows", len(file.lines) - 1)
    return names, np.array(rows), np.array(lines)


def _names(file: TextFile, cells: list[str], k: int) -> list[str]:
    for cell in cells:
        if cell not in TITLES:
            file.fail(f"there is no column {cell!r}; {nearest(cell, TITLES)}", k)
    names = [TITLES[cell] for cell in cells]
    if len(set(names)) < len(names):
        file.fail("a column is given twice", k)
    if "span" not in names or not set(names) & set(COMPONENTS):
        file.fail("columns needed: span [m], and a component as Fx [N/m]", k)
    return names


def _order(file: TextFile, columns: dict[str, Array], axes: dict[str, Array], lines: Indices) -> Indices:
    """Rows (k,) in the order of the grid."""
    index = np.zeros(len(lines), dtype=np.int64)
    for name, values in axes.items():
        if len(values) < 2:
            file.fail(f"{name} has one value only: give two at least, or leave the column out", lines[-1] - 1)
        index = index * len(values) + np.searchsorted(values, columns[name])
    order = np.argsort(index, kind="stable")
    doubled = np.flatnonzero(np.diff(index[order]) == 0)
    if len(doubled):
        first, second = order[doubled[0]], order[doubled[0] + 1]
        file.fail(f"the same grid point as on line {lines[first]}", lines[second] - 1)
    count = int(np.prod([len(values) for values in axes.values()]))
    if len(order) != count:
        gap = int(np.flatnonzero(np.append(index[order], count) != np.arange(len(order) + 1))[0])
        missing = np.unravel_index(gap, [len(values) for values in axes.values()])
        where = ", ".join(
            f"{name} {values[k]:g} {GRID[name]}"
            for (name, values), k in zip(axes.items(), missing, strict=True)
        )
        file.fail(f"no row here or above has {where}: every combination needs one", lines[-1] - 1)
    return order


AXES = ("section", "rotor")


@dataclass(frozen=True, eq=False)
class Spoke:
    """Orientation of a blade in its rotor in the reference configuration; all in global axes.

    Parameters
    ----------
    shaft : (3,) axis of rotation of the rotor
    up : (3,) direction of azimuth zero
    along : (3,) the blade's pitch axis, to the tip
    root : (3, 3) columns are the axes of the root's section

    Raises
    ------
    InputError
        For directions that are zero, or ``up`` or ``along`` parallel to the shaft.
    """

    shaft: Any
    up: Any
    along: Any
    root: Any
    _zero: Array = field(init=False, repr=False)  # columns shaft, up, direction of rotation at azimuth zero
    _in_root: Array = field(init=False, repr=False)  # the pitch axis in the axes of the root's section

    def __post_init__(self) -> None:
        along = unit_vector(self.along, "spoke: along")
        zero = triad_with_first(self.shaft, self.up, "spoke: shaft and up")
        triad_with_first(self.shaft, along, "spoke: shaft and along")
        object.__setattr__(self, "along", along)
        object.__setattr__(self, "_zero", zero)
        object.__setattr__(self, "_in_root", np.asarray(self.root, dtype=float).T @ along)

    def now(self, root: Array) -> tuple[float, Array]:
        """Azimuth, rad, and axes x, y, z as columns (3, 3), global axes.

        Parameters
        ----------
        root : (3, 3) columns are the axes of the root's section at this instant
        """
        z = root @ self._in_root
        shaft, up, ahead = self._zero.T
        axes = triad_with_first(z, shaft, "blade along the shaft")[:, [1, 2, 0]]
        return float(np.arctan2(z @ ahead, z @ up)), axes


@arguments()
@dataclass(frozen=True, eq=False)
class TableLoad:
    """The loads of a table on a beam; see the module's docstring.

    Parameters
    ----------
    beam : handle that `Model.add(Beam(…))` returned, or that of a blade
    table : over its span, see `LoadTable` and `read_load_table`
    axes : "section", those of the deformed section, or "rotor", those of the undeformed blade
    spoke : needed for a table over azimuth and for the axes of the rotor; machines create it (`add_load_tables`)
    name : shown in messages

    Raises
    ------
    InputError
        When added: for a table that does not cover the span (file and line), unknown axes, a missing spoke.
    """

    beam: BeamHandle
    table: LoadTable
    _: KW_ONLY
    axes: Literal["section", "rotor"] = "section"
    spoke: Spoke | None = None
    name: str = "table load"

    def build(self, model: Model) -> DistributedLoad:
        """Called by `Model.add`."""
        what = f"table load '{self.name}'"
        if not isinstance(self.beam, BeamHandle):
            raise InputError(f"{what}: give the handle that Model.add(Beam(…)) returned")
        if not isinstance(self.table, LoadTable):
            raise InputError(f"{what}: give a LoadTable, or the result of read_load_table")
        if self.axes not in AXES:
            raise InputError(f"{what}: axes are {self.axes!r}: give 'section' or 'rotor'")
        if self.spoke is None and (self.axes == "rotor" or self.table.azimuth is not None):
            raise InputError(f"{what}: a table over azimuth, and axes of the rotor, need a spoke")
        self.table.check_covers(self.beam.line.length, self.beam.name)
        # the derivatives of a distributed load do not include the influence of the root's motion on a point
        load = DistributedLoad(
            self.beam, _Function(self).of, follower=self.axes == "section", derivatives=False, name=self.name
        )
        return load.build(model)


class _Function:
    """Function of `BeamPoints` that evaluates a table load."""

    def __init__(self, load: TableLoad) -> None:
        self.load = load
        self._nodal: NodalLoads = load.table.onto_nodes(load.beam)

    def of(self, points: BeamPoints) -> tuple[Array, Array]:
        """(n, 3) N/m and (n, 3) N m/m about the reference axis; section axes 1, 2, 3, or global axes."""
        azimuth, axes = 0.0, np.eye(3)
        if self.load.spoke is not None:
            azimuth, axes = self.load.spoke.now(points.rotation[0])
        # a distributed load multiplies by the length that belongs to a node
        force, moment, at_x, at_y = np.split(
            self._nodal.at(azimuth, points.time) / points.length[:, None], 4, axis=1
        )
        if self.load.axes == "section":
            arms = np.eye(3)[None, :, 1], np.eye(3)[None, :, 2]
            force, moment, at_x, at_y = (np.roll(part, 1, axis=1) for part in (force, moment, at_x, at_y))
        else:
            arms = points.rotation[:, :, 1], points.rotation[:, :, 2]
            force, moment, at_x, at_y = (part @ axes.T for part in (force, moment, at_x, at_y))
        total = np.asarray(moment + np.cross(arms[0], at_x) + np.cross(arms[1], at_y), dtype=np.float64)
        return np.asarray(force), total
