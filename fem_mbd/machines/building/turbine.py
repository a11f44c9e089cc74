"""Machines of building blocks: a whole turbine, or a rotor alone on a mast. Frames: `fem_mbd.machines.building.blocks`.

Members are named tower, nacelle, shaft (or mast), teeter, hub1 …, arm1_1 … (beyond each hinge), blade1 …; links shaft,
yaw, teeter, flap1 …, lag1 …, pitch1 …. Below the tower: those of a `Substructure`, from the ground on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.time_functions import Harmonic, TimeFunction
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
from fem_mbd.machines.description.parts import GroundSpring, Hold, Link, Lump, Member, Placement

X, Y, Z = np.eye(3)
TO_FEATHER = -Z  # a blade turns about it by a positive pitch
MAST = 1.0  # m, of the mast that a rotor alone stands on


class _Chain:
    """Members, placements and links as they are put together, from the ground on."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.members: list[Member] = []
        self.placements: list[Placement] = []
        self.links: list[Link] = []
        self.holds: list[Hold] = []
        self.springs: list[GroundSpring] = []
        # where members stand that do not stand on the last node of their parent
        self.nodes: dict[str, int] = {}

    def ground(self, member: Member, position: Array, rotation: Array, held: bool = True) -> None:
        self.members.append(member)
        self.placements.append(Placement(member.name, None, 0, position, rotation))
        if held:
            self.links.append(Link(f"{member.name} foot", "fixed", None, (member.name, 0), where=self.where))

    def support(self, support: Support) -> None:
        """On the first node of the member that was put on the ground, which is held there no longer."""
        link = self.links.pop()
        held = np.isinf(support.stiffness)
        self.holds.append(Hold(link.second, tuple(held), (True, True, True), self.where))
        self.springs.append(
            GroundSpring(
                link.second, np.where(held, 0.0, support.stiffness), np.where(held, 0.0, support.damping)
            )
        )

    def add(
        self, member: Member, parent: str, rotation: Array, link: Link, speed: Array | None = None
    ) -> None:
        """``member`` with its first node at that of ``link``, its axes turned by ``rotation`` (3, 3)."""
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
            tuple(self.holds), (), tuple(self.springs), dict(start or {}),
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
    """A turbine: tower, nacelle with a yaw bearing, shaft that is free to turn, rotor with pitch bearings.

    Parameters
    ----------
    name : of the machine
    tower, nacelle, drivetrain, rotor : its parts
    ignored, source, start : as `Machine` has them
    substructure : what carries the tower, or floats under it; without one it is held at its foot

    Raises
    ------
    InputError
        For numbers that cannot be.
    """
    chain = _Chain(source or name)
    on_top = (Lump(len(tower.beam.axis.bounds) - 1, tower.top_mass, np.zeros(3), np.zeros((3, 3))),)
    lumps: tuple[Lump, ...] = on_top if tower.top_mass else ()
    lumps += substructure.lumps if isinstance(substructure, FloatingPlatform) else ()
    foot = Member("tower", tower.beam, np.asarray(tower.beam.axis.bounds), lumps, chain.where)
    if substructure is None or isinstance(substructure, FloatingPlatform):
        chain.ground(foot, np.array([0.0, 0.0, tower.base]), np.eye(3), held=substructure is None)
    else:
        under = substructure.members[0]
        chain.ground(under, np.array([0.0, 0.0, substructure.base]), np.eye(3))
        for member in (*substructure.members[1:], foot):
            link = chain.link(f"{under.name}-{member.name}", "fixed", under.name, member.name)
            chain.add(member, under.name, np.eye(3), link)
            under = member
    centre = np.asarray(nacelle.centre, dtype=float) - drivetrain.height * Z
    own = (Lump(1, nacelle.mass, centre, np.asarray(nacelle.inertia, dtype=float)),)
    free = nacelle.yaw_drive is not None and nacelle.yaw_drive[0] == 0.0
    piece = connecting_piece(
        "nacelle", drivetrain.height, None if free else nacelle.yaw_drive, own, chain.where
    )
    if free:
        damping = nacelle.yaw_drive[1] if nacelle.yaw_drive else 0.0
        yaw = chain.link("yaw", "free", "tower", "nacelle", Z, damping=damping)
    else:
        yaw = chain.link("yaw", "angle", "tower", "nacelle", Z)
    chain.add(piece, "tower", np.eye(3), yaw)
    _add_shaft(chain, drivetrain, rotor)
    _add_blades(chain, "shaft", drivetrain.axes.T, rotor)
    made = chain.machine(name, ignored, source, start)
    if isinstance(substructure, FloatingPlatform):
        return replace(made, floater=substructure.under(foot.name))
    return made if substructure is None else replace(made, soil=substructure.soil)


