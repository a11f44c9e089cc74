"""Many directions carried along the steps of a stretch by the matrices of each step.

    x' = -(dR/dx)^-1 dR/ds s',    s+' = dA/ds s' + dA/dx x'

The matrices are found once in each step, by directions whose number depends on how the parts are connected only
(`columns`); each direction of the state costs a solution and three sparse products, 32 directions at a time.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.analysis.sensitivity.matrices.matrix_kernels import BLOCK_COLUMNS
from fem_mbd.analysis.sensitivity.matrices.step_matrices import STATE, UNKNOWN, StepMatrices
from fem_mbd.analysis.sensitivity.steps.step_kernels import repeat, take_row
from fem_mbd.analysis.sensitivity.steps.stretch import Stretch
from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.calls import Call, CallList, Task
from fem_mbd.core.scheme.array_kernels import clear, copy
from fem_mbd.core.solver.simulation import Simulation


class Propagation:
    """Directions of states through stretches.

    Parameters
    ----------
    simulation : of the model, made within `one_by_one`

    Attributes
    ----------
    matrices : of its steps
    """

    def __init__(self, simulation: Simulation):
        self.matrices = StepMatrices(simulation)
        self._of_step = [*self.matrices.calls(), *self.matrices.keep_end()]

    def worthwhile(self, count: int, stretch: Stretch, at_once: int) -> bool:
        """Whether so many directions cost less than by dual numbers, ``at_once`` of them at a time.

        These evaluate a step twice each time, and solve; products and solutions of 32 directions take as long.
        """
        passes, blocks = -(-count // at_once), -(-count // BLOCK_COLUMNS)
        return (
            self.matrices.exact
            and stretch.solves_many
            and 2 * passes > self.matrices.evaluations + 2 * blocks
        )

    def carry(self, stretch: Stretch, count: int, start: Array, directions: Array) -> Array:
        """(numbers, k) directions behind the first steps of a stretch, reactions left out.

        Parameters
        ----------
        stretch : whose factors have been made
        count : of the steps
        start : the state before the first one
        directions : (numbers, k) of the state, in its `Numbers`
        """
        matrices, many = self.matrices, -(-directions.shape[1] // BLOCK_COLUMNS)
        size, unknowns = matrices.numbers.size, len(matrices.unknowns)
        whole = np.zeros((many, size, BLOCK_COLUMNS))
        for k, block in enumerate(whole):
            some = directions[:, BLOCK_COLUMNS * k : BLOCK_COLUMNS * (k + 1)]
            block[:, : some.shape[1]] = some
        blocks, ends, right = (
            whole.reshape(many, -1),
            np.zeros(size * BLOCK_COLUMNS),
            np.zeros(unknowns * BLOCK_COLUMNS),
        )
        tasks: list[Task] = [
            Call(take_row, stretch.clocks, stretch.number, matrices.clock),
            Call(take_row, stretch.unknowns, stretch.number, matrices.unknowns),
            *self._of_step,
        ]
        for block in blocks:
            tasks += [
                Call(clear, right),
                matrices.equations[STATE].times(block, right),
                *stretch.solve_many_calls(right),
                Call(clear, ends),
                matrices.ends[STATE].times(block, ends),
                matrices.ends[UNKNOWN].times(right, ends, -1),
                Call(copy, ends, block),
            ]
        matrices.start[:] = start
        calls = CallList(tasks)
        if not repeat(calls.table, stretch.number, 0, count):
            calls.raise_error()
        found = np.moveaxis(whole, 0, 1).reshape(size, -1)[:, : directions.shape[1]].copy()
        found[matrices.numbers.of_reactions] = 0.0
        return found
