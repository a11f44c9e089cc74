"""Reader of HAWC2's blocks `orientation` and `constraint`: how bodies are placed and connected.

`read_placements` reads position and rotation of bodies; `read_links` reads fixed connections, bearings and nodes that
are fixed in some directions. Contents of the blocks: `fem_mbd.machines.readers.hawc2.machine`.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NoReturn

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.base.lazy import nearest
from fem_mbd.core.rotations import rotation_about
from fem_mbd.elements.blades.hawc2_htc import Block, Command
from fem_mbd.elements.blades.stations import BLADE_FROM_HAWC2
from fem_mbd.elements.blades.text import as_number
from fem_mbd.errors import InputError
from fem_mbd.machines.description.parts import Hold, Link, LinkKind, Member, Placement
from fem_mbd.machines.readers.left_out import leave_out_advice

GLOBAL_FROM_HAWC2 = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
ROTATIONS = ("eulerang", "eulerpar", "axisangle")


def read_placements(structure: Block, members: list[Member]) -> list[Placement]:
    """Placements of all members, parents first.

    Raises
    ------
    InputError
        Naming file and line: unknown bodies or nodes, missing angles, bodies placed twice or not at all.
    """
    block = structure.block("orientation")
    if block is None:
        structure.fail("block 'new_htc_structure' has no block 'orientation'")
    placements: list[Placement] = []
    for entry in block.blocks:
        if entry.name == "base":
            placement = _base(entry, members)
        elif entry.name == "relative":
            placement = _relative(entry, members)
        else:
            entry.fail(f"orientation '{entry.name}' is not known: give base or relative")
        if any(p.member == placement.member for p in placements):
            entry.fail(f"body '{placement.member}' has an orientation already")
        placements.append(placement)
    return _in_order(block, placements, members)


def _in_order(block: Block, placements: list[Placement], members: list[Member]) -> list[Placement]:
    ordered: list[Placement] = []
    placed: set[str | None] = {None}
    left_over = list(placements)
    while left_over:
        ready = [p for p in left_over if p.parent in placed]
        if not ready:
            block.fail(
                f"body '{left_over[0].member}' is placed on '{left_over[0].parent}', which has no orientation"
            )
        ordered += ready
        placed |= {p.member for p in ready}
        left_over = [p for p in left_over if p.member not in placed]
    for member in members:
        if member.name not in placed:
            raise InputError(
                f"{member.where}: main_body '{member.name}' has no orientation (base or relative)"
            )
    return ordered


def _base(block: Block, members: list[Member]) -> Placement:
    member, _ = body_and_node(block.need("body NAME", "body", "mbdy"), members, needs_node=False)
    position = block.need("inipos x y z", "inipos").numbers(3, "inipos x y z")
    rotation = _rotation(block, ("body_", "mbdy_"), member.name)
    return Placement(
        member.name, None, 0, GLOBAL_FROM_HAWC2 @ position, GLOBAL_FROM_HAWC2 @ rotation @ BLADE_FROM_HAWC2.T
    )


def _relative(block: Block, members: list[Member]) -> Placement:
    parent, node = body_and_node(block.need("mbdy1 NAME NODE", "mbdy1", "body1"), members)
    command = block.need("mbdy2 NAME NODE", "mbdy2", "body2")
    member, own_node = body_and_node(command, members)
    if own_node != 0:
        command.fail(
            f"body '{member.name}' is placed by its node {own_node + 1}: only its first node is possible here"
        )
    rotation = _rotation(block, ("mbdy2_", "body2_"), member.name)
    speed = np.zeros(3)
    spin_command = block.one_of("mbdy2_ini_rotvec_d1", "body2_ini_rotvec_d1")
    if spin_command is not None:
        vector = spin_command.numbers(4, f"{spin_command.name} x y z speed")
        speed = vector[3] * _unit(vector[:3], spin_command)
    axes = BLADE_FROM_HAWC2
    return Placement(member.name, parent.name, node, np.zeros(3), axes @ rotation @ axes.T, axes @ speed)


def _rotation(block: Block, prefixes: tuple[str, str], body: str) -> Array:
    """(3, 3) columns are the body's axes in the reference axes of its orientation, both as in HAWC2."""
    commands = [
        c for c in block.commands if c.name in [prefix + name for prefix in prefixes for name in ROTATIONS]
    ]
    if not commands:
        block.fail(f"orientation of body '{body}' has no '{prefixes[0]}eulerang x y z'")
    rotation = np.eye(3)
    for command in commands:
        if command.name.endswith("eulerang"):
            for axis, angle in zip(np.eye(3), command.numbers(3, f"{command.name} x y z"), strict=True):
                rotation = rotation @ rotation_about(axis, float(np.radians(angle)))
        elif command.name.endswith("eulerpar"):
            rotation = rotation @ _from_euler_parameters(command)
        else:
            values = command.numbers(4, f"{command.name} x y z angle")
            rotation = rotation @ rotation_about(_unit(values[:3], command), float(np.radians(values[3])))
    return rotation


def _from_euler_parameters(command: Command) -> Array:
    r = command.numbers(4, f"{command.name} r0 r1 r2 r3")
    if abs(float(r @ r) - 1.0) > 1e-3:
        command.fail(f"Euler parameters have the norm {float(np.linalg.norm(r)):g}: it must be 1")
    r = r / np.linalg.norm(r)
    sine = float(np.linalg.norm(r[1:]))
    return np.eye(3) if sine == 0.0 else rotation_about(r[1:], 2.0 * float(np.arctan2(sine, r[0])))


