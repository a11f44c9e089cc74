"""Parts of a machine: members with lumped masses, their placement, links, supports, springs and soil.

Axes as in `fem_mbd.machines.description.machine`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.elements.blades.blade import Blade

LinkKind = Literal["fixed", "free", "angle", "speed"]


@dataclass(frozen=True, eq=False)
class Lump:
    """A concentrated mass on a node of a member.

    Attributes
    ----------
    node : number of the node, from 0
    mass : kg, may be zero
    centre : (3,) from the node, m, member axes
    inertia : (3, 3) about the mass centre, kg m^2, member axes; may be about one axis only
    weightless : it resists acceleration only, as the water that moves with a pile
    """

    node: int
    mass: float
    centre: Array
    inertia: Array
    weightless: bool = False


@dataclass(frozen=True, eq=False)
class Member:
    """A slender member.

    Attributes
    ----------
    name : as in the files
    blade : its axis, sections and damping
    nodes : (n,) fractions of its length at which it can be joined, from 0 to 1
    lumps : what sits on them
    where : file and line, for messages
    bounds : fractions of its length where elements meet; stations of its sections when left out
    """

    name: str
    blade: Blade
    nodes: Array
    lumps: tuple[Lump, ...] = ()
    where: str = ""
    bounds: Array | None = None

    def node_position(self, node: int) -> Array:
        """(3,) m, member axes.

        Parameters
        ----------
        node : its number, from 0
        """
        return self.blade.axis.at(float(self.nodes[node]))[0]


@dataclass(frozen=True, eq=False)
class Placement:
    """Where a member stands: its axes' origin at a node of the parent, or at a place.

    Attributes
    ----------
    member : its name
    parent, node : name of the member on which it stands, and there the number of the node; parent None for the ground
    position : (3,) m, global axes, of a member on the ground
    rotation : (3, 3) columns are the member's axes in those of the parent, or global ones, all bearings at zero
    speed : (3,) initial angular velocity against the parent, rad/s, member axes; members placed on this one share it
    """

    member: str
    parent: str | None
    node: int
    position: Array
    rotation: Array
    speed: Array = field(default_factory=lambda: np.zeros(3))


@dataclass(frozen=True, eq=False)
class Link:
    """A connection of two members at their nodes.

    Attributes
    ----------
    name : of the link
    kind : "fixed"; "free" to turn about the axis; held at an "angle" that the analysis sets; turned at a given "speed"
    first, second : (member, node); first None for the ground
    axis : (3,) of a bearing
    axes : in which it is given: 2 those of the second member, 1 of the first, 0 global
    speed : rad/s, of the second against the first, of the kind "speed"
    stiffness, damping : N m/rad and N m s/rad, of a spring and a damper in a bearing of the kind "free"
    where : file and line, for messages
    shaft : the bearing of the rotor, where others that are free come before it, as that of a yawing nacelle
    """

    name: str
    kind: LinkKind
    first: tuple[str, int] | None
    second: tuple[str, int]
    axis: Array | None = None
    axes: int = 2
    speed: float = 0.0
    stiffness: float = 0.0
    damping: float = 0.0
    where: str = ""
    shaft: bool = False


@dataclass(frozen=True, eq=False)
class Hold:
    """A node held at the ground in some directions.

    Attributes
    ----------
    end : (member, node)
    translation, rotation : (3,) along and about which global axes it is held
    where : file and line, for messages
    """

    end: tuple[str, int]
    translation: tuple[bool, bool, bool] = (False, False, False)
    rotation: tuple[bool, bool, bool] = (False, False, False)
    where: str = ""


@dataclass(frozen=True, eq=False)
class GroundSpring:
    """Springs and dampers between a node and the ground along the global axes.

    Attributes
    ----------
    end : (member, node)
    stiffness, damping : (3,) N/m and N s/m along x, y, z
    """

    end: tuple[str, int]
    stiffness: Array
    damping: Array


@dataclass(frozen=True, eq=False)
class Soil:
    """Springs between a member and the ground, spread over heights.

    Attributes
    ----------
    member : its name
    kind : "lateral" and "axial" (vertical): N/m^2; "turn" about the vertical: N m/rad/m
    heights : (n,) m, ascending, global axes; there are no springs outside of them
    stiffness : (n,) per length, linear in between
    damping : s, of it
    """

    member: str
    kind: Literal["lateral", "axial", "turn"]
    heights: Array
    stiffness: Array
    damping: float = 0.0


@dataclass(frozen=True, eq=False)
class Water:
    """Water that moves with a member: it resists acceleration and does not weigh.

    Attributes
    ----------
    member : its name
    distances : (n,) m, ascending, from the member's first node; there is no water outside of them
    mass : (n,) kg/m, linear in between
    levels : m, global z, from which to which there is water
    """

    member: str
    distances: Array
    mass: Array
    levels: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Floater:
    """What water and mooring lines do to a rigid platform in small motions about where it floats.

    Matrices (6, 6) are of forces and moments at the reference point to its displacement and turn: surge, sway, heave
    along x, y, z, roll, pitch, yaw about them; N, m, rad, global axes.

    Attributes
    ----------
    end : (member, node) to which the platform is fixed; its own mass is among the member's lumps
    reference : (3,) m, global axes
    added_mass, damping : of the water that moves with the platform
    stiffness : of buoyancy, water plane and mooring lines, without the weight of what floats
    gravity : m/s^2, with which the stiffness was found
    """

    end: tuple[str, int]
    reference: Array
    added_mass: Array
    damping: Array
    stiffness: Array
    gravity: float


@dataclass(frozen=True, eq=False)
class Frame:
    """Origin (3,), m, and axes (3, 3), columns, of a member, global axes, and its initial angular velocity (3,)."""

    origin: Array
    rotation: Array
    omega: Array
