"""Runs of machines in the wind: steady state kept, gust in long and short steps, boxes, the command, refusals."""

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fem_mbd import Model, Result, StepControl, simulate
from fem_mbd.aerodynamics import Wind, line_drag, operating_gust
from fem_mbd.applications.cli.main import main
from fem_mbd.cases import _machine_file
from fem_mbd.elements import Beam, Section
from fem_mbd.elements.loads.generator import QuadraticTorque
from fem_mbd.errors import InputError
from fem_mbd.machines import add_rotor_loads, assemble, with_elements
from tests.machines.test_steady import DECKS, IEA10, RPM, machine

DECK = DECKS / "iea10" / "iea10_wind.htc"
SPEED = IEA10[0][2]


def command(folder: Path, *more: str) -> list[str]:
    given = ["radii_at=elastic centre", "elements=8", f"rotor_speed={SPEED}", "gravity=no", "end_time=1.5"]
    return ["run", str(DECK), "--out", str(folder), "--quiet", "--no-plot", "--set", *given, *more]


def test_the_steady_state_stays(tmp_path: Path) -> None:
    """Without weight in wind along x, speed and tip stay near those of the start; the balance of energy closes."""
    assert main([*command(tmp_path / "run"), "--wind", "8"]) == 0
    result = Result.open(tmp_path / "run" / "results.h5")
    deck = machine("iea10")
    hub = assemble(with_elements(deck, 8)).rotor.hub
    speed = np.linalg.norm(result.of(hub.name).angular_velocity, axis=1)
    # the shaft is tilted by 6 deg, so that the loads vary a little over a turn
    np.testing.assert_allclose(speed, SPEED * RPM, rtol=0.01)
    channels_agree(result)


def channels_agree(result: Result) -> None:
    """Power is torque times speed; coefficients by their definition; the torque's work is that of the balance."""
    names = ("RtAeroFxh", "RtAeroMxh", "RtAeroPwr", "RtVAvgxh", "RtSpeed", "RtTSR", "RtAeroCt", "RtAeroCp")
    found = result.loads(*names, "B2N30Alpha", "RotThrust", "RtArea")
    omega = found["RtSpeed"] * RPM
    np.testing.assert_allclose(found["RtAeroPwr"], found["RtAeroMxh"] * omega, rtol=1e-12)
    late = result.output_time > 0.5
    wind, area = found["RtVAvgxh"], found["RtArea"]
    np.testing.assert_allclose(
        wind[late], 8.0 * np.cos(np.radians(6.0)), rtol=0.02
    )  # the shaft is tilted by 6 deg
    power = 0.5 * 1.225 * area * wind**3
    np.testing.assert_allclose(found["RtAeroCp"], found["RtAeroPwr"] / power, rtol=1e-12)
    # HAWCStab2, 8 m/s along the shaft: 1062.5 kN, 4724 kW
    assert found["RtAeroFxh"][late].mean() == pytest.approx(1062.5e3, rel=0.03)
    assert found["RtAeroPwr"][late].mean() == pytest.approx(4724e3, rel=0.05)
    assert found.units["B2N30Alpha"] == "deg"
    assert np.all((found["B2N30Alpha"][late] > 0.0) & (found["B2N30Alpha"][late] < 12.0))
    with pytest.raises(InputError, match="no load channel 'RtAeroCq'"):
        result.loads("RtAeroCq")


def gust(dt: float) -> Any:
    deck = with_elements(machine("iea10"), 8)
    assembly = assemble(deck)
    rotor = assembly.rotor
    assembly.model.set_velocity(rotor.nodes, omega=SPEED * RPM * rotor.axis, about=rotor.point)
    add_rotor_loads(assembly, Wind(operating_gust(8.0, 4.0, 0.5, 4.0)))
    assembly.add_generator(QuadraticTorque(5.5e6 / (SPEED * RPM) ** 2))
    result = simulate(assembly.model, 4.0, StepControl.fixed(dt), progress=False)
    tip, hub = assembly.beams["blade1"].end, rotor.hub
    times = np.linspace(1.0, 4.0, 31)
    bending = result.loads("RootMyb1")["RootMyb1"]
    distance = np.linalg.norm(result.of(tip).position - result.of(hub).position, axis=1)
    at = result.output_time
    return np.interp(times, at, distance), np.interp(times, at, bending)


