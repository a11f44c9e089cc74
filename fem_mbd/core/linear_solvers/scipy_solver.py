"""Choice of the direct solver without PETSc: block LU in place or SciPy's SuperLU; recovery from failures."""

from __future__ import annotations

import os
from typing import Any

from fem_mbd.core.linear_solvers.petsc import reason_without_petsc
from fem_mbd.core.scheme.matrix.pattern import Pattern
from fem_mbd.core.scheme.matrix.structure import MIN_SPARSE_WORK
from fem_mbd.errors import InputError

PETSC_ONLY = {
    "lu": "PETSc's own LU",
    "mumps": "MUMPS through PETSc",
    "options": "set by PETSc options",
}
FILLS = (
    "NewtonOptions linear_solver is 'block', but elimination causes too much fill in the matrix of this model (more "
    f"than {MIN_SPARSE_WORK:,.0f} multiplications per unknown): give 'auto'"
)


class ScipySolver:
    """The LU to use; a failure changes it for the rest of the run.

    Parameters
    ----------
    choice : the user's, `NewtonOptions.linear_solver`
    pattern : of the matrix by blocks; without it `BlockLU` is not used

    Attributes
    ----------
    package : name of the library
    in_place : whether Newton's compiled iteration uses `BlockLU` instead

    Raises
    ------
    InputError
        For solvers that only PETSc has, and for "block" where elimination causes too much fill.
    """

    package = "superlu"

    def __init__(self, choice: str, pattern: Pattern | None = None):
        _check_no_petsc(choice)
        self.in_place = choice in ("auto", "block") and pattern is not None and pattern.fills_nothing
        if choice == "block" and not self.in_place:
            raise InputError(FILLS)

    def options(self) -> dict[str, str]:
        """PETSc options: none."""
        return {}

    def recover(self, solver: Any = None) -> bool:
        """After a failed factorisation use SuperLU, which pivots; False when it was in use already."""
        before, self.in_place = self.in_place, False
        return before

    def failure_message(self, solver: Any = None) -> str:
        """Message on the reason why the linear equations could not be solved."""
        return "the linear solver failed: the tangent is singular"


def _check_no_petsc(choice: str) -> None:
    """InputError for a linear solver or options that need PETSc."""
    if choice in PETSC_ONLY:
        raise InputError(
            f"NewtonOptions linear_solver is {choice!r}, {PETSC_ONLY[choice]}, but {reason_without_petsc()}: "
            "give 'auto'"
        )
    options = [word for word in os.environ.get("PETSC_OPTIONS", "").split() if word.startswith("-fem_mbd_")]
    if options:
        why = "NewtonOptions linear_solver is 'scipy'" if choice == "scipy" else reason_without_petsc()
        raise InputError(f"PETSc option {options[0]} is given, but {why}: leave it out, or run with PETSc")
