"""Tests of `Simulation.advance`: same steps as a run, closed forms with feedback, save and restore."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.cases.pendulum import Parameters, build
from fem_mbd.elements import Force, JointTorque, RigidBody, SpeedController
from fem_mbd.joints import DrivenRevolute, Revolute
from tests.refusals import refused

Y = (0.0, 1.0, 0.0)
MASS, ARM, INERTIA = 2.0, 0.5, 0.3  # kg, m, kg m^2 about the mass centre
ABOUT_HINGE = INERTIA + MASS * ARM**2


def pendulum(gravity: float = 9.81, end: float = 1.0, dt: float = 1e-2, **options: Any) -> fm.Simulation:
    """A rigid bar that hangs from a hinge; torque about the hinge's axis, positive on the bar."""
    model = fm.Model(gravity=(0, 0, -gravity), name="led pendulum")
    bar = model.add(RigidBody(mass=MASS, inertia=(INERTIA, INERTIA, 1e-2), position=(0, 0, -ARM), name="bar"))
    model.add(Revolute(model.ground, bar, at=(0, 0, 0), axis=Y, name="hinge"))
    model.add(JointTorque(model.ground, bar, Y, fm.Input("torque", "N m")))
    model.set_velocity(bar, omega=(0, 2.0, 0), about=(0, 0, 0))
    return fm.Simulation(model, end, fm.StepControl.fixed(dt), **options)


def flat(sim: fm.Simulation) -> np.ndarray:
    return sim.state.to_flat()


@pytest.mark.parametrize("compiled", [True, False])
def test_advance_makes_the_steps_of_a_run(compiled: bool) -> None:
    options = fm.NewtonOptions(compiled=compiled)
    whole, led = pendulum(newton=options), pendulum(newton=options)
    whole.stop_at([0.123, 0.5])
    records = list(whole.steps())
    made = [r for t in (0.123, 0.5, 1.0) for r in led.advance(t)]
    assert [r.time for r in made] == [r.time for r in records]
    assert np.array_equal(flat(led), flat(whole))
    assert led.balance.state() == whole.balance.state()


def test_steps_of_contacts_are_the_same_too() -> None:
    """The rod of the case `pendulum` in its bushing, where the contact chooses the steps."""
    parameters = Parameters(joint="clearance", end_time=0.02)
    whole, led = build(parameters), build(parameters)
    whole.stop_at([0.013, 0.0171])
    records = list(whole.steps())
    made = [r for t in (0.013, 0.0171, 0.02) for r in led.advance(t)]
    assert len({r.rule for r in records}) > 2
    assert [r.dt for r in made] == [r.dt for r in records]
    assert np.array_equal(flat(led), flat(whole))


def test_steps_continue_after_advance() -> None:
    whole, led = pendulum(), pendulum()
    led.advance(0.3)
    whole.stop_at([0.3])
    for sim in (whole, led):
        list(sim.steps())
    assert led.time == 1.0
    assert np.array_equal(flat(led), flat(whole))


def test_feedback_gives_a_damped_oscillator() -> None:
    """T = -k phi - c phi' without gravity: phi = w0 exp(-D t) sin(w t) / w; piecewise constant T is of first order."""
    k, c, w0 = 20.0, 3.0, 2.0
    decay = c / (2 * ABOUT_HINGE)
    w = np.sqrt(k / ABOUT_HINGE - decay**2)
    errors = []
    for interval in (1e-2, 5e-3, 2.5e-3):
        sim = pendulum(gravity=0.0, dt=interval)
        worst = 0.0
        for n in range(1, round(1.0 / interval) + 1):
            hinge = sim.of("hinge")
            sim.advance(n * interval, {"torque": -k * hinge.angle - c * hinge.angular_velocity[2]})
            exact = w0 * np.exp(-decay * sim.time) * np.sin(w * sim.time) / w
            worst = max(worst, abs(float(sim.of("hinge").angle) - exact))
        errors.append(worst)
    assert errors[-1] < 2e-3
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all((orders > 0.9) & (orders < 1.1))


def test_the_work_of_a_constant_torque_is_in_the_ledger() -> None:
    """Without gravity a constant torque T rotates the bar by w0 t + T t^2 / (2 J); its work is T times the angle.

    To the order of the scheme; the balance of works and energies closes to round-off.
    """
    sim = pendulum(gravity=0.0)
    sim.advance(0.2, {"torque": 1.5})
    angle = float(sim.of("hinge").angle)
    assert angle == pytest.approx(2.0 * 0.2 + 1.5 * 0.2**2 / (2 * ABOUT_HINGE), rel=1e-6)
    assert sim.ledger["work_loads"] == pytest.approx(1.5 * angle, rel=1e-7)
    sim.advance(0.5, {"torque": -0.5})
    sim.advance(0.6)
    assert sim.inputs["torque"] == -0.5
    later = float(sim.of("hinge").angle)
    assert sim.ledger["work_loads"] == pytest.approx(1.5 * angle - 0.5 * (later - angle), rel=1e-7)
    assert abs(sim.ledger["residual"]) < 1e-12 * sim.energy_scale


