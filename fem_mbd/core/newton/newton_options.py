"""Class `NewtonOptions`: the user's options of the Newton solver and its linear solver."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Literal

from fem_mbd.base.lazy import nearest
from fem_mbd.base.validation import positive, whole_number
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
