"""Finite-element model of a machine: members that are fixed to each other share a node, bearings are joints.

Pitch links and swashplate of a rotor in its model.

A link is a spring along the line between the end of the pitch horn and a point of the rotating plate, or of the hub,
below it. The swashplate: a slider on the mast (heave), a ring on it (tilt about the sideways axis), the plate that does
not rotate on the ring (tilt about the forward axis), and on its bearing the plate that rotates. The scissors keep the
rotation of the plate about its own axis equal to that of the shaft.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Node
from fem_mbd.elements.blades.blade import Blade
from fem_mbd.elements.loads.loads import Force
from fem_mbd.elements.rigid_body import RigidBody
from fem_mbd.elements.section.table import SectionTable
from fem_mbd.elements.springs.springs import SpringDamper
from fem_mbd.errors import InputError
from fem_mbd.joints.driveline.parts import GearPair
from fem_mbd.joints.ideal import DrivenPrismatic, DrivenRevolute, Revolute
from fem_mbd.machines.assembly.assembled import Assembly, add_load_stations
from fem_mbd.machines.assembly.bearings import (
    Bearing,
    add_ground_spring,
    add_soil,
    add_water,
    free_bearings,
    initial_angles,
)
from fem_mbd.machines.assembly.still_water import add_still_water
from fem_mbd.machines.building.blocks import Swashplate
from fem_mbd.machines.description.beams import RIGID_STIFFNESS
from fem_mbd.machines.description.machine import Machine, rotor_of
from fem_mbd.machines.description.parts import Control, Hold, Link, Member, Placement

SMALL = 1e-3  # inertia of slider, ring and fixed plate, whose motion is given, over that of the rotating one


def add_control(assembly: Assembly, control: Control, damped: bool) -> None:
    """Add pitch links, and the swashplate if there is one, to the model of a machine.

    Parameters
    ----------
    assembly : machine and model
    control : the links
    damped : with their damping
    """
    links, hub = control.links, assembly.rotor.hub
    axes = assembly.frames[control.hub].rotation @ control.axes
    down = -links.length * axes[:, 0]
    foot = hub
    if links.swashplate is not None:
        foot = _add_swashplate(assembly, links.swashplate, hub.position + down, axes)
        assembly.plates.append(foot)
    for k, (root, end) in enumerate(control.horns, start=1):
        horn = hub.position + axes @ end
        ends = foot.at_global(horn + down), assembly.node(*root).at_global(horn)
        damping, name = links.damping if damped else 0.0, f"pitch link {k}"
        assembly.model.add(SpringDamper(*ends, links.stiffness, damping, parallel=links.parallel, name=name))


def _add_swashplate(assembly: Assembly, plate: Swashplate, at: Array, axes: Array) -> Node:
    """The rotating plate; ``at`` (3,) its centre, ``axes`` (3, 3) of the rotor, columns, global."""
    model, shaft = assembly.model, rotor_of(assembly.machine)
    mast = model.ground if shaft.first is None else assembly.node(*shaft.first)
    axis, side, ahead = axes.T  # ahead: azimuth 0; the azimuth 90 degrees is at -side

    def body(name: str, share: float) -> Node:
        inertia = share * plate.inertia * (0.5 * np.eye(3) + 0.5 * np.outer(axis, axis))
        mass = share * plate.mass
        return model.add(RigidBody(mass, inertia, position=at, axes="global", name=f"swashplate {name}")).node

    slider, ring, fixed, rotating = (
        body(name, share)
        for name, share in (("slider", SMALL), ("ring", SMALL), ("fixed", SMALL), ("rotating", 1.0))
    )
    model.add(
        DrivenPrismatic(mast, slider, at=at, axis=axis, displacement=plate.heave, name="swashplate heave")
    )
    model.add(
        DrivenRevolute(slider, ring, at=at, axis=side, angle=plate.tilt_cosine, name="swashplate tilt cosine")
    )
    model.add(
        DrivenRevolute(ring, fixed, at=at, axis=ahead, angle=plate.tilt_sine, name="swashplate tilt sine")
    )
    model.add(Revolute(fixed, rotating, at=at, axis=axis, name="swashplate bearing"))
    hub, housing = assembly.node(*shaft.second), None if mast is model.ground else mast
    model.add(GearPair(hub, rotating, axis, 1.0, 1.0, housing=housing, internal=True, name="scissors"))
    return rotating


UP = np.array([0.0, 0.0, 1.0])
SHORT_MEMBER_RATIO = 0.1  # fraction of the longest member's length
AXIAL_RATIO = 1e3  # typical EA of a slender member, in units of EI/L^2
COINCIDENCE_TOLERANCE = 1e-11  # of the larger of length and coordinates: nodes nearer to each other coincide
TABLES = 32  # limited tables that are kept: blades of a rotor, and models of a machine, share them
STATION_TOLERANCE = 1e-9  # fraction of a member's length: nodes nearer than that to a station are at it


def assemble(
    machine: Machine,
    angles: Mapping[str, float] | None = None,
    gravity: float = 0.0,
    damped: bool = True,
    refine: int = 1,
    turning: bool = False,
    locked: bool = False,
    stiffest: float = 1e4,
    motions: Mapping[str, Any] | None = None,
    standing: bool = False,
) -> Assembly:
    """The model of a machine.

    Parameters
    ----------
    machine : its description
    angles : rad, of bearings by name: pitch of each blade, azimuth of the rotor; of others, the initial ones of the
        files (`Machine.start`), or zero
    gravity : m/s^2, downwards; if given, water, mooring lines and buoyancy support a floating platform, see
        `fem_mbd.machines.assembly.still_water`
    damped : with the damping of the files
    refine : elements between two adjacent stations
    turning : with the initial rotation of the files
    locked : with the rotor's bearing fixed at its angle, as for an equilibrium in steady rotation
    stiffest : upper limit of stiffness, as a multiple of that of the softest member at its stiffest section; "rigid"
        pieces with a very large stiffness in the files would cost all digits
    motions : rad, functions of time added to the angles of bearings, by name: pitch, yaw, hinges, and the rotor's own
        (HAWC2: "shaft_rot", `build_rotor`: "shaft"), which they drive in place of its speed or of a free shaft
    standing : as for an equilibrium: fix a floating platform when there is no gravity, and free bearings without a
        spring below the rotor, as the yaw of a nacelle

    Raises
    ------
    InputError
        For an unknown bearing, and as `add_still_water`.
    """
    bearing_angles, bearing_motions = initial_angles(
        machine, dict(machine.start) | dict(angles or {}), motions or {}
    )
    frames = machine.frames(bearing_angles)
    largest = stiffest * _softest_stiffness(machine)
    longest = max(member.blade.length for member in machine.members)
    model = Model(gravity=(0.0, 0.0, -gravity), name=machine.name)
    assembly = Assembly(machine, model, {}, frames, bearing_angles, bearing_motions)
    for placement in machine.placements:
        member = machine.member(placement.member)
        limit = largest * _short_piece_factor(member.blade, longest)
        blade = replace(member.blade, sections=_limited(member.blade.sections, tuple(limit), damped))
        if not damped:
            blade = replace(blade, damping=0.0, damped_shapes=())
        _add_member(assembly, member, placement, blade, refine)
    held_links = [rotor_of(machine)] if locked else []
    held_links += free_bearings(machine) if standing else []
    for link in machine.links:
        _add_link(assembly, link, link in held_links, damped)
    if machine.floater is not None and standing and not gravity:
        model.fix(assembly.node(*machine.floater.end))
    _add_foundation(assembly, gravity, damped)
    driven = [link for link in machine.links if link.kind == "speed" or link.name in bearing_motions]
    fixed = {
        link.second[0]
        for link in machine.links
        if link in held_links or (link in driven and link.kind != "angle")
    }
    for member in machine.members:
        _add_lumps(assembly, member, gravity, geared=member.name not in fixed)
    if machine.floater is not None and gravity:
        add_still_water(assembly, machine.floater, gravity, damped)
    if machine.control is not None:
        add_control(assembly, machine.control, damped)
    if turning:
        _set_rotation(assembly)
    add_load_stations(assembly)
    return assembly


def _add_foundation(assembly: Assembly, gravity: float, damped: bool) -> None:
    """Supports, springs to the ground, and soil and water along members."""
    machine = assembly.machine
    for hold in machine.holds:
        _fix(assembly, hold)
    for spring in machine.springs:
        add_ground_spring(assembly, spring, damped)
    for soil in machine.soil:
        add_soil(assembly, soil if damped else replace(soil, damping=0.0))
    for water in machine.water:
        add_water(assembly, water, gravity)


def _add_lumps(assembly: Assembly, member: Member, gravity: float, geared: bool) -> None:
    """Add the lumped masses of a member; weightless ones have a load that cancels their weight.

    geared : rotors behind a gearbox turn with it; otherwise its bearing is held, and they move with the casing
    """
    rotation = assembly.frames[member.name].rotation
    for k, lump in enumerate(member.lumps):
        node = assembly.node(member.name, lump.node)
        inertia = lump.inertia if geared else lump.inertia / lump.gear_ratio**2
        centre = assembly.place(member.name, lump.node) - node.position + rotation @ lump.centre
        body = RigidBody(
            lump.mass, rotation @ inertia @ rotation.T, node=node,
            centre=centre, axes="global", name=f"{member.name} mass {k + 1}",
        )  # fmt: skip
        assembly.model.add(body)
        if lump.weightless and gravity:
            point = node.at_global(node.position + centre)
            assembly.model.add(Force(point, lump.mass * gravity * UP, name=f"{body.name} buoyancy"))


def _softest_stiffness(machine: Machine) -> Array:
    """(6,) stiffness of the softest member at its stiffest section.

    A member that files make rigid in stretch and shear counts with an axial stiffness of AXIAL_RATIO EI/L^2.
    """
    pairs = []
    for member in machine.members:
        d = np.max([np.diag(section.stiffness) for section in member.blade.sections.sections], axis=0)
        pairs.append([min(d[:3].max(), AXIAL_RATIO * d[4:].max() / member.blade.length**2), d[3:].max()])
    return np.repeat(np.min(pairs, axis=0), 3)


def _short_piece_factor(blade: Blade, longest: float) -> float:
    """Factor on the stiffness limit: a short connecting piece is rigid with less stiffness, and costs fewer digits."""
    stiff = max(float(np.diag(section.stiffness).max()) for section in blade.sections.sections)
    return min(1.0, blade.length / (SHORT_MEMBER_RATIO * longest)) if stiff >= RIGID_STIFFNESS else 1.0


@lru_cache(maxsize=TABLES)
def _limited(table: SectionTable, largest: tuple[float, ...], damped: bool) -> SectionTable:
    """The sections with their stiffness limited to ``largest`` (6,), without damping unless ``damped``."""
    sections = []
    for section in table.sections:
        scale = np.sqrt(np.minimum(1.0, np.array(largest) / np.diag(section.stiffness)))
        factors = np.outer(scale, scale)
        viscous = section.damping * factors if damped and section.damping is not None else None
        sections.append(replace(section, stiffness=section.stiffness * factors, damping=viscous))
    return SectionTable(table.s, sections)


def _add_member(assembly: Assembly, member: Member, placement: Placement, blade: Blade, refine: int) -> None:
    frame = assembly.frames[member.name]
    start = None
    for link in assembly.machine.links:
        if _shares_node(assembly, link, member, placement) and link.first is not None:
            start = assembly.node(*link.first)
    part = blade.beam(
        position=frame.origin, rotation=frame.rotation, elements=_bounds(assembly.machine, member, refine),
        start=start, name=member.name, order=member.order,
    )  # fmt: skip
    assembly.beams[member.name] = assembly.model.add(part)
    blade.damp_shapes(assembly.model, assembly.beams[member.name])


def _shares_node(assembly: Assembly, link: Link, member: Member, placement: Placement) -> bool:
    """Whether the member's first node is the node of its parent to which the link connects it, and at its place."""
    if link.second != (member.name, 0) or link.kind not in ("fixed", "angle") or link.first is None:
        return False
    if link.name in assembly.motions:
        return False
    if link.first != (placement.parent, placement.node):
        return False
    frame, node = assembly.frames[member.name], assembly.node(*link.first)
    begins = frame.origin + frame.rotation @ member.blade.axis.at(0.0)[0]
    size = max(member.blade.length, float(np.abs(begins).max()))
    return float(np.linalg.norm(begins - node.position)) <= COINCIDENCE_TOLERANCE * size


