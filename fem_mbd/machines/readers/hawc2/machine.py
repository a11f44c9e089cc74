"""Function `read_hawc2_machine`: a machine from the structure block of a HAWC2 htc file.

Contents of the file (HAWC2 manual, "new_htc_structure"):

- HAWC2's global axes have z down and y downwind; here x = y_HAWC2, y = x_HAWC2, z = -z_HAWC2. Body axes are changed
  to those of blades, x = y_HAWC2, y = -x_HAWC2, z = z_HAWC2, see `fem_mbd.elements.blades.hawc2`;
- `main_body`: centre line `c2_def` in body axes, sections of a `timoschenko_input`; the origin of the body's axes, not
  its first node, is at the node on which it is placed. `nbodies`, `node_distribution` (HAWC2's elements) are ignored;
- `concentrated_mass node x y z m Ixx Iyy Izz [Ixy Ixz Iyz]`: offset from the node, inertia about the mass centre, body
  axes;
- `orientation`: `base` places a body in the global frame; `relative` places body 2 at a node of body 1. Each `eulerang`
  line rotates the axes about x, then the new y, then the new z (degrees, right-handed), after the lines above it;
- `constraint`: `fix0` fixes a body's first node, `fix2` in some directions, `fix3` a node about some axes; `fix1`
  connects two nodes rigidly, `bearing1` is a free bearing, `bearing2` has an angle that the analysis sets (pitch),
  `bearing3` a given speed (`omegas`);
- `soil`: springs along bodies, see `soil`; `hydro`: water that moves with them, see `soil`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import numpy as np

from fem_mbd.base.validation import finite
from fem_mbd.elements.blades.hawc2 import Radii
from fem_mbd.elements.blades.hawc2_htc import Block, HtcFile, read_htc
from fem_mbd.errors import InputError
from fem_mbd.machines.description.machine import Machine, axis_of, check_tower_clearance, has_blades, rotor_of
from fem_mbd.machines.description.parts import Hold, Link, Member, Placement, RotorAerodynamics
from fem_mbd.machines.readers.hawc2.aero import read_aero
from fem_mbd.machines.readers.hawc2.bodies import copied_body, read_body
from fem_mbd.machines.readers.hawc2.controller import read_controller
from fem_mbd.machines.readers.hawc2.orientation import EXTERNAL, read_links, read_placements
from fem_mbd.machines.readers.hawc2.soil import read_hydro, read_soil
from fem_mbd.machines.readers.left_out import Platform, leave_out_advice, warn_left_out

BLOCKS_READ = ("main_body", "orientation", "constraint")


def read_hawc2_machine(
    path: str | Path,
    radii_at: Radii | None = None,
    name: str = "",
    leave_out: Collection[str] = (),
    soil_deflection: float = 0.0,
    platform: Platform = "as in the files",
) -> Machine:
    """The machine of an htc file.

    Parameters
    ----------
    path : of the main file
    radii_at : "mass centre" or "elastic centre", where `_st` files give the radii of gyration; has to be given where
        the two differ and both are possible, see `fem_mbd.elements.blades.read_hawc2`
    name : of the machine; that of the file when left out
    leave_out : names of blocks of constraints and of the structure to skip, such as "dll" for a constraint of another
        program; they are listed in `Machine.ignored`
    soil_deflection : m, of the pile in its soil: lateral and axial springs are the secants of p-y curves there; by
        default the slopes at no deflection
    platform : "held" fixes the first node of a body without constraint, such as a floater whose hydrodynamics and
        mooring another program computes

    Raises
    ------
    InputError
        Naming file and line: files that cannot be read, missing blocks or entries, unknown bodies, sets and nodes,
        bodies without orientation or constraint.
    """
    if finite(soil_deflection, "soil_deflection (m)") < 0.0:
        raise InputError(f"soil_deflection is {soil_deflection:g} m: it must not be negative")
    htc = read_htc(path)
    structure = htc.root.block("new_htc_structure")
    if structure is None:
        raise InputError(f"{path}: there is no block 'new_htc_structure'")
    members = _members(htc, structure, radii_at)
    placements = read_placements(structure, members)
    left_out = {leave_out.lower()} if isinstance(leave_out, str) else {word.lower() for word in leave_out}
    for block in structure.blocks:
        if block.name in EXTERNAL and block.name not in left_out:
            block.fail(f"block '{block.name}' is computed by another program; {leave_out_advice(block.name)}")
    links, holds = read_links(structure, members, left_out)
    soil = [] if "soil" in left_out else read_soil(htc, members, soil_deflection)
    water = [] if "hydro" in left_out else read_hydro(htc, members)
    if platform == "held":
        links += _fix_free_bodies(members, links, holds)
    _check_connected(members, links, holds, placements)
    aero = None if "aero" in left_out else read_aero(htc, members)
    controller, remarks = (None, []) if "dll" in left_out else read_controller(htc)
    read = [*(["aero"] if isinstance(aero, RotorAerodynamics) else []), *(["dll"] if controller else [])]
    ignored = (
        *_ignored(htc, structure, left_out, read),
        *([aero] if isinstance(aero, str) else []),
        *remarks,
    )
    machine = Machine(
        name or Path(path).stem,
        tuple(members),
        tuple(placements),
        tuple(links),
        ignored,
        str(path),
        tuple(holds),
        tuple(soil),
        water=tuple(water),
        aerodynamics=None if isinstance(aero, str) else aero,
        controller=controller,
    )
    return check_tower_clearance(_turning_forward(machine))


def _turning_forward(machine: Machine) -> Machine:
    """The machine with its shaft's axis in the sense in which the file turns it.

    `bearing_vector` may point either way along the shaft; the rotor's speed, torque and azimuth count in the sense of
    rotation.
    """
    if not has_blades(machine):
        return machine
    shaft, frames = rotor_of(machine), machine.frames()
    first, second = frames[shaft.first[0]], frames[shaft.second[0]]  # type: ignore[index]
    axis = axis_of(shaft, first.rotation, second.rotation)
    speed = shaft.speed if shaft.kind == "speed" else float(axis @ (second.omega - first.omega))
    if speed >= 0.0:
        return machine
    forward = replace(shaft, axis=-np.asarray(shaft.axis), speed=-shaft.speed)
    return replace(machine, links=tuple(forward if link is shaft else link for link in machine.links))


def _members(htc: HtcFile, structure: Block, radii_at: Radii | None) -> list[Member]:
    members: list[Member] = []
    for block in structure.blocks:
        if block.name != "main_body":
            continue
        command = block.need("name NAME", "name")
        name = command.text("name NAME")
        if any(member.name == name for member in members):
            command.fail(f"there is a main_body '{name}' already")
        copy_command = block.one_of("copy_main_body")
        where = f"{block.begin.path}, line {block.begin.line}"
        if copy_command is not None:
            source_name = copy_command.text("copy_main_body NAME")
            source = next((m for m in members if m.name == source_name), None)
            if source is None:
                copy_command.fail(f"there is no main_body '{source_name}' above this line to copy")
            members.append(copied_body(source, block, copy_command, name, where))
        else:
            members.append(read_body(htc, block, name, where, radii_at))
    if not members:
        structure.fail("block 'new_htc_structure' has no main_body")
    return members


def _fix_free_bodies(members: list[Member], links: list[Link], holds: list[Hold]) -> list[Link]:
    """Links that fix the bodies which have no hold and are second in no link."""
    held = {link.second[0] for link in links} | {hold.end[0] for hold in holds}
    free = [member for member in members if member.name not in held]
    for member in free:
        remark = (
            f"main_body '{member.name}' is held at its first node on request: modes are those on fixed ground"
        )
        warn_left_out(member.where, [remark])
    return [Link(f"held {m.name}", "fixed", None, (m.name, 0), where=m.where) for m in free]


def _check_connected(
    members: list[Member], links: list[Link], holds: list[Hold], placements: list[Placement]
) -> None:
    """InputError for a body that is not connected to the ground."""
    held = {link.second[0] for link in links if link.first is None} | {hold.end[0] for hold in holds}
    for _ in members:
        held |= {link.second[0] for link in links if link.first is not None and link.first[0] in held}
    for member in members:
        if member.name not in held:
            raise InputError(
                f"{member.where}: no constraint holds main_body '{member.name}': fix it (fix0, fix2, fix3) or join it "
                "as second body (fix1, bearing1, bearing2, bearing3) to one that is held; where another program "
                "carries it, as a floater: platform='held' (command line: --platform held, or of other commands than "
                "import --set platform=held)"
            )
    if len(placements) != len(members):
        raise InputError("some bodies have no orientation")


def _ignored(
    htc: HtcFile, structure: Block, left_out: Collection[str], read: Collection[str]
) -> tuple[str, ...]:
    """Data that are not read, and files found elsewhere, one line each."""
    lines = [
        f"block '{block.name}' ({block.begin.path.name}, line {block.begin.line})"
        for block in [*htc.root.blocks, *(b for b in structure.blocks if b.name not in BLOCKS_READ)]
        if block is not structure and (block.name not in ("soil", "hydro", *read) or block.name in left_out)
    ]
    lines += [
        f"command '{command.name}' ({command.path.name}, line {command.line})"
        for command in [*htc.root.commands, *structure.commands]
    ]
    constraint = structure.block("constraint")
    lines += [
        f"constraint '{block.name}' ({block.begin.path.name}, line {block.begin.line}), left out as requested"
        for block in ([] if constraint is None else constraint.blocks)
        if block.name in left_out
    ]
    lines += [f"'{file}' was found beside {htc.path.name}" for file in htc.beside]
    return tuple(lines)
