"""Blades pass by the tower: a downwind windIO rotor by hand, and machines whose blades pass through it are refused.

BAR_DRC (downwind, uptilt 5 degrees, overhang 7 m, hub at 140 m): the shaft rises away from the tower, as in NREL's own
OpenFAST deck of it (ShftTilt +5, Twr2Shft 2.388 m); tilted the other way the lower tip is at x = 1.61 m, in a tower
of 3 m radius.
"""

import warnings
from pathlib import Path

import numpy as np
import pytest

from fem_mbd.errors import InputError
from fem_mbd.machines import LeftOutWarning, assemble, read_openfast_machine, read_windio_machine
from fem_mbd.machines.description.machine import rotor_of
from tests.machines.openfast.openfast_files import deck

DRC = Path(__file__).parent / "decks" / "windio1" / "BAR_DRC.yaml"


@pytest.mark.filterwarnings("ignore::fem_mbd.machines.LeftOutWarning")
def test_the_shaft_of_a_downwind_rotor_rises_away_from_the_tower() -> None:
    machine = read_windio_machine(DRC)
    lower = assemble(machine, {rotor_of(machine).name: np.pi})
    rotor, tip = lower.rotor, lower.beams["blade1"].end.position
    assert rotor.hub.position == pytest.approx([7.0, 0.0, 140.0], abs=1e-7)
    assert rotor.axis == pytest.approx([np.cos(np.radians(5)), 0.0, np.sin(np.radians(5))], abs=1e-7)
    assert tip[0] == pytest.approx(19.5, abs=0.1)
    nacelle = machine.member("nacelle").blade.length
    assert nacelle == pytest.approx(2.388, abs=0.01)


@pytest.mark.parametrize(
    "values",
    [{"ShftTilt": 12.0}, {"OverHang": 5.0}, {"PreCone(1)": 20.0, "PreCone(2)": 20.0, "PreCone(3)": 20.0}],
)
def test_blades_that_pass_through_the_tower_are_refused(tmp_path: Path, values: dict[str, float]) -> None:
    """NREL 5 MW, upwind: tilted, coned or hung to the wrong side."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeftOutWarning)
        with pytest.raises(
            InputError, match=r"'blade1', at .* passes through 'tower' at a height of .* m: .* signs of tilt"
        ):
            read_openfast_machine(deck(tmp_path, elasto=values))


AERODYN = """------- AERODYN INPUT FILE ----
tower of constant diameter
          3   NumTwrNds   - Number of tower nodes used in the analysis  (-)
TwrElev   TwrDiam   TwrCd   TwrTI
(m)       (m)       (-)     (-)
  0.0       6.0       1.0     0.1
 50.0       6.0       1.0     0.1
 87.6       6.0       1.0     0.1
"""


@pytest.mark.filterwarnings("ignore::fem_mbd.machines.LeftOutWarning")
@pytest.mark.parametrize(("overhang", "passes"), [(-2.9, False), (-3.1, True)])
def test_diameters_of_aerodyn_count(tmp_path: Path, overhang: float, passes: bool) -> None:
    """Straight blades in a vertical plane in front of a tower of 3 m radius; without the file its axis counts."""
    values = {"ShftTilt": 0.0, "OverHang": overhang} | {f"PreCone({k})": 0.0 for k in (1, 2, 3)}
    main = deck(tmp_path, elasto=values)
    read_openfast_machine(main)
    (tmp_path / "aero.dat").write_text(AERODYN)
    main = deck(tmp_path, elasto=values, main={"AeroFile": '"aero.dat"', "CompAero": 0})
    if passes:
        read_openfast_machine(main)
    else:
        with pytest.raises(InputError, match=r"whose radius is 3 m at least: check the signs"):
            read_openfast_machine(main)
