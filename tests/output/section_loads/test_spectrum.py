"""Tests of power spectral density: the integral is the variance (Parseval), the peak is at the frequency of a sine."""

import numpy as np
import pytest

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
