"""Outputs of a run and their derivatives: reductions of histories, as in sweeps, or functions of a result.

`derivative` differentiates a function of a result by one parameter. Quantities computed from recorded outputs
(components, lengths of vectors, angles, section forces, load channels) are computed by the same views from outputs
shifted along their derivatives, with both signs. The derivative is their fourth-order central difference, which is
exact where outputs enter linearly. The run is not repeated.

`slope` is the derivative of an output by a parameter. `rows_of` has the derivatives of an output by the recorded
numbers from which it is computed, for the adjoint method; views are differentiated in the same way. Bisection finds the
recorded numbers on which an output depends: all are changed, then each half of them, and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from fem_mbd.analysis.sensitivity.adjoint import Rows, WithoutAdjoint
from fem_mbd.analysis.sensitivity.forward import Tangents
from fem_mbd.applications.sweeps.outputs import POINCARE, REDUCTIONS, Quantities, Reduction, check_outputs
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.errors import InputError
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.results.store import Source

SHIFT_RATIO = 1e-3  # largest shift of an output, relative to its largest number
GROUP = "outputs/"
TIMES = {"steps/time": False, "steps/dt": True}  # columns of the steps' ends, and of their lengths


class ReadTracker:
    """A source that records which outputs are read.

    Attributes
    ----------
    columns : their names
    rows_read : the rows read of each, counted from 1; 0 is the one before the first step
    """

    def __init__(self, source: Source):
        self._source, self.info = source, source.info
        self.columns: set[str] = set()
        self.rows_read: dict[str, set[int]] = {}

    def read(self, name: str, rows: slice) -> np.ndarray:
        """Read from the source, and record the access."""
        if name.startswith(GROUP):
            column = name.removeprefix(GROUP)
            self.columns.add(column)
            known = range(*rows.indices(self._source.rows(name)))
            self.rows_read.setdefault(column, set()).update(row + 1 for row in known)
        return self._source.read(name, rows)

    def initial(self, key: str) -> np.ndarray:
        """Read from the source, and record the access."""
        self.rows_read.setdefault(key, set()).add(0)
        return self._source.initial(key)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)


class Shifted:
    """A source whose outputs are those of another one, shifted by an amount of a parameter.

    Parameters
    ----------
    source : of the run
    along : derivatives of its outputs
    amount : of the parameter
    """

    def __init__(self, source: Source, along: Tangents, amount: float):
        self._source, self.info = source, source.info
        self._along, self._amount = along, amount

    def read(self, name: str, rows: slice) -> np.ndarray:
        """Rows of a column."""
        values = self._source.read(name, rows)
        if name in TIMES and self._along.ends is not None:
            ends = self._along.ends
            moved = np.diff(ends, prepend=0.0) if TIMES[name] else ends
            return values + self._amount * moved[rows]
        along = self._along.history.get(name.removeprefix(GROUP)) if name.startswith(GROUP) else None
        return values if along is None else self._shift(values, along[rows])

    def initial(self, key: str) -> np.ndarray:
        """An output before the first step."""
        values, along = self._source.initial(key), self._along.initial.get(key)
        return values if along is None else self._shift(values, along)

    def _shift(self, values: Any, along: Array) -> Any:
        if values.dtype.names:
            flat = np.ascontiguousarray(values).view(np.float64).reshape(along.shape)
            return (flat + self._amount * along).view(values.dtype)[..., 0]
        return values + self._amount * along

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)


def shift_amount(source: Source, along: Tangents) -> float:
    """Amount of the parameter for which all outputs change by a small fraction only."""
    share = 0.0
    for name, changes in along.history.items():
        values: Any = source.read(f"{GROUP}{name}", slice(len(changes)))
        values = np.ascontiguousarray(values).view(np.float64) if values.dtype.names else values
        largest = float(np.abs(changes).max(initial=0.0))
        size = float(np.abs(values).max(initial=0.0))
        share = max(share, largest / size if size > 0.0 else largest)
    if along.ends is not None:
        times: Any = source.read("steps/time", slice(None))
        moved, lengths = np.diff(along.ends, prepend=0.0), np.diff(times, prepend=source.info.start_time)
        share = max(share, float((np.abs(moved) / lengths).max(initial=0.0)))
    return SHIFT_RATIO / share if share > 0.0 else SHIFT_RATIO


def derivative(source: Source, along: Tangents, of: Callable[[Result], Any]) -> Any:
    """Derivative of a function of a result: a number or an array.

    Parameters
    ----------
    source : of the run
    along : derivatives of its outputs by a parameter
    of : the function
    """
    amount = shift_amount(source, along)

    def at(steps: int) -> Any:
        return np.asarray(of(Result(Shifted(source, along, steps * amount))), dtype=float)

    return (8.0 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12.0 * amount)


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
    by_window = RULES[output.name](*output.window(result, times, values, constant))
    by[selected] = by_window[1:]
    by[np.flatnonzero(selected)[0]] += by_window[0]
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


MAX_NUMBERS = 64  # largest number of recorded numbers on which an output without a rule may depend
ROW_TOLERANCE = 1e-6  # relative tolerance of an output's derivative as a sum over independent rows


def rows_of(name: str, output: Output, source: Source) -> Rows:
    """Derivatives of an output by recorded numbers.

    Parameters
    ----------
    name : of the output
    output : a reduction, or a function of a result
    source : of the run's result

    Raises
    ------
    WithoutAdjoint
        For outputs that depend on too many numbers, or whose history has rows that depend on several recorded rows.
    """
    if isinstance(output, Reduction) and output.name in RULES:
        return _reduction_rows(name, output, source)
    function = output.of if isinstance(output, Reduction) else output
    tracked = ReadTracker(source)
    function(Result(tracked))
    derivatives = Rows()
    for column, rows in tracked.rows_read.items():
        shape = _shape(source, column)
        indices = np.array(sorted(rows))[:, None] * shape[1] + np.arange(shape[1])
        for index in _influential(
            indices.ravel(), partial(_unit_changes, source, column), function, source, name
        ):
            by = derivative(source, _unit_changes(source, column, np.array([index]), False), function)
            row, entry = divmod(int(index), shape[1])
            derivatives.of.setdefault(row, []).append((column, np.array([entry]), np.array([float(by)])))
    return derivatives


def _reduction_rows(name: str, output: Reduction, source: Source) -> Rows:
    tracked, result = ReadTracker(source), Result(source)
    vectors = output.vectors(Result(tracked))
    times, values, constant = output.history(result)
    by = by_values(output, result, times, values, constant)
    weights = by[:, None] * by_component(vectors)
    rows, derivatives = np.flatnonzero(weights.any(axis=1)), Rows()
    for column in sorted(tracked.columns):
        count, width = _shape(source, column)
        if len(vectors) != count:
            raise _error(name)
        all_rows = np.arange(1, count + 1)[:, None] * width

        def everywhere(entries: Indices, c: str = column, start: Indices = all_rows) -> Tangents:
            return _unit_changes(source, c, (start + entries).ravel())

        for entry in _influential(np.arange(width), everywhere, output.vectors, source, name):
            tangents = _unit_changes(source, column, (all_rows + entry).ravel(), False)
            change = derivative(source, tangents, output.vectors).reshape(vectors.shape)
            change = (weights * change).sum(axis=1)
            for row in rows:
                derivatives.of.setdefault(int(row) + 1, []).append(
                    (column, np.array([entry]), change[row : row + 1])
                )
        _check_rows(name, column, derivatives, weights, output, source)
    return derivatives


def _check_rows(
    name: str, column: str, derivatives: Rows, weights: Array, output: Reduction, source: Source
) -> None:
    """Raise WithoutAdjoint where a row of the history depends on other rows, or on the state before the first step."""
    count, width = _shape(source, column)
    tangents = _unit_changes(source, column, np.arange(width * (count + 1)))
    changes = np.concatenate(
        [tangents.initial[column].reshape(1, width), tangents.history[column].reshape(count, width)]
    )
    exact = weights * derivative(source, tangents, output.vectors).reshape(weights.shape)
    contributions = [
        float(by @ changes[row, entries])
        for row, entries_of_row in derivatives.of.items()
        for name_of_column, entries, by in entries_of_row
        if name_of_column == column
    ]
    if abs(sum(contributions) - float(exact.sum())) > ROW_TOLERANCE * max(
        float(np.abs(exact).sum()), sum(map(abs, contributions))
    ):
        raise _error(name)


def _error(name: str) -> WithoutAdjoint:
    return WithoutAdjoint(
        f"output {name} depends on too many recorded numbers for an adjoint: give method='forward'"
    )


def _shape(source: Source, column: str) -> tuple[int, int]:
    """Number of rows of a recorded output, and of numbers in a row."""
    count = source.rows(f"{GROUP}{column}")
    row = source.read(f"{GROUP}{column}", slice(0, 1))
    numbers = row.view(np.float64) if row.dtype.names else row
    return count, numbers.size


def _unit_changes(source: Source, column: str, indices: Indices, at_random: bool = True) -> Tangents:
    """Unit (or random) changes of numbers of an output, counted row by row from the one before the first step."""
    count, width = _shape(source, column)
    row = source.read(f"{GROUP}{column}", slice(0, 1))
    shape = (*row.shape[1:], row.dtype.itemsize // 8) if row.dtype.names else row.shape[1:]
    changes = np.zeros((count + 1) * width)
    # sums of several changes are not zero by accident
    changes[indices] = np.random.default_rng(2).uniform(0.5, 1.5, len(changes))[indices] if at_random else 1.0
    changes = changes.reshape(count + 1, *shape)
    return Tangents({column: changes[0]}, {column: changes[1:]})


def _influential(
    indices: Indices,
    changes_at: Callable[[Indices], Tangents],
    function: Callable[[Result], object],
    source: Source,
    name: str,
) -> list[int]:
    """Indices of the recorded numbers on which the value of a function of a result depends."""
    before, influential, queue = np.asarray(function(Result(source))), [], [indices]
    while queue:
        group = queue.pop()
        tangents = changes_at(group)
        after = np.asarray(function(Result(Shifted(source, tangents, shift_amount(source, tangents)))))
        if np.array_equal(before, after):
            continue
        if len(group) == 1:
            influential.append(int(group[0]))
        else:
            queue += np.array_split(group, 2)
        if len(influential) > MAX_NUMBERS:
            raise _error(name)
    return sorted(influential)