def test_gust_in_long_steps() -> None:
    """Tip and root moment at 0.05 s within 1 % of those at 0.0125 s, of their largest change."""
    long, short = gust(0.05), gust(0.0125)
    for a, b in zip(long, short, strict=True):
        assert np.abs(a - b).max() < 0.01 * np.abs(b).max()


def write_box(file: Path, speed: float, bottom: float) -> None:
    """A .bts file without fluctuations: 21 x 21 points 12 m apart."""
    n, times = 21, 40
    header = struct.pack("<h4l6f", 8, n, n, 0, times, 12.0, 12.0, 0.5, speed, bottom + 120.0, bottom)
    header += struct.pack("<6f", 1000.0, -1000.0 * speed, 1000.0, 0.0, 1000.0, 0.0) + struct.pack("<l", 0)
    file.write_bytes(header + bytes(2 * 3 * n * n * times))


def test_box_without_fluctuations_is_steady_wind(tmp_path: Path) -> None:
    write_box(tmp_path / "still.bts", 8.0, -1.0)
    assert main([*command(tmp_path / "box"), "--wind", str(tmp_path / "still.bts")]) == 0
    assert main([*command(tmp_path / "uniform"), "--wind", "8"]) == 0
    a, b = (Result.open(tmp_path / name / "results.h5").outputs["position"] for name in ("box", "uniform"))
    np.testing.assert_allclose(a, b, atol=1e-5)


def test_refusals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_box(tmp_path / "high.bts", 8.0, 60.0)
    for wind, says in (
        (str(tmp_path / "high.bts"), "make a larger box"),
        (str(tmp_path / "none.bts"), "cannot be read"),
        ("strong", "give a speed"),
        ("1", "does not drive the rotor"),
    ):
        assert main([*command(tmp_path / "refused"), "--wind", wind]) == 2
        assert says in capsys.readouterr().err
    with pytest.raises(InputError, match="turning rotor"):
        parameters = _machine_file.machine_case(DECK).parameters
        _machine_file.build(parameters(wind="8", radii_at="elastic centre", rotor_speed=0.0))


def test_drag_of_a_standing_beam() -> None:
    """rho/2 V^2 times drag coefficient and diameter per length, across a stiff beam in wind; none along it."""
    model = Model()
    section = Section(np.diag([1e12, 1e12, 1e12, 1e12, 1e12, 1e12]), 1e3, np.diag([1e3, 1e3, 1e3]))
    beam = model.add(Beam(section, (0.0, 0.0, 0.0), (0.0, 0.0, 40.0), elements=2, order=3, name="mast"))
    model.fix(beam.start)
    model.add(
        line_drag(beam, [0.0, 40.0], [4.0, 2.0], [0.5, 1.0], Wind(12.0, direction=30.0, inclination=10.0))
    )
    result = simulate(model, 0.02, StepControl.fixed(0.01), progress=False)
    force = result.of("drag of mast, mast").force[-1]
    assert len(force) == 20
    across = 12.0 * np.cos(np.radians(10.0))
    low, high = (0.5 * 1.225 * across**2 * cd * d for cd, d in ((0.5, 4.0), (1.0, 2.0)))
    size = np.hypot(force[:, 0], force[:, 1])
    assert size[0] == pytest.approx(low, rel=0.02)
    assert size[-1] == pytest.approx(high, rel=0.02)
    np.testing.assert_allclose(force[:, 1] / force[:, 0], np.tan(np.radians(30.0)), rtol=1e-6)
    np.testing.assert_allclose(force[:, 2], 0.0, atol=1e-6 * size.max())
    with pytest.raises(InputError):
        result.loads("RtAeroCp")


def test_dynamic_stall_in_steps_of_a_tenth_of_a_second(tmp_path: Path) -> None:
    """Blades pitched by 12 deg into stall: thrust in steps of 0.1 s as in those of 0.025 s, after the start."""
    means = []
    for dt in (0.1, 0.025):
        folder = tmp_path / str(dt)
        given = ["pitch=-12", f"dt={dt}", "end_time=4"]
        assert main([*command(folder, *given), "--wind", "10"]) == 0
        result = Result.open(folder / "results.h5")
        late = result.output_time > 2.0
        found = result.loads("RtAeroFxh", "B1N25Alpha")
        assert found["B1N25Alpha"][late].min() > 12.0  # deg: stalled
        means.append(found["RtAeroFxh"][late].mean())
    assert means[0] == pytest.approx(means[1], rel=0.01)
