"""Tests of the integral of a speed: exact to round-off, independent of the order of evaluations."""

from __future__ import annotations

import numpy as np
import pytest

from fem_mbd.core.model.model import Model
from fem_mbd.core.model.time_functions import Harmonic, Ramp
from fem_mbd.core.model.time_functions.integral import Integral, position_of
from fem_mbd.errors import InputError
from fem_mbd.joints import DrivenRevolute


def test_integral_of_a_ramp_is_a_parabola_then_a_line() -> None:
    speed = Ramp(0.3, 2.1, 0.0, 30.0)
    angle = Integral(speed)
    for t in (5.0, 0.1, 1.2, 2.1, 0.0, 40.0):
        s = np.clip(t - 0.3, 0.0, 1.8)
        exact = 30.0 / 1.8 * s**2 / 2 + 30.0 * max(t - 2.1, 0.0)
        assert angle.value(t) == pytest.approx(exact, rel=1e-13, abs=1e-15)
        assert angle.rate(t) == speed.value(t)
    assert angle.breakpoints() == speed.breakpoints()


def test_integral_of_a_harmonic_far_out() -> None:
    function = Integral(lambda t: np.cos(50.0 * t), start=2.0)
    assert function.value(200.0) == pytest.approx(2.0 + np.sin(1e4) / 50.0, abs=1e-12)
    assert function.value(-0.3) == pytest.approx(2.0 + np.sin(-15.0) / 50.0, abs=1e-13)


def test_value_does_not_depend_on_what_was_asked_before() -> None:
    a, b = (Integral(Harmonic(1.0, 7.0)) for _ in range(2))
    for t in (0.4, 3.3, 1.1):
        a.value(t)
    assert a.value(9.7) == b.value(9.7)


def test_exactly_one_of_angle_and_speed() -> None:
    model = Model()
    for given in ({}, {"angle": 1.0, "speed": 1.0}):
        with pytest.raises(InputError, match="give its angle or its speed as a function of time"):
            DrivenRevolute(model.ground, model.ground, axis=(0, 0, 1), **given)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"speed is .* give one number"):
        position_of(None, (1.0, 2.0, 3.0), ("angle", "speed"), "driver")
