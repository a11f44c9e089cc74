"""Modes of linear models with internal states, and equations of models whose friction changes with reactions.

`modes_with_states` finds modes with internal states, as inflow and dynamic stall of rotors. With
w = (s - A)^-1 (B + s C) x they solve

    T(s) x = [s^2 M + s (G + D) + K + e F (s - A)^-1 (B + s C)] x = 0                e = 1

A rotor has a thousand such states, whose decays lie among the motions of its structure. The modes wanted are those of
the structure: they are followed from e = 0, where the states stay as they are, to e = 1 by Newton's method (Ruhe 1973,
SIAM J. Numer. Anal. 10, eq. 3.1) in steps that keep their shape. This is done in the span of the lowest modes of mass
and stiffness; last steps of the method in all unknowns correct them.

`left_basis` is for friction inside joints that carries a load at the equilibrium: it changes with the joints'
reactions. With F = d(friction)/d(lambda) the equations are

    M x'' + D x' + K x + (B^T + F) lambda = 0,        B x = 0

Motions remain x = Z y with B Z = 0, but the reactions are eliminated by

    W^T = Z^T - Z^T F G B,        G = (B (B^T + F))^-1,        W^T (B^T + F) = 0

and W^T M Z is not symmetric. Multiplied by T = (Z^T M Z) (W^T M Z)^-1 it is Z^T M Z again. With the few columns of F in
U = Z^T F and V = G B M Z (Z^T M Z)^-1, T = I + U (I - V U)^-1 V.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import lstsq, pinv
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from fem_mbd.analysis.modal.eigen import factorise, symmetric
from fem_mbd.base.arrays import Array, Complex
from fem_mbd.base.blas_threads import one_blas_thread
from fem_mbd.core.model.internal_states import InternalStates
from fem_mbd.errors import FemMbdWarning, SolverFailure

SPAN = 2  # multiple of the number of modes: dimension of the span in which they are followed
EXTRA = 20
FIRST_STEP, LEAST_STEP = 0.25, 1.0 / 256.0  # of e
ITERATIONS, TOLERANCE = (
    12,
    1e-6,
)  # of Newton's method in the span; the last steps, in all unknowns, square the error
SIMILARITY = 0.7  # of the shapes before and after a step
RIGID = 1e-6  # fraction of the largest frequency of the span: slower motions are not followed
SAME = 1e-5  # relative difference of eigenvalues at which two are one
ILL_CONDITIONED = 1e10  # of the eigenvectors of A


class LostModeWarning(FemMbdWarning):
    """A mode is not found where the internal states have their effect."""


@dataclass(frozen=True, eq=False)
class _Transfer:
    """F (s - A)^-1 (B + s C) in the eigenvectors of A: poles (k,), f (n, k), b and c (k, n)."""

    poles: Complex
    f: Any
    b: Any
    c: Any

    def matrix(self, s: complex) -> Any:
        if isinstance(self.f, np.ndarray):
            return self.f @ ((self.b + s * self.c) / (s - self.poles)[:, None])
        scaled = csr_matrix((1.0 / (s - self.poles), (range(len(self.poles)),) * 2))
        return self.f @ scaled @ (self.b + s * self.c)

    def slope(self, s: complex, x: Complex) -> Complex:
        """Derivative of `matrix` by s, times x."""
        over, c = 1.0 / (s - self.poles), self.c @ x
        return np.asarray(self.f @ (over * c - over**2 * (self.b @ x + s * c)))


@one_blas_thread()
def modes_with_states(
    matrices: tuple[csr_matrix, csr_matrix, csr_matrix],
    states: InternalStates,
    bases: tuple[csr_matrix, csr_matrix],
    number: int,
) -> tuple[Complex, Complex]:
    """The lowest ``number`` vibrations (k,) and (r, k), of unit modal mass, rigid motions with eigenvalue 0 among them.

    matrices : stiffness, rates, mass (r, r) in the reduced unknowns; bases (n, r) of the equations and of these

    Raises
    ------
    SolverFailure
        When the states of a station cannot be decoupled.

    Warns
    -----
    LostModeWarning
        When a vibration is lost on its way to e = 1: it is left out.
    """
    stiffness, rates, mass = matrices
    size = min(SPAN * number + EXTRA, stiffness.shape[0])
    _, span = symmetric(csr_matrix(0.5 * (stiffness + stiffness.T)), mass, size)
    whole = _transfer(states, bases)
    small = _Transfer(whole.poles, span.T @ whole.f, whole.b @ span, whole.c @ span)
    k, d, m = (np.asarray(span.T @ (matrix @ span)) for matrix in (stiffness, rates, mass))
    values, vectors = _starts(k, d, m, number)
    eigenvalues: list[complex] = []
    shapes: list[Complex] = []
    lost: list[float] = []
    for start, vector in zip(values, vectors.T, strict=True):
        value, x = start, span @ vector
        if start != 0.0:
            followed = _follow((k, d, m), small, start, vector)
            if followed is None:
                lost.append(abs(start) / (2.0 * np.pi))
                continue
            value, x = _corrected(matrices, whole, followed[0], span @ followed[1])
            # two starts may lead to one mode; equal values with different shapes are two modes
            if any(
                abs(value - earlier) < SAME * abs(value) and _similarity(mass, x, shape) > 1.0 - SAME
                for earlier, shape in zip(eigenvalues, shapes, strict=True)
            ):
                lost.append(abs(start) / (2.0 * np.pi))
                continue
        eigenvalues.append(value)
        shapes.append(x / np.sqrt(abs(np.vdot(x, mass @ x))))
    if lost:
        _warn_of_lost(lost)
    return np.array(eigenvalues), np.array(shapes).T


def _transfer(states: InternalStates, bases: tuple[csr_matrix, csr_matrix]) -> _Transfer:
    """The transfer matrix in all reduced unknowns."""
    poles, left, right = _decoupled(states.own)
    f = csr_matrix(bases[0].T @ states.force) @ right
    b, c = (left @ (matrix @ bases[1]) for matrix in (states.by_position, states.by_velocity))
    return _Transfer(poles, csr_matrix(f), csr_matrix(b), csr_matrix(c))


def _warn_of_lost(lost: list[float]) -> None:
    """Issue a `LostModeWarning` for frequencies, Hz, to the caller of `modes_with_states`."""
    frequencies = ", ".join(f"{frequency:.3g} Hz" for frequency in lost)
    warnings.warn(
        f"modes: vibrations of {frequencies} without inflow and stall are lost with them, as where they become "
        "over-damped: they are left out",
        LostModeWarning,
        stacklevel=4,
    )


def _decoupled(state_matrix: csr_matrix) -> tuple[Complex, csr_matrix, csr_matrix]:
    """Eigenvalues (k,) of A, and V^-1 and V (k, k), found group by group of states that are coupled."""
    count, group = connected_components(state_matrix, directed=False)
    poles = np.zeros(state_matrix.shape[0], dtype=complex)
    rows, columns, values, inverse = [], [], [], []
    for component in range(count):
        at = np.flatnonzero(group == component)
        block, v = np.linalg.eig(state_matrix[at][:, at].toarray())
        if np.linalg.cond(v) > ILL_CONDITIONED:
            raise SolverFailure(
                "modes: the states of inflow and stall of a station cannot be decoupled: change the number of stations"
            )
        poles[at] = block
        rows.append(np.repeat(at, len(at)))
        columns.append(np.tile(at, len(at)))
        values.append(v.ravel())
        inverse.append(np.linalg.inv(v).ravel())
    at_all = np.concatenate(rows), np.concatenate(columns)
    return poles, *(csr_matrix((np.concatenate(x), at_all), state_matrix.shape) for x in (inverse, values))


def _starts(k: Array, d: Array, m: Array, number: int) -> tuple[Complex, Complex]:
    """Vibrations and rigid motions without the states."""
    n = len(k)
    upper = -np.linalg.solve(m, np.concatenate([k, d], axis=1))
    values, vectors = np.linalg.eig(np.concatenate([np.eye(n, 2 * n, n), upper]))
    slow = RIGID * np.abs(values).max()
    rigid = np.flatnonzero((np.abs(values) <= slow) & (values.imag >= 0.0))[:1]
    chosen = np.flatnonzero((values.imag > slow) & (np.abs(values) > slow))
    chosen = chosen[np.argsort(np.abs(values[chosen]))][: number - len(rigid)]
    at = np.concatenate([rigid, chosen])
    return np.where(np.abs(values[at]) <= slow, 0.0, values[at]), vectors[:n, at]


def _follow(
    matrices: tuple[Array, Array, Array], transfer: _Transfer, s: complex, x: Complex
) -> tuple[complex, Complex] | None:
    """From e = 0 to 1; None where it is lost."""
    e, step = 0.0, FIRST_STEP
    while e < 1.0:
        step = min(step, 1.0 - e)
        solution = _newton(matrices, transfer, e + step, s, x)
        if solution is not None and _similarity(matrices[2], x, solution[1]) > SIMILARITY:
            (s, x), e, step = solution, e + step, 2.0 * step
        elif step > LEAST_STEP:
            step *= 0.5
        else:
            return None
    return s, x


def _similarity(mass: Any, x: Complex, y: Complex) -> float:
    sizes = abs(np.vdot(x, mass @ x)) * abs(np.vdot(y, mass @ y))
    return float(abs(np.vdot(x, mass @ y)) / np.sqrt(sizes))


def _newton(
    matrices: tuple[Array, Array, Array], transfer: _Transfer, e: float, s: complex, x: Complex
) -> tuple[complex, Complex] | None:
    k, d, m = matrices
    for _ in range(ITERATIONS):
        t = k + s * d + s**2 * m + e * transfer.matrix(s)
        slope = d @ x + 2.0 * s * (m @ x) + e * transfer.slope(s, x)
        y = np.linalg.solve(t, slope)
        share = complex(np.vdot(x, x) / np.vdot(x, y))
        s, x = s - share, share * y
        if abs(share) <= TOLERANCE * abs(s):
            return s, x
    return None


def _corrected(matrices: Any, transfer: _Transfer, s: complex, x: Complex) -> tuple[complex, Complex]:
    """Two steps of Newton's method in all unknowns, from a solution in the span."""
    k, d, m = matrices
    for _ in range(2):
        t = csr_matrix(k + s * d + s**2 * m + transfer.matrix(s))
        y = factorise(t).solve(d @ x + 2.0 * s * (m @ x) + transfer.slope(s, x))
        share = complex(np.vdot(x, x) / np.vdot(x, y))
        s, x = s - share, share * y
    return s, x