def build_rotor(
    name: str,
    rotor: Rotor,
    axis: Array = Z,
    speed: float | None = None,
    support: Support | None = None,
) -> Machine:
    """A rotor alone, its hub in the origin, on a mast that is held or stands on a support that gives way.

    Parameters
    ----------
    name : of the machine
    rotor : what turns
    axis : (3,) of rotation, global axes; up for a helicopter
    speed : rad/s at which the mast's bearing is driven; free to turn when left out
    support : on which the mast stands; held when left out
    """
    chain = _Chain(name)
    x = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    side = Y if abs(x @ Y) < 0.9 else X
    z = np.cross(x, side) / np.linalg.norm(np.cross(x, side))
    axes = np.column_stack([x, np.cross(z, x), z])
    along = along_shaft(1.0)
    lumps = (Lump(0, support.mass, np.zeros(3), np.zeros((3, 3))),) if support and support.mass else ()
    mast = connecting_piece("mast", MAST, None, lumps, name)
    chain.ground(mast, -2.0 * MAST * x, axes @ along)
    if support is not None:
        chain.support(support)
    head = connecting_piece("shaft", MAST, None, _hub_lumps(rotor, along), name)
    kind = "free" if speed is None else "speed"
    link = chain.link("shaft", kind, "mast", "shaft", Z, **({} if speed is None else {"speed": speed}))
    chain.add(head, "mast", np.eye(3), link, None if speed is None else speed * Z)
    _add_blades(chain, "shaft", along.T, rotor)
    return chain.machine(name, (), "")


def _hub_lumps(rotor: Rotor, axes: Array) -> tuple[Lump, ...]:
    """The hub on the shaft's end, where it does not teeter; ``axes`` (3, 3) of the shaft's member in rotor axes."""
    return () if rotor.teeter is not None else (_hub_lump(rotor.hub, axes),)


def _hub_lump(hub: Hub, axes: Array) -> Lump:
    """The hub on the end of a member; ``axes`` (3, 3) of that member in rotor axes."""
    return Lump(1, hub.mass, axes.T @ (hub.centre * X), axes.T @ np.asarray(hub.inertia) @ axes)


def _add_shaft(chain: _Chain, drivetrain: Drivetrain, rotor: Rotor) -> None:
    axes = drivetrain.axes
    generator = np.outer(Z, Z) * drivetrain.generator
    lumps = (Lump(0, 0.0, np.zeros(3), generator), *_hub_lumps(rotor, axes))
    piece = connecting_piece("shaft", abs(drivetrain.overhang), drivetrain.twist, lumps, chain.where)
    tilted = rotation_about(Y, drivetrain.tilt)
    kind = "speed" if drivetrain.driven else "free"
    given = {"speed": drivetrain.speed} if drivetrain.driven else {}
    link = chain.link("shaft", kind, "nacelle", "shaft", tilted @ X, shaft=True, **given)
    chain.add(piece, "nacelle", tilted @ axes, link, axes.T @ (drivetrain.speed * X))


