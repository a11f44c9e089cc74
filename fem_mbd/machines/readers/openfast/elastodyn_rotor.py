"""Reader of the rotor of an ElastoDyn file: blades, hub, tip masses, and the teeter hinge of a two-bladed rotor.

With two blades OverHang ends at the teeter pin, and the apex of the blades lies UndSling upwind of it along the shaft.
HubIner is then about the teeter axis at the pin; later versions give HubIner about the rotor's axis, and
HubIner_Teeter in addition. With TeetMod 1 the teeter spring and damper act beyond the positions TeetSStP and TeetDmpP;
they are read only if these are zero. (ElastoDyn's source, modules/elastodyn.)
"""

from __future__ import annotations

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.elements.blades.beamdyn import read_beamdyn
from fem_mbd.elements.blades.blade import Blade
from fem_mbd.machines.building.blocks import Hub, Rotor, Teeter
from fem_mbd.machines.readers.openfast.deck import Deck
from fem_mbd.machines.readers.openfast.elastodyn import read_blade

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
