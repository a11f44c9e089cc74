"""Rigid bodies and point masses of a model, with their shapes for drawings.

Shapes are a box, a cylinder, a sphere, or a surface from a mesh file: positions in m and directions in the body's axes,
relative to the body's node. Shapes do not affect the dynamics: mass and inertia are given with the body.
"""

from __future__ import annotations

import re
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.base.mesh_files import read_surface
from fem_mbd.base.validation import array, finite, positive
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Attachment, Handle, Node, as_point
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


@dataclass(frozen=True, eq=False, repr=False)
class BodyHandle(Handle):
    """A rigid body or point mass in a model.

    Attributes
    ----------
    name : shown in messages and results
    node : its node
    """

    name: str
    node: Node


@arguments()
@dataclass(frozen=True, eq=False)
class RigidBody:
    """A rigid body, on a node of its own or added to an existing one (a tip mass on a beam).

    Parameters
    ----------
    mass : kg; zero is allowed where the body is added to a node that has mass: a rotor's inertia about its axis
    inertia : (3,) principal moments or (3, 3) tensor about the mass centre, kg m^2; (0, 0, J), about one axis only, is
        allowed, for shafts and generators
    position : (3,) of the body's node, global axes
    rotation : (3, 3) body axes to global axes
    node : existing node to add the body to, or a point of it (an unbalance), instead of position and rotation
    centre : (3,) mass centre from the position of the node or point, m
    name : shown in messages and results
    axes : of inertia and centre: "body", those of the node, or "global", of the reference configuration
    shape : shape in pictures, e.g. ``Box(sides=(0.1, 0.1, 0.3))``, in the node's axes, from the node or point; by
        default the uniform box of its mass and inertia

    Raises
    ------
    InputError
        For negative or non-finite mass, an inertia that no body can have; the message names the body.
    """

    mass: float
    inertia: Any
    position: Any = None
    _: KW_ONLY
    rotation: Any = None
    node: Attachment | None = None
    centre: Any = (0.0, 0.0, 0.0)
    name: str = "body"
    axes: Literal["body", "global"] = "body"
    shape: Shape | None = None

    def __post_init__(self) -> None:
        mass = finite(self.mass, f"body '{self.name}': mass")
        if mass < 0 or (mass == 0 and self.node is None):
            raise InputError(
                f"body '{self.name}': mass is {self.mass} kg: it must be above zero, or zero for a body that is "
                "added to an existing node"
            )
        if self.axes not in ("body", "global"):
            raise InputError(f"body '{self.name}': axes are {self.axes!r}: give 'body' or 'global'")
        object.__setattr__(self, "inertia", _inertia(self.inertia, self.name))
        object.__setattr__(self, "centre", array(self.centre, (3,), f"body '{self.name}': centre"))
        if self.shape is not None and not isinstance(self.shape, Shape):
            raise InputError(
                f"body '{self.name}': shape is {self.shape!r}: give a Box, Cylinder, Sphere or Mesh"
            )
        if (self.node is None) == (self.position is None):
            raise InputError(f"body '{self.name}': give either a position or an existing node")

    def build(self, model: Model) -> BodyHandle:
        """Called by `Model.add`."""
        name = model.registry.unique_name(self.name)
        shape = None if self.shape is None else self.shape.plain()
        node, arm = _existing(model, self.node, f"body '{name}'")
        if node is not None and np.any(self.inertia):
            model.registry.require_rotation(node, f"body '{name}'")
        if node is None:
            frame = (
                None if self.rotation is None else check_rotation(self.rotation, f"rotation of body '{name}'")
            )
            node = model.node(self.position, frame, name=f"{name}.node")
        # rotation (3, 3) from the axes of the input to those of the node
        turn: Array = node.rotation.T if self.axes == "global" else np.eye(3)
        tensor = turn @ np.asarray(self.inertia) @ turn.T
        model.registry.add_mass(node, self.mass, tensor, arm + turn @ np.asarray(self.centre))
        model.registry.name_body(name, node)
        if shape is not None:
            shape["centre"] = (arm + shape["centre"]).tolist()
            model.registry.draw_body(name, shape)
        return BodyHandle(name, node)


@arguments()
@dataclass(frozen=True, eq=False)
class PointMass:
    """A point mass; a node of its own has no rotation, so joints must not use an arm or axis on it.

    Parameters
    ----------
    mass : kg
    position : (3,) m, global axes
    node : an existing node to add it to, or point of one, instead of ``position``
    name : shown in messages and results
    """

    mass: float
    position: Any = None
    _: KW_ONLY
    node: Attachment | None = None
    name: str = "mass"

    def __post_init__(self) -> None:
        if finite(self.mass, f"point mass '{self.name}': mass") <= 0:
            raise InputError(f"point mass '{self.name}': mass is {self.mass} kg: it must be above zero")
        if (self.node is None) == (self.position is None):
            raise InputError(f"point mass '{self.name}': give either a position or an existing node")

    def build(self, model: Model) -> BodyHandle:
        """Called by `Model.add`."""
        name = model.registry.unique_name(self.name)
        node, arm = _existing(model, self.node, f"point mass '{name}'")
        if node is None:
            node = model.node(self.position, name=f"{name}.node")
            model.fix(node, translation=False, rotation=True)
            model.point_masses.add(node.index)
        model.registry.add_mass(node, self.mass, np.zeros((3, 3)), arm)
        model.registry.name_body(name, node)
        return BodyHandle(name, node)


def _existing(model: Model, attachment: Attachment | None, what: str) -> tuple[Node | None, Array]:
    """The node of the attachment, and the point's offset from it (3,), m, node axes; None without one."""
    if attachment is None:
        return None, np.zeros(3)
    model.registry.require_arm(attachment, what)
    point = as_point(attachment)
    return point.node, point.offset


def _inertia(value: Any, name: str) -> np.ndarray:
    what = f"body '{name}': inertia"
    try:
        principal = np.shape(value) == (3,)
    except ValueError:  # rows of unequal lengths
        principal = False
    tensor = np.diag(array(value, (3,), what)) if principal else array(value, (3, 3), what)
    if np.abs(tensor - tensor.T).max() > 1e-9 * max(np.abs(tensor).max(), 1e-300):
        raise InputError(f"{what} is not symmetric")
    moments = np.linalg.eigvalsh(tensor)
    if moments[0] < -1e-12 * max(moments[-1], 1e-300):
        raise InputError(f"{what} has a negative principal moment, {moments[0]:g} kg m^2")
    about_one = moments[1] <= 1e-12 * moments[2]  # inertia about one axis only
    if not about_one and moments[2] > (moments[0] + moments[1]) * (1 + 1e-9):
        raise InputError(
            f"{what}: principal moments {moments.round(9).tolist()} break the triangle inequality: "
            "no body has the largest above the sum of the others"
        )
    return np.asarray(tensor)
