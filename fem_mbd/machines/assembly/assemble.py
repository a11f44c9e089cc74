"""Finite-element model of a machine: beams that share nodes where members are fixed, revolute joints for bearings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.model import Model
from fem_mbd.elements.blades.blade import Blade
from fem_mbd.elements.loads.loads import Force
from fem_mbd.elements.rigid_body import RigidBody
from fem_mbd.elements.section.table import SectionTable
from fem_mbd.errors import InputError
from fem_mbd.machines.assembly.assembled import Assembly
from fem_mbd.machines.assembly.bearings import Bearing, started, unresisted
from fem_mbd.machines.assembly.foundation import add_ground_spring, add_soil, add_water
from fem_mbd.machines.assembly.load_stations import add_load_stations
from fem_mbd.machines.assembly.still_water import add_still_water
from fem_mbd.machines.description.beams import RIGID_STIFFNESS
from fem_mbd.machines.description.machine import Machine, rotor_of
from fem_mbd.machines.description.parts import Hold, Link, Member, Placement

GRAVITY = 9.81  # m/s^2
UP = np.array([0.0, 0.0, 1.0])
SHORT_MEMBER_RATIO = 0.1  # of the longest member
LENGTHWISE = 1e3  # times EI/L^2: EA of slender members, about
TOUCHING = 1e-9  # m: what two nodes may be apart that are one
STATION_TOLERANCE = 1e-9  # of a member's length: nodes nearer than that to a station are at it


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
    machine : what it is made of
    angles : rad, of bearings by name: pitch of each blade, azimuth of the rotor; zero when left out
    gravity : m/s^2, downwards; with it a platform that floats is held by water, mooring lines and buoyancy, see
        `fem_mbd.machines.assembly.still_water`
    damped : with the damping of the files
    refine : elements for each piece between two stations of the sections
    turning : with the initial rotation of the files
    locked : with the rotor's bearing held at its angle, as for an equilibrium of the rotor in steady rotation
    stiffest : times the stiffness of the member that is the least stiff at its stiffest section: what of a section is
        stiffer is given this stiffness. Connecting pieces that files make "rigid" by stiffness would cost all digits
    motions : rad, functions of time by which pitch and yaw bearings turn beyond their angles, by name
    standing : as for an equilibrium: what nothing resists is held, a platform that floats when there is no gravity, and
        bearings of what carries the rotor that are free, as of a nacelle that is free to yaw

    Raises
    ------
    InputError
        For a bearing that there is not, and as `add_still_water`.
    """
    placed, moving = started(machine, angles or {}, motions or {})
    frames = machine.frames(placed)
    largest = stiffest * _limits(machine)
    longest = max(member.blade.length for member in machine.members)
    model = Model(gravity=(0.0, 0.0, -gravity), name=machine.name)
    assembly = Assembly(machine, model, {}, frames, placed, moving)
    for placement in machine.placements:
        member = machine.member(placement.member)
        limit = largest * _shortness(member.blade, longest)
        _add_member(assembly, member, placement, _usable(member.blade, limit, damped), refine)
    held = [rotor_of(machine)] if locked else []
    held += unresisted(machine) if standing else []
    for link in machine.links:
        _add_link(assembly, link, link in held, damped)
    if machine.floater is not None and standing and not gravity:
        model.fix(assembly.node(*machine.floater.end))
    _add_foundation(assembly, gravity, damped)
    for member in machine.members:
        _add_lumps(assembly, member, gravity)
    if machine.floater is not None and gravity:
        add_still_water(assembly, machine.floater, gravity, damped)
    if turning:
        _set_turning(assembly)
    add_load_stations(assembly)
    return assembly


def _add_foundation(assembly: Assembly, gravity: float, damped: bool) -> None:
    """Supports, springs to the ground, and soil and water along members."""
    machine = assembly.machine
    for hold in machine.holds:
        _hold(assembly, hold)
    for spring in machine.springs:
        add_ground_spring(assembly, spring, damped)
    for soil in machine.soil:
        add_soil(assembly, soil if damped else replace(soil, damping=0.0))
    for water in machine.water:
        add_water(assembly, water, gravity)


def _add_lumps(assembly: Assembly, member: Member, gravity: float) -> None:
    """Lumped masses of a member; those that water carries have their buoyancy as a load."""
    rotation = assembly.frames[member.name].rotation
    for k, lump in enumerate(member.lumps):
        node = assembly.node(member.name, lump.node)
        body = RigidBody(
            lump.mass, rotation @ lump.inertia @ rotation.T, node=node,
            centre=rotation @ lump.centre, axes="global", name=f"{member.name} mass {k + 1}",
        )  # fmt: skip
        assembly.model.add(body)
        if lump.weightless and gravity:
            centre = node.at_global(node.position + rotation @ lump.centre)
            assembly.model.add(Force(centre, lump.mass * gravity * UP, name=f"{body.name} buoyancy"))


def _limits(machine: Machine) -> Array:
    """(6,) largest forces and moments per strain along a member, of the member where they are the smallest.

    A member that files make rigid in stretch and shear counts with what is LENGTHWISE stiff beside its bending.
    """
    pairs = []
    for member in machine.members:
        d = np.max([np.diag(section.stiffness) for section in member.blade.sections.sections], axis=0)
        pairs.append([min(d[:3].max(), LENGTHWISE * d[4:].max() / member.blade.length**2), d[3:].max()])
    return np.repeat(np.min(pairs, axis=0), 3)


