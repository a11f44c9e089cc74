"""Translation of PETSc's errors into the package's own: out of memory, and solvers that PETSc does not have.

Error codes: petscsystypes.h and petscerror.h of PETSc 3.18 to 3.26.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from fem_mbd.core.linear_solvers.petsc import has_package, petsc
from fem_mbd.errors import FemMbdError, InputError, SolverFailure

OUT_OF_MEMORY, UNKNOWN_TYPE, MISSING_FACTOR = 55, 86, 92
MALLOC = "PetscMallocAlign"  # PETSc's function for memory allocation
BYTES = 12  # of an entry: its value and its column
# libraries that PETSc may be compiled with, and PETSc's names of their solvers for general matrices
PACKAGES = {
    "mumps": ("mumps",),
    "superlu": ("superlu",),
    "superlu_dist": ("superlu_dist",),
    "suitesparse": ("klu", "umfpack"),
    "strumpack": ("strumpack",),
    "mkl_pardiso": ("mkl_pardiso",),
}


def lu_packages() -> list[str]:
    """Names of the LU packages of this PETSc, its own LU first."""
    return ["petsc", *(name for library, names in PACKAGES.items() if has_package(library) for name in names)]


@contextlib.contextmanager
def translated_errors(entries: int) -> Iterator[None]:
    """Raise errors of PETSc inside the context as this package's; ``entries`` : number of entries of the matrix.

    Raises
    ------
    InputError
        For a type or a package that an option requests and PETSc does not have.
    SolverFailure
        When there is not enough memory for the factors.
    """
    module = petsc()
    try:
        yield
    except module.Error as error:
        raise (_translated(error, entries) or error) from error


def _translated(error: Any, entries: int) -> FemMbdError | None:
    lines = str(error).strip().splitlines()
    # some versions of PETSc return another number than OUT_OF_MEMORY
    if error.ierr == OUT_OF_MEMORY or MALLOC in str(error):
        return SolverFailure(
            f"PETSc has no memory for the factors of the matrix, which takes {BYTES * entries / 1e6:.3g} MB itself and "
            "whose factors take more: use fewer elements, or a machine with more memory"
        )
    if error.ierr in (UNKNOWN_TYPE, MISSING_FACTOR):
        return InputError(
            "a PETSc option with the prefix fem_mbd_ requests something that this PETSc does not have "
            f"({lines[-1][4:]}); its packages for LU are {', '.join(lu_packages())}"
        )
    return None
