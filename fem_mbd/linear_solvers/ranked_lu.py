"""The linear equations of a step that several ranks share: each hands its rows of the matrix to a solver of all ranks.

PETSc sees a preconditioner written in Python: Newton's method goes on in every rank with whole vectors, as if it were
alone, and only the factorisation and the solve are done together, by MUMPS or SuperLU_DIST.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem_mbd.arrays import Array, Indices
from fem_mbd.linear_solvers.petsc import library, petsc
from fem_mbd.linear_solvers.ranks import Ranks


class RankedMatrix:
    """The matrix of a step, spread over the ranks.

    Parameters
    ----------
    ranks : that share it
    bounds : (ranks + 1,) each holds its rows ``bounds[rank]`` to ``bounds[rank + 1]``
    indptr, indices : CSR of the whole matrix
    values : of the whole matrix, in CSR order; only the own rows are read
    """

    def __init__(
        self,
        ranks: Ranks,
        bounds: Indices,
        indptr: NDArray[np.int32],
        indices: NDArray[np.int32],
        values: Array,
    ):
        P = petsc()
        self.ranks = ranks
        self.everywhere = ranks.everywhere(bounds)
        own = self.everywhere.rows
        first, behind = indptr[own.start], indptr[own.stop]
        self._values = values[first:behind]
        size = (own.stop - own.start, int(bounds[-1]))
        pointers = np.ascontiguousarray(indptr[own.start : own.stop + 1] - first, dtype=P.IntType)
        columns = np.ascontiguousarray(indices[first:behind], dtype=P.IntType)
        self.matrix = P.Mat().createAIJ((size, size), csr=(pointers, columns, self._values), comm=ranks.world)

    def take_values(self) -> None:
        """Hand PETSc what now stands in the values."""
        code = library().MatUpdateMPIAIJWithArray(
            ctypes.c_void_p(self.matrix.handle), ctypes.c_void_p(self._values.ctypes.data)
        )
        if code != 0:
            raise petsc().Error(code)

    def preconditioner(self, package: str, prefix: str) -> RankedLU:
        """One that factorises with this package, which reads PETSc options with the prefix."""
        return RankedLU(self, package, prefix)


class RankedLU:
    """What PETSc calls for its preconditioner of type "python".

    Attributes
    ----------
    own : PETSc's preconditioner of all ranks, that factorises
    """

    def __init__(self, matrix: RankedMatrix, package: str, prefix: str):
        self._matrix = matrix
        self.own = petsc().PC().create(matrix.ranks.world)
        self.own.setOptionsPrefix(prefix)
        self.own.setType("lu")
        self.own.setFactorSolverType(package)
        self.own.setOperators(matrix.matrix)
        self._right, self._solution = matrix.matrix.createVecLeft(), matrix.matrix.createVecRight()

    def setUp(self, outer: Any) -> None:  # PETSc's name
        """Factorise; a failure is passed on to ``outer``, the preconditioner that PETSc sees.

        Parameters
        ----------
        outer : of PETSc
        """
        self._matrix.take_values()
        self.own.setUp()
        reason = ctypes.c_int()
        library().PCGetFailedReason(ctypes.c_void_p(self.own.handle), ctypes.byref(reason))
        library().PCSetFailedReason(ctypes.c_void_p(outer.handle), reason)

    def apply(self, outer: Any, right: Any, solution: Any) -> None:
        """Solve for a whole right side, which every rank knows; every rank gets the whole solution.

        Parameters
        ----------
        outer, right, solution : of PETSc
        """
        self._right.array_w[:] = right.array_r[self._matrix.everywhere.rows]
        self.own.apply(self._right, self._solution)
        self._matrix.everywhere.send(self._solution, solution)
