"""Steady states of turbines against HAWCStab2 and HAWC2, readers of their aerodynamics, the command, refusals."""

import json
import shutil
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from fem_mbd import InputError
from fem_mbd.applications.cli.main import main
from fem_mbd.machines import Machine, SteadyState, read_machine, with_elements
from fem_mbd.machines.assembly.assembled import blade_root
from fem_mbd.machines.description.machine import blades_of
from fem_mbd.machines.steady import SteadyFinder, pitched, read_operation
from fem_mbd.machines.steady_gradient import best_speed, pitch_for_power

DECKS = Path(__file__).parent / "decks"
STRUCTURE = DECKS / "iea22" / "iea_22mw_rwt_structure.htc"
RPM = np.pi / 30.0
HUB_RADIUS = 2.8  # m, IEA 10 MW
# HAWCStab2, IEAWindSystems/IEA-10.0-198-RWT, steady_states/iea10mw_hs2.pwr:
# wind m/s, pitch deg, speed rpm, thrust kN, power kW, tip y (from the rotor's centre, downwind along the shaft) m
IEA10 = (
    (8.0, 0.0, 8.161907, 1062.529, 4723.686, -0.597343),
    (12.0, 5.806409, 8.681179, 1144.982, 10638.300, -1.958065),
    (20.0, 18.509184, 8.681179, 662.998, 10638.300, -10.229228),
)


@cache
def machine(name: str) -> Machine:
    return read_machine(
        DECKS / name / f"{name}_wind.htc", radii_at="elastic centre" if name == "iea10" else None
    )


def test_iea_10_mw_against_hawcstab2() -> None:
    winds, pitch, speed, thrust, power, tip = np.array(IEA10).T
    states = machine("iea10").steady(winds, pitch=np.radians(pitch), speed=speed * RPM, elements=18).states
    np.testing.assert_allclose([s.thrust / 1e3 for s in states], thrust, rtol=0.015)
    np.testing.assert_allclose([s.power / 1e3 for s in states], power, rtol=0.02)
    flap = max(s.tip_deflection[0] for s in states)
    np.testing.assert_allclose([downwind(s) for s in states], tip, atol=0.03 * flap)


def downwind(state: SteadyState) -> float:
    """Place of the deflected tip of blade 1 along the shaft, m, from where its pitch axis meets the shaft."""
    assembly = pitched(with_elements(machine("iea10"), 18), state.pitch)
    beam, axis = assembly.beams["blade1"], assembly.rotor.axis
    name, pitch_axis = blade_root(assembly, blades_of(assembly.machine)[0])
    assert name == "blade1"
    # HAWCStab2 counts from the apex of the cone, hub radius 2.8 m along the pitch axis before the root
    apex = assembly.frames["blade1"].origin - HUB_RADIUS * pitch_axis
    tip = state.equilibrium.of(beam.end).position
    return float(np.sign(axis[0]) * axis @ (tip - apex))


