"""Choice and set-up of the direct solver with PETSc: block LU in place, MUMPS, PETSc's LU; recovery from failures."""

from __future__ import annotations

from typing import Any

from fem_mbd.core.linear_solvers.petsc import has_package, petsc
from fem_mbd.core.linear_solvers.petsc_errors import lu_packages
from fem_mbd.core.linear_solvers.scipy_solver import FILLS
from fem_mbd.core.scheme.matrix.pattern import Pattern
from fem_mbd.errors import InputError, SolverFailure

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
    work : multiplications of a factorisation in the order of the equations, see
        `fem_mbd.core.scheme.matrix.elimination`
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
        """Set type and package of a PC; the user's PETSc options are applied after this."""
        pc.setType("lu")
        pc.setFactorSolverType(self.package)
        if self.package == "petsc":
            # the system numbers its equations for this: little fill, multipliers after their nodes (`numbering`)
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
