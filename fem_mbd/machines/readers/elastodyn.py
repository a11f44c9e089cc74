"""Tower and blades of ElastoDyn: straight beams of bending stiffness and mass, with modal damping.

What ElastoDyn leaves out, stretching, shear, twist and rotary inertia, is that of `fem_mbd.machines.plain_beam`; old
files have stretching and torsion.

Damping: the ratio zeta (percent in the file) of mode 1 is turned by ElastoDyn into C = zeta/(pi f) K, f the frequency
of the beam alone in the shape of the file's polynomial (ElastoDyn's source, Coeff): with the Kelvin-Voigt time
zeta/(pi f) of each direction of bending it is the same here. Ratios of mode 2 follow from that and are not used.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import trapezoid

from fem_mbd.arrays import Array
from fem_mbd.elements.blades.axis import BladeAxis
from fem_mbd.elements.blades.blade import Blade
from fem_mbd.machines.plain_beam import plain_beam
from fem_mbd.machines.readers.openfast_deck import Deck

STIFF = 1e3  # times the largest stiffness of bending: a direction that a flag of the files holds
POWERS = np.arange(2, 7)  # of x in ElastoDyn's polynomials of mode shapes
FINE = 2001  # points at which they are integrated


def read_tower(deck: Deck, length: float, stiff: tuple[bool, bool], remarks: list[str]) -> Blade:
    """The tower of an ElastoDyn tower file, upwards along z, fore-aft along x.

    Parameters
    ----------
    deck : the tower file
    length : m, from foot to top
    stiff : whether it does not bend fore-aft, side-side
    remarks : to which is added what is left out
    """
    names = ("HtFract", "TMassDen", "TwFAStif", "TwSSStif")
    table = deck.table(names, int(deck.number("NTwInpSt", least=1)), "HtFract")
    s, mass = table["HtFract"], deck.number("AdjTwMa") * table["TMassDen"]
    fore_aft = _tuned(deck, "FAStTunr", remarks) * deck.number("AdjFASt") * table["TwFAStif"]
    side = _tuned(deck, "SSStTunr", remarks) * deck.number("AdjSSSt") * table["TwSSStif"]
    times = np.zeros(6)
    times[5] = _time(deck, "TwrFADmp(1)", "TwFAM1Sh", s, mass, fore_aft, length)
    times[4] = _time(deck, "TwrSSDmp(1)", "TwSSM1Sh", s, mass, side, length)
    axis, other = _straight(length, s, 0 * s), (table.get("TwEAStif"), table.get("TwGJStif"))
    slender = np.maximum(fore_aft, side)
    fore_aft, side = _held(stiff, (fore_aft, side), times)
    return plain_beam("tower", axis, s, mass, (side, fore_aft), *other, times, str(deck.path), slender)


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
    times = np.zeros(6)
    times[5] = _time(deck, "BldFlDmp(1)", "BldFl1Sh", s, mass, flap, length)
    times[4] = _time(deck, "BldEdDmp(1)", "BldEdgSh", s, mass, edge, length)
    slender = np.maximum(flap, edge)
    flap, edge = _held(stiff, (flap, edge), times)
    # structural twist counts about -z
    axis, other = (
        _straight(length, s, -np.radians(table["StrcTwst"])),
        (table.get("EAStff"), table.get("GJStff")),
    )
    return plain_beam(name, axis, s, mass, (edge, flap), *other, times, str(deck.path), slender)


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


def _held(stiff: tuple[bool, ...], bending: tuple[Array, Array], times: Array) -> tuple[Array, Array]:
    """Stiffnesses of both directions where flags of the files hold some; their damping, in ``times``, ends."""
    largest = STIFF * np.maximum(*bending)
    for k, held in enumerate(stiff):
        if held:
            times[5 - k] = 0.0
    first, second = (largest if held else own for held, own in zip(stiff, bending, strict=True))
    return first, second


def _time(
    deck: Deck, ratio: str, shape: str, s: Array, mass: Array, stiffness: Array, length: float
) -> float:
    """Kelvin-Voigt time, s, of a direction of bending."""
    zeta = 0.01 * deck.number(ratio, ratio.replace("(1)", "1"), least=0.0)
    factors = np.array([deck.number(f"{shape}({p})") for p in POWERS])
    x = np.linspace(0.0, 1.0, FINE)
    moved = (factors * x[:, None] ** POWERS).sum(axis=1)
    bent = (factors * POWERS * (POWERS - 1) * x[:, None] ** (POWERS - 2)).sum(axis=1)
    kinetic = trapezoid(np.interp(x, s, mass) * moved**2, x) * length
    elastic = trapezoid(np.interp(x, s, stiffness) * bent**2, x) / length**3
    # zeta/(pi f) with omega = 2 pi f
    return float(2.0 * zeta / np.sqrt(elastic / kinetic))


def _straight(length: float, s: Array, angles: Array) -> BladeAxis:
    return BladeAxis(np.column_stack([0 * s, 0 * s, s * length]), angles)
