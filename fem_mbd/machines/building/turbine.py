"""Functions `build_turbine` and `build_rotor`: machines from the building blocks of `fem_mbd.machines.building.blocks`.

Members are named tower, nacelle, shaft (or mast), teeter, hub1 …, arm1_1 … (beyond each hinge), blade1 …; links shaft,
yaw, teeter, flap1 …, lag1 …, pitch1 …. Below the tower: those of a `Substructure`, from the ground on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import finite
from fem_mbd.core.model.time_functions import Harmonic, TimeFunction, TimeFunctionLike, as_time_function
from fem_mbd.core.rotations import rotation_about
from fem_mbd.machines.building.blocks import (
    Drivetrain,
    Hub,
    Nacelle,
    Rotor,
    Support,
    Teeter,
    Tower,
    along_shaft,
)
from fem_mbd.machines.building.substructure import FloatingPlatform, Substructure
from fem_mbd.machines.description.beams import connecting_piece, element_bounds
from fem_mbd.machines.description.machine import Machine
from fem_mbd.machines.description.parts import Control, GroundSpring, Hold, Link, Lump, Member, Placement

X, Y, Z = np.eye(3)
TO_FEATHER = -Z  # axis of positive pitch rotations
MAST_LENGTH = 1.0  # m, of the mast of a rotor without a tower


class _MachineBuilder:
    """Collects members, placements and links, from the ground up."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.members: list[Member] = []
        self.placements: list[Placement] = []
        self.links: list[Link] = []
        self.holds: list[Hold] = []
        self.springs: list[GroundSpring] = []
        self.control: Control | None = None
        # node for children, by name of the parent, where it is not the last one
        self.nodes: dict[str, int] = {}

    def ground(self, member: Member, position: Array, rotation: Array, clamped: bool = True) -> None:
        self.members.append(member)
        self.placements.append(Placement(member.name, None, 0, position, rotation))
        if clamped:
            self.links.append(Link(f"{member.name} foot", "fixed", None, (member.name, 0), where=self.where))

    def support(self, support: Support) -> None:
        """Put the first node of the member on the ground onto springs, instead of fixing it."""
        link = self.links.pop()
        rigid = np.isinf(support.stiffness)
        self.holds.append(Hold(link.second, tuple(rigid), (True, True, True), self.where))
        self.springs.append(
            GroundSpring(
                link.second, np.where(rigid, 0.0, support.stiffness), np.where(rigid, 0.0, support.damping)
            )
        )

    def add(
        self, member: Member, parent: str, rotation: Array, link: Link, speed: Array | None = None
    ) -> None:
        """Add ``member`` with its first node at that of ``link``, its axes rotated by ``rotation`` (3, 3)."""
        node = 0 if link.first is None else link.first[1]
        self.members.append(member)
        self.placements.append(
            Placement(
                member.name, parent, node, np.zeros(3), rotation, np.zeros(3) if speed is None else speed
            )
        )
        self.links.append(link)

    def link(
        self, name: str, kind: str, parent: str, child: str, axis: Array | None = None, **more: Any
    ) -> Link:
        last = len(next(m for m in self.members if m.name == parent).nodes) - 1
        node = self.nodes.get(parent, last)
        return Link(name, kind, (parent, node), (child, 0), axis, 1, where=self.where, **more)  # type: ignore[arg-type]

    def machine(
        self, name: str, ignored: tuple[str, ...], source: str, start: Mapping[str, float] | None = None
    ) -> Machine:
        return Machine(
            name, tuple(self.members), tuple(self.placements), tuple(self.links), ignored, source,
            tuple(self.holds), (), tuple(self.springs), dict(start or {}), control=self.control,
        )  # fmt: skip


