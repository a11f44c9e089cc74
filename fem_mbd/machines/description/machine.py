"""Class `Machine`: slender members connected by bearings, with lumped masses, supports and soil.

Frames: global axes have z up and x downwind (wind turbines). A member has the axes of a blade: z
along it, from its first node on, x to the suction side, y to the trailing edge (see `fem_mbd.elements.blades.axis`;
of a tower z may point down). All data are in the axes of members, which `frames` locates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.base.attached import attached
from fem_mbd.base.suggestions import nearest
from fem_mbd.core.rotations import rotation_about
from fem_mbd.errors import InputError
from fem_mbd.machines.description.aerodynamics import RotorAerodynamics, UnreadAerodynamics
from fem_mbd.machines.description.parts import (
    Floater,
    Frame,
    GroundSpring,
    Hold,
    Link,
    Member,
    Placement,
    Soil,
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
        options : ``pitch`` (rad, to feather) and ``speed`` (rad/s): numbers, or one for each wind; ``elements``
            (largest number per member), ``induction``, ``stall``

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
