"""The direct solver inside Newton's: the own one in place, PETSc's LU or MUMPS; work space, and why one failed."""

from __future__ import annotations

from typing import Any

from fem_mbd.core.linear_solvers.petsc import has_package, petsc
from fem_mbd.core.linear_solvers.petsc_errors import lu_packages
from fem_mbd.core.linear_solvers.scipy_solver import FILLS
from fem_mbd.core.scheme.matrix.pattern import Pattern
from fem_mbd.errors import InputError, SolverFailure

# Multiplications per unknown from which on MUMPS is faster than PETSc's own LU. MUMPS works on dense blocks but has
# much to set up (about 1.6 us per unknown, then 0.2 ns per multiplication); PETSc's takes 0.45 ns per multiplication.
# `python -m benchmarks linear_solvers` measures both.
DENSE = 10_000.0
# ICNTL(14): work space beyond the estimate of the analysis, % (0: MUMPS' own). That estimate knows the pattern only,
# not the pivots that are delayed near a singular position.
WORK_SPACE = (0, 100, 400, 1600, 6400)
# INFOG(1) for which the MUMPS users' guide (5.5, section 8) says: increase ICNTL(14)
SHORT_OF_WORK_SPACE = (-8, -9, -11, -12, -14, -15, -17, -20)
PIVOT_ZERO, NO_MEMORY = -10, (-7, -13)
FORESEEN = 17  # INFOG: MB of memory that the analysis foresees
PC_FAILED = -11  # KSP reason


class LinearSolver:
    """Which package factorises, and with how much work space; a failure changes either for the rest of the run.

    Parameters
    ----------
    choice : the user's, `NewtonOptions.linear_solver`
    size : unknowns
    work : multiplications of a factorisation in the order of the equations, see
    `fem_mbd.core.scheme.matrix.elimination` pattern : of the matrix by blocks; without it `BlockLU` does not serve

    Attributes
    ----------
    package : of PETSc, that factorises
    in_place : whether Newton's compiled iteration takes `BlockLU` instead

    Raises
    ------
    InputError
        For "block" where elimination fills, for "mumps" where PETSc lacks it.
    """

    def __init__(self, choice: str, size: int, work: float, pattern: Pattern | None = None):
        self._choice, self._space = choice, 0
        self.in_place = pattern is not None and _in_place(choice, pattern)
        if choice == "mumps" and not has_package("mumps"):
            raise InputError(
                "NewtonOptions linear_solver is 'mumps', which this PETSc was compiled without; its packages for LU "
                f"are {', '.join(lu_packages())}: give 'auto' or 'lu', or choose one by PETSc options"
            )
        dense = choice == "auto" and work > DENSE * size and has_package("mumps")
        native = choice in ("auto", "lu", "block") and not dense
        self.package = "petsc" if native else "mumps"

    def set_up(self, pc: Any) -> None:
        """Choose what a PC does; the user's PETSc options come after."""
        pc.setType("lu")
        pc.setFactorSolverType(self.package)
        if self.package == "petsc":
            # the system numbers its equations for this: little fill, multipliers behind their nodes (`numbering`)
            pc.setFactorOrdering(petsc().Mat.OrderingType.NATURAL)

    def options(self) -> dict[str, str]:
        """PETSc options that the package reads when it factorises for the first time."""
        if self.package != "mumps":
            return {}
        found = {"mat_mumps_icntl_24": "1"}  # find null pivots instead of dividing by them
        if self._space > 0:
            found["mat_mumps_icntl_14"] = str(WORK_SPACE[self._space])
        return found

    def recover(self, snes: Any) -> bool:
        """After a failed factorisation: whether another package, or more work space, is worth a repetition.

        The SNES has to be made anew then.

        Raises
        ------
        SolverFailure
            When there was no memory.
        """
        if self.package == "petsc":
            # a zero pivot in the order of the native factorisation; MUMPS pivots
            if self._choice not in ("auto", "block"):
                return False
            self.package, self.in_place = "mumps", False
            return True
        if _infog(snes) in NO_MEMORY:
            raise SolverFailure(self.say(snes))  # no other step needs less
        if _infog(snes) in SHORT_OF_WORK_SPACE and self._space + 1 < len(WORK_SPACE):
            self._space += 1
            return True
        return False

    def say(self, snes: Any) -> str:
        """Why the linear equations could not be solved."""
        reason = snes.getKSP().getConvergedReason()
        if reason != PC_FAILED:
            return f"the linear solver did not converge: PETSc's KSP stopped with its reason {reason}"
        code = _infog(snes)
        if code in SHORT_OF_WORK_SPACE:
            return (
                f"MUMPS needs more work space (INFOG(1) = {code}) than ICNTL(14) = {WORK_SPACE[self._space]} % gives; "
                "set the PETSc option -fem_mbd_mat_mumps_icntl_14"
            )
        if code in NO_MEMORY:
            foreseen = _factors(snes).getMumpsInfog(FORESEEN)
            return (
                f"MUMPS could not get the memory that it needs, some {foreseen} MB (INFOG(1) = {code}): use fewer "
                "elements, or a machine with more"
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
    """PETSc's factored matrix, None when its preconditioner has none."""
    pc = snes.getKSP().getPC()
    return pc.getFactorMatrix() if pc.getType() in ("lu", "cholesky") else None


def _infog(snes: Any) -> int:
    """MUMPS' INFOG(1), 0 when another package factorises."""
    factors = _factors(snes)
    return int(factors.getMumpsInfog(1)) if factors is not None and factors.getType() == "mumps" else 0
