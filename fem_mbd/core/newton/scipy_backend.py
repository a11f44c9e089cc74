"""Objects of a Newton solver without PETSc: arrays, `LineSearchNewton` and SciPy's SuperLU."""

from __future__ import annotations

import weakref
from contextlib import AbstractContextManager, nullcontext

from fem_mbd.base.arrays import Array
from fem_mbd.core.linear_solvers.scipy_solver import ScipySolver
from fem_mbd.core.linear_solvers.superlu import SuperLU
from fem_mbd.core.newton.equations import StepEquations
from fem_mbd.core.newton.line_search_newton import LineSearchNewton, Matrix, Vector
from fem_mbd.core.newton.newton_options import NewtonOptions
from fem_mbd.core.newton.snes_callbacks import SnesCallbacks


class ScipyBackend:
    """Replacement of `PetscBackend`, with the same parameters and attributes."""

    reports_failures = False
    compilable = True

    def __init__(self, step: StepEquations, values: Array, y: Array, f: Array, options: NewtonOptions):
        self.linear = ScipySolver(options.linear_solver, step.pattern)
        self._matrix, self._y, self._f, self._work = (step.indptr, step.indices, values), y, f, step.work
        self._lu: SuperLU | None = None

    def make_solver(
        self, callbacks: SnesCallbacks, line_search: str, max_iterations: int
    ) -> LineSearchNewton:
        """An iteration with that line search and limit of iterations."""
        matrix, backtracking = Matrix(*self._matrix), line_search == "bt"
        return LineSearchNewton(
            callbacks, self._y, Vector(self._f), matrix, self.lu(), backtracking, max_iterations
        )

    def solve(self, solver: LineSearchNewton, line_search: str, fresh: bool) -> tuple[int, int]:
        """Solve from the predictor in y; SNESConvergedReason and iterations."""
        return solver.solve()

    def package_options(self, line_search: str, fresh: bool) -> AbstractContextManager[None]:
        """No options."""
        return nullcontext()

    def lu(self) -> SuperLU:
        """The LU where `BlockLU` is not used: one object for all iterations, so that stored factors are the last."""
        if self._lu is None:
            self._lu = SuperLU(*self._matrix, self._work)
            # the lists of calls that refer to it are freed by the garbage collector; factors should be freed earlier
            weakref.finalize(self, self._lu.release).atexit = False
        return self._lu
