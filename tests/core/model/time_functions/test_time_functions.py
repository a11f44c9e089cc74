"""Tests of functions of time: values, rates against differences, limits at kinks, arithmetic, bad input."""

from collections.abc import Callable

import numpy as np
import pytest

from fem_mbd.core.model.time_functions import (
    Constant,
    FromCallable,
    Harmonic,
    Piecewise,
    Polynomial,
    Ramp,
    SmoothStep,
    Table,
    TimeFunction,
    as_time_function,
)
from fem_mbd.errors import InputError

SHAPES: dict[str, TimeFunction] = {
    "constant": Constant((1.0, 2.0, 3.0)),
    "ramp": Ramp(0.5, 2.0, 1.0, -3.0),
    "smooth step": SmoothStep(0.5, 2.0, (0, 0, 0), (1, 2, 3)),
    "harmonic": Harmonic(2.0, 5.0, phase=0.3, offset=1.0),
    "vector harmonic": Harmonic((1.0, 0.0, 2.0), 3.0),
    "polynomial": Polynomial((1.0, -2.0, 0.5, 0.1)),
    "vector polynomial": Polynomial(((1, 2, 3), (4, 5, 6), (0, 1, 0))),
    "linear table": Table((0.0, 1.0, 1.5), (1.0, 3.0, -2.0)),
    "cubic table": Table((0.0, 0.4, 1.1, 1.7, 2.2), np.outer((1, 2, 0, -1, 3), (1, 0.5, 2)), kind="cubic"),
    "step table": Table((0.0, 1.0, 1.5), (1.0, 3.0, -2.0), kind="step"),
    "piecewise": Piecewise((1.0, 2.0), (0.0, lambda t: (t - 1.0) ** 2, Harmonic(1.0, 2.0))),
    "sum": 2.0 * Ramp(0.0, 1.0) + Harmonic(1.0, 7.0) - 4.0,
    "product": np.array([1.0, 0.0, -1.0]) * Harmonic(1.0, 7.0) * Ramp(0.0, 3.0),
    "callable": FromCallable(lambda t: (np.sin(t), np.exp(-t), t**3)),
    "callable with kink": FromCallable(lambda t: abs(t - 1.0), kinks=(1.0,)),
}


@pytest.mark.parametrize("name", SHAPES)
def test_rate_is_the_slope_of_the_value(name: str) -> None:
    f, h = SHAPES[name], 1e-6
    for t in (-0.7, 0.123, 0.77, 1.234, 1.61, 3.7):
        slope = (np.asarray(f.value(t + h)) - f.value(t - h)) / (2 * h)
        assert np.shape(f.rate(t)) == np.shape(f.value(t)) == f.shape, t
        np.testing.assert_allclose(f.rate(t), slope, rtol=1e-7, atol=1e-8, err_msg=f"t = {t} s")


@pytest.mark.parametrize("name", [n for n, f in SHAPES.items() if f.breakpoints()])
def test_sides_at_breakpoints_are_the_limits(name: str) -> None:
    f, h = SHAPES[name], 1e-9
    for instant in f.breakpoints():
        for side in (-1, 1):
            beside = instant + side * h
            np.testing.assert_allclose(f.value(instant, side), f.value(beside), rtol=1e-7, atol=1e-7)
            np.testing.assert_allclose(f.rate(instant, side), f.rate(beside), rtol=1e-6, atol=1e-6)


def test_breakpoint_is_recognised_through_the_round_off_of_a_summed_time() -> None:
    t = sum([0.1] * 10)  # 0.9999999999999999
    assert t != 1.0
    ramp = Ramp(0.0, 1.0)
    assert (ramp.rate(t, side=-1), ramp.rate(t, side=+1)) == (1.0, 0.0)
    steps = Table((0.0, 1.0), (5.0, 7.0), kind="step")
    assert (steps.value(t, side=-1), steps.value(t, side=+1)) == (5.0, 7.0)


