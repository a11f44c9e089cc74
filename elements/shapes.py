"""Shapes of bodies for drawings: box, cylinder, sphere, or a surface from a mesh file.

Places in m and directions in the body's axes, from the place of its node. What a shape weighs is not asked: mass and
inertia are those that the body is given.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.base.mesh_files import read_surface
from fem_mbd.base.validation import array, positive
from fem_mbd.core.rotations import check_rotation, triad_with_third
from fem_mbd.errors import InputError

MOST_TRIANGLES = 20_000  # of a mesh: they are stored with the run and stand in the page
COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


@dataclass(frozen=True, eq=False)
class Shape:
    """What the shapes share.

    Parameters
    ----------
    at : (3,) m, place of the middle from the body's node, body axes
    rotation : (3, 3) from the shape's axes to the body's; left out, they are the same
    colour : "#rrggbb"; left out, that of all bodies
    """

    at: Any = (0.0, 0.0, 0.0)
    rotation: Any = None
    colour: str = ""

    def plain(self) -> dict[str, Any]:
        """As a run stores it: plain data, axes as columns one after the other.

        Raises
        ------
        InputError
            For lengths that are none, a rotation that is none, a colour that cannot be read.
        """
        what = type(self).__name__.lower()
        data = {"shape": what, **self._own(), "centre": array(self.at, (3,), f"{what}: at").tolist()}
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

    def _own(self) -> dict[str, Any]:
        raise NotImplementedError


@dataclass(frozen=True, eq=False, kw_only=True)
class Box(Shape):
    """A box.

    Parameters
    ----------
    sides : (3,) m, along its axes
    at, rotation, colour : see `Shape`
    """

    sides: Any

    def _own(self) -> dict[str, Any]:
        return {"sides": [positive(s, "box: sides") for s in array(self.sides, (3,), "box: sides")]}


@dataclass(frozen=True, eq=False, kw_only=True)
class Cylinder(Shape):
    """A cylinder.

    Parameters
    ----------
    radius, length : m
    axis : (3,) its direction, body axes
    at, colour : see `Shape`
    rotation : not of a cylinder, which has its axis
    """

    radius: float
    length: float
    axis: Any = (0.0, 0.0, 1.0)

    def _own(self) -> dict[str, Any]:
        return {
            "radius": positive(self.radius, "cylinder: radius"),
            "length": positive(self.length, "cylinder: length"),
        }

    def _axes(self, what: str) -> Array | None:
        if self.rotation is not None:
            raise InputError("cylinder: give its axis, not a rotation")
        return triad_with_third(self.axis, "axis of a cylinder")


@dataclass(frozen=True, eq=False, kw_only=True)
class Sphere(Shape):
    """A sphere.

    Parameters
    ----------
    radius : m
    at, rotation, colour : see `Shape`
    """

    radius: float

    def _own(self) -> dict[str, Any]:
        return {"radius": positive(self.radius, "sphere: radius")}


@dataclass(frozen=True, eq=False, kw_only=True)
class Mesh(Shape):
    """A surface of triangles and quadrilaterals in any file that meshio reads: STL, OBJ, PLY, VTK, Gmsh and others.

    Parameters
    ----------
    file : of the mesh
    scale : m per unit of the file: 1e-3 for a drawing in mm
    at, rotation, colour : see `Shape`; ``at`` is where the file's origin goes
    """

    file: str | Path
    scale: float = 1.0

    def _own(self) -> dict[str, Any]:
        points, faces = read_surface(self.file)
        if len(faces) > MOST_TRIANGLES:
            raise InputError(
                f"{self.file}: it has {len(faces)} triangles, {MOST_TRIANGLES} at most can be shown: make it coarser"
            )
        scaled = positive(self.scale, "mesh: scale") * points
        # seven digits are what the picture has
        return {
            "points": [float(f"{v:.7g}") for v in np.ravel(scaled)],
            "faces": [int(k) for k in np.ravel(faces)],
        }
