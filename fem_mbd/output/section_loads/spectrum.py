"""Power spectral density of a history, by Welch's method (`scipy.signal.welch`).

One-sided, so that its integral over the frequency is the variance. Histories with unequal steps are resampled linearly
with the shortest step; the mean is subtracted, segments are windowed (Hann) and overlap by half.
"""

from __future__ import annotations

import numpy as np
import scipy.signal
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.errors import InputError

STEP_TOLERANCE = 1e-6  # fraction of a step: permitted difference of steps that count as equal
MAX_TIMES = 2_000_000  # number of times after resampling
MIN_TIMES = 8  # smallest number of times


def power_spectral_density(time: ArrayLike, values: ArrayLike, segments: int = 4) -> tuple[Array, Array]:
    """Frequencies (k,), Hz, and the density (k,), square of the values' unit per Hz.

    Parameters
    ----------
    time : (m,) s, ascending
    values : (m,)
    segments : into which the history is divided; more segments make the estimate smoother and its resolution coarser

    Raises
    ------
    InputError
        For fewer than 8 times, or such small steps that resampling takes more than two million.
    """
    t, y = np.asarray(time, dtype=float), np.asarray(values, dtype=float)
    if t.ndim != 1 or t.shape != y.shape or len(t) < MIN_TIMES:
        raise InputError(f"spectrum: give a history of at least {MIN_TIMES} times")
    steps = np.diff(t)
    dt = float(steps.min())
    if not dt > 0.0:
        raise InputError("spectrum: times have to ascend")
    if np.ptp(steps) > STEP_TOLERANCE * dt:
        count = int(np.floor((t[-1] - t[0]) / dt)) + 1
        if count > MAX_TIMES:
            raise InputError(
                f"spectrum: the shortest step, {dt:.3g} s, would give {count} times: run with equal steps, "
                "or with a larger shortest step"
            )
        even = t[0] + dt * np.arange(count)
        t, y = even, np.interp(even, t, y)
    length = max(2 * len(t) // (segments + 1), MIN_TIMES)
    frequency, density = scipy.signal.welch(y, 1.0 / dt, nperseg=min(length, len(t)))
    return np.asarray(frequency), np.asarray(density)