def test_an_input_within_an_interval() -> None:
    """Force f held or linear on a free mass: m v = integral of f."""
    model = fm.Model()
    body = model.add(RigidBody(2.0, (1, 1, 1), (0, 0, 0), name="mass"))
    f = fm.Input("held", "N"), fm.Input("linear", "N", within="linear")
    model.add(Force(body, np.array([1.0, 0, 0]) * f[0] + np.array([0, 1.0, 0]) * f[1]))
    sim = fm.Simulation(model, 2.0, fm.StepControl.fixed(0.1))
    sim.advance(1.0, {"held": 4.0, "linear": 4.0})
    assert sim.value("mass.velocity") == pytest.approx([2.0, 1.0, 0.0])
    sim.advance(2.0, {"held": 0.0, "linear": 0.0})
    assert sim.value("mass.velocity") == pytest.approx([2.0, 2.0, 0.0])


def test_simulations_of_one_model_in_threads_have_inputs_of_their_own() -> None:
    """A force of 1 N and one of 2 N on 1 kg for 1 s: 1 m/s and 2 m/s, however their steps are interleaved."""
    model = fm.Model(gravity=(0, 0, 0))
    body = model.add(RigidBody(mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0), name="body"))
    model.add(Force(body, np.array([1.0, 0, 0]) * fm.Input("force", "N")))

    def speed_under(force: float) -> float:
        sim = fm.Simulation(model, 1.0, fm.StepControl.fixed(1e-3))
        for k in range(1000):
            sim.advance((k + 1) * 1e-3, {"force": force})
        return float(sim.of("body").velocity[0])

    with ThreadPoolExecutor(2) as threads:
        speeds = list(threads.map(speed_under, (1.0, 2.0)))
    np.testing.assert_allclose(speeds, [1.0, 2.0], rtol=1e-10)


def test_an_input_has_the_values_of_the_simulation_stepped_last() -> None:
    force = fm.Input("force", "N", start=3.0)
    model = fm.Model(gravity=(0, 0, 0))
    body = model.add(RigidBody(mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0)))
    model.add(Force(body, np.array([1.0, 0, 0]) * force))
    first, second = (fm.Simulation(model, 1.0, fm.StepControl.fixed(0.1)) for _ in range(2))
    first.advance(0.1, {"force": 5.0})
    assert force.value(0.1) == 5.0
    second.advance(0.1)
    assert force.value(0.1) == 3.0
    assert (first.inputs["force"], second.inputs["force"]) == (5.0, 3.0)
    assert fm.Input("force").value(0.1) == 0.0  # of no model


@pytest.mark.parametrize("way", ["angle", "speed"])
def test_a_drive_follows_its_input(way: str) -> None:
    model = fm.Model()
    body = model.add(RigidBody(2.0, (0.1, 0.2, 0.3), (0, 0, 0), name="wheel"))
    drive = fm.Input("drive", within="linear" if way == "angle" else "held")
    angle, speed = (drive, None) if way == "angle" else (None, 0.5 * drive)
    model.add(DrivenRevolute(model.ground, body, axis=Y, name="motor", angle=angle, speed=speed))
    sim = fm.Simulation(model, 1.0, fm.StepControl.fixed(0.02))
    sim.advance(0.5, {"drive": 0.4})
    assert float(sim.of("motor").angle) == pytest.approx(
        0.4 if way == "angle" else 0.5 * 0.4 * 0.5, abs=1e-10
    )
    sim.advance(1.0, {"drive": 0.0})
    assert float(sim.of("motor").angle) == pytest.approx(0.0 if way == "angle" else 0.1, abs=1e-10)
    assert abs(sim.ledger["residual"]) < 1e-12
    assert sim.ledger["kinetic"] == pytest.approx(0.5 * 0.2 * (0.8**2 if way == "angle" else 0.0), abs=1e-10)


def led(sim: fm.Simulation, ends: list[float]) -> np.ndarray:
    for n, end in enumerate(ends):
        sim.advance(end, {"torque": (-1.0) ** n})
    return flat(sim)


@pytest.mark.parametrize("reuse", [False, True])
def test_restored_simulations_repeat_to_the_bit(tmp_path: Path, reuse: bool) -> None:
    sim = pendulum(newton=fm.NewtonOptions(reuse=reuse))
    led(sim, [0.1, 0.25])
    saved = sim.save()
    saved.write(tmp_path / "state")
    here = sim.outputs()
    ends = [0.3, 0.55, 0.7]
    once, ledger, controller = led(sim, ends), sim.ledger, sim.hooks.controller_state()

    sim.restore(saved)
    assert sim.time == 0.25
    assert all(np.array_equal(sim.outputs()[name], values) for name, values in here.items())
    assert np.array_equal(led(sim, ends), once)
    assert (sim.ledger, sim.hooks.controller_state()) == (ledger, controller)

    other = pendulum(newton=fm.NewtonOptions(reuse=reuse))
    other.restore(fm.SavedState.read(tmp_path / "state"))
    assert other.inputs["torque"] == -1.0
    assert np.array_equal(led(other, ends), once)
    assert other.ledger == ledger


