"""Derivatives of functions of a result by one parameter, from shifted recorded outputs.

Quantities computed from recorded outputs (components, lengths of vectors, angles, section forces, load channels) are
computed by the same views from outputs shifted along their derivatives, with both signs. The derivative is their
fourth-order central difference, which is exact where outputs enter linearly. The run is not repeated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fem_mbd.analysis.sensitivity.tangents import Tangents
from fem_mbd.base.arrays import Array
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
