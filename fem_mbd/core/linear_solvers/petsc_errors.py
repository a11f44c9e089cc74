"""What PETSc and its packages raise, in words: out of memory, and solvers that are not there.

Codes of errors: petscsystypes.h and petscerror.h of PETSc 3.18 to 3.26.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from fem_mbd.core.linear_solvers.petsc import has_package, petsc
from fem_mbd.errors import FemMbdError, InputError, SolverFailure

OUT_OF_MEMORY, UNKNOWN_TYPE, MISSING_FACTOR = 55, 86, 92
MALLOC = "PetscMallocAlign"  # PETSc's function that asks the system for memory
BYTES = 12  # of an entry: its value and its column
# libraries that PETSc may be compiled with, and what it calls the solvers of general matrices that they bring
PACKAGES = {
    "mumps": ("mumps",),
    "superlu": ("superlu",),
    "superlu_dist": ("superlu_dist",),
    "suitesparse": ("klu", "umfpack"),
    "strumpack": ("strumpack",),
    "mkl_pardiso": ("mkl_pardiso",),
}


def lu_packages() -> list[str]:
    """The names of what this PETSc factorises with, its own LU first."""
    return ["petsc", *(name for library, names in PACKAGES.items() if has_package(library) for name in names)]


@contextlib.contextmanager
def told_in_words(entries: int) -> Iterator[None]:
    """Errors of PETSc within the block are raised as this package's; ``entries`` : of the matrix.

    Raises
    ------
    InputError
        For a type or a package that PETSc does not have, asked for by an option.
    SolverFailure
        When there is no memory left for the factors.
    """
    module = petsc()
    try:
        yield
    except module.Error as error:
        raise (_in_words(error, entries) or error) from error


def _in_words(error: Any, entries: int) -> FemMbdError | None:
    said = str(error).strip().splitlines()
    # depending on its version PETSc passes on another number than its own for memory
    if error.ierr == OUT_OF_MEMORY or MALLOC in str(error):
        return SolverFailure(
            f"PETSc has no memory for the factors of the matrix, which takes {BYTES * entries / 1e6:.3g} MB itself and "
            "whose factors take more: use fewer elements, or a machine with more"
        )
    if error.ierr in (UNKNOWN_TYPE, MISSING_FACTOR):
        return InputError(
            f"a PETSc option with the prefix fem_mbd_ asks for what this PETSc does not have ({said[-1][4:]}); "
            f"its packages for LU are {', '.join(lu_packages())}"
        )
    return None