def _add_blades(chain: _Chain, parent: str, axes: Array, rotor: Rotor) -> None:
    """``axes`` (3, 3): columns are the rotor's axes in those of ``parent``."""
    if rotor.teeter is not None:
        axes = _add_teeter(chain, parent, axes, rotor, rotor.teeter)
        parent = "teeter"
    each = zip(rotor.blades, rotor.cones, rotor.tip_masses, strict=True)
    for k, (blade, cone, tip) in enumerate(each, start=1):
        azimuth = rotor.azimuth + 2 * np.pi * (k - 1) / rotor.number
        turn = axes @ rotation_about(X, azimuth) @ rotation_about(Y, cone)
        before = _add_arms(chain, parent, turn, rotor, k)
        nodes = np.asarray(blade.axis.bounds)
        lumps = (Lump(len(nodes) - 1, tip, np.zeros(3), np.zeros((3, 3))),) if tip else ()
        own = Member(f"blade{k}", blade, nodes, lumps, chain.where, element_bounds(blade, rotor.elements))
        root = rotation_about(TO_FEATHER, rotor.pitch) @ rotation_about(Y, rotor.precone)
        chain.add(own, before, root, chain.link(f"pitch{k}", "angle", before, own.name, TO_FEATHER))


def _add_teeter(chain: _Chain, parent: str, axes: Array, rotor: Rotor, teeter: Teeter) -> Array:
    """What teeters, from the pin to the apex, with the hub; the rotor's axes (3, 3) in those of this piece."""
    turned = axes @ rotation_about(X, rotor.azimuth)  # x and z span the plane of shaft and blades
    own = along_shaft(np.sign(teeter.undersling) or 1.0)
    length = abs(teeter.undersling) or rotor.hub.radius
    lump = _hub_lump(rotor.hub, own)
    if teeter.undersling == 0.0:  # the piece is there to turn, and carries all at its pin
        lump = replace(lump, node=0)
        chain.nodes["teeter"] = 0
    piece = connecting_piece("teeter", length, None, (lump,), chain.where)
    springs = {"stiffness": teeter.stiffness, "damping": teeter.damping}
    chain.add(
        piece, parent, turned @ own, chain.link("teeter", "free", parent, "teeter", turned @ Y, **springs)
    )
    return np.asarray(own.T @ rotation_about(X, -rotor.azimuth))


def _add_arms(chain: _Chain, parent: str, turn: Array, rotor: Rotor, k: int) -> str:
    """What carries blade ``k``, with its hinges; the name of the last piece. ``turn`` (3, 3) in axes of ``parent``."""
    hinges = rotor.hinges
    radii = [0.0, *(hinge.radius for hinge in hinges), rotor.hub.radius]
    name = f"hub{k}"
    piece = connecting_piece(name, radii[1], where=chain.where)
    chain.add(piece, parent, turn, chain.link(f"{parent}-{name}", "fixed", parent, name))
    for n, hinge in enumerate(hinges, start=1):
        before, name = name, f"arm{k}_{n}"
        piece = connecting_piece(name, radii[n + 1] - radii[n], where=chain.where)
        axis = Y if hinge.kind == "flap" else -X
        springs = {"stiffness": hinge.stiffness, "damping": hinge.damping}
        link = chain.link(f"{hinge.kind}{k}", "free", before, name, axis, **springs)
        chain.add(piece, before, np.eye(3), link)
    return name


def swashplate(
    collective: float, cosine: float, sine: float, rate: float, azimuth: float = 0.0
) -> TimeFunction:
    """Pitch of a blade over time, rad: collective + cosine cos psi + sine sin psi, psi = azimuth + rate t.

    Parameters
    ----------
    collective, cosine, sine : rad, in the sense of the pitch bearing (leading edge to -x)
    rate : rad/s of the rotor
    azimuth : rad of this blade at time 0, from where the cyclic pitch counts
    """
    size, phase = float(np.hypot(cosine, sine)), float(np.arctan2(cosine, sine))
    return Harmonic(size, rate, azimuth + phase, collective)
