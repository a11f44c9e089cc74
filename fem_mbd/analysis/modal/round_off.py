"""Round-off of modal frequencies: a warning for few correct digits, an error where none is."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from fem_mbd.analysis.statics.precision import ADVICE, WARNING_LEVEL, PrecisionWarning, digits, uncertainty
from fem_mbd.base.arrays import Array
from fem_mbd.errors import SolverFailure

# of the square of the next frequency: what may be hidden without an error, where some frequencies have no digit, and
# where all have one
FAR_BELOW, BELOW = 1e-2, 4e-2
NO_DIGIT = 10.0  # times what round-off may hide: squares of frequencies below are no more than that


def warn_of_round_off(
    stiffness: csr_matrix, values: Array, vectors: Array, noise: Array, lowest: Callable[[], float]
) -> Array:
    """Relative uncertainty of eigenvalues (k,), rad/s, zero for zeros, infinite for what cannot be told from zero; a
    `PrecisionWarning` where few digits are correct.

    noise : (k,) (rad/s)^2, limit below which the square of an eigenvalue was set to zero
    lowest : function for the lowest elastic eigenvalue (rad/s), called when there is none among ``values``

    Raises
    ------
    SolverFailure
        Where zeros may be elastic motions: a frequency without a single correct digit is not a result. A warning is
        enough where all others are far above: motions as free as yaw or teeter beside a machine's vibrations.
    """
    squares: Array = np.square(np.abs(values), dtype=float)
    elastic = squares > 0
    hidden = float(noise[~elastic].max(initial=0.0))
    if hidden > 0.0 and hidden > 0.01 * (squares[elastic].min() if elastic.any() else lowest() ** 2):
        elastic = _told_from_zero(squares, hidden)
    relative = np.where((squares > 0) & ~elastic, np.inf, 0.0)
    relative[elastic] = 0.5 * uncertainty(stiffness, vectors)[elastic] / squares[elastic]
    doubtful = relative[np.isfinite(relative)]
    if doubtful.max(initial=0.0) > WARNING_LEVEL:
        modes = np.flatnonzero((relative > WARNING_LEVEL) & np.isfinite(relative))
        warnings.warn(
            f"modes: frequencies of modes {', '.join(map(str, modes))} are good to about {digits(doubtful.max())} "
            f"digits: {ADVICE}",
            PrecisionWarning,
            stacklevel=3,
        )
    return relative


def _told_from_zero(squares: Array, hidden: float) -> NDArray[np.bool_]:
    """(k,) which of the squares have a digit where round-off hides ``hidden``, (rad/s)^2; warns, or raises."""
    highest = np.sqrt(hidden) / (2 * np.pi)
    message = f"modes: motions computed at 0 Hz may be elastic ones of up to {highest:.2g} Hz: {ADVICE}"
    above = squares > NO_DIGIT * hidden
    far = FAR_BELOW if np.any((squares > 0) & ~above) else BELOW
    if not above.any() or hidden > far * squares[above].min():
        raise SolverFailure(message)
    warnings.warn(message, PrecisionWarning, stacklevel=4)
    return above
