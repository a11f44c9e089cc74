"""Fast rotation: flywheels, tops, gyroscopes, thrusters and turns, in closed form, with the default step control."""

from contextlib import nullcontext

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import fem_mbd as fm
from fem_mbd.core.model.ranges import RangeWarning
from fem_mbd.elements import Force, RigidBody, RotationalSpringDamper
from fem_mbd.joints import DrivenRevolute, Revolute, Spherical


def flywheel(speed: float, end: float, control: fm.StepControl | None = None) -> tuple[fm.Result, str]:
    model = fm.Model()
    wheel = model.add(RigidBody(1.0, (1e-2, 2e-2, 3e-2), position=(0, 0, 0), name="wheel"))
    model.add(Revolute(model.ground, wheel, at=(0, 0, 0), axis=(0, 0, 1), name="bearing"))
    model.set_velocity(wheel, omega=(0, 0, speed))
    return fm.simulate(model, end, control), "bearing"


@pytest.mark.parametrize("speed", [1.0, 100.0, 1e3, 1e5])
def test_a_free_flywheel_turns_by_its_speed_times_the_time(speed: float) -> None:
    end = min(1.0, 600.0 / speed)
    result, bearing = flywheel(speed, end)
    assert result.of(bearing).angle[-1] == pytest.approx(speed * end, rel=1e-9)
    assert result.steps < 70 + 34 * speed * end / (2 * np.pi)


@pytest.mark.parametrize("step", [0.5, 2.0, 2.8])
def test_a_free_flywheel_is_exact_at_any_step_below_half_a_turn(step: float) -> None:
    with pytest.warns(RangeWarning, match="rotation in a step") if step > 1 else nullcontext():
        result, bearing = flywheel(100.0, 1.0, fm.StepControl.fixed(step / 100.0))
    assert result.of(bearing).angle[-1] == pytest.approx(100.0, rel=1e-11)


@pytest.mark.parametrize("spin", [100.0, 300.0, 1000.0])
def test_a_heavy_top_precesses(spin: float) -> None:
    """Steady precession w at the angle th: It w^2 cos(th) - I3 s w + m g l = 0, It about the tip, s about the axis."""
    mass, arm, across, along, tilt = 1.0, 0.05, 6e-4, 1e-3, 0.5
    roots = np.roots([(across + mass * arm**2) * np.cos(tilt), -along * spin, mass * 9.81 * arm])
    rate = min(roots, key=abs).real
    axis = np.array([np.sin(tilt), 0, np.cos(tilt)])
    model = fm.Model(gravity=(0, 0, -9.81))
    turned = Rotation.from_rotvec([0, tilt, 0]).as_matrix()
    top = model.add(
        RigidBody(
            mass, (across, across, along), position=(0, 0, 0), centre=(0, 0, arm), rotation=turned, name="top"
        )
    )
    model.add(Spherical(model.ground, top, at=(0, 0, 0)))
    omega = rate * np.array([0, 0, 1]) + (spin - rate * np.cos(tilt)) * axis
    model.set_velocity(top, omega=omega, about=(0, 0, 0))
    result = fm.simulate(model, 1.0)
    direction = result.of("top").rotation.as_matrix()[:, :, 2]
    phase = np.unwrap(np.arctan2(direction[:, 1], direction[:, 0]))
    found = (phase[-1] - phase[0]) / (result.time[-1] - result.time[0])
    assert found == pytest.approx(rate, rel=5e-3)


