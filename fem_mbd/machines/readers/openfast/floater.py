"""Reader of a floating platform from files of ElastoDyn, HydroDyn and MoorDyn or MAP++: a rigid body in still water.

Mass and inertia are those of ElastoDyn and of ballast in members; added mass and hydrostatic stiffness those of
potential flow (`wamit`) and of members in strip theory (`strips`), with AddCLin and AddBLin; mooring lines are elastic
catenaries (`mooring_files`). Motions are small about the initial position, so quadratic drag is neglected. With files
without NBody (before OpenFAST 2.5) HydroDyn does not move the weight of ballast with the platform, and AddCLin has to
contain this effect; later versions move it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.elements.blades.text import as_number, tokens
from fem_mbd.machines.building.mooring import mooring
from fem_mbd.machines.building.substructure import FloatingPlatform
from fem_mbd.machines.description.parts import Lump
from fem_mbd.machines.readers.openfast.deck import Deck
from fem_mbd.machines.readers.openfast.mooring_files import read_lines
from fem_mbd.machines.readers.openfast.strips import added_mass, ballast, displaced, read_strips, restoring
from fem_mbd.machines.readers.openfast.wamit import Potential, read_potential

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
