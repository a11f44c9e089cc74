"""A main body of HAWC2: centre line, sections with their damping, concentrated masses.

Damping is proportional to the stiffness, with times for bending and twist: `fem_mbd.elements.blades.hawc2`.
Concentrated masses: `fem_mbd.machines.readers.hawc2.machine`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fem_mbd.base.lazy import nearest
from fem_mbd.elements.blades.hawc2 import Radii, StDamping, StSubset, hawc2_beam
from fem_mbd.elements.blades.hawc2_htc import Block, Command, HtcFile, centre_line
from fem_mbd.elements.blades.stations import BLADE_FROM_HAWC2
from fem_mbd.elements.blades.text import as_number
from fem_mbd.machines.description.beams import with_stations
from fem_mbd.machines.description.parts import Lump, Member
from fem_mbd.machines.readers.left_out import corrected_inertia

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
