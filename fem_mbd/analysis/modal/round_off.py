"""Round-off of modal frequencies: a warning for few correct digits, an error where none is."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from scipy.sparse import csr_matrix

from fem_mbd.analysis.statics.precision import ADVICE, WARNING_LEVEL, PrecisionWarning, digits, uncertainty
from fem_mbd.base.arrays import Array
from fem_mbd.errors import SolverFailure

FAR_BELOW = 1e-2  # of the square of the next frequency


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
    squares = np.abs(values) ** 2
    elastic = squares > 0
    hidden = float(noise[~elastic].max(initial=0.0))
    if hidden > 0.0 and hidden > 0.01 * (squares[elastic].min() if elastic.any() else lowest() ** 2):
        highest = np.sqrt(hidden) / (2 * np.pi)
        message = f"modes: motions computed at 0 Hz may be elastic ones of up to {highest:.2g} Hz: {ADVICE}"
        above = squares[squares > 100.0 * hidden]
        if not above.size or hidden > FAR_BELOW * above.min():
            raise SolverFailure(message)
        warnings.warn(message, PrecisionWarning, stacklevel=3)
        elastic &= squares > 100.0 * hidden
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
