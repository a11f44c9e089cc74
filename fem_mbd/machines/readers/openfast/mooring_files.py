"""Reader of mooring lines from files of MoorDyn (versions 1 and 2) and MAP++: lines between the ground and a platform.

Both have tables of line types (diameter, mass, EA), points and lines. In MAP++ the height of anchors can be "depth", CB
is the friction of the sea bed, and "repeat ANGLE …" repeats all lines rotated about the vertical. The weight per length
is (m - rho pi D^2/4) g. Points that move freely, bodies and rods are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import rotation_about
from fem_mbd.elements.blades.text import as_number, tokens
from fem_mbd.elements.cable.catenary import MooringLine
from fem_mbd.machines.readers.openfast.deck import Deck, Record

GROUND, PLATFORM = ("fix", "fixed", "anchor"), ("vessel", "coupled", "cpld", "ves")
TYPES, POINTS = ("LINE TYPES", "LINE DICTIONARY"), ("POINTS", "POINT PROPERTIES", "CONNECTION PROPERTIES",
    "CONNECTIONS", "NODE PROPERTIES")  # fmt: skip
LINES = ("LINE PROPERTIES", "LINES")
UNSUPPORTED = ("BODIES", "BODY LIST", "BODY PROPERTIES", "RODS", "ROD LIST", "ROD PROPERTIES")
BED_TOLERANCE = 0.01  # fraction of the depth: nearer anchors are on the sea bed


def read_lines(deck: Deck, depth: float, density: float, gravity: float) -> list[MooringLine]:
    """The lines of a MoorDyn or MAP++ file.

    Parameters
    ----------
    deck : the file
    depth : m, of the water
    density : kg/m^3, of the water
    gravity : m/s^2

    Raises
    ------
    InputError
        Naming file and line: missing tables, invalid rows, unsupported data.
    """
    for row in _table(deck, UNSUPPORTED, False):
        row.fail(
            "bodies and rods of a mooring are not supported: only lines from the ground to the platform are"
        )
    types = {row.words[0].lower(): row for row in _table(deck, TYPES)}
    points = {row.words[0]: row for row in _table(deck, POINTS)}
    lines = []
    for row in _table(deck, LINES):
        kind = row.word("LineType", 1).lower()
        if kind not in types:
            row.fail(f"there is no line type '{row.words[1]}'")
        ends = [
            _point(row, points, names, depth) for names in (("NodeAnch", "AttachA"), ("NodeFair", "AttachB"))
        ]
        grounded = [point for point, fixed in ends if fixed]
        moving = [point for point, fixed in ends if not fixed]
        if not moving:
            continue
        if not grounded:
            row.fail("both ends of the line are on the platform: such lines are not supported")
        lines.append(_line(row, types[kind], (grounded[0], moving[0]), (depth, density, gravity)))
    return [copy for line in lines for copy in (line, *_repeated(deck, line))]


def _line(
    row: Record, kind: Record, ends: tuple[Array, Array], sea: tuple[float, float, float]
) -> MooringLine:
    depth, density, gravity = sea
    mass = kind.number("MassDenInAir" if "massdeninair" in kind.named else "MassDen", 2, 0.0)
    weight = (mass - density * np.pi * kind.number("Diam", 1, 0.0) ** 2 / 4.0) * gravity
    if weight == 0.0:
        kind.fail("the line has no weight in water: neutrally buoyant lines are not supported")
    stiffness, length = kind.number("EA", 3, 0.0), row.number("UnstrLen", 2, 0.0)
    if not stiffness > 0.0 or not length > 0.0:
        row.fail("EA and UnstrLen have to be above zero")
    bed = bool(weight > 0.0 and depth > 0.0 and abs(ends[0][2] + depth) <= BED_TOLERANCE * depth)
    rubbing = kind.number("CB", 4, 0.0) if "cb" in kind.named else 0.0
    return MooringLine(f"{row.words[0]}", ends[0], ends[1], length, weight, stiffness, bed, rubbing)


def _point(
    row: Record, points: dict[str, Record], names: tuple[str, str], depth: float
) -> tuple[Array, bool]:
    """Position (3,), m, of an end of a line, and whether it is on the ground."""
    name = next((name for name in names if name.lower() in row.named), names[0])
    point_name = row.word(name)
    if point_name not in points:
        row.fail(f"{name} is {point_name}: there is no such point")
    point = points[point_name]
    kind = next((point.named[n] for n in ("type", "attachment") if n in point.named), point.words[1]).lower()
    if kind not in GROUND + PLATFORM:
        point.fail(
            f"a point of type '{kind}' moves freely: only points that are fixed or on the vessel are supported"
        )
    x, y = point.number("X", 2), point.number("Y", 3)
    z = -depth if point.word("Z", 4).lower() == "depth" else point.number("Z", 4)
    return np.array([x, y, z]), kind in GROUND


def _repeated(deck: Deck, line: MooringLine) -> list[MooringLine]:
    """Copies rotated about the vertical."""
    copies = []
    for text in deck.text.lines:
        words = tokens(text)
        if words and words[0].lower() == "repeat":
            for word in words[1:]:
                angle = as_number(word)
                if angle is None:
                    break
                rotation = rotation_about(np.array([0.0, 0.0, 1.0]), np.radians(angle))
                copies.append(
                    replace(line, name=f"{line.name}, {word} deg", anchor=rotation @ line.anchor,
                            fairlead=rotation @ line.fairlead)
                )  # fmt: skip
    return copies


def _table(deck: Deck, titles: Sequence[str], needed: bool = True) -> list[Record]:
    """Rows of the section with one of these titles, without its heading and units."""
    text = deck.text
    for k, line in enumerate(text.lines):
        if line.startswith("---") and line.strip("- \t").upper() in titles:
            return _rows(deck, k + 1)
    if needed:
        deck.fail(f"there is no section '{titles[0]}': is it a file of MoorDyn or MAP++?")
    return []


def _rows(deck: Deck, start: int) -> list[Record]:
    text, rows = deck.text, []
    heading: list[str] = []
    for k in range(start, len(text.lines)):
        words = tokens(text.lines[k])
        if text.lines[k].startswith("---"):
            break
        if not words or words[0].startswith(("!", "#")):
            continue
        if len(words) > 1 and words[1] in ("NTypes", "NConnects", "NLines", "NPoints"):
            continue
        if not heading:
            heading = [word.lower() for word in words]
        elif not words[0].startswith(("(", "[")):
            rows.append(Record(text, k, dict(zip(heading, words, strict=False)), words))
    return rows