def test_values_of_standard_shapes() -> None:
    assert Ramp(1.0, 3.0, 10.0, 20.0).value(1.5) == 12.5
    assert Ramp(1.0, 3.0, 10.0, 20.0).value(99.0) == 20.0
    assert SmoothStep(0.0, 2.0).value(1.0) == pytest.approx(0.5, abs=1e-16)
    assert Harmonic(3.0, 2.0, phase=np.pi / 2).value(0.0) == 3.0
    assert Polynomial((1, 2, 3)).value(2.0) == 17.0
    assert Table((0, 1, 3), (0, 1, 5)).value(2.0) == 3.0
    assert Table((0, 1, 3), (0, 1, 5)).value(9.0) == 5.0 and Table((0, 1, 3), (0, 1, 5)).rate(9.0) == 0.0


def test_smooth_step_leaves_and_arrives_with_zero_rate_and_acceleration() -> None:
    step, h = SmoothStep(0.0, 1.0), 1e-5
    for end in (0.0, 1.0):
        for beside in (end - h, end + h):
            assert np.max(np.abs(step.rate(beside))) < 1e-8


def test_cubic_table_reproduces_a_cubic() -> None:
    times = np.array([0.0, 0.3, 1.0, 1.2, 2.0])
    cubic = Polynomial((1.0, -1.0, 2.0, 0.7))
    table = Table(times, [cubic.value(t) for t in times], kind="cubic")
    for t in (0.1, 0.9, 1.95):
        assert table.value(t) == pytest.approx(cubic.value(t), rel=1e-13)
        assert table.rate(t) == pytest.approx(cubic.rate(t), rel=1e-12)


def test_callable_with_analytic_operations_has_its_rate_to_round_off() -> None:
    f = FromCallable(lambda t: np.exp(-t) * np.sin(50 * t))
    for t in (0.0, 0.31, 4.0):
        exact = np.exp(-t) * (50 * np.cos(50 * t) - np.sin(50 * t))
        assert f.rate(t) == pytest.approx(exact, rel=1e-14)


@pytest.mark.parametrize(
    "function",
    [
        lambda t: float(np.sin(3 * np.real(t))),  # loses the imaginary part without a word
        lambda t: np.sin(3 * t) if t < 10 else 0.0,  # complex numbers cannot be compared
        lambda t: np.interp(t, np.linspace(0, 2, 2001), np.sin(3 * np.linspace(0, 2, 2001))),
    ],
)
def test_callable_that_defeats_the_complex_step_gets_differences(function: Callable[[float], float]) -> None:
    assert FromCallable(function, spacing=1e-4).rate(0.2003) == pytest.approx(3 * np.cos(0.6009), rel=2e-3)


def test_differences_keep_their_documented_accuracy() -> None:
    f = FromCallable(lambda t: np.sin(3 * t) if t < 10 else 0.0)
    assert f.rate(0.5) == pytest.approx(3 * np.cos(1.5), abs=1e-10)


def test_no_difference_is_taken_across_a_kink() -> None:
    f = FromCallable(lambda t: 2.0 * t if t < 1.0 else 5.0 - 3.0 * t, kinks=(1.0,))
    for side, slope in ((-1, 2.0), (1, -3.0)):
        assert f.rate(1.0, side) == pytest.approx(slope, abs=1e-9)
    assert f.rate(1.0 - 1e-7) == pytest.approx(2.0, abs=1e-8)
    assert f.rate(1.0 + 1e-7) == pytest.approx(-3.0, abs=1e-8)


def test_arithmetic_collects_breakpoints() -> None:
    f = 2.0 * Ramp(0.0, 1.0) - Ramp(0.5, 1.0) * Harmonic(1.0, 1.0)
    assert f.breakpoints() == (0.0, 0.5, 1.0)
    assert f.value(0.75) == pytest.approx(1.5 - 0.5 * np.sin(0.75))
    assert (3.0 - Ramp(0.0, 1.0)).value(0.25) == 2.75
    assert (-Ramp(0.0, 1.0)).value(0.25) == -0.25


