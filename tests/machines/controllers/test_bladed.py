"""A Bladed-style library leads a turbine: closed forms of its torque law, sign of pitch, status, failures named."""

import re
from pathlib import Path

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd import machines
from fem_mbd.elements import Force, Moment
from tests.machines.controllers.small_turbine import GAIN, GEARBOX, NAME, compiled, law, turbine

pytestmark = pytest.mark.slow

INTERVAL = 0.02


def driven(torque: float, speed: float) -> tuple[machines.ControlledTurbine, float]:
    """The small turbine with a constant torque (N m) on its rotor, and its inertia about the shaft, kg m^2."""
    made = machines.controlled_turbine(turbine(), GEARBOX, speed=speed)
    hub, axis = made.assembly.rotor.hub, made.assembly.rotor.axis
    made.model.add(Moment(hub, hub.rotation.T @ axis * torque, follower=True, name="wind"))
    length, root, mass = 6.0, 0.5, 7.0
    blades = 3 * (mass * ((length + root) ** 3 - root**3) / 3 + length * mass * 1e-3)
    return made, blades + 10.0 + 100.0


def run(made: machines.ControlledTurbine, law: machines.BladedController, end: float) -> fm.Result:
    sim = fm.Simulation(made.model, end, fm.StepControl.fixed(INTERVAL))
    return fm.run(fm.Controlled(sim, law, INTERVAL), progress=False)


def test_gain_times_speed_squared_settles_at_the_closed_form(tmp_path: Path) -> None:
    """w1 = sqrt(T / K), K = gain N^3; on the way, the torque held: w + dt (T - K w^2) / J after an interval."""
    torque, start = 8100.0, 2.0
    made, inertia = driven(torque, start)
    library, infile = law(tmp_path)
    outname = str(tmp_path / "log")
    with machines.BladedController(library, made, INTERVAL, infile=infile, outname=outname) as controller:
        result = run(made, controller, 15.0)
    gain = GAIN * GEARBOX**3
    final, exact = np.sqrt(torque / gain), [start]
    for _ in result.time:
        exact.append(exact[-1] + INTERVAL * (torque - gain * exact[-1] ** 2) / inertia)
    speed = result.of(made.shaft).angular_velocity[:, 2]
    assert np.abs(speed - exact[1:]).max() < 1e-3 * final
    late = speed[-250:].mean()
    assert late == pytest.approx(final, rel=1e-4)
    # what is missing is the power that the scheme takes of blades that turn by 0.1 rad a step
    taken = result.energy["dissipation_scheme"][-250:].sum() / (250 * INTERVAL)
    assert (torque - gain * late**2) * late == pytest.approx(taken, rel=0.02)
    assert result.summary["energy"]["relative"] < 1e-12

    rows = np.loadtxt(outname)
    assert rows[:, 0].astype(int).tolist() == [0] + [1] * (len(rows) - 2) + [-1]
    assert rows[:-1, 1] == pytest.approx(INTERVAL * np.arange(len(rows) - 1), abs=1e-5)
    assert rows[:, 2] == pytest.approx(INTERVAL)
    assert rows[-1, 3] == pytest.approx(0.05)
    assert np.all(rows[:, 4] == 3)


def test_positive_pitch_turns_leading_edges_upwind_within_the_rate(tmp_path: Path) -> None:
    made, _ = driven(0.0, 1.0)
    library, infile = law(tmp_path)
    actuator = machines.PitchActuator(rate=0.1)
    with machines.BladedController(
        library, made, INTERVAL, infile=infile, outname=str(tmp_path / "log"), actuator=actuator
    ) as controller:
        result = run(made, controller, 1.6)
    angle = result.of("pitch1").angle
    wanted = np.clip(0.1 * (result.time - 1.0), 0.0, 0.05)
    assert angle == pytest.approx(wanted, abs=1e-6)
    assert result.of("pitch3").angle == pytest.approx(wanted, abs=1e-6)
    # the leading edge goes ahead of the blade; upwind is -x
    root = made.assembly.beams["blade1"].start
    turned = result.of(root).rotation_matrix[-1] @ root.rotation.T @ made.assembly.frames["blade1"].rotation
    leading = -turned[:, 1]
    hub, axis = made.assembly.rotor.hub, made.assembly.rotor.axis
    ahead = np.cross(axis, result.of(root).position[-1] - result.of(hub).position[-1])
    assert leading @ ahead > 0.99 * np.linalg.norm(ahead)
    assert leading[0] == pytest.approx(-np.sin(0.05), abs=1e-3)