@pytest.mark.parametrize("spin", [100.0, 1000.0])
def test_the_gimbal_of_a_gyroscope_needs_the_rate_of_its_angular_momentum(spin: float) -> None:
    """J s times the gimbal's speed of 1 rad/s."""
    model = fm.Model()
    gimbal = model.add(RigidBody(0.1, (1e-4,) * 3, position=(0, 0, 0), name="gimbal"))
    wheel = model.add(RigidBody(1, (6e-4, 6e-4, 1e-3), position=(0, 0, 0), name="wheel"))
    drive = model.add(DrivenRevolute(model.ground, gimbal, at=(0, 0, 0), axis=(1, 0, 0), speed=1.0))
    model.add(Revolute(gimbal, wheel, at=(0, 0, 0), axis=(0, 0, 1)))
    model.set_velocity(gimbal, omega=(1.0, 0, 0))
    model.set_velocity(wheel, omega=(1.0, 0, spin))
    result = fm.simulate(model, 0.5)
    torque = np.linalg.norm(result.of(drive).reaction.moment, axis=1)
    late = torque[len(torque) // 2 :] / (1e-3 * spin)
    assert late.mean() == pytest.approx(1.0, abs=5e-3)


def test_a_driven_flywheel_needs_no_torque_at_constant_speed() -> None:
    inertia, speed = 3e-2, 300.0
    model = fm.Model()
    wheel = model.add(RigidBody(1, (1e-2, 2e-2, inertia), position=(0, 0, 0), name="wheel"))
    ramp = fm.time_functions.SmoothStep(0, 0.5, 0.0, speed)
    motor = model.add(DrivenRevolute(model.ground, wheel, at=(0, 0, 0), axis=(0, 0, 1), speed=ramp))
    result = fm.simulate(model, 0.8)
    torque, peak = result.of(motor).reaction.moment[:, 2], 1.875 * inertia * speed / 0.5
    assert np.abs(torque[result.time > 0.52]).max() < 1e-6 * peak
    assert torque[result.time < 0.5].max() == pytest.approx(peak, rel=0.02)
    assert result.of(motor).angle[-1] == pytest.approx(speed * (0.25 + 0.3), rel=1e-9)


@pytest.mark.parametrize("spin", [30.0, 300.0])
def test_the_thruster_of_a_spinning_body_goes_round(spin: float) -> None:
    """Speed 1 N/(1 kg s) (sin s t, 1 - cos s t)."""
    model = fm.Model()
    body = model.add(RigidBody(1.0, (1e-2,) * 3, position=(0, 0, 0), name="body"))
    model.add(Force(body.node, (1.0, 0, 0), follower=True))
    model.set_velocity(body, omega=(0, 0, spin))
    result = fm.simulate(model, 1.0)
    velocity = result.of("body").velocity
    assert np.linalg.norm(velocity, axis=1).max() == pytest.approx(2 / spin, rel=0.01)
    exact = np.stack([np.sin(spin * result.time), 1 - np.cos(spin * result.time)], axis=1) / spin
    assert velocity[:, :2] == pytest.approx(exact, abs=0.02 / spin)


@pytest.mark.filterwarnings("ignore:.*rotation in a step:fem_mbd.core.model.ranges.RangeWarning")
@pytest.mark.parametrize("dt", [1e-2, 2.5e-2, 3e-2, 0.1])
def test_angles_of_drives_and_springs_count_turns(dt: float) -> None:
    """At 3 and 10 rad a step too, which are shortened."""
    model = fm.Model()
    body = model.add(RigidBody(1, (1e-2, 2e-2, 3e-2), position=(0, 0, 0), name="body"))
    drive = model.add(DrivenRevolute(model.ground, body, at=(0, 0, 0), axis=(0, 0, 1), speed=100.0))
    spring = model.add(
        RotationalSpringDamper(model.ground, body, axis=(0, 0, 1), stiffness=1.0, name="spring")
    )
    model.set_velocity(body, omega=(0, 0, 100.0))
    result = fm.simulate(model, 1.0, fm.StepControl.fixed(dt))
    assert result.of(drive).angle[-1] == pytest.approx(100.0, rel=1e-10)
    assert result.of(spring).angle[-1] == pytest.approx(100.0, rel=1e-10)
    assert result.step["dt"].max() * 100.0 < 0.91 * np.pi


def test_thinned_records_count_turns() -> None:
    """A turn and a half from record to record."""
    model = fm.Model()
    body = model.add(RigidBody(1, (1e-2, 2e-2, 3e-2), position=(0, 0, 0), name="body"))
    bearing = model.add(Revolute(model.ground, body, at=(0, 0, 0), axis=(0, 0, 1)))
    model.set_velocity(body, omega=(0, 0, 100.0))
    result = fm.simulate(model, 1.0, fm.StepControl.fixed(5e-3), record_every=20)
    angle = result.of(bearing).angle
    assert angle[-1] - angle[0] == pytest.approx(
        100.0 * (result.output_time[-1] - result.output_time[0]), rel=1e-10
    )
