"""Main bodies of HAWC2: centre line, sections with damping, concentrated masses; soil and water along them.

Damping is proportional to the stiffness, with times for bending and twist: `fem_mbd.elements.blades.hawc2`.
Concentrated masses: `fem_mbd.machines.readers.hawc2.machine`.

Soil and water along bodies are in the blocks `soil` and `hydro`.

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

from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.base.lazy import nearest
from fem_mbd.elements.blades.hawc2 import Radii, StDamping, StSubset, hawc2_beam
from fem_mbd.elements.blades.hawc2_htc import Block, Command, HtcFile, centre_line
from fem_mbd.elements.blades.stations import BLADE_FROM_HAWC2
from fem_mbd.elements.blades.text import TextFile, as_number, tokens
from fem_mbd.machines.description.beams import with_stations
from fem_mbd.machines.description.parts import Lump, Member, Soil, Water
from fem_mbd.machines.readers.hawc2.orientation import body_and_node
from fem_mbd.machines.readers.left_out import corrected_inertia, leave_out_advice, warn_left_out

KINDS: dict[str, Literal["lateral", "axial", "turn"]] = {
    "lateral": "lateral",
    "axial": "axial",
    "rotation_z": "turn",
}
SOIL_COMMANDS = ("mbdy_name", "body", "mbdy", "datafile", "soilsections", "damping_k_factor", "set")
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
        if command.name not in SOIL_COMMANDS:
            command.fail(
                f"'{command.name}' of soil_element is not known here: give {', '.join(SOIL_COMMANDS)}"
            )
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


DAMPING_READ = ("damping_posdef", "damping_aniso", "damping_aniso_v2")
DAMPING = (*DAMPING_READ, "damping", "damping_davg")
MASS_LINE = "concentrated_mass node x y z mass Ixx Iyy Izz [Ixy Ixz Iyz]"
# commands on HAWC2's own elements, of which only the type is checked
ELEMENTS = ("type", "nbodies", "node_distribution")
COMMANDS = ("name", "concentrated_mass", *ELEMENTS, *DAMPING)
# blocks for drawing only
DRAWING_COMMANDS = ("visualization_profile",)
BLOCKS = {"timoschenko_input": ("filename", "set", "fpm", "becas"), "c2_def": ("nsec", "sec")}


def read_damping(block: Block, name: str) -> StDamping | None:
    """Damping times of bending and twist of a `main_body` block, None where it has none.

    Raises
    ------
    InputError
        Naming file and line: two damping commands, kinds that are not in `DAMPING_READ`, mass-proportional damping,
        negative factors.
    """
    commands = [command for command in block.commands if command.name in DAMPING]
    if not commands:
        return None
    command = commands[-1]
    if len(commands) > 1:
        command.fail(
            f"'{name}' has damping already (line {commands[0].line}, '{commands[0].name}'): keep one of the two"
        )
    if command.name not in DAMPING_READ:
        command.fail(
            f"'{command.name}' of '{name}' is not known here: give {', '.join(DAMPING_READ[:-1])} or {DAMPING_READ[-1]}"
        )
    values = command.numbers(6, f"{command.name} Mx My Mz Kx Ky Kz")
    if np.any(values[:3] != 0.0):
        command.fail(
            f"'{name}' has damping proportional to mass (Mx, My, Mz), which is not known here: give zeros"
        )
    if np.any(values < 0.0):
        command.fail(f"damping of '{name}' must not be negative")
    return StDamping.of(command.name, *(float(value) for value in values[3:]))


def read_lump(command: Command, count: int, body: str) -> Lump:
    """The lumped mass of a `concentrated_mass` command.

    count : nodes of the body

    Raises
    ------
    InputError
        Naming file and line: invalid numbers, an unknown node, a negative mass, an impossible inertia.
    """
    values = command.numbers(8, MASS_LINE)
    extra = np.zeros(3)
    for k, word in enumerate(command.words[8:11]):
        number = as_number(word)
        if number is None:
            command.fail(f"'{word}' is not a number: '{MASS_LINE}'")
        extra[k] = number
    node = int(values[0])
    if node != values[0] or not 1 <= node <= count:
        command.fail(f"concentrated_mass of '{body}' at node {values[0]:g}: it has nodes 1 to {count}")
    if values[4] < 0.0:
        command.fail(f"concentrated_mass of '{body}' has mass {values[4]:g} kg: it must not be negative")
    xy, xz, yz = extra
    inertia = np.array([[values[5], xy, xz], [xy, values[6], yz], [xz, yz, values[7]]])
    inertia = corrected_inertia(inertia, command.fail, f"concentrated_mass of '{body}'")
    axes = BLADE_FROM_HAWC2
    return Lump(node - 1, float(values[4]), axes @ values[1:4], axes @ inertia @ axes.T)


def read_body(htc: HtcFile, block: Block, name: str, where: str, radii_at: Radii | None) -> Member:
    """The member of one `main_body` block.

    Raises
    ------
    InputError
        Naming file and line.
    """
    _check_known(block, name)
    line = centre_line(block, name)
    table = block.block("timoschenko_input")
    if table is None:
        block.fail(f"main_body '{name}' has no block 'timoschenko_input'")
    file = table.need("filename PATH", "filename")
    path = htc.find(file.text("filename PATH"), file)
    chosen, full = table.one_of("set"), table.one_of("fpm", "becas")
    numbers = (1, 1) if chosen is None else (chosen.whole(0, "the set"), chosen.whole(1, "the subset"))
    full_matrix = None if full is None else bool(full.numbers(1, f"{full.name} 0")[0] == 1.0)
    subset = StSubset(path, *numbers, full_matrix)
    blade = hawc2_beam(subset, line, name, radii_at, read_damping(block, name), uniform_fits=True)
    blade = replace(blade, source=f"{path}, {block.begin.path}")
    nodes = np.asarray(blade.axis.bounds)
    lumps = tuple(read_lump(command, len(line), name) for command in block.all("concentrated_mass"))
    # element boundaries are the stations; but the nodes of the centre line, as in HAWC2, where there are two stations
    # only, or so many that round-off in short stiff elements would hide the modes
    at_stations = len(line) == 2 or 2 < len(blade.sections.s) <= len(line)
    bounds = None if at_stations else with_stations(blade, nodes)
    return Member(name, blade, nodes, lumps, where, bounds)


def copied_body(source: Member, block: Block, command: Command, name: str, where: str) -> Member:
    """The member of a block with the command `copy_main_body`, which overwrites all other data of the block.

    Raises
    ------
    InputError
        Naming file and line of data that the copy would overwrite.
    """
    for extra in block.commands:
        if extra.name not in ("name", "copy_main_body", *ELEMENTS):
            extra.fail(
                f"'{extra.name}' of '{name}': it is a copy (line {command.line}), which overwrites it: remove it"
            )
    for part in block.blocks:
        part.fail(
            f"'{part.name}' of '{name}': it is a copy (line {command.line}), which overwrites it: remove it"
        )
    return replace(source, name=name, blade=replace(source.blade, name=name), where=where)


def _check_known(block: Block, name: str) -> None:
    """InputError for an unknown command or block, which would otherwise be ignored silently."""
    for command in block.commands:
        if command.name not in COMMANDS:
            command.fail(
                f"'{command.name}' of main_body '{name}' is not known here; {nearest(command.name, COMMANDS)}"
            )
        if command.name == "type" and command.text("type timoschenko").lower() != "timoschenko":
            command.fail(f"main_body '{name}' is of type '{command.words[0]}': only timoschenko is read")
    for part in block.blocks:
        if part.name in DRAWING_COMMANDS:
            continue
        if part.name not in BLOCKS:
            part.fail(
                f"block '{part.name}' of main_body '{name}' is not known here; {nearest(part.name, list(BLOCKS))}"
            )
        for command in part.commands:
            if command.name not in BLOCKS[part.name]:
                command.fail(
                    f"'{command.name}' in '{part.name}' of '{name}' is not known here; "
                    f"{nearest(command.name, BLOCKS[part.name])}"
                )
