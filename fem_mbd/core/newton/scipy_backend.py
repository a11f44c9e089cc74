"""Objects of a Newton solver without PETSc: SciPy's SuperLU for the compiled iteration."""

from __future__ import annotations

import weakref
from contextlib import AbstractContextManager, nullcontext

from fem_mbd.base.arrays import Array
from fem_mbd.core.linear_solvers.scipy_solver import ScipySolver
from fem_mbd.core.linear_solvers.superlu import SuperLU
from fem_mbd.core.newton.equations import StepEquations
from fem_mbd.core.newton.newton_options import NewtonOptions


class ScipyBackend:
    """Replacement of `PetscBackend`, with the same parameters but without SNES: all iterations are compiled."""

    compilable = True

    def __init__(self, step: StepEquations, values: Array, y: Array, f: Array, options: NewtonOptions):
        self.linear = ScipySolver(options.linear_solver, step.pattern)
        self._matrix, self._work = (step.indptr, step.indices, values), step.work
        self._lu: SuperLU | None = None

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
