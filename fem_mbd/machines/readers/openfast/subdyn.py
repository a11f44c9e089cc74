"""Reader of the support of ElastoDyn's tower: rigid ground, a monopile of SubDyn with water, a floating platform.

`read_support` selects one of them. Contents of a monopile's files (OpenFAST user documentation, SubDyn and HydroDyn):

- joints, members between them, circular sections (outer diameter XsecD, wall XsecT) that vary linearly along a member;
- one reaction joint, clamped when all its flags are 1, else on the stiffness (6, 6) of its file SSIfile; one interface
  joint, at the tower's foot; concentrated masses at joints;
- members of HydroDyn: outer diameter PropD over the depth, coefficient of added mass SimplCa: rho Ca pi D^2/4 of water
  per length moves with the pile below the still water level; filled members contain water up to FillFSLoc.

Anything but one vertical line of circular members is refused. The modal reduction of SubDyn (Nmodes) is ignored.
Water is lumped at nodes: it has inertia, also vertically, but no weight.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.elements.blades.blade import Blade, BladeAxis
from fem_mbd.elements.blades.text import TextFile, as_number, tokens
from fem_mbd.elements.section.section import Section
from fem_mbd.elements.section.shapes import Material
from fem_mbd.elements.section.table import SectionTable
from fem_mbd.errors import InputError
from fem_mbd.machines.building.substructure import FloatingPlatform, Substructure, on_foundation
from fem_mbd.machines.description.parts import Lump, Member
from fem_mbd.machines.readers.left_out import Platform, corrected_inertia
from fem_mbd.machines.readers.openfast.deck import Deck, Record
from fem_mbd.machines.readers.openfast.floater import (
    SEA_WATER_DENSITY,
    Added,
    environment_number,
    read_floater,
)
from fem_mbd.machines.readers.openfast.strips import Water, read_water

VERTICAL_TOLERANCE = 1e-6  # m: permitted offset of joints from one vertical line
JUMP = 1e-6  # distance of the two stations at a jump of the section, as a fraction of the length
WET_NODES = 40  # along the pile, with lumped water
AXES = ("x", "y", "z")


def read_monopile(deck: Deck, base: float, top: tuple[Lump, ...], water: Water | None) -> Substructure:
    """The monopile below the tower.

    Parameters
    ----------
    deck : SubDyn's file
    base : m, height of the tower's foot
    top : masses on the interface joint: the platform of ElastoDyn
    water : that moves with it

    Raises
    ------
    InputError
        Naming file and line: another substructure than a monopile, invalid numbers.
    """
    joints = {row.word("JointID", 0): row for row in deck.records("NJoints", 4)}
    positions = {
        name: np.array([row.number(f"Joint{c}ss", k + 1) for k, c in enumerate("XYZ")])
        for name, row in joints.items()
    }
    react, interface = _only_row(deck, "NReact", "reaction"), _only_row(deck, "NInterf", "interface")
    order, rows = _pile_members(deck, positions, _joint(react, joints), _joint(interface, joints))
    z = np.array([positions[name][2] for name in order])
    if abs(z[-1] - base) > 1e-3:
        interface.fail(
            f"the interface joint is at z = {z[-1]:g} m, but the tower stands at TowerBsHt = {base:g} m"
        )
    fractions = (z - z[0]) / (z[-1] - z[0])
    table = _sections(deck, rows, order, fractions)
    axis = BladeAxis([[0.0, 0.0, 0.0], [0.0, 0.0, z[-1] - z[0]]], [0.0, 0.0])
    blade = Blade(axis, table, _stiffness_damping(deck), name="monopile", source=str(deck.path))
    node_fractions = np.unique(np.concatenate([fractions, _wet_fractions(z, water)]))
    lumps = _masses(deck, order, fractions, node_fractions)
    lumps += [replace(lump, node=len(node_fractions) - 1) for lump in top]
    if water is not None:
        lumps += _water_lumps(water, node_fractions, z)
    bounds = np.unique(np.concatenate([fractions, node_fractions]))
    member = Member("monopile", blade, node_fractions, tuple(lumps), str(deck.path), bounds)
    substructure = Substructure((member,), float(z[0]))
    return _on_soil(deck, react, substructure)


def _only_row(deck: Deck, count: str, what: str) -> Record:
    rows = deck.records(count, 7)
    if len(rows) != 1:
        deck.fail(
            f"there are {len(rows)} {what} joints: only a monopile, with one, is read; jackets and tripods are not"
        )
    return rows[0]


def _joint(row: Record, joints: dict[str, Record]) -> str:
    name = row.words[0]
    if name not in joints:
        row.fail(f"there is no joint {name}")
    return name


def _pile_members(
    deck: Deck, positions: dict[str, Array], first: str, last: str
) -> tuple[list[str], list[Record]]:
    """Joints from the ground up, and the members between them."""
    rows = deck.records("NMembers", 5)
    ends = [(row.word("MJointID1", 1), row.word("MJointID2", 2)) for row in rows]
    for row, pair in zip(rows, ends, strict=True):
        for name in pair:
            if name not in positions:
                row.fail(f"there is no joint {name}")
    order, pile_rows = [first], []
    while order[-1] != last:
        candidates = [
            (row, pair[1] if pair[0] == order[-1] else pair[0])
            for row, pair in zip(rows, ends, strict=True)
            if order[-1] in pair and row not in pile_rows
        ]
        if len(candidates) != 1:
            deck.fail(
                f"{len(candidates)} members go on from joint {order[-1]}: only a monopile, one line of members from "
                "the reaction to the interface joint, is read; jackets and tripods are not"
            )
        row, name = candidates[0]
        segment = positions[name] - positions[order[-1]]
        if np.abs(segment[:2]).max() > VERTICAL_TOLERANCE or not segment[2] > 0.0:
            row.fail(
                "the member does not stand upright: only a monopile is read; jackets and tripods are not"
            )
        if row.named.get("mtype", "1").lower() not in ("1", "1c"):
            row.fail(f"MType is {row.named['mtype']}: only beams of circular section (1 or 1c) are read")
        pile_rows.append(row)
        order.append(name)
    if len(pile_rows) < len(rows):
        deck.fail(f"{len(rows) - len(pile_rows)} members branch off the pile: only a monopile is read")
    return order, pile_rows


def _sections(deck: Deck, rows: list[Record], order: list[str], fractions: Array) -> SectionTable:
    """Stations at the joints, two close to each other at a jump of the section."""
    count = "NPropSetsCyl" if deck.has("NPropSetsCyl") else "NPropSets"
    sets = {row.word("PropSetID", 0): row for row in deck.records(count, 6)}
    s: list[float] = []
    sections: list[Section] = []
    for k, row in enumerate(rows):
        ends = row.word("MPropSetID1", 3), row.word("MPropSetID2", 4)
        if row.word("MJointID1", 1) != order[k]:
            ends = ends[1], ends[0]
        for at, name in zip(fractions[k : k + 2], ends, strict=True):
            if name not in sets:
                row.fail(f"there is no property set {name}")
            section = _tube(sets[name])
            if s and at == s[-1]:
                if np.allclose(section.stiffness, sections[-1].stiffness):
                    continue
                at = at + JUMP
            s.append(float(at))
            sections.append(section)
    return SectionTable(np.array(s), sections)


def _tube(row: Record) -> Section:
    young, shear = row.number("YoungE", 1), row.number("ShearG", 2)
    density, outer, wall = row.number("MatDens", 3), row.number("XsecD", 4), row.number("XsecT", 5)
    try:
        return Section.tube(0.5 * (outer - wall), wall, Material(young, shear=shear, density=density))
    except InputError as error:
        row.fail(str(error))


def _stiffness_damping(deck: Deck) -> float:
    """Stiffness-proportional time of Rayleigh damping, s; mass-proportional damping is not supported."""
    if not deck.has("GuyanDampMod") or deck.number("GuyanDampMod") != 1.0 or not deck.has("RayleighDamp"):
        return 0.0
    words = [as_number(word) for word in tokens(deck.value("RayleighDamp"))]
    return float(words[1]) if len(words) > 1 and words[1] is not None and words[1] >= 0.0 else 0.0


def _masses(deck: Deck, order: list[str], fractions: Array, node_fractions: Array) -> list[Lump]:
    """Concentrated masses at joints; the pile's axes are the global ones."""
    lumps = []
    for row in deck.records("NCmass", 2) if deck.has("NCmass") else []:
        name = row.words[0]
        if name not in order:
            row.fail(f"there is no joint {name} in the pile")
        node = int(np.argmin(np.abs(node_fractions - fractions[order.index(name)])))
        entry = {
            key: row.number(key, k) if len(row.words) > k else 0.0
            for k, key in enumerate(
                ("JMass", "JMXX", "JMYY", "JMZZ", "JMXY", "JMXZ", "JMYZ", "MCGX", "MCGY", "MCGZ"), start=1
            )
        }
        xx, yy, zz, xy, xz, yz = (entry[key] for key in ("JMXX", "JMYY", "JMZZ", "JMXY", "JMXZ", "JMYZ"))
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        centre = np.array([entry[f"MCG{c.upper()}"] for c in AXES])
        # the file's inertia is about the joint
        inertia = inertia - entry["JMass"] * (centre @ centre * np.eye(3) - np.outer(centre, centre))
        lumps.append(Lump(node, row.number("JMass", 1, least=0.0), centre, inertia))
    return lumps


