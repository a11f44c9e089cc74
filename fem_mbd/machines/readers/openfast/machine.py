"""Function `read_openfast_machine`: a machine from OpenFAST's input files, with ElastoDyn, BeamDyn, SubDyn, HydroDyn.

Contents of the files (OpenFAST user documentation, ElastoDyn and BeamDyn; conventions of NREL/EL-500-38230):

- tower from TowerBsHt to TowerHt, on fixed ground, a monopile or a floating platform (`subdyn`), nacelle, shaft at
  Twr2Shft above the tower's top on the yaw axis, ShftTilt (negative lifts the upwind end), rotor apex at OverHang along
  the shaft (negative upwind), PreCone (positive downwind), HubRad to the blades' roots; two blades: `elastodyn`;
- HubMass at HubCM with HubIner about the axis of rotation, NacMass at NacCM, NacYIner about the yaw axis, YawBrMass on
  the tower's top, TipMass at the blades' tips;
- GenIner times GBRatio^2 at the rotor, GenIner alone in the nacelle where the generator's speed is given or locked (a
  free generator turns by GBRatio theta - (GBRatio - 1) phi with the rotor's angle theta and the nacelle's roll phi; the
  roll is left out, which is some 0.15 % of the tower's side-side frequency);
  DTTorSpr and DTTorDmp between rotor and generator, rigid when DrTrDOF is False;
  GenDOF False: the generator's speed is RotSpeed; YawSpr and YawDamp of ServoDyn in the yaw drive, rigid when YawDOF is
  False, free when YawSpr is 0;
- FlapDOF, EdgeDOF, TwFADOF and TwSSDOF False: nearly rigid in that direction (`elastodyn`); PtfmDOF False: the platform
  is fixed.

BlPitch, NacYaw and Azimuth are initial angles, see `Machine.start`; initial deflections, gauges and outputs are
ignored. Other unused data are refused, or cause a `LeftOutWarning` that states the consequence.

Aerodynamics of an OpenFAST deck: AeroDyn 15 to 5.0, its blades and airfoil files.

Keywords are found by name, as lines and names differ between versions: WakeMod, AFAeroMod and UAMod of early ones are
Wake_Mod and UA_Mod of later ones. The aerodynamic centre of a blade node is (BlCrvAC, BlSwpAC, BlSpn) in the axes of
the blade's root, its chord is turned by BlTwist about -z, as BeamDyn's sections (`elements.blades.blade`).

Models: momentum theory with Glauert's and Buhl's relation, Oye's dynamic inflow (DBEMT_Mod 1 to 3; WakeMod 2 of early
versions), dynamic stall of Hansen, Gaunaa and Madsen (UA_Mod 4) or Oye (6). Slope and angle of zero lift follow from
the coefficients, not from the 30 parameters of the airfoil files. OLAF is refused when the aerodynamics are used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd.aerodynamics.blade import BladeAerodynamics, along_line
from fem_mbd.aerodynamics.files import read_aerodyn_blade, read_aerodyn_polar
from fem_mbd.aerodynamics.momentum import AIR, FrozenInduction, Induction, Momentum, NoInduction, StallModel
from fem_mbd.base.arrays import Array
from fem_mbd.base.lazy import nearest
from fem_mbd.elements.blades.blade import BladeAxis
from fem_mbd.elements.blades.text import tokens
from fem_mbd.errors import InputError
from fem_mbd.machines.building.blocks import Drivetrain, Nacelle, Rotor, Tower
from fem_mbd.machines.building.substructure import FloatingPlatform
from fem_mbd.machines.building.turbine import build_turbine
from fem_mbd.machines.description.control import DisconFile
from fem_mbd.machines.description.machine import Machine, check_tower_clearance
from fem_mbd.machines.description.parts import RotorAerodynamics, TowerAerodynamics, UnreadAerodynamics
from fem_mbd.machines.readers.left_out import Platform, warn_left_out
from fem_mbd.machines.readers.openfast.deck import Deck
from fem_mbd.machines.readers.openfast.elastodyn import read_rotor, read_tower
from fem_mbd.machines.readers.openfast.floater import (
    ADDED_MASS_LIMITS,
    STANDARD_GRAVITY,
    Added,
    environment_number,
)
from fem_mbd.machines.readers.openfast.subdyn import read_support, remark_imbalance

AERODYN = 2  # CompAero
OLAF = 3  # Wake_Mod
TOWER = (("TwrElev", 0), ("TwrDiam", 1), ("TwrCd", 2))  # headings and places of the tower's table
STALL: dict[int, StallModel] = {0: "none", 4: "hgm", 6: "oye"}
LEFT_OUT = {
    "CompAA": "aeroacoustics are not computed",
    "TFinAero": "the tail fin has no loads",
    "Buoyancy": "buoyancy of blades, hub and nacelle is not read",
    "NacelleDrag": "the nacelle has no drag",
    "SectAvg": "velocities are not averaged over sectors",
    "SkewMomCorr": "momentum theory has no skew correction beside Glauert's",
}


def open_aerodyn(main: Deck, remarks: list[str]) -> Deck | None:
    """AeroDyn's file; None where the deck has none, or it is not there.

    Parameters
    ----------
    main : the main file
    remarks : list to which unused data are added
    """
    if not main.has("AeroFile") or main.value("AeroFile").lower() in ("", "unused"):
        return None
    file = main.file("AeroFile")
    if file.is_file():
        return main.deck("AeroDyn file", "AeroFile")
    if main.optional_number("CompAero") == AERODYN:
        remarks.append(f"AeroFile: there is no file {file}: the rotor has no aerodynamics")
    return None


def read_aerodyn(
    main: Deck, aero: Deck, rotor: Rotor, base: float, remarks: list[str]
) -> UnreadAerodynamics | None:
    """The aerodynamics of the rotor, whose blades and airfoils are read at their first use.

    Parameters
    ----------
    main, aero : main file and AeroDyn's
    rotor : of the machine
    base : m, height of the tower's foot
    remarks : list to which unused data are added

    Raises
    ------
    InputError
        Naming file and line: missing keywords, numbers that do not fit.
    """
    if main.optional_number("CompAero") != AERODYN:
        return None
    for word, consequence in LEFT_OUT.items():
        if aero.flag(word, False):
            remarks.append(f"{word}: {consequence}")
    if aero.optional_number("Skew_Mod", "SkewMod") == 0 and aero.has("Skew_Mod"):
        remarks.append("Skew_Mod 0: induction is skewed all the same in wind that is not along the shaft")
    stall = _stall(aero, remarks)
    files = [aero.file(f"ADBlFile({k})", f"ADBlFile{k}") for k in range(1, rotor.number + 1)]
    options: dict[str, Any] = {
        "stall": stall,
        "angle_at": 0.75 if aero.flag("AoA34", True) else 0.25,
        "hub_radius": rotor.hub.radius,
        "density": _density(main, aero),
        "source": str(aero.path),
        "tower": _tower(aero, base, remarks),
    }
    count = int(aero.number("NumAFfiles", least=1))
    airfoils = [aero.inside(name, "AFNames", line) for name, line in _airfoil_names(aero, count)]
    names = ("InCol_Alfa", "InCol_Cl", "InCol_Cd", "InCol_Cm")
    columns = tuple(int(aero.number(name, least=0)) for name in names)
    if not aero.flag("UseBlCm", True):
        columns = (*columns[:3], 0)
    return UnreadAerodynamics(partial(_read, aero, rotor, files, airfoils, columns, options))


def _tower(aero: Deck, base: float, remarks: list[str]) -> TowerAerodynamics | None:
    """The tower of the table with NumTwrNds; None where it has no effect."""
    potential, drag = aero.optional_number("TwrPotent") != 0.0, aero.flag("TwrAero", False)
    if aero.has("TwrShadow") and aero.value("TwrShadow").lower() not in ("0", "false", "f"):
        remarks.append("TwrShadow: the wind behind the tower is not slowed down")
    if not (potential or drag) or not aero.has("NumTwrNds"):
        return None
    rows = aero.records("NumTwrNds", least=3)
    table = np.array([[row.number(*entry) for entry in TOWER] for row in rows]).reshape(-1, 3)
    if len(table) < 2 or not np.all(np.diff(table[:, 0]) > 0.0) or not np.all(table[:, 1] > 0.0):
        aero.fail("TwrElev has to ascend, TwrDiam to be above zero, in two rows at least")
    heights, diameter, coefficient = table.T
    return TowerAerodynamics("tower", heights - base, diameter, coefficient * drag, potential)


def _read(
    aero: Deck,
    rotor: Rotor,
    files: Sequence[Path],
    airfoils: Sequence[Path],
    columns: tuple[int, ...],
    options: dict[str, Any],
) -> RotorAerodynamics:
    known: dict[int, Any] = {}
    layouts = {path: read_aerodyn_blade(path) for path in dict.fromkeys(files)}
    for path, layout in layouts.items():
        for number in layout.airfoil:
            if not 1 <= number <= len(airfoils):
                aero.text.fail(
                    f"{path.name} names airfoil {number} (BlAFID), and NumAFfiles is {len(airfoils)}"
                )
            if number not in known:
                known[number] = read_aerodyn_polar(airfoils[number - 1], columns)  # type: ignore[arg-type]
    blades = {}
    for k, path in enumerate(files):
        layout, line = layouts[path], rotor.blades[k].axis
        frames = [BladeAxis(layout.centre, -layout.twist).at(s) for s in _fractions(layout.centre)]
        trailing = np.array([frame[1][:, 2] for frame in frames])
        polars = [known[number] for number in layout.airfoil]
        blades[f"blade{k + 1}"] = along_line(line, layout.centre, trailing, layout.chord, polars, str(path))
    return RotorAerodynamics(_shared(blades, files), _induction(aero), **options)


def _fractions(points: Any) -> Any:
    axis = BladeAxis(points, np.zeros(len(points)))
    return np.asarray(axis.bounds)


def _shared(blades: dict[str, BladeAerodynamics], files: Sequence[Path]) -> dict[str, BladeAerodynamics]:
    """One object for all blades of one file."""
    first = {path: f"blade{files.index(path) + 1}" for path in files}
    return {name: blades[first[path]] for name, path in zip(blades, files, strict=True)}


def _airfoil_names(aero: Deck, count: int) -> list[tuple[str, int]]:
    """Names of the airfoil files and their lines, from 0."""
    names = [(aero.value("AFNames"), aero.text.next - 1)]
    for _ in range(count - 1):
        words = tokens(aero.row("the name of an airfoil file"))
        names.append((words[0].strip("\"'") if words else "", aero.text.next - 1))
    return names


def _density(main: Deck, aero: Deck) -> float:
    for deck in (aero, main):
        if deck.has("AirDens") and deck.value("AirDens").lower() != "default":
            return deck.number("AirDens", least=0.0)
    return AIR


def _stall(aero: Deck, remarks: list[str]) -> StallModel:
    if aero.has("UA_Mod"):
        kind = int(aero.number("UA_Mod"))
    else:
        kind = int(aero.number("UAMod")) if aero.number("AFAeroMod") == 2 else 0
    if kind not in STALL:
        remarks.append(
            f"UA_Mod {kind}: this model of dynamic stall is replaced by that of Hansen, Gaunaa and Madsen (UA_Mod 4)"
        )
    return STALL.get(kind, "hgm")


def _induction(aero: Deck) -> Induction:
    wake = int(aero.number("Wake_Mod", "WakeMod"))
    if wake == OLAF:
        aero.fail(
            f"{'Wake_Mod' if aero.has('Wake_Mod') else 'WakeMod'} is 3: free vortex wakes (OLAF) are not computed; "
            "give 1 for momentum theory"
        )
    if wake == 0:
        return NoInduction()
    inflow = int(aero.optional_number("DBEMT_Mod"))
    if aero.flag("FrozenWake", False) or (inflow == -1 and aero.has("Wake_Mod")):
        return FrozenInduction()
    dynamic = wake == 2 or (aero.has("Wake_Mod") and inflow > 0)
    return Momentum(
        relation="glauert", tip_loss=aero.flag("TipLoss"), hub_loss=aero.flag("HubLoss"), dynamic=dynamic,
        swirl=aero.flag("TanInd"), axial_drag=aero.flag("AIDrag"), tangential_drag=aero.flag("TIDrag"),
        slow=aero.number("tau1_const") if dynamic and inflow in (1, 3) else None,
    )  # fmt: skip


LOADS = ("CompInflow", "CompAero", "CompIce")  # modules for loads, which are not read
LIBRARY_MODE = 5  # PCMode, VSContrl: Bladed-style library
DAMPERS = ("NumBStC", "NumNStC", "NumTStC", "NumSStC")


def read_openfast_machine(
    path: str | Path,
    name: str = "",
    platform: Platform = "as in the files",
    added_mass: Added = "infinite frequency",
) -> Machine:
    """The machine of an OpenFAST main file (.fst).

    Parameters
    ----------
    path : of the main file
    name : of the machine; that of the file when left out
    platform : "held" fixes the platform of a machine that floats, or has another substructure than a monopile
    added_mass : of floating platforms in potential flow: the limit of "infinite frequency", which OpenFAST combines
        with the radiation memory, or that of "zero frequency", which applies to slow platform motions

    Raises
    ------
    InputError
        Naming file and line: files that cannot be read, missing keywords, invalid numbers, furling machines, jackets
        and tripods.

    Warns
    -----
    LeftOutWarning
        For unused data, with the consequence.
    """
    main = Deck(path, "OpenFAST main file")
    remarks: list[str] = []
    _switches(main, remarks)
    elasto = main.deck("ElastoDyn file", "EDFile")
    if elasto.has("Furling") and elasto.flag("Furling"):
        elasto.fail("Furling is True: furling machines are not supported")
    rotor, apex = read_rotor(main, elasto, remarks)
    base, top = elasto.number("TowerBsHt"), elasto.number("TowerHt")
    if not top > base:
        elasto.fail(f"the tower ends at TowerHt = {top:g} m, not above its foot at TowerBsHt = {base:g} m")
    locked = _locked_directions(elasto, remarks)
    carried_mass = sum(blade.mass for blade in rotor.blades) + sum(rotor.tip_masses) + rotor.hub.mass
    carried_mass += elasto.number("NacMass", least=0.0)
    beam = read_tower(
        elasto.deck("ElastoDyn tower file", "TwrFile"), top - base, locked, remarks, carried_mass
    )
    tower = Tower(beam, base, elasto.number("YawBrMass", least=0.0))
    if added_mass not in ADDED_MASS_LIMITS:
        raise InputError(f"added_mass is {added_mass!r}; {nearest(added_mass, ADDED_MASS_LIMITS)}")
    substructure = read_support(main, elasto, platform, base, added_mass, remarks)
    if isinstance(substructure, FloatingPlatform):
        remark_imbalance(substructure, carried_mass + beam.mass + tower.top_mass, remarks)
    nacelle, drivetrain = _nacelle(main, elasto, remarks), _drivetrain(elasto, apex)
    gravity = environment_number((main, elasto), "Gravity", STANDARD_GRAVITY)
    aero = open_aerodyn(main, remarks)
    aerodynamics = None if aero is None else read_aerodyn(main, aero, rotor, base, remarks)
    controller = _controller(main, remarks)
    warn_left_out(str(path), remarks)
    unread = [word for word in LOADS if word != "CompAero" or aerodynamics is None]
    loads = [f"{word} {main.value(word)}" for word in unread if main.has(word) and main.number(word) != 0]
    start = _start(elasto, rotor.number)
    ignored = (*remarks, *loads, "deflections at the start, gauges and outputs", *main.not_read())
    machine = build_turbine(
        name or Path(path).stem, tower, nacelle, drivetrain, rotor, ignored, str(path), substructure,
        start,
    )  # fmt: skip
    machine = replace(machine, gravity=gravity, aerodynamics=aerodynamics, controller=controller)
    return check_tower_clearance(machine, radii=_tower_radii(aero) or False)


def _tower_radii(aero: Deck | None) -> tuple[Array, Array] | None:
    """Heights and radii (k,) of the tower, m, by AeroDyn's file; None where there is no such file or table.

    ElastoDyn's files have no diameters, and no axial stiffness from which they follow.
    """
    if aero is None or not aero.has("NumTwrNds"):
        return None
    rows = aero.records("NumTwrNds", least=2)
    heights = np.array([row.number("TwrElev", 0) for row in rows])
    radii = np.array([0.5 * row.number("TwrDiam", 1, least=0.0) for row in rows])
    order = np.argsort(heights)
    return (heights[order], radii[order]) if len(rows) else None


def _switches(main: Deck, remarks: list[str]) -> None:
    """Refuse or remark unsupported options of the main file."""
    if main.optional_number("NRotors") > 1:
        main.fail(f"NRotors is {main.value('NRotors')}: a machine with several rotors is not read")
    if main.number("CompElast") not in (1, 2):
        main.fail(
            f"CompElast is {main.value('CompElast')}: give 1 (ElastoDyn) or 2 (ElastoDyn and BeamDyn); simplified "
            "ElastoDyn (3) has a rigid rotor and no modes"
        )
    if main.has("MirrorRotor") and main.flag("MirrorRotor"):
        remarks.append(
            "MirrorRotor is ignored: the rotor turns clockwise; loads across the wind change signs"
        )
    if main.optional_number("MHK") != 0:
        remarks.append(
            "MHK: the water that moves with blades and tower is not read: frequencies are too high"
        )
    if main.optional_number("CompSoil") != 0:
        remarks.append(
            "CompSoil: SoilDyn is not read: the foot is supported as in SubDyn's file, tower modes are stiffer"
        )


def _locked_directions(elasto: Deck, remarks: list[str]) -> tuple[bool, bool]:
    """Whether the tower is locked fore-aft and side-side."""
    locked = []
    for name, direction in (("TwFADOF", "fore-aft"), ("TwSSDOF", "side-side")):
        flags = [elasto.flag(f"{name}{k}", True) for k in (1, 2)]
        if flags[0] != flags[1]:
            off = f"{name}{1 + flags.index(False)}"
            remarks.append(
                f"{off} is False: a beam has all {direction} motions or none; the tower bends in all of them"
            )
        locked.append(not any(flags))
    return locked[0], locked[1]


def _nacelle(main: Deck, elasto: Deck, remarks: list[str]) -> Nacelle:
    mass = elasto.number("NacMass", least=0.0)
    centre = np.array([elasto.number(f"NacCM{axis}n") for axis in "xyz"])
    yaw_inertia = elasto.number("NacYIner", least=0.0) - mass * float(centre[:2] @ centre[:2])
    if yaw_inertia < 0.0:
        elasto.fail(
            "NacYIner is less than the moment of inertia of NacMass at its position about the yaw axis"
        )
    servo = main.deck("ServoDyn file", "ServoFile") if main.number("CompServo") == 1 else None
    drive = None
    if elasto.flag("YawDOF"):
        if servo is None:
            main.fail("YawDOF is True, but without ServoDyn (CompServo 1) nothing restrains the nacelle")
        drive = servo.number("YawSpr", least=0.0), servo.number("YawDamp", least=0.0)
        turned = elasto.optional_number("NacYaw") - servo.optional_number("YawNeut")
        if drive[0] > 0.0 and turned != 0.0:
            remarks.append(
                f"YawNeut is {turned:g} deg away from NacYaw: the yaw spring has no torque at NacYaw here, in OpenFAST "
                f"{drive[0] * abs(np.radians(turned)):.4g} N m"
            )
        if elasto.has("YawFrctMod") and elasto.number("YawFrctMod") != 0.0:
            remarks.append(
                "YawFrctMod: friction of the yaw bearing is not read: the nacelle yaws more freely"
            )
    if servo is not None:
        for word in DAMPERS:
            if servo.has(word) and servo.number(word) != 0.0:
                remarks.append(
                    f"{word}: structural controls (tuned masses) are not read: motions are damped less"
                )
        for word in ("CompNTMD", "CompTTMD"):
            if servo.has(word) and servo.flag(word):
                remarks.append(f"{word}: tuned masses are not read: motions are damped less")
    return Nacelle(mass, centre, np.diag([0.0, 0.0, yaw_inertia]), drive)


def _controller(main: Deck, remarks: list[str]) -> DisconFile | None:
    """The input file of a controller in a library (PCMode or VSContrl 5); None where the deck has none."""
    if main.number("CompServo") != 1:
        return None
    servo = main.deck("ServoDyn file", "ServoFile")
    if LIBRARY_MODE not in (servo.optional_number("PCMode"), servo.optional_number("VSContrl")):
        return None
    file = servo.file("DLL_InFile")
    if not file.is_file():
        remarks.append(f"DLL_InFile: there is no file {file}: the deck has no controller")
        return None
    return DisconFile(file, servo.value("DLL_ProcName") if servo.has("DLL_ProcName") else "DISCON")


def _drivetrain(elasto: Deck, apex: float) -> Drivetrain:
    """``apex`` : m, along the shaft from the end of OverHang to the apex of the blades, or the teeter hinge."""
    twist = (elasto.number("DTTorSpr", least=0.0), elasto.number("DTTorDmp", least=0.0))
    return Drivetrain(
        elasto.number("OverHang") + apex, elasto.number("Twr2Shft"), -float(np.radians(elasto.number("ShftTilt"))),
        twist if elasto.flag("DrTrDOF") else None, elasto.number("GenIner") * elasto.number("GBRatio") ** 2,
        elasto.number("RotSpeed") * np.pi / 30, driven=not elasto.flag("GenDOF", True),
        gear_ratio=elasto.number("GBRatio"),
    )  # fmt: skip


def _start(elasto: Deck, count: int) -> dict[str, float]:
    """Initial angles, rad, by name of the bearing."""
    degrees = {
        f"pitch{k}": elasto.optional_number(f"BlPitch({k})", f"BlPitch{k}") for k in range(1, count + 1)
    }
    degrees["yaw"] = elasto.optional_number("NacYaw")
    return {name: float(np.radians(angle)) for name, angle in degrees.items() if angle != 0.0}
