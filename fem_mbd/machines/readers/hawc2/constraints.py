"""Reader of HAWC2's constraint blocks: fixed connections, bearings, nodes fixed in some directions."""

from __future__ import annotations

from collections.abc import Collection
from typing import NoReturn

import numpy as np

from fem_mbd.elements.blades.hawc2_htc import Block
from fem_mbd.elements.blades.stations import BLADE_FROM_HAWC2
from fem_mbd.machines.description.parts import Hold, Link, LinkKind, Member
from fem_mbd.machines.readers.hawc2.orientation import GLOBAL_FROM_HAWC2, body_and_node
from fem_mbd.machines.readers.left_out import leave_out_advice

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
