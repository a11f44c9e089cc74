"""Derivatives of a run's outputs by any number of parameters by adjoints, several outputs in each backward pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from fem_mbd.analysis.sensitivity.adjoint import Adjoint, Weights
from fem_mbd.analysis.sensitivity.events import end_rates
from fem_mbd.analysis.sensitivity.growth import LARGEST, AdjointGrowth
from fem_mbd.analysis.sensitivity.path import Path
from fem_mbd.analysis.sensitivity.setup import Build, SetUp
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.compiled.duals.number import WIDTH

OUTPUTS_PER_PASS = WIDTH - 1  # outputs; the last component is that of `AdjointGrowth`


@dataclass(frozen=True, eq=False)
class Rows:
    """Derivatives of an output by the recorded numbers that it is made of.

    Attributes
    ----------
    of : of each row, 0 before the first step and k after step k: columns, indices of their numbers, and derivatives by
        these
    """

    of: dict[int, list[tuple[str, Indices, Array]]] = field(default_factory=dict)

    @property
    def columns(self) -> set[str]:
        """Names of the recorded outputs."""
        return {column for row in self.of.values() for column, *_ in row}


def adjoint_gradients(
    build: Build,
    path: Path,
    outputs: Sequence[Rows],
    values: Mapping[str, float],
    scales: Mapping[str, float] | None = None,
    largest_growth: float = LARGEST,
) -> tuple[Array, Array]:
    """(outputs, parameters) derivatives of outputs of a run at fixed times of the steps' ends, and (steps, parameters)
    those of these times, which events move.

    Parameters
    ----------
    build : makes the simulation from the values of the parameters
    path : of its run at ``values``; its steps are kept
    outputs : to differentiate
    values : of the parameters by name
    scales : size of a parameter by name where its value is zero
    largest_growth : of a small change up to the end, beyond which derivatives are refused

    Raises
    ------
    InputError
        For runs, parameters and outputs without derivatives.
    BeyondHorizon
        Where a chaotic motion has made them useless.
    SolverFailure
        Where those of a step are not found.
    """
    setup, names = SetUp(build, values, scales or {}), list(values)
    ends = end_rates(path, setup.breakpoints, setup.breakpoint_rates, names, len(names))
    found = []
    for first in range(0, len(outputs), OUTPUTS_PER_PASS):
        some = outputs[first : first + OUTPUTS_PER_PASS]
        weights = together(some, len(path) + 1)
        adjoint = Adjoint(setup.simulation, path, weights, build(values), setup)
        growth = AdjointGrowth(adjoint.numbers, float(path.ends[-1]), largest_growth)
        for number, state in adjoint.steps(growth.end()):
            growth.check(float(path.clocks[number][0]), state)
        found.append(adjoint.of_parameters[:, : len(some)].T)
    return np.concatenate(found), ends


def together(outputs: Sequence[Rows], rows: int) -> list[list[Weights]]:
    """Of each of so many rows the derivatives of several outputs, one to a component."""
    found: list[list[Weights]] = [[] for _ in range(rows)]
    for component, output in enumerate(outputs):
        for row, several in output.of.items():
            for column, entries, by in several:
                values = np.zeros((len(entries), WIDTH))
                values[:, component] = by
                found[row].append(Weights(column, entries, values))
    return found
