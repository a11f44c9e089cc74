"""The direct solver inside Newton's where PETSc is not used: the own one in place, or SciPy's SuperLU."""

from __future__ import annotations

import os
from typing import Any

from fem_mbd.core.linear_solvers.petsc import why_without
from fem_mbd.core.scheme.matrix.pattern import Pattern
from fem_mbd.errors import InputError

OF_PETSC = {
    "lu": "PETSc's own LU",
    "mumps": "MUMPS through PETSc",
    "options": "what PETSc options say",
}
FILLS = (
    "NewtonOptions linear_solver is 'block', which serves chains and trees, but elimination fills the matrix of this "
    "model: give 'auto'"
)


class ScipySolver:
    """Which LU serves; a failure changes it for the rest of the run.

    Parameters
    ----------
    choice : the user's, `NewtonOptions.linear_solver`
    pattern : of the matrix by blocks; without it `BlockLU` does not serve

    Attributes
    ----------
    package : that factorises
    in_place : whether Newton's compiled iteration takes `BlockLU` instead

    Raises
    ------
    InputError
        For what only PETSc has, and for "block" where elimination fills.
    """

    package = "superlu"

    def __init__(self, choice: str, pattern: Pattern | None = None):
        _refuse_petsc(choice)
        # of small models too: it takes no SciPy and no calls of Python
        self.in_place = choice in ("auto", "block") and pattern is not None and pattern.fills_nothing
        if choice == "block" and not self.in_place:
            raise InputError(FILLS)

    def options(self) -> dict[str, str]:
        """Of PETSc: none."""
        return {}

    def recover(self, solver: Any = None) -> bool:
        """After a failed factorisation: whether to repeat it, by SuperLU, which pivots."""
        before, self.in_place = self.in_place, False
        return before

    def say(self, solver: Any = None) -> str:
        """Why the linear equations could not be solved."""
        return "the linear solver failed: the tangent is singular"


def _refuse_petsc(choice: str) -> None:
    """InputError for what was asked of PETSc."""
    if choice in OF_PETSC:
        raise InputError(
            f"NewtonOptions linear_solver is {choice!r}, {OF_PETSC[choice]}, but {why_without()}: give 'auto'"
        )
    given = [word for word in os.environ.get("PETSC_OPTIONS", "").split() if word.startswith("-fem_mbd_")]
    if given:
        why = "NewtonOptions linear_solver is 'scipy'" if choice == "scipy" else why_without()
        raise InputError(f"PETSc option {given[0]} is given, but {why}: leave it out, or run with PETSc")
