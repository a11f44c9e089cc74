"""Class `StepEquations`, the equations of a step for a Newton solver, and class `NewtonResult`, the outcome of a solve.

Reasons of failures have the numbers of PETSc's SNESConvergedReason; `message` puts them into words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.linear_solvers.turned import Turning
from fem_mbd.core.scheme.matrix_pattern import Pattern


@dataclass(frozen=True, eq=False)
class StepEquations:
    """Equations f(y) = 0 whose derivatives have a fixed sparsity.

    Attributes
    ----------
    indptr, indices : of the matrix, CSR
    unit : (size,) 0 for lengths, 1 for angles, 2 for multipliers
    length : m, of the model
    residual : ``residual(y, f)`` fills f (size,)
    tangent : evaluates the matrix values of the calls at the last y
    inertia : as for `Convergence`
    multiplications : of a factorisation, from which "auto" chooses the linear solver
    redundant : whether constraints depend on each other, so that factorisations are not reused from step to step
    pattern : of the matrix by blocks, for the compiled iteration
    spacing : m, the smallest distance of two nodes of a flexible line; 0: the length
    scale : (size,) of the equations of models that are far from 1 kg (`fem_mbd.core.scheme.system`), or None
    turning : with which kept factors in place turn, or None
    """

    indptr: NDArray[np.int32]
    indices: NDArray[np.int32]
    unit: Indices
    length: float
    residual: Callable[[Array, Array], None]
    tangent: Callable[[], object]
    inertia: float = 0.0
    multiplications: float = 0.0
    redundant: bool = False
    pattern: Pattern | None = None
    scale: Array | None = None
    spacing: float = 0.0
    turning: Turning | None = None


CONVERGED, ITERATING = 4, 0
LINEAR_FAILURE, NOT_FINITE, TOO_MANY_ITERATIONS, LINE_SEARCH, DIVERGED = -3, -4, -5, -6, -9
REASONS = {
    NOT_FINITE: "the equations have no finite value at the iterate",
    LINE_SEARCH: "the line search found no smaller residual along Newton's direction",
    -8: "the iteration has reached a local minimum of the residual that is not zero",
    DIVERGED: "Newton diverged",
}


@dataclass
class NewtonResult:
    """Outcome of one solve: converged or the reason of the failure (a sentence), and the computational effort."""

    converged: bool
    iterations: int
    factorisations: int
    reason: str = ""

    def after(self, earlier: NewtonResult) -> NewtonResult:
        """This outcome with the effort of an earlier attempt added."""
        self.iterations += earlier.iterations
        self.factorisations += earlier.factorisations
        return self


def message(reason: int, update: Array, max_iterations: int) -> str:
    """Message for a reason other than `LINEAR_FAILURE`; ``update`` (3,) sizes of the last update."""
    if reason == TOO_MANY_ITERATIONS:
        kinds = ("lengths", "angles", "multipliers")
        worst = int(np.argmax(np.where(np.isfinite(update[:2]), update[:2], np.inf)))
        return (
            f"no convergence in {max_iterations} iterations; "
            f"the last update of {kinds[worst]} was {update[worst]:.1e}"
        )
    return REASONS.get(reason, f"PETSc's SNES stopped with SNESConvergedReason {reason}")