def test_generator_torque_brakes_the_rotor_through_the_gearbox(tmp_path: Path) -> None:
    """A constant torque: w = w0 - N T t / J."""
    made, inertia = driven(0.0, 1.0)
    with machines.BladedController(compiled(tmp_path, "{ swap[46] = 2.0f; }"), made, INTERVAL) as controller:
        result = run(made, controller, 1.0)
    speed = result.of(made.shaft).angular_velocity[-1, 2]
    assert 1.0 - speed == pytest.approx(GEARBOX * 2.0 / inertia, rel=5e-3)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("{ swap[46] = NAN; }", r"at t = 0 s: record 47 \(demanded generator torque.*\) is nan"),
        ("{ swap[44] = INFINITY; }", r"record 45 \(demanded pitch angle of all blades\) is inf"),
        ("{ swap[34] = NAN; }", r"record 35 \(generator: 0 off, 1 on\) is nan"),
        ("{ if (swap[1] > 0.03) *(volatile int *)0 = 1; }", r"crashed \(SIGSEGV\) at t = 0.04 s"),
        ("{ exit(7); }", r"ended its process \(exit status 7\) at t = 0 s"),
        ('{ *fail = -1; strcpy(message, "gains are missing"); }', r"controller.so at t = 0 s: gains are missing"),
        ("{ swap[0] = -1.0f; }", "it requests to stop the simulation"),
        ("{ swap[54] = 1.0f; }", r"record 55 is 1: .* pitch control by the simulation is not supported"),
    ],
)  # fmt: skip
def test_what_goes_wrong_in_a_controller_is_named(tmp_path: Path, body: str, message: str) -> None:
    made, _ = driven(0.0, 1.0)
    sim = fm.Simulation(made.model, 0.2, fm.StepControl.fixed(INTERVAL))
    with machines.BladedController(compiled(tmp_path, body), made, INTERVAL) as controller:
        result = fm.run(fm.Controlled(sim, controller, INTERVAL), progress=False)
        assert result.status == "failed"
        assert re.search(message, result.reason), result.reason


def test_a_warning_of_the_controller_is_passed_on(tmp_path: Path) -> None:
    made, _ = driven(0.0, 1.0)
    sim = fm.Simulation(made.model, 0.2, fm.StepControl.fixed(INTERVAL))
    library = compiled(tmp_path, '{ *fail = 1; strcpy(message, "wind is low"); }')
    with pytest.warns(machines.ControllerWarning, match=r"controller.so at t = 0 s: wind is low"):
        with machines.BladedController(library, made, INTERVAL) as controller:
            controller(sim)


def test_intervals_have_to_agree(tmp_path: Path) -> None:
    made, _ = driven(0.0, 1.0)
    sim = fm.Simulation(made.model, 0.2, fm.StepControl.fixed(INTERVAL))
    with (
        machines.BladedController(compiled(tmp_path, "{}"), made, INTERVAL) as controller,
        pytest.raises(fm.InputError, match=r"interval is 0.04 s, that of the law itself is 0.02 s"),
    ):
        fm.Controlled(sim, controller, 0.04)


def test_libraries_that_cannot_be_used_are_refused(tmp_path: Path) -> None:
    made, _ = driven(0.0, 1.0)
    library = compiled(tmp_path, "{}", NAME.replace("DISCON", "DISKON"))
    with pytest.raises(fm.InputError, match=r"controller.so: has no entry point 'DISCON'"):
        machines.BladedController(library, made, INTERVAL)
    with pytest.raises(fm.InputError, match=r"none.so: there is no such file"):
        machines.BladedController(tmp_path / "none.so", made, INTERVAL)
    (tmp_path / "text.so").write_text("no library")
    with pytest.raises(fm.InputError, match=r"text.so: cannot be loaded"):
        machines.BladedController(tmp_path / "text.so", made, INTERVAL)
    with pytest.raises(fm.InputError, match=r"its input file .*none.in does not exist"):
        machines.BladedController(library, made, INTERVAL, infile=tmp_path / "none.in")
    with pytest.raises(fm.InputError, match="record is 0"):
        machines.BladedController(library, made, INTERVAL, more={0: 1.0})
    with pytest.raises(fm.InputError, match=r"from 1.0 to 0.0 rad"):
        machines.PitchActuator(1.0, 0.0)


def test_root_moments_are_the_load_channels() -> None:
    """Those that the library gets are the channels RootMyc and RootMxc of the result, at the same instants."""
    made, _ = driven(2000.0, 2.0)
    for k in range(3):
        made.model.add(
            Force(made.assembly.beams[f"blade{k + 1}"].end, (50.0 + k, 0.0, 0.0), name=f"thrust {k}")
        )
    sim = fm.Simulation(made.model, 10 * INTERVAL, fm.StepControl.fixed(INTERVAL))
    seen = []

    def law(own: fm.Simulation) -> dict[str, float]:
        seen.append(made.measure(own).root_moments)
        return {"generator torque": 100.0}

    result = fm.run(fm.Controlled(sim, law, INTERVAL), progress=False)
    later = np.array(seen[1:])
    for k in range(3):
        channels = result.loads(f"RootMyc{k + 1}", f"RootMxc{k + 1}")
        for i, values in enumerate(channels.values()):
            assert np.abs(values).max() > 1.0
            np.testing.assert_allclose(later[:, k, i], values[: len(later)], rtol=1e-9, atol=1e-6)


def test_the_rotor_speed_is_that_of_the_shafts_joint() -> None:
    made, _ = driven(500.0, 2.0)
    sim = fm.Simulation(made.model, 1.0, fm.StepControl.fixed(INTERVAL))
    sim.advance(10 * INTERVAL)
    speed = made.rotor_speed(sim)
    assert speed > 2.0
    assert speed == pytest.approx(float(sim.of(made.shaft).angular_velocity[2]), rel=1e-12)
