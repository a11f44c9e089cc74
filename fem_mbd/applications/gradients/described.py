"""Derivatives of outputs through the model description that views use: a beam's stations, section axes, offsets.

A view computes an output from recorded quantities and from the model's description, on which a parameter may have an
effect too: a blade's pitch rotates the axes of its root moment. This part of the derivative is a fourth-order central
difference between descriptions of changed models, which need not be run. It is computed only for outputs that depend on
the description.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.errors import InputError
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.results.store import Source

PARAMETER_RANGE = 2e-3  # largest change of a parameter, relative to its size


class _WithDescription:
    """The recorded rows of a run with the description of another model."""

    def __init__(self, source: Source, model: Mapping[str, Any]):
        self._source, self.info = source, replace(source.info, model=dict(model))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)


def by_description(
    build: Callable[[Mapping[str, float]], Simulation],
    values: Mapping[str, float],
    source: Source,
    outputs: Sequence[Callable[[Result], Any]],
    scale: Mapping[str, float] | None = None,
) -> list[list[Any]]:
    """Derivatives of each output by each parameter, with constant recorded rows; 0.0 where an output does not change.

    Parameters
    ----------
    build : creates a simulation from the values of the parameters
    values : of the parameters by name
    source : of the run
    outputs : functions of a result that give a number or an array
    scale : size of a parameter by name where its value is zero
    """
    sizes = {name: (scale or {}).get(name, abs(value)) for name, value in values.items()}

    def result_of(changed: Mapping[str, float]) -> Result:
        changed_source: Any = _WithDescription(source, build({**values, **changed}).system.describe())
        return Result(changed_source)

    derivatives: list[list[Any]] = [[0.0] * len(values) for _ in outputs]
    dependent = _dependent_outputs(outputs, result_of, values, sizes)
    if not dependent:
        return derivatives
    for column, (name, value) in enumerate(values.items()):
        step = PARAMETER_RANGE / 2.0 * sizes[name]
        results = [result_of({name: value + k * step}) for k in (1, -1, 2, -2)]
        for row in dependent:
            a, b, c, d = (np.asarray(outputs[row](result), dtype=float) for result in results)
            derivatives[row][column] = (8.0 * (a - b) - (c - d)) / (12.0 * step)
    return derivatives


def _dependent_outputs(
    outputs: Sequence[Callable[[Result], Any]],
    result_of: Callable[[Mapping[str, float]], Result],
    values: Mapping[str, float],
    sizes: Mapping[str, float],
) -> list[int]:
    """Indices of the outputs that change with the description when all parameters change at once."""
    try:
        changed = result_of({name: value + PARAMETER_RANGE * sizes[name] for name, value in values.items()})
        unchanged = result_of({})
        return [
            k for k, output in enumerate(outputs) if not np.array_equal(output(changed), output(unchanged))
        ]
    except InputError:  # the changes together give no valid model, or one with other records
        return list(range(len(outputs)))
