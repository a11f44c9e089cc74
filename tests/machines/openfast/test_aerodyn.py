"""AeroDyn's files in OpenFAST decks: what is read against the files, the rotor against ROSCO's tables, refusals."""

import re
import warnings
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from fem_mbd.aerodynamics import FrozenInduction, Momentum, NoInduction, RigidRotor
from fem_mbd.aerodynamics.files import read_aerodyn_blade, read_aerodyn_polar
from fem_mbd.errors import InputError
from fem_mbd.machines import Machine, read_openfast_machine
from fem_mbd.machines.aerodynamic_loads import aerodynamics_of
from fem_mbd.machines.report import describe
from tests.machines.openfast.openfast_files import FILES, deck

AERO, BLADE = "NREL_5MW_AeroDyn.dat", "NRELOffshrBsline5MW_AeroDyn_blade.dat"
AIRFOILS = (
    "Cylinder1",
    "Cylinder2",
    "DU40_A17",
    "DU35_A17",
    "DU30_A17",
    "DU25_A17",
    "DU21_A17",
    "NACA64_A17",
)


def changed(folder: Path, values: Mapping[str, str], file: str = AERO) -> Machine:
    """A copy of the deck with other lines in the AeroDyn file."""
    main = deck(folder)
    text = (folder / file).read_text()
    for old, new in values.items():
        text, count = re.subn(old, new, text, count=1, flags=re.M)
        assert count == 1, old
    (folder / file).write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read_openfast_machine(main)


def test_layout_and_models_are_those_of_the_files() -> None:
    machine = read_openfast_machine(FILES / "NREL_5MW.fst")
    aero = aerodynamics_of(machine)
    layout = read_aerodyn_blade(FILES / BLADE)
    blade = aero.blades["blade1"]
    assert list(aero.blades) == ["blade1", "blade2", "blade3"]
    # the blade is straight along z: stations lie at BlSpn, the aerodynamic centre at (BlCrvAC, BlSwpAC) across
    np.testing.assert_allclose(blade.span, layout.centre[:, 2], atol=1e-9)
    line = machine.member("blade1").blade.axis
    for k, s in enumerate(blade.span):
        _, axes = line.at(s / line.length)[:2]
        c, t = blade.centre[k], blade.twist[k]
        np.testing.assert_allclose((axes[:, 1:] @ c)[:2], layout.centre[k, :2], atol=1e-9)
        trailing = axes[:, 1:] @ (np.sin(t), np.cos(t))
        # turned about -z by BlTwist, and by the slope of the line of aerodynamic centres
        expected = (np.sin(layout.twist[k]), np.cos(layout.twist[k]), 0.0)
        np.testing.assert_allclose(trailing, expected, atol=2e-2)
    assert aero.induction == Momentum(
        relation="glauert", hub_loss=True, axial_drag=False, tangential_drag=False
    )
    assert (aero.stall, aero.angle_at, aero.hub_radius, aero.density) == ("hgm", 0.75, 1.5, 1.225)
    rows = describe(machine)["aerodynamics"]
    assert len(rows) == 3


# NREL/ROSCO, Examples/Test_Cases/NREL-5MW/Cp_Ct_Cq.NREL5MW.txt (CCBlade, rigid): tip-speed ratio, pitch deg, Ct
ROSCO_TABLE = (
    (6.0, 0.0, 0.649128), (7.5, 0.0, 0.778188), (9.0, 0.0, 0.866582), (7.5, 2.0, 0.670805),
    (6.0, 5.0, 0.462125), (4.5, 10.0, 0.270674),
)  # fmt: skip
PEAK = (
    7.55,
    0.482,
)  # tip-speed ratio and power coefficient at pitch 0, NREL/TP-500-38060, section 7.2 (FAST)


