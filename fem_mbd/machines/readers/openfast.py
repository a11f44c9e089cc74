"""A machine from the input files of OpenFAST: ElastoDyn, with blades of BeamDyn or of ElastoDyn.

What the files mean (OpenFAST user documentation, ElastoDyn and BeamDyn; conventions of NREL/EL-500-38230):

- tower from TowerBsHt to TowerHt on fixed ground, nacelle, shaft at Twr2Shft above the tower's top on the yaw axis,
  ShftTilt (negative lifts the upwind end), rotor apex at OverHang along the shaft (negative upwind), PreCone (positive
  downwind), HubRad to the blades' roots;
- HubMass at HubCM with HubIner about the axis of rotation, NacMass at NacCM, NacYIner about the yaw axis, YawBrMass on
  the tower's top, TipMass at the blades' tips;
- GenIner behind the gearbox counts GBRatio^2 at the rotor; DTTorSpr and DTTorDmp between rotor and generator, stiff
  when DrTrDOF is False; YawSpr and YawDamp of ServoDyn in the yaw drive, stiff when YawDOF is False.

Everything is flexible and free to move that the files give a stiffness: other flags of degrees of freedom are not used.
BeamDyn's blades: `fem_mbd.elements.blades.read_beamdyn`; ElastoDyn's, and the tower: `elastodyn` beside this file.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fem_mbd.elements.blades.beamdyn import read_beamdyn
from fem_mbd.elements.blades.blade import Blade
from fem_mbd.machines.blocks import Drivetrain, Hub, Nacelle, Rotor, Tower
from fem_mbd.machines.building import build_turbine
from fem_mbd.machines.machine import Machine
from fem_mbd.machines.readers.elastodyn import read_blade, read_tower
from fem_mbd.machines.readers.openfast_deck import Deck

OTHERS = ("CompInflow", "CompAero", "CompHydro", "CompSub", "CompMooring", "CompIce", "CompSoil")
SAME = 1e-3  # m: what BeamDyn's blade may miss of the length that ElastoDyn's radii give


def read_openfast_machine(path: str | Path, name: str = "") -> Machine:
    """The machine of an OpenFAST main file (.fst).

    Parameters
    ----------
    path : of the main file
    name : of the machine; that of the file when left out

    Raises
    ------
    InputError
        Naming file and line: files that cannot be read, keywords missing, numbers that cannot be, a teetering or
        furling machine.
    """
    main = Deck(path, "OpenFAST main file")
    elasto = main.deck("ElastoDyn file", "EDFile")
    for flag, what in (("TeetDOF", "a teetering rotor"), ("Furling", "a furling machine")):
        if elasto.flag(flag):
            elasto.fail(f"{flag} is True: {what} is not read")
    count = int(elasto.number("NumBl", least=1))
    blades = tuple(_blade(main, elasto, k + 1) for k in range(count))
    inertia = elasto.number("HubIner", least=0.0)
    hub = Hub(elasto.number("HubRad"), elasto.number("HubMass", least=0.0), elasto.number("HubCM"), inertia)
    cones = tuple(np.radians(elasto.number(f"PreCone({k + 1})")) for k in range(count))
    tips = tuple(elasto.number(f"TipMass({k + 1})", least=0.0) for k in range(count))
    azimuth = float(np.radians(elasto.number("Azimuth")))
    rotor = Rotor(blades, hub, count, cones, azimuth=azimuth, tip_mass=tips)
    base, top = elasto.number("TowerBsHt"), elasto.number("TowerHt")
    if not top > base:
        elasto.fail(f"the tower ends at TowerHt = {top:g} m, not above its foot at TowerBsHt = {base:g} m")
    carried = sum(blade.mass for blade in blades) + sum(tips) + hub.mass + elasto.number("NacMass", least=0.0)
    beam = read_tower(elasto.deck("ElastoDyn tower file", "TwrFile"), top - base, carried)
    tower = Tower(beam, base, elasto.number("YawBrMass", least=0.0))
    return build_turbine(
        name or Path(path).stem, tower, _nacelle(main, elasto), _drivetrain(elasto), rotor,
        _ignored(main, elasto), str(path),
    )  # fmt: skip


def _blade(main: Deck, elasto: Deck, k: int) -> Blade:
    length = elasto.number("TipRad") - elasto.number("HubRad")
    if not length > 0.0:
        elasto.fail("TipRad has to be larger than HubRad")
    if main.number("CompElast") == 1:
        return read_blade(
            elasto.deck("ElastoDyn blade file", f"BldFile({k})", f"BldFile{k}"), length, f"blade{k}"
        )
    if main.number("CompElast") != 2:
        main.fail(f"CompElast is {main.value('CompElast')}: give 1 (ElastoDyn) or 2 (ElastoDyn and BeamDyn)")
    blade = read_beamdyn(main.file(f"BDBldFile({k})"), name=f"blade{k}")
    reach = float(blade.axis.points[-1, 2])
    if abs(reach - length) > SAME:
        elasto.fail(
            f"TipRad less HubRad is {length:g} m, but the key points of BeamDyn's blade {k} end at z = {reach:g} m"
        )
    return blade


def _nacelle(main: Deck, elasto: Deck) -> Nacelle:
    mass = elasto.number("NacMass", least=0.0)
    centre = np.array([elasto.number(f"NacCM{axis}n") for axis in "xyz"])
    own = elasto.number("NacYIner", least=0.0) - mass * float(centre[:2] @ centre[:2])
    if own < 0.0:
        elasto.fail("NacYIner is less than NacMass at its place has about the yaw axis")
    drive = None
    if elasto.flag("YawDOF"):
        if main.number("CompServo") != 1:
            main.fail("YawDOF is True, but without ServoDyn (CompServo 1) nothing holds the nacelle")
        servo = main.deck("ServoDyn file", "ServoFile")
        drive = servo.number("YawSpr", least=0.0), servo.number("YawDamp", least=0.0)
    return Nacelle(mass, centre, np.diag([0.0, 0.0, own]), drive)


def _drivetrain(elasto: Deck) -> Drivetrain:
    twist = (elasto.number("DTTorSpr", least=0.0), elasto.number("DTTorDmp", least=0.0))
    return Drivetrain(
        elasto.number("OverHang"), elasto.number("Twr2Shft"), -float(np.radians(elasto.number("ShftTilt"))),
        twist if elasto.flag("DrTrDOF") else None, elasto.number("GenIner") * elasto.number("GBRatio") ** 2,
        elasto.number("RotSpeed") * np.pi / 30,
    )  # fmt: skip


def _ignored(main: Deck, elasto: Deck) -> tuple[str, ...]:
    """What the files say and is not used, one line each."""
    lines = [f"{word} {main.value(word)}" for word in OTHERS if main.has(word) and main.number(word) != 0]
    lines += [
        f"{word} {elasto.value(word)}"
        for word in ("PtfmMass", "NacYaw", "UndSling", "BlPitch(1)")
        if elasto.has(word) and elasto.number(word) != 0.0
    ]
    return (*lines, "deflections at the start, gauges and outputs")
