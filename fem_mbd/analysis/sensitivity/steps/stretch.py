"""Stretch of consecutive steps of a path, with their matrices factorised once for any number of directions."""

from __future__ import annotations

import numpy as np

from fem_mbd.analysis.sensitivity.path import Path
from fem_mbd.analysis.sensitivity.steps.factors import Factors
from fem_mbd.analysis.sensitivity.steps.step_kernels import repeat, take_row
from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.calls import Call, CallList, Task
from fem_mbd.core.scheme.system import System
from fem_mbd.core.solver.simulation import Simulation

NUMBERS = 2_000_000  # of matrices whose factors are kept
NEAR = 500_000  # numbers that stay in a processor's caches until all directions have used them
MAX_STEPS = 64  # steps at once


def most_steps(system: System, numbers: int = NUMBERS) -> int:
    """How many steps a stretch has, at most: their matrices have no more than so many numbers."""
    return max(1, min(MAX_STEPS, numbers // max(int(system.indptr[-1]), 1)))


class Stretch:
    """Clocks, unknowns and factors of steps, whose number counts from the first of them.

    Parameters
    ----------
    simulation : at the start of the first stretch; it is taken along by `make`
    most : steps

    Attributes
    ----------
    number : (1,) of a step
    clocks, unknowns : (most, 3), (most, size)
    solutions : (most,) how often the equations of each step had to be solved
    made : factorisations so far
    """

    def __init__(self, simulation: Simulation, most: int):
        calls, system = simulation.scheme.calls, simulation.system
        self.clocks, self.unknowns = np.zeros((most, 3)), np.zeros((most, system.size))
        self.solutions = np.zeros(most, dtype=np.int64)
        self._factors = Factors(system, calls.values, most)
        self.number, self.made = self._factors.slot, 0
        self._list = CallList(
            [
                Call(take_row, self.clocks, self.number, system.work.clock),
                *calls.begin,
                Call(take_row, self.unknowns, self.number, calls.y),
                *linearising(simulation),
                *self._factors.factorise(),
                *calls.accept,
            ]
        )

    def make(self, path: Path, first: int, behind: int) -> int:
        """Factorise the matrices of steps of a path at their solutions; returns their count.

        Raises
        ------
        SolverFailure
            Where one is singular.
        """
        count = behind - first
        self.clocks[:count], self.unknowns[:count] = path.clocks[first:behind], path.unknowns[first:behind]
        if not repeat(self._list.table, self.number, 0, count):
            self._list.raise_error()
        self._factors.check()
        self.solutions[:] = 0
        self.made += count
        return count

    def solve_calls(self, f: Array, y: Array) -> list[Task]:
        """As of `Factors`, with those of the step ``number``."""
        return self._factors.solve_calls(f, y)

    @property
    def solves_many(self) -> bool:
        """As of `Factors`."""
        return self._factors.solves_many

    def solve_many_calls(self, y: Array) -> list[Task]:
        """As of `Factors`, with those of the step ``number``."""
        return self._factors.solve_many_calls(y)


def linearising(simulation: Simulation) -> list[Task]:
    """Calls that put the matrix of a step at its unknowns into the values, with the stresses there.

    They begin with those at the start of the step; evaluated at the same place once more they are those of it.
    """
    calls = simulation.scheme.calls
    return [*calls.residual, *calls.residual_after_tangent, *calls.tangent]