def _bounds(machine: Machine, member: Member, refine: int) -> Array:
    """Element boundaries as fractions of the length: stations, and nodes with masses, links or supports."""
    sections = member.blade.sections
    uniform = all(
        np.array_equal(s.stiffness, sections.sections[0].stiffness)
        and np.array_equal(s.mass_matrix, sections.sections[0].mass_matrix)
        for s in sections.sections
    )
    immersed = member.name in [soil.member for soil in machine.soil] + [w.member for w in machine.water]
    if member.bounds is not None:
        bounds = member.bounds
    elif uniform and len(member.nodes) == 2 and not immersed:
        bounds = np.array([0.0, 1.0])  # a connecting piece
    else:
        bounds = np.asarray(sections.s)
    used = [lump.node for lump in member.lumps]
    grounded = [hold.end for hold in machine.holds] + [spring.end for spring in machine.springs]
    used += [end[1] for end in grounded if end[0] == member.name]
    used += [
        end[1] for link in machine.links for end in (link.first, link.second) if end and end[0] == member.name
    ]
    if machine.control is not None:
        used += [node for (name, node), _ in machine.control.horns if name == member.name]
    for at in member.nodes[used]:
        if np.abs(bounds - at).min() > STATION_TOLERANCE:
            bounds = np.sort(np.append(bounds, at))
    parts = np.arange(refine) / refine
    return np.append((bounds[:-1, None] + np.diff(bounds)[:, None] * parts).ravel(), 1.0)


