"""Reader of ElastoDyn's tower, blades and rotor: straight beams with modal damping, hub, tip masses, teeter hinge.

Beams (`read_tower`, `read_blade`) have bending stiffness and mass. Stretching, shear, twist and rotary inertia, which
ElastoDyn neglects, are those of `fem_mbd.machines.description.beams`; old files have axial and torsional stiffness.

The files have a damping ratio for each bending shape. From the ratio zeta_j (percent in the file) of shape j ElastoDyn
computes C_ij = eta_j K_ij, eta_j = zeta_j/(pi f_j), f_j the frequency of the beam alone in the polynomial shape
(ElastoDyn's source, Coeff). There a beam moves in these shapes only; here it has its true modes, from which the
polynomials differ by up to a tenth of the energy. Hence eta_j is assigned to mode j of the clamped beam with the mass
that it carries at its end (Ritz's method in x^2 … x^9). The smallest eta of a bending direction is its Kelvin-Voigt
time, which also damps modes that ElastoDyn does not have; the rest is damping by shapes
(`fem_mbd.elements.beam.shape_damping`).

Rotor (`read_rotor`). With two blades OverHang ends at the teeter pin, and the apex of the blades lies UndSling upwind
of it along the shaft. HubIner is then about the teeter axis at the pin; later versions give HubIner about the rotor's
axis, and HubIner_Teeter in addition. With TeetMod 1 the teeter spring and damper act beyond the positions TeetSStP and
TeetDmpP; they are read only if these are zero. (ElastoDyn's source, modules/elastodyn.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import scipy
from scipy.integrate import trapezoid

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.elements.beam.shape_damping import STRAIN, BendingShapes
from fem_mbd.elements.blades.beamdyn import read_beamdyn
from fem_mbd.elements.blades.blade import Blade, BladeAxis
from fem_mbd.machines.building.blocks import Hub, Rotor, Teeter
from fem_mbd.machines.description.beams import plain_beam
from fem_mbd.machines.readers.openfast.deck import Deck

POWERS = np.arange(2, 7)  # of x in ElastoDyn's mode shape polynomials
INTEGRATION_POINTS = 2001
RITZ = np.arange(2, 10)  # powers of x in Ritz's method
TIME_TOLERANCE = 1e-9  # relative tolerance for equal damping times
LOCKED_STIFFNESS_RATIO = 1e3  # stiffness of a locked bending direction over the largest bending stiffness


@dataclass(frozen=True, eq=False)
class Stations:
    """Mass (n,), kg/m, at fractions s (n,) of the length, m; ``carried_mass``, kg, at the end."""

    s: Array
    mass: Array
    length: float
    carried_mass: float = 0.0


def damping_of(
    deck: Deck,
    about: Literal["bend2", "bend3"],
    ratios: Mapping[str, str],
    stations: Stations,
    stiffness: Array,
) -> BendingShapes:
    """The shapes of a bending direction with their damping times eta, s.

    Parameters
    ----------
    deck : the tower's or the blade's file
    about : the section axis
    ratios : keywords of the shapes by the keywords of their damping ratios
    stations : of the beam
    stiffness : (n,) N m^2, in this direction

    Raises
    ------
    InputError
        Naming file and keyword: a negative ratio, missing keywords.
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
        # eigenvalues are 1/omega^2: the stiffness stays definite however large the mass at the end is
        _, modes = scipy.linalg.eigh(mass + stations.carried_mass * np.ones_like(mass), elastic)
    except (scipy.linalg.LinAlgError, ValueError):
        deck.fail("the beam has no modes: mass and stiffness have to be finite and above zero")
    return np.asarray(modes.T[::-1][:number])


def _energies(rows: Array, powers: Indices, stations: Stations, stiffness: Array) -> tuple[Array, Array]:
    """Mass (kg) and stiffness (N/m) matrices (k, k) of polynomials with coefficients ``rows`` (k, p)."""
    x = np.linspace(0.0, 1.0, INTEGRATION_POINTS)
    shape = rows @ (x[:, None] ** powers).T
    curvature = rows @ (powers * (powers - 1) * x[:, None] ** (powers - 2)).T
    mass, bending = (np.interp(x, stations.s, values) for values in (stations.mass, stiffness))
    kinetic = trapezoid(mass * shape[:, None] * shape, x) * stations.length
    return kinetic, trapezoid(bending * curvature[:, None] * curvature, x) / stations.length**3


