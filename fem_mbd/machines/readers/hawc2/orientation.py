"""Orientation blocks of HAWC2: position and rotation of bodies; see `fem_mbd.machines.readers.hawc2.machine`."""

from __future__ import annotations

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.base.suggestions import nearest
from fem_mbd.core.rotations import rotation_about
from fem_mbd.elements.blades.hawc2_htc import Block, Command
from fem_mbd.elements.blades.stations import BLADE_FROM_HAWC2
from fem_mbd.elements.blades.text import as_number
from fem_mbd.errors import InputError
from fem_mbd.machines.description.parts import Member, Placement

GLOBAL_FROM_HAWC2 = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
TURNS = ("eulerang", "eulerpar", "axisangle")


def read_placements(structure: Block, members: list[Member]) -> list[Placement]:
    """Placements of all members, parents first.

    Raises
    ------
    InputError
        Naming file and line: bodies, nodes or angles that are not there, bodies placed twice or not at all.
    """
    block = structure.block("orientation")
    if block is None:
        structure.fail("block 'new_htc_structure' has no block 'orientation'")
    placements: list[Placement] = []
    for one in block.blocks:
        if one.name == "base":
            made = _base(one, members)
        elif one.name == "relative":
            made = _relative(one, members)
        else:
            one.fail(f"orientation '{one.name}' is not known: give base or relative")
        if any(p.member == made.member for p in placements):
            one.fail(f"body '{made.member}' has an orientation already")
        placements.append(made)
    return _in_order(block, placements, members)


def _in_order(block: Block, placements: list[Placement], members: list[Member]) -> list[Placement]:
    ordered: list[Placement] = []
    placed: set[str | None] = {None}
    left = list(placements)
    while left:
        ready = [p for p in left if p.parent in placed]
        if not ready:
            block.fail(
                f"body '{left[0].member}' is placed on '{left[0].parent}', which has no orientation of its own"
            )
        ordered += ready
        placed |= {p.member for p in ready}
        left = [p for p in left if p.member not in placed]
    for member in members:
        if member.name not in placed:
            raise InputError(
                f"{member.where}: main_body '{member.name}' has no orientation (base or relative)"
            )
    return ordered


def _base(block: Block, members: list[Member]) -> Placement:
    member, _ = body_and_node(block.need("body NAME", "body", "mbdy"), members, needs_node=False)
    place = block.need("inipos x y z", "inipos").numbers(3, "inipos x y z")
    rotation = _rotation(block, ("body_", "mbdy_"), member.name)
    return Placement(
        member.name, None, 0, GLOBAL_FROM_HAWC2 @ place, GLOBAL_FROM_HAWC2 @ rotation @ BLADE_FROM_HAWC2.T
    )


def _relative(block: Block, members: list[Member]) -> Placement:
    parent, node = body_and_node(block.need("mbdy1 NAME NODE", "mbdy1", "body1"), members)
    command = block.need("mbdy2 NAME NODE", "mbdy2", "body2")
    member, own = body_and_node(command, members)
    if own != 0:
        command.fail(
            f"body '{member.name}' is placed by its node {own + 1}: only its first node is possible here"
        )
    rotation = _rotation(block, ("mbdy2_", "body2_"), member.name)
    speed = np.zeros(3)
    given = block.one_of("mbdy2_ini_rotvec_d1", "body2_ini_rotvec_d1")
    if given is not None:
        vector = given.numbers(4, f"{given.name} x y z speed")
        speed = vector[3] * _unit(vector[:3], given)
    turn = BLADE_FROM_HAWC2
    return Placement(member.name, parent.name, node, np.zeros(3), turn @ rotation @ turn.T, turn @ speed)


def _rotation(block: Block, prefixes: tuple[str, str], body: str) -> Array:
    """(3, 3) columns are the body's axes in those that its orientation counts from, both as in HAWC2."""
    turns = [c for c in block.commands if c.name in [p + t for p in prefixes for t in TURNS]]
    if not turns:
        block.fail(f"orientation of body '{body}' has no '{prefixes[0]}eulerang x y z'")
    rotation = np.eye(3)
    for command in turns:
        if command.name.endswith("eulerang"):
            for axis, angle in zip(np.eye(3), command.numbers(3, f"{command.name} x y z"), strict=True):
                rotation = rotation @ rotation_about(axis, float(np.radians(angle)))
        elif command.name.endswith("eulerpar"):
            rotation = rotation @ _from_euler_parameters(command)
        else:
            given = command.numbers(4, f"{command.name} x y z angle")
            rotation = rotation @ rotation_about(_unit(given[:3], command), float(np.radians(given[3])))
    return rotation


def _from_euler_parameters(command: Command) -> Array:
    r = command.numbers(4, f"{command.name} r0 r1 r2 r3")
    if abs(float(r @ r) - 1.0) > 1e-3:
        command.fail(f"Euler parameters have the norm {float(np.linalg.norm(r)):g}: it must be 1")
    r = r / np.linalg.norm(r)
    size = float(np.linalg.norm(r[1:]))
    return np.eye(3) if size == 0.0 else rotation_about(r[1:], 2.0 * float(np.arctan2(size, r[0])))


def _unit(vector: Array, command: Command) -> Array:
    size = float(np.linalg.norm(vector))
    if size == 0.0:
        command.fail(f"'{command.name}' has a vector of length zero")
    return vector / size


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