def _unit(vector: Array, command: Command) -> Array:
    norm = float(np.linalg.norm(vector))
    if norm == 0.0:
        command.fail(f"'{command.name}' has a vector of length zero")
    return vector / norm


def body_and_node(command: Command, members: list[Member], needs_node: bool = True) -> tuple[Member, int]:
    """The member that a command names and the number of its node, from 0.

    Raises
    ------
    InputError
        Naming file and line, when there is no such body or node.
    """
    names = [member.name for member in members]
    name = command.text(f"{command.name} NAME NODE")
    if name not in names:
        command.fail(f"there is no main_body '{name}'; {nearest(name, names)}")
    member = members[names.index(name)]
    if not needs_node:
        return member, 0
    word = command.words[1].lower() if len(command.words) > 1 else ""
    if word == "last":
        return member, len(member.nodes) - 1
    number = as_number(word)
    if number is None or not number.is_integer() or not 1 <= number <= len(member.nodes):
        command.fail(f"node '{word}' of body '{name}': give a number from 1 to {len(member.nodes)}, or last")
    return member, int(number) - 1


KINDS: dict[str, LinkKind] = {"fix1": "fixed", "bearing1": "free", "bearing2": "angle", "bearing3": "speed"}

FIXING_CONSTRAINTS = ("fix2", "fix3")
EXTERNAL = ("dll", "ext_sys")


def read_links(
    structure: Block, members: list[Member], left_out: Collection[str] = ()
) -> tuple[list[Link], list[Hold]]:
    """The links of all constraints, and the nodes fixed in some directions.

    left_out : names of constraints to skip

    Raises
    ------
    InputError
        Naming file and line: unknown constraints, bodies or nodes, missing vectors.
    """
    block = structure.block("constraint")
    if block is None:
        structure.fail("block 'new_htc_structure' has no block 'constraint'")
    links: list[Link] = []
    holds: list[Hold] = []
    for constraint in block.blocks:
        where = f"{constraint.begin.path}, line {constraint.begin.line}"
        if constraint.name in left_out:
            continue
        if constraint.name in FIXING_CONSTRAINTS:
            holds.append(_hold(constraint, members, where))
            continue
        if constraint.name == "fix0":
            body, _ = body_and_node(constraint.need("body NAME", "body", "mbdy"), members, needs_node=False)
            links.append(Link(f"fix0 {body.name}", "fixed", None, (body.name, 0), where=where))
        elif constraint.name in KINDS:
            links.append(_link(constraint, members, where))
        else:
            _refuse(constraint)
        if any(link.name == links[-1].name for link in links[:-1]):
            constraint.fail(f"there is a constraint '{links[-1].name}' already")
    return links, holds


def _refuse(block: Block) -> NoReturn:
    """InputError for a constraint that is unknown or computed by another program."""
    advice = leave_out_advice(block.name)
    if block.name in EXTERNAL:
        command = block.one_of("dll", "init")
        program = "" if command is None or not command.words else f" ({command.words[0]})"
        block.fail(f"constraint '{block.name}' is computed by another program{program}; {advice}")
    block.fail(
        f"constraint '{block.name}' is not known here: give fix0, {', '.join((*FIXING_CONSTRAINTS, *KINDS))}; {advice}"
    )


def _hold(block: Block, members: list[Member], where: str) -> Hold:
    """`fix2`: the first node in directions; `fix3`: a node about axes; global ones of HAWC2."""
    command = block.need("body NAME", "body", "mbdy")
    body, node = body_and_node(command, members, needs_node=len(command.words) > 1)
    dof = block.need("dof 1 1 1", "dof")
    flags = dof.numbers(3, "dof 1 1 1")
    if np.any((flags != 0.0) & (flags != 1.0)):
        dof.fail("dof: 1 holds a direction, 0 leaves it free")
    x, y, z = (bool(value) for value in np.abs(GLOBAL_FROM_HAWC2) @ flags)
    if block.name == "fix2":
        return Hold((body.name, node), translation=(x, y, z), where=where)
    return Hold((body.name, node), rotation=(x, y, z), where=where)


def _link(block: Block, members: list[Member], where: str) -> Link:
    kind = KINDS[block.name]
    first, node_1 = body_and_node(block.need("mbdy1 NAME NODE", "mbdy1", "body1"), members)
    second, node_2 = body_and_node(block.need("mbdy2 NAME NODE", "mbdy2", "body2"), members)
    ends = (first.name, node_1), (second.name, node_2)
    if kind == "fixed":
        return Link(f"{first.name}-{second.name}", kind, *ends, where=where)
    command = block.need("bearing_vector COO x y z", "bearing_vector")
    values = command.numbers(4, "bearing_vector COO x y z")
    if values[0] not in (0.0, 1.0, 2.0) or not np.any(values[1:]):
        command.fail(
            "bearing_vector: COO is 0 (global), 1 (body 1) or 2 (body 2), the vector must not be zero"
        )
    axes = int(values[0])
    axis = (GLOBAL_FROM_HAWC2 if axes == 0 else BLADE_FROM_HAWC2) @ values[1:]
    speed = 0.0
    if kind == "speed":
        speed = float(block.need("omegas SPEED", "omegas").numbers(1, "omegas SPEED")[0])
    name_command = block.one_of("name")
    name = f"{first.name}-{second.name}" if name_command is None else name_command.text("name NAME")
    return Link(name, kind, *ends, axis, axes, speed, where=where)
