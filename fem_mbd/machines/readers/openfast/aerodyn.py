"""Aerodynamics of an OpenFAST deck: AeroDyn 15 to 5.0, its blades and airfoil files.

Keywords are found by name, as lines and names differ between versions: WakeMod, AFAeroMod and UAMod of early ones are
Wake_Mod and UA_Mod of later ones. The aerodynamic centre of a blade node is (BlCrvAC, BlSwpAC, BlSpn) in the axes of
the blade's root, its chord is turned by BlTwist about -z, as BeamDyn's sections (`elements.blades.axis`).

Models: momentum theory with Glauert's and Buhl's relation, Oye's dynamic inflow (DBEMT_Mod 1 to 3; WakeMod 2 of early
versions), dynamic stall of Hansen, Gaunaa and Madsen (UA_Mod 4) or Oye (6). Slope and angle of zero lift follow from
the coefficients, not from the 30 parameters of the airfoil files. OLAF is refused when the aerodynamics are used.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd.aerodynamics.blade import BladeAerodynamics, along_line
from fem_mbd.aerodynamics.files import read_aerodyn_blade, read_aerodyn_polar
from fem_mbd.aerodynamics.momentum import AIR, FrozenInduction, Induction, Momentum, NoInduction, StallModel
from fem_mbd.elements.blades.axis import BladeAxis
from fem_mbd.elements.blades.text import tokens
from fem_mbd.machines.building.blocks import Rotor
from fem_mbd.machines.description.parts import RotorAerodynamics, TowerAerodynamics, UnreadAerodynamics
from fem_mbd.machines.readers.openfast.deck import Deck

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
