"""Stored factors of the matrices of several steps, and solutions with them for eight right-hand sides at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from fem_mbd.analysis.sensitivity.steps.step_kernels import put_row
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.compiled.calls import Call, CallList, Task
from fem_mbd.core.linear_solvers.block_lu import BlockLU
from fem_mbd.core.linear_solvers.block_lu_simd import SIMD_WIDTH, solve_many, solve_simd
from fem_mbd.core.linear_solvers.superlu import SuperLU
from fem_mbd.core.scheme.system import System
from fem_mbd.errors import SolverFailure


class Factors:
    """Factors of the matrix whose values a scheme's ``tangent`` has left, kept in slots.

    Parameters
    ----------
    system : whose matrix it is
    values : of it, CSR; a factorisation may overwrite them
    slots : matrices whose factors are kept

    Attributes
    ----------
    slot : (1,) where factors are put, and taken from
    """

    def __init__(self, system: System, values: Array, slots: int = 1):
        self.slot = np.zeros(1, dtype=np.int64)
        self._lu: BlockLU | SuperLU
        if system.pattern.fills_nothing:
            self._lu = BlockLU(system.pattern, values)
            self._kept = np.zeros((slots, len(values)))
            self._keep: Task = Call(put_row, values, self.slot, self._kept)
        else:
            self._lu = SuperLU(system.indptr, system.indices, values, system.elimination_work)
            self._objects: list[Any] = [None] * slots
            self._keep = self._keep_object
        self._right, self._left = np.zeros((system.size, SIMD_WIDTH)), np.zeros((system.size, SIMD_WIDTH))
        self._make = CallList(self.factorise())
        self._solve = CallList(self.solve_calls(self._right.reshape(-1), self._left.reshape(-1)))

    def factorise(self) -> list[Task]:
        """Calls that factorise the values as they are then, into a slot; `check` says whether that was possible."""
        return [*self._lu.factorise(), self._keep]

    def solve_calls(self, f: Array, y: Array) -> list[Task]:
        """Calls that solve for right sides f (8 size,), eight to each equation, and write the solutions to y."""
        if isinstance(self._lu, BlockLU):
            return [Call(solve_simd, self._kept, self.slot, self._lu.blocks, f, y)]

        def solve() -> None:
            y[:] = self._objects[self.slot[0]].solve(f.reshape(-1, SIMD_WIDTH), "T").reshape(-1)

        return [solve]

    @property
    def solves_many(self) -> bool:
        """Whether there is `solve_many_calls`."""
        return isinstance(self._lu, BlockLU)

    def solve_many_calls(self, y: Array) -> list[Task]:
        """Calls that solve for right sides y (32 size,), 32 to each equation, in their place; for `BlockLU` only."""
        assert isinstance(self._lu, BlockLU)
        return [Call(solve_many, self._kept, self.slot, self._lu.blocks, y)]

    def _keep_object(self) -> None:
        if self._lu.failed[0] == 0:
            self._objects[self.slot[0]] = self._lu.factors  # type: ignore[union-attr]

    def make(self) -> None:
        """Factorise the values as they are now.

        Raises
        ------
        SolverFailure
            When the matrix is singular.
        """
        self._make()
        self.check()

    def solve(self, right: Array) -> Array:
        """(size, k) solutions for right sides (size, k), at most eight; an array that the next call fills anew."""
        self._right[:, : right.shape[1]] = right
        self._solve()
        return self._left[:, : right.shape[1]]

    def check(self) -> None:
        """SolverFailure where a matrix was singular."""
        if self._lu.failed[0]:
            self._lu.failed[0] = 0
            raise SolverFailure(
                "the matrix of a step is singular: the derivatives of its solution are infinite"
            )


def slots_for(system: System, most: int, numbers: int) -> int:
    """How many steps' factors are kept: all of ``most``, or as many as so many numbers hold, one at least."""
    each: Indices = system.indptr
    return max(1, min(most, numbers // max(int(each[-1]), 1)))
