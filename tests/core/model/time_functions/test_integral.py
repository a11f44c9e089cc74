"""Tests of the integral of a speed: exact to round-off, independent of the order of evaluations."""

import numpy as np
import pytest
from scipy.special import fresnel

from fem_mbd import InputError, Model
from fem_mbd.core.model.time_functions import Harmonic, Piecewise, Polynomial, Ramp, SmoothStep, Table
from fem_mbd.core.model.time_functions.base import as_time_function
from fem_mbd.core.model.time_functions.integral import Integral, integral_of, position_of
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


class _Chirp(Harmonic):
    """2 sin(5 t^2), derived from a shape whose own integral is another."""

    def value(self, t: float, side: int = 1) -> float:
        return 2.0 * np.sin(5.0 * t * t)

    def rate(self, t: float, side: int = 1) -> float:
        return 20.0 * t * np.cos(5.0 * t * t)


@pytest.mark.parametrize("factor", [1.0, 0.5])
def test_a_class_derived_from_a_shape_is_integrated_by_its_own_values(factor: float) -> None:
    """The integral of 2 sin(5 t^2) is sqrt(2 pi/5) S(t sqrt(10/pi)), S Fresnel's (DLMF 7.2.8)."""
    chirp = _Chirp(2.0, 5.0)
    exact = np.sqrt(2.0 * np.pi / 5.0) * fresnel(np.sqrt(10.0 / np.pi))[0]
    function = integral_of(chirp if factor == 1.0 else factor * chirp, "speed")
    assert function.value(1.0) == pytest.approx(factor * exact, rel=1e-12)
    summed = integral_of(Polynomial((1.0,)) + factor * chirp, "speed")
    assert summed.value(1.0) == pytest.approx(1.0 + factor * exact, rel=1e-12)


CLOSED = {
    "number": as_time_function(3.0),
    "polynomial": Polynomial((1.0, 2.0, 3.0)),
    "harmonic": Harmonic(2.0, 3.0, 0.4, 1.5),
    "frequency zero": Harmonic(2.0, 0.0, 0.4, 1.5),
    "ramp": Ramp(1.0, 2.0, -1.0, 3.0),
    "ramp at the start": Ramp(-1.0, 2.0, -1.0, 3.0),
    "smooth step": SmoothStep(1.0, 3.0, 2.0, 5.0),
    "late smooth step": SmoothStep(100.0, 101.0, 2.0, 5.0),
    "table": Table((0.5, 1.0, 2.0, 4.0), (1.0, -2.0, 3.0, 0.5)),
    "steps": Table((0.5, 1.0, 2.0, 4.0), (1.0, -2.0, 3.0, 0.5), "step"),
    "piecewise": Piecewise((1.0, 2.0), (2.0, Ramp(1.0, 2.0, 2.0, 4.0), Harmonic(4.0, 1.0))),
    "sum": 2.0 * Ramp(0.0, 1.0, 0.0, 3.0) + Polynomial((1.0, 1.0)),
}


@pytest.mark.parametrize("name", CLOSED)
def test_integrals_of_shapes_are_shapes(name: str) -> None:
    """They are evaluated in compiled code, agree with QUADPACK, and their rate is the function."""
    function = CLOSED[name]
    found, quadrature = integral_of(function, name), Integral(function)
    assert found.instructions() is not None and found.value(0.0) == 0.0
    for t in (-1.0, 0.3, 0.5, 1.0, 1.7, 2.0, 3.9, 6.0, 100.3, 120.0):
        assert found.value(t) == pytest.approx(quadrature.value(t), rel=1e-12, abs=1e-13)
        assert found.rate(t) == pytest.approx(function.value(t), rel=1e-12, abs=1e-12)


def test_integrals_without_closed_form_stay_quadratures() -> None:
    for function in (Table((0.0, 1.0, 2.0, 3.0), (0.0, 1.0, 0.0, 2.0), "cubic"), as_time_function(np.cos)):
        for whole in (function, 2.0 * function, Piecewise((1.0,), (1.0, function))):
            assert isinstance(integral_of(whole, "speed"), Integral)


def test_jumps_of_a_python_function_are_located() -> None:
    """A square wave of period pi/10: after 0.9 s two periods and a part of the third, 0.9 - 0.2 pi, have passed."""
    wave = Integral(lambda t: np.sign(np.sin(20.0 * t)))
    third = 0.9 - 0.2 * np.pi
    assert wave.value(0.9) == pytest.approx(0.05 * np.pi - (third - 0.05 * np.pi), abs=1e-12)


def test_a_pole_of_a_speed_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"from 0 s to 0\.3 s does not converge: give the times of its jumps"
    ):
        Integral(lambda t: 1.0 / abs(t - 0.1)).value(0.3)
