"""Callbacks of `NewtonSolver` for PETSc's SNES: equations, tangent, convergence test."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import isfinite
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.newton import newton_result
from fem_mbd.core.newton.broyden import Broyden
from fem_mbd.core.newton.convergence import Convergence, Status
from fem_mbd.core.newton.energy_residual import EnergyResidualTest
from fem_mbd.core.newton.jacobian_reuse import JacobianReuse


class SnesCallbacks:
    """The callbacks; the attributes are those of `NewtonSolver`."""

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
            return newton_result.NOT_FINITE
        test = self.convergence
        if iteration == 0:
            test.start(self._iterate)
            self.broyden.start()
            self.energy_residual.start()
            return newton_result.ITERATING
        status = test.check(iteration, self._step, self._iterate, self._reuse)
        # a SNES type without line search, set by an option, does not fill the step: it must not count as converged
        self._step[:] = np.nan
        if self._log:
            test.log(iteration, norms[2], status)
        if status is Status.DIVERGED:
            return newton_result.DIVERGED
        if status is Status.CONVERGED:
            if self.energy_residual.is_last(self.equations, self._iterate, self._dt, self._reuse):
                return newton_result.CONVERGED
            if self._backtracking:
                return newton_result.LINE_SEARCH  # `_continue_from_best` continues with full steps
        if status is Status.SLOW:
            self._refresh = True
        return newton_result.ITERATING
