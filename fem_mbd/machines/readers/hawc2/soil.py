"""Springs of the soil in an htc file of HAWC2: the block `soil` and the files that it names.

A `soil_element` gives a body, a file and a set of it; `damping_k_factor` times the stiffness is the damping. A set is

    #1
    lateral                    or axial, rotation_z
    3 2 nrow ndefl             heights and deflections
    0 1 x1 x2 ...              deflections, m or rad
    30 0 3536842               z, m, global axis of HAWC2 (down); forces per length at the deflections, kN/m, kN m/m
    ...

(the monopile of github.com/IEAWindSystems/IEA-15-240-RWT, whose script tells the units). Springs here are linear, with
the slope of the curve at no deflection, or lateral and axial ones with its secant at a deflection that is given, beyond
the curve at its last force; a p-y curve that bends is read with a warning. `soilsections` chooses HAWC2's
own points, here the springs are spread over the nodes of the beam.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.elements.blades.hawc2_htc import Block, HtcFile
from fem_mbd.elements.blades.text import TextFile, as_number, tokens
from fem_mbd.machines.description.parts import Member, Soil
from fem_mbd.machines.readers.hawc2.orientation import body_and_node
from fem_mbd.machines.readers.left_out import warn_left_out

KINDS: dict[str, Literal["lateral", "axial", "turn"]] = {
    "lateral": "lateral",
    "axial": "axial",
    "rotation_z": "turn",
}
COMMANDS = ("mbdy_name", "body", "mbdy", "datafile", "soilsections", "damping_k_factor", "set")
KILO = 1e3
STRAIGHT = 1e-6  # relative: what slopes of a curve differ by that is a line


class _Set(NamedTuple):
    kind: str
    heights: Array
    deflections: Array
    forces: Array


def read_soil(htc: HtcFile, members: list[Member], deflection: float = 0.0) -> list[Soil]:
    """The springs of all `soil_element` blocks; of curves that bend the secant at a ``deflection`` (m).

    Raises
    ------
    InputError
        Naming file and line: bodies, files or sets that are not there, tables that are none.

    Warns
    -----
    LeftOutWarning
        For curves that bend.
    """
    found: list[Soil] = []
    for block in htc.root.blocks:
        if block.name != "soil":
            continue
        for one in block.blocks:
            if one.name != "soil_element":
                one.fail(f"block '{one.name}' of soil is not known here: give soil_element")
            found.append(_element(htc, one, members, deflection))
    return found


def _element(htc: HtcFile, block: Block, members: list[Member], deflection: float) -> Soil:
    for command in block.commands:
        if command.name not in COMMANDS:
            command.fail(f"'{command.name}' of soil_element is not known here: give {', '.join(COMMANDS)}")
    member, _ = body_and_node(block.need("mbdy_name NAME", "mbdy_name", "body", "mbdy"), members, False)
    file = block.need("datafile PATH", "datafile")
    chosen, damped = block.one_of("set"), block.one_of("damping_k_factor")
    number = 1 if chosen is None else chosen.whole(0, "the set")
    damping = 0.0 if damped is None else float(damped.numbers(1, "damping_k_factor FACTOR")[0])
    if damped is not None and damping < 0.0:
        damped.fail("damping_k_factor must not be negative")
    path = htc.find(file.text("datafile PATH"), file)
    table = _read_set(path, number)
    slopes = KILO * np.diff(table.forces, axis=1) / np.diff(table.deflections)
    at_rest = int(np.clip(np.searchsorted(table.deflections, 0.0, side="right") - 1, 0, slopes.shape[1] - 1))
    stiffness = slopes[:, at_rest]
    if np.abs(slopes - stiffness[:, None]).max() > STRAIGHT * np.abs(stiffness).max():
        where = "slope at no deflection"
        if deflection > 0.0 and table.kind != "rotation_z":
            at = [np.interp(deflection, table.deflections, own) for own in table.forces]
            rest = [np.interp(0.0, table.deflections, own) for own in table.forces]
            stiffness, where = KILO * (np.array(at) - rest) / deflection, f"secant at {deflection:g} m"
        remark = f"the curves bend; the springs of '{member.name}' have their {where}"
        warn_left_out(f"{path}, set {number}", [remark])
    # z is up here
    order = np.argsort(-table.heights)
    return Soil(member.name, KINDS[table.kind], -table.heights[order], stiffness[order], damping)


def _read_set(path: Path, number: int) -> _Set:
    text = TextFile(path, "HAWC2 soil file")
    while text.next < len(text.lines):
        words = tokens(text.lines[text.next].strip().lstrip("#"))
        text.next += 1
        if text.lines[text.next - 1].strip().startswith("#") and words and as_number(words[0]) == number:
            return _table(text, number)
    text.fail(f"there is no set {number} (no line '#{number}')", 0)


def _table(text: TextFile, number: int) -> _Set:
    kind = tokens(text.line(f"the kind of set {number}"))[0].lower()
    if kind not in KINDS:
        text.fail(f"set {number} is of the kind '{kind}': give {', '.join(KINDS)}")
    given = _numbers(text, f"the numbers of rows and deflections of set {number}", 2)
    rows, count = (int(v) for v in given)
    if rows != given[0] or count != given[1] or rows < 2 or count < 2:
        text.fail(f"set {number}: give whole numbers of rows and deflections, two at least")
    deflections = _numbers(text, f"the {count} deflections of set {number}", count)
    values = np.array([_numbers(text, f"row {k + 1} of set {number}", count + 1) for k in range(rows)])
    if np.any(np.diff(deflections) <= 0.0):
        text.fail(f"set {number}: deflections have to ascend")
    if not (np.all(np.diff(values[:, 0]) > 0.0) or np.all(np.diff(values[:, 0]) < 0.0)):
        text.fail(f"set {number}: z has to ascend or descend")
    if np.any(np.diff(values[:, 1:], axis=1) < 0.0):
        text.fail(f"set {number}: a force decreases with the deflection, which springs cannot represent")
    return _Set(kind, values[:, 0], deflections, values[:, 1:])


def _numbers(text: TextFile, what: str, count: int) -> Array:
    """The first ``count`` words of a line; what follows is a comment."""
    return text.convert(_enough(text, tokens(text.line(what))[:count], what, count), what)


def _enough(text: TextFile, words: list[str], what: str, count: int) -> list[str]:
    if len(words) < count:
        text.fail(f"{what}: {count} numbers are needed, there are {len(words)}")
    return words