def kelvin_voigt_times(damped: Sequence[BendingShapes]) -> Array:
    """(6,) Kelvin-Voigt times, s: the smallest of each direction."""
    result = np.zeros(6)
    for direction in damped:
        result[STRAIN[direction.about]] = direction.times.min()
    return result


def shapes_with_unequal_times(damped: Sequence[BendingShapes]) -> tuple[BendingShapes, ...]:
    """The shapes of the directions whose times differ, with the Kelvin-Voigt time as base."""
    directions = [replace(d, base=float(d.times.min())) for d in damped]
    return tuple(d for d in directions if np.any(np.abs(d.times - d.base) > TIME_TOLERANCE * d.times.max()))


def read_tower(
    deck: Deck, length: float, locked: tuple[bool, ...], remarks: list[str], carried_mass: float = 0.0
) -> Blade:
    """The tower of an ElastoDyn tower file, upwards along z, fore-aft along x.

    Parameters
    ----------
    deck : the tower file
    length : m, from foot to top
    locked : whether it is rigid fore-aft, side-side
    remarks : list to which unused data are added
    carried_mass : kg, at its top, for the damped shapes
    """
    names = ("HtFract", "TMassDen", "TwFAStif", "TwSSStif")
    table = deck.table(names, int(deck.number("NTwInpSt", least=1)), "HtFract")
    s, mass = table["HtFract"], deck.number("AdjTwMa") * table["TMassDen"]
    fore_aft = _tuning_factor(deck, "FAStTunr", remarks) * deck.number("AdjFASt") * table["TwFAStif"]
    side = _tuning_factor(deck, "SSStTunr", remarks) * deck.number("AdjSSSt") * table["TwSSStif"]
    stations = Stations(s, mass, length, carried_mass)
    damped = (
        damping_of(deck, "bend3", {"TwrFADmp(1)": "TwFAM1Sh", "TwrFADmp(2)": "TwFAM2Sh"}, stations, fore_aft),
        damping_of(deck, "bend2", {"TwrSSDmp(1)": "TwSSM1Sh", "TwrSSDmp(2)": "TwSSM2Sh"}, stations, side),
    )
    axis, other = _straight(length, s, 0 * s), (table.get("TwEAStif"), table.get("TwGJStif"))
    return _beam(deck, "tower", axis, (s, mass), (fore_aft, side), other, damped, locked)


def read_blade(deck: Deck, length: float, name: str, locked: tuple[bool, ...], remarks: list[str]) -> Blade:
    """A blade of an ElastoDyn blade file, straight along z.

    Parameters
    ----------
    deck : the blade file
    length : m, from root to tip
    name : of the blade
    locked : whether it is rigid flapwise, edgewise
    remarks : list to which unused data are added
    """
    names = ("BlFract", "StrcTwst", "BMassDen", "FlpStff", "EdgStff")
    table = deck.table(names, int(deck.number("NBlInpSt", least=1)), "BlFract")
    s, mass = table["BlFract"], deck.number("AdjBlMs") * table["BMassDen"]
    flap = _tuning_factor(deck, "FlStTunr", remarks) * deck.number("AdjFlSt") * table["FlpStff"]
    edge = deck.number("AdjEdSt") * table["EdgStff"]
    stations = Stations(s, mass, length)
    damped = (
        damping_of(deck, "bend3", {"BldFlDmp(1)": "BldFl1Sh", "BldFlDmp(2)": "BldFl2Sh"}, stations, flap),
        damping_of(deck, "bend2", {"BldEdDmp(1)": "BldEdgSh"}, stations, edge),
    )
    # structural twist is positive about -z
    axis, other = (
        _straight(length, s, -np.radians(table["StrcTwst"])),
        (table.get("EAStff"), table.get("GJStff")),
    )
    return _beam(deck, name, axis, (s, mass), (flap, edge), other, damped, locked)


