"""Tower and blades of ElastoDyn: straight beams of bending stiffness and mass, with modal damping.

What ElastoDyn leaves out, stretching, shear, twist and rotary inertia, is that of
`fem_mbd.machines.description.beams`; old files have stretching and torsion.

Damping is a ratio for each shape of bending. ElastoDyn turns the ratio zeta_j (percent in the file) of shape j into
C_ij = eta_j K_ij, eta_j = zeta_j/(pi f_j), f_j the frequency of the beam alone in the shape of the file's polynomial
(ElastoDyn's source, Coeff). There a beam moves in these shapes only; here it has modes of its own, from which the
polynomials differ by up to a tenth of the energy. So eta_j belongs to mode j of the beam, clamped, with what it carries
as a mass at its end: modes by Ritz's method in x^2 … x^9. The least eta of a direction of bending is its Kelvin-Voigt
time, which damps all that ElastoDyn does not have, too; the rest is damping by shapes
(`fem_mbd.elements.beam.damping.shape_damping`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import scipy
from scipy.integrate import trapezoid

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.elements.beam.damping.shape_damping import STRAIN, BendingShapes
from fem_mbd.elements.blades.axis import BladeAxis
from fem_mbd.elements.blades.blade import Blade
from fem_mbd.machines.description.beams import plain_beam
from fem_mbd.machines.readers.openfast.deck import Deck

POWERS = np.arange(2, 7)  # of x in ElastoDyn's polynomials of mode shapes
INTEGRATION_POINTS = 2001  # points at which they are integrated
RITZ = np.arange(2, 10)  # of x in the modes
TIME_TOLERANCE = 1e-9  # of the largest time: what times differ by that are one
# times the largest stiffness of bending: a direction that a flag of the files holds
LOCKED_STIFFNESS_RATIO = 1e3


@dataclass(frozen=True, eq=False)
class Stations:
    """Mass (n,), kg/m, at fractions s (n,) of the length, m; kg at the end."""

    s: Array
    mass: Array
    length: float
    carried: float = 0.0


def damping_of(
    deck: Deck,
    about: Literal["bend2", "bend3"],
    ratios: Mapping[str, str],
    stations: Stations,
    stiffness: Array,
) -> BendingShapes:
    """The shapes of a direction of bending with their times eta, s.

    Parameters
    ----------
    deck : the tower's or the blade's file
    about : the section axis
    ratios : keywords of the ratios and of the shapes that they belong to
    stations : of the beam
    stiffness : (n,) N m^2, in this direction

    Raises
    ------
    InputError
        Naming file and keyword: a ratio below zero, words that are missing.
    """
    rows = np.array([[deck.number(f"{shape}({p})") for p in POWERS] for shape in ratios.values()])
    zeta = [0.01 * deck.number(r, r.replace("(", "").replace(")", ""), least=0.0) for r in ratios]
    kinetic, elastic = (np.diag(m) for m in _energies(rows, POWERS, stations, stiffness))
    if not (np.all(kinetic > 0.0) and np.all(elastic > 0.0) and np.all(np.isfinite([*kinetic, *elastic]))):
        deck.fail(
            f"mass, stiffness and the shapes {', '.join(ratios.values())} give no frequency: they have to be finite, "
            "mass and stiffness above zero"
        )
    # zeta/(pi f) with omega = 2 pi f
    eta = 2.0 * np.array(zeta) / np.sqrt(elastic / kinetic)
    return BendingShapes(about, _modes(deck, stations, stiffness, len(rows)), eta)


def _modes(deck: Deck, stations: Stations, stiffness: Array, number: int) -> Array:
    """(k, p) coefficients of the lowest modes by Ritz's method."""
    mass, elastic = _energies(np.eye(len(RITZ)), RITZ, stations, stiffness)
    try:
        # squares of 1/omega: a mass at the end that is far above the beam's leaves the stiffness definite
        _, modes = scipy.linalg.eigh(mass + stations.carried * np.ones_like(mass), elastic)
    except (scipy.linalg.LinAlgError, ValueError):
        deck.fail("the beam has no modes: mass and stiffness have to be finite and above zero")
    return np.asarray(modes.T[::-1][:number])


def _energies(rows: Array, powers: Indices, stations: Stations, stiffness: Array) -> tuple[Array, Array]:
    """(k, k) of mass, kg, and of stiffness, N/m, of polynomials with coefficients ``rows`` (k, p)."""
    x = np.linspace(0.0, 1.0, INTEGRATION_POINTS)
    moved = rows @ (x[:, None] ** powers).T
    bent = rows @ (powers * (powers - 1) * x[:, None] ** (powers - 2)).T
    mass, bending = (np.interp(x, stations.s, given) for given in (stations.mass, stiffness))
    kinetic = trapezoid(mass * moved[:, None] * moved, x) * stations.length
    return kinetic, trapezoid(bending * bent[:, None] * bent, x) / stations.length**3


def times(damped: Sequence[BendingShapes]) -> Array:
    """(6,) Kelvin-Voigt times, s: the least of each direction."""
    found = np.zeros(6)
    for shapes_of in damped:
        found[STRAIN[shapes_of.about]] = shapes_of.times.min()
    return found


def shapes(damped: Sequence[BendingShapes]) -> tuple[BendingShapes, ...]:
    """The shapes whose times are not all that of `times`."""
    found = [replace(d, base=float(d.times.min())) for d in damped]
    return tuple(d for d in found if np.any(np.abs(d.times - d.base) > TIME_TOLERANCE * d.times.max()))


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
    flap, edge = (
        LOCKED_STIFFNESS_RATIO * largest if held else own for held, own in zip(stiff, bending, strict=True)
    )
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
