"""Support of ElastoDyn's tower: rigid ground, a monopile of SubDyn, or a floating platform."""

from __future__ import annotations

import numpy as np

from fem_mbd.machines.building.substructure import FloatingPlatform, Substructure
from fem_mbd.machines.description.parts import Lump
from fem_mbd.machines.readers.inertia import possible_inertia
from fem_mbd.machines.readers.left_out import Platform
from fem_mbd.machines.readers.openfast.deck import Deck
from fem_mbd.machines.readers.openfast.floater import Added, read_floater
from fem_mbd.machines.readers.openfast.subdyn import read_monopile
from fem_mbd.machines.readers.openfast.water import read_water

PLATFORM = ("PtfmSgDOF", "PtfmSwDOF", "PtfmHvDOF", "PtfmRDOF", "PtfmPDOF", "PtfmYDOF")
BALANCED = 0.01  # of the weight: what the lift of a floating platform may differ by without a word
SEA_WATER_DENSITY = 1025.0  # kg/m^3, of sea water where neither file says


def read_support(
    main: Deck, elasto: Deck, platform: Platform, base: float, added: Added, remarks: list[str]
) -> Substructure | FloatingPlatform | None:
    """What carries the tower; None where it is held at its foot.

    Parameters
    ----------
    main, elasto : OpenFAST's main file and ElastoDyn's
    platform : as of `read_openfast_machine`
    base : m, height of the tower's foot
    added : as of `read_openfast_machine`
    remarks : to which is added what is left out

    Raises
    ------
    InputError
        Naming file and line.
    """
    moving = [word for word in PLATFORM if elasto.has(word) and elasto.flag(word)]
    if not moving:
        return None
    held = "the platform is held: modes are those of the turbine on fixed ground"
    if platform == "held":
        remarks.append(f"{', '.join(moving)} not obeyed on request: {held}")
        return None
    if main.given("CompSub") == 1:
        deck = main.deck("SubDyn file", "SubFile")
        water = None
        if main.given("CompHydro") == 1:
            hydro = main.deck("HydroDyn file", "HydroFile")
            sea = next(
                (d.number("WtrDens", least=0.0) for d in (main, hydro) if _is_number(d, "WtrDens")),
                SEA_WATER_DENSITY,
            )
            water = read_water(hydro, sea, remarks)
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
    if main.given("CompSub") == 2:
        main.fail(f"CompSub is 2: an external platform (ExtPtfm) is not read: {advice}")
    if main.given("CompHydro") == 0:
        elasto.fail(f"{moving[0]} is True, but there is no module that holds the platform: {advice}")
    if len(moving) < len(PLATFORM):
        missing = [word for word in PLATFORM if word not in moving]
        remarks.append(f"{', '.join(missing)} False: the platform moves in all directions here")
    foot = np.array([0.0, 0.0, base])
    return read_floater(main, elasto, foot, _platform(elasto, base), added, remarks)


def say_balance(platform: FloatingPlatform, carried: float, remarks: list[str]) -> None:
    """Add to ``remarks`` that a platform does not float where the files begin, of a turbine of ``carried`` kg."""
    weight = carried + sum(lump.mass for lump in platform.lumps if not lump.weightless)
    weight *= platform.gravity
    if abs(platform.lift - weight) > BALANCED * weight:
        remarks.append(
            f"the platform is lifted by {platform.lift:.4g} N and carries {weight:.4g} N: it does not float where the "
            "files begin; small motions are those about that place"
        )


def _is_number(deck: Deck, word: str) -> bool:
    return deck.has(word) and deck.value(word).lower() != "default"


def _platform(elasto: Deck, base: float) -> tuple[Lump, ...]:
    """The platform as a body on the interface joint, which is the tower's foot."""
    mass = elasto.number("PtfmMass", least=0.0)
    inertia = np.diag([elasto.number(f"Ptfm{axis}Iner", least=0.0) for axis in "RPY"])
    for word in ("PtfmXYIner", "PtfmYZIner", "PtfmXZIner"):
        if elasto.given(word) != 0.0:
            elasto.fail(f"{word} is not 0: a platform with products of inertia is not read")
    inertia = possible_inertia(inertia, elasto.fail, "PtfmRIner, PtfmPIner, PtfmYIner")
    centre = np.array([elasto.number(f"PtfmCM{axis}t") for axis in "xyz"]) - [0.0, 0.0, base]
    if mass == 0.0 and not np.any(inertia):
        return ()
    return (Lump(0, mass, centre if mass else np.zeros(3), inertia),)
