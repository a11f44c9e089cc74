"""Tower and blades of ElastoDyn: straight beams of bending stiffness and mass, with modal damping.

What ElastoDyn leaves out, stretching, shear, twist and rotary inertia, is that of
`fem_mbd.machines.description.beams`; old files have stretching and torsion.

Damping: `elastodyn_damping` beside this file.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.elements.beam.damping.shape_damping import BendingShapes
from fem_mbd.elements.blades.axis import BladeAxis
from fem_mbd.elements.blades.blade import Blade
from fem_mbd.machines.description.beams import plain_beam
from fem_mbd.machines.readers.openfast.deck import Deck
from fem_mbd.machines.readers.openfast.elastodyn_damping import Stations, damping_of, shapes, times

STIFF = 1e3  # times the largest stiffness of bending: a direction that a flag of the files holds


def read_tower(
    deck: Deck, length: float, stiff: tuple[bool, ...], remarks: list[str], carried: float = 0.0
) -> Blade:
    """The tower of an ElastoDyn tower file, upwards along z, fore-aft along x.

    Parameters
    ----------
    deck : the tower file
    length : m, from foot to top
    stiff : whether it does not bend fore-aft, side-side
    remarks : to which is added what is left out
    carried : kg, what stands on it, for the shapes that are damped
    """
    names = ("HtFract", "TMassDen", "TwFAStif", "TwSSStif")
    table = deck.table(names, int(deck.number("NTwInpSt", least=1)), "HtFract")
    s, mass = table["HtFract"], deck.number("AdjTwMa") * table["TMassDen"]
    fore_aft = _tuned(deck, "FAStTunr", remarks) * deck.number("AdjFASt") * table["TwFAStif"]
    side = _tuned(deck, "SSStTunr", remarks) * deck.number("AdjSSSt") * table["TwSSStif"]
    stations = Stations(s, mass, length, carried)
    damped = (
        damping_of(deck, "bend3", {"TwrFADmp(1)": "TwFAM1Sh", "TwrFADmp(2)": "TwFAM2Sh"}, stations, fore_aft),
        damping_of(deck, "bend2", {"TwrSSDmp(1)": "TwSSM1Sh", "TwrSSDmp(2)": "TwSSM2Sh"}, stations, side),
    )
    axis, other = _straight(length, s, 0 * s), (table.get("TwEAStif"), table.get("TwGJStif"))
    return _beam(deck, "tower", axis, (s, mass), (fore_aft, side), other, damped, stiff)


def read_blade(deck: Deck, length: float, name: str, stiff: tuple[bool, ...], remarks: list[str]) -> Blade:
    """A blade of an ElastoDyn blade file, straight along z.

    Parameters
    ----------
    deck : the blade file
    length : m, from root to tip
    name : of the blade
    stiff : whether it does not bend flapwise, edgewise
    remarks : to which is added what is left out
    """
    names = ("BlFract", "StrcTwst", "BMassDen", "FlpStff", "EdgStff")
    table = deck.table(names, int(deck.number("NBlInpSt", least=1)), "BlFract")
    s, mass = table["BlFract"], deck.number("AdjBlMs") * table["BMassDen"]
    flap = _tuned(deck, "FlStTunr", remarks) * deck.number("AdjFlSt") * table["FlpStff"]
    edge = deck.number("AdjEdSt") * table["EdgStff"]
    stations = Stations(s, mass, length)
    damped = (
        damping_of(deck, "bend3", {"BldFlDmp(1)": "BldFl1Sh", "BldFlDmp(2)": "BldFl2Sh"}, stations, flap),
        damping_of(deck, "bend2", {"BldEdDmp(1)": "BldEdgSh"}, stations, edge),
    )
    # structural twist counts about -z
    axis, other = (
        _straight(length, s, -np.radians(table["StrcTwst"])),
        (table.get("EAStff"), table.get("GJStff")),
    )
    return _beam(deck, name, axis, (s, mass), (flap, edge), other, damped, stiff)


def _beam(
    deck: Deck,
    name: str,
    axis: BladeAxis,
    stations: tuple[Array, Array],
    bending: tuple[Array, Array],
    other: tuple[Array | None, Array | None],
    damped: tuple[BendingShapes, ...],
    stiff: tuple[bool, ...],
) -> Blade:
    """Of fractions and mass, stiffnesses of bending flapwise and edgewise, with their damping, those of EA and GJ.

    What flags hold, ``stiff``, does not bend and is not damped.
    """
    kept = tuple(shape for shape, held in zip(damped, stiff, strict=True) if not held)
    largest = np.maximum(*bending)
    flap, edge = (STIFF * largest if held else own for held, own in zip(stiff, bending, strict=True))
    beam = plain_beam(
        name, axis, *stations, (edge, flap), *other, times(kept), str(deck.path), slender=largest
    )
    return replace(beam, damped_shapes=shapes(kept))


def _tuned(deck: Deck, word: str, remarks: list[str]) -> float:
    """The factor of a direction's stiffness: ElastoDyn scales that of each of its two shapes."""
    names = [(f"{word}({k})", f"{word}{k}") for k in (1, 2)]
    one, two = (deck.number(*pair, least=0.0) if any(map(deck.has, pair)) else 1.0 for pair in names)
    if one != two:
        remarks.append(
            f"{word}(2) is {two:g}, {word}(1) {one:g}: a beam has one factor, the first; its second frequency is "
            f"{np.sqrt(one / two) if two else np.inf:.3g} times ElastoDyn's"
        )
    if one == 0.0:
        deck.fail(f"{word}(1) is 0: a direction without stiffness")
    return one


def _straight(length: float, s: Array, angles: Array) -> BladeAxis:
    return BladeAxis(np.column_stack([0 * s, 0 * s, s * length]), angles)
