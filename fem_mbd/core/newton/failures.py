"""Messages for failures of Newton's method; the numbers are PETSc's SNESConvergedReason."""

from __future__ import annotations

import numpy as np

from fem_mbd.base.arrays import Array

CONVERGED, ITERATING = 4, 0
LINEAR_FAILURE, NOT_FINITE, TOO_MANY_ITERATIONS, LINE_SEARCH, DIVERGED = -3, -4, -5, -6, -9
OTHERS = {
    NOT_FINITE: "the equations have no finite value at the iterate",
    LINE_SEARCH: "the line search found no smaller residual along Newton's direction",
    -8: "the iteration has reached a local minimum of the residual that is not zero",
    DIVERGED: "Newton diverged",
}


def message(reason: int, update: Array, max_iterations: int) -> str:
    """Message for a reason other than `LINEAR_FAILURE`; ``update`` (3,) sizes of the last update."""
    if reason == TOO_MANY_ITERATIONS:
        kinds = ("lengths", "angles", "multipliers")
        worst = int(np.argmax(np.where(np.isfinite(update[:2]), update[:2], np.inf)))
        return (
            f"no convergence in {max_iterations} iterations; "
            f"the last update of {kinds[worst]} was {update[worst]:.1e}"
        )
    return OTHERS.get(reason, f"PETSc's SNES stopped with SNESConvergedReason {reason}")
