"""LU by PETSc and its packages for the compiled Newton iteration, which calls PETSc's functions by their addresses."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.calls import ForeignCall, Task
from fem_mbd.core.linear_solvers.petsc import library, petsc

FINAL_ASSEMBLY = 0  # PETSc's MAT_FINAL_ASSEMBLY


class PetscLU:
    """Factorisation and solve as lists of calls.

    Parameters
    ----------
    matrix, preconditioner : PETSc's; the matrix reads the values
    objects : list of PETSc objects that its owner destroys: vectors are added

    Attributes
    ----------
    failed : (1,) int, PCFailedReason after a factorisation or a solve, 0 without a failure
    releases_gil, releases_gil_later : whether other threads may run Python meanwhile, from the start or after a
        factorisation
    """

    releases_gil = False  # PETSc creates its objects in the first call, which is not thread-safe

    def __init__(self, matrix: Any, preconditioner: Any, objects: list[Any]):
        preconditioner.setOperators(matrix)
        self.failed = np.zeros(1, dtype=np.int32)
        self.releases_gil_later = preconditioner.getFactorSolverType() == "petsc"
        self._matrix, self._preconditioner, self._objects = matrix, preconditioner, objects
        self._failed_reason = _call("PCGetFailedReason", preconditioner.handle, self.failed.ctypes.data)

    def factorise(self) -> list[Task]:
        """Calls that factorise the present values."""
        matrix = self._matrix.handle
        assembly = [_call(f"MatAssembly{end}", matrix, FINAL_ASSEMBLY) for end in ("Begin", "End")]
        return [*assembly, _call("PCSetUp", self._preconditioner.handle), self._failed_reason]

    def solve(self, f: Array, y: Array) -> list[Task]:
        """Calls that solve for the right side f (size,) and write the solution to y (size,)."""
        P = petsc()
        right, solution = (P.Vec().createWithArray(a, comm=P.COMM_SELF) for a in (f, y))
        self._objects += [right, solution]
        apply = _call("PCApply", self._preconditioner.handle, right.handle, solution.handle)
        return [apply, self._failed_reason]


def _call(name: str, *arguments: int) -> ForeignCall:
    """Call of a function of PETSc; arguments are integers or pointers."""
    return ForeignCall(_address(name), *arguments)


@functools.cache
def _address(name: str) -> int:
    return ctypes.cast(getattr(library(), name), ctypes.c_void_p).value or 0
