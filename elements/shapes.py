"""Shapes of bodies for drawings: box, cylinder, sphere, or a surface from a mesh file.

Positions in m and directions in the body's axes, relative to the body's node. Shapes do not affect the dynamics: mass
and inertia are given with the body.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.base.mesh_files import read_surface
from fem_mbd.base.validation import array, positive
from fem_mbd.core.rotations import check_rotation, triad_with_third
from fem_mbd.errors import InputError

MAX_TRIANGLES = 20_000  # of a mesh: they are stored with the run and included in the page
COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


@dataclass(frozen=True, eq=False, kw_only=True)
class Shape:
    """Base class of the shapes.

    Parameters
    ----------
    at : (3,) m, position of the centre from the body's node, body axes
    rotation : (3, 3) from the shape's axes to the body's; identity by default
    colour : "#rrggbb"; by default that of all bodies
    """

    at: Any = (0.0, 0.0, 0.0)
    rotation: Any = None
    colour: str = ""

    def plain(self) -> dict[str, Any]:
        """Plain data as stored with a run; axes are stored column by column.

        Raises
        ------
        InputError
            For invalid lengths, rotations or colours.
        """
        what = type(self).__name__.lower()
        data = {"shape": what, **self._data(), "centre": array(self.at, (3,), f"{what}: at").tolist()}
        axes = self._axes(what)
        if axes is not None:
            data["axes"] = axes.T.ravel().tolist()
        if self.colour:
            if not COLOUR.fullmatch(self.colour):
                raise InputError(f"{what}: colour is {self.colour!r}: write it as #rrggbb, e.g. #c8324b")
            data["colour"] = self.colour
        return data

    def _axes(self, what: str) -> Array | None:
        return None if self.rotation is None else check_rotation(self.rotation, f"{what}: rotation")

    def _data(self) -> dict[str, Any]:
        raise NotImplementedError


@arguments()
@dataclass(frozen=True, eq=False)
class Box(Shape):
    """Box, for pictures.

    Parameters
    ----------
    sides : (3,) m, along its axes
    at, rotation, colour : see `Shape`
    """

    sides: Any

    def _data(self) -> dict[str, Any]:
        return {"sides": [positive(s, "box: sides") for s in array(self.sides, (3,), "box: sides")]}


@arguments()
@dataclass(frozen=True, eq=False)
class Cylinder(Shape):
    """Cylinder, for pictures.

    Parameters
    ----------
    radius, length : m
    axis : (3,) its direction, body axes
    at, colour : see `Shape`
    rotation : not allowed; give the axis
    """

    radius: float
    length: float
    axis: Any = (0.0, 0.0, 1.0)

    def _data(self) -> dict[str, Any]:
        return {
            "radius": positive(self.radius, "cylinder: radius"),
            "length": positive(self.length, "cylinder: length"),
        }

    def _axes(self, what: str) -> Array | None:
        if self.rotation is not None:
            raise InputError("cylinder: give its axis, not a rotation")
        return triad_with_third(self.axis, "axis of a cylinder")


@arguments()
@dataclass(frozen=True, eq=False)
class Sphere(Shape):
    """Sphere, for pictures.

    Parameters
    ----------
    radius : m
    at, rotation, colour : see `Shape`
    """

    radius: float

    def _data(self) -> dict[str, Any]:
        return {"radius": positive(self.radius, "sphere: radius")}


@arguments()
@dataclass(frozen=True, eq=False)
class Mesh(Shape):
    """Surface of triangles and quadrilaterals from any file that meshio reads: STL, OBJ, PLY, VTK, Gmsh and others.

    Parameters
    ----------
    file : of the mesh
    scale : m per unit of the file: 1e-3 for a drawing in mm
    at, rotation, colour : see `Shape`; ``at`` is the position of the file's origin
    """

    file: str | Path
    scale: float = 1.0

    def _data(self) -> dict[str, Any]:
        points, faces = read_surface(self.file)
        if len(faces) > MAX_TRIANGLES:
            raise InputError(
                f"{self.file}: it has {len(faces)} triangles, {MAX_TRIANGLES} at most can be shown: make it coarser"
            )
        scaled = positive(self.scale, "mesh: scale") * points
        # seven digits, the precision of the picture
        return {
            "points": [float(f"{v:.7g}") for v in np.ravel(scaled)],
            "faces": [int(k) for k in np.ravel(faces)],
        }
