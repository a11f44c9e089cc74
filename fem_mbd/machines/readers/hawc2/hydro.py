"""Reader of the block `hydro` of a HAWC2 htc file: added mass of water along bodies.

A `hydro_element` names a body and sections `sec z Cm Cd V Vr width`, z (m) along it from its first node (HAWC2 manual,
"hydro"). The added mass per length is rho Cm Vr from `mudlevel` up to `mwl` of `water_properties`, z of HAWC2's global
axes, down. Waves, drag and buoyancy are loads and not read, nor are further columns (water inside a body and at its
ends).
"""

from __future__ import annotations

import numpy as np

from fem_mbd.elements.blades.hawc2_htc import Block, HtcFile
from fem_mbd.machines.description.parts import Member, Water
from fem_mbd.machines.readers.hawc2.orientation import body_and_node
from fem_mbd.machines.readers.left_out import leave_out_advice, warn_left_out

SECTION = "sec z Cm Cd V Vr width"


def read_hydro(htc: HtcFile, members: list[Member]) -> list[Water]:
    """The water of all `hydro_element` blocks.

    Raises
    ------
    InputError
        Naming file and line: unknown bodies, missing or invalid properties and sections.

    Warns
    -----
    LeftOutWarning
        For columns that are not read.
    """
    water: list[Water] = []
    for block in htc.root.blocks:
        if block.name != "hydro":
            continue
        elements = [element for element in block.blocks if element.name == "hydro_element"]
        properties = block.block("water_properties")
        if not elements:
            continue
        if properties is None:
            block.fail("there is no block 'water_properties'")
        density, surface = (
            float(properties.need(f"{name} NUMBER", name).numbers(1, f"{name} NUMBER")[0])
            for name in ("rho", "mwl")
        )
        if density < 0.0:
            properties.fail("rho must not be negative")
        mud = properties.one_of("mudlevel")
        bottom = np.inf if mud is None else float(mud.numbers(1, "mudlevel NUMBER")[0])
        water += [_element(element, members, density, (-bottom, -surface)) for element in elements]
    return water


def _element(block: Block, members: list[Member], density: float, levels: tuple[float, float]) -> Water:
    member, _ = body_and_node(
        block.need("mbdy_name NAME", "mbdy_name", "body_name", "body", "mbdy"), members, False
    )
    sections = block.all("sec")
    if len(sections) < 2:
        block.fail(f"give two sections at least: '{SECTION}'")
    rows = np.array([command.numbers(6, SECTION) for command in sections])
    if np.any(np.diff(rows[:, 0]) <= 0.0):
        block.fail(f"z of '{SECTION}' has to ascend")
    if np.any(rows[:, [1, 4]] < 0.0):
        block.fail(
            f"Cm and Vr of '{SECTION}' must not be negative; if another program computes the inertia of the water: "
            + leave_out_advice("hydro")
        )
    if any(word.strip("0.-+eE") for command in sections for word in command.words[6:]):
        remark = "columns after the width (ends, and water inside the body) are not read: it is lighter than in HAWC2"
        warn_left_out(f"{block.begin.path}, line {block.begin.line}", [remark])
    return Water(member.name, rows[:, 0], density * rows[:, 1] * rows[:, 4], levels)
