"""What a Newton solver gets and gives: `NewtonOptions`, the equations of a step (`StepEquations`), `NewtonResult`.

Reasons of failures have the numbers of PETSc's SNESConvergedReason; `message` puts them into words.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.base.lazy import nearest
from fem_mbd.base.validation import positive, whole_number
from fem_mbd.core.linear_solvers.turned import Turning
from fem_mbd.core.scheme.matrix_pattern import Pattern
from fem_mbd.errors import InputError

LINEAR_SOLVERS = ("auto", "lu", "mumps", "block", "scipy", "options")
IN_PLACE = ("auto", "block")  # those that may factorise in the place of the matrix
THREADS = "FEM_MBD_THREADS"


def _from_environment(name: str) -> int:
    value = os.environ.get(name, "1")
    if not value.isdecimal() or int(value) == 0:
        raise InputError(f"environment variable {name} is {value!r}: give a whole number from 1")
    return int(value)


@dataclass(frozen=True)
class NewtonOptions:
    """Options for the solution of the equations of a step.

    Attributes
    ----------
    tolerance : estimated remaining error relative to the motion of the step (a hundredth of it with `reuse`)
    max_iterations : of one attempt; when they are exceeded the attempt fails and the step is halved
    linear_solver : "auto" ("block", MUMPS where the predicted fill is large), "lu" (PETSc's own), "mumps", "block"
        (this package's LU of blocks, in the place of the matrix), "scipy" (SciPy's SuperLU, without PETSc), or
        "options" to leave KSP and PC to the PETSc options alone. Where PETSc is not installed, or the environment
        variable FEM_MBD_PETSC is "off", "auto" takes "scipy" in the place of MUMPS
    reuse : for how long a factorisation is used while Newton converges at least by `reuse_rate` per iteration: False,
        one iteration; "step", the step in which it was computed; True, the steps after it as well; "auto", the one of
        these that has cost least in the steps before
    reuse_rate : factor by which the updates must decrease per iteration for a factorisation to be reused
    threads : number of threads for the loops over nodes and beams of models with more than 1,000, and for their
        factorisation in place; by default the environment variable FEM_MBD_THREADS, or 1. Results differ in the last
        bits from those of one thread, and are the same for all other numbers of threads
    compiled : iterate in compiled code, unless a PETSc option requires PETSc's SNES, which is called from Python.
        False: by SNES where PETSc is used, and steps in Python. The iterates are the same, those with "block" to
        round-off
    """

    tolerance: float = 1e-10
    max_iterations: int = 15
    linear_solver: str = "auto"
    reuse: bool | Literal["step", "auto"] = "auto"
    reuse_rate: float = 0.2
    compiled: bool = True
    threads: int = field(default_factory=lambda: _from_environment(THREADS))

    def __post_init__(self) -> None:
        positive(self.tolerance, "NewtonOptions tolerance")
        positive(self.reuse_rate, "NewtonOptions reuse_rate")
        whole_number(self.max_iterations, "NewtonOptions max_iterations")
        whole_number(self.threads, "NewtonOptions threads")
        if self.reuse not in (False, "step", True, "auto"):
            raise InputError(f"NewtonOptions reuse is {self.reuse!r}: give 'auto', False, 'step' or True")
        if self.linear_solver not in LINEAR_SOLVERS:
            raise InputError(
                f"NewtonOptions linear_solver is {self.linear_solver!r}; {nearest(self.linear_solver, LINEAR_SOLVERS)}"
            )
        if self.linear_solver == "block" and not self.compiled:
            raise InputError(
                "NewtonOptions: linear_solver 'block' needs the compiled iteration: give compiled=True"
            )


@dataclass(frozen=True, eq=False)
class StepEquations:
    """Equations f(y) = 0 whose derivatives have a fixed sparsity.

    Attributes
    ----------
    indptr, indices : of the matrix, CSR
    unit : (size,) 0 for lengths, 1 for angles, 2 for multipliers
    length : m, of the model
    residual : ``residual(y, f)`` fills f (size,)
    tangent : evaluates the matrix values of the calls at the last y
    inertia : as for `Convergence`
    multiplications : of a factorisation, from which "auto" chooses the linear solver
    redundant : whether constraints depend on each other, so that factorisations are not reused from step to step
    pattern : of the matrix by blocks, for the compiled iteration
    spacing : m, the smallest distance of two nodes of a flexible line; 0: the length
    scale : (size,) of the equations of models that are far from 1 kg (`fem_mbd.core.scheme.system`), or None
    turning : with which kept factors in place turn, or None
    """

    indptr: NDArray[np.int32]
    indices: NDArray[np.int32]
    unit: Indices
    length: float
    residual: Callable[[Array, Array], None]
    tangent: Callable[[], object]
    inertia: float = 0.0
    multiplications: float = 0.0
    redundant: bool = False
    pattern: Pattern | None = None
    scale: Array | None = None
    spacing: float = 0.0
    turning: Turning | None = None


CONVERGED, ITERATING = 4, 0
LINEAR_FAILURE, NOT_FINITE, TOO_MANY_ITERATIONS, LINE_SEARCH, DIVERGED = -3, -4, -5, -6, -9
REASONS = {
    NOT_FINITE: "the equations have no finite value at the iterate",
    LINE_SEARCH: "the line search found no smaller residual along Newton's direction",
    -8: "the iteration has reached a local minimum of the residual that is not zero",
    DIVERGED: "Newton diverged",
}


@dataclass
class NewtonResult:
    """Outcome of one solve: converged or the reason of the failure (a sentence), and the computational effort."""

    converged: bool
    iterations: int
    factorisations: int
    reason: str = ""

    def after(self, earlier: NewtonResult) -> NewtonResult:
        """This outcome with the effort of an earlier attempt added."""
        self.iterations += earlier.iterations
        self.factorisations += earlier.factorisations
        return self


def message(reason: int, update: Array, max_iterations: int) -> str:
    """Message for a reason other than `LINEAR_FAILURE`; ``update`` (3,) sizes of the last update."""
    if reason == TOO_MANY_ITERATIONS:
        kinds = ("lengths", "angles", "multipliers")
        worst = int(np.argmax(np.where(np.isfinite(update[:2]), update[:2], np.inf)))
        return (
            f"no convergence in {max_iterations} iterations; "
            f"the last update of {kinds[worst]} was {update[worst]:.1e}"
        )
    return REASONS.get(reason, f"PETSc's SNES stopped with SNESConvergedReason {reason}")
