"""PETSc objects of a Newton solver: matrix and vectors over its arrays, SNES, and the LU of the compiled iteration.

`SnesCallbacks` are the functions of `NewtonSolver` that SNES calls: equations, tangent, convergence test.

PETSc options with the prefix ``fem_mbd_`` apply to the SNES, KSP and PC, e.g. ``-fem_mbd_ksp_type gmres
-fem_mbd_pc_type lu``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.linear_solvers.linear_solver import LinearSolver, PetscLU, translated_errors
from fem_mbd.core.linear_solvers.petsc import default_options, freed_with, petsc
from fem_mbd.core.newton import equations
from fem_mbd.core.newton.convergence import Convergence, Status
from fem_mbd.core.newton.energy_residual import EnergyResidualTest
from fem_mbd.core.newton.equations import NewtonOptions, StepEquations
from fem_mbd.core.newton.jacobian_reuse import Broyden, JacobianReuse


class SnesCallbacks:
    """The callbacks of SNES, a base of `NewtonSolver`, whose attributes they read."""

    equations: Array  # at the iterate
    jacobian_reuse: JacobianReuse
    convergence: Convergence
    broyden: Broyden
    energy_residual: EnergyResidualTest
    factorisations: int
    seconds_assembly: float
    _residual: Callable[[Array, Array], None]
    _tangent: Callable[[], object]
    _iterate: Array
    _step: Array
    _dt: float
    _refresh: bool
    _fresh: bool  # the last update was the first one with its factors
    _reuse: bool
    _backtracking: bool
    _improve: bool
    _holds_factors: bool
    _log: bool

    def _petsc_function(self, snes: Any, x: Any, f: Any) -> None:
        start = time.perf_counter()
        y = x.array_r
        self._iterate[:] = y
        self._residual(y, f.array_w)
        self.seconds_assembly += time.perf_counter() - start

    def _petsc_jacobian(self, snes: Any, x: Any, a: Any, p: Any) -> None:
        self._fresh = self._refresh
        if not self._refresh:
            return
        self.broyden.start()
        start = time.perf_counter()
        self._tangent()
        self._holds_factors = False
        p.assemble()
        self.seconds_assembly += time.perf_counter() - start
        self.factorisations += 1
        self.jacobian_reuse.factored_for = self._dt
        self._refresh = not self._reuse

    def _petsc_update(self, x: Any, update: Any) -> bool:
        """Improve Newton's update by Broyden's method, unless a PETSc option may choose a line search; whether it has.

        It is copied before a line search shortens it: a shortened update is no measure of the error.
        """
        self._step[:] = update.array_r
        if self._improve:
            self.broyden.improve(self._step)
            update.array_w[:] = self._step
        return self._improve

    def _petsc_converged(self, snes: Any, iteration: int, norms: tuple[float, float, float]) -> int:
        if not isfinite(norms[2]):
            return equations.NOT_FINITE
        test = self.convergence
        if iteration == 0:
            test.start(self._iterate)
            self.broyden.start()
            self.energy_residual.start()
            return equations.ITERATING
        status = test.check(iteration, self._step, self._iterate, self._reuse, self._fresh)
        if iteration == 1 and self._reuse and status is Status.ITERATING and _is_solved(snes, test):
            status = Status.CONVERGED
        # a SNES type without line search, set by an option, does not fill the step: it must not count as converged
        self._step[:] = np.nan
        if self._log:
            test.log(iteration, norms[2], status)
        if status is Status.DIVERGED:
            return equations.DIVERGED
        if status is Status.CONVERGED:
            if self.energy_residual.is_last(self.equations, self._iterate, self._dt, self._reuse):
                return equations.CONVERGED
            if self._backtracking:
                return equations.LINE_SEARCH  # `_continue_from_best` continues with full steps
        if status is Status.SLOW:
            self._refresh = True
        return equations.ITERATING


def _is_solved(snes: Any, test: Convergence) -> bool:
    """Whether the next update by the same factors is negligible."""
    f = snes.getFunction()[0]
    update = f.duplicate()
    snes.getKSP().solve(f, update)
    negligible = test.is_negligible(update.array_r)
    update.destroy()
    return negligible


PREFIX = "fem_mbd_"
FULL_STEPS, BACKTRACKING = "basic", "bt"  # PETSc line searches


class _Objects(NamedTuple):
    """PETSc objects over the solver's arrays."""

    matrix: Any
    iterate: Any
    function: Any


