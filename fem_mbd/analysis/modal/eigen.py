"""Lowest eigenvalues of sparse symmetric problems; for quadratic ones see `quadratic`.

The inverse of K + s M at a small positive shift s is used, so that neither rigid motions (K singular) nor motions
without inertia (M singular) cause trouble. Small problems are solved densely, others by ARPACK.
Round-off of modal frequencies gives a warning for few correct digits, an error where none is.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, eig, eigh
from scipy.sparse import csc_matrix, csr_matrix
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh, splu

from fem_mbd.analysis.statics.linear_solve import ADVICE, WARNING_LEVEL, PrecisionWarning, digits, uncertainty
from fem_mbd.base.arrays import Array
from fem_mbd.base.blas_threads import one_blas_thread
from fem_mbd.errors import SolverFailure

MAX_DENSE_UNKNOWNS = 100  # number of unknowns up to which all eigenvalues are computed
# fraction of a motion's stiffness, summed without signs: a smaller stiffness means a rigid motion
ROUND_OFF = 1e-14
SHIFT_RATIO = 1e-2  # fraction of the lowest elastic frequency
# fraction of the largest requested value: with a smaller shift the values above it drown in round-off
MIN_SHIFT_RATIO = 1e-10
RESTARTS = 60  # ARPACK restarts, by which well separated eigenvalues have long converged
# multiple of the median ratio of stiffness to mass, from which parts count as practically rigid
RIGID_RATIO = 1e7
SHIFT_ATTEMPTS = 6  # attempts to find a shift
SHIFT_REDUCTION = 1e-3  # factor on a shift with which ARPACK does not converge
EXTRA_PAIRS = 4  # pairs computed beyond the requested ones, so that none of several close ones is missed
NO_DIGIT = 10.0  # multiple of the round-off: a squared frequency below it has no correct digit
# fractions of the next squared frequency: permitted round-off where some frequencies have no correct digit, and where
# all have one
FAR_BELOW, BELOW = 1e-2, 4e-2


@one_blas_thread()
def symmetric(stiffness: csr_matrix, mass: csr_matrix, number: int) -> tuple[Array, Array]:
    """The ``number`` lowest pairs of K x = mu M x, K symmetric: mu (k,) ascending, X (n, k) with X^T M X = I.

    mu of a rigid motion is exactly zero, that of an unstable equilibrium negative. Fewer pairs when fewer motions
    have inertia.
    """
    shift = _initial_shift(stiffness, mass)
    for attempt in range(SHIFT_ATTEMPTS):
        try:
            values, vectors = _symmetric_at(stiffness, mass, number + EXTRA_PAIRS, shift)
        except SolverFailure:
            # a shift far above all requested values makes them one cluster
            if attempt == SHIFT_ATTEMPTS - 1:
                raise
            shift *= SHIFT_REDUCTION
            continue
        values = np.where(np.abs(values) <= round_off(stiffness, vectors), 0.0, values)
        # a shift far above the lowest values mixes their vectors, but even a mixture shows their magnitude
        size = np.abs(values[values != 0])
        finer = max(
            SHIFT_RATIO**2 * float(size.min(initial=1e4 * shift)),
            MIN_SHIFT_RATIO * float(size.max(initial=0.0)),
        )
        if finer >= 1e-3 * shift:
            break
        shift = finer
    order = np.argsort(values)[:number]
    return values[order], vectors[:, order]


def lowest_frequency(stiffness: csr_matrix, mass: csr_matrix) -> float:
    """rad/s, of the lowest elastic motion without gyroscopic terms and damping."""
    half = csr_matrix(0.5 * (stiffness + stiffness.T))
    number = 12
    while True:
        values, _ = symmetric(half, mass, min(number, stiffness.shape[0]))
        elastic = np.abs(values[values != 0])
        if len(elastic):
            return float(np.sqrt(elastic.min()))
        if number >= stiffness.shape[0]:
            return float(np.sqrt(_initial_shift(half, mass)))
        number *= 4  # all of them were rigid motions


def factorise(matrix: csr_matrix) -> Any:
    """Solver of matrix x = b, sparse, real or complex.

    Raises
    ------
    SolverFailure
        When the matrix is singular.
    """
    try:
        return splu(csc_matrix(matrix), permc_spec="MMD_AT_PLUS_A")
    except RuntimeError as error:
        raise SolverFailure(
            f"modes: the stiffness about this equilibrium cannot be factorised ({error})"
        ) from error


def _initial_shift(stiffness: csr_matrix, mass: csr_matrix) -> float:
    m, k = mass.diagonal(), np.abs(stiffness.diagonal())
    heavy = m > 1e-12 * m.max(initial=0.0)
    ratios = k[heavy] / m[heavy]
    highest = float(ratios.max(initial=0.0))
    if highest <= 0:
        return 1.0
    # the median: a few nearly rigid parts do not represent the others
    usual = float(np.median(ratios))
    return 1e-9 * (usual if highest > RIGID_RATIO * usual > 0 else highest)


def round_off(stiffness: csr_matrix, vectors: Any) -> Array:
    """(k,) magnitude of mu due to round-off in K for each vector, x^T M x = 1."""
    size = np.abs(vectors)
    return ROUND_OFF * np.asarray(np.einsum("ij,ij->j", size, abs(stiffness) @ size))


def _symmetric_at(stiffness: csr_matrix, mass: csr_matrix, number: int, shift: float) -> tuple[Array, Array]:
    n = stiffness.shape[0]
    shifted = stiffness + shift * mass
    if n <= MAX_DENSE_UNKNOWNS or number >= n - 1:
        inverse, vectors = _dense_inverse_pairs(shifted.toarray(), mass.toarray())
    else:
        solver = factorise(shifted)
        try:
            values, vectors = eigsh(
                stiffness, number, mass, sigma=-shift, v0=start_vector(n), ncv=min(n, 2 * number + 20),
                maxiter=RESTARTS,
                OPinv=LinearOperator((n, n), matvec=solver.solve, dtype=float),
            )  # fmt: skip
        except ArpackError as error:
            raise SolverFailure(
                f"modes: ARPACK did not converge ({error}), as happens where round-off hides all motions: "
                f"{ADVICE}"
            ) from error
        inverse = 1 / (values + shift)
    moving = np.abs(inverse) > 1e-13 * np.abs(inverse).max(initial=0.0)
    vectors = vectors[:, moving]
    vectors = vectors / np.sqrt(np.einsum("ij,ij->j", vectors, mass @ vectors))
    values = np.einsum("ij,ij->j", vectors, stiffness @ vectors)  # more accurate than 1/inverse - shift
    nearest = np.argsort(np.abs(values))[:number]
    return values[nearest], vectors[:, nearest]


def _dense_inverse_pairs(shifted: Array, mass: Array) -> tuple[Array, Array]:
    """All pairs of M x = theta (K + s M) x."""
    try:
        return eigh(mass, shifted)
    except LinAlgError:  # an unstable equilibrium
        values, vectors = eig(mass, shifted)
        return values.real, vectors.real


def start_vector(n: int) -> Array:
    """A start vector that is the same in every run, so that results are reproducible."""
    return np.random.default_rng(20).standard_normal(n)


def warn_of_round_off(
    stiffness: csr_matrix, values: Array, vectors: Array, noise: Array, lowest: Callable[[], float]
) -> Array:
    """Relative uncertainty of eigenvalues (k,), rad/s, zero for zeros, infinite where indistinguishable from zero; a
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
        elastic = _above_round_off(squares, hidden)
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


def _above_round_off(squares: Array, hidden: float) -> NDArray[np.bool_]:
    """(k,) whether squares have a correct digit at a round-off of ``hidden``, (rad/s)^2; warns, or raises."""
    highest = np.sqrt(hidden) / (2 * np.pi)
    message = f"modes: motions computed at 0 Hz may be elastic ones of up to {highest:.2g} Hz: {ADVICE}"
    above = squares > NO_DIGIT * hidden
    far = FAR_BELOW if np.any((squares > 0) & ~above) else BELOW
    if not above.any() or hidden > far * squares[above].min():
        raise SolverFailure(message)
    warnings.warn(message, PrecisionWarning, stacklevel=4)
    return above
