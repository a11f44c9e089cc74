"""A warning where round-off leaves few digits of a frequency; a refusal where it hides elastic motions at 0 Hz."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from scipy.sparse import csr_matrix

from fem_mbd.analysis.statics.precision import REMEDY, TOLD, PrecisionWarning, digits, uncertainty
from fem_mbd.base.arrays import Array
from fem_mbd.errors import SolverFailure


def warn_of_round_off(
    stiffness: csr_matrix, values: Array, vectors: Array, noise: Array, lowest: Callable[[], float]
) -> Array:
    """How far eigenvalues (k,), rad/s, may be off, relative, zero for zeros; a `PrecisionWarning` for few digits.

    noise : (k,) (rad/s)^2 below which the square of an eigenvalue was taken for zero
    lowest : gives the lowest elastic eigenvalue (rad/s), asked for when there is none among ``values``

    Raises
    ------
    SolverFailure
        Where zeros may be none: a frequency that is not known to a single digit is no result.
    """
    squares = np.abs(values) ** 2
    elastic = squares > 0
    hidden = float(noise[~elastic].max(initial=0.0))
    if hidden > 0.0 and hidden > 0.01 * (squares[elastic].min() if elastic.any() else lowest() ** 2):
        highest = np.sqrt(hidden) / (2 * np.pi)
        raise SolverFailure(
            f"modes: motions that come out at 0 Hz may be elastic ones of up to {highest:.2g} Hz: {REMEDY}"
        )
    relative = np.zeros(len(squares))
    relative[elastic] = 0.5 * uncertainty(stiffness, vectors)[elastic] / squares[elastic]
    if relative.max(initial=0.0) > TOLD:
        modes = np.flatnonzero(relative > TOLD)
        warnings.warn(
            f"modes: frequencies of modes {', '.join(map(str, modes))} are good to about {digits(relative.max())} "
            f"digits: {REMEDY}",
            PrecisionWarning,
            stacklevel=3,
        )
    return relative