def _wet_fractions(z: Array, water: Water | None) -> Array:
    """Fractions of the length of the nodes with water."""
    if water is None:
        return np.zeros(0)
    top = min(max(water.highest, z[0]), z[-1])
    return np.asarray((np.linspace(z[0], top, WET_NODES + 1) - z[0]) / (z[-1] - z[0]))


def _water_lumps(water: Water, node_fractions: Array, z: Array) -> list[Lump]:
    """Water lumped at the nodes, each from half the distance to its neighbours."""
    heights = z[0] + node_fractions * (z[-1] - z[0])
    middle = np.concatenate([[heights[0]], 0.5 * (heights[1:] + heights[:-1]), [heights[-1]]])
    masses = [water.mass(low, high) for low, high in zip(middle[:-1], middle[1:], strict=True)]
    zero = np.zeros((3, 3))
    return [Lump(k, m, np.zeros(3), zero, weightless=True) for k, m in enumerate(masses) if m > 0.0]


def _on_soil(deck: Deck, row: Record, substructure: Substructure) -> Substructure:
    """The substructure clamped at its foot, or on the stiffness of the soil's file."""
    flags = [
        row.number(name, k)
        for k, name in enumerate(
            ("RctTDXss", "RctTDYss", "RctTDZss", "RctRDXss", "RctRDYss", "RctRDZss"), start=1
        )
    ]
    if all(flag == 1.0 for flag in flags):
        return substructure
    file = row.words[7].strip("\"'") if len(row.words) > 7 else ""
    if not file:
        row.fail("flags of the reaction joint are 0 and there is no SSIfile: nothing holds the pile")
    return on_foundation(substructure, _soil_stiffness(deck, file, row))