@pytest.mark.parametrize(
    ("values", "induction"),
    [
        ({r"^ *1 +Wake_Mod": "0 Wake_Mod"}, NoInduction()),
        ({r"^ *2 +DBEMT_Mod": "-1 DBEMT_Mod"}, FrozenInduction()),
        (
            {
                r"^ *1 +Wake_Mod": "1 WakeMod",
                r"^False +AIDrag": "True AIDrag",
                r"^False +TIDrag": "True TIDrag",
            },
            Momentum(relation="glauert", hub_loss=True, dynamic=False),
        ),
        (
            {r"^ *2 +DBEMT_Mod": "3 DBEMT_Mod", r"^True +TanInd": "False TanInd"},
            Momentum(
                relation="glauert",
                hub_loss=True,
                swirl=False,
                axial_drag=False,
                tangential_drag=False,
                slow=4.0,
            ),
        ),
    ],
)
def test_models_of_induction(tmp_path: Path, values: Mapping[str, str], induction: object) -> None:
    assert aerodynamics_of(changed(tmp_path, values)).induction == induction


def test_stall_and_place_of_the_angle_of_attack(tmp_path: Path) -> None:
    machine = changed(tmp_path, {r"^4 +UA_Mod": "0 UA_Mod", r"^True +AoA34": "False AoA34"})
    aero = aerodynamics_of(machine)
    assert (aero.stall, aero.angle_at) == ("none", 0.25)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {r"^ *1 +Wake_Mod": "3 Wake_Mod"},
            r"NREL_5MW_AeroDyn.dat, line \d+: Wake_Mod is 3: free vortex wakes",
        ),
        ({r"Cylinder1.dat": "none.dat"}, r"airfoil file '.*none.dat' cannot be read"),
        ({r"^ *2 +InCol_Cl": "9 InCol_Cl"}, r"Cylinder1.dat, line \d+: alpha and coefficients: 4 entries, 9"),
        ({r"^ *8 +NumAFfiles": "7 NumAFfiles"}, r"BLADE names airfoil 8 \(BlAFID\), and NumAFfiles is 7"),
    ],
)
def test_what_cannot_be_used_is_refused(tmp_path: Path, values: Mapping[str, str], message: str) -> None:
    machine = changed(tmp_path, values)
    with pytest.raises(InputError, match=message.replace("BLADE", re.escape(BLADE))):
        aerodynamics_of(machine)


def test_models_that_are_left_out_are_named(tmp_path: Path) -> None:
    machine = changed(tmp_path, {r"^False +CompAA": "True CompAA", r"^4 +UA_Mod": "3 UA_Mod"})
    assert any("CompAA: aeroacoustics" in line for line in machine.ignored)
    assert any("UA_Mod 3: this model of dynamic stall is replaced" in line for line in machine.ignored)


def test_a_deck_without_loads_has_no_aerodynamics(tmp_path: Path) -> None:
    main = deck(tmp_path, main={"CompAero": 0})
    with pytest.raises(InputError, match="has no aerodynamics"):
        aerodynamics_of(read_openfast_machine(main))


def test_rigid_rotor_against_published_coefficients() -> None:
    """Both rotors are tilted by 5 deg and coned by 2.5 deg: so is the wind here, by its component."""
    layout = read_aerodyn_blade(FILES / BLADE)
    polars = [read_aerodyn_polar(FILES / f"{name}.dat") for name in AIRFOILS]
    inside = slice(1, -1)
    r = 1.5 + layout.centre[inside, 2]
    rotor = RigidRotor(
        r, layout.chord[inside], layout.twist[inside], [polars[k - 1] for k in layout.airfoil[inside]], 3, 63.0, 1.5,
        Momentum(relation="glauert", hub_loss=True),
    )  # fmt: skip
    lengths = np.diff([0.0, *(0.5 * (r[1:] + r[:-1]) - 1.5), 61.5])
    wind, disk = 11.4, 0.5 * 1.225 * np.pi * 63.0**2 * 11.4**2

    def at(ratio: float, pitch: float) -> dict[str, np.ndarray]:
        through = wind * np.cos(np.radians(5.0)) * np.cos(np.radians(2.5))
        return rotor.at(through, ratio * wind / 63.0, np.radians(pitch))

    for ratio, pitch, ct in ROSCO_TABLE:
        assert 3 * (at(ratio, pitch)["axial"] * lengths).sum() / disk == pytest.approx(ct, rel=0.03)
    torque = 3 * (at(PEAK[0], 0.0)["driving"] * r * lengths).sum()
    assert torque * PEAK[0] / 63.0 / disk == pytest.approx(PEAK[1], rel=0.03)
