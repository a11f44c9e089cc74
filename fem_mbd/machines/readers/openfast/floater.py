"""Reader of a floating platform from files of ElastoDyn, HydroDyn and MoorDyn or MAP++: a rigid body in still water.

Mooring lines (`read_lines`) are those between the ground and a platform, of MoorDyn (versions 1 and 2) or MAP++. Both
have tables of line types (diameter, mass, EA), points and lines. In MAP++ the height of anchors can be "depth", CB is
the friction of the sea bed, and "repeat ANGLE …" repeats all lines rotated about the vertical. The weight per length is
(m - rho pi D^2/4) g. Points that move freely, bodies and rods are refused.

Potential flow (`read_potential`): hydrostatic stiffness (.hst) and added mass (.1) in files of WAMIT, HydroDyn's
PotFile. Rows of .hst are I J C, rows of .1 PER I J A (and damping B for wave periods), nondimensional (WAMIT manual,
chapter 4): the stiffness is C rho g L^k with k = 2 for two translations, 3 for one, 4 for none; the added mass
A rho L^k with k = 3, 4, 5. PER < 0 is the limit of zero frequency, PER = 0 that of infinite frequency. L is WAMITULEN.

Platform (`read_floater`). Mass and inertia are those of ElastoDyn and of ballast in members; added mass and hydrostatic
stiffness those of potential flow and of members in strip theory (`strips`), with AddCLin and AddBLin; mooring lines are
elastic catenaries. Motions are small about the initial position, so quadratic drag is neglected. With files without
NBody (before OpenFAST 2.5) HydroDyn does not move the weight of ballast with the platform, and AddCLin has to contain
this effect; later versions move it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import rotation_about
from fem_mbd.elements.blades.text import TextFile, as_number, tokens
from fem_mbd.elements.catenary import MooringLine
from fem_mbd.errors import InputError
from fem_mbd.machines.building.substructure import FloatingPlatform, mooring
from fem_mbd.machines.description.parts import Lump
from fem_mbd.machines.readers.openfast.deck import Deck, Record
from fem_mbd.machines.readers.openfast.strips import added_mass, ballast, displaced, read_strips, restoring

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


IS_ROTATION = np.array([0, 0, 0, 1, 1, 1])
ORDER = IS_ROTATION[:, None] + IS_ROTATION  # number of rotations in a pair of motions


@dataclass(frozen=True, eq=False)
class Potential:
    """Potential flow about a body at rest.

    Attributes
    ----------
    restoring : (6, 6) hydrostatic stiffness, buoyancy and water plane; N, m, rad
    slow, fast : (6, 6) added mass at zero and infinite frequency; kg, m
    """

    restoring: Array
    slow: Array
    fast: Array


def read_potential(root: Path, length: float, density: float, gravity: float) -> Potential:
    """Read the files ROOT.hst and ROOT.1.

    Parameters
    ----------
    root : path without the endings
    length : m, of WAMIT
    density : kg/m^3
    gravity : m/s^2

    Raises
    ------
    InputError
        Naming file and line: files that cannot be read, invalid rows, missing limits.
    """
    hst = TextFile(root.parent / f"{root.name}.hst", "hydrostatic file of WAMIT")
    restoring = _wamit_matrix(hst, _wamit_rows(hst, 0), "I J C") * density * gravity * length ** (2 + ORDER)
    mass_file = TextFile(root.parent / f"{root.name}.1", "added-mass file of WAMIT")
    rows = _wamit_rows(mass_file, 1)
    limits = []
    for name, is_limit in (
        ("slow (PER < 0)", lambda per: per < 0.0),
        ("fast (PER = 0)", lambda per: per == 0.0),
    ):
        limit_rows = [(k, words[1:]) for k, words in rows if is_limit(_number(mass_file, k, words[0]))]
        if not limit_rows:
            raise InputError(f"{mass_file.path}: the added mass of {name} motions is missing: rows PER I J A")
        limits.append(_wamit_matrix(mass_file, limit_rows, "PER I J A") * density * length ** (3 + ORDER))
    return Potential(restoring, *limits)


def _number(file: TextFile, line: int, word: str) -> float:
    """First number of a row, the period."""
    file.next = line + 1
    return float(file.convert([word], "row")[0])


def _wamit_rows(file: TextFile, before: int) -> list[tuple[int, list[str]]]:
    """Line numbers (from 0) and words of rows; of .1 only the two limits, which have no damping column."""
    rows = []
    for k, line in enumerate(file.lines):
        words = tokens(line)
        if len(words) == 3 + before:
            rows.append((k, words))
        elif words and (before == 0 or len(words) != 5):
            file.fail(f"a row has {len(words)} entries", k)
    return rows


def _wamit_matrix(file: TextFile, rows: list[tuple[int, list[str]]], form: str) -> Array:
    matrix = np.zeros((6, 6))
    for k, words in rows:
        file.next = k + 1
        i, j, value = file.convert(words, f"row {form}")
        if i not in range(1, 7) or j not in range(1, 7):
            file.fail(f"row {form}: I and J are {i:g} and {j:g}: give 1 to 6, of one body", k)
        matrix[int(i) - 1, int(j) - 1] = value
    return matrix


Added = Literal["infinite frequency", "zero frequency"]
ADDED_MASS_LIMITS = ("infinite frequency", "zero frequency")
SEA_WATER_DENSITY, STANDARD_GRAVITY = 1025.0, 9.81  # kg/m^3 and m/s^2, defaults
ADDED_MASS_TOLERANCE = 0.01  # relative difference of the two limits of the added mass that is reported
MOTIONS = ("surge", "sway", "heave", "roll", "pitch", "yaw")


def read_floater(
    main: Deck, elasto: Deck, foot: Array, lumps: Sequence[Lump], added: Added, remarks: list[str]
) -> FloatingPlatform:
    """The platform of a floating machine.

    Parameters
    ----------
    main, elasto : OpenFAST's main file and ElastoDyn's
    foot : (3,) m, of the tower
    lumps : the platform's own mass
    added : which limit of the added mass of potential flow to use
    remarks : list to which unused data are added

    Raises
    ------
    InputError
        Naming file and line: invalid files and numbers, unsupported data.
    """
    hydro = main.deck("HydroDyn file", "HydroFile")
    decks = (main, hydro, elasto)
    density, gravity = (
        environment_number(decks, "WtrDens", SEA_WATER_DENSITY),
        environment_number(decks, "Gravity", STANDARD_GRAVITY),
    )
    reference = np.array([hydro.optional_number(f"PtfmRef{axis}t") for axis in "xyz"])
    if hydro.optional_number("PtfmRefztRot") != 0.0:
        hydro.fail("PtfmRefztRot is not 0: a rotated body is not supported")
    strips = read_strips(hydro)
    mass = added_mass(hydro, strips, density, reference)
    stiffness = restoring(strips, density, gravity, reference) + _matrix(hydro, "AddCLin")
    volume = displaced(strips)
    if hydro.number("PotMod") == 1.0:
        potential, potential_volume = _potential(hydro, density, gravity), hydro.number("PtfmVol0", least=0.0)
        _remark_radiation(hydro, potential.slow, potential.fast, added, remarks)
        mass = mass + (potential.fast if added == ADDED_MASS_LIMITS[0] else potential.slow)
        stiffness, volume = stiffness + potential.restoring, volume + potential_volume
    elif hydro.number("PotMod") != 0.0:
        hydro.fail(f"PotMod is {hydro.value('PotMod')}: give 0 (strip theory) or 1 (WAMIT)")
    mooring_force, mooring_stiffness = _mooring(main, decks, (density, gravity), reference, remarks)
    ballast_moves = hydro.has("NBody")
    ballast_lumps = ballast(hydro, strips, density, foot, ballast_moves)
    fixed_masses = () if ballast_moves else tuple(lump.mass for lump in ballast_lumps)
    if hydro.has("NMGDepths") and hydro.number("NMGDepths") > 0:
        remarks.append("HydroDyn: marine growth is not read: the platform's frequencies are too high")
    remarks.append("HydroDyn: drag is quadratic: it has no part in small motions, which are damped less")
    return FloatingPlatform(
        (*lumps, *ballast_lumps), reference, mass, _matrix(hydro, "AddBLin"), stiffness + mooring_stiffness, gravity,
        density * gravity * volume + float(mooring_force[2]) - gravity * sum(fixed_masses),
    )  # fmt: skip


def environment_number(decks: Sequence[Deck], word: str, otherwise: float, least: float = 0.0) -> float:
    """A number from the first file that has it, "default" not counting; ``otherwise`` when none has it."""
    for deck in decks:
        if deck.has(word) and deck.value(word).lower() != "default":
            return deck.number(word, least=least)
    return otherwise


def _potential(hydro: Deck, density: float, gravity: float) -> Potential:
    if hydro.has("NBody") and hydro.number("NBody") != 1.0:
        hydro.fail(f"NBody is {hydro.value('NBody')}: only one body is supported")
    return read_potential(
        Path(hydro.file("PotFile")), hydro.number("WAMITULEN", least=1e-9), density, gravity
    )


def _remark_radiation(hydro: Deck, slow: Array, fast: Array, added: Added, remarks: list[str]) -> None:
    chosen, other = (fast, slow) if added == ADDED_MASS_LIMITS[0] else (slow, fast)
    ratios = {
        name: other[k, k] / chosen[k, k]
        for k, name in enumerate(MOTIONS)
        if chosen[k, k] > 1e-6 * chosen[:3, :3].max()
        and abs(other[k, k] / chosen[k, k] - 1.0) > ADDED_MASS_TOLERANCE
    }
    alternative = ADDED_MASS_LIMITS[added == ADDED_MASS_LIMITS[0]]
    differences = (
        ", ".join(f"{name} {ratio:.3g}" for name, ratio in ratios.items()) or "all less than 1 % apart"
    )
    remarks.append(
        f"HydroDyn: radiation is left out but for the added mass of {added}: platform motions are damped less; the "
        f"added mass of {alternative} is ({differences}) times that"
    )


def _matrix(deck: Deck, word: str) -> Array:
    """A (6, 6) matrix whose first row has the keyword, followed by the other five."""
    if not deck.has(word):
        return np.zeros((6, 6))
    first = tokens(deck.value(word))
    rows, text = [first], deck.text
    for k in range(1, 6):
        rows.append(tokens(text.line(f"row {k + 1} of {word}")))
    matrix = np.zeros((6, 6))
    for k, words in enumerate(rows):
        values = [as_number(value) for value in words[:6]]
        if len(values) < 6 or not all(v is not None and np.isfinite(v) for v in values):
            text.fail(f"row {k + 1} of {word}: give six numbers")
        matrix[k] = values
    return matrix


def _mooring(
    main: Deck, decks: Sequence[Deck], sea: tuple[float, float], reference: Array, remarks: list[str]
) -> tuple[Array, Array]:
    """Force (6,) and stiffness (6, 6) of the lines."""
    kind = main.optional_number("CompMooring")
    if kind == 0.0:
        return np.zeros(6), np.zeros((6, 6))
    if kind not in (1.0, 3.0):
        main.fail(f"CompMooring is {main.value('CompMooring')}: give 0 (none), 1 (MAP++) or 3 (MoorDyn)")
    deck = main.deck("mooring file", "MooringFile")
    lines = read_lines(deck, environment_number(decks, "WtrDpth", 0.0), *sea)
    floating = [line.name for line in lines if line.weight > 0.0 and not line.bed]
    if floating:
        remarks.append(
            f"{deck.path.name}: the anchors of lines {', '.join(floating)} are not at the depth of the water "
            "(WtrDpth): they hang freely, not on the sea bed"
        )
    remarks.append(
        f"{deck.path.name}: mooring lines hold by their stiffness at rest: their mass, drag and damping are left out"
    )
    return mooring(lines, reference)
