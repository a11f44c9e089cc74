"""Parts of a machine: members with lumped masses, placement, links, supports, springs, soil, aerodynamics.

Axes as in `fem_mbd.machines.description.machine`. `RotorAerodynamics` is the aerodynamics of a rotor as its files
describe them, independent of the machine's model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np

from fem_mbd.aerodynamics.blade import BladeAerodynamics
from fem_mbd.aerodynamics.momentum import AIR, DEFAULT, Induction, StallModel
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
    weightless : it has inertia but no weight, as the water that moves with a pile
    gear_ratio : of a rotor behind a gearbox, whose inertia is referred to the speed of the shaft. Where the shaft's
        bearing is locked or driven at a speed, the rotor moves with the casing, with its own inertia: that of the
        shaft's speed divided by gear_ratio^2
    """

    node: int
    mass: float
    centre: Array
    inertia: Array
    weightless: bool = False
    gear_ratio: float = 1.0


@dataclass(frozen=True, eq=False)
class Member:
    """A slender member.

    Attributes
    ----------
    name : as in the files
    blade : its axis, sections and damping
    nodes : (n,) fractions of its length, from 0 to 1, where it can be connected
    lumps : masses at its nodes
    where : file and line, for messages
    bounds : element boundaries, fractions of its length; stations of its sections when left out
    order : nodes of an element
    """

    name: str
    blade: Blade
    nodes: Array
    lumps: tuple[Lump, ...] = ()
    where: str = ""
    bounds: Array | None = None
    order: int = 4

    def node_position(self, node: int) -> Array:
        """(3,) m, member axes: of HAWC2's bodies on the half-chord line, of others on the axis.

        Parameters
        ----------
        node : its number, from 0
        """
        if self.blade.half_chord is not None:
            return np.asarray(self.blade.half_chord.points[node])
        return self.blade.axis.at(float(self.nodes[node]))[0]


@dataclass(frozen=True, eq=False)
class Placement:
    """Position and orientation of a member: the origin of its axes is at a node of the parent, or at a fixed point.

    Attributes
    ----------
    member : its name
    parent, node : name of the parent member and number of its node; parent None for the ground
    position : (3,) m, global axes, of a member on the ground
    rotation : (3, 3) columns are the member's axes in parent axes (ground: global axes), with all bearings at zero
    speed : (3,) initial angular velocity relative to the parent, rad/s, member axes
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
    kind : "fixed"; "free" to rotate about the axis; at an "angle" that the analysis sets; driven at a "speed"
    first, second : (member, node); first None for the ground
    axis : (3,) of a bearing
    axes : of the axis' components: 2 second member, 1 first member, 0 global
    speed : rad/s, of the second relative to the first, for the kind "speed": a number or a function of time
    stiffness, damping, parallel : N m/rad and N m s/rad, of a spring and a damper, and what acts beside them, for the
        kind "free"
    where : file and line, for messages
    shaft : marks the rotor's bearing, where other free bearings precede it, as that of a yawing nacelle
    """

    name: str
    kind: LinkKind
    first: tuple[str, int] | None
    second: tuple[str, int]
    axis: Array | None = None
    axes: int = 2
    speed: Any = 0.0
    stiffness: float = 0.0
    damping: float = 0.0
    where: str = ""
    shaft: bool = False
    parallel: tuple[Any, ...] = ()


@dataclass(frozen=True, eq=False)
class Control:
    """Pitch horns and links of a rotor, see `fem_mbd.machines.building.blocks.PitchLinks`.

    Attributes
    ----------
    links : their data
    hub : member that carries the blades
    axes : (3, 3) columns are the rotor's axes in those of that member
    horns : ((member, node) of each blade that carries the horn, its end (3,), m, from the apex, rotor axes)
    """

    links: Any
    hub: str
    axes: Array
    horns: tuple[tuple[tuple[str, int], Array], ...]


@dataclass(frozen=True, eq=False)
class Hold:
    """A node fixed in some directions.

    Attributes
    ----------
    end : (member, node)
    translation, rotation : (3,) whether it is fixed along and about the global axes
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
    """Springs between a member and the ground, distributed over heights.

    Attributes
    ----------
    member : its name
    kind : "lateral" and "axial" (vertical): N/m^2; "turn" about the vertical: N m/rad/m
    heights : (n,) m, ascending, global axes; no springs outside this range
    stiffness : (n,) per length, interpolated linearly
    damping : s, times the stiffness
    """

    member: str
    kind: Literal["lateral", "axial", "turn"]
    heights: Array
    stiffness: Array
    damping: float = 0.0


@dataclass(frozen=True, eq=False)
class Water:
    """Water that moves with a member: inertia without weight.

    Attributes
    ----------
    member : its name
    distances : (n,) m, ascending, from the member's first node; no water outside this range
    mass : (n,) kg/m, interpolated linearly
    levels : m, global z, lower and upper end of the water
    """

    member: str
    distances: Array
    mass: Array
    levels: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Floater:
    """Linear hydrodynamics and mooring of a rigid platform, for small motions about its floating position.

    Matrices (6, 6) relate forces and moments at the reference point to its displacement and rotation: surge, sway,
    heave along x, y, z; roll, pitch, yaw about them; N, m, rad, global axes.

    Attributes
    ----------
    end : (member, node) to which the platform is fixed; its own mass is among the member's lumps
    reference : (3,) m, global axes
    added_mass, damping : of the water
    stiffness : of buoyancy, water plane and mooring lines, without that of the machine's weight
    gravity : m/s^2, for which the stiffness was computed
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


@dataclass(frozen=True, eq=False)
class TowerAerodynamics:
    """A round tower in the wind.

    Attributes
    ----------
    member : its name
    heights : (n,) m above the member's first node, ascending
    diameter, drag : (n,) m and drag coefficient on the diameter, linear in between; 0 for no drag
    potential : whether it deflects the wind like a cylinder in potential flow
    """

    member: str
    heights: Array
    diameter: Array
    drag: Array
    potential: bool = True


@dataclass(frozen=True, eq=False)
class RotorAerodynamics:
    """Blades by the names of their members, and the models that the files ask for.

    Attributes
    ----------
    blades : description of each blade
    induction : of the rotor
    stall : dynamic stall
    stations : of a blade, for the loads
    angle_at : fraction of the chord at which the angle of attack is taken
    hub_radius : m, for the loss at the hub
    density : kg/m^3
    source : the files
    tower : in the wind; None for a tower without effect
    """

    blades: Mapping[str, BladeAerodynamics]
    induction: Induction = DEFAULT
    stall: StallModel = "hgm"
    stations: int = 50
    angle_at: float = 0.75
    hub_radius: float = 0.0
    density: float = AIR
    source: str = ""
    tower: TowerAerodynamics | None = None


@dataclass(frozen=True)
class UnreadAerodynamics:
    """Aerodynamics that are read at their first use: polars are most of a file, and slow to read.

    Attributes
    ----------
    read : reads them
    """

    read: Callable[[], RotorAerodynamics]

    @cached_property
    def rotor(self) -> RotorAerodynamics:
        """What was read."""
        return self.read()
