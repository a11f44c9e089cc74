"""Critical speeds of a rotor from one eigenvalue problem, without a sweep over speeds.

A whirl at the speed of the rotor, exp(i Omega t) in fixed axes, is at rest in the axes of the rotor:

    inertial frame   K x = Omega^2 (M - i G1) x     G = Omega G1, round rotor, any supports: forward and backward whirl
    rotating frame   K x = Omega^2 N x              -Omega^2 N is the stiffness of steady rotation; any rotor, round
                                                    supports: at these speeds the bent shaft is in equilibrium

Both are linear in Omega^2 as long as the equilibrium does not change with speed: all mass centres on the axis.
Source: docs/explanation/linearisation.md, section 4.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eig
from scipy.sparse import bmat, csr_matrix
from scipy.sparse.linalg import ArpackError, LinearOperator, eigs

from fem_mbd.analysis.modal.eigen import MAX_DENSE_UNKNOWNS, factorise, symmetric
from fem_mbd.analysis.modal.linear_model import inertial_forces, inertial_matrices
from fem_mbd.analysis.modal.modes import Modes
from fem_mbd.analysis.rotors.rotating_models import Family
from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array, Complex
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Node
from fem_mbd.core.scheme.state import State
from fem_mbd.errors import InputError, SolverFailure

# fraction of mass times length: a smaller first moment about the axis counts as balanced
BALANCE_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class CriticalSpeeds:
    """Critical speeds of a rotor, ascending.

    Attributes
    ----------
    speeds : (k,) rad/s
    whirl : (k,) sense of whirl of the mode, from -1, all backward, to 1, all forward
    modes : the modes at these speeds, with their shapes
    """

    speeds: Array
    whirl: Array
    modes: Modes


@arguments()
def critical_speeds(
    model: Model,
    *,
    axis: ArrayLike = (0.0, 0.0, 1.0),
    point: ArrayLike = (0.0, 0.0, 0.0),
    number: int = 6,
    frame: str = "rotating",
    rotor: Iterable[Node] | None = None,
    at: State | None = None,
) -> CriticalSpeeds:
    """The lowest critical speeds of a rotor, without a sweep; damping is neglected.

    Fewer are returned where gyroscopic effects of discs prevent a whirl from reaching the speed of the rotor.

    Parameters
    ----------
    model : the rotor on its supports
    axis, point : (3,) of the rotation, global axes
    number : of critical speeds
    frame : "rotating" or "inertial", as for `campbell`
    rotor : nodes that spin, for "inertial"; by default found from beams and joints
    at : equilibrium at rest, see `modes`

    Raises
    ------
    InputError
        When the rotor is not round (inertial frame), or has mass off the axis, so that it deforms with speed: then
        track the modes with `campbell`.
    """
    family = Family(model, axis, point, frame, rotor, at)
    rest = family.rest
    stiffness = rest.reduced(csr_matrix(0.5 * (rest.stiffness + rest.stiffness.T)))
    unit = Spin(family.axis.place, family.axis.direction, 1.0)
    if family.rotor is not None:
        right = rest.reduced(csr_matrix(rest.mass - 1j * family.rotor.gyroscopic))
    else:
        _check_balanced(family, unit)
        right = rest.reduced(csr_matrix(-inertial_matrices(rest.system, rest.state, unit)[1]))
    squares, vectors = _positive_pairs(stiffness, right, rest.reduced(rest.mass), number)
    speeds = np.sqrt(squares)
    modes = Modes(rest, 1j * speeds, vectors)
    # a shape that is fixed in the rotating frame rotates with it
    whirl = np.ones(len(speeds)) if family.rotor is None else modes.whirl(unit.direction)
    return CriticalSpeeds(speeds, whirl, modes)


def _check_balanced(family: Family, unit: Spin) -> None:
    rest = family.rest
    force = rest.basis.T @ inertial_forces(rest.system, rest.state, unit)
    weight = (rest.basis.T @ (rest.mass @ np.ones(rest.mass.shape[0]))).max(initial=0.0)
    if np.abs(force).max(initial=0.0) > BALANCE_TOLERANCE * max(float(weight) * rest.system.length, 1e-300):
        raise InputError(
            f"critical speeds of model '{family.model.name}': there is mass off the axis, so that the structure "
            "deforms with speed; use campbell(...).crossings(0)"
        )


def _positive_pairs(
    stiffness: csr_matrix, right: csr_matrix, mass: csr_matrix, number: int
) -> tuple[Array, Complex]:
    """The lowest positive s of K x = s N x, with N Hermitian and indefinite."""
    n = stiffness.shape[0]
    solve, dtype = _solver(stiffness, right, mass), right.dtype
    if n <= 3 * MAX_DENSE_UNKNOWNS:
        values, vectors = eig(np.column_stack([solve(c) for c in right.toarray().T]))
    else:
        try:
            operator = LinearOperator((n, n), matvec=lambda x: solve(right @ x), dtype=dtype)
            start = np.random.default_rng(20).standard_normal(n).astype(dtype)
            values, vectors = eigs(
                operator, min(2 * number + 6, n - 2), v0=start, ncv=min(n, 4 * number + 30)
            )
        except ArpackError as error:
            raise SolverFailure(f"critical speeds: ARPACK did not converge ({error})") from error
    largest = np.abs(values).max(initial=0.0)
    real = (values.real > 1e-12 * largest) & (np.abs(values.imag) < 1e-6 * np.abs(values))
    order = np.flatnonzero(real)[np.argsort(-values.real[real])][:number]
    return 1 / values.real[order], vectors[:, order].astype(complex)


def _solver(stiffness: csr_matrix, right: csr_matrix, mass: csr_matrix):  # type: ignore[no-untyped-def]
    """Solver for x of K x = b, orthogonal to rigid motions.

    K is bordered with its rigid motions v: solutions with s > 0 obey v^H N x = 0, since v^H K = 0.
    """
    values, shapes = symmetric(stiffness, mass, min(12, stiffness.shape[0]))
    rigid = shapes[:, values == 0]
    if not rigid.shape[1]:
        lu = factorise(csr_matrix(stiffness.astype(right.dtype)))
        return lu.solve
    border = np.asarray(right @ rigid)
    idle = np.abs(border).max(axis=0) <= 1e-9 * np.abs(mass @ rigid).max(axis=0)
    border = np.where(idle, mass @ rigid, border)
    bordered = bmat([[stiffness, border], [border.conj().T, None]]).astype(right.dtype)
    lu = factorise(csr_matrix(bordered))
    n, k = rigid.shape
    return lambda b: lu.solve(np.concatenate([b, np.zeros(k, dtype=b.dtype)]).astype(right.dtype))[:n]
