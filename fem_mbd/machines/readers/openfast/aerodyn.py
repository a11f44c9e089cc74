"""Aerodynamics of an OpenFAST deck: AeroDyn 15 to 5.0, blades and airfoils; keywords are found by name.

Models: Wake_Mod or WakeMod 0 none, 1 and 2 blade-element momentum theory (2: dynamic inflow, also DBEMT_Mod), with
Buhl's correction; TipLoss, HubLoss. Dynamic stall UA_Mod or UAMod 4 (Hansen, Gaunaa & Madsen) and 6 (Oye) as such;
those
of Beddoes and Leishman (2, 3, 5) are replaced by that of Hansen, Gaunaa & Madsen, which is said. Other wakes are
refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from fem_mbd.aerodynamics.airfoils import Polar
from fem_mbd.aerodynamics.blade import BladeAerodynamics, along_line
from fem_mbd.aerodynamics.files import read_aerodyn_blade, read_aerodyn_polar
from fem_mbd.aerodynamics.induction import AIR, Induction, Momentum, NoInduction, StallModel
from fem_mbd.base.arrays import Array
from fem_mbd.elements.curve import ReferenceLine
from fem_mbd.errors import InputError
from fem_mbd.machines.description.aerodynamics import RotorAerodynamics
from fem_mbd.machines.description.machine import Machine, blades_of
from fem_mbd.machines.readers.openfast.deck import Deck

STALL: dict[int, StallModel] = {0: "none", 1: "none", 4: "hgm", 6: "oye"}
REPLACED = (2, 3, 5, 7)
NO_VALUE = ("default", '"default"')


def read_aerodyn(main: Deck, machine: Machine) -> tuple[RotorAerodynamics | None, list[str]]:
    """The aerodynamics of a deck, None where it has none, and remarks.

    Parameters
    ----------
    main : OpenFAST's main file
    machine : its structure

    Raises
    ------
    InputError
        Naming file and line.
    """
    if not main.has("CompAero") or main.number("CompAero") == 0:
        return None, []
    if not main.file("AeroFile").is_file():
        return None, [f"CompAero {main.value('CompAero')}: file '{main.value('AeroFile')}' is not there"]
    aero = main.deck("AeroDyn file", "AeroFile")
    if not aero.has("NumAFfiles"):
        return None, [f"AeroFile: {aero.path.name} is none of AeroDyn 15 or newer"]
    remarks: list[str] = []
    alpha, cl, cd, cm = (int(aero.number(f"InCol_{name}", least=0.0)) for name in ("Alfa", "Cl", "Cd", "Cm"))
    polars = [read_aerodyn_polar(path, (alpha, cl, cd, cm)) for path in _airfoils(aero)]
    blades = {}
    for k, members in enumerate(blades_of(machine), start=1):
        line = machine.member(members[-1]).blade.axis
        blades[members[-1]] = _blade(aero, k, line, polars)
    induction, stall = _induction(aero), _stall(aero, remarks)
    density = AIR
    for deck in (aero, main):
        if deck.has("AirDens") and deck.value("AirDens").lower() not in NO_VALUE:
            density = deck.number("AirDens", least=0.0)
            break
    hub = main.deck("ElastoDyn file", "EDFile").number("HubRad", least=0.0)
    return RotorAerodynamics(
        blades, induction, stall, hub_radius=hub, density=density, source=str(aero.path)
    ), remarks


def _airfoils(aero: Deck) -> list[Path]:
    """Paths of the airfoil files, one a line from the keyword AFNames on."""
    count = int(aero.number("NumAFfiles", least=1.0))
    first = aero.inside(aero.value("AFNames"), "AFNames", aero.text.next - 1)
    found = [first]
    for k in range(2, count + 1):
        line = aero.text.line(f"airfoil file {k} of {count}")
        name = line.split('"')[1] if line.count('"') >= 2 else line.split()[0]
        found.append(aero.inside(name, f"airfoil file {k}", aero.text.next - 1))
    return found


def _blade(aero: Deck, number: int, line: ReferenceLine, polars: Sequence[Polar]) -> BladeAerodynamics:
    file = read_aerodyn_blade(aero.file(f"ADBlFile({number})"))
    if np.any((file.airfoil < 1) | (file.airfoil > len(polars))):
        raise InputError(
            f"{file.path}: BlAFID goes up to {file.airfoil.max()}: {aero.path} names {len(polars)} airfoil files"
        )
    trailing: Array = np.stack([np.sin(file.twist), np.cos(file.twist), 0.0 * file.twist], axis=1)
    chosen = [polars[k - 1] for k in file.airfoil]
    return along_line(line, file.centre, trailing, file.chord, chosen, str(file.path))


def _choice(aero: Deck, otherwise: int, *keywords: str) -> int:
    name = next((word for word in keywords if aero.has(word)), None)
    return otherwise if name is None else int(aero.number(name))


def _induction(aero: Deck) -> Induction:
    wake = _choice(aero, 1, "Wake_Mod", "WakeMod")
    if wake == 0:
        return NoInduction()
    if wake not in (1, 2):
        aero.fail(
            f"the wake model is {wake}: known are 0 (none), 1 and 2 (blade-element momentum theory); OLAF is not"
        )
    dynamic = wake == 2 or _choice(aero, 0, "DBEMT_Mod") > 0
    return Momentum(
        relation="glauert",
        tip_loss=aero.flag("TipLoss", True),
        hub_loss=aero.flag("HubLoss", False),
        dynamic=dynamic,
    )


def _stall(aero: Deck, remarks: list[str]) -> StallModel:
    if _choice(aero, 2, "AFAeroMod") == 1:
        return "none"
    model = _choice(aero, 4, "UA_Mod", "UAMod")
    if model in REPLACED:
        remarks.append(
            f"dynamic stall {model} (Beddoes-Leishman) is replaced by that of Hansen, Gaunaa & Madsen"
        )
        return "hgm"
    if model not in STALL:
        aero.fail(
            f"the model of dynamic stall is {model}: known are {', '.join(map(str, [*STALL, *REPLACED]))}"
        )
    return STALL[model]
