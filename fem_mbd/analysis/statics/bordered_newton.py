"""Continuation along a branch of equilibria: Newton's method with bordered equations, and correct digits of results.

`Factorised` has sparse LU factors of the static equations, plain or bordered by a row and a column (`bordered`).

`uncertainty` and `digits` tell how many digits of results are correct. Those of frequencies and critical loads are
limited by the round-off of the stiffness matrix. Entries of K have a relative error u = 2^-53. A stiffness of 1e12 due
to stretch and shear therefore hides one of 12 due to bending; no solver can recover it. With x of unit modal mass and
independent errors of the entries, x^T K x is uncertain by u (sum_ij K_ij^2 x_i^2 x_j^2)^(1/2). Compared with exact
frequencies of clamped beams the errors are 0.1 to 8 times that. A critical load at which phi buckles is x^T K x divided
by that of the geometric stiffness, which does not contain the large entries, for x = phi.

This cannot be repaired after K is formed. Scaling by congruence leaves the relative errors of the entries unchanged;
inverse iteration, refined with residuals B^T C B x computed from strains, needs a factorised K with a relative error
below one, and so has the same limit. A remedy would be K in factored form, [[-C^-1, B], [B^T, -mu M]] with the stresses
as unknowns, for which every element class would have to provide its strains as a matrix B.

`Tracer` finds equilibria at a given parameter, or at a given arc length. The arc-length method is Riks' (1979): the
predictor follows the path's tangent (x', p') by a length l measured in displacements (over the model's length) and
rotations, root mean square over the nodes; corrections are normal to it, x'.W dx = 0. It solves bordered equations,
which are regular at limit points. The geometric stiffness uses linearly extrapolated stresses, see
`StaticForces.extrapolated_stress`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.sparse import bmat, csc_matrix, csr_matrix
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu

from fem_mbd.analysis.statics.static_forces import StaticForces
from fem_mbd.base.arrays import Array
from fem_mbd.core.scheme.state import State
from fem_mbd.errors import FemMbdWarning

UNIT_ROUND_OFF = 2.0**-53
SAFETY_FACTOR = 8.0
WARNING_LEVEL = 1e-4  # relative uncertainty from which a warning is issued
ADVICE = (
    "stiffnesses differ so much that round-off hides the smaller ones. Choose smaller EA and GA (1e6 EI/L^2 act "
    "like rigid ones), fewer elements, or RigidBody for parts that do not deform"
)


class Singular(Exception):
    """The matrix has no inverse."""


class Factorised:
    """LU factors of a matrix; ``sign`` is that of its determinant.

    Raises
    ------
    Singular
        When a pivot is zero.
    """

    def __init__(self, matrix: csr_matrix):
        try:
            self._lu: Any = splu(csc_matrix(matrix), permc_spec="MMD_AT_PLUS_A")
        except RuntimeError as error:
            raise Singular(str(error)) from error
        pivots = np.sign(self._lu.U.diagonal())
        self.sign = float(np.prod(pivots) * _parity(self._lu.perm_r) * _parity(self._lu.perm_c))

    def solve(self, right: Array) -> Array:
        """x with matrix x = right."""
        return np.asarray(self._lu.solve(right))


def solution_error(matrix: csr_matrix, factors: Factorised, n: int) -> float:
    """Relative error of the first n entries of a solution with a known exact result: of order one for a singular
    matrix.
    """
    exact = np.random.default_rng(20).standard_normal(matrix.shape[0])
    computed = factors.solve(matrix @ exact)
    size = float(np.abs(exact[:n]).max(initial=0.0))
    return float(np.abs(computed[:n] - exact[:n]).max(initial=0.0)) / size if size > 0 else 0.0


def bordered(matrix: csr_matrix, column: Array, row: Array) -> csr_matrix:
    """The matrix [[matrix, column], [row, 0]], regular at limit points of the load, where ``matrix`` is singular."""
    return csr_matrix(bmat([[matrix, column[:, None]], [row[None, :], None]]))


def _parity(order: NDArray[np.int32]) -> float:
    """Sign of a permutation, from its number of cycles."""
    n = len(order)
    cycles, _ = connected_components(csr_matrix((np.ones(n), order, np.arange(n + 1)), shape=(n, n)))
    return -1.0 if (n - cycles) % 2 else 1.0


class PrecisionWarning(FemMbdWarning):
    """Round-off leaves few correct digits of a requested result."""


def uncertainty(stiffness: csr_matrix, vectors: Array) -> Array:
    """(k,) uncertainty of x^H K x due to round-off in K for each of the vectors (n, k), (rad/s)^2 at unit modal
    mass.
    """
    size = np.abs(vectors) ** 2
    products = np.asarray(np.einsum("ij,ij->j", size, abs(stiffness).power(2) @ size))
    return SAFETY_FACTOR * UNIT_ROUND_OFF * np.sqrt(products)


def digits(relative: float) -> int:
    """Number of correct digits at a relative uncertainty."""
    return int(-np.log10(min(relative, 1.0)))


LOADS, ROTATION, DRIVES = "load factor", "rotation", "drives"
CONVERGED = 1e-12  # estimated error, model lengths or rad
ROUND_OFF = 1e-8  # smaller updates that no longer decrease are round-off of stiff members
ITERATIONS = 15  # Newton iterations of one step
OTHER_BRANCH = 1.0  # ratio of corrections to prediction; exactly this at a limit point that is just reached
SMALLEST_COSINE = 0.7  # smallest cosine between the path's tangents at both ends of a step
# fraction of a step: tolerance of a limit point's position; its load is then known to about the square
LIMIT_TOLERANCE = 1e-4
# Relative error of a solution from which a matrix counts as singular (of a singular one it is of order one). A turbine
# with driven pitch bearings reaches 1e-2, a little more or less depending on round-off of its entries.
SINGULAR = 0.1
# model lengths or rad per unit of the parameter: below it only multipliers change along the path
MOTION_TOLERANCE = 1e-12
DIVERGENCE_LIMIT = 2.0  # model lengths or rad: a larger update is treated as divergence


class NoConvergence(Exception):
    """Newton's method found no equilibrium from this start."""