def _shortness(blade: Blade, longest: float) -> float:
    """What of the limit a connecting piece needs: one that is short is rigid with less, and costs fewer digits."""
    stiff = max(float(np.diag(section.stiffness).max()) for section in blade.sections.sections)
    return min(1.0, blade.length / (SHORT_MEMBER_RATIO * longest)) if stiff >= RIGID_STIFFNESS else 1.0


def _usable(blade: Blade, largest: Array, damped: bool) -> Blade:
    """The blade with its stiffness limited to ``largest`` (6,), and without damping if there shall be none."""
    sections = []
    for section in blade.sections.sections:
        scale = np.sqrt(np.minimum(1.0, largest / np.diag(section.stiffness)))
        both = np.outer(scale, scale)
        viscous = section.damping * both if damped and section.damping is not None else None
        sections.append(replace(section, stiffness=section.stiffness * both, damping=viscous))
    table = SectionTable(blade.sections.s, sections)
    if damped:
        return replace(blade, sections=table)
    return replace(blade, sections=table, damping=0.0, damped_shapes=())


def _add_member(assembly: Assembly, member: Member, placement: Placement, blade: Blade, refine: int) -> None:
    frame = assembly.frames[member.name]
    start = None
    for link in assembly.machine.links:
        if _shares_node(assembly, link, member, placement) and link.first is not None:
            start = assembly.node(*link.first)
    part = blade.beam(
        position=frame.origin, rotation=frame.rotation, elements=_bounds(assembly.machine, member, refine),
        start=start, name=member.name,
    )  # fmt: skip
    assembly.beams[member.name] = assembly.model.add(part)
    blade.damp_shapes(assembly.model, assembly.beams[member.name])


def _shares_node(assembly: Assembly, link: Link, member: Member, placement: Placement) -> bool:
    """Whether the member's first node is a node of the one that the link joins it to."""
    if link.second != (member.name, 0) or link.kind not in ("fixed", "angle") or link.first is None:
        return False
    if link.name in assembly.motions:
        return False
    if link.first != (placement.parent, placement.node):
        return False
    return float(np.linalg.norm(member.node_position(0))) <= TOUCHING


def _bounds(machine: Machine, member: Member, refine: int) -> Array:
    """Fractions where elements meet: stations, and nodes on which something sits or hangs."""
    sections = member.blade.sections
    same = all(
        np.array_equal(s.stiffness, sections.sections[0].stiffness)
        and np.array_equal(s.mass_matrix, sections.sections[0].mass_matrix)
        for s in sections.sections
    )
    stations = np.asarray(sections.s) if member.bounds is None else member.bounds
    spread = member.name in {own.member for own in machine.soil} | {own.member for own in machine.water}
    bounds = np.array([0.0, 1.0]) if same and len(member.nodes) == 2 and not spread else stations
    used = [lump.node for lump in member.lumps]
    grounded = [hold.end for hold in machine.holds] + [spring.end for spring in machine.springs]
    used += [end[1] for end in grounded if end[0] == member.name]
    used += [
        end[1] for link in machine.links for end in (link.first, link.second) if end and end[0] == member.name
    ]
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
                f"{link.where}: bearing '{link.name}' to the ground: join it to a body that is held"
            )
        model.fix(second)
        return
    first = assembly.node(*link.first)
    if first is second:
        return
    axis = np.zeros(3) if link.axis is None else assembly.axis(link)
    bearing = Bearing(link, first, second, axis, assembly.angles.get(link.name, 0.0))
    bearing.add_to(model, assembly.motions.get(link.name), locked, damped)


def _hold(assembly: Assembly, hold: Hold) -> None:
    """Turns are held about axes of the node: the global ones have to be among them."""
    node = assembly.node(*hold.end)
    turns = [False, False, False]
    for axis in np.flatnonzero(hold.rotation):
        own = int(np.argmax(np.abs(node.rotation[axis])))
        if abs(abs(node.rotation[axis, own]) - 1.0) > STATION_TOLERANCE and not all(hold.rotation):
            raise InputError(
                f"{hold.where}: member '{hold.end[0]}' is not aligned with the global axes: "
                "fix its rotation about all of them, or about none"
            )
        turns[own] = True
    assembly.model.fix(node, hold.translation, (True, True, True) if all(hold.rotation) else turns)


def _set_turning(assembly: Assembly) -> None:
    """Initial velocities of the rotation that the description gives, and of pitch bearings that begin to turn."""
    rotor, machine, model = assembly.rotor, assembly.machine, assembly.model
    shaft = rotor_of(machine)
    omega = assembly.frames[shaft.second[0]].omega
    still = {node.index: node for node in rotor.nodes}
    turning = machine.downstream(shaft.second[0])
    for link in machine.links:
        if link.name in assembly.motions and link.second[0] in turning:
            place = assembly.node(*link.second).position
            own = omega + float(assembly.motions[link.name].rate(0.0)) * assembly.axis(link)
            moved = [n for name in machine.downstream(link.second[0]) for n in assembly.beams[name].nodes]
            model.set_velocity(moved, np.cross(omega, place - rotor.point), own, about=place)
            still = {index: node for index, node in still.items() if node not in moved}
    model.set_velocity(list(still.values()), np.zeros(3), omega, about=rotor.point)