def _add_link(assembly: Assembly, link: Link, locked: bool, damped: bool) -> None:
    model, second = assembly.model, assembly.node(*link.second)
    if link.first is None:
        if link.kind != "fixed":
            raise InputError(
                f"{link.where}: bearing '{link.name}' is on the ground: connect it to a fixed body instead"
            )
        model.fix(second)
        return
    first = assembly.node(*link.first)
    if first is second:
        return
    axis = np.zeros(3) if link.axis is None else assembly.axis(link)
    at = assembly.place(*link.first)
    bearing = Bearing(link, first, second, at, axis, assembly.angles.get(link.name, 0.0))
    bearing.add_to(model, assembly.motions.get(link.name), locked, damped)


def _fix(assembly: Assembly, hold: Hold) -> None:
    """Fix a node; rotations are fixed about the node's axes, so the global axes must be among them."""
    node = assembly.node(*hold.end)
    fixed = [False, False, False]
    for axis in np.flatnonzero(hold.rotation):
        column = int(np.argmax(np.abs(node.rotation[axis])))
        if abs(abs(node.rotation[axis, column]) - 1.0) > STATION_TOLERANCE and not all(hold.rotation):
            raise InputError(
                f"{hold.where}: member '{hold.end[0]}' is not aligned with the global axes: "
                "fix its rotation about all of them, or about none"
            )
        fixed[column] = True
    assembly.model.fix(node, hold.translation, (True, True, True) if all(hold.rotation) else fixed)


def _set_rotation(assembly: Assembly) -> None:
    """Set initial velocities: of the rotor's rotation, and of pitch bearings that are driven from the start."""
    rotor, machine, model = assembly.rotor, assembly.machine, assembly.model
    shaft = rotor_of(machine)
    omega = assembly.frames[shaft.second[0]].omega
    if shaft.name in assembly.motions:
        omega = float(assembly.motions[shaft.name].rate(0.0)) * assembly.axis(shaft)
    remaining = {node.index: node for node in rotor.nodes}
    rotating = machine.downstream(shaft.second[0])
    for link in machine.links:
        if link is not shaft and link.name in assembly.motions and link.second[0] in rotating:
            point = assembly.place(*link.second)
            blade_omega = omega + float(assembly.motions[link.name].rate(0.0)) * assembly.axis(link)
            nodes = [n for name in machine.downstream(link.second[0]) for n in assembly.beams[name].nodes]
            model.set_velocity(nodes, np.cross(omega, point - rotor.point), blade_omega, about=point)
            remaining = {index: node for index, node in remaining.items() if node not in nodes}
    model.set_velocity(list(remaining.values()), np.zeros(3), omega, about=rotor.point)
