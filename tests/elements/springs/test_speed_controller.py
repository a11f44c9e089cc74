"""A motor with a speed controller against the closed form of an accelerated disk."""

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.elements import RigidBody, SpeedController
from fem_mbd.joints import Revolute

INERTIA, GAIN, SPEED = 0.2, 0.5, 12.0


def _run(integral: float, end: float) -> fm.Result:
    model = fm.Model()
    disk = model.add(RigidBody(1.0, (INERTIA / 2, INERTIA / 2, INERTIA), position=(0, 0, 0)))
    model.add(Revolute(model.ground, disk, axis=(0, 0, 1)))
    model.add(SpeedController(model.ground, disk, (0, 0, 1), SPEED, proportional=GAIN, integral=integral))
    return fm.simulate(model, end, fm.StepControl.fixed(1.25e-3), progress=False)


def test_proportional_control_approaches_the_speed_exponentially() -> None:
    """J w' = k (W - w): w = W (1 - exp(-k t / J))."""
    result = _run(0.0, 0.5)
    spin = result.outputs["omega"][:, 1, 2]
    exact = SPEED * (1 - np.exp(-GAIN * result.time / INERTIA))
    np.testing.assert_allclose(spin, exact, atol=1e-6 * SPEED)


def test_integral_control_is_a_damped_oscillator_of_the_error() -> None:
    """J e'' + k e' + i e = 0 for the angle's error e, e(0) = 0, e'(0) = W."""
    gain_i = 5.0
    result = _run(gain_i, 0.5)
    decay, root = GAIN / (2 * INERTIA), np.sqrt(gain_i / INERTIA - (GAIN / (2 * INERTIA)) ** 2)
    t = result.time
    rate = SPEED * np.exp(-decay * t) * (np.cos(root * t) - decay / root * np.sin(root * t))
    np.testing.assert_allclose(result.outputs["omega"][:, 1, 2], SPEED - rate, atol=1e-5 * SPEED)


def test_bad_gains_are_refused() -> None:
    model = fm.Model()
    with pytest.raises(fm.InputError, match="proportional is 0"):
        SpeedController(model.ground, model.ground, (0, 0, 1), 1.0, proportional=0.0)
    with pytest.raises(fm.InputError, match=r"integral \(N m/rad\) is -1: it must not be negative"):
        SpeedController(model.ground, model.ground, (0, 0, 1), 1.0, proportional=1.0, integral=-1.0)
