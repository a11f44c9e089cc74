"""Derivatives of outputs by the recorded numbers from which they are computed, for the adjoint method.

Views of a result (components, lengths of vectors, section forces, load channels) are differentiated as in `shifted`.
Bisection finds the recorded numbers on which an output depends: all are changed, then each half of them, and so on.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from fem_mbd.analysis.sensitivity.adjoint import WithoutAdjoint
from fem_mbd.analysis.sensitivity.adjoint_gradients import Rows
from fem_mbd.analysis.sensitivity.tangents import Tangents
from fem_mbd.applications.gradients.outputs import RULES, Output, by_component, by_values
from fem_mbd.applications.gradients.shifted import GROUP, ReadTracker, Shifted, derivative, shift_amount
from fem_mbd.applications.sweeps.reduction import Reduction
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.results.store import Source

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
