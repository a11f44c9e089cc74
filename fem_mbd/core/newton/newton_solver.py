"""The step's nonlinear equations solved by Newton's method: compiled, with PETSc's SNES, or without PETSc.

The matrix values are a numpy array that PETSc or SuperLU reads in place.

The logger ``fem_mbd.core.newton`` tells every iteration at level DEBUG.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.linear_solvers.block_lu import BlockLU
from fem_mbd.core.linear_solvers.petsc import has_petsc
from fem_mbd.core.newton import failures
from fem_mbd.core.newton.compiled_newton import CompiledNewton
from fem_mbd.core.newton.convergence import Convergence
from fem_mbd.core.newton.energy_residual import EnergyResidualTest
from fem_mbd.core.newton.equations import StepEquations
from fem_mbd.core.newton.jacobian_reuse import Reuse, factorisation_cost
from fem_mbd.core.newton.newton_iteration import NOISE, STOPPED, at_round_off
from fem_mbd.core.newton.newton_options import NewtonOptions
from fem_mbd.core.newton.newton_result import NewtonResult
from fem_mbd.core.newton.petsc_backend import BACKTRACKING, FULL_STEPS, PetscBackend
from fem_mbd.core.newton.scipy_backend import ScipyBackend
from fem_mbd.core.newton.snes_callbacks import LOG, SnesCallbacks
from fem_mbd.core.scheme.step_calls import StepCalls

__all__ = ["NewtonOptions", "NewtonResult", "NewtonSolver", "StepEquations"]


CAUTION = 20  # solves that begin with backtracking after one that needed it


class NewtonSolver(SnesCallbacks):
    """Newton's method over a fixed sparsity; ``calls`` : the step's, for the compiled iteration."""

    def __init__(self, step: StepEquations, options: NewtonOptions, calls: StepCalls | None = None):
        self.options = options
        self._residual, self._tangent = step.residual, step.tangent
        unit, length, size = step.unit, step.length, len(step.unit)
        self._calls = calls
        self.y = np.zeros(size)
        # those of the step are read in place
        self.values = np.zeros(len(step.indices)) if calls is None else calls.values
        self._iterate, self._step, self.equations = (np.zeros(size) for _ in range(3))
        self.energy_residual = EnergyResidualTest(size)
        # no PETSc object outlives this solver
        backend = PetscBackend if has_petsc() and options.linear_solver != "scipy" else ScipyBackend
        self._backend: PetscBackend | ScipyBackend = backend(
            step, self.values, self.y, self.equations, options
        )
        self.linear = self._backend.linear
        self._pattern = step.pattern
        self._holds_factors = False  # the values: those of `BlockLU`
        cost = factorisation_cost(size, step.work, self.linear.in_place)
        self.choice = Reuse(options.reuse, cost, not step.redundant)
        self._diagonal = np.zeros(size) if calls is None else calls.diagonal
        # noise: of a row over its diagonal entry
        self._rows = (self._diagonal, unit, NOISE * np.array([length, 1.0, length])[unit])
        self._refresh, self._reuse = True, False
        self.factorisations = 0
        self.seconds_assembly = 0.0
        # no method of this solver, which would hold itself then and wait for the garbage collector
        check = partial(_at_round_off, self.equations, self._rows)
        self.convergence = Convergence(unit, length, options, step.inertia, check)
        self._solvers: dict[str, Any] = {}
        self._compiled: CompiledNewton | None = None
        self._begun = False  # the next attempt has been made already, by `fem_mbd.core.solver.time_loop`
        self._cautious = 0
        self._dt, self._backtracking = 0.0, False
        self._log = False

    def _make_solver(self, line_search: str) -> Any:
        """The iteration with that line search: PETSc's SNES, where PETSc is used."""
        patience = 1 if line_search == FULL_STEPS else 3
        return self._backend.make_solver(self, line_search, patience * self.options.max_iterations)

    # -- one solve ------------------------------------------------------------------------------------------

    def solve(self, predictor: Array, dt: float, keep: bool = True) -> NewtonResult:
        """Solve from the predictor; on success `self.y` is the solution and the residual was evaluated there last.

        ``keep`` False factorises anew in every iteration: for a step unlike the ones before it.
        """
        before, iterations, reason = self.factorisations, 0, 0
        for line_search, reuse in self._strategies(keep):
            reason, more = self._attempt(predictor, dt, line_search, reuse)
            iterations += more
            while reason == failures.LINEAR_FAILURE and self.linear.recover(self._solvers.get(line_search)):
                self._solvers.clear()
                self._compiled = None
                reason, more = self._attempt(predictor, dt, line_search, False)
                iterations += more
            if reason > 0:
                self._cautious = (
                    CAUTION if line_search == BACKTRACKING and not self._cautious else self._cautious
                )
                break
        self._cautious = max(self._cautious - 1, 0)
        result = NewtonResult(reason > 0, iterations, self.factorisations - before)
        self.choice.learn(result.iterations, result.factorisations)
        if reason <= 0:
            self._start_afresh()
            result.reason = self._say(reason, self._solvers.get(line_search))
        return result

    def _strategies(self, keep: bool) -> Iterator[tuple[str, bool]]:
        """What to try before the step is called a failure: line search, and whether factorisations are kept."""
        if self._cautious == 0:
            if keep and self.choice.way:
                yield FULL_STEPS, True
            yield FULL_STEPS, False
        # friction that reverses within a step makes full steps cycle, at any step size
        yield BACKTRACKING, False

    def _attempt(
        self, predictor: Array, dt: float, line_search: str, reuse: bool, last: bool = False
    ) -> tuple[int, int]:
        self._reuse = reuse
        self._refresh = not reuse or self.choice.due(dt)
        self._dt, self._backtracking = dt, line_search == BACKTRACKING
        self._log = LOG.isEnabledFor(logging.DEBUG)
        reason, iterations = self._newton(predictor, line_search)
        if self.energy_residual.has_good and reason > 0:
            reason = self._take_good(self.energy_residual.good)
        elif self.energy_residual.has_good:
            reason, more = self._go_on(dt, last)
            iterations += more
        if self._log:
            LOG.debug("dt %.6g s, line search %s: reason %d after %d", dt, line_search, reason, iterations)
        return reason, iterations

    def _go_on(self, dt: float, last: bool) -> tuple[int, int]:
        """From where Newton has converged but leaves work, and does not get further; ends there unless that is worse.

        Where that was the last iteration allowed, the work has had none yet. And backtracking looks at the norm of all
        equations: once that is the round-off of the stiff ones it shortens or refuses updates that would make the work
        that the others leave much less, where full steps do not ask. ``last``: this was such an attempt already.
        """
        good, left, iterations = self.energy_residual.good.copy(), self.energy_residual.work, 0
        if not last:
            reason, iterations = self._attempt(good, dt, FULL_STEPS, False, last=True)
            if reason > 0 and self.energy_residual.work <= left:
                return reason, iterations
        return self._take_good(good), iterations

    def _take_good(self, good: Array) -> int:
        """End at ``good`` (size,), where Newton had converged; the reason of that."""
        self.y[:] = good
        self._residual(self.y, self.equations)
        return failures.CONVERGED

    def _newton(self, predictor: Array, line_search: str) -> tuple[int, int]:
        """Newton's iterations; the reason why they ended, numbered as those of SNES, and how many they were."""
        if line_search == FULL_STEPS and self._calls is not None and not self._log and self._may_compile():
            with self._backend.package_options(line_search, self._compiled is None):
                reason, iterations = self._compiled_newton(self._calls, predictor)
            if reason not in ((STOPPED, failures.LINEAR_FAILURE) if self._backend.tells else (STOPPED,)):
                return reason, iterations
        # the way of SNES, also to hear from PETSc what went wrong
        fresh = line_search not in self._solvers
        self._refresh = self._refresh or self._holds_factors or fresh
        self.y[:] = predictor
        solver = self._solvers[line_search] = self._solvers.get(line_search) or self._make_solver(line_search)
        return self._backend.solve(solver, line_search, fresh)

    def _may_compile(self) -> bool:
        """Whether the compiled iteration may take the place of SNES."""
        return self._compiled is not None or (self.options.compiled and self._backend.compiles)

    def _compiled_newton(self, calls: StepCalls, predictor: Array) -> tuple[int, int]:
        if self._compiled is None:
            in_place = self._pattern if self.linear.in_place else None
            lu = self._backend.lu() if in_place is None else BlockLU(in_place, calls.values)
            self._compiled = CompiledNewton(calls, self.convergence, self.energy_residual, self._rows, lu)
        if self._begun:
            self._begun, outcome = False, self._compiled.outcome()
        else:
            calls.y[:] = predictor
            refresh = self._refresh or (self.linear.in_place and not self._holds_factors)
            outcome = self._compiled.solve(self._dt, self.options.max_iterations, self._reuse, refresh)
        self._holds_factors = self.linear.in_place and (self._holds_factors or outcome.factorisations > 0)
        self.y[:] = calls.y
        self.seconds_assembly += 1e-9 * outcome.assembly
        if outcome.reason not in (STOPPED, failures.LINEAR_FAILURE):
            self.factorisations += outcome.factorisations
            self.choice.factored_for = self._dt if outcome.factorisations else self.choice.factored_for
        return outcome.reason, outcome.iterations

    @property
    def compiled(self) -> CompiledNewton | None:
        """The compiled iteration, where it would serve the next step and nothing before it."""
        factors_lost = self.linear.in_place and not self._holds_factors
        serves = self._cautious == 0 and not factors_lost and not LOG.isEnabledFor(logging.DEBUG)
        return self._compiled if serves else None

    def take_over(self) -> None:
        """The next call of `solve` begins with what the compiled iteration has led to already."""
        self._begun = True

    def lose_factors(self) -> None:
        """The matrix values are made anew elsewhere: factors that were kept in their place are no more."""
        self._holds_factors = False

    def forget(self) -> None:
        """Drop what is remembered of earlier solves, so that the next step starts as a fresh run would."""
        self._start_afresh()
        self.choice.forget()

    def _start_afresh(self) -> None:
        self.choice.factored_for = None
        self._cautious = 0

    def _say(self, reason: int, snes: Any) -> str:
        if reason == failures.LINEAR_FAILURE:
            return self.linear.say(snes)
        return failures.say(reason, self.convergence.update, self.options.max_iterations)


def _at_round_off(equations: Array, rows: tuple[Any, ...]) -> bool:
    """Whether no equation is missed by more than the round-off of the places and turns that it is made of."""
    return bool(at_round_off(equations, *rows))