def build_turbine(
    name: str,
    tower: Tower,
    nacelle: Nacelle,
    drivetrain: Drivetrain,
    rotor: Rotor,
    ignored: tuple[str, ...] = (),
    source: str = "",
    substructure: Substructure | FloatingPlatform | None = None,
    start: Mapping[str, float] | None = None,
) -> Machine:
    """A turbine: tower, nacelle with a yaw bearing, free or driven shaft, rotor with pitch bearings.

    Parameters
    ----------
    name : of the machine
    tower, nacelle, drivetrain, rotor : its parts
    ignored, source, start : as in `Machine`
    substructure : below the tower; without one it is clamped at its foot

    Raises
    ------
    InputError
        For invalid numbers.
    """
    builder = _MachineBuilder(source or name)
    top_lump = (Lump(len(tower.beam.axis.bounds) - 1, tower.top_mass, np.zeros(3), np.zeros((3, 3))),)
    lumps: tuple[Lump, ...] = top_lump if tower.top_mass else ()
    lumps += substructure.lumps if isinstance(substructure, FloatingPlatform) else ()
    foot = Member("tower", tower.beam, np.asarray(tower.beam.axis.bounds), lumps, builder.where)
    if substructure is None or isinstance(substructure, FloatingPlatform):
        builder.ground(foot, np.array([0.0, 0.0, tower.base]), np.eye(3), clamped=substructure is None)
    else:
        below = substructure.members[0]
        builder.ground(below, np.array([0.0, 0.0, substructure.base]), np.eye(3))
        for member in (*substructure.members[1:], foot):
            link = builder.link(f"{below.name}-{member.name}", "fixed", below.name, member.name)
            builder.add(member, below.name, np.eye(3), link)
            below = member
    centre = np.asarray(nacelle.centre, dtype=float) - drivetrain.height * Z
    nacelle_lumps = (Lump(1, nacelle.mass, centre, np.asarray(nacelle.inertia, dtype=float)),)
    free = nacelle.yaw_drive is not None and nacelle.yaw_drive[0] == 0.0
    piece = connecting_piece(
        "nacelle", drivetrain.height, None if free else nacelle.yaw_drive, nacelle_lumps, builder.where
    )
    if free:
        damping = nacelle.yaw_drive[1] if nacelle.yaw_drive else 0.0
        yaw = builder.link("yaw", "free", "tower", "nacelle", Z, damping=damping)
    else:
        yaw = builder.link("yaw", "angle", "tower", "nacelle", Z)
    builder.add(piece, "tower", np.eye(3), yaw)
    _add_shaft(builder, drivetrain, rotor)
    _add_blades(builder, "shaft", drivetrain.axes.T, rotor)
    machine = builder.machine(name, ignored, source, start)
    if isinstance(substructure, FloatingPlatform):
        return replace(machine, floater=substructure.under(foot.name))
    return machine if substructure is None else replace(machine, soil=substructure.soil)


def build_rotor(
    name: str,
    rotor: Rotor,
    axis: Array = Z,
    speed: TimeFunctionLike | None = None,
    support: Support | None = None,
) -> Machine:
    """A rotor without a tower, its hub at the origin, on a mast that is fixed or elastically supported.

    Parameters
    ----------
    name : of the machine
    rotor : with its blades
    axis : (3,) of rotation, global axes; up for a helicopter
    speed : rad/s, prescribed in the mast's bearing, a number or a function of time (a spin-up); free when left out.
        ``assemble(…, turning=True)`` starts in steady rotation at the speed at time 0
    support : of the mast; fixed when left out

    Raises
    ------
    InputError
        For a speed that is neither a number nor a function of time.
    """
    driven: Any = None if speed is None else _driven_speed(name, speed)
    at_start = driven.value(0.0) if isinstance(driven, TimeFunction) else driven
    builder = _MachineBuilder(name)
    x = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    side = Y if abs(x @ Y) < 0.9 else X
    z = np.cross(x, side) / np.linalg.norm(np.cross(x, side))
    axes = np.column_stack([x, np.cross(z, x), z])
    along = along_shaft(1.0)
    lumps = (Lump(0, support.mass, np.zeros(3), np.zeros((3, 3))),) if support and support.mass else ()
    mast = connecting_piece("mast", MAST_LENGTH, None, lumps, name)
    builder.ground(mast, -2.0 * MAST_LENGTH * x, axes @ along)
    if support is not None:
        builder.support(support)
    head = connecting_piece("shaft", MAST_LENGTH, None, _hub_lumps(rotor, along), name)
    kind = "free" if speed is None else "speed"
    link = builder.link("shaft", kind, "mast", "shaft", Z, **({} if speed is None else {"speed": driven}))
    builder.add(head, "mast", np.eye(3), link, None if speed is None else at_start * Z)
    _add_blades(builder, "shaft", along.T, rotor)
    return builder.machine(name, (), "")