def _soil_stiffness(deck: Deck, file: str, row: Record) -> Array:
    """(6, 6) stiffness of the soil; entries Kxx, Kxy … of the file, in the order x, y, z, rotations about them."""
    path = deck.inside(file, "SSIfile", row.line)
    text = TextFile(path, "SubDyn soil file")
    entries = {}
    for line in text.lines:
        words = tokens(line)
        number = as_number(words[0]) if len(words) > 1 else None
        if number is not None:
            entries[words[1].lower()] = number
    order = ("x", "y", "z", "tx", "ty", "tz")
    matrix = np.zeros((6, 6))
    for i, first in enumerate(order):
        for j in range(i, 6):
            matrix[i, j] = matrix[j, i] = entries.get(f"k{first}{order[j]}", 0.0)
    try:
        np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        raise InputError(f"{path}: the soil's stiffness (Kxx, Kxy …) is not positive definite") from None
    return matrix


PLATFORM = ("PtfmSgDOF", "PtfmSwDOF", "PtfmHvDOF", "PtfmRDOF", "PtfmPDOF", "PtfmYDOF")
BALANCE_TOLERANCE = 0.01  # fraction of the weight: difference of a floating platform's lift that is reported


def read_support(
    main: Deck, elasto: Deck, platform: Platform, base: float, added: Added, remarks: list[str]
) -> Substructure | FloatingPlatform | None:
    """The substructure below the tower; None where it is clamped at its foot.

    Parameters
    ----------
    main, elasto : OpenFAST's main file and ElastoDyn's
    platform : as of `read_openfast_machine`
    base : m, height of the tower's foot
    added : as of `read_openfast_machine`
    remarks : list to which unused data are added

    Raises
    ------
    InputError
        Naming file and line.
    """
    moving = [word for word in PLATFORM if elasto.has(word) and elasto.flag(word)]
    if not moving:
        return None
    consequence = "the platform is held: modes are those of the turbine on fixed ground"
    if platform == "held":
        remarks.append(f"{', '.join(moving)} ignored on request: {consequence}")
        return None
    if main.optional_number("CompSub") == 1:
        deck = main.deck("SubDyn file", "SubFile")
        water = None
        if main.optional_number("CompHydro") == 1:
            hydro = main.deck("HydroDyn file", "HydroFile")
            density = environment_number((main, hydro), "WtrDens", SEA_WATER_DENSITY)
            water = read_water(
                hydro, density, environment_number((main, hydro), "MSL2SWL", 0.0, -np.inf), remarks
            )
        if len(moving) < len(PLATFORM):
            missing = [word for word in PLATFORM if word not in moving]
            remarks.append(
                f"{', '.join(missing)} False, with SubDyn: the monopile moves in all directions here"
            )
        return read_monopile(deck, base, _platform(elasto, base), water)
    advice = (
        "read it with platform='held' (command line: --set platform=held), or set these flags to False, for the "
        "turbine on fixed ground"
    )
    if main.optional_number("CompSub") == 2:
        main.fail(f"CompSub is 2: an external platform (ExtPtfm) is not read: {advice}")
    if main.optional_number("CompHydro") == 0:
        elasto.fail(f"{moving[0]} is True, but there is no module that supports the platform: {advice}")
    if len(moving) < len(PLATFORM):
        missing = [word for word in PLATFORM if word not in moving]
        remarks.append(f"{', '.join(missing)} False: the platform moves in all directions here")
    foot = np.array([0.0, 0.0, base])
    return read_floater(main, elasto, foot, _platform(elasto, base), added, remarks)


