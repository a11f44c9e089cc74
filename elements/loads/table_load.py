"""Distributed loads on a beam from a table, in axes of the deformed section or of the rotor.

- "section": the components are along x (section axis 2, to the suction side), y (axis 3, to the trailing edge) and z
  (axis 1, along the beam) of the deformed section, and rotate with it;
- "rotor": along the axes of the undeformed blade without pitch: z along the blade's pitch axis, y normal to it and to
  the shaft, x = y x z, downwind of an upwind rotor. They rotate with the blade's root, not with its bending and twist.

In both cases the force acts at the aerodynamic centre of the deformed section; arm x force is its moment about the
reference axis. The table is integrated exactly along the beam (`integration`). The azimuth is that of the pitch axis
about the shaft; the shaft's direction is that of the reference configuration. A table load is a
`fem_mbd.elements.DistributedLoad`, which describes step and energy balance.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Literal

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.model import Model
from fem_mbd.core.rotations import triad_with_first, unit_vector
from fem_mbd.elements.beam.beam import BeamHandle
from fem_mbd.elements.loads.distributed_load import BeamPoints, DistributedLoad
from fem_mbd.elements.loads.load_table import LoadTable, NodalLoads
from fem_mbd.errors import InputError

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
