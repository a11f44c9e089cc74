"""Newton solver for the nonlinear equations of a step: by the compiled iteration, or PETSc's SNES.

The matrix values are a numpy array that PETSc or SuperLU reads in place. Without PETSc, `ScipyBackend` provides SciPy's
SuperLU for the compiled iteration.

The logger ``fem_mbd.newton`` reports every iteration at level DEBUG.
"""

from __future__ import annotations

import logging
import weakref
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.calls import Call, Number
from fem_mbd.core.linear_solvers.block_lu import BlockLU
from fem_mbd.core.linear_solvers.linear_solver import LU, ScaledLU
from fem_mbd.core.linear_solvers.petsc import has_petsc
from fem_mbd.core.linear_solvers.superlu import ScipySolver, SuperLU
from fem_mbd.core.linear_solvers.turned import TurnedLU
from fem_mbd.core.newton import equations
from fem_mbd.core.newton.convergence import LOG, RESIDUAL_ROUND_OFF, Convergence, set_round_off
from fem_mbd.core.newton.energy_residual import EnergyResidualTest
from fem_mbd.core.newton.equations import IN_PLACE, NewtonOptions, NewtonResult, StepEquations
from fem_mbd.core.newton.jacobian_reuse import Broyden, JacobianReuse, factorisation_cost
from fem_mbd.core.newton.newton_iteration import (
    BACKTRACKING_FACTOR,
    STOPPED,
    CompiledNewton,
    at_round_off,
    new_attempt,
)
from fem_mbd.core.newton.petsc_backend import BACKTRACKING, FULL_STEPS, PetscBackend, SnesCallbacks
from fem_mbd.core.scheme.tdg import StepCalls


class ScipyBackend:
    """Replacement of `PetscBackend`, with the same parameters but without SNES: all iterations are compiled."""

    compilable = True

    def __init__(self, step: StepEquations, values: Array, y: Array, f: Array, options: NewtonOptions):
        self.linear = ScipySolver(options.linear_solver, step.pattern)
        self._matrix, self._work = (step.indptr, step.indices, values), step.multiplications
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


__all__ = ["IN_PLACE", "NewtonOptions", "NewtonResult", "NewtonSolver", "StepEquations"]


CAUTIOUS_SOLVES = 20  # solves that begin with backtracking after one that needed it


