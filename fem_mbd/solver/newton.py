"""The step's nonlinear equations solved with PETSc SNES (Newton's method with a direct or Krylov linear solver).

The matrix values are a numpy array that PETSc reads in place. PETSc options with the prefix ``fem_mbd_`` reach the
SNES, KSP and PC, e.g. ``-fem_mbd_ksp_type gmres -fem_mbd_pc_type lu``.

Newton stops on an estimate of what is left of the error: with theta the ratio of the last two updates, theta /
(1 - theta) times the last update, measured separately for lengths and angles against the motion of the step. A stiff
model and a tiny one are judged alike, and a slow linear convergence (a lagged factorisation) is not mistaken for
the end.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem_mbd.arrays import Array, Indices
from fem_mbd.compiled import kernel
from fem_mbd.solver.newton_options import NewtonOptions
from fem_mbd.solver.petsc import petsc

__all__ = ["NewtonOptions", "NewtonResult", "NewtonSolver"]

PREFIX = "fem_mbd_"
LARGE = 60_000  # unknowns
FULL_STEPS, BACKTRACKING = "basic", "bt"  # PETSc line searches
CAUTION = 20  # solves that begin with backtracking after one that needed it
LINEAR_TIGHTENING = 1e-2
ROUND_OFF = 1e-15  # of a length or of a radian: updates below this that
STALLED = 0.5  # shrink by no more than this factor are noise
LINEAR_FAILURE, TOO_MANY_ITERATIONS = -3, -5  # SNES reasons
OTHER_FAILURES = {
    -4: "the equations have no finite value at the iterate",
    -6: "the line search found no smaller residual along Newton's direction",
    -8: "the iteration is caught where the residual has a minimum that is not zero",
    -9: "Newton diverged",
}


@dataclass
class NewtonResult:
    """Outcome of one solve: converged or why not (a sentence), and the work it took."""

    converged: bool
    iterations: int
    factorisations: int
    reason: str = ""
    updates: Array = field(default_factory=lambda: np.zeros(3))


@kernel
def _largest(y: Array, unit: Indices, out: Array) -> None:
    """Largest magnitudes among lengths, angles and multipliers; NaN counts as infinite."""
    out[0] = out[1] = out[2] = 0.0
    for i in range(y.shape[0]):
        m = abs(y[i])
        if not (m <= 1e300):
            m = np.inf
        if m > out[unit[i]]:
            out[unit[i]] = m


@kernel
def _progress(step: Array, iterate: Array, unit: Indices, update: Array, motion: Array) -> bool:
    """Largest entries of the update and of the iterate; False when one is not finite or turns by a thousand rad."""
    _largest(step, unit, update)
    _largest(iterate, unit, motion)
    # a SNES type without line search, set by an option, does not fill the step: it must not pass for converged
    step[:] = np.nan
    return max(update[0], update[1], update[2]) < np.inf and update[1] <= 1e3


class NewtonSolver:
    """SNES over a fixed sparsity; ``residual(y, f)`` fills f, ``tangent()`` returns the matrix values at the last y."""

    def __init__(
        self,
        indptr: NDArray[np.int32],
        indices: NDArray[np.int32],
        unit: Indices,
        length: float,
        residual: Callable[[Array, Array], None],
        tangent: Callable[[], Array],
        options: NewtonOptions,
    ):
        self.petsc = petsc()
        self.options, self.unit, self.length = options, unit, length
        self._residual, self._tangent = residual, tangent
        size = len(indptr) - 1
        self.size = size
        self.y, self.values = np.zeros(size), np.zeros(len(indices))
        self._iterate, self._step = np.zeros(size), np.zeros(size)
        self.update, self.previous_update, self.motion = np.zeros(3), np.zeros(3), np.zeros(3)
        self._factored_for: float | None = None
        self._refresh, self._reuse = True, False
        self.factorisations = 0
        self.seconds_assembly = 0.0
        P = self.petsc
        indptr, indices = (np.ascontiguousarray(a, dtype=P.IntType) for a in (indptr, indices))
        self.matrix = P.Mat().createAIJWithArrays(
            (size, size), (indptr, indices, self.values), comm=P.COMM_SELF
        )
        self.vector = P.Vec().createWithArray(self.y, comm=P.COMM_SELF)
        self.function = P.Vec().createSeq(size)
        native = options.linear_solver in ("auto", "lu") and not self._is_large()
        self.package = "petsc" if native else "mumps"
        self._solvers: dict[str, Any] = {}
        self._cautious = 0

    def _is_large(self) -> bool:
        """Whether MUMPS beats the native factorisation; that one is several times faster for short chains."""
        return self.options.linear_solver == "auto" and self.size > LARGE

    def _solver(self, line_search: str) -> Any:
        """The SNES with that line search, made when first asked for."""
        if line_search not in self._solvers:
            self._solvers[line_search] = self._make_solver(line_search)
        return self._solvers[line_search]

    def _make_solver(self, line_search: str) -> Any:
        P = self.petsc
        prefix = PREFIX if line_search == FULL_STEPS else PREFIX + "cautious_"
        snes = P.SNES().create(P.COMM_SELF)
        snes.setOptionsPrefix(prefix)
        self._default_option(prefix, "snes_linesearch_type", line_search)
        snes.setType("newtonls")
        snes.setFunction(self._petsc_function, self.function)
        snes.setJacobian(self._petsc_jacobian, self.matrix)
        snes.setConvergenceTest(self._petsc_converged)
        snes.setLineSearchPreCheck(self._petsc_update)
        patience = 1 if line_search == FULL_STEPS else 3
        # stol: a line search that fails by shrinking its step to nothing must not count as convergence
        snes.setTolerances(stol=0.0, max_it=patience * self.options.max_iterations)
        ksp = snes.getKSP()
        ksp.setType("preonly")
        pc = ksp.getPC()
        pc.setType("lu")
        pc.setFactorSolverType(self.package)
        if self.package == "petsc":
            # the system numbers its equations for this: band-reducing, multipliers behind their nodes (`numbering`)
            pc.setFactorOrdering(P.Mat.OrderingType.NATURAL)
        else:
            # finds null pivots instead of dividing by them
            self._default_option(prefix, "mat_mumps_icntl_24", "1")
        snes.setFromOptions()
        return snes

    def _default_option(self, prefix: str, name: str, value: str) -> None:
        """Set a PETSc option unless the user has."""
        options = self.petsc.Options(prefix)
        if not options.hasName(name):
            options.setValue(name, value)

    # -- one solve ------------------------------------------------------------------------------------------

    def solve(self, predictor: Array, dt: float) -> NewtonResult:
        """Solve from the predictor; on success `self.y` is the solution and the residual was evaluated there last."""
        before, iterations, reason = self.factorisations, 0, 0
        for line_search, reuse in self._strategies():
            reason, more = self._attempt(predictor, dt, line_search, reuse)
            iterations += more
            if reason == LINEAR_FAILURE and self._switch_to_pivoting():
                reason, more = self._attempt(predictor, dt, line_search, False)
                iterations += more
            if reason > 0:
                self._cautious = (
                    CAUTION if line_search == BACKTRACKING and not self._cautious else self._cautious
                )
                break
        self._cautious = max(self._cautious - 1, 0)
        result = NewtonResult(
            reason > 0, iterations, self.factorisations - before, updates=self.update.copy()
        )
        if reason <= 0:
            self.forget()
            result.reason = self._reason or self._say(reason)
        return result

    def _strategies(self) -> Iterator[tuple[str, bool]]:
        """What to try before the step is called a failure: line search, and whether factorisations are kept."""
        if self._cautious == 0:
            if self.options.reuse:
                yield FULL_STEPS, True
            yield FULL_STEPS, False
        # friction that reverses within a step makes full steps cycle, at any step size
        yield BACKTRACKING, False

    def _switch_to_pivoting(self) -> bool:
        """After a zero pivot in the order of the native factorisation: MUMPS, which pivots, for the rest of the run."""
        if self.package != "petsc" or self.options.linear_solver != "auto":
            return False
        self.package = "mumps"
        self._solvers.clear()
        return True

    def _attempt(self, predictor: Array, dt: float, line_search: str, reuse: bool) -> tuple[int, int]:
        snes = self._solver(line_search)
        self.y[:] = predictor
        self._reuse = reuse
        self._refresh = not (reuse and self.options.reuse is True and self._factored_for == dt)
        self._dt = dt
        self._reason = ""
        snes.solve(None, self.vector)
        return snes.getConvergedReason(), snes.getIterationNumber()

    def forget(self) -> None:
        """Drop what is remembered of earlier solves, so that the next step starts as a fresh run would."""
        self._factored_for = None
        self._cautious = 0

    def _say(self, reason: int) -> str:
        if reason == LINEAR_FAILURE:
            return "the linear solver failed: the tangent is singular"
        if reason == TOO_MANY_ITERATIONS:
            kinds = ("lengths", "angles", "multipliers")
            worst = int(np.argmax(np.where(np.isfinite(self.update[:2]), self.update[:2], np.inf)))
            return (
                f"no convergence in {self.options.max_iterations} iterations; "
                f"the last update of {kinds[worst]} was {self.update[worst]:.1e}"
            )
        return OTHER_FAILURES.get(reason, f"PETSc's SNES stopped with its reason {reason}")

    # -- callbacks ------------------------------------------------------------------------------------------

    def _petsc_function(self, snes: Any, x: Any, f: Any) -> None:
        start = time.perf_counter()
        y = x.array_r
        self._iterate[:] = y
        self._residual(y, f.array_w)
        self.seconds_assembly += time.perf_counter() - start

    def _petsc_jacobian(self, snes: Any, x: Any, a: Any, p: Any) -> None:
        if not self._refresh:
            return
        start = time.perf_counter()
        self.values[:] = self._tangent()
        p.assemble()
        self.seconds_assembly += time.perf_counter() - start
        self.factorisations += 1
        self._factored_for = self._dt
        self._refresh = not self._reuse

    def _petsc_update(self, x: Any, update: Any) -> bool:
        """Keep Newton's update before a line search shortens it: how little it was let go says nothing of the error."""
        self._step[:] = update.array_r
        return False

    def _petsc_converged(self, snes: Any, iteration: int, norms: tuple[float, float, float]) -> Any:
        reasons = self.petsc.SNES.ConvergedReason
        if not isfinite(norms[2]):
            self._reason = "the equations have no finite value at the iterate"
            return reasons.DIVERGED_FNORM_NAN
        if iteration == 0:
            return reasons.ITERATING
        self.previous_update, self.update = self.update, self.previous_update
        if not _progress(self._step, self._iterate, self.unit, self.update, self.motion):
            self._reason = "Newton diverged"
            return reasons.DIVERGED_DTOL
        return self._judge(iteration)

    def _judge(self, iteration: int) -> Any:
        reasons = self.petsc.SNES.ConvergedReason
        # with a kept factorisation the last update converged linearly, whatever the ones before it did
        tightening = LINEAR_TIGHTENING if self._reuse else 1.0
        done, slow = True, False
        update, previous, motion = self.update.tolist(), self.previous_update.tolist(), self.motion.tolist()
        for k, size in ((0, self.length), (1, 1.0)):
            round_off = ROUND_OFF * size
            wanted = tightening * (self.options.tolerance * motion[k] + round_off)
            theta, left = 1.0, update[k]
            if iteration > 1 and previous[k] > 0:
                theta = update[k] / previous[k]
                left *= min(theta / max(1 - theta, 0.1), 1.0)
            stalled = update[k] <= round_off and theta > STALLED
            done = done and (left <= wanted or stalled)
            slow = slow or (
                iteration > 1 and theta > self.options.reuse_rate and update[k] > wanted + round_off
            )
        if done:
            return reasons.CONVERGED_SNORM_RELATIVE
        if slow:
            self._refresh = True
        return reasons.ITERATING
