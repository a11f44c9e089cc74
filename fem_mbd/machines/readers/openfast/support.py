"""Reader of the support of ElastoDyn's tower: rigid ground, a monopile of SubDyn, or a floating platform."""

from __future__ import annotations

import numpy as np

from fem_mbd.machines.building.substructure import FloatingPlatform, Substructure
from fem_mbd.machines.description.parts import Lump
from fem_mbd.machines.readers.inertia import corrected_inertia
from fem_mbd.machines.readers.left_out import Platform
from fem_mbd.machines.readers.openfast.deck import Deck
from fem_mbd.machines.readers.openfast.floater import (
    SEA_WATER_DENSITY,
    Added,
    environment_number,
    read_floater,
)
from fem_mbd.machines.readers.openfast.subdyn import read_monopile
from fem_mbd.machines.readers.openfast.water import read_water

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