class PetscBackend:
    """The PETSc objects, created at their first use and destroyed with this one.

    Parameters
    ----------
    step : the solver's equations
    values : of their matrix, which are read in place
    y, f : (size,) the iterate, and the equations there
    options : of the solver

    Attributes
    ----------
    linear : linear solver package and its options
    """

    def __init__(self, step: StepEquations, values: Array, y: Array, f: Array, options: NewtonOptions):
        self._petsc = petsc()
        self._linear_solver, self._entries = options.linear_solver, len(values)
        self._arrays = step.indptr, step.indices, values, y, f
        self.linear = LinearSolver(options.linear_solver, len(y), step.multiplications, step.pattern)

    @cached_property
    def _objects(self) -> _Objects:
        """Created at the first use: models solved by `BlockLU` mostly need none."""
        P = self._petsc
        *rows, values, y, f = self._arrays
        pattern = [np.ascontiguousarray(a, dtype=P.IntType) for a in rows]
        matrix = P.Mat().createAIJWithArrays((len(y), len(y)), (*pattern, values), comm=P.COMM_SELF)
        objects = _Objects(matrix, *(P.Vec().createWithArray(a, comm=P.COMM_SELF) for a in (y, f)))
        self._freed = freed_with(self, [*objects])
        return objects

    @property
    def compilable(self) -> bool:
        """Whether the compiled iteration may replace SNES: not with PETSc options, which may request anything."""
        options = self._petsc.Options().getAll()
        return self._linear_solver != "options" and not any(name.startswith(PREFIX) for name in options)

    def make_solver(self, callbacks: SnesCallbacks, line_search: str, max_iterations: int) -> Any:
        """A SNES with that line search and limit of iterations."""
        snes = self._petsc.SNES().create(self._petsc.COMM_SELF)
        snes.setOptionsPrefix(_prefix(line_search))
        snes.setType("newtonls")
        snes.setFunction(callbacks._petsc_function, self._objects.function)
        snes.setJacobian(callbacks._petsc_jacobian, self._objects.matrix)
        snes.setConvergenceTest(callbacks._petsc_converged)
        snes.setLineSearchPreCheck(callbacks._petsc_update)
        # stol: a line search that fails by shrinking its step to nothing must not count as convergence
        snes.setTolerances(stol=0.0, max_it=max_iterations)
        snes.getKSP().setType("preonly")
        self.linear.set_up(snes.getKSP().getPC())
        with (
            default_options(_prefix(line_search), {"snes_linesearch_type": line_search}),
            translated_errors(self._entries),
        ):
            snes.setFromOptions()
        return snes

    def solve(self, snes: Any, line_search: str, fresh: bool) -> tuple[int, int]:
        """Solve from the predictor in y; SNESConvergedReason and iterations; ``fresh`` : the SNES is new."""
        with self.package_options(line_search, fresh), translated_errors(self._entries):
            snes.solve(None, self._objects.iterate)
        return snes.getConvergedReason(), snes.getIterationNumber()

    def package_options(self, line_search: str, fresh: bool) -> AbstractContextManager[None]:
        """Options of the linear solver package, which it reads at its first factorisation."""
        return default_options(_prefix(line_search), self.linear.options()) if fresh else nullcontext()

    def lu(self) -> PetscLU:
        """The LU of the compiled iteration."""
        matrix = self._objects.matrix
        preconditioner = self._petsc.PC().create(self._petsc.COMM_SELF)
        self._freed.append(preconditioner)
        preconditioner.setOptionsPrefix(PREFIX)
        self.linear.set_up(preconditioner)
        preconditioner.setFromOptions()
        return PetscLU(matrix, preconditioner, self._freed)


def _prefix(line_search: str) -> str:
    return PREFIX if line_search == FULL_STEPS else PREFIX + "cautious_"
