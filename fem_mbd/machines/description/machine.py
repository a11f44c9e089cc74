"""Class `Machine`: slender members connected by bearings, with lumped masses, supports and soil.

Frames: global axes have z up and x downwind (wind turbines). A member has the axes of a blade: z along it, from its
first node on, x to the suction side, y to the trailing edge (see `fem_mbd.elements.blades.blade`; of a tower z may
point down). All data are in the axes of members, which `frames` locates.

`check_tower_clearance` checks that no blade passes through the tower as the rotor turns, unloaded: a wrong sign of
tilt, cone or overhang. A point of a blade describes a circle about the shaft, and is nearest to the tower where it
crosses the vertical plane of the shaft below it. At that height the tower must lie on the nacelle's side of the point,
farther than its radius. Where files have no diameters, a thin-walled tube of the same stiffness has the radius
sqrt(2 EI/EA), which is less than that of a tube with a thick wall.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.base.lazy import attached, nearest
from fem_mbd.core.rotations import rotation_about
from fem_mbd.errors import InputError
from fem_mbd.machines.description.control import DisconFile, VariableSpeed
from fem_mbd.machines.description.parts import (
    Control,
    Floater,
    Frame,
    GroundSpring,
    Hold,
    Link,
    Member,
    Placement,
    RotorAerodynamics,
    Soil,
    UnreadAerodynamics,
    Water,
)

if TYPE_CHECKING:
    from fem_mbd.analysis.modal.modes import Modes
    from fem_mbd.analysis.rotors.campbell import Campbell


@dataclass(frozen=True, eq=False)
class Machine:
    """Members, their placement and links, and remarks on data of the files that are not used.

    Attributes
    ----------
    name : of the machine
    members : its parts
    placements : parents before the members placed on them
    links : connections between members
    ignored : data of the files that are not structural or not used, one line each
    source : the files
    holds : nodes fixed in some directions only
    soil : springs along members
    springs : between single nodes and the ground
    start : rad, initial angles of bearings by name; others are zero
    water : that moves with members
    floater : matrices of a floating platform
    gravity : m/s^2, of the files
    aerodynamics : of the rotor
    controller : of torque and pitch
    control : pitch links of the rotor
    """

    name: str
    members: tuple[Member, ...]
    placements: tuple[Placement, ...]
    links: tuple[Link, ...]
    ignored: tuple[str, ...] = ()
    source: str = ""
    holds: tuple[Hold, ...] = ()
    soil: tuple[Soil, ...] = ()
    springs: tuple[GroundSpring, ...] = ()
    start: Mapping[str, float] = field(default_factory=dict)
    water: tuple[Water, ...] = ()
    floater: Floater | None = None
    gravity: float = 9.81
    aerodynamics: RotorAerodynamics | UnreadAerodynamics | None = None
    controller: VariableSpeed | DisconFile | None = None
    control: Control | None = None

    @classmethod
    def read(cls, path: str | Path, **options: Any) -> Machine:
        """The machine of a HAWC2 (.htc), OpenFAST (.fst) or windIO (.yaml) file.

        Parameters
        ----------
        path : of the main file
        options : ``name``; ``radii_at``, ``leave_out`` of HAWC2, ``platform`` of OpenFAST, ``elements`` of windIO

        Raises
        ------
        InputError
            Naming file and line, as the readers do.
        """
        return attached("Machine.read")(path, **options)

    def modes(self, speed: float = 0.0, number: int = 12, **options: Any) -> Modes:
        """The lowest modes in multi-blade coordinates, with their ``names``.

        Parameters
        ----------
        speed : rad/s, of the rotor
        number : how many
        options : ``pitch`` (rad, of all blades, positive to feather), ``angles`` (rad, of bearings by name, besides
            those of `start`), ``elements`` (largest number per member), and those of `MachineFamily`: ``gravity``
            (m/s^2, none by default), ``shape``, ``damped``, ``locked`` (the shaft held; False by default: it is free)

        Raises
        ------
        InputError
            For a rotating rotor that is not isotropic or has fewer than three blades, and unknown options.
        """
        return attached("Machine.modes")(self, speed, number, **options)

    def campbell(self, speeds: ArrayLike, number: int = 12, **options: Any) -> Campbell:
        """Modes over the speed of the rotor, tracked and named.

        Parameters
        ----------
        speeds : (s,) rad/s, ascending, from 0
        number : of modes
        options : as of `modes`

        Raises
        ------
        InputError
            As `modes`, and for speeds that do not ascend.
        """
        return attached("Machine.campbell")(self, speeds, number, **options)

    def steady(self, winds: ArrayLike, **options: Any) -> Any:
        """Steady states in uniform wind along the shaft, see `fem_mbd.machines.steady`.

        Parameters
        ----------
        winds : (w,) m/s
        options : ``pitch`` (rad, to feather) and ``speed`` (rad/s): numbers, or one for each wind, those that the
            machine's controller holds when left out; ``elements`` (largest number per member), ``induction``, ``stall``

        Returns
        -------
        SteadyStates
            A state for each wind.

        Raises
        ------
        InputError
            For a machine without aerodynamics, and numbers that do not fit.
        SolverFailure
            When there is no steady state.
        """
        return attached("Machine.steady")(self, winds, **options)

    def steady_gradient(
        self, wind: float, pitch: float = 0.0, speed: float | None = None, **options: Any
    ) -> Any:
        """A steady state and its derivatives, see `fem_mbd.machines.steady_gradient`.

        Parameters
        ----------
        wind, pitch, speed : m/s, rad to feather, rad/s
        options : ``wrt`` (some of "wind", "pitch", "speed", "chord", "twist", "lift"; all by default), ``elements``,
            ``induction``, ``stall``, as of `steady`

        Returns
        -------
        SteadyGradient
            Derivatives of thrust, torque, power, deflection and twist of the tip.

        Raises
        ------
        InputError
            For a machine without aerodynamics, unknown parameters.
        SolverFailure
            When there is no steady state.
        """
        return attached("Machine.steady_gradient")(self, wind, pitch, speed, **options)

    def campbell_over_winds(self, winds: ArrayLike, number: int = 12, **options: Any) -> Campbell:
        """Aeroelastic modes over the wind, about the states of `steady`, with inflow and stall, tracked and named.

        Parameters
        ----------
        winds : (w,) m/s, ascending; the diagram's ``speeds``
        number : of modes
        options : ``pitch`` (rad, to feather) and ``speed`` (rad/s), as of `steady`; ``frozen_wake`` (induced
            velocities stay as they are), ``rotor_only`` (the bearing of the shaft is held), ``locked`` (the shaft too),
            ``elements``, ``induction``, ``stall``

        Raises
        ------
        InputError
            For a machine without aerodynamics, one or two blades, winds that do not ascend.
        SolverFailure
            When there is no steady state.

        Warns
        -----
        LostModeWarning
            Where a mode without inflow and stall has no counterpart with them.
        """
        return attached("Machine.campbell_over_winds")(self, winds, number, **options)

    def loads(self, speed: float = 0.0, azimuth: float = 0.0, **options: Any) -> dict[str, float]:
        """Section loads by channel, N and N m, in steady rotation under the weight, with the rotor at a fixed azimuth.

        Parameters
        ----------
        speed : rad/s, of the rotor
        azimuth : deg, by which the rotor is turned from its position in the file
        options : ``pitch`` and ``angles`` (rad), ``gravity`` (m/s^2, that of the file), ``elements``

        Raises
        ------
        SolverFailure
            When there is no equilibrium.
        """
        return attached("Machine.loads")(self, speed, azimuth, **options)

    def member(self, name: str) -> Member:
        """The member of that name.

        Parameters
        ----------
        name : of the member

        Raises
        ------
        InputError
            With the nearest name when there is none.
        """
        names = [member.name for member in self.members]
        if name not in names:
            raise InputError(f"machine '{self.name}' has no member '{name}'; {nearest(name, names)}")
        return self.members[names.index(name)]

    @property
    def bearings(self) -> list[str]:
        """Names of the links whose angle can be set."""
        return [link.name for link in self.links if link.kind != "fixed"]

    def children(self, name: str) -> list[str]:
        """Names of the members that links connect to a member as their second end.

        Parameters
        ----------
        name : of the first
        """
        return [link.second[0] for link in self.links if link.first is not None and link.first[0] == name]

    def downstream(self, name: str) -> list[str]:
        """A member and all members beyond it, in the order of the links.

        Parameters
        ----------
        name : of the member
        """
        members = [name]
        for child in self.children(name):
            members += self.downstream(child)
        return members

    def frames(self, angles: Mapping[str, float] | None = None) -> dict[str, Frame]:
        """Frames of all members, by name.

        Parameters
        ----------
        angles : rad, of bearings by name; zero when left out

        Raises
        ------
        InputError
            For an unknown bearing.
        """
        bearing_angles = dict(angles or {})
        for name in bearing_angles:
            if name not in self.bearings:
                raise InputError(
                    f"machine '{self.name}' has no bearing '{name}'; {nearest(name, self.bearings)}"
                )
        frames: dict[str, Frame] = {}
        for placement in self.placements:
            frames[placement.member] = self._frame(placement, frames, bearing_angles)
        return frames

    def _frame(self, placement: Placement, frames: Mapping[str, Frame], angles: Mapping[str, float]) -> Frame:
        if placement.parent is None:
            rotation = placement.rotation
            return Frame(placement.position, rotation, rotation @ placement.speed)
        parent = frames[placement.parent]
        rotation = parent.rotation @ placement.rotation
        for link in self.links:
            joins = link.first is not None and link.first[0] == placement.parent
            if joins and link.second[0] == placement.member and angles.get(link.name, 0.0) != 0.0:
                axis = axis_of(link, parent.rotation, rotation)
                rotation = rotation_about(axis, angles[link.name]) @ rotation
        at = self.member(placement.parent).node_position(placement.node)
        omega = parent.omega + rotation @ placement.speed
        return Frame(parent.origin + parent.rotation @ at, rotation, omega)


def axis_of(link: Link, first: Array, second: Array) -> Array:
    """(3,) axis of a bearing in global axes.

    Parameters
    ----------
    link : the bearing
    first, second : (3, 3) axes of the connected members, columns, global axes
    """
    axes = (np.eye(3), first, second)[link.axes]
    return np.asarray(axes @ np.asarray(link.axis))


def rotor_of(machine: Machine) -> Link:
    """The rotor's bearing: the link marked as shaft, or the first that is free or driven at a speed.

    Raises
    ------
    InputError
        When there is none.
    """
    free = [link for link in machine.links if link.kind in ("free", "speed") and link.first is not None]
    for link in [link for link in free if link.shaft] + free:
        return link
    raise InputError(f"machine '{machine.name}' has no bearing of kind 'free' or 'speed': it has no rotor")


def has_blades(machine: Machine) -> bool:
    """Whether there is a rotor, and it has members beyond its first one."""
    rotors = [link for link in machine.links if link.kind in ("free", "speed") and link.first is not None]
    return bool(rotors) and bool(machine.children(rotor_of(machine).second[0]))


def pitch_bearings(machine: Machine) -> list[Link]:
    """Pitch bearing of each blade: the outermost bearing of kind "angle" among its members, whatever its name.

    Raises
    ------
    InputError
        When a blade has none.
    """
    bearings = []
    for number, members in enumerate(blades_of(machine), start=1):
        candidates = [link for link in machine.links if link.kind == "angle" and link.second[0] in members]
        if not candidates:
            raise InputError(
                f"machine '{machine.name}': blade {number} has no pitch bearing (a link of kind 'angle')"
            )
        bearings.append(candidates[-1])
    return bearings


def blades_of(machine: Machine) -> Sequence[list[str]]:
    """Members of each blade of the rotor, from root to tip: the branches of the rotor.

    A rotor without branches has one blade: all members beyond its first one.

    Raises
    ------
    InputError
        When the rotor has only one member.
    """
    first = root = rotor_of(machine).second[0]
    while len(machine.children(root)) == 1:
        root = machine.children(root)[0]
    if not machine.children(root):
        root = first
    if not machine.children(root):
        raise InputError(f"machine '{machine.name}': the rotor ends at member '{root}' without blades")
    return [machine.downstream(child) for child in machine.children(root)]


POINTS = 41  # along a member
UPRIGHT = np.cos(
    np.radians(30.0)
)  # of members that count as a tower, and of shafts whose blades pass by no tower
UP = np.array([0.0, 0.0, 1.0])
Profile = tuple[Array, Array]  # heights and radii (k,), m


@dataclass(frozen=True, eq=False)
class _Tower:
    """A member that stands: places (POINTS, 3) and radii (POINTS,), m, from the lowest up, global axes."""

    name: str
    places: Array
    radii: Array

    @classmethod
    def of(cls, member: Member, frame: Frame, radii: bool | Profile) -> _Tower:
        places = _points(member, frame)[0]
        order = np.argsort(places[:, 2])
        if isinstance(radii, tuple):
            return cls(member.name, places[order], np.interp(places[order, 2], *radii))
        profile = _radii(member) if radii else np.zeros(POINTS)
        return cls(member.name, places[order], profile[order])


def check_tower_clearance(machine: Machine, radii: bool | Profile = True) -> Machine:
    """The machine itself.

    Parameters
    ----------
    machine : with the bearings at the initial angles of its files
    radii : whether the tower's radius follows from its stiffness, or heights and radii (k,), m; False: its axis alone
        counts

    Raises
    ------
    InputError
        When a point of a blade is inside the tower at some azimuth; the message names blade, place and distances.
    """
    if not has_blades(machine):
        return machine
    shaft = rotor_of(machine)
    frames = machine.frames(machine.start)
    rotating = machine.downstream(shaft.second[0])
    standing = [m for m in machine.members if m.name not in rotating and _is_upright(m, frames[m.name])]
    if shaft.first is None or not standing:
        return machine
    first, second = frames[shaft.first[0]], frames[shaft.second[0]]
    axis = axis_of(shaft, first.rotation, second.rotation)
    axis = axis / np.linalg.norm(axis)
    if abs(axis @ UP) > UPRIGHT:
        return machine
    centre = first.origin + first.rotation @ machine.member(shaft.first[0]).node_position(shaft.first[1])
    towers = [_Tower.of(member, frames[member.name], radii) for member in standing]
    for members in blades_of(machine):
        for name in members:
            points, fractions = _points(machine.member(name), frames[name])
            along = (points - centre) @ axis
            radius = np.linalg.norm(points - centre - along[:, None] * axis, axis=1)
            down = -UP + (UP @ axis) * axis
            lowest = centre + along[:, None] * axis + radius[:, None] * down / np.linalg.norm(down)
            _check(machine, name, fractions, lowest, axis, towers)
    return machine


def _check(
    machine: Machine,
    blade: str,
    fractions: Array,
    lowest: Array,
    axis: Array,
    towers: Sequence[_Tower],
) -> None:
    """InputError where a point of a blade (n, 3) at its lowest is inside one of the members that stand."""
    level = axis - (axis @ UP) * UP
    level = level / np.linalg.norm(level)
    for tower in towers:
        heights, towards = tower.places[:, 2], tower.places @ level
        # the side of the tower on which the rotor is: that of the blades' roots
        side = np.sign(lowest[0] @ level - np.interp(lowest[0, 2], heights, towards)) or 1.0
        inside = (lowest[:, 2] > heights[0]) & (lowest[:, 2] < heights[-1])
        gap = side * (lowest @ level - np.interp(lowest[:, 2], heights, towards))
        thick = np.interp(lowest[:, 2], heights, tower.radii)
        wrong = np.flatnonzero(inside & (gap < thick))
        if len(wrong):
            k = int(wrong[np.argmin((gap - thick)[wrong])])
            raise InputError(
                f"{machine.source or machine.name}: '{blade}', at {fractions[k]:.2g} of its length, passes through "
                f"'{tower.name}' at a height of {lowest[k, 2]:.4g} m: it is {gap[k]:.3g} m in front of its axis, "
                f"whose radius is {thick[k]:.3g} m at least: check the signs of tilt, cone, prebend and overhang"
            )


def _is_upright(member: Member, frame: Frame) -> bool:
    ends = frame.rotation @ (member.blade.axis.at(1.0)[0] - member.blade.axis.at(0.0)[0])
    return bool(abs(ends @ UP) > UPRIGHT * np.linalg.norm(ends))


def _points(member: Member, frame: Frame) -> tuple[Array, Array]:
    """(POINTS, 3) m, global axes, and fractions of the length."""
    fractions = np.linspace(0.0, 1.0, POINTS)
    places = np.array([member.blade.axis.at(float(s))[0] for s in fractions])
    return frame.origin + places @ frame.rotation.T, fractions


def _radii(member: Member) -> Array:
    """(POINTS,) m, of thin-walled tubes with the stiffness of the sections."""
    radii = []
    for section in member.blade.sections.sections:
        k = np.diag(section.stiffness)
        radii.append(np.sqrt(2.0 * min(k[4], k[5]) / k[0]))
    return np.interp(np.linspace(0.0, 1.0, POINTS), member.blade.sections.s, radii)
