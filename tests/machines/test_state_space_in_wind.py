"""State spaces of a turbine in wind: slow inputs against derivatives of steady states, states, refusals."""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from openfast_io.FAST_linearization_reader import FASTLinearizationFile

import fem_mbd as fm
from fem_mbd import InputError, StateSpace
from fem_mbd.analysis.rotors.weight import shaft_motion
from fem_mbd.applications.cli.main import main
from fem_mbd.machines import AeroelasticFamily, Machine, with_elements
from fem_mbd.machines.aerodynamic_loads import aerodynamics_of

FILE = Path(__file__).parents[2] / "cases/_data/iea15_turbine/IEA_15MW_RWT_FixedSubstructure.htc"
WIND, PITCH, SPEED = 13.0, 0.1056, 0.79168
INPUTS = ["wind.speed", "generator.torque", "collective(pitch1.angle)"]
OUTPUT = ["generator.angular_velocity[2]"]
STATIONS = 6  # of a blade, in files


@cache
def deck() -> Machine:
    return with_elements(Machine.read(FILE, radii_at="mass centre"), 4)


def family() -> AeroelasticFamily:
    return AeroelasticFamily(deck(), [WIND], PITCH, SPEED, rotor_only=True)


@cache
def space() -> StateSpace:
    return fm.state_space(family(), INPUTS, OUTPUT, wind=WIND)


def test_slow_inputs_give_the_derivatives_of_steady_states() -> None:
    """The rotor's speed follows a constant torque with J w' = Q_w w + Q_u u, J the polar inertia of the rotor."""
    found = space()
    gradient = deck().steady_gradient(WIND, PITCH, SPEED, wrt=("wind", "pitch", "speed"), elements=4)
    by_wind, by_pitch, by_speed = (gradient.of("torque", name) for name in ("wind", "pitch", "speed"))
    s = 0.002j  # slower than the inflow
    columns = dict(zip(found.inputs, found.transfer(s)[0], strict=True))
    pitch = sum(
        columns[f"collective(pitch1.{name})"] * s**k
        for k, name in enumerate(("angle", "angular_velocity", "angular_acceleration"))
    )
    linear = family().at(WIND)
    turn = shaft_motion(linear, family().axis)
    inertia = float(turn @ linear.mass @ turn)
    slow = -by_speed / (inertia * s - by_speed)
    for value, expected in (
        (columns["wind.speed"], -by_wind / by_speed),
        (columns["generator.torque"], 1.0 / by_speed),
        (pitch, -by_pitch / by_speed),
    ):
        assert abs(value - expected * slow) < 0.03 * abs(expected)


def test_states_and_stability() -> None:
    found = space()
    assert "axial induction, station 20" in found.states
    assert len(found.second_order) == len(found.states) == len(found.A)
    assert found.eigenvalues.real.max() < 2e-3  # but for the azimuth of the rotor


def test_the_reader_of_openfast_finds_wind_torque_and_pitch(tmp_path: Path) -> None:
    """Matrices and operating point, in the order of .lin files: displacements, their rates, states of first order."""
    few = replace(deck(), aerodynamics=replace(aerodynamics_of(deck()), stations=STATIONS))
    outputs = [*OUTPUT, "collective(blade1@1.displacement[x])"]
    found = fm.state_space(
        AeroelasticFamily(few, [WIND], PITCH, SPEED, rotor_only=True), INPUTS, outputs, wind=WIND
    )
    read = FASTLinearizationFile(str(fm.export.write_lin(tmp_path / "turbine.1.lin", found)))
    assert read["u_info"]["Description"][:2] == [
        "FM generator.torque, Nm",
        "FM collective(pitch1.angle), rad",
    ]
    assert read["u_info"]["Description"][-1] == "FM wind.speed, m/s"
    assert (read["WindSpeed"], read["RotSpeed"]) == (WIND, pytest.approx(SPEED, abs=1e-4))
    values = dict(zip(found.inputs, read["u"], strict=True))
    torque = few.steady([WIND], pitch=PITCH, speed=SPEED, elements=4).states[0].torque
    assert values["wind.speed"] == WIND
    assert values["collective(pitch1.angle)"] == pytest.approx(PITCH, rel=1e-6)
    assert values["generator.torque"] == pytest.approx(torque, rel=1e-6)
    assert read["y"] == pytest.approx(found.output_values, rel=1e-6)
    orders = np.array(read["x_info"]["DerivativeOrder"])
    flow = len(orders) - int((orders == 2).sum())
    assert 0 < flow <= 3 * STATIONS * 8 and np.all(orders[-flow:] == 1)
    names = [name.removeprefix("FM ").rsplit(",", 1)[0] for name in read["x_info"]["Description"]]
    order = [found.states.index(name) for name in names]
    assert sorted(order) == list(range(len(found.A)))
    np.testing.assert_array_equal(read["A"], found.A[np.ix_(order, order)])
    np.testing.assert_array_equal(read["B"], found.B[order])
    np.testing.assert_array_equal(read["C"], found.C[:, order])
    np.testing.assert_array_equal(read["D"], found.D)
    kept = StateSpace.load(found.save(tmp_path / "turbine.npz"))
    assert kept.wind == WIND and found.chosen(["wind.speed"]).wind == WIND


def test_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "turbine.lin"
    command = ["linearize", str(FILE), "--wind", "13", "--stations", str(STATIONS)]
    command += ["--set", "radii_at=mass centre", "elements=4", "pitch=6.05"]
    command += ["--inputs", "wind.speed", "generator.torque", "--outputs", *OUTPUT]
    assert main(command) == 2
    assert "give the rotor's speed in the wind: --speed" in capsys.readouterr().err
    assert main([*command, "--speed", str(SPEED), "--out", str(file)]) == 0
    assert "turbine.lin" in capsys.readouterr().out
    head = file.read_text(encoding="utf-8")[:2000]
    assert re.search(r"Wind Speed: +13\.0000 m/s", head) and re.search(r"Rotor Speed: +0\.7917 rad/s", head)
    assert main(["linearize", "cantilever", "--wind", "8"]) == 2
    assert "is for a machine's file" in capsys.readouterr().err


def test_refusals() -> None:
    with pytest.raises(InputError, match="has wind=M/S, in place of speed"):
        fm.state_space(family(), INPUTS, OUTPUT, speed=SPEED)
    with pytest.raises(InputError, match="leave modes out"):
        fm.state_space(family(), INPUTS[:2], OUTPUT, wind=WIND, modes=4)
    model = fm.Model()
    with pytest.raises(InputError):
        fm.state_space(model, ["wind.speed"], [])
    assert np.isfinite(space().A).all()