def test_piecewise_offers_only_the_breakpoints_that_can_be_met() -> None:
    f = Piecewise((1.0,), (Ramp(0.0, 2.0), Ramp(0.5, 3.0)))
    assert f.breakpoints() == (0.0, 1.0, 3.0)


def test_as_time_function_takes_numbers_vectors_callables_and_time_functions() -> None:
    ramp = Ramp(0.0, 1.0)
    assert as_time_function(ramp) is ramp
    assert as_time_function(3).value(1.0) == 3.0
    np.testing.assert_array_equal(as_time_function([0, 0, -9.81]).value(1.0), (0, 0, -9.81))
    assert as_time_function(lambda t: t**2).rate(3.0) == pytest.approx(6.0)


def test_values_given_as_arrays_are_copied_and_protected() -> None:
    given = np.array([1.0, 2.0, 3.0])
    f = Constant(given)
    given[0] = 99.0
    held = f.value(0.0)
    assert isinstance(held, np.ndarray) and held[0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        held[0] = 5.0


BAD: dict[str, Callable[[], object]] = {
    "must be later": lambda: Ramp(1.0, 1.0),
    "unequal shapes": lambda: Ramp(0.0, 1.0, 0.0, (1, 0, 0)),
    "SmoothStep v1 is nan": lambda: SmoothStep(0.0, 1.0, 0.0, np.nan),
    "must both": lambda: Harmonic((1, 0, 0), 1.0, offset=2.0),
    "Harmonic omega": lambda: Harmonic(1.0, np.inf),
    "choose 'linear'": lambda: Table((0, 1), (0, 1), kind="spline"),  # type: ignore[arg-type]
    "one value per time": lambda: Table((0, 1, 2), (0, 1)),
    "must ascend": lambda: Table((0, 2, 1), (0, 1, 2)),
    "not finite": lambda: Table((0, 1), (0, np.nan)),
    "not an array of numbers": lambda: Table((0, 1), ("a", "b")),
    "one function more": lambda: Piecewise((1.0,), (0.0,)),
    "Piecewise functions have shapes": lambda: Piecewise((1.0,), (0.0, (1, 0, 0))),
    "two vector": lambda: Constant((1, 0, 0)) * Constant((1, 0, 0)),
    "sum of time functions of unequal": lambda: Constant((1, 0, 0)) + 1.0,
    "kinks must ascend": lambda: FromCallable(np.sin, kinks=(1.0, 1.0)),
    "spacing": lambda: FromCallable(np.sin, spacing=0.0),
    "shape of its value": lambda: FromCallable(np.sin, lambda t: (0, 0, 0)),
    "torque is 'fast': give one number": lambda: as_time_function("fast", what="torque"),
    "torque is True": lambda: as_time_function(True, what="torque"),
    "has shape": lambda: as_time_function((1.0, 2.0)),
    "give one number or a function of time": lambda: as_time_function(
        (1.0, 2.0, 3.0), shape=(), what="torque"
    ),
    "shape \\(3,\\)": lambda: as_time_function(1.0, shape=(3,), what="force"),
    "torque at t = 0": lambda: as_time_function(lambda t: float("nan"), what="torque"),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_refused(message: str) -> None:
    with pytest.raises(InputError, match=message):
        BAD[message]()


@pytest.mark.parametrize("rate", [1.0, 1e5, 1e7])
def test_rates_of_fast_functions_whose_complex_step_fails(rate: float) -> None:
    """A resonator of 1 MHz moves through whole cycles within the spacing of the first differences."""

    def function(t: complex) -> float:
        return 1e-6 * np.sin(rate * float(np.real(t)))

    found = FromCallable(function)
    for t in (0.3 / rate, 2.0 / rate, 0.5 * np.pi / rate):
        assert found.rate(t) == pytest.approx(1e-6 * rate * np.cos(rate * t), abs=1e-6 * 1e-6 * rate)