@dataclass(frozen=True, eq=False)
class Branch:
    """Equilibria as functions of one parameter p: the load factor, the square of the speed of rotation, or the drives.

    ``load_factor`` is constant while p is the fraction of the centrifugal forces, or of the drives' way.
    """

    forces: StaticForces
    by: str = LOADS
    load_factor: float = 0.0

    def residual(self, state: State, p: float) -> Array:
        return self.forces.residual(state, self._set(p))

    def tangent(self, state: State, p: float, stress: list[Any] | None = None) -> csr_matrix:
        return self.forces.tangent(state, self._set(p), stress)

    def slope(self, state: State) -> Array:
        """Derivative of the residual by p."""
        if self.by == DRIVES:
            return self.forces.drive_slope(state)
        return self.forces.load(state) if self.by == LOADS else self.forces.spin_load(state)

    def loads(self, p: float) -> float:
        """The load factor at p."""
        return p if self.by == LOADS else self.load_factor

    def _set(self, p: float) -> float:
        if self.by == ROTATION:
            self.forces.spin_factor = p
        elif self.by == DRIVES:
            self.forces.drive_share = p
        return self.loads(p)


@dataclass(frozen=True, eq=False)
class Point:
    """An equilibrium on a branch, with the unit tangent (x', p') of the path there, and the sign of det K."""

    state: State
    p: float
    x_s: Array
    p_s: float
    sign: float
    iterations: int