def _beam(
    deck: Deck,
    name: str,
    axis: BladeAxis,
    stations: tuple[Array, Array],
    bending: tuple[Array, Array],
    other: tuple[Array | None, Array | None],
    damped: tuple[BendingShapes, ...],
    locked: tuple[bool, ...],
) -> Blade:
    """Beam with stations (fractions, mass), bending stiffness (flapwise, edgewise), other stiffness (EA, GJ), damping.

    Locked directions are nearly rigid and not damped.
    """
    damped_free = tuple(shape for shape, is_locked in zip(damped, locked, strict=True) if not is_locked)
    largest = np.maximum(*bending)
    flap, edge = (
        LOCKED_STIFFNESS_RATIO * largest if is_locked else stiffness
        for is_locked, stiffness in zip(locked, bending, strict=True)
    )
    beam = plain_beam(
        name,
        axis,
        *stations,
        (edge, flap),
        *other,
        kelvin_voigt_times(damped_free),
        str(deck.path),
        slender=largest,
    )
    return replace(beam, damped_shapes=shapes_with_unequal_times(damped_free))


def _tuning_factor(deck: Deck, word: str, remarks: list[str]) -> float:
    """Tuning factor of a direction's stiffness; ElastoDyn has one for each of the two shapes."""
    names = [(f"{word}({k})", f"{word}{k}") for k in (1, 2)]
    first, second = (deck.number(*pair, least=0.0) if any(map(deck.has, pair)) else 1.0 for pair in names)
    if first != second:
        remarks.append(
            f"{word}(2) is {second:g}, {word}(1) {first:g}: a beam has one factor, the first; its second frequency is "
            f"{np.sqrt(first / second) if second else np.inf:.3g} times ElastoDyn's"
        )
    if first == 0.0:
        deck.fail(f"{word}(1) is 0: a direction without stiffness")
    return first


def _straight(length: float, s: Array, angles: Array) -> BladeAxis:
    return BladeAxis(np.column_stack([0 * s, 0 * s, s * length]), angles)


# permitted difference of BeamDyn's blade length from that by ElastoDyn's radii, as a fraction: silently, and with a
# warning; OpenFAST does not compare them
LENGTH_TOLERANCE, LENGTH_WARNING = 1e-4, 1e-2
MAX_STOP_ANGLE = 90.0  # deg: teeter stops beyond it are ignored


def read_rotor(main: Deck, elasto: Deck, remarks: list[str]) -> tuple[Rotor, float]:
    """The rotor, and the distance (m, along the shaft) of its apex, or teeter pin, from the end of OverHang.

    Parameters
    ----------
    main, elasto : main file and ElastoDyn's
    remarks : list to which unused data are added

    Raises
    ------
    InputError
        Naming file and line.
    """
    count = int(elasto.number("NumBl", least=1))
    if count > 3:
        elasto.fail(f"NumBl is {count}: ElastoDyn has three blades at most")
    blades = tuple(_blade(main, elasto, k + 1, remarks) for k in range(count))
    cones = tuple(np.radians(elasto.number(f"PreCone({k + 1})", f"PreCone{k + 1}")) for k in range(count))
    tips = tuple(elasto.number(f"TipMass({k + 1})", f"TipMass{k + 1}", least=0.0) for k in range(count))
    teeter = _teeter(elasto, remarks) if count == 2 and elasto.flag("TeetDOF", False) else None
    if count == 2 and teeter is None and elasto.optional_number("TeetDefl") != 0.0:
        remarks.append(
            f"TeetDefl {elasto.value('TeetDefl')} deg is not read: the rotor is held at 0 deg (TeetDOF False)"
        )
    under = elasto.number("UndSling") if count == 2 and elasto.has("UndSling") else 0.0
    # blade 1 is upright where the azimuth is AzimB1Up
    azimuth = float(np.radians(elasto.number("Azimuth") - elasto.optional_number("AzimB1Up")))
    rotor = Rotor(
        blades, _hub(elasto, count, under), count, cones, azimuth=azimuth, tip_mass=tips, teeter=teeter
    )
    return rotor, 0.0 if teeter is not None else -under


