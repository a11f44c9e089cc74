"""Newton's iteration without Python: what `NewtonSolver` does with SNES and full steps, as one compiled loop.

Equations, tangent and PETSc's functions are called by their addresses (`fem_mbd.compiled.calls`) from
`newton_iteration`. The iterates are those of SNES to the last bit: PETSc's preconditioner solves the linear equations,
an update is taken whole.
"""

from __future__ import annotations

import ctypes
import functools
import time
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from fem_mbd.compiled.calls import Call, CallList, ForeignCall, ForeignError, Task
from fem_mbd.linear_solvers.block_lu import BlockLU
from fem_mbd.linear_solvers.petsc import library, petsc
from fem_mbd.newton.convergence import Convergence
from fem_mbd.newton.newton_iteration import ATTEMPT, STOPPED, iterate
from fem_mbd.newton.work_left import WorkLeft
from fem_mbd.scheme.matrix.pattern import Pattern
from fem_mbd.scheme.step_calls import StepCalls

MOST, REFRESH, REASON = ((ATTEMPT.names or ()).index(name) for name in ("most", "refresh", "reason"))
FINAL_ASSEMBLY = 0  # PETSc's MAT_FINAL_ASSEMBLY


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
    test, left : that the solver uses
    arrays : diagonal, unit, noise of `at_round_off`
    matrix, preconditioner : PETSc's; the matrix reads the values
    pattern : of the matrix, to factorise it by `BlockLU`; None: by PETSc

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
        left: WorkLeft,
        arrays: tuple[Any, ...],
        matrix: Any,
        preconditioner: Any,
        pattern: Pattern | None = None,
    ):
        P = petsc()
        preconditioner.setOperators(matrix)
        self._step, self._failed = np.zeros(len(calls.y)), np.zeros(1, dtype=np.int32)
        self.instant = np.zeros(2, dtype=np.int64)  # s and ns
        now = _call("clock_gettime", time.CLOCK_MONOTONIC, self.instant.ctypes.data)
        self.watch = CallList([now])
        f, step = (P.Vec().createWithArray(a, comm=P.COMM_SELF) for a in (calls.f, self._step))
        self.vectors = [f, step]  # whoever makes this object destroys them
        self._kept = (matrix, preconditioner)
        if pattern is None:
            pc = preconditioner.handle
            why = _call("PCGetFailedReason", pc, self._failed.ctypes.data)
            assembly = [_call(f"MatAssembly{end}", matrix.handle, FINAL_ASSEMBLY) for end in ("Begin", "End")]
            self.free, self._own_lu = False, preconditioner.getFactorSolverType() == "petsc"
            factorise: list[Task] = [*assembly, _call("PCSetUp", pc), why]
            solve: list[Task] = [_call("PCApply", pc, f.handle, step.handle), why]
        else:
            self.free = self._own_lu = True
            own = BlockLU(pattern, calls.values, self._failed)
            factorise, solve = own.factorise(), own.solve(calls.f, self._step)
        self._lists = [
            CallList(calls.residual),
            CallList(calls.residual_after_tangent),
            CallList(calls.tangent),
            CallList(factorise),
            CallList(solve),
            self.watch,
        ]
        self.attempt: Any = np.zeros(1, dtype=ATTEMPT)
        # the record's numbers side by side: Python writes and reads them faster than its fields
        self._dt, self._counts = self.attempt.view(np.float64), self.attempt.view(np.int64)
        tables = (one.table for one in self._lists)
        self.task = Call(
            iterate, self.attempt, *tables, self.instant, calls.after_tangent, self._failed,
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
        # PETSc has made all its objects, which several threads must not do at a time
        self.free = self.free or (self._own_lu and factorisations > 0)
        if reason == STOPPED:
            for one in self._lists:
                with suppress(ForeignError):  # PETSc's, which its own SNES will tell
                    one.raise_error()
        return Attempt(reason, iterations, factorisations, assembly)


def _call(name: str, *words: int) -> ForeignCall:
    """A function of PETSc."""
    return ForeignCall(_address(name), *words)


@functools.cache
def _address(name: str) -> int:
    return ctypes.cast(getattr(library(), name), ctypes.c_void_p).value or 0
