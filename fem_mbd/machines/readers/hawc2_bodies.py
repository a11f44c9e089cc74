"""A main body of HAWC2: centre line, sections with their damping, concentrated masses."""

from __future__ import annotations

import numpy as np

from fem_mbd.arrays import Array
from fem_mbd.elements.blades.axis import BladeAxis
from fem_mbd.elements.blades.blade import Blade
from fem_mbd.elements.blades.frames import BLADE_FROM_HAWC2
from fem_mbd.elements.blades.hawc2_st import Radii, StDamping, StSubset, read_sections
from fem_mbd.elements.blades.text import as_number
from fem_mbd.machines.machine import Lump, Member
from fem_mbd.machines.readers.htc_text import Block, Command, HtcFile

MASS_LINE = "concentrated_mass node x y z mass Ixx Iyy Izz [Ixy Ixz Iyz]"


def read_body(htc: HtcFile, block: Block, name: str, where: str, radii_at: Radii | None) -> Member:
    """The member of one `main_body` block.

    Raises
    ------
    InputError
        Naming file and line.
    """
    line = _centre_line(block, name)
    axis = BladeAxis(line[:, :3] @ BLADE_FROM_HAWC2.T, np.radians(line[:, 3]), rule="hawc2")
    table = block.block("timoschenko_input")
    if table is None:
        block.fail(f"main_body '{name}' has no block 'timoschenko_input'")
    file = table.need("filename PATH", "filename")
    path = htc.find(file.text("filename PATH"), file)
    chosen, full = table.one_of("set"), table.one_of("fpm")
    numbers = (1, 1) if chosen is None else (chosen.whole(0, "the set"), chosen.whole(1, "the subset"))
    asked = None if full is None else bool(full.numbers(1, "FPM 0")[0] == 1.0)
    subset = StSubset(path, *numbers, asked)
    sections = read_sections(subset, axis.length, name, radii_at, _damping(block, name), uniform_fits=True)
    blade = Blade(axis, sections, name=name, source=f"{path}, {block.begin.path}")
    lumps = tuple(_lump(command, len(line), name) for command in block.all("concentrated_mass"))
    return Member(name, blade, np.asarray(axis.bounds), lumps, where)


def _centre_line(block: Block, name: str) -> Array:
    """(n, 4) x, y, z (m, body axes) and angle (degrees) of `c2_def`."""
    c2 = block.block("c2_def")
    if c2 is None:
        block.fail(f"main_body '{name}' has no block 'c2_def'")
    count = c2.need("nsec COUNT", "nsec").whole(0, "nsec")
    rows: list[Array] = []
    for command in c2.all("sec"):
        usage = f"sec {len(rows) + 1} x y z twist"
        values = command.numbers(5, usage)
        if values[0] != len(rows) + 1:
            command.fail(f"c2_def of '{name}': '{usage}' should stand here")
        rows.append(values[1:])
        if len(rows) > 2 and (rows[-1][2] - rows[-2][2]) * (rows[1][2] - rows[0][2]) <= 0.0:
            command.fail(
                f"c2_def of '{name}': section {len(rows)} at z = {rows[-1][2]:g} m does not lie beyond the one before "
                f"it at {rows[-2][2]:g} m"
            )
    if count != len(rows) or count < 2:
        c2.fail(
            f"c2_def of '{name}': nsec is {count}, there are {len(rows)} sections; two are needed at least"
        )
    if rows[0][2] == rows[1][2]:
        c2.fail(f"c2_def of '{name}': sections 1 and 2 have the same z")
    return np.array(rows)


def _damping(block: Block, name: str) -> StDamping | None:
    """Times of bending and twist; mass-proportional damping is refused, it has no counterpart here."""
    command = block.one_of("damping_posdef", "damping_aniso", "damping", "damping_davg")
    if command is None:
        return None
    if command.name not in ("damping_posdef", "damping_aniso"):
        command.fail(f"'{command.name}' of '{name}' is not known here: give damping_posdef or damping_aniso")
    values = command.numbers(6, f"{command.name} Mx My Mz Kx Ky Kz")
    if np.any(values[:3] != 0.0):
        command.fail(
            f"'{name}' has damping proportional to mass (Mx, My, Mz), which is not known here: give zeros"
        )
    if np.any(values < 0.0):
        command.fail(f"damping of '{name}' must not be negative")
    kind = "aniso" if command.name == "damping_aniso" else "posdef"
    return StDamping(kind, *(float(v) for v in values[3:]))  # type: ignore[arg-type]


def _lump(command: Command, count: int, body: str) -> Lump:
    values = command.numbers(8, MASS_LINE)
    extra = np.zeros(3)
    for k, word in enumerate(command.words[8:11]):
        number = as_number(word)
        if number is None:
            command.fail(f"'{word}' is no number: '{MASS_LINE}'")
        extra[k] = number
    node = int(values[0])
    if node != values[0] or not 1 <= node <= count:
        command.fail(f"concentrated_mass of '{body}' at node {values[0]:g}: it has nodes 1 to {count}")
    if values[4] < 0.0:
        command.fail(f"concentrated_mass of '{body}' has mass {values[4]:g} kg: it must not be negative")
    xy, xz, yz = extra
    inertia = np.array([[values[5], xy, xz], [xy, values[6], yz], [xz, yz, values[7]]])
    turn = BLADE_FROM_HAWC2
    return Lump(node - 1, float(values[4]), turn @ values[1:4], turn @ inertia @ turn.T)
