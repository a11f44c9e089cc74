"""Propagation of derivatives in seven directions through the steps of a stretch, in compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fem_mbd.analysis.sensitivity.dual_scheme import DualScheme
from fem_mbd.analysis.sensitivity.steps.step_kernels import (
    FORMER_RATIO,
    Lists,
    Start,
    Unknowns,
    gather_lanes,
    propagate,
    take_row,
    take_values,
)
from fem_mbd.analysis.sensitivity.steps.stretch import Stretch
from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.calls import Call, CallList, Task
from fem_mbd.core.compiled.duals.number import WIDTH
from fem_mbd.errors import SolverFailure


class Directions:
    """The derivatives in the components of a scheme.

    Parameters
    ----------
    scheme : seeded with the derivatives of its arrays at the start
    stretch : that they are carried along
    further : calls after each step
    alike : whether each step's equations are solved as often as other directions have needed in this stretch, and
        nothing is watched; else until nothing changes

    Attributes
    ----------
    passes : solutions of a step's equations so far
    """

    def __init__(
        self, scheme: DualScheme, stretch: Stretch, further: Sequence[Task] = (), alike: bool = False
    ):
        self.scheme, self._stretch = scheme, stretch
        system, state = scheme.simulation.system, scheme.simulation.state
        steps, number = len(stretch.clocks), stretch.number
        self._clocks = np.zeros((steps, 3, WIDTH))
        y, change = scheme.y.reshape(-1), np.zeros(scheme.y.size)
        self._unknowns = Unknowns(y, change, np.asarray(system.unit, dtype=np.int64))
        self._start = Start(*(_flat(scheme.shadow.duals(one)) for one in (state.u, state.r)))
        self._scales = np.array([system.coordinates, float(system.work.mass.sum())])
        self._largest, self.passes, self._alike = np.zeros(WIDTH), 0, alike
        self._rows = {
            name: [(np.zeros((steps, own.size * WIDTH)), source, own) for source, own in several]
            for name, several in scheme.watched.items()
        }
        self._before = CallList(
            [
                Call(take_row, self._clocks.reshape(steps, -1), number, _flat(scheme.clock)),
                *scheme.calls["begin"],
                Call(take_values, stretch.unknowns, number, y),
            ]
        )
        self._residual = CallList(scheme.calls["residual"])
        self._ending = CallList(scheme.calls["ending"])
        self._solve = CallList(stretch.solve_calls(_flat(scheme.f), change))
        self._after = CallList(
            [
                *scheme.calls["record"],
                *scheme.calls["accept"],
                *(scheme.calls["measure"] if self._rows else []),
                *(
                    Call(gather_lanes, source, own.reshape(-1), number, rows)
                    for several in self._rows.values()
                    for rows, source, own in several
                ),
                *further,
            ]
        )
        self._nothing = CallList([])

    def outputs(self, count: int) -> dict[str, Array]:
        """Derivatives (count, …, DIRECTIONS) of the outputs after the first steps of the stretch, by column."""
        if self.scheme.in_python:
            return {name: one[None] for name, one in self.scheme.watch().items()}
        return {
            name: np.concatenate(
                [rows[:count].reshape(count, *own.shape, WIDTH)[..., 1:] for rows, _, own in several], axis=1
            )
            for name, several in self._rows.items()
        }

    def forget(self) -> None:
        """Begin anew at the start of a path, with derivatives whose places are of the order of the model's length."""
        self._largest[:] = self._scales[0] / FORMER_RATIO

    def propagate(self, first: int, behind: int, rates: Array | float = 0.0) -> None:
        """Through steps of the stretch.

        Parameters
        ----------
        rates : (steps, 3, DIRECTIONS) derivatives of their starts, ends and lengths

        Raises
        ------
        SolverFailure
            Where the derivatives of a step are not found.
        """
        self._run(first, behind, rates, self._after)

    def solve(self, step: int, rates: Array) -> None:
        """The derivatives of the unknowns of a step with rates (3, DIRECTIONS), and no further."""
        self._run(step, step + 1, rates, self._nothing)

    def finish(self) -> None:
        """Make the end of the step that was solved the state."""
        self._after()

    def _run(self, first: int, behind: int, rates: Array | float, after: CallList) -> None:
        own = slice(first, behind)
        self._clocks[own, :, 0], self._clocks[own, :, 1:] = self._stretch.clocks[own], rates
        solutions = self._stretch.solutions
        if not self._alike:
            solutions[own] = 0
        lists = self._before, self._residual, self._solve, self._ending, after
        tables = Lists(*(one.table for one in lists))
        done = propagate(
            tables, self._stretch.number, first, behind, self._unknowns, self._start, self._scales, self._largest,
            solutions,
        )  # fmt: skip
        self.passes += int(solutions[first:done].sum())
        if done == behind:
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
