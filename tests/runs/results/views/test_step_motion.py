"""Tests of motion within steps: convergence against closed forms, and recorded values at the ends."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import fem_mbd as fm
from fem_mbd.elements import RigidBody
from fem_mbd.errors import InputError

INERTIA = np.array([2.0, 2.0, 0.7])
SPIN = np.array([1.5, -0.4, 3.0])  # body axes
CENTRE = np.array([0.2, 0.1, -0.3])
START = Rotation.from_rotvec([0.3, -0.8, 0.5])
GRAVITY = np.array([0.5, 0.0, -9.81])
NAMES = ("position", "rotation_matrix", "velocity", "angular_velocity_in_body")


def thrown(dt: float, end: float = 1.0, **options: object) -> fm.Result:
    """A symmetric top with eccentric mass centre, thrown in a gravity field."""
    model = fm.Model(gravity=GRAVITY)
    body = model.add(
        RigidBody(3.0, INERTIA, position=(0, 0, 0), rotation=START.as_matrix(), centre=CENTRE, name="top")
    )
    model.set_velocity(body.node, (1.0, 2.0, 3.0), START.apply(SPIN))
    return fm.simulate(model, end, fm.StepControl.fixed(dt), progress=False, **options)  # type: ignore[arg-type]


def exact(t: float) -> dict[str, np.ndarray]:
    """Regular precession: R = exp(t h/J1) R_0 exp(t (1 - J3/J1) W3 e3), with the angular momentum h."""
    h = START.apply(INERTIA * SPIN)
    own = Rotation.from_rotvec([0, 0, (1 - INERTIA[2] / INERTIA[0]) * SPIN[2] * t])
    turn = Rotation.from_rotvec(h / INERTIA[0] * t) * START * own
    omega = turn.inv().apply(h) / INERTIA
    start = np.array([1.0, 2.0, 3.0]) + np.cross(START.apply(SPIN), START.apply(CENTRE))
    centre = START.apply(CENTRE) + start * t + 0.5 * GRAVITY * t * t
    arm = turn.apply(CENTRE)
    velocity = start + GRAVITY * t - np.cross(turn.apply(omega), arm)
    return dict(zip(NAMES, (centre - arm, turn.as_matrix(), velocity, omega), strict=True))


def errors(dt: float) -> np.ndarray:
    times = dt * (np.array([0.0, 1.0, 5.0]) + np.array([0.3, 0.62, 0.85]))
    found = thrown(dt, 8 * dt).at(times).of("top")
    wanted = [exact(t) for t in times]
    return np.array([np.abs(getattr(found, n) - np.array([w[n] for w in wanted])).max() for n in NAMES])


def test_motion_within_steps_converges() -> None:
    """At a fixed number of steps: positions and rotations with at least dt^3 (locally dt^3), velocities with dt^2."""
    coarse, fine = errors(0.04), errors(0.02)
    orders = np.log2(coarse / fine)
    assert orders[:2].min() > 2.8 and orders[2:] == pytest.approx(np.full(2, 2.0), abs=0.2)
    assert (fine[:2] < 1e-4).all()


def test_motion_at_a_fixed_time_converges_with_the_third_order() -> None:
    found = []
    for dt in (0.04, 0.02, 0.01):
        # a third into the step that holds 0.9 s
        t = dt * (np.floor(0.9 / dt + 1e-9) - 1 + 1 / 3)
        top = thrown(dt, 0.96).at(t).of("top")
        wanted = exact(t)
        found.append([np.abs(getattr(top, n) - wanted[n]).max() for n in NAMES[:2]])
    orders = np.log2(np.array(found[:-1]) / np.array(found[1:]))
    assert orders.min() > 2.8


def test_ends_of_steps_are_what_was_recorded() -> None:
    result = thrown(0.05)
    times = np.concatenate([[0.0], result.time])
    at, whole = result.at(times), result.of("top")
    for name in (*NAMES, "quaternion"):
        values = getattr(at.of("top"), name)
        assert np.array_equal(values[1:], getattr(whole, name)), name
    assert np.array_equal(at.of("top").position[0], result.initial["position"][1])
    # adding times within steps changes nothing, and the polynomials are continuous with the recorded values
    mixed = result.at([result.time[3], 0.5 * (result.time[3] + result.time[4])]).of("top")
    assert np.array_equal(mixed.position[0], whole.position[3])
    near = result.at(result.time[4] * (1 - 1e-13)).of("top")
    for name in NAMES:
        assert getattr(near, name) == pytest.approx(getattr(whole, name)[4], abs=1e-11)


def test_velocity_is_the_rate_of_the_place() -> None:
    result, h = thrown(0.05), 1e-6
    after, before, here = (result.of("top").at(0.333 + d) for d in (h, -h, 0.0))
    assert (after.position - before.position) / (2 * h) == pytest.approx(here.velocity, abs=1e-3)


def test_momentum_of_a_thrown_body() -> None:
    result = thrown(0.02)
    start = np.array([1.0, 2.0, 3.0]) + np.cross(START.apply(SPIN), START.apply(CENTRE))
    assert result.momentum == pytest.approx(3.0 * (start + GRAVITY * result.time[:, None]), abs=1e-12)
    assert result.at(0.313).momentum == pytest.approx(3.0 * (start + GRAVITY * 0.313), abs=1e-12)
    place = START.apply(CENTRE) + start * 0.5 + 0.5 * GRAVITY * 0.25
    about = result.at(0.5).angular_momentum(place)
    assert about == pytest.approx(START.apply(INERTIA * SPIN), abs=2e-4)


def test_nothing_is_known_between_thinned_records() -> None:
    result = thrown(0.05, record_every=4)
    assert np.array_equal(result.at(result.output_time).of("top").position, result.of("top").position)
    with pytest.raises(InputError, match=r"4 steps apart.*record_every=1"):
        result.at(0.51)
