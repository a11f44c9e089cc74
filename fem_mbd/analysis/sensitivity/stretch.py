"""Stretch of consecutive steps of a path, with their matrices factorised once for any number of directions.

`Factors` stores the factors of the matrices of several steps, and solves with them for eight right-hand sides at once.
`Directions` propagates derivatives in seven directions through the steps of a stretch, in compiled code.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fem_mbd.analysis.sensitivity.dual_scheme import DualScheme
from fem_mbd.analysis.sensitivity.recorded_run import Path
from fem_mbd.analysis.sensitivity.step_kernels import (
    FORMER_RATIO,
    Lists,
    Start,
    Unknowns,
    gather_lanes,
    propagate,
    put_row,
    repeat,
    take_row,
    take_values,
)
from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.calls import Call, CallList, Task
from fem_mbd.core.compiled.dual_numbers import WIDTH
from fem_mbd.core.linear_solvers.block_lu import BlockLU
from fem_mbd.core.linear_solvers.block_lu_solve import SIMD_WIDTH, solve_many, solve_simd
from fem_mbd.core.linear_solvers.superlu import SuperLU
from fem_mbd.core.scheme.system import System
from fem_mbd.core.solver.simulation import Simulation
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
                Call(take_row, self.clocks, self.number, system.workspace.clock),
                *calls.begin,
                Call(take_row, self.unknowns, self.number, calls.y),
                *linearising(simulation),
                *self._factors.factorise(),
                *calls.accept,
            ]
        )

    def make(self, path: Path, first: int, stop: int) -> int:
        """Factorise the matrices of steps of a path at their solutions; returns their count.

        Raises
        ------
        SolverFailure
            Where one is singular.
        """
        count = stop - first
        self.clocks[:count], self.unknowns[:count] = path.clocks[first:stop], path.unknowns[first:stop]
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


class Directions:
    """The derivatives in the components of a scheme.

    Parameters
    ----------
    scheme : seeded with the derivatives of its arrays at the start
    factorised_steps : that they are carried along
    further : calls after each step
    alike : whether each step's equations are solved as often as other directions have needed in this stretch, and
        nothing is watched; else until nothing changes

    Attributes
    ----------
    passes : solutions of a step's equations so far
    """

    def __init__(
        self, scheme: DualScheme, factorised_steps: Stretch, further: Sequence[Task] = (), alike: bool = False
    ):
        self.scheme, self._stretch = scheme, factorised_steps
        system, state = scheme.simulation.system, scheme.simulation.state
        steps, number = len(factorised_steps.clocks), factorised_steps.number
        self._clocks = np.zeros((steps, 3, WIDTH))
        y, change = scheme.y.reshape(-1), np.zeros(scheme.y.size)
        self._unknowns = Unknowns(y, change, np.asarray(system.unit, dtype=np.int64))
        self._start = Start(*(_flat(scheme.shadow.duals(array)) for array in (state.u, state.r)))
        self._scales = np.array([system.coordinates, float(system.workspace.mass.sum())])
        self._largest, self.passes, self._alike = np.zeros(WIDTH), 0, alike
        self._rows = {
            name: [(np.zeros((steps, places.size * WIDTH)), source, places) for source, places in several]
            for name, several in scheme.watched.items()
        }
        self._before = CallList(
            [
                Call(take_row, self._clocks.reshape(steps, -1), number, _flat(scheme.clock)),
                *scheme.calls["begin"],
                Call(take_values, factorised_steps.unknowns, number, y),
            ]
        )
        self._residual = CallList(scheme.calls["residual"])
        self._ending = CallList(scheme.calls["ending"])
        self._solve = CallList(factorised_steps.solve_calls(_flat(scheme.f), change))
        self._after = CallList(
            [
                *scheme.calls["record"],
                *scheme.calls["accept"],
                *(scheme.calls["measure"] if self._rows else []),
                *(
                    Call(gather_lanes, source, places.reshape(-1), number, rows)
                    for several in self._rows.values()
                    for rows, source, places in several
                ),
                *further,
            ]
        )
        self._nothing = CallList([])

    def outputs(self, count: int) -> dict[str, Array]:
        """Derivatives (count, …, DIRECTIONS) of the outputs after the first steps of the stretch, by column."""
        if self.scheme.in_python:
            return {name: array[None] for name, array in self.scheme.watch().items()}
        return {
            name: np.concatenate(
                [rows[:count].reshape(count, *places.shape, WIDTH)[..., 1:] for rows, _, places in several],
                axis=1,
            )
            for name, several in self._rows.items()
        }

    def forget(self) -> None:
        """Begin anew at the start of a path, with derivatives whose places are of the order of the model's length."""
        self._largest[:] = self._scales[0] / FORMER_RATIO

    def propagate(self, first: int, stop: int, rates: Array | float = 0.0) -> None:
        """Through steps of the stretch.

        Parameters
        ----------
        rates : (steps, 3, DIRECTIONS) derivatives of their starts, ends and lengths

        Raises
        ------
        SolverFailure
            Where the derivatives of a step are not found.
        """
        self._run(first, stop, rates, self._after)

    def solve(self, step: int, rates: Array) -> None:
        """The derivatives of the unknowns of a step with rates (3, DIRECTIONS), and no further."""
        self._run(step, step + 1, rates, self._nothing)

    def finish(self) -> None:
        """Make the end of the step that was solved the state."""
        self._after()

    def _run(self, first: int, stop: int, rates: Array | float, after: CallList) -> None:
        steps = slice(first, stop)
        self._clocks[steps, :, 0], self._clocks[steps, :, 1:] = self._stretch.clocks[steps], rates
        solutions = self._stretch.solutions
        if not self._alike:
            solutions[steps] = 0
        lists = self._before, self._residual, self._solve, self._ending, after
        tables = Lists(*(calls.table for calls in lists))
        done = propagate(
            tables, self._stretch.number, first, stop, self._unknowns, self._start, self._scales, self._largest,
            solutions,
        )  # fmt: skip
        self.passes += int(solutions[first:done].sum())
        if done == stop:
            return
        for calls in lists:
            calls.raise_error()
        time = float(self._stretch.clocks[done, 1])
        raise SolverFailure(
            f"the derivatives of the step that ends at t = {time:.9g} s were not found: at its solution the matrix of "
            "the step is nearly singular"
        )


def _flat(duals: Any) -> Array:
    """All numbers of an array of dual numbers as one vector, without a copy."""
    flat = duals.view()
    flat.shape = (duals.size,)
    return np.asarray(flat)
