"""Outputs of a gradient and their derivatives: reductions of histories, as in sweeps, or functions of a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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

Wanted = Reduction | Callable[[Result], float]


def checked(of: Mapping[str, Any], quantities: Quantities) -> dict[str, Wanted]:
    """Outputs by name, read and held against the model.

    Parameters
    ----------
    of : name to a text as of a sweep's outputs, or to a function of a result that gives a number
    quantities : of the model's parts

    Raises
    ------
    InputError
        For texts that are no reduction of a history, and for names that the model does not have.
    """
    if not isinstance(of, Mapping):
        raise InputError(
            f"outputs (of) are {of!r}: give names with outputs, e.g. {{'peak': 'max(Q.normal_force)'}}"
        )
    texts = {name: text for name, text in of.items() if isinstance(text, str)}
    found: dict[str, Wanted] = {}
    read = check_outputs(texts, quantities)
    for name, output in of.items():
        if callable(output):
            found[name] = output
            continue
        reduction = read.get(name)
        if not isinstance(reduction, Reduction) or reduction.name == POINCARE:
            raise InputError(
                f"output {name} = {output!r}: give a number from a history, REDUCTION(PART.QUANTITY), e.g. "
                "max(Q.normal_force), or a function of a result that gives a number"
            )
        found[name] = reduction
    return found


def value(output: Wanted, result: Result) -> float:
    """Of an output."""
    found = output.of(result) if isinstance(output, Reduction) else output(result)
    number = np.asarray(found, dtype=float)
    if number.shape != ():
        raise InputError(
            f"an output is an array of shape {number.shape}: give a function of a result that returns one number"
        )
    return float(number)


def slope(output: Wanted, source: Source, along: Tangents) -> float:
    """Derivative of an output by the parameter that outputs change ``along``."""
    if not isinstance(output, Reduction):
        return float(derivative(source, along, output))
    if output.name not in RULES:
        return float(derivative(source, along, output.of))
    result = Result(source)
    times, values, constant = output.history(result)
    vectors = output.vectors(result)
    changes = derivative(source, along, output.vectors).reshape(vectors.shape)
    by = by_values(output, result, times, values, constant)
    return float(by @ (by_component(output, vectors) * changes).sum(axis=1))


def by_values(output: Reduction, result: Result, times: Array, values: Array, constant: bool) -> Array:
    """(k,) derivatives of a reduction by the values (k,) of its history."""
    by, late = np.zeros(len(times)), output.late(times)
    own = RULES[output.name](*output.window(result, times, values, constant))
    by[late] = own[1:]
    by[np.flatnonzero(late)[0]] += own[0]
    return by


def by_component(output: Reduction, vectors: Array) -> Array:
    """(k, numbers) derivatives of what is reduced, a component or the length, by vectors (k, numbers)."""
    if output.component is not None or vectors.shape[1] == 1:
        found = np.zeros_like(vectors)
        found[:, output.component or 0] = 1.0
        return found
    size = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, size, out=np.zeros_like(vectors), where=size > 0.0)


def _one(y: Array, place: Any) -> Array:
    found = np.zeros_like(y)
    found[place] = 1.0
    return found


def _mean(t: Array, y: Array, constant: bool) -> Array:
    found = np.zeros_like(y)
    if len(t) < 2:
        return _one(y, -1)
    share = np.diff(t) / (t[-1] - t[0])
    found[1:] += share if constant else 0.5 * share
    found[:-1] += 0.0 if constant else 0.5 * share
    return found


def _rms(t: Array, y: Array, constant: bool) -> Array:
    size = REDUCTIONS["rms"](t, y, constant)
    return _mean(t, y, constant) * y / size if size > 0.0 else np.zeros_like(y)


def _absmax(t: Array, y: Array, constant: bool) -> Array:
    place = np.abs(y).argmax()
    return float(np.sign(y[place])) * _one(y, place)


# name of a reduction: (times (k,), values (k,), whether constant over a step) to the number's derivatives (k,) by the
# values. The place of an extreme stays: there the first derivative by it is zero
RULES: dict[str, Callable[[Array, Array, bool], Array]] = {
    "max": lambda t, y, c: _one(y, y.argmax()),
    "min": lambda t, y, c: _one(y, y.argmin()),
    "absmax": _absmax,
    "range": lambda t, y, c: _one(y, y.argmax()) - _one(y, y.argmin()),
    "final": lambda t, y, c: _one(y, -1),
    "mean": _mean,
    "integral": lambda t, y, c: _mean(t, y, c) * float(t[-1] - t[0]),
    "rms": _rms,
    "std": lambda t, y, c: _rms(t, y - REDUCTIONS["mean"](t, y, c), c),
}
