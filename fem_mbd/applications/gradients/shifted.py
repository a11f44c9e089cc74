"""A result whose recorded outputs are shifted along their derivatives by one parameter.

Quantities computed from recorded outputs (components, lengths of vectors, angles, section forces, load channels) are
computed by the same views for shifts of both signs; their central difference of fourth order is the derivative. It is
exact where outputs enter linearly. The run itself is not repeated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fem_mbd.analysis.sensitivity.tangents import Tangents
from fem_mbd.base.arrays import Array
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.results.store import Source

SHIFT_RATIO = 1e-3  # of an output's largest number, by which it is moved at most
GROUP = "outputs/"


class Noted:
    """A source that notes which outputs are read.

    Attributes
    ----------
    columns : their names
    rows_read : of each of them the rows that were read, counted from 1; 0 stands for those before the first step
    """

    def __init__(self, source: Source):
        self._source, self.info = source, source.info
        self.columns: set[str] = set()
        self.rows_read: dict[str, set[int]] = {}

    def read(self, name: str, rows: slice) -> np.ndarray:
        """As of the source."""
        if name.startswith(GROUP):
            column = name.removeprefix(GROUP)
            self.columns.add(column)
            known = range(*rows.indices(self._source.rows(name)))
            self.rows_read.setdefault(column, set()).update(row + 1 for row in known)
        return self._source.read(name, rows)

    def initial(self, key: str) -> np.ndarray:
        """As of the source."""
        self.rows_read.setdefault(key, set()).add(0)
        return self._source.initial(key)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)


class Shifted:
    """A source whose outputs are those of another one, moved by an amount of a parameter.

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
        found = self._source.read(name, rows)
        along = self._along.history.get(name.removeprefix(GROUP)) if name.startswith(GROUP) else None
        return found if along is None else self._moved(found, along[rows])

    def initial(self, key: str) -> np.ndarray:
        """An output before the first step."""
        found, along = self._source.initial(key), self._along.initial.get(key)
        return found if along is None else self._moved(found, along)

    def _moved(self, found: Any, along: Array) -> Any:
        if found.dtype.names:
            flat = np.ascontiguousarray(found).view(np.float64).reshape(along.shape)
            return (flat + self._amount * along).view(found.dtype)[..., 0]
        return found + self._amount * along

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)


def amount_of(source: Source, along: Tangents) -> float:
    """How far outputs may be moved so that none changes much, in units of the parameter."""
    share = 0.0
    for name, changes in along.history.items():
        values: Any = source.read(f"{GROUP}{name}", slice(len(changes)))
        values = np.ascontiguousarray(values).view(np.float64) if values.dtype.names else values
        largest = float(np.abs(changes).max(initial=0.0))
        size = float(np.abs(values).max(initial=0.0))
        share = max(share, largest / size if size > 0.0 else largest)
    return SHIFT_RATIO / share if share > 0.0 else SHIFT_RATIO


def derivative(source: Source, along: Tangents, of: Callable[[Result], Any]) -> Any:
    """Of what a function makes of a result: a number or an array.

    Parameters
    ----------
    source : of the run
    along : derivatives of its outputs by a parameter
    of : the function
    """
    amount = amount_of(source, along)

    def at(steps: int) -> Any:
        return np.asarray(of(Result(Shifted(source, along, steps * amount))), dtype=float)

    return (8.0 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12.0 * amount)
