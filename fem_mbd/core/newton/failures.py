"""Why Newton failed, as a sentence; the numbers are PETSc's reasons of SNES."""

from __future__ import annotations

import numpy as np

from fem_mbd.base.arrays import Array

CONVERGED, ITERATING = 4, 0
LINEAR_FAILURE, NOT_FINITE, TOO_MANY_ITERATIONS, LINE_SEARCH, DIVERGED = -3, -4, -5, -6, -9
OTHERS = {
    NOT_FINITE: "the equations have no finite value at the iterate",
    LINE_SEARCH: "the line search found no smaller residual along Newton's direction",
    -8: "the iteration is caught where the residual has a minimum that is not zero",
    DIVERGED: "Newton diverged",
}


def say(reason: int, update: Array, most: int) -> str:
    """Why, but for `LINEAR_FAILURE`; ``update`` (3,) sizes of the last one, ``most`` iterations."""
    if reason == TOO_MANY_ITERATIONS:
        kinds = ("lengths", "angles", "multipliers")
        worst = int(np.argmax(np.where(np.isfinite(update[:2]), update[:2], np.inf)))
        return (
            f"no convergence in {most} iterations; the last update of {kinds[worst]} was {update[worst]:.1e}"
        )
    return OTHERS.get(reason, f"PETSc's SNES stopped with its reason {reason}")
