"""Recorded columns by name as a mapping, read from memory or from a file on demand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import numpy as np

from fem_mbd.base.arrays import Indices
from fem_mbd.base.suggestions import nearest
from fem_mbd.runs.results.run_info import RunInfo
from fem_mbd.runs.results.views.states import NotRecorded

# Bytes of a column read at once where only some of its items are wanted.
BLOCK_BYTES = 16_000_000


class Source(Protocol):
    """Protocol: source of a result's columns, `MemoryStore` or `FileSource`."""

    info: RunInfo

    def initial(self, key: str) -> np.ndarray: ...

    def initial_names(self) -> tuple[str, ...]: ...

    def rows(self, name: str) -> int: ...

    def read(self, name: str, rows: slice) -> np.ndarray: ...

    def read_log(self) -> dict[str, Any]: ...

    def close(self) -> None: ...


class Columns(Mapping[str, np.ndarray]):
    """Arrays by name, each read on demand; InputError (which suggests the nearest name) for an unknown name."""

    def __init__(self, source: Source, group: str, names: tuple[str, ...], rows: int) -> None:
        self._source = source
        self._group = group
        self._names = names
        self._rows = rows

    def __getitem__(self, key: str) -> np.ndarray:
        return self.read(key)

    def read(self, key: str, start: int = 0, stop: int | None = None, every: int = 1) -> np.ndarray:
        """Rows `start`, `start + every`, ... below `stop` of one column, without reading all of it."""
        if key not in self._names:
            raise UnknownColumn(f"{self._group}: nothing is recorded as {key!r}; {nearest(key, self._names)}")
        rows = self._source.read(
            f"{self._group}/{key}", slice(*slice(start, stop, every).indices(self._rows))
        )
        return np.char.decode(rows, "ascii") if rows.dtype.kind == "S" else rows

    def select(self, key: str, items: Indices, start: int = 0, stop: int | None = None) -> np.ndarray:
        """Some items along the second axis, of all rows or of those from ``start``; read in blocks to save memory."""
        first, last, _ = slice(start, stop).indices(self._rows)
        whole = self.read(key, first, first + 1)
        rows = max(1, BLOCK_BYTES // max(whole[:1].nbytes, 1))
        starts = range(first, last, rows) or (first,)
        return np.concatenate([self.read(key, k, min(k + rows, last))[:, items] for k in starts])

    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self._names

    def __contains__(self, key: object) -> bool:
        return key in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class InitialOutputs(Mapping[str, np.ndarray]):
    """Outputs before the first step by name, each read on demand, so that damage to one does not affect the others.

    In a file opened with `scan`, outputs known to be damaged are not among the names.
    """

    def __init__(self, source: Source) -> None:
        self._source, self._names = source, source.initial_names()

    def __getitem__(self, key: str) -> np.ndarray:
        if key not in self._source.info.quantities:
            raise UnknownColumn(
                f"nothing is recorded as {key!r}; {nearest(key, self._source.info.quantities)}"
            )
        return self._source.initial(key)

    def __contains__(self, key: object) -> bool:
        return key in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class UnknownColumn(NotRecorded, KeyError):
    """A quantity that the result does not hold; also a KeyError, as `Mapping.get` expects."""

    __str__ = Exception.__str__