def _hub(elasto: Deck, count: int, under: float) -> Hub:
    mass, centre = elasto.number("HubMass", least=0.0), elasto.number("HubCM")
    inertia: float | Array = elasto.number("HubIner", least=0.0)
    if count == 2:
        has_teeter_inertia = elasto.has("HubIner_Teeter")
        about_pin = elasto.number("HubIner_Teeter" if has_teeter_inertia else "HubIner", least=0.0)
        about_teeter = about_pin - mass * (centre - under) ** 2
        if about_teeter < 0.0:
            elasto.fail(
                "the hub's inertia about the teeter axis is less than that of HubMass at HubCM, UndSling from the pin"
            )
        # x along the shaft, y the teeter axis
        inertia = np.diag([inertia if has_teeter_inertia else 0.0, about_teeter, 0.0])
    return Hub(elasto.number("HubRad"), mass, centre, inertia)


def _teeter(elasto: Deck, remarks: list[str]) -> Teeter:
    if elasto.has("Delta3") and elasto.number("Delta3") != 0.0:
        elasto.fail("Delta3 is not zero: a skewed teeter axis is not supported; give 0")
    under = -elasto.number("UndSling")
    kind = elasto.number("TeetMod")
    if kind == 0.0:
        return Teeter(under)
    if kind != 1.0:
        elasto.fail(f"TeetMod is {kind:g}: a user's routine is not supported; give 0 or 1")
    stiffness = elasto.number("TeetSSSp", least=0.0) if elasto.number("TeetSStP") == 0.0 else 0.0
    damping = elasto.number("TeetDmp", least=0.0) if elasto.number("TeetDmpP") == 0.0 else 0.0
    for name, what in (("TeetSStP", "soft stop"), ("TeetHStP", "hard stop"), ("TeetDmpP", "damper")):
        at = elasto.number(name)
        if 0.0 < at < MAX_STOP_ANGLE:
            remarks.append(f"{name} {at:g} deg: the {what} is not read: the rotor teeters through it")
    if elasto.number("TeetCDmp") != 0.0:
        remarks.append("TeetCDmp: Coulomb's friction of the teeter hinge is not read: teeter is damped less")
    return Teeter(under, stiffness, damping)


def _blade(main: Deck, elasto: Deck, k: int, remarks: list[str]) -> Blade:
    length = elasto.number("TipRad") - elasto.number("HubRad")
    if not length > 0.0:
        elasto.fail("TipRad has to be larger than HubRad")
    kind = main.number("CompElast")
    if kind == 1:
        deck = elasto.deck("ElastoDyn blade file", f"BldFile({k})", f"BldFile{k}")
        locked = tuple(
            not any(elasto.flag(name, True) for name in names)
            for names in (("FlapDOF1", "FlapDOF2"), ("EdgeDOF",))
        )
        if k == 1 and elasto.flag("FlapDOF1", True) != elasto.flag("FlapDOF2", True):
            off = "FlapDOF1" if elasto.flag("FlapDOF2", True) else "FlapDOF2"
            remarks.append(
                f"{off} is False: a beam has all flap motions or none; this one bends in all of them"
            )
        return read_blade(deck, length, f"blade{k}", locked, remarks if k == 1 else [])
    blade = read_beamdyn(main.file(f"BDBldFile({k})"), name=f"blade{k}")
    reach = float(blade.axis.points[-1, 2])
    difference = f"TipRad less HubRad is {length:g} m, but the key points of BeamDyn's blade {k} end at z = {reach:g} m"
    if abs(reach - length) > LENGTH_WARNING * length:
        elasto.fail(f"{difference}: correct TipRad, or name the BeamDyn file of this blade (BDBldFile({k}))")
    if abs(reach - length) > LENGTH_TOLERANCE * length:
        remarks.append(f"{difference}: the blade is as long as BeamDyn's, as in OpenFAST")
    if k == 1 and blade.modal_ratios:
        remarks.append(
            "BeamDyn: modal damping (damp_type 2) is not used in machines: the blades have no damping"
        )
    return blade
