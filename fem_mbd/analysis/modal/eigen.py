"""Lowest eigenvalues of sparse problems: `symmetric`, and `quadratic` with gyroscopic and damping terms.

The inverse of K + s M, or of K + s C + s^2 M, at a small positive shift s is used, so that neither rigid motions
(K singular) nor motions without inertia (M singular) cause trouble. Small problems are solved densely, others by
ARPACK; for quadratic ones a Rayleigh–Ritz step in the span of its vectors follows.

Round-off of modal frequencies gives a warning for few correct digits, an error where none is.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, eig, eigh, qr, svd
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csc_matrix, csr_matrix
from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator, eigs, eigsh, splu

from fem_mbd.analysis.statics.bordered_newton import (
    ADVICE,
    WARNING_LEVEL,
    PrecisionWarning,
    digits,
    uncertainty,
)
from fem_mbd.base.arrays import Array, Complex, Flags, Indices
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


# fraction of the lowest elastic frequency; with a smaller one round-off of rigid motions dominates
QUADRATIC_SHIFT = 0.1
SPAN_TOLERANCE = 1e-6  # fraction of the largest singular value: smaller ones are round-off
# multiple of the round-off of stiffness or damping, from which a motion has one
NOISE_MARGIN = 10.0
INDEPENDENCE = 1e-3  # sine of the angle between rigid motions from which they are different ones


@one_blas_thread()
def quadratic(
    stiffness: csr_matrix,
    rates: csr_matrix,
    mass: csr_matrix,
    number: int,
    frequency: float,
    measure: csr_matrix | None = None,
) -> tuple[Complex, Complex, Flags]:
    """The ``number`` lowest modes of (l^2 M + l C + K) x = 0 by size of l: l (k,) and X (n, k), x^H M x = 1 (or with
    ``measure`` in the place of M), and whether stiffness has no part in a mode (k,).

    A conjugate pair is represented by the one with positive imaginary part; each real l is a mode. Motions of zero
    frequency are one mode each, whether their zero is double or, with a damper, single; the decay of a motion that only
    a damper resists is another mode, however slow. ``frequency`` (rad/s) is near that of the lowest elastic motions.
    Fewer are returned where the higher ones lie in a cluster of overdamped modes that cannot be separated.
    """
    # in units of that frequency x and l x have the same magnitude
    k, c, m = stiffness, frequency * rates, frequency**2 * mass
    values, vectors = _quadratic_at(k, c, m, 2 * (number + EXTRA_PAIRS), QUADRATIC_SHIFT)
    size = np.einsum("ij,ij->j", vectors.conj(), (mass if measure is None else measure) @ vectors).real
    vectors = vectors / np.sqrt(np.where(size > 0, size, 1.0))
    # under round-off e a simple zero moves by e, a double one by sqrt(e): e is that of the stiffness and, through the
    # shift, that of the eigenvalues, sqrt(e) times the shift
    double = np.maximum(round_off(stiffness, vectors) / frequency**2, ROUND_OFF * QUADRATIC_SHIFT**2)
    rigid = np.abs(values) ** 2 <= double
    values = np.where(np.abs(values.real) <= _damping_round_off(values), 1j * values.imag, values)
    values = np.where(rigid, 0.0, values * frequency)
    real = np.abs(values.imag) <= 1e-9 * np.abs(values)
    values = np.where(real, values.real, values)
    zeros = np.flatnonzero(rigid)
    zeros = zeros[_independent(vectors[:, zeros])]
    others = np.flatnonzero(~rigid & (real | (values.imag > 0)))
    limits = frequency * np.sqrt(double[zeros])
    decays, decaying = _slow_decays((stiffness, rates, mass), vectors[:, zeros], limits)
    values = np.concatenate([values[zeros], decays, values[others]])
    vectors = np.concatenate([vectors[:, zeros], decaying, vectors[:, others]], axis=1)
    forms = np.abs(np.einsum("ij,ij->j", vectors.conj(), stiffness @ vectors))
    free = (values.imag == 0.0) & (forms <= NOISE_MARGIN * round_off(stiffness, vectors))
    # l^2 m + l c = 0, with an error of second order in that of the vector
    loss, inertia = (np.einsum("ij,ij->j", vectors.conj(), matrix @ vectors).real for matrix in (rates, mass))
    decays_freely = free & (values != 0.0) & (inertia > 0.0)
    values = np.where(decays_freely, -loss / np.where(inertia > 0.0, inertia, 1.0), values)
    chosen = np.lexsort((values.imag, np.abs(values).round(12)))[:number]
    return values[chosen], vectors[:, chosen], free[chosen]


def _slow_decays(
    matrices: tuple[csr_matrix, csr_matrix, csr_matrix], rigid: Complex, limits: Array
) -> tuple[Complex, Complex]:
    """Decays l < 0 of motions without stiffness, (k,) rad/s, that are too slow to be told from their zero, and (n, k).

    With K N = 0 the motions N y obey (l M + C) N y = 0 exactly, as far as C does not couple them to others.

    matrices : K, C, M; rigid : (n, r) N; limits : (r,) rad/s, the largest value that counts as zero
    """
    stiffness, rates, mass = matrices
    if not rigid.shape[1]:
        return np.zeros(0, dtype=complex), np.zeros((len(rigid), 0), dtype=complex)
    basis = svd(np.concatenate([rigid.real, rigid.imag], axis=1), full_matrices=False)[0][:, : rigid.shape[1]]
    inertia, resistance = np.asarray(basis.T @ (mass @ basis)), np.asarray(basis.T @ (rates @ basis))
    values, y = np.linalg.eig(-np.linalg.lstsq(inertia, resistance, rcond=1e-12)[0])
    vectors = (basis @ y).astype(complex)
    size = np.sqrt(np.maximum(np.einsum("ij,ij->j", vectors.conj(), mass @ vectors).real, 0.0))
    vectors = vectors / np.where(size > 0.0, size, 1.0)
    # errors of the projected matrix move each of its eigenvalues by as much as the largest of them (Weyl)
    # and an elastic part e of the vectors, e K e is left in their stiffness, is damped by up to max(C/K) e K e
    diagonal = stiffness.diagonal()
    damped = np.divide(rates.diagonal(), diagonal, out=np.zeros(len(diagonal)), where=diagonal > 0.0).max(
        initial=0.0
    )
    elastic = np.abs(np.einsum("ij,ij->j", vectors.conj(), stiffness @ vectors)).max()
    least = NOISE_MARGIN * (round_off(rates, vectors).max() + damped * elastic)
    slow = (size > 0.0) & (values.imag == 0.0) & (values.real < -least) & (np.abs(values) <= limits.max())
    return values[slow].astype(complex), vectors[:, slow]


def _damping_round_off(values: Complex) -> Array:
    """(k,) magnitude of real parts due to round-off: the inverse's largest value perturbs all of them by as much.

    The highest frequencies are affected most, with the square of the frequency; overdamped modes are not vibrations.
    """
    distance = np.abs(values - QUADRATIC_SHIFT)
    error = ROUND_OFF * distance**2 / distance.min(initial=np.inf)
    return np.where(np.abs(values.imag) > np.abs(values.real), error, -1.0)


def _quadratic_at(
    k: csr_matrix, c: csr_matrix, m: csr_matrix, number: int, shift: float
) -> tuple[Complex, Complex]:
    """Pairs nearest to the shift, from the inverse of the pencil [[0, I], [-K, -C]] - l diag(I, M).

    All pairs of a small model have stiff motions among them, beside which low ones would drown in a Rayleigh–Ritz step.
    """
    n = k.shape[0]
    dense = n <= MAX_DENSE_UNKNOWNS or number >= 2 * n - 2
    if dense:
        inverse, vectors = _dense_quadratic_pairs(k.toarray(), c.toarray(), m.toarray(), shift)
    else:
        solver, right = factorise(csr_matrix(k + shift * c + shift**2 * m)), csr_matrix(c + shift * m)

        def apply(z: Array) -> Array:
            upper = -solver.solve(right @ z[:n] + m @ z[n:])
            return np.concatenate([upper, shift * upper + z[:n]])

        try:
            inverse, vectors = eigs(
                LinearOperator((2 * n, 2 * n), matvec=apply, dtype=float), number, v0=start_vector(2 * n),
                ncv=min(2 * n, 2 * number + 20), maxiter=RESTARTS,
            )  # fmt: skip
        except ArpackNoConvergence as error:
            # strong material damping makes a cluster of overdamped modes at -1/eta that cannot be separated; values
            # well away from it have converged
            inverse, vectors = error.eigenvalues, error.eigenvectors
            if not len(inverse):
                raise SolverFailure(f"modes: ARPACK did not converge ({error})") from error
        except ArpackError as error:
            raise SolverFailure(f"modes: ARPACK did not converge ({error})") from error
    moving = np.abs(inverse) > 1e-13 * np.abs(inverse).max(initial=0.0)
    values, vectors = shift + 1 / inverse[moving], vectors[:n, moving]
    nearest = np.argsort(np.abs(values))[:number]
    values, vectors = values[nearest], vectors[:, nearest]
    return (values, vectors) if dense else _rayleigh_ritz(k, c, m, values, vectors)


def _dense_quadratic_pairs(k: Array, c: Array, m: Array, shift: float) -> tuple[Complex, Complex]:
    """All pairs of that inverse: 1/(l - shift) and the vectors (2 n, 2 n), x above l x."""
    n = len(k)
    upper = -np.linalg.solve(k + shift * c + shift**2 * m, np.concatenate([c + shift * m, m], axis=1))
    return np.linalg.eig(np.concatenate([upper, shift * upper + np.eye(n, 2 * n)]))


def _rayleigh_ritz(
    k: csr_matrix, c: csr_matrix, m: csr_matrix, values: Complex, vectors: Complex
) -> tuple[Complex, Complex]:
    """Pairs of the equations projected on the real and imaginary parts of the vectors; they replace the given pairs.

    Round-off in a factorised stiff matrix mixes low modes: by 1e-3 where stiffnesses differ by 1e12. Within the span
    of all low modes nothing has been lost: the error of its values is of second order in that of the span.
    """
    if not len(values):
        return values, vectors
    vectors = _unit(vectors)
    left, singular, _ = svd(np.concatenate([vectors.real, vectors.imag], axis=1), full_matrices=False)
    basis = left[:, singular > SPAN_TOLERANCE * singular.max(initial=0.0)]
    small = [np.asarray(basis.T @ (matrix @ basis)) for matrix in (k, c, m)]
    inverse, coordinates = _dense_quadratic_pairs(small[0], small[1], small[2], QUADRATIC_SHIFT)
    moving = np.abs(inverse) > 1e-13 * np.abs(inverse).max(initial=0.0)
    ritz, coordinates = QUADRATIC_SHIFT + 1 / inverse[moving], coordinates[: basis.shape[1], moving]
    coordinates = _unit(coordinates)
    # the projection has more pairs than were given: for each the one of equal value and shape
    similarity = np.abs((basis.T @ vectors).conj().T @ coordinates)
    gap = np.abs(values[:, None] - ritz) / (np.abs(values)[:, None] + np.abs(ritz) + QUADRATIC_SHIFT)
    columns = linear_sum_assignment(1 - similarity + gap)[1]
    return ritz[columns], basis @ coordinates[:, columns]


def _independent(vectors: Complex) -> Indices:
    """Indices of columns that span all of them."""
    if not vectors.size:
        return np.zeros(0, dtype=np.intp)
    _, triangle, order = qr(_unit(vectors), mode="economic", pivoting=True)
    size = np.abs(np.diagonal(triangle))
    return np.sort(order[: len(size)][size > INDEPENDENCE * size[0]])


def _unit(vectors: Complex) -> Complex:
    size = np.linalg.norm(vectors, axis=0)
    return vectors / np.where(size > 0, size, 1.0)
