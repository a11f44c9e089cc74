"""Interface to the compiled Newton iteration, which replaces PETSc's SNES in `NewtonSolver`.

The kernel `newton_iteration.iterate` calls equations, tangent, factorisation and linear solve by their addresses
(`fem_mbd.core.compiled.calls`). The iterates are bitwise those of SNES where PETSc's preconditioner solves the linear
equations, where full updates are taken.
"""

from __future__ import annotations

import ctypes
import functools
import time
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.calls import Call, CallList, ForeignCall, ForeignError
from fem_mbd.core.linear_solvers.scaled import LU
from fem_mbd.core.newton.broyden import Broyden
from fem_mbd.core.newton.convergence import Convergence, Status
from fem_mbd.core.newton.energy_residual import EnergyResidualTest
from fem_mbd.core.newton.line_search import SEARCH
from fem_mbd.core.newton.newton_iteration import ATTEMPT, STOPPED, Lists, Tests, Vectors, iterate
from fem_mbd.core.scheme.step_calls import StepCalls

MAX_ITERATIONS, REUSE, LOG, REASON, ASSEMBLY, STATUS = (
    (ATTEMPT.names or ()).index(name)
    for name in ("max_iterations", "reuse", "log", "reason", "assembly", "status")
)


def new_attempt() -> tuple[Any, Any]:
    """The record of attempts, (1,) of dtype `ATTEMPT`, and its field ``reuse`` as an array (1,)."""
    attempt = np.zeros(1, dtype=ATTEMPT)
    return attempt, attempt.view(np.int64)[REUSE : REUSE + 1]


class Attempt(NamedTuple):
    """Outcome of one attempt."""

    reason: int
    iterations: int
    factorisations: int
    assembly: int  # ns


class CompiledNewton:
    """The compiled iteration of one solver.

    Parameters
    ----------
    calls : equations and tangent
    test, energy_test : convergence tests of the solver
    broyden : its history of updates
    arrays : diagonal, unit, noise of `at_round_off`
    lu : of the matrix, whose values it reads
    attempt : (1,) of dtype `ATTEMPT`, from `new_attempt`

    Attributes
    ----------
    attempt : the same
    task : the call that makes an attempt
    releases_gil : whether other threads may run Python during an attempt
    timer, timestamp : the call that reads the clock, and its result (2,), s and ns
    """

    def __init__(
        self,
        calls: StepCalls,
        test: Convergence,
        broyden: Broyden,
        energy_test: EnergyResidualTest,
        arrays: tuple[Any, ...],
        lu: LU,
        attempt: Any,
    ):
        self._step, self._lu, self.releases_gil = np.zeros(len(calls.y)), lu, lu.releases_gil
        self.timestamp = np.zeros(2, dtype=np.int64)  # s and ns
        now = ForeignCall(_clock_gettime(), time.CLOCK_MONOTONIC, self.timestamp.ctypes.data)
        self.timer = CallList([now])
        self._lists = [
            CallList(calls.residual),
            CallList(calls.residual_after_tangent),
            CallList(calls.tangent),
            CallList(lu.factorise()),
            CallList(lu.solve(calls.f, self._step)),
            self.timer,
        ]
        self.attempt = attempt
        # views of the record as arrays: Python reads and writes them faster than its fields
        self._dt, self._counts = self.attempt.view(np.float64), self.attempt.view(np.int64)
        self._log = partial(_report, self._counts, calls.f, test)
        # table of one call, empty until iterations are logged: a call of a function of Python is a reference cycle,
        # which delays the release of this object
        self._report, self._reporting = np.zeros_like(self.timer.table), CallList([])
        *tables, timer = (one.table for one in self._lists)
        set_by_calls = self.timestamp, calls.after_tangent, lu.failed
        lists = Lists(*(*tables, self._report, timer, *set_by_calls))
        search: Any = np.zeros(1, dtype=SEARCH)
        tests = Tests(search, test.test, energy_test.record, broyden.history, broyden.updates, broyden.weight)
        vectors = Vectors(
            calls.y, calls.f, self._step, test.before, energy_test.best, np.zeros(len(calls.y)), *arrays
        )
        self.task = Call(iterate, self.attempt, lists, tests, vectors)
        self._run = CallList([self.task])

    def solve(
        self, dt: float, max_iterations: int, backtracking: bool, reuse: bool, refresh: bool, log: bool
    ) -> Attempt:
        """One attempt from the predictor in ``calls.y``; the arguments are fields of `ATTEMPT`.

        Raises
        ------
        Exception
            An exception of a Python function among the calls.
        """
        if log and not self._reporting.table.size:
            self._reporting = CallList([self._log])
            self._report[:] = self._reporting.table
        self._dt[0] = dt
        self._counts[MAX_ITERATIONS : LOG + 1] = max_iterations, backtracking, reuse, refresh, log
        (self._run.run_without_gil if self.releases_gil else self._run)()
        self._counts[LOG] = 0
        return self.outcome()

    def outcome(self) -> Attempt:
        """Outcome of the last attempt.

        Raises
        ------
        Exception
            An exception of a Python function among the calls.
        """
        reason, iterations, factorisations, assembly = self._counts[REASON : ASSEMBLY + 1].tolist()
        self.releases_gil = self.releases_gil or (self._lu.releases_gil_later and factorisations > 0)
        if reason == STOPPED:
            for one in self._lists:
                with suppress(ForeignError):  # an error of PETSc, which its own SNES will report
                    one.raise_error()
        return Attempt(reason, iterations, factorisations, assembly)


def _report(counts: Any, f: Array, test: Convergence) -> None:
    """Report the iteration that `iterate` has written to the record of attempts."""
    iteration, status = counts[STATUS - 1 :].tolist()
    test.log(iteration, float(np.linalg.norm(f)), Status(status))


@functools.cache
def _clock_gettime() -> int:
    """Address of the system's function that reads a clock."""
    return ctypes.cast(ctypes.CDLL(None).clock_gettime, ctypes.c_void_p).value or 0