class NewtonSolver(SnesCallbacks):
    """Newton's method with a fixed sparsity; ``calls`` : of the step.

    Attributes
    ----------
    cautious : (1,) how many of the next solves begin with backtracking
    set_round_off : the call that adapts what counts as round-off to the nodes' positions, at the start of a step
    """

    def __init__(self, step: StepEquations, options: NewtonOptions, calls: StepCalls):
        self.options = options
        self._residual, self._tangent = step.residual, step.tangent
        unit, length, size = step.unit, step.length, len(step.unit)
        self._calls = calls
        self.y = np.zeros(size)
        self.equations = np.zeros(size)
        self._iterate = self._step = np.zeros(0)  # of SNES, which few runs use
        self.energy_residual = EnergyResidualTest(size)
        # no PETSc object outlives this solver
        backend = PetscBackend if has_petsc() and options.linear_solver != "scipy" else ScipyBackend
        self._backend: PetscBackend | ScipyBackend = backend(
            step, calls.values, self.y, self.equations, options
        )
        self.linear = self._backend.linear
        # whose multipliers follow from small pivots: their factors are never rounded
        self._pattern, self._redundant = step.pattern, bool(step.redundant)
        self._turning = step.turning
        self._scaling = None if step.scale is None else (step.indptr, step.indices, calls.values, step.scale)
        self._holds_factors = False  # the matrix values have been replaced by their factors, in `BlockLU`
        cost = factorisation_cost(size, step.multiplications, self.linear.in_place)
        self.jacobian_reuse = JacobianReuse(options.reuse, cost, not step.redundant)
        # arguments of `at_round_off`
        spacing = step.spacing or length
        noise = RESIDUAL_ROUND_OFF * np.array([length, length / spacing, length])[unit]
        self._round_off_arrays = (calls.diagonal, unit, noise)
        self._refresh, self._reuse, self._fresh = True, False, False
        self.factorisations = 0
        self.seconds_assembly = 0.0
        # not a method of this solver, which would be a reference cycle and delay its release
        check = partial(_at_round_off, self.equations, self._round_off_arrays)
        self.convergence = Convergence(unit, length, options, step.inertia, check, spacing)
        sizes = (Number(np.array([value])) for value in (length, spacing))
        self.set_round_off = Call(
            set_round_off, calls.start, *sizes, self.convergence.test, unit, noise, calls.longest
        )
        self.broyden = Broyden(unit, length)
        self._solvers: dict[str, Any] = {}
        self._compiled: CompiledNewton | None = None
        self._attempt_made = (
            False  # by `fem_mbd.core.solver.time_loop`: the next attempt has been made already
        )
        self.cautious = np.zeros(1, dtype=np.int64)
        self._dt, self._backtracking = 0.0, False
        self._log = self._improve = False

    # -- one solve ------------------------------------------------------------------------------------------

    def solve(self, predictor: Array, dt: float, keep: bool = True) -> NewtonResult:
        """Solve from the predictor; on success `self.y` is the solution and the residual was evaluated there last.

        ``keep`` False computes a fresh factorisation in every iteration: for a step unlike the ones before it.
        """
        self.set_round_off()
        before, iterations, reason = self.factorisations, 0, 0
        for line_search, reuse in self._strategies(keep):
            reason, more = self._attempt(predictor, dt, line_search, reuse)
            iterations += more
            while reason == equations.LINEAR_FAILURE and self.linear.recover(self._solvers.get(line_search)):
                self._solvers.clear()
                self._compiled = None
                reason, more = self._attempt(predictor, dt, line_search, False)
                iterations += more
            if reason > 0:
                if line_search == BACKTRACKING and not self.cautious[0]:
                    self.cautious[0] = CAUTIOUS_SOLVES
                break
        self.cautious[0] = max(self.cautious[0] - 1, 0)
        result = NewtonResult(reason > 0, iterations, self.factorisations - before)
        self.jacobian_reuse.record_cost(result.iterations, result.factorisations)
        if reason <= 0:
            self._discard_factors()
            result.reason = self._failure_message(reason, self._solvers.get(line_search))
        return result

    def _strategies(self, keep: bool) -> Iterator[tuple[str, bool]]:
        """Strategies to try before the step fails: line search, and whether factorisations are reused."""
        if self.cautious[0] == 0:
            if keep and self.jacobian_reuse.policy:
                yield FULL_STEPS, True
            yield FULL_STEPS, False
        # friction that reverses within a step can make full steps cycle, at any step size
        yield BACKTRACKING, False

    def _attempt(
        self, predictor: Array, dt: float, line_search: str, reuse: bool, last: bool = False
    ) -> tuple[int, int]:
        self._reuse = reuse
        self._refresh = not reuse or self.jacobian_reuse.needs_factorisation(dt)
        self._dt, self._backtracking = dt, line_search == BACKTRACKING
        self._log = LOG.isEnabledFor(logging.DEBUG)
        reason, iterations = self._newton(predictor, line_search)
        if self.energy_residual.has_best and reason > 0:
            reason = self._end_at(self.energy_residual.best)
        elif self.energy_residual.has_best:
            reason, more = self._continue_from_best(dt, last)
            iterations += more
        if self._log:
            LOG.debug("dt %.6g s, line search %s: reason %d after %d", dt, line_search, reason, iterations)
        return reason, iterations

    def _continue_from_best(self, dt: float, last: bool) -> tuple[int, int]:
        """As `newton_iteration.iterate`, after an iteration in Python; ``last``: it was such an attempt already."""
        best, residual, iterations = self.energy_residual.best.copy(), self.energy_residual.residual, 0
        if not last:
            reason, iterations = self._attempt(best, dt, FULL_STEPS, False, last=True)
            if reason > 0 and self.energy_residual.residual <= residual:
                return reason, iterations
        return self._end_at(best), iterations

    def _end_at(self, y: Array) -> int:
        """End at an iterate ``y`` (size,) at which Newton had converged; the reason of convergence."""
        self.y[:] = y
        self._residual(self.y, self.equations)
        return equations.CONVERGED

    def _newton(self, predictor: Array, line_search: str) -> tuple[int, int]:
        """Newton's iterations; the SNESConvergedReason and their number."""
        snes = not isinstance(self._backend, ScipyBackend)
        if self._compiled is not None or not snes or (self.options.compiled and self._backend.compilable):
            with self._backend.package_options(line_search, self._compiled is None):
                reason, iterations = self._compiled_newton(predictor)
            failed = reason in (STOPPED, equations.LINEAR_FAILURE)
            if not failed or not snes:
                return reason, iterations
        return self._snes(predictor, line_search)  # also to get PETSc's error message after a failure

    def _snes(self, predictor: Array, line_search: str) -> tuple[int, int]:
        """Iterations of PETSc's SNES; the SNESConvergedReason and their number."""
        backend: Any = self._backend
        fresh = line_search not in self._solvers
        if fresh:
            self._iterate, self._step = np.zeros_like(self.y), np.zeros_like(self.y)
            most = (1 if line_search == FULL_STEPS else BACKTRACKING_FACTOR) * self.options.max_iterations
            self._solvers[line_search] = backend.make_solver(self, line_search, most)
        self._refresh = self._refresh or self._holds_factors or fresh
        self.y[:] = predictor
        self._improve = self._reuse and backend.compilable
        return backend.solve(self._solvers[line_search], line_search, fresh)

    def _compiled_newton(self, predictor: Array) -> tuple[int, int]:
        calls = self._calls
        if self._compiled is None:
            in_place = self._pattern if self.linear.in_place else None
            attempt, reuse = new_attempt()
            kept = None if self._redundant else reuse
            lu: LU = self._backend.lu() if in_place is None else BlockLU(in_place, calls.values, kept=kept)
            if self._scaling is not None:
                lu = ScaledLU(lu, *self._scaling)
            if in_place is not None and self._turning is not None:
                lu = TurnedLU(lu, self._turning)
            arrays = self._round_off_arrays
            self._compiled = CompiledNewton(
                calls, self.convergence, self.broyden, self.energy_residual, arrays, lu, attempt
            )
        if self._attempt_made:
            self._attempt_made, outcome = False, self._compiled.outcome()
        else:
            calls.y[:] = predictor
            refresh = self._refresh or (self.linear.in_place and not self._holds_factors)
            most = self.options.max_iterations
            outcome = self._compiled.solve(
                self._dt, most, self._backtracking, self._reuse, refresh, self._log
            )
        self._holds_factors = self.linear.in_place and (self._holds_factors or outcome.factorisations > 0)
        self.y[:] = calls.y
        self.seconds_assembly += 1e-9 * outcome.assembly
        if outcome.reason not in (STOPPED, equations.LINEAR_FAILURE):
            self.factorisations += outcome.factorisations
            if outcome.factorisations:
                self.jacobian_reuse.factored_for = self._dt
        return outcome.reason, outcome.iterations

    @property
    def compiled(self) -> CompiledNewton | None:
        """The compiled iteration, if the compiled loop over steps may use it; else None."""
        no_factors = self.linear.in_place and not self._holds_factors
        in_python = not self.options.compiled or LOG.isEnabledFor(logging.DEBUG)
        return None if no_factors or in_python else self._compiled

    def use_attempt_made(self) -> None:
        """Let the next call of `solve` start from the attempt that the compiled time loop has made already."""
        self._attempt_made = True

    def invalidate_factors(self) -> None:
        """Mark factors stored in the place of the matrix values as overwritten, after an evaluation of the tangent."""
        self._holds_factors = False

    def reset(self) -> None:
        """Discard the state of earlier solves, so that the next step is solved as the first one of a run."""
        self._discard_factors()
        self.jacobian_reuse.reset()

    def _discard_factors(self) -> None:
        self.jacobian_reuse.factored_for = None
        self.cautious[0] = 0

    def _failure_message(self, reason: int, snes: Any) -> str:
        if reason == equations.LINEAR_FAILURE:
            return self.linear.failure_message(snes)
        return equations.message(reason, self.convergence.update, self.options.max_iterations)


def _at_round_off(equations: Array, arrays: tuple[Any, ...]) -> bool:
    """Whether no residual is larger than what round-off of the positions and rotations causes."""
    return bool(at_round_off(equations, *arrays))
