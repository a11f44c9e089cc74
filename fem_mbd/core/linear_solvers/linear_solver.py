"""Choice and set-up of the direct solver with PETSc: block LU in place, MUMPS, PETSc's LU; recovery from failures.

`translated_errors` raises PETSc's errors as the package's own: out of memory, and solvers that PETSc does not have.
Their codes: petscsystypes.h and petscerror.h of PETSc 3.18 to 3.26.

`PetscLU` is the LU by PETSc and its packages for the compiled Newton iteration, which calls PETSc's functions by their
addresses.

`LU` is what all factorisations offer to that iteration. `ScaledLU` is for models whose masses are far from 1 kg:
instead of A y = f it solves (D A D) x = D f, y = D x; `fem_mbd.core.scheme.system` has D and says why.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.calls import Call, ForeignCall, Task
from fem_mbd.core.compiled.signatures import int32, vector, void
from fem_mbd.core.linear_solvers.petsc import has_package, library, petsc
from fem_mbd.core.linear_solvers.superlu import FILLS
from fem_mbd.core.scheme.matrix_pattern import Pattern
from fem_mbd.errors import FemMbdError, InputError, SolverFailure


@kernel(void(vector, vector, vector))
def multiply(values, factors, products):
    """products = values times factors, each (n,)."""
    for k in range(values.shape[0]):
        products[k] = values[k] * factors[k]


@kernel(void(int32[::1], int32[::1], vector, vector))
def scale_matrix(indptr, indices, scale, values):
    """Multiply the rows and the columns of matrix values, CSR, by ``scale`` (size,)."""
    for row in range(scale.shape[0]):
        for k in range(indptr[row], indptr[row + 1]):
            values[k] *= scale[row] * scale[indices[k]]


class LU(Protocol):
    """Protocol: factorisation and solve as lists of calls."""

    failed: Any

    @property
    def releases_gil(self) -> bool: ...

    @property
    def releases_gil_later(self) -> bool: ...

    def factorise(self) -> list[Task]: ...

    def solve(self, f: Array, y: Array) -> list[Task]: ...


class ScaledLU:
    """An LU of the scaled equations, as `BlockLU`.

    Parameters
    ----------
    lu : of the same values
    indptr, indices, values : of the matrix, CSR
    scale : (size,) D, powers of two
    """

    def __init__(self, lu: LU, indptr: Any, indices: Any, values: Array, scale: Array):
        self._lu, self._matrix, self._scale = lu, (indptr, indices, scale, values), scale
        self.failed = lu.failed
        self._right = np.zeros_like(scale)

    @property
    def releases_gil(self) -> bool:
        """As that of the LU."""
        return self._lu.releases_gil

    @property
    def releases_gil_later(self) -> bool:
        """As that of the LU."""
        return self._lu.releases_gil_later

    def factorise(self) -> list[Task]:
        """Calls that overwrite the values with the scaled ones, or with their factors."""
        return [Call(scale_matrix, *self._matrix), *self._lu.factorise()]

    def solve(self, f: Array, y: Array) -> list[Task]:
        """Calls that solve for the right side f (size,) and write the solution to y (size,)."""
        return [
            Call(multiply, f, self._scale, self._right),
            *self._lu.solve(self._right, y),
            Call(multiply, y, self._scale, y),
        ]


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


# Where PETSc factorises: multiplications per unknown from which on MUMPS is faster than PETSc's own LU. MUMPS works on
# dense blocks but has a large overhead (about 1.6 us per unknown, then 0.2 ns per multiplication); PETSc's takes
# 0.45 ns per multiplication.
DENSE = 10_000.0
# ICNTL(14): work space beyond the estimate of the analysis, % (0: MUMPS' default). That estimate depends on the pattern
# only and does not include pivots that are delayed near a singular position.
WORK_SPACE = (0, 100, 400, 1600, 6400)
# INFOG(1) for which the MUMPS users' guide (5.5, section 8) says: increase ICNTL(14)
SHORT_OF_WORK_SPACE = (-8, -9, -11, -12, -14, -15, -17, -20)
PIVOT_ZERO, NO_MEMORY = -10, (-7, -13)
ESTIMATED_MEMORY = 17  # INFOG: MB of memory by the estimate of the analysis
PC_FAILED = -11  # KSPConvergedReason


class LinearSolver:
    """The package for the factorisation and its work space; a failure changes either for the rest of the run.

    Parameters
    ----------
    choice : the user's, `NewtonOptions.linear_solver`
    size : number of unknowns
    multiplications : of a factorisation in the order of the equations, see
        `fem_mbd.core.scheme.matrix_structure`
    pattern : of the matrix by blocks; without it `BlockLU` is not used

    Attributes
    ----------
    package : PETSc's name of the package
    in_place : whether Newton's compiled iteration uses `BlockLU` instead

    Raises
    ------
    InputError
        For "block" where elimination causes too much fill, for "mumps" where PETSc lacks it.
    """

    def __init__(self, choice: str, size: int, multiplications: float, pattern: Pattern | None = None):
        self._choice, self._space = choice, 0
        self.in_place = pattern is not None and _in_place(choice, pattern)
        if choice == "mumps" and not has_package("mumps"):
            raise InputError(
                "NewtonOptions linear_solver is 'mumps', which this PETSc was compiled without; its packages for LU "
                f"are {', '.join(lu_packages())}: give 'auto' or 'lu', or choose one by PETSc options"
            )
        dense = choice == "auto" and multiplications > DENSE * size and has_package("mumps")
        native = choice in ("auto", "lu", "block") and not dense
        self.package = "petsc" if native else "mumps"

    def set_up(self, pc: Any) -> None:
        """Set type and package of a PC; the user's PETSc options are applied after this."""
        pc.setType("lu")
        pc.setFactorSolverType(self.package)
        if self.package == "petsc":
            # the system numbers its equations for this: little fill, multipliers after their nodes (`matrix_structure`)
            pc.setFactorOrdering(petsc().Mat.OrderingType.NATURAL)

    def options(self) -> dict[str, str]:
        """PETSc options that the package reads at its first factorisation."""
        if self.package != "mumps":
            return {}
        options = {"mat_mumps_icntl_24": "1"}  # detect null pivots instead of dividing by them
        if self._space > 0:
            options["mat_mumps_icntl_14"] = str(WORK_SPACE[self._space])
        return options

    def recover(self, snes: Any) -> bool:
        """After a failed factorisation choose another package or more work space; False when there is none left.

        The SNES has to be created again then.

        Raises
        ------
        SolverFailure
            When the factorisation ran out of memory.
        """
        if self.in_place or self.package == "petsc":
            # a zero pivot in the order of the equations; MUMPS pivots
            if self._choice not in ("auto", "block"):
                return False
            self.package, self.in_place = "mumps", False
            return True
        if _infog(snes) in NO_MEMORY:
            raise SolverFailure(self.failure_message(snes))  # no other step needs less memory
        if _infog(snes) in SHORT_OF_WORK_SPACE and self._space + 1 < len(WORK_SPACE):
            self._space += 1
            return True
        return False

    def failure_message(self, snes: Any) -> str:
        """Message on the reason why the linear equations could not be solved."""
        reason = snes.getKSP().getConvergedReason()
        if reason != PC_FAILED:
            return f"the linear solver did not converge: PETSc's KSP stopped with KSPConvergedReason {reason}"
        code = _infog(snes)
        if code in SHORT_OF_WORK_SPACE:
            return (
                f"MUMPS needs more work space (INFOG(1) = {code}) than with ICNTL(14) = {WORK_SPACE[self._space]} %; "
                "set the PETSc option -fem_mbd_mat_mumps_icntl_14"
            )
        if code in NO_MEMORY:
            estimate = _factors(snes).getMumpsInfog(ESTIMATED_MEMORY)
            return (
                f"MUMPS could not allocate the memory that it needs, about {estimate} MB (INFOG(1) = {code}): use "
                "fewer elements, or a machine with more memory"
            )
        if code in (0, PIVOT_ZERO):
            return "the linear solver failed: the tangent is singular"
        return f"the factorisation failed: MUMPS stopped with INFOG(1) = {code}"


def _in_place(choice: str, pattern: Pattern) -> bool:
    if choice in ("block", "auto"):
        if pattern.fills_nothing:
            return True
        if choice == "block":
            raise InputError(FILLS)
    return False


def _factors(snes: Any) -> Any:
    """PETSc's factored matrix, None when the preconditioner is not a factorisation."""
    pc = snes.getKSP().getPC()
    return pc.getFactorMatrix() if pc.getType() in ("lu", "cholesky") else None


def _infog(snes: Any) -> int:
    """MUMPS' INFOG(1), 0 with another package."""
    factors = _factors(snes)
    return int(factors.getMumpsInfog(1)) if factors is not None and factors.getType() == "mumps" else 0


FINAL_ASSEMBLY = 0  # PETSc's MAT_FINAL_ASSEMBLY


class PetscLU:
    """PETSc's factorisation and solve as lists of calls.

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