def test_plain_data_and_distributions_agree() -> None:
    found = machine("iea10").steady(8.0, pitch=0.02, speed=0.8, elements=8)
    (state,) = found.states
    plain = found.plain()
    assert plain["power_w"] == [state.torque * 0.8]
    assert plain["pitch_deg"] == [pytest.approx(np.degrees(0.02))]
    flow = state.flow
    assert flow.force.shape == (3, 50, 3)
    # three blades alike; their distributions add up to the thrust
    np.testing.assert_allclose(flow.force[1:], flow.force[[0, 0]], atol=1e-6 * np.abs(flow.force).max())
    axial, span = flow.force[0, :, 0], flow.span[0]
    thrust = 3 * float((0.5 * (axial[1:] + axial[:-1])) @ np.diff(span))
    assert thrust == pytest.approx(state.thrust, rel=0.02)
    assert str(found).splitlines()[1].split()[0] == "8.00"


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    deck = DECKS / "iea10" / "iea10_wind.htc"
    table = tmp_path / "operation.opt"
    table.write_text("2 Wind speed [m/s]   Pitch [deg]   Rot. speed [rpm]\n6 0 6.12143\n8 0 8.161907\n")
    given = [
        "steady",
        str(deck),
        "--operation",
        str(table),
        "--set",
        "radii_at=elastic centre",
        "elements=10",
    ]
    assert main([*given, "--json", "--out", str(tmp_path)]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["winds_m_s"] == [6.0, 8.0]
    np.testing.assert_allclose(data["speed_rad_s"], np.array([6.12143, 8.161907]) * RPM)
    np.testing.assert_allclose(data["thrust_n"], [612.4e3, 1062.5e3], rtol=0.02)
    assert np.shape(data["tip_deflection_m"]) == (2, 2)
    assert (tmp_path / "steady.png").stat().st_size > 10_000
    assert main([*given, "--winds", "7", "--no-plot"]) == 0
    line = capsys.readouterr().out.splitlines()[1].split()
    assert (line[0], float(line[1])) == ("7.00", pytest.approx(0.5 * (6.12143 + 8.161907), abs=1e-3))


def test_refusals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    deck = str(DECKS / "iea10" / "iea10_wind.htc")
    radii = ["--set", "radii_at=elastic centre"]
    for given, says in (
        (["--winds", "8"], "give the rotor's speed"),
        ([], "give winds"),
    ):
        assert main(["steady", deck, *given, *radii]) == 2
        assert says in capsys.readouterr().err
    with pytest.raises(InputError, match="has no aerodynamics"):
        read_machine(STRUCTURE, radii_at="elastic centre").steady([8.0], speed=0.5)
    with pytest.raises(InputError, match="winds"):
        machine("iea10").steady([-8.0], speed=0.5)
    with pytest.raises(InputError, match="speed"):
        machine("iea10").steady([8.0, 9.0], speed=[0.5])
    table = tmp_path / "bad.opt"
    table.write_text("heading\n6 0 6\n6 0 8\n")
    with pytest.raises(InputError, match="winds do not ascend"):
        read_operation(table)


def test_import_lists_the_blades(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", str(DECKS / "iea10" / "iea10_wind.htc"), "--no-plot"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    (blade,) = [row for row in rows if row[:1] == ["blade2"] and "Momentum," in row]
    assert blade[1:5] == ["0.000", "to", "96.797", "5.991"]


def test_missing_files_are_named(tmp_path: Path) -> None:
    """Without the block aero there are no aerodynamics; where its files are not there, that is said."""
    assert read_machine(STRUCTURE, radii_at="elastic centre").aerodynamics is None
    for file in (DECKS / "iea10").iterdir():
        if not file.name.endswith("_pc.dat"):
            shutil.copy(file, tmp_path)
    found = read_machine(tmp_path / "iea10_wind.htc", radii_at="elastic centre")
    assert found.aerodynamics is None
    assert any("iea10mw_rc1_hawc2_pc.dat' is not there" in line for line in found.ignored)


@pytest.mark.parametrize("heading", ["", "2 Wind speed [m/s]   Pitch [deg]   Rot. speed [rpm]\n"])
def test_tables_of_operation_with_and_without_a_heading(tmp_path: Path, heading: str) -> None:
    table = tmp_path / "operation.opt"
    table.write_text(f"{heading}3 0.58 1.85\n4 0.34 2.46\n")
    np.testing.assert_allclose(read_operation(table)[:, 0], [3.0, 4.0])


def test_gradients_against_differences_of_states() -> None:
    """Derivatives of the state without solving it anew, against states solved on both sides."""
    deck, at = machine("iea10"), np.array([12.0, 0.1, 0.9])
    found = deck.steady_gradient(*at, elements=6)
    finder = SteadyFinder(with_elements(deck, 6), driven=["pitch1", "pitch2", "pitch3"])

    def outputs(values: np.ndarray) -> np.ndarray:
        s = finder.at(*values)
        return np.array([s.thrust, s.torque, s.power, *s.tip_deflection, s.tip_twist])

    for k, step in enumerate((1e-3, 1e-4, 1e-4)):
        change = np.zeros(3)
        change[k] = step
        by_states = (outputs(at + change) - outputs(at - change)) / (2.0 * step)
        np.testing.assert_allclose(found.jacobian[:3, k], by_states[:3], rtol=1e-6)
        size = np.abs(found.jacobian[3:]).max(axis=1)
        np.testing.assert_allclose(found.jacobian[3:, k] / size, by_states[3:] / size, rtol=2e-5, atol=1e-5)
    # lift grows with the angle of attack: nose down by twist or pitch is less of it
    assert found.of("torque", "twist") == pytest.approx(found.of("torque", "pitch"), rel=0.1)
    with pytest.raises(InputError, match="no parameter 'chrod'; did you mean 'chord'"):
        deck.steady_gradient(*at, wrt=("chrod",))


def test_pitch_of_a_power_and_best_speed() -> None:
    deck = machine("iea10")
    found = pitch_for_power(deck, 10.0e6, 13.0, 0.9, pitch=0.1, elements=4)
    assert found.power == pytest.approx(10.0e6, rel=1e-8)
    best = best_speed(deck, 7.0, 0.7, elements=4)
    finder = SteadyFinder(with_elements(deck, 4))
    assert all(finder.at(7.0, 0.0, share * best.speed).power < best.power for share in (0.99, 1.01))
