"""Tower and blades of ElastoDyn: straight beams of bending stiffness and mass, with modal damping.

What ElastoDyn leaves out, stretching, shear, twist and rotary inertia, is that of `fem_mbd.machines.plain_beam`; old
files have stretching and torsion.

Damping: `elastodyn_damping` beside this file.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fem_mbd.arrays import Array
from fem_mbd.elements.blades.axis import BladeAxis
from fem_mbd.elements.blades.blade import Blade
from fem_mbd.machines.plain_beam import plain_beam
from fem_mbd.machines.readers.elastodyn_damping import Stations, damping_of, shapes, times
from fem_mbd.machines.readers.openfast_deck import Deck


def read_tower(deck: Deck, length: float, carried: float = 0.0) -> Blade:
    """The tower of an ElastoDyn tower file, upwards along z, fore-aft along x.

    Parameters
    ----------
    deck : the tower file
    length : m, from foot to top
    carried : kg, what stands on it, for the shapes that are damped
    """
    names = ("HtFract", "TMassDen", "TwFAStif", "TwSSStif")
    table = deck.table(names, int(deck.number("NTwInpSt", least=2)), "HtFract")
    s, mass = table["HtFract"], deck.number("AdjTwMa") * table["TMassDen"]
    fore_aft, side = deck.number("AdjFASt") * table["TwFAStif"], deck.number("AdjSSSt") * table["TwSSStif"]
    stations = Stations(s, mass, length, carried)
    damped = (
        damping_of(deck, "bend3", {"TwrFADmp(1)": "TwFAM1Sh", "TwrFADmp(2)": "TwFAM2Sh"}, stations, fore_aft),
        damping_of(deck, "bend2", {"TwrSSDmp(1)": "TwSSM1Sh", "TwrSSDmp(2)": "TwSSM2Sh"}, stations, side),
    )
    axis, other = _straight(length, s, 0 * s), (table.get("TwEAStif"), table.get("TwGJStif"))
    beam = plain_beam("tower", axis, s, mass, (side, fore_aft), *other, times(damped), str(deck.path))
    return replace(beam, damped_shapes=shapes(damped))


def read_blade(deck: Deck, length: float, name: str) -> Blade:
    """A blade of an ElastoDyn blade file, straight along z.

    Parameters
    ----------
    deck : the blade file
    length : m, from root to tip
    name : of the blade
    """
    names = ("BlFract", "StrcTwst", "BMassDen", "FlpStff", "EdgStff")
    table = deck.table(names, int(deck.number("NBlInpSt", least=2)), "BlFract")
    s, mass = table["BlFract"], deck.number("AdjBlMs") * table["BMassDen"]
    flap, edge = deck.number("AdjFlSt") * table["FlpStff"], deck.number("AdjEdSt") * table["EdgStff"]
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
    beam = plain_beam(name, axis, s, mass, (edge, flap), *other, times(damped), str(deck.path))
    return replace(beam, damped_shapes=shapes(damped))


def _straight(length: float, s: Array, angles: Array) -> BladeAxis:
    return BladeAxis(np.column_stack([0 * s, 0 * s, s * length]), angles)