def left_basis(
    basis: csr_matrix, mass: csr_matrix, constraints: csr_matrix, friction: csr_matrix
) -> csr_matrix:
    """W T^T (n, r), onto which the equations are projected; the basis where friction carries no load.

    Parameters
    ----------
    basis : (n, r) Z
    mass : (n, n)
    constraints : (m, n) B
    friction : (n, m) F
    """
    loaded = np.unique(friction.indices[friction.data != 0.0])
    if not len(loaded):
        return basis
    reactions = constraints @ (constraints.T + friction)
    inverse = pinv(reactions.toarray())[loaded]
    by_force = csr_matrix(inverse) @ constraints  # G B, rows of the loaded joints
    u = np.asarray((basis.T @ friction.tocsc()[:, loaded]).todense())
    reduced_mass = csr_matrix(basis.T @ mass @ basis).toarray()
    v = _right_solve(np.asarray((by_force @ mass @ basis).todense()), reduced_mass)
    projection = csr_matrix(basis.T) - csr_matrix(u) @ by_force
    gain = u @ np.linalg.solve(np.eye(len(loaded)) - v @ u, v)
    return csr_matrix((projection + csr_matrix(gain) @ projection).T)


def _right_solve(rows: Array, matrix: Array) -> Array:
    """rows matrix^-1 for a symmetric matrix, which is singular where motions have no mass."""
    return np.asarray(lstsq(matrix, rows.T, lapack_driver="gelsy")[0]).T
