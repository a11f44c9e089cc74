"""Outcome of the solution of a step's equations, and messages of failures by PETSc's SNESConvergedReason."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fem_mbd.base.arrays import Array

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
