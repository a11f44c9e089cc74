"""Reader of soil and water along bodies in a HAWC2 htc file: the blocks `soil` and `hydro`.

Springs of the soil (`read_soil`). A `soil_element` gives a body, a file and the number of a set in it; the damping is
`damping_k_factor` times the stiffness. A set is

    #1
    lateral                    or axial, rotation_z
    3 2 nrow ndefl             heights and deflections
    0 1 x1 x2 ...              deflections, m or rad
    30 0 3536842               z, m, global axis of HAWC2 (down); forces per length at the deflections, kN/m, kN m/m
    ...

(units from a script of github.com/IEAWindSystems/IEA-15-240-RWT, monopile). Springs here are linear, with the slope of
the curve at no deflection; lateral and axial ones may have the secant at a given deflection (the force is constant
beyond the curve's end). A nonlinear p-y curve causes a warning. `soilsections`, HAWC2's points, is ignored: the springs
are distributed over the beam's nodes.

Added mass of the water (`read_hydro`). A `hydro_element` names a body and sections `sec z Cm Cd V Vr width`, z (m)
along it from its first node (HAWC2 manual, "hydro"). The added mass per length is rho Cm Vr from `mudlevel` up to `mwl`
of `water_properties`, z of HAWC2's global axes, down. Waves, drag and buoyancy are loads and not read, nor are further
columns (water inside a body and at its ends).
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.elements.blades.hawc2_htc import Block, HtcFile
from fem_mbd.elements.blades.text import TextFile, as_number, tokens
from fem_mbd.machines.description.parts import Member, Soil, Water
from fem_mbd.machines.readers.hawc2.orientation import body_and_node
from fem_mbd.machines.readers.left_out import leave_out_advice, warn_left_out

KINDS: dict[str, Literal["lateral", "axial", "turn"]] = {
    "lateral": "lateral",
    "axial": "axial",
    "rotation_z": "turn",
}
COMMANDS = ("mbdy_name", "body", "mbdy", "datafile", "soilsections", "damping_k_factor", "set")
KILO = 1e3
LINEARITY_TOLERANCE = 1e-6  # relative difference of slopes of a linear curve


class _SoilTable(NamedTuple):
    kind: str
    heights: Array
    deflections: Array
    forces: Array


def read_soil(htc: HtcFile, members: list[Member], deflection: float = 0.0) -> list[Soil]:
    """The springs of all `soil_element` blocks; nonlinear curves give the secant at a ``deflection`` (m).

    Raises
    ------
    InputError
        Naming file and line: unknown bodies, files or sets, invalid tables.

    Warns
    -----
    LeftOutWarning
        For nonlinear curves.
    """
    soil: list[Soil] = []
    for block in htc.root.blocks:
        if block.name != "soil":
            continue
        for element in block.blocks:
            if element.name != "soil_element":
                element.fail(f"block '{element.name}' of soil is not known here: give soil_element")
            soil.append(_element(htc, element, members, deflection))
    return soil


def _element(htc: HtcFile, block: Block, members: list[Member], deflection: float) -> Soil:
    for command in block.commands:
        if command.name not in COMMANDS:
            command.fail(f"'{command.name}' of soil_element is not known here: give {', '.join(COMMANDS)}")
    member, _ = body_and_node(block.need("mbdy_name NAME", "mbdy_name", "body", "mbdy"), members, False)
    file = block.need("datafile PATH", "datafile")
    set_command, damping_command = block.one_of("set"), block.one_of("damping_k_factor")
    number = 1 if set_command is None else set_command.whole(0, "the set")
    damping = (
        0.0 if damping_command is None else float(damping_command.numbers(1, "damping_k_factor FACTOR")[0])
    )
    if damping_command is not None and damping < 0.0:
        damping_command.fail("damping_k_factor must not be negative")
    path = htc.find(file.text("datafile PATH"), file)
    table = _read_set(path, number)
    slopes = KILO * np.diff(table.forces, axis=1) / np.diff(table.deflections)
    at_rest = int(np.clip(np.searchsorted(table.deflections, 0.0, side="right") - 1, 0, slopes.shape[1] - 1))
    stiffness = slopes[:, at_rest]
    if np.abs(slopes - stiffness[:, None]).max() > LINEARITY_TOLERANCE * np.abs(stiffness).max():
        kind_of_slope = "slope at no deflection"
        if deflection > 0.0 and table.kind != "rotation_z":
            at = [np.interp(deflection, table.deflections, curve) for curve in table.forces]
            at_zero = [np.interp(0.0, table.deflections, curve) for curve in table.forces]
            stiffness, kind_of_slope = (
                KILO * (np.array(at) - at_zero) / deflection,
                f"secant at {deflection:g} m",
            )
        remark = f"the curves are nonlinear; the springs of '{member.name}' have their {kind_of_slope}"
        warn_left_out(f"{path}, set {number}", [remark])
    # z is up here
    order = np.argsort(-table.heights)
    return Soil(member.name, KINDS[table.kind], -table.heights[order], stiffness[order], damping)


def _read_set(path: Path, number: int) -> _SoilTable:
    text = TextFile(path, "HAWC2 soil file")
    while text.next < len(text.lines):
        words = tokens(text.lines[text.next].strip().lstrip("#"))
        text.next += 1
        if text.lines[text.next - 1].strip().startswith("#") and words and as_number(words[0]) == number:
            return _table(text, number)
    text.fail(f"there is no set {number} (no line '#{number}')", 0)


def _table(text: TextFile, number: int) -> _SoilTable:
    kind = tokens(text.line(f"the kind of set {number}"))[0].lower()
    if kind not in KINDS:
        text.fail(f"set {number} is of the kind '{kind}': give {', '.join(KINDS)}")
    counts = _numbers(text, f"the numbers of rows and deflections of set {number}", 2)
    rows, count = (int(v) for v in counts)
    if rows != counts[0] or count != counts[1] or rows < 2 or count < 2:
        text.fail(f"set {number}: give whole numbers of rows and deflections, two at least")
    deflections = _numbers(text, f"the {count} deflections of set {number}", count)
    values = np.array([_numbers(text, f"row {k + 1} of set {number}", count + 1) for k in range(rows)])
    if np.any(np.diff(deflections) <= 0.0):
        text.fail(f"set {number}: deflections have to ascend")
    if not (np.all(np.diff(values[:, 0]) > 0.0) or np.all(np.diff(values[:, 0]) < 0.0)):
        text.fail(f"set {number}: z has to ascend or descend")
    if np.any(np.diff(values[:, 1:], axis=1) < 0.0):
        text.fail(f"set {number}: a force decreases with the deflection, which springs cannot represent")
    return _SoilTable(kind, values[:, 0], deflections, values[:, 1:])


def _numbers(text: TextFile, what: str, count: int) -> Array:
    """The first ``count`` words of a line as numbers; the rest is a comment."""
    return text.convert(_enough(text, tokens(text.line(what))[:count], what, count), what)


def _enough(text: TextFile, words: list[str], what: str, count: int) -> list[str]:
    if len(words) < count:
        text.fail(f"{what}: {count} numbers are needed, there are {len(words)}")
    return words


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
        water += [_water_of(element, members, density, (-bottom, -surface)) for element in elements]
    return water


def _water_of(block: Block, members: list[Member], density: float, levels: tuple[float, float]) -> Water:
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
