"""Fatigue and spectrum of a history: rainflow counting, damage-equivalent loads, power spectral density.

Rainflow counting as in ASTM E1049-85, section 5.4.4, by the package rainflow: a history is reduced to its reversals,
ranges in it are counted as whole cycles where they close, as half cycles where they do not.

Damage-equivalent load: the range that, repeated N = frequency times duration times, does the same damage, by Palmgren
and Miner's rule on an S-N curve of slope m, as the counted ranges S_i with their counts n_i,

    DEL = (sum n_i S_i^m / N)^(1/m).

A range goes from trough to peak, twice an amplitude. Means of the cycles are not corrected for.

The power spectral density is computed by Welch's method (`scipy.signal.welch`). It is one-sided, and its integral over
the frequency, by the trapezoidal rule, is the variance: the density is scaled to it, because windows give the ends of
the history less weight (stationary histories: by some per mille; a decay: by much). Histories with unequal steps are
resampled linearly with the shortest step; the mean of the whole history is subtracted, not those of the segments, so
that what is slower than a segment stays, at the lowest frequencies; segments are windowed (Hann) and overlap by half.
"""

from __future__ import annotations

import numpy as np
import rainflow
import scipy.signal
from numpy.typing import ArrayLike
from scipy.integrate import trapezoid

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import positive
from fem_mbd.errors import InputError

RANGES = np.dtype([("range", "f8"), ("mean", "f8"), ("count", "f8")])
STEP_TOLERANCE = 1e-6  # fraction of a step: permitted difference of steps that count as equal
MAX_TIMES = 2_000_000  # number of times after resampling
MIN_TIMES = 8  # smallest number of times


def count_ranges(values: ArrayLike) -> np.ndarray:
    """Ranges of a history by rainflow counting, the smallest first.

    Parameters
    ----------
    values : (m,) of the history, any unit

    Returns
    -------
    ndarray
        (k,) with the fields range, mean (unit of the values) and count (0.5 or 1).

    Raises
    ------
    InputError
        When values are not finite or there are fewer than two.
    """
    history = np.asarray(values, dtype=float)
    if history.ndim != 1 or len(history) < 2 or not np.all(np.isfinite(history)):
        raise InputError("rainflow counting: give a history of at least two finite values")
    cycles = [cycle[:3] for cycle in rainflow.extract_cycles(history.tolist()) if cycle[0] > 0.0]
    return np.sort(np.array(cycles, dtype=RANGES), order="range")


def damage_equivalent_load(
    values: ArrayLike, duration: float, exponent: float, frequency: float = 1.0
) -> float:
    """Range of constant amplitude that does the same damage.

    Parameters
    ----------
    values : (m,) of the history, any unit
    duration : s, of the history
    exponent : m of the S-N curve, about 4 for steel, 10 for glass fibre
    frequency : Hz, at which the range is repeated

    Returns
    -------
    float
        In the unit of the values.

    Raises
    ------
    InputError
        For a duration, an exponent or a frequency that is not positive, and for values as `count_ranges`.
    """
    repetitions = positive(duration, "damage-equivalent load: duration (s)")
    repetitions *= positive(frequency, "damage-equivalent load: frequency (Hz)")
    m = positive(exponent, "damage-equivalent load: exponent")
    ranges = count_ranges(values)
    if not len(ranges):
        return 0.0
    largest = float(ranges["range"][-1])  # powers of the ratio do not overflow
    damage = float(ranges["count"] @ (ranges["range"] / largest) ** m)
    return largest * (damage / repetitions) ** (1.0 / m)


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
        even_times = t[0] + dt * np.arange(count)
        t, y = even_times, np.interp(even_times, t, y)
    length = min(max(2 * len(t) // (segments + 1), MIN_TIMES), len(t))
    frequency, density = scipy.signal.welch(y - y.mean(), 1.0 / dt, nperseg=length, detrend=False)
    # the first frequency, and the last of an even number, stand for half an interval: SciPy does not double their power
    density[0] *= 2.0
    if length % 2 == 0:
        density[-1] *= 2.0
    variance = float(trapezoid(density, frequency))
    return np.asarray(frequency), np.asarray(density * (y.var() / variance) if variance > 0.0 else density)
