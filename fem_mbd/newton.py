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
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem_mbd.compiled import kernel
from fem_mbd.petsc import petsc

Array = NDArray[np.float64]
PREFIX = "fem_mbd_"
LARGE = 60_000  # unknowns
LINEAR_FAILURE, TOO_MANY_ITERATIONS = -3, -5  # SNES reasons


@dataclass(frozen=True)
class NewtonOptions:
    """How the equations of a step are solved.

    tolerance : estimated remaining error relative to the motion of the step
    max_iterations : of one attempt; more is a failure, which halves the step
    linear_solver : "auto" (native LU for chain-like systems of moderate size, else MUMPS), "lu", "mumps", or "options"
        to leave KSP and PC to the PETSc options alone
    reuse : keep the factorisation from step to step while Newton converges at least by `reuse_rate` per iteration
    """

    tolerance: float = 1e-10
    max_iterations: int = 15
    linear_solver: str = "auto"
    reuse: bool = False
    reuse_rate: float = 0.2


@dataclass
class NewtonResult:
    """Outcome of one solve: converged or why not (a sentence), and the work it took."""

    converged: bool
    iterations: int
    factorisations: int
    reason: str = ""
    updates: Array = field(default_factory=lambda: np.zeros(3))


@kernel
def _largest(y: Array, unit: NDArray[np.int64], out: Array) -> None:
    """Largest magnitudes among lengths, angles and multipliers; NaN counts as infinite."""
    out[0] = out[1] = out[2] = 0.0
    for i in range(y.shape[0]):
        m = abs(y[i])
        if not (m <= 1e300):
            m = np.inf
        if m > out[unit[i]]:
            out[unit[i]] = m


class NewtonSolver:
    """SNES over a fixed sparsity; ``residual(y, f)`` fills f, ``tangent()`` returns the matrix values at the last y."""

    def __init__(
        self,
        indptr: NDArray[np.int32],
        indices: NDArray[np.int32],
        unit: NDArray[np.int64],
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
        self._before, self._step = np.zeros(size), np.zeros(size)
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
        self._make_solver("petsc" if native else "mumps")

    def _is_large(self) -> bool:
        """Whether MUMPS beats the native factorisation; that one is several times faster for short chains."""
        return self.options.linear_solver == "auto" and self.size > LARGE

    def _make_solver(self, package: str) -> None:
        P = self.petsc
        self.package = package
        snes = self.snes = P.SNES().create(P.COMM_SELF)
        snes.setOptionsPrefix(PREFIX)
        # full Newton steps: the extrapolated stresses of the tangent count on them
        self._default_option("snes_linesearch_type", "basic")
        snes.setType("newtonls")
        snes.setFunction(self._petsc_function, self.function)
        snes.setJacobian(self._petsc_jacobian, self.matrix)
        snes.setConvergenceTest(self._petsc_converged)
        snes.setTolerances(max_it=self.options.max_iterations)
        ksp = snes.getKSP()
        ksp.setType("preonly")
        pc = ksp.getPC()
        pc.setType("lu")
        pc.setFactorSolverType(package)
        if package == "petsc":
            # the system numbers its equations for this: band-reducing, multipliers behind their nodes (`numbering`)
            pc.setFactorOrdering(P.Mat.OrderingType.NATURAL)
        else:
            self._default_option("mat_mumps_icntl_24", "1")  # finds null pivots instead of dividing by them
        snes.setFromOptions()

    def _default_option(self, name: str, value: str) -> None:
        """Set a PETSc option unless the user has."""
        options = self.petsc.Options(PREFIX)
        if not options.hasName(name):
            options.setValue(name, value)

    # -- one solve ------------------------------------------------------------------------------------------

    def solve(self, predictor: Array, dt: float) -> NewtonResult:
        """Solve from the predictor; on success `self.y` is the solution and the residual was evaluated there last."""
        before = self.factorisations
        reason, iterations = self._attempt(predictor, dt, self.options.reuse)
        if reason <= 0 and self.options.reuse:
            # a factorisation that was kept too long is no reason to make the step smaller
            reason, more = self._attempt(predictor, dt, False)
            iterations += more
        if reason == LINEAR_FAILURE and self.package == "petsc" and self.options.linear_solver == "auto":
            # a zero pivot in the order of the native factorisation: MUMPS pivots, and stays for the rest of the run
            self._make_solver("mumps")
            reason, more = self._attempt(predictor, dt, False)
            iterations += more
        result = NewtonResult(
            reason > 0, iterations, self.factorisations - before, updates=self.update.copy()
        )
        if reason <= 0:
            self.forget()
            result.reason = self._reason or self._say(reason)
        return result

    def _attempt(self, predictor: Array, dt: float, reuse: bool) -> tuple[int, int]:
        self.y[:] = predictor
        self._reuse = reuse
        self._refresh = not (reuse and self._factored_for == dt)
        self._dt = dt
        self._reason = ""
        self.snes.solve(None, self.vector)
        return self.snes.getConvergedReason(), self.snes.getIterationNumber()

    def forget(self) -> None:
        """Drop the kept factorisation, so that the next step starts as a fresh run would."""
        self._factored_for = None

    def _say(self, reason: int) -> str:
        if reason == LINEAR_FAILURE:
            return f"the linear solver failed ({self.snes.getKSP().getConvergedReason()}): the tangent is singular"
        if reason == TOO_MANY_ITERATIONS:
            kinds = ("lengths", "angles", "multipliers")
            worst = int(np.argmax(np.where(np.isfinite(self.update[:2]), self.update[:2], np.inf)))
            return (
                f"no convergence in {self.options.max_iterations} iterations; "
                f"the last update of {kinds[worst]} was {self.update[worst]:.1e}"
            )
        return f"SNES stopped with reason {reason}"

    # -- callbacks ------------------------------------------------------------------------------------------

    def _petsc_function(self, snes: Any, x: Any, f: Any) -> None:
        start = time.perf_counter()
        y = x.array_r
        np.subtract(y, self._before, out=self._step)
        self._before[:] = y
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

    def _petsc_converged(self, snes: Any, iteration: int, norms: tuple[float, float, float]) -> Any:
        reasons = self.petsc.SNES.ConvergedReason
        if not np.isfinite(norms[2]):
            self._reason = "the equations have no finite value at the iterate"
            return reasons.DIVERGED_FNORM_NAN
        if iteration == 0:
            return reasons.ITERATING
        self.previous_update, self.update = self.update, self.previous_update
        _largest(self._step, self.unit, self.update)
        _largest(self._before, self.unit, self.motion)
        if not np.isfinite(self.update).all() or self.update[1] > 1e3:
            self._reason = "Newton diverged"
            return reasons.DIVERGED_DTOL
        return self._judge(iteration)

    def _judge(self, iteration: int) -> Any:
        reasons = self.petsc.SNES.ConvergedReason
        floor = (1e-15 * self.length, 1e-15)
        done = True
        slow = False
        for k in (0, 1):
            allowed = self.options.tolerance * self.motion[k] + floor[k]
            theta = 1.0
            if iteration > 1 and self.previous_update[k] > 0:
                theta = self.update[k] / self.previous_update[k]
                slow = slow or (theta > self.options.reuse_rate and self.update[k] > allowed)
            left = self.update[k] * min(theta / max(1 - theta, 0.1), 1.0) if iteration > 1 else self.update[k]
            done = done and left <= allowed
        if done:
            return reasons.CONVERGED_SNORM_RELATIVE
        if slow:
            self._refresh = True
        return reasons.ITERATING
