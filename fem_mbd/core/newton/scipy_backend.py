"""What a Newton solver has where PETSc is not used: plain arrays, the own iteration with line search, SuperLU."""

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
    """In the place of `PetscBackend`, with its parameters and attributes."""

    tells = False
    compiles = True

    def __init__(self, step: StepEquations, values: Array, y: Array, f: Array, options: NewtonOptions):
        self.linear = ScipySolver(options.linear_solver, step.pattern)
        self._matrix, self._y, self._f, self._work = (step.indptr, step.indices, values), y, f, step.work
        self._lu: SuperLU | None = None

    def make_solver(self, callbacks: SnesCallbacks, line_search: str, most: int) -> LineSearchNewton:
        """The iteration with that line search and so many iterations at most."""
        return LineSearchNewton(
            callbacks, self._y, Vector(self._f), Matrix(*self._matrix), self.lu(), line_search == "bt", most
        )

    def solve(self, solver: LineSearchNewton, line_search: str, fresh: bool) -> tuple[int, int]:
        """Solve from the predictor in y: the reason why it ended, and iterations."""
        return solver.solve()

    def package_options(self, line_search: str, fresh: bool) -> AbstractContextManager[None]:
        """None."""
        return nullcontext()

    def lu(self) -> SuperLU:
        """What factorises where `BlockLU` does not: one for all iterations, so that kept factors are the last ones."""
        if self._lu is None:
            self._lu = SuperLU(*self._matrix, self._work)
            # the lists that call it wait for the garbage collector, which factors should not
            weakref.finalize(self, self._lu.forget).atexit = False
        return self._lu
