"""Newton's iteration without Python: what `NewtonSolver` does with SNES and full steps, as one compiled loop.

Equations, tangent and the functions of what factorises are called by their addresses
(`fem_mbd.core.compiled.calls`) from `newton_iteration`. The iterates are those of SNES to the last bit where PETSc's
preconditioner solves the linear equations: an update is taken whole.
"""

from __future__ import annotations

import ctypes
import functools
import time
from contextlib import suppress
from typing import Any, NamedTuple, Protocol

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.calls import Call, CallList, ForeignCall, ForeignError, Task
from fem_mbd.core.newton.convergence import Convergence
from fem_mbd.core.newton.energy_residual import EnergyResidualTest
from fem_mbd.core.newton.newton_iteration import ATTEMPT, STOPPED, iterate
from fem_mbd.core.scheme.step_calls import StepCalls

MOST, REFRESH, REASON = ((ATTEMPT.names or ()).index(name) for name in ("most", "refresh", "reason"))


class Attempt(NamedTuple):
    """Outcome of one attempt."""

    reason: int
    iterations: int
    factorisations: int
    assembly: int  # ns


class LU(Protocol):
    """What factorises and solves: `BlockLU`, `PetscLU`, `SuperLU`."""

    failed: Any
    free: bool
    free_later: bool

    def factorise(self) -> list[Task]: ...

    def solve(self, f: Array, y: Array) -> list[Task]: ...


class CompiledNewton:
    """The compiled iteration of one solver.

    Parameters
    ----------
    calls : equations and tangent
    test, left : that the solver uses
    arrays : diagonal, unit, noise of `at_round_off`
    lu : of the matrix, whose values it reads

    Attributes
    ----------
    attempt : (1,) of dtype `ATTEMPT`
    task : the call that makes an attempt
    free : whether other threads may run Python meanwhile
    watch, instant : the call that reads the time into (2,) s and ns
    """

    def __init__(
        self,
        calls: StepCalls,
        test: Convergence,
        left: EnergyResidualTest,
        arrays: tuple[Any, ...],
        lu: LU,
    ):
        self._step, self._lu, self.free = np.zeros(len(calls.y)), lu, lu.free
        self.instant = np.zeros(2, dtype=np.int64)  # s and ns
        now = ForeignCall(_clock(), time.CLOCK_MONOTONIC, self.instant.ctypes.data)
        self.watch = CallList([now])
        self._lists = [
            CallList(calls.residual),
            CallList(calls.residual_after_tangent),
            CallList(calls.tangent),
            CallList(lu.factorise()),
            CallList(lu.solve(calls.f, self._step)),
            self.watch,
        ]
        self.attempt: Any = np.zeros(1, dtype=ATTEMPT)
        # the record's numbers side by side: Python writes and reads them faster than its fields
        self._dt, self._counts = self.attempt.view(np.float64), self.attempt.view(np.int64)
        tables = (one.table for one in self._lists)
        self.task = Call(
            iterate, self.attempt, *tables, self.instant, calls.after_tangent, lu.failed,
            test.test, left.left, calls.y, calls.f, self._step, test.before, left.good, *arrays,
        )  # fmt: skip
        self._run = CallList([self.task])

    def solve(self, dt: float, most: int, keep: bool, refresh: bool) -> Attempt:
        """One attempt from the predictor in ``calls.y``, with an entry of `ATTEMPT` for each argument.

        Raises
        ------
        Exception
            What a Python function among the calls has raised.
        """
        self._dt[0] = dt
        self._counts[MOST : REFRESH + 1] = most, keep, refresh
        (self._run.run_free if self.free else self._run)()
        return self.outcome()

    def outcome(self) -> Attempt:
        """What the attempt made last has led to.

        Raises
        ------
        Exception
            What a Python function among the calls has raised.
        """
        reason, iterations, factorisations, assembly = self._counts[REASON:].tolist()
        self.free = self.free or (self._lu.free_later and factorisations > 0)
        if reason == STOPPED:
            for one in self._lists:
                with suppress(ForeignError):  # PETSc's, which its own SNES will tell
                    one.raise_error()
        return Attempt(reason, iterations, factorisations, assembly)


@functools.cache
def _clock() -> int:
    """Address of the system's function that reads a clock."""
    return ctypes.cast(ctypes.CDLL(None).clock_gettime, ctypes.c_void_p).value or 0