def _driven_speed(name: str, speed: Any) -> float | TimeFunction:
    """The number, or the function of time."""
    what = f"rotor '{name}': speed (rad/s)"
    if callable(speed) or isinstance(speed, TimeFunction):
        return as_time_function(speed, (), what)
    return finite(speed, what)


def _hub_lumps(rotor: Rotor, axes: Array) -> tuple[Lump, ...]:
    """The hub at the shaft's end, unless it teeters; ``axes`` (3, 3) of the shaft's member in rotor axes."""
    return () if rotor.teeter is not None else (_hub_lump(rotor.hub, axes),)


def _hub_lump(hub: Hub, axes: Array) -> Lump:
    """The hub at the end of a member; ``axes`` (3, 3) of that member in rotor axes."""
    return Lump(1, hub.mass, axes.T @ (hub.centre * X), axes.T @ np.asarray(hub.inertia) @ axes)


def _add_shaft(builder: _MachineBuilder, drivetrain: Drivetrain, rotor: Rotor) -> None:
    axes = drivetrain.axes
    generator = np.outer(Z, Z) * drivetrain.generator
    generator_lump = Lump(0, 0.0, np.zeros(3), generator, gear_ratio=drivetrain.gear_ratio)
    lumps = (generator_lump, *_hub_lumps(rotor, axes))
    piece = connecting_piece("shaft", abs(drivetrain.overhang), drivetrain.twist, lumps, builder.where)
    tilted = rotation_about(Y, drivetrain.tilt)
    kind = "speed" if drivetrain.driven else "free"
    speed = {"speed": drivetrain.speed} if drivetrain.driven else {}
    link = builder.link("shaft", kind, "nacelle", "shaft", tilted @ X, shaft=True, **speed)
    builder.add(piece, "nacelle", tilted @ axes, link, axes.T @ (drivetrain.speed * X))


def _add_blades(builder: _MachineBuilder, parent: str, axes: Array, rotor: Rotor) -> None:
    """``axes`` (3, 3): columns are the rotor's axes in those of ``parent``."""
    if rotor.teeter is not None:
        axes = _add_teeter(builder, parent, axes, rotor, rotor.teeter)
        parent = "teeter"
    blades, horns = zip(rotor.blades, rotor.cones, rotor.tip_masses, strict=True), []
    for k, (blade, cone, tip) in enumerate(blades, start=1):
        azimuth = rotor.azimuth + 2 * np.pi * (k - 1) / rotor.number
        rotation = axes @ rotation_about(X, azimuth) @ rotation_about(Y, cone)
        inboard = _add_arms(builder, parent, rotation, rotor, k)
        station = 0.0 if rotor.pitch_links is None else rotor.pitch_links.station
        nodes = np.unique([*blade.axis.bounds, station])
        lumps = (Lump(len(nodes) - 1, tip, np.zeros(3), np.zeros((3, 3))),) if tip else ()
        member = Member(
            f"blade{k}", blade, nodes, lumps, builder.where, element_bounds(blade, rotor.elements)
        )
        root = rotation_about(Y, rotor.precone)
        if "pitch" in [hinge.kind for hinge in rotor.hinges]:
            link = builder.link(f"root{k}", "fixed", inboard, member.name)
        else:
            root = rotation_about(TO_FEATHER, rotor.pitch) @ root
            link = _pitch_link(builder, rotor, k, inboard, member.name)
        builder.add(member, inboard, root, link)
        if rotor.pitch_links is not None:
            fixed = (member.name, int(np.searchsorted(nodes, station)))
            if station == 0.0:
                fixed = next(link for link in builder.links if link.name == f"pitch{k}").second
            end = np.array([0.0, -rotor.pitch_links.arm, rotor.pitch_links.radius])
            horns.append((fixed, rotation_about(X, azimuth) @ rotation_about(Y, cone) @ end))
    if rotor.pitch_links is not None:
        builder.control = Control(rotor.pitch_links, parent, axes, tuple(horns))


