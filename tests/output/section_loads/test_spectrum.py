"""Tests of power spectral density: the integral is the variance (Parseval), the peak is at the frequency of a sine."""

import numpy as np
import pytest
from scipy.integrate import trapezoid

from fem_mbd.errors import InputError
from fem_mbd.output.section_loads.fatigue import power_spectral_density


@pytest.mark.parametrize("even", [True, False])
def test_a_sine_has_its_variance_at_its_frequency(even: bool) -> None:
    t = np.linspace(0.0, 100.0, 5001)
    if not even:
        t = t + 0.004 * np.sin(t)
    frequency, density = power_spectral_density(t, 5.0 + 2.0 * np.sin(2 * np.pi * 1.25 * t))
    assert frequency[np.argmax(density)] == pytest.approx(1.25, abs=frequency[1])
    assert np.sum(density) * frequency[1] == pytest.approx(2.0, rel=0.02)  # amplitude^2 / 2


HISTORIES = {
    "slower than the history": lambda t: 3.0 * np.sin(2 * np.pi * 0.004 * t),
    "drift": lambda t: 0.02 * t,
    "decay": lambda t: np.exp(-t / 10.0),
    "noise": lambda t: np.random.default_rng(0).normal(size=len(t)),
    "sine and drift": lambda t: np.sin(2 * np.pi * 1.3 * t) + 0.02 * t,
}


@pytest.mark.parametrize("times", [20000, 20001])
@pytest.mark.parametrize("segments", [1, 4, 8])
@pytest.mark.parametrize("history", HISTORIES)
def test_the_integral_is_the_variance(history: str, segments: int, times: int) -> None:
    t = 0.01 * np.arange(times)
    y = HISTORIES[history](t)
    frequency, density = power_spectral_density(t, y, segments)
    assert trapezoid(density, frequency) == pytest.approx(y.var(), rel=1e-10)
    assert (density >= 0.0).all()


def test_slow_content_lies_at_the_lowest_frequencies() -> None:
    t = 0.01 * np.arange(20000)
    y = 3.0 * np.sin(2 * np.pi * 0.004 * t)
    frequency, density = power_spectral_density(t, y)
    slow = (
        frequency <= 3 * frequency[1]
    )  # the width of a Hann window's main lobe is two frequencies to either side
    assert trapezoid(density[slow], frequency[slow]) > 0.99 * y.var()


def test_a_constant_history_has_no_power() -> None:
    assert not power_spectral_density(np.arange(20.0), np.full(20, 3.0))[1].any()


@pytest.mark.parametrize(
    ("times", "says"),
    [
        (np.arange(5.0), "8 times"),
        (np.zeros(20), "ascend"),
        (np.append(np.arange(20.0) * 1e-9, 1.0), "shortest step"),
    ],
)
def test_bad_input(times: np.ndarray, says: str) -> None:
    with pytest.raises(InputError, match=says):
        power_spectral_density(times, times)