def test_bad_input_changes_nothing() -> None:
    sim = pendulum()
    before = flat(sim)
    refused("did you mean 'torque'", sim.advance, 0.1, {"torqe": 1.0})
    refused("input 'torque' is nan", lambda: sim.advance(0.1, {"torque": float("nan")}))
    refused("is at 0 s; give a time that is later", sim.advance, 0.0)
    refused("did you mean 'hinge'", sim.of, "hing")
    refused("did you mean 'angle'", sim.value, "hinge.angl")
    refused("3 components", sim.value, "bar.position[3]")
    assert np.array_equal(flat(sim), before)
    assert sim.inputs["torque"] == 0.0


def test_invalid_uses_of_inputs_are_refused(tmp_path: Path) -> None:
    model = fm.Model()
    body = model.add(RigidBody(2.0, (1, 1, 1), (0, 0, 0)))
    held = fm.Input("pitch", "rad")
    refused("input 'pitch' jumps when it is set", DrivenRevolute, model.ground, body, axis=Y, angle=held)
    with pytest.raises(fm.InputError, match="multiplied by numbers"):
        DrivenRevolute(model.ground, body, axis=Y, speed=held * fm.time_functions.Ramp(0, 1))
    refused("did you mean 'linear'", fm.Input, "pitch", within="linar")
    model.add(Force(body, np.array([1.0, 0, 0]) * held))
    model.add(Force(body, np.array([1.0, 0, 0]) * fm.Input("pitch")))
    with pytest.raises(fm.InputError, match="two inputs of the model are called 'pitch'"):
        fm.Simulation(model, 1.0, fm.StepControl.fixed(0.1))


def test_saved_states_of_other_models_and_broken_files(tmp_path: Path) -> None:
    sim, other = pendulum(), pendulum(gravity=1.0)
    refused("not one of model 'led pendulum'", lambda: other.restore(sim.save()))
    refused("the saved state cannot be read", lambda: fm.SavedState.read(tmp_path / "none"))
    (tmp_path / "text").write_text("no state")
    refused("text: these bytes are not a saved state", lambda: fm.SavedState.read(tmp_path / "text"))
    half = sim.save().to_bytes()[:-100]
    refused("not a saved state", fm.SavedState.from_bytes, half)


def test_a_prescribed_motion_follows_its_input() -> None:
    """A mass moved by 0.3 m within 1 s along a line: it has m v^2 / 2, supplied by the support."""
    model = fm.Model()
    mass = model.add(RigidBody(2.0, (1, 1, 1), (0, 0, 0), name="mass"))
    displacement = np.array([0.0, 0.0, 1.0]) * fm.Input("stroke", "m", within="linear")
    model.add(fm.PrescribedMotion(mass, displacement=displacement))
    sim = fm.Simulation(model, 1.0, fm.StepControl.fixed(0.1))
    sim.advance(1.0, {"stroke": 0.3})
    assert sim.value("mass.position") == pytest.approx([0.0, 0.0, 0.3])
    assert sim.ledger["kinetic"] == pytest.approx(0.5 * 2.0 * 0.3**2)
    # the impact at the start: the driver supplies twice the kinetic energy, the scheme dissipates one half
    assert sim.ledger["work_drivers"] - sim.ledger["dissipation_scheme"] == pytest.approx(
        sim.ledger["kinetic"]
    )


def test_a_speed_controller_takes_its_speed_as_an_input() -> None:
    """J w' = P (W - w) + I (integral of W - phi): with the speed set from rest, P^2 = 4 I J, critically damped."""
    inertia, proportional = 0.2, 4.0
    integral = proportional**2 / (4 * inertia)
    model = fm.Model()
    wheel = model.add(RigidBody(2.0, (0.1, inertia, 0.3), (0, 0, 0), name="wheel"))
    model.add(Revolute(model.ground, wheel, axis=Y, name="shaft"))
    speed = fm.Input("speed", "rad/s")
    model.add(SpeedController(model.ground, wheel, Y, speed, proportional, integral))
    sim = fm.Simulation(model, 1.0, fm.StepControl.fixed(5e-3))
    rate = proportional / (2 * inertia)
    for t in (0.1, 0.3):
        sim.advance(t, {"speed": 1.5})
        # with x = integral of W - phi: x'' + 2 r x' + r^2 x = 0, x(0) = 0, x'(0) = W
        exact = 1.5 - 1.5 * (1 - rate * t) * np.exp(-rate * t)
        assert sim.value("shaft.angular_velocity[2]") == pytest.approx(exact, abs=1e-4)
