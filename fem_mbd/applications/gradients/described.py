"""Derivatives of outputs by the model description that views use: a beam's stations, section axes, offsets.

A view computes an output from recorded quantities and from the model's description, which a parameter may change as
well: a blade's pitch rotates the axes in which its root moment is given. This part of the derivative is a central
difference of fourth order between descriptions of changed models, whose runs are not needed. It is evaluated only for
outputs that depend on the description.
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

PARAMETER_RANGE = 2e-3  # of a parameter's size, to both sides


class _Described:
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
    """Derivatives of each output by each parameter, the recorded rows being kept; 0.0 where there are none.

    Parameters
    ----------
    build : makes a simulation from the values of the parameters
    values : of the parameters by name
    source : of the run
    outputs : functions of a result that give a number or an array
    scale : size of a parameter by name where its value is zero
    """
    sizes = {name: (scale or {}).get(name, abs(value)) for name, value in values.items()}

    def described(moved: Mapping[str, float]) -> Result:
        of_moved: Any = _Described(source, build({**values, **moved}).system.describe())
        return Result(of_moved)

    found: list[list[Any]] = [[0.0] * len(values) for _ in outputs]
    changing = _changing(outputs, described, values, sizes)
    if not changing:
        return found
    for column, (name, value) in enumerate(values.items()):
        step = PARAMETER_RANGE / 2.0 * sizes[name]
        results = [described({name: value + k * step}) for k in (1, -1, 2, -2)]
        for row in changing:
            a, b, c, d = (np.asarray(outputs[row](one), dtype=float) for one in results)
            found[row][column] = (8.0 * (a - b) - (c - d)) / (12.0 * step)
    return found


def _changing(
    outputs: Sequence[Callable[[Result], Any]],
    described: Callable[[Mapping[str, float]], Result],
    values: Mapping[str, float],
    sizes: Mapping[str, float],
) -> list[int]:
    """Which outputs change with the description when all parameters move at once."""
    try:
        moved = described({name: value + PARAMETER_RANGE * sizes[name] for name, value in values.items()})
        still = described({})
        return [k for k, output in enumerate(outputs) if not np.array_equal(output(moved), output(still))]
    except InputError:  # together they are no model, or none that is recorded in the same way
        return list(range(len(outputs)))
