"""Outputs and their derivatives by a parameter: reductions of histories, as in sweeps, or functions of a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from fem_mbd.analysis.sensitivity.tangents import Tangents
from fem_mbd.applications.gradients.shifted import derivative
from fem_mbd.applications.sweeps.outputs import Quantities, check_outputs
from fem_mbd.applications.sweeps.reduction import POINCARE, REDUCTIONS, Reduction
from fem_mbd.base.arrays import Array
from fem_mbd.errors import InputError
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.results.store import Source

Output = Reduction | Callable[[Result], float]


def checked(of: Mapping[str, Any], quantities: Quantities) -> dict[str, Output]:
    """Outputs by name, parsed and checked against the model.

    Parameters
    ----------
    of : name to a text as of a sweep's outputs, or to a function of a result that gives a number
    quantities : of the model's parts

    Raises
    ------
    InputError
        For texts that are not a reduction of a history, and names that the model does not have.
    """
    if not isinstance(of, Mapping):
        raise InputError(
            f"outputs (of) are {of!r}: give names with outputs, e.g. {{'peak': 'max(Q.normal_force)'}}"
        )
    texts = {name: text for name, text in of.items() if isinstance(text, str)}
    checked_outputs: dict[str, Output] = {}
    reductions = check_outputs(texts, quantities)
    for name, output in of.items():
        if callable(output):
            checked_outputs[name] = output
            continue
        reduction = reductions.get(name)
        if not isinstance(reduction, Reduction) or reduction.name == POINCARE:
            raise InputError(
                f"output {name} = {output!r}: give a number from a history, REDUCTION(PART.QUANTITY), e.g. "
                "max(Q.normal_force), or a function of a result that gives a number"
            )
        checked_outputs[name] = reduction
    return checked_outputs


def value(output: Output, result: Result) -> float:
    """Value of an output."""
    number = np.asarray(output.of(result) if isinstance(output, Reduction) else output(result), dtype=float)
    if number.shape != ():
        raise InputError(
            f"an output is an array of shape {number.shape}: give a function of a result that returns one number"
        )
    return float(number)


def slope(output: Output, source: Source, tangents: Tangents) -> float:
    """Derivative of an output by a parameter, from ``tangents``, those of the recorded outputs."""
    if not isinstance(output, Reduction):
        return float(derivative(source, tangents, output))
    if output.name not in RULES:
        return float(derivative(source, tangents, output.of))
    result = Result(source)
    times, values, constant = output.history(result)
    vectors = output.vectors(result)
    changes = derivative(source, tangents, output.vectors).reshape(vectors.shape)
    by = by_values(output, result, times, values, constant)
    return float(by @ (by_component(vectors) * changes).sum(axis=1)) + slope_by_times(
        output, source, tangents
    )


def slope_by_times(output: Output, source: Source, tangents: Tangents) -> float:
    """Derivative of an output by the times of its history alone, where steps end at events that move."""
    if tangents.ends is None or not tangents.ends.any():
        return 0.0
    function = output.of if isinstance(output, Reduction) else output
    return float(derivative(source, replace(tangents, initial={}, history={}), function))


def by_values(output: Reduction, result: Result, times: Array, values: Array, constant: bool) -> Array:
    """(k,) derivatives of a reduction by the values (k,) of its history."""
    by, selected = np.zeros(len(times)), output.selected(times)
    own = RULES[output.name](*output.window(result, times, values, constant))
    by[selected] = own[1:]
    by[np.flatnonzero(selected)[0]] += own[0]
    return by


def by_component(vectors: Array) -> Array:
    """(k, numbers) derivatives of the reduced scalar, the number or the vector's length, by vectors (k, numbers)."""
    if vectors.shape[1] == 1:
        return np.ones_like(vectors)
    size = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, size, out=np.zeros_like(vectors), where=size > 0.0)


def _unit_at(y: Array, index: Any) -> Array:
    unit = np.zeros_like(y)
    unit[index] = 1.0
    return unit


def _mean(t: Array, y: Array, constant: bool) -> Array:
    weights = np.zeros_like(y)
    if len(t) < 2:
        return _unit_at(y, -1)
    share = np.diff(t) / (t[-1] - t[0])
    weights[1:] += share if constant else 0.5 * share
    weights[:-1] += 0.0 if constant else 0.5 * share
    return weights


def _rms(t: Array, y: Array, constant: bool) -> Array:
    size = REDUCTIONS["rms"](t, y, constant)
    return _mean(t, y, constant) * y / size if size > 0.0 else np.zeros_like(y)


def _absmax(t: Array, y: Array, constant: bool) -> Array:
    index = np.abs(y).argmax()
    return float(np.sign(y[index])) * _unit_at(y, index)


# derivatives (k,) of a reduction by the values: functions of times (k,), values (k,), and whether the values are
# constant over a step; the time of an extreme is constant to first order
RULES: dict[str, Callable[[Array, Array, bool], Array]] = {
    "max": lambda t, y, c: _unit_at(y, y.argmax()),
    "min": lambda t, y, c: _unit_at(y, y.argmin()),
    "absmax": _absmax,
    "range": lambda t, y, c: _unit_at(y, y.argmax()) - _unit_at(y, y.argmin()),
    "final": lambda t, y, c: _unit_at(y, -1),
    "mean": _mean,
    "integral": lambda t, y, c: _mean(t, y, c) * float(t[-1] - t[0]),
    "rms": _rms,
    "std": lambda t, y, c: _rms(t, y - REDUCTIONS["mean"](t, y, c), c),
}
