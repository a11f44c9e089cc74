"""LU by PETSc and its packages, as calls of its functions by their addresses."""

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
    """The calls that factorise and solve, for lists of calls.

    Parameters
    ----------
    matrix, preconditioner : PETSc's; the matrix reads the values
    objects : PETSc's that somebody destroys: vectors are added

    Attributes
    ----------
    failed : (1,) int, PETSc's reason after a factorisation or a solution that has failed
    free, free_later : whether other threads may run Python meanwhile, from the start or after a factorisation
    """

    free = False  # PETSc makes its objects at first, which several threads must not do at a time

    def __init__(self, matrix: Any, preconditioner: Any, objects: list[Any]):
        preconditioner.setOperators(matrix)
        self.failed = np.zeros(1, dtype=np.int32)
        self.free_later = preconditioner.getFactorSolverType() == "petsc"
        self._matrix, self._preconditioner, self._objects = matrix, preconditioner, objects
        self._why = _call("PCGetFailedReason", preconditioner.handle, self.failed.ctypes.data)

    def factorise(self) -> list[Task]:
        """Make factors of the values as they are then."""
        matrix = self._matrix.handle
        assembly = [_call(f"MatAssembly{end}", matrix, FINAL_ASSEMBLY) for end in ("Begin", "End")]
        return [*assembly, _call("PCSetUp", self._preconditioner.handle), self._why]

    def solve(self, f: Array, y: Array) -> list[Task]:
        """Solve for the right side f (size,), the solution to y (size,)."""
        P = petsc()
        right, solution = (P.Vec().createWithArray(a, comm=P.COMM_SELF) for a in (f, y))
        self._objects += [right, solution]
        return [_call("PCApply", self._preconditioner.handle, right.handle, solution.handle), self._why]


def _call(name: str, *words: int) -> ForeignCall:
    """A function of PETSc."""
    return ForeignCall(_address(name), *words)


@functools.cache
def _address(name: str) -> int:
    return ctypes.cast(getattr(library(), name), ctypes.c_void_p).value or 0