def remark_imbalance(platform: FloatingPlatform, carried_mass: float, remarks: list[str]) -> None:
    """Add a remark if a platform with a turbine of ``carried_mass`` kg is not in equilibrium initially."""
    weight = carried_mass + sum(lump.mass for lump in platform.lumps if not lump.weightless)
    weight *= platform.gravity
    if abs(platform.lift - weight) > BALANCE_TOLERANCE * weight:
        remarks.append(
            f"the platform is lifted by {platform.lift:.4g} N and carries {weight:.4g} N: its initial position is no "
            "equilibrium; small motions are computed about it nevertheless"
        )


def _platform(elasto: Deck, base: float) -> tuple[Lump, ...]:
    """The platform's mass, as a lump at the tower's foot."""
    mass = elasto.number("PtfmMass", least=0.0)
    inertia = np.diag([elasto.number(f"Ptfm{axis}Iner", least=0.0) for axis in "RPY"])
    for word in ("PtfmXYIner", "PtfmYZIner", "PtfmXZIner"):
        if elasto.optional_number(word) != 0.0:
            elasto.fail(f"{word} is not 0: a platform with products of inertia is not read")
    inertia = corrected_inertia(inertia, elasto.fail, "PtfmRIner, PtfmPIner, PtfmYIner")
    centre = np.array([elasto.number(f"PtfmCM{axis}t") for axis in "xyz"]) - [0.0, 0.0, base]
    if mass == 0.0 and not np.any(inertia):
        return ()
    return (Lump(0, mass, centre if mass else np.zeros(3), inertia),)
