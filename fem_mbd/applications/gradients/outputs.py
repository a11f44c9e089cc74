"""Outputs of a gradient and their derivatives: reductions of histories, as in sweeps, or functions of a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from fem_mbd.analysis.sensitivity.tangents import Tangents
from fem_mbd.applications.gradients.shifted import derivative
from fem_mbd.applications.sweeps.outputs import Quantities, check_outputs
from fem_mbd.applications.sweeps.reduction import POINCARE, Reduction
from fem_mbd.applications.sweeps.reductions import REDUCTIONS
from fem_mbd.base.arrays import Array
from fem_mbd.errors import InputError
from fem_mbd.runs.results.recorded import Source
from fem_mbd.runs.results.result import Result

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
            f"an output is an array of shape {number.shape}: give a function that makes one number of a result"
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
    late = times > output.after if np.isfinite(output.after) else np.ones(len(times), bool)
    scalars = _of_scalar(output, vectors, changes)
    return float(RULES[output.name](times[late], values[late], scalars[late], constant))


def _of_scalar(output: Reduction, vectors: Array, changes: Array) -> Array:
    """(k,) changes of the component, or of the length of vectors (k, numbers)."""
    if output.component is not None:
        return np.asarray(changes[:, output.component])
    if vectors.shape[1] == 1:
        return np.asarray(changes[:, 0])
    size = np.linalg.norm(vectors, axis=1)
    along = np.einsum("ki,ki->k", vectors, changes)
    return np.divide(along, size, out=np.zeros_like(along), where=size > 0.0)


def _mean(t: Array, y: Array, constant: bool) -> float:
    return REDUCTIONS["mean"](t, y, constant)


def _of_rms(t: Array, y: Array, dy: Array, constant: bool) -> float:
    size = REDUCTIONS["rms"](t, y, constant)
    return _mean(t, y * dy, constant) / size if size > 0.0 else 0.0


def _of_std(t: Array, y: Array, dy: Array, constant: bool) -> float:
    return _of_rms(t, y - _mean(t, y, constant), dy - _mean(t, dy, constant), constant)


# name of a reduction: (times, values, their changes, whether constant over a step) to the change of the number. The
# place of an extreme stays: there the first derivative by it is zero
RULES: dict[str, Callable[[Array, Array, Array, bool], float]] = {
    "max": lambda t, y, dy, c: float(dy[y.argmax()]),
    "min": lambda t, y, dy, c: float(dy[y.argmin()]),
    "absmax": lambda t, y, dy, c: float(np.sign(y[np.abs(y).argmax()]) * dy[np.abs(y).argmax()]),
    "range": lambda t, y, dy, c: float(dy[y.argmax()] - dy[y.argmin()]),
    "final": lambda t, y, dy, c: float(dy[-1]),
    "mean": lambda t, y, dy, c: _mean(t, dy, c),
    "integral": lambda t, y, dy, c: REDUCTIONS["integral"](t, dy, c),
    "rms": _of_rms,
    "std": _of_std,
}