def _pitch_link(builder: _MachineBuilder, rotor: Rotor, k: int, inboard: str, outboard: str) -> Link:
    held_by_angle = rotor.pitch_links is None or rotor.pitch_links.station > 0.0
    kind = "angle" if held_by_angle else "free"
    return builder.link(f"pitch{k}", kind, inboard, outboard, TO_FEATHER)


def _add_teeter(builder: _MachineBuilder, parent: str, axes: Array, rotor: Rotor, teeter: Teeter) -> Array:
    """Add the teetering piece from the pin to the apex, with the hub; returns the rotor's axes (3, 3) in its axes."""
    rotor_axes = axes @ rotation_about(X, rotor.azimuth)  # x and z span the plane of shaft and blades
    along = along_shaft(np.sign(teeter.undersling) or 1.0)
    length = abs(teeter.undersling) or rotor.hub.radius
    lump = _hub_lump(rotor.hub, along)
    if teeter.undersling == 0.0:  # the piece only provides the hinge: hub and blades are at its pin
        lump = replace(lump, node=0)
        builder.nodes["teeter"] = 0
    piece = connecting_piece("teeter", length, None, (lump,), builder.where)
    springs = {"stiffness": teeter.stiffness, "damping": teeter.damping}
    link = builder.link("teeter", "free", parent, "teeter", rotor_axes @ Y, **springs)
    builder.add(piece, parent, rotor_axes @ along, link)
    return np.asarray(along.T @ rotation_about(X, -rotor.azimuth))


def _add_arms(builder: _MachineBuilder, parent: str, turn: Array, rotor: Rotor, k: int) -> str:
    """Add the arms and hinges inboard of blade ``k``; returns the last piece's name. ``turn`` (3, 3) in parent axes."""
    hinges = rotor.hinges
    radii = [0.0, *(hinge.radius for hinge in hinges), rotor.hub.radius]
    name = f"hub{k}"
    piece = connecting_piece(name, radii[1], where=builder.where)
    builder.add(piece, parent, turn, builder.link(f"{parent}-{name}", "fixed", parent, name))
    for n, hinge in enumerate(hinges, start=1):
        inboard, name = name, f"arm{k}_{n}"
        piece = connecting_piece(name, radii[n + 1] - radii[n], where=builder.where)
        if hinge.kind == "pitch":
            link = _pitch_link(builder, rotor, k, inboard, name)
            builder.add(piece, inboard, rotation_about(TO_FEATHER, rotor.pitch), link)
            continue
        axis = rotation_about(X, -hinge.skew) @ Y if hinge.kind == "flap" else -X
        beside = {"stiffness": hinge.stiffness, "damping": hinge.damping, "parallel": hinge.parallel}
        link = builder.link(f"{hinge.kind}{k}", "free", inboard, name, axis, **beside)
        builder.add(piece, inboard, np.eye(3), link)
    return name


def swashplate(
    collective: float, cosine: float, sine: float, rate: float, azimuth: float = 0.0
) -> TimeFunction:
    """Pitch of a blade over time, rad: collective + cosine cos psi + sine sin psi, psi = azimuth + rate t.

    Parameters
    ----------
    collective, cosine, sine : rad, in the sense of the pitch bearing (leading edge to -x)
    rate : rad/s of the rotor
    azimuth : rad of this blade at time 0
    """
    size, phase = float(np.hypot(cosine, sine)), float(np.arctan2(cosine, sine))
    return Harmonic(size, rate, azimuth + phase, collective)