class Tracer:
    """Computes points of a branch, each from the previous one."""

    def __init__(self, branch: Branch):
        self.branch = branch
        forces = branch.forces
        self.forces = forces
        turning = forces.unknowns[:, 1] >= 3
        self._unit = np.where(turning, 1.0, 1.0 / forces.system.length)
        count = max(len(np.unique(forces.unknowns[:, 0])), 1)
        self.weight = np.concatenate([self._unit**2 / count, np.zeros(forces.m)])

    # -- points ---------------------------------------------------------------------------------------------

    def at(self, state: State, p: float) -> Point:
        """The equilibrium at the parameter p, from a nearby state."""
        state, iterations, _ = self._newton(state, p, None)
        return self._point(state, p, None, iterations)

    def to(self, point: Point, p: float) -> Point:
        """The equilibrium at the parameter p, predicted along the tangent at ``point``."""
        scale = (p - point.p) / point.p_s if point.p_s != 0 else 0.0
        state, stress = self._predict(point, scale)
        state, iterations, increment = self._newton(state, p, stress)
        self._check_branch(increment, scale)
        return self._point(state, p, point, iterations)

    def along(self, point: Point, length: float) -> Point:
        """The equilibrium at the arc length ``length`` from ``point``."""
        state, stress = self._predict(point, length)
        p, row = point.p + length * point.p_s, self.weight * point.x_s
        size = before = np.inf
        increment = np.zeros_like(row)
        for iteration in range(1, ITERATIONS + 1):
            right = -np.append(self.branch.residual(state, p), 0.0)
            matrix = self.branch.tangent(state, p, stress)
            change = self._solve(bordered(matrix, self.branch.slope(state), row), right)
            state, stress = self._move(state, change[:-1])
            p, increment = p + float(change[-1]), increment + change[:-1]
            before, size = size, self._size(change[:-1])
            if self._converged(size, before):
                self._check_branch(increment, length)
                end = self._point(state, p, point, iteration)
                if float(self.weight @ (end.x_s * point.x_s)) < SMALLEST_COSINE:
                    raise NoConvergence("the path has a sharp bend")
                return end
        raise NoConvergence(f"no convergence in {ITERATIONS} iterations")

    def limit(self, point: Point, length: float) -> Point:
        """The limit point, where p' = 0, between ``point`` and the point at arc length ``length``, at which p' has the
        other sign.

        Raises
        ------
        NoConvergence
            When p' has the same sign there: the step passes two limit points, or leads to another path.
        """

        def slope(part: float) -> float:
            return self.along(point, part * length).p_s if part > 0 else point.p_s

        if not slope(1.0) * point.p_s < 0.0:
            raise NoConvergence("the load reverses and returns within a step")
        part = scipy.optimize.brentq(slope, 0.0, 1.0, xtol=LIMIT_TOLERANCE, rtol=LIMIT_TOLERANCE)
        return self.along(point, part * length)

    def bifurcation(self, point: Point, size: float, step: Callable[[Point, float], Point]) -> float:
        """Parameter where det K changes sign between ``point`` and ``step(point, size)``, to a thousandth of the
        interval.
        """
        low, high, p = 0.0, 1.0, point.p
        for _ in range(10):
            middle = 0.5 * (low + high)
            new = step(point, middle * size)
            p = new.p
            # the sign of the determinant alone: at a limit point in between the direction of the load changes with it
            same = new.sign * np.sign(new.p_s) == point.sign * np.sign(point.p_s)
            low, high = (middle, high) if same else (low, middle)
        return p

    def check_regular(self, point: Point) -> None:
        """Raise NoConvergence where the stiffness is singular up to round-off: motions without resistance."""
        matrix = self.branch.tangent(point.state, point.p)
        try:
            relative_error = solution_error(matrix, Factorised(matrix), self.forces.n)
        except Singular as error:
            raise NoConvergence("the stiffness is singular") from error
        if relative_error > SINGULAR:
            raise NoConvergence("the stiffness is singular")

    # -- Newton's method -------------------------------------------------------------------------------------

    def _newton(self, state: State, p: float, stress: list[Any] | None) -> tuple[State, int, Array]:
        size = before = np.inf
        increment = np.zeros(self.forces.n + self.forces.m)
        for iteration in range(1, ITERATIONS + 1):
            right = -self.branch.residual(state, p)
            change = self._solve(self.branch.tangent(state, p, stress), right)
            state, stress = self._move(state, change)
            increment += change
            before, size = size, self._size(change)
            if self._converged(size, before):
                return state, iteration, increment
        raise NoConvergence(f"no convergence in {ITERATIONS} iterations")

    def _check_branch(self, moved: Array, predicted: float) -> None:
        """Reject corrections longer than the step they correct: they lead to another branch, as beyond a limit
        point.
        """
        if self._length(moved) > OTHER_BRANCH * abs(predicted) + ROUND_OFF:
            raise NoConvergence("only an equilibrium far from the path was found")

    def _length(self, change: Array) -> float:
        return float(np.sqrt(self.weight @ change**2))

    def _predict(self, point: Point, length: float) -> tuple[State, list[Any]]:
        self.branch.tangent(point.state, point.p)
        return self._move(point.state, length * point.x_s)

    def _move(self, state: State, change: Array) -> tuple[State, list[Any]]:
        """The state after a change, and the stresses extrapolated to it."""
        if not np.isfinite(change).all() or self._size(change) > DIVERGENCE_LIMIT:
            raise NoConvergence("an iteration diverged")
        stress = self.forces.extrapolated_stress(state, change)
        return self.forces.update(state, change), stress

    def _size(self, change: Array) -> float:
        return float(np.abs(self._unit * change[: self.forces.n]).max(initial=0.0))

    @staticmethod
    def _converged(size: float, before: float) -> bool:
        if size <= CONVERGED * ROUND_OFF:
            return True
        ratio = size / before if np.isfinite(before) else 1.0
        if size <= ROUND_OFF and np.isfinite(before) and ratio > 0.3:
            return True
        return ratio < 1 and ratio / (1 - ratio) * size <= CONVERGED

    def _solve(self, matrix: csr_matrix, right: Array) -> Array:
        try:
            return Factorised(matrix).solve(right)
        except Singular as error:
            raise NoConvergence("the stiffness is singular") from error

    def _point(self, state: State, p: float, before: Point | None, iterations: int) -> Point:
        """Point with the tangent of the path, oriented in the direction of travel."""
        matrix, slope = self.branch.tangent(state, p), self.branch.slope(state)
        try:
            if before is None or self._length(before.x_s) < 0.5:
                factors = Factorised(matrix)
                x, p_s, sign = factors.solve(-slope), 1.0, factors.sign
            else:
                factors = Factorised(bordered(matrix, slope, self.weight * before.x_s))
                solution = factors.solve(np.append(np.zeros(len(slope)), 1.0))
                x, p_s = solution[:-1], float(solution[-1])
                # Cramer's rule
                sign = factors.sign * np.sign(p_s)
        except Singular as error:
            raise NoConvergence("the stiffness is singular") from error
        length = self._length(x)
        if not np.isfinite(length):
            raise NoConvergence("the stiffness is singular")
        unit = 1.0 / length if length > MOTION_TOLERANCE else 1.0
        return Point(state, p, unit * x, unit * p_s, sign, iterations)
