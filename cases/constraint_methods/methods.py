"""Eight classical methods to solve the equations of motion with constraints, M v' + D^T lambda = g and D v' = gamma.

Each computes the accelerations at a state and, for two of them, a correction of the state after every step. They also
return the work: floating-point operations of their matrix products, factorisations and solutions. Source: F. Marques,
"Frictional contacts in multibody dynamics" (2015), section 2.3; equations in each docstring.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.cases.constraint_methods.model import CRANK_TURN, Parameters
from fem_mbd.cases.constraint_methods.rigid_system import Instant, RigidSystem
from fem_mbd.errors import SolverFailure

MAX_ITERATIONS = 50
Accelerations = Callable[[RigidSystem, Instant, Parameters], tuple[Array, float]]
Correction = Callable[[RigidSystem, Array, Parameters], tuple[Array, float]]


@dataclass(frozen=True)
class Method:
    """A method: name, accelerations (n,) with their work, and the state corrected after a step with its work."""

    name: str
    accelerations: Accelerations
    correction: Correction | None = None


def lu_work(n: int, right_hand_sides: int = 1) -> float:
    """Floating-point operations of a factorisation and its solutions."""
    return 2 / 3 * n**3 + 2.0 * n**2 * right_hand_sides


def svd_work(m: int, n: int) -> float:
    """Floating-point operations of a generalised inverse by singular values (Golub and Van Loan, Matrix Computations,
    fig. 8.6.1).
    """
    small, large = min(m, n), max(m, n)
    return 4.0 * large**2 * small + 8.0 * large * small**2 + 9.0 * small**3 + 2.0 * m * n * small


def standard(s: RigidSystem, i: Instant, _: Parameters) -> tuple[Array, float]:
    """Lagrange multipliers (eqs. 2.48, 2.49)."""
    return _by_multipliers(s, i, i.gamma)


def baumgarte(s: RigidSystem, i: Instant, p: Parameters) -> tuple[Array, float]:
    """Feedback of the violations (eq. 2.52)."""
    m, n = i.jacobian.shape
    target = i.gamma - 2 * p.baumgarte_alpha * i.phi_rate - p.baumgarte_beta**2 * i.phi
    accelerations, work = _by_multipliers(s, i, target)
    return accelerations, work + 2.0 * m * n + 4.0 * m


def penalty(s: RigidSystem, i: Instant, p: Parameters) -> tuple[Array, float]:
    """Masses, dampers and springs at the constraints instead of multipliers (eq. 2.58)."""
    target, leading, alpha, work = _penalised(s, i, p)
    return np.linalg.solve(leading, i.force + alpha * target), work


def augmented(s: RigidSystem, i: Instant, p: Parameters) -> tuple[Array, float]:
    """The penalty's forces added to multipliers, by iteration (eqs. 2.62 to 2.64).

    The iteration also ends when round-off limits it: when the change no longer decreases.
    """
    target, leading, alpha, work = _penalised(s, i, p)
    inverse = np.linalg.inv(leading)  # represents a stored factorisation
    last, change = i.force / s.diagonal, np.inf
    for _ in range(MAX_ITERATIONS):
        new = inverse @ (s.diagonal * last + alpha * target)
        before, change = change, float(np.linalg.norm(new - last))
        last = new
        work += 2.0 * len(new) ** 2 + 2.0 * len(new)
        if change < p.augmented_tolerance or change >= before:
            break
    return last, work


def projection(s: RigidSystem, i: Instant, p: Parameters) -> tuple[Array, float]:
    """Equations of motion on the null space of the constraints, spanned by R (eqs. 2.76 to 2.80)."""
    m, n = i.jacobian.shape
    dependent, free = _partition(n, (CRANK_TURN,))
    basis = np.zeros((n, len(free)))
    basis[free] = np.eye(len(free))
    basis[dependent] = -np.linalg.solve(i.jacobian[:, dependent], i.jacobian[:, free])
    leading = np.vstack([i.jacobian, basis.T * s.diagonal])
    accelerations = np.linalg.solve(leading, np.concatenate([i.gamma, basis.T @ i.force]))
    return accelerations, lu_work(m, len(free)) + lu_work(n) + 3.0 * n * len(free)


def arabyan_wu(s: RigidSystem, i: Instant, _: Parameters) -> tuple[Array, float]:
    """Generalised inverse, also for redundant constraints (eqs. 2.81 to 2.87)."""
    m, n = i.jacobian.shape
    root = np.sqrt(s.diagonal)
    free = i.force / s.diagonal
    inverse = np.linalg.pinv(i.jacobian / root)
    accelerations = free + inverse @ (i.gamma - i.jacobian @ free) / root
    return accelerations, svd_work(m, n) + 5.0 * m * n


def direct_correction(s: RigidSystem, y: Array, p: Parameters) -> tuple[Array, float]:
    """Positions, then velocities moved by the smallest change that satisfies the constraints (eqs. 2.94, 2.95,
    2.102).
    """
    return _corrected(s, y, p.correction_tolerance, slice(None))


def partitioned(s: RigidSystem, y: Array, p: Parameters) -> tuple[Array, float]:
    """Dependent coordinates and velocities from the constraints, the independent ones unchanged (eqs. 2.71, 2.74)."""
    dependent, _ = _partition(len(s.diagonal), (CRANK_TURN,))
    return _corrected(s, y, p.correction_tolerance, dependent)


METHODS = (
    Method("standard", standard),
    Method("Baumgarte", baumgarte),
    Method("penalty", penalty),
    Method("augmented Lagrangian", augmented),
    Method("direct correction", standard, direct_correction),
    Method("coordinate partitioning", standard, partitioned),
    Method("projection matrix R", projection),
    Method("Arabyan-Wu", arabyan_wu),
)


def _by_multipliers(s: RigidSystem, i: Instant, target: Array) -> tuple[Array, float]:
    m, n = i.jacobian.shape
    weighted = i.jacobian / s.diagonal
    multipliers = np.linalg.solve(weighted @ i.jacobian.T, weighted @ i.force - target)
    accelerations = (i.force - multipliers @ i.jacobian) / s.diagonal
    return accelerations, 2.0 * m * m * n + lu_work(m) + 5.0 * m * n


def _penalised(s: RigidSystem, i: Instant, p: Parameters) -> tuple[Array, Array, float, float]:
    """D^T (gamma - 2 omega mu Phi' - omega^2 Phi), M + alpha D^T D, alpha, and the work with one solution."""
    m, n = i.jacobian.shape
    alpha = p.penalty_factor * float(s.diagonal.max())
    target = i.gamma - 2 * p.penalty_frequency * p.penalty_damping * i.phi_rate
    target -= p.penalty_frequency**2 * i.phi
    leading = np.diag(s.diagonal) + alpha * i.jacobian.T @ i.jacobian
    return target @ i.jacobian, leading, alpha, 2.0 * m * n * n + lu_work(n) + 4.0 * m * n


def _partition(n: int, independent: tuple[int, ...]) -> tuple[list[int], list[int]]:
    return [k for k in range(n) if k not in independent], list(independent)


def _corrected(s: RigidSystem, y: Array, tolerance: float, moving: slice | list[int]) -> tuple[Array, float]:
    """The state with ``moving`` coordinates and velocities changed so that all constraints hold."""
    work, instant = 0.0, s.instant(y)
    m, n = instant.jacobian.shape
    for _ in range(MAX_ITERATIONS):
        if np.sqrt(instant.phi @ instant.phi) <= tolerance:
            break
        step = np.zeros(n)
        step[moving] = -np.linalg.pinv(instant.jacobian[:, moving]) @ instant.phi
        y = s.moved(y, step)
        instant = s.instant(y)
        work += svd_work(m, n) + 2.0 * m * n
    else:
        raise SolverFailure(f"the constraints are still violated after {MAX_ITERATIONS} corrections")
    y = y.copy()
    velocity = s.split(y)[1].reshape(-1)
    velocity[moving] -= np.linalg.pinv(instant.jacobian[:, moving]) @ instant.phi_rate
    return y, work + svd_work(m, n) + 4.0 * m * n
