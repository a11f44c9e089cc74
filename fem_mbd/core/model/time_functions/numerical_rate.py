"""Numerical derivative of a user's function of time, by complex step or finite differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array

# Fourth-order differences: points in units of the spacing, and weights that are exact for polynomials of degree 4.
_CENTRAL = (np.array([-2.0, -1.0, 1.0, 2.0]), np.array([1.0, -8.0, 8.0, -1.0]) / 12.0)
_FORWARD = (np.array([0.0, 1.0, 2.0, 3.0, 4.0]), np.array([-25.0, 48.0, -36.0, 16.0, -3.0]) / 12.0)
_SPACINGS = (
    7  # each a tenth of the last one: functions may vary a million times as fast as the first one resolves
)
_COMPLEX_STEP = 1e-40  # s: its square is negligible, so there is no truncation error
_ACCURATE = 1e-9  # relative: differences that agree so well have no truncation error
_AGREEMENT = 1e-4  # relative; far above the error of the differences, far below that of a wrong complex step


def numerical_rate(
    function: Callable[[float], ArrayLike], t: float, smooth: tuple[float, float], spacing: float
) -> Array:
    """Derivative of `function` at `t` (s), from values inside the open interval `smooth` only.

    The complex step is used where it works and agrees with the finite differences (a function with `abs`, a comparison
    or a table look-up can drop the imaginary part silently); otherwise the differences are used. Where differences with
    a tenth of the spacing are others, the function varies faster, and the spacing is reduced until they agree.
    """
    exact = _complex_step(function, t)
    found: list[Array] = []
    for k in range(_SPACINGS):
        difference, noise = _difference(function, t, smooth, spacing * 0.1**k)
        if exact is not None and exact.shape == difference.shape and _agree(exact, difference, noise):
            return exact
        if found and _agree(found[-1], difference, noise):
            # the finer one has ten times the round-off, and a ten thousandth of the truncation error
            return found[-1] if _agree(found[-1], difference, noise, _ACCURATE) else difference
        found.append(difference)
    return found[0]  # of a function that is not smooth at any scale: that over the spacing asked for


def _agree(one: Array, other: Array, noise: float, tolerance: float = _AGREEMENT) -> bool:
    scale = np.max(np.abs(one)) + np.max(np.abs(other))
    return bool(np.max(np.abs(one - other)) <= tolerance * scale + noise)


def _difference(
    function: Callable[[float], ArrayLike], t: float, smooth: tuple[float, float], spacing: float
) -> tuple[Array, float]:
    """The difference quotient, and its round-off."""
    before, after = t - smooth[0], smooth[1] - t
    if min(before, after) > 2.0 * spacing:
        (points, weights), step = _CENTRAL, spacing
    else:  # one-sided, in the longer direction, and never beyond its end
        points, weights = _FORWARD
        step = np.copysign(min(spacing, max(before, after) / 5.0), after - before)
    at = t + step * points
    samples = np.array([np.asarray(function(float(x)), dtype=np.float64) for x in at])
    # the times are rounded, too: at large ones a change of the function by that is noise
    round_off = np.finfo(float).eps * (
        np.max(np.abs(samples)) + abs(t / step) * np.max(np.ptp(samples, axis=0))
    )
    return np.tensordot(weights, samples, axes=1) / step, float(8.0 * round_off / abs(step))


def _complex_step(function: Callable[[float], ArrayLike], t: float) -> Array | None:
    """The derivative by a complex step, or None when the function does not accept a complex time.

    Any exception of the user's function counts as that: the differences evaluate it at real times, so an error in it is
    raised there.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            result = np.asarray(function(complex(t, _COMPLEX_STEP)))  # type: ignore[arg-type]
        except Exception:
            return None
    if result.dtype.kind not in "cf" or not np.all(np.isfinite(result)):
        return None
    return np.asarray(np.imag(result) / _COMPLEX_STEP, dtype=np.float64)
