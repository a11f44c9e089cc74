"""Derivatives of outputs by the recorded numbers from which they are computed, as needed by the adjoint.

Views of a result (components, lengths of vectors, section forces, load channels) are differentiated as in `shifted`.
The recorded numbers on which an output depends are found by bisection: all are changed, then halves of them, and so on.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from fem_mbd.analysis.sensitivity.adjoint import WithoutAdjoint
from fem_mbd.analysis.sensitivity.adjoint_gradients import Rows
from fem_mbd.analysis.sensitivity.tangents import Tangents
from fem_mbd.applications.gradients.outputs import RULES, Wanted, by_component, by_values
from fem_mbd.applications.gradients.shifted import GROUP, Noted, Shifted, amount_of, derivative
from fem_mbd.applications.sweeps.reduction import Reduction
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.results.store import Source

MAX_NUMBERS = 64  # recorded numbers that an output without a rule may depend on
ROW_TOLERANCE = 1e-6  # share of an output's derivative, to which it has to come from single rows


def rows_of(name: str, output: Wanted, source: Source) -> Rows:
    """Derivatives of an output by recorded numbers.

    Parameters
    ----------
    name : of the output
    output : a reduction, or a function of a result
    source : of the run's result

    Raises
    ------
    WithoutAdjoint
        For outputs that depend on too many numbers one by one, or in which a row of a history depends on others.
    """
    if isinstance(output, Reduction) and output.name in RULES:
        return _of_reduction(name, output, source)
    function = output.of if isinstance(output, Reduction) else output
    noted = Noted(source)
    function(Result(noted))
    found = Rows()
    for column, rows in noted.rows_read.items():
        shape = _shape(source, column)
        places = np.array(sorted(rows))[:, None] * shape[1] + np.arange(shape[1])
        for place in _entering(places.ravel(), partial(_moved, source, column), function, source, name):
            by = derivative(source, _moved(source, column, np.array([place]), False), function)
            row, entry = divmod(int(place), shape[1])
            found.of.setdefault(row, []).append((column, np.array([entry]), np.array([float(by)])))
    return found


def _of_reduction(name: str, output: Reduction, source: Source) -> Rows:
    noted, result = Noted(source), Result(source)
    vectors = output.vectors(Result(noted))
    times, values, constant = output.history(result)
    by = by_values(output, result, times, values, constant)
    weights = by[:, None] * by_component(output, vectors)
    rows, found = np.flatnonzero(weights.any(axis=1)), Rows()
    for column in sorted(noted.columns):
        count, width = _shape(source, column)
        if len(vectors) != count:
            raise _refused(name)
        all_rows = np.arange(1, count + 1)[:, None] * width

        def everywhere(entries: Indices, c: str = column, start: Indices = all_rows) -> Tangents:
            return _moved(source, c, (start + entries).ravel())

        for entry in _entering(np.arange(width), everywhere, output.vectors, source, name):
            along = _moved(source, column, (all_rows + entry).ravel(), False)
            change = (weights * derivative(source, along, output.vectors).reshape(vectors.shape)).sum(axis=1)
            for row in rows:
                found.of.setdefault(int(row) + 1, []).append(
                    (column, np.array([entry]), change[row : row + 1])
                )
        _check_rows(name, column, found, weights, output, source)
    return found


def _check_rows(
    name: str, column: str, found: Rows, weights: Array, output: Reduction, source: Source
) -> None:
    """WithoutAdjoint where a row of the history depends on other rows, or on what was before the first step."""
    count, width = _shape(source, column)
    along = _moved(source, column, np.arange(width * (count + 1)))
    changes = np.concatenate(
        [along.initial[column].reshape(1, width), along.history[column].reshape(count, width)]
    )
    whole = weights * derivative(source, along, output.vectors).reshape(weights.shape)
    own = [
        float(by @ changes[row, entries])
        for row, several in found.of.items()
        for one, entries, by in several
        if one == column
    ]
    if abs(sum(own) - float(whole.sum())) > ROW_TOLERANCE * max(
        float(np.abs(whole).sum()), sum(map(abs, own))
    ):
        raise _refused(name)


def _refused(name: str) -> WithoutAdjoint:
    return WithoutAdjoint(
        f"output {name} depends on too many recorded numbers for an adjoint: give method='forward'"
    )


def _shape(source: Source, column: str) -> tuple[int, int]:
    """Rows of a recorded output, and numbers of a row."""
    count = source.rows(f"{GROUP}{column}")
    row = source.read(f"{GROUP}{column}", slice(0, 1))
    numbers = row.view(np.float64) if row.dtype.names else row
    return count, numbers.size


def _moved(source: Source, column: str, places: Indices, at_random: bool = True) -> Tangents:
    """Changes of numbers of an output, counted row by row from that before the first step on."""
    count, width = _shape(source, column)
    row = source.read(f"{GROUP}{column}", slice(0, 1))
    shape = (*row.shape[1:], row.dtype.itemsize // 8) if row.dtype.names else row.shape[1:]
    changes = np.zeros((count + 1) * width)
    # sums of several changes are not zero by accident
    changes[places] = np.random.default_rng(2).uniform(0.5, 1.5, len(changes))[places] if at_random else 1.0
    changes = changes.reshape(count + 1, *shape)
    return Tangents({column: changes[0]}, {column: changes[1:]})


def _entering(
    places: Indices,
    moved: Callable[[Indices], Tangents],
    function: Callable[[Result], object],
    source: Source,
    name: str,
) -> list[int]:
    """Those of places at which a change changes what a function makes of a result."""
    before, found, waiting = np.asarray(function(Result(source))), [], [places]
    while waiting:
        some = waiting.pop()
        along = moved(some)
        after = np.asarray(function(Result(Shifted(source, along, amount_of(source, along)))))
        if np.array_equal(before, after):
            continue
        if len(some) == 1:
            found.append(int(some[0]))
        else:
            waiting += np.array_split(some, 2)
        if len(found) > MAX_NUMBERS:
            raise _refused(name)
    return sorted(found)
