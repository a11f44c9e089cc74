"""Store of a run's rows: the interface, names and types of the columns, and the store in memory.

Recorded columns can be read by name as a mapping, from memory or from a file on demand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import numpy as np

from fem_mbd.base.arrays import Indices
from fem_mbd.base.suggestions import nearest
from fem_mbd.runs.results.run_info import RunInfo
from fem_mbd.runs.results.views.states import NotRecorded

# One row per accepted step; field names as in StepRecord. Rule names longer than 32 bytes are cut.
STEP_ROW = np.dtype(
    [
        ("time", "f8"),
        ("dt", "f8"),
        ("rule", "S32"),
        ("newton_iterations", "i4"),
        ("factorisations", "i4"),
        ("rejections", "i4"),
        ("round_off", "f8"),
    ]
)
# Step number of each row of outputs; needed because outputs may be thinned.
OUTPUT_INDEX = "output_index"
# For each column name its rows (m, ...) and, for each block, the index of the row after its last one, (blocks,).
Blocks = Mapping[str, tuple[np.ndarray, np.ndarray]]
# Bytes of a column read at once where only some of its items are needed.
BLOCK_BYTES = 16_000_000


class Store(Protocol):
    """Protocol: receives blocks of rows. A column's name is `group/key`; the first axis of all arrays is the row.

    A checkpoint belongs `behind` blocks before the last one appended.
    """

    def append(self, blocks: Blocks) -> None: ...

    def checkpoint(self, step: int, state: np.ndarray, memo: Mapping[str, Any], behind: int) -> None: ...

    def log(self, entries: Mapping[str, Any]) -> None: ...

    def close(self) -> None: ...


def step_columns(info: RunInfo) -> list[tuple[str, np.dtype]]:
    """Names and types of the columns with one row per accepted step."""
    steps = [(f"steps/{name}", STEP_ROW[name]) for name in STEP_ROW.names or ()]
    return steps + [(f"energy/{name}", np.dtype("f8")) for name in info.energy]


class MemoryStore:
    """Holds the rows of a run in memory; also the source from which `Result` reads them."""

    def __init__(self, info: RunInfo, initial: Mapping[str, np.ndarray]) -> None:
        self.info = info
        self._initial = {key: np.array(initial[key]) for key in info.quantities}
        self._blocks: dict[str, list[np.ndarray]] = {
            name: [np.zeros(0, dtype)] for name, dtype in step_columns(info)
        }
        if info.quantities:
            self._blocks[OUTPUT_INDEX] = [np.zeros(0, np.int64)]
        for key, value in self._initial.items():
            self._blocks[f"outputs/{key}"] = [np.zeros((0, *value.shape), value.dtype)]
        self._log: dict[str, Any] = {}

    def append(self, blocks: Blocks) -> None:
        """Append copies: the recorder reuses its buffers."""
        for name, (rows, _) in blocks.items():
            self._blocks[name].append(rows.copy())

    def checkpoint(self, step: int, state: np.ndarray, memo: Mapping[str, Any], behind: int) -> None:
        """No effect: a run without a file cannot be resumed."""

    def log(self, entries: Mapping[str, Any]) -> None:
        """Replace the entries of the run's log."""
        self._log = dict(entries)

    def close(self) -> None:
        """No effect."""

    def read_log(self) -> dict[str, Any]:
        """The last log entries."""
        return dict(self._log)

    def initial(self, key: str) -> np.ndarray:
        """An output before the first step."""
        return self._initial[key]

    def initial_names(self) -> tuple[str, ...]:
        """Names of the outputs known before the first step."""
        return tuple(self._initial)

    def rows(self, name: str) -> int:
        """Number of rows of a column."""
        return sum(len(block) for block in self._blocks[name])

    def read(self, name: str, rows: slice) -> np.ndarray:
        """Rows of a column."""
        blocks = self._blocks[name]
        if len(blocks) > 1:
            self._blocks[name] = blocks = [np.concatenate(blocks)]
        return blocks[0][rows]


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
        row_bytes = self.read(key, first, first + 1).nbytes
        rows = max(1, BLOCK_BYTES // max(row_bytes, 1))
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
