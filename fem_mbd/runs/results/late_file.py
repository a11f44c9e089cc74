"""Store for short runs: rows are kept in memory at first and written to a results file if the run takes longer.

Creating a results file, appending to it and reading it again takes longer than a run of a few hundred steps. The rows
of a run therefore stay in memory for the time between two flushes of a file (`FLUSH_SECONDS`), or until they take more
than `MEMORY_LIMIT` bytes. Then, or at the end of the run, they are written to the file at once. For a complete run that
ends before this the file is optional.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Indices
from fem_mbd.runs.results.hdf5.writer import FileStore
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.results.run_info import COMPLETE, RunInfo
from fem_mbd.runs.results.store import FLUSH_SECONDS, Blocks, MemoryStore

MEMORY_LIMIT = 64_000_000  # bytes of rows in memory


class LateFile:
    """Store in memory at first, later in a file.

    Parameters
    ----------
    path : of the file
    info, initial : description of the run, and the outputs before the first step
    state_size : length of a state vector
    keep : whether to write a file for a complete run that is still in memory at its end; other runs always have one
    """

    def __init__(
        self, path: Path, info: RunInfo, initial: Mapping[str, np.ndarray], state_size: int, keep: bool
    ) -> None:
        self._path, self._info, self._initial = path, info, initial
        self._state_size, self._keep = state_size, keep
        self._memory: MemoryStore | None = MemoryStore(info, initial)
        self._file: FileStore | None = None
        self._ends: dict[str, list[Indices]] = {}
        self._rows: dict[str, int] = {}
        self._bytes = self._blocks = 0
        self._checkpoint: tuple[int, np.ndarray, Mapping[str, Any], int] | None = None
        self._began = time.perf_counter()

    def append(self, blocks: Blocks) -> None:
        """Append rows to the columns, in memory or in the file."""
        if self._file is not None:
            return self._file.append(blocks)
        self._in_memory.append(blocks)
        for name, (rows, ends) in blocks.items():
            before = self._rows.get(name, 0)
            self._ends.setdefault(name, []).append(before + ends)
            self._rows[name] = before + len(rows)
            self._bytes += rows.nbytes
        self._blocks += len(ends)
        if self._bytes > MEMORY_LIMIT or time.perf_counter() - self._began > FLUSH_SECONDS:
            self._to_file()
            self._memory = None

    def checkpoint(self, step: int, state: np.ndarray, memo: Mapping[str, Any], blocks_after: int) -> None:
        """Store a checkpoint after ``step``, which is ``blocks_after`` blocks before the end of the rows."""
        if self._file is not None:
            return self._file.checkpoint(step, state, memo, blocks_after)
        self._checkpoint = step, state.copy(), dict(memo), self._blocks - blocks_after

    def log(self, entries: Mapping[str, Any]) -> None:
        """Replace the entries of the run's log."""
        (self._file or self._in_memory).log(entries)

    def close(self) -> None:
        """Close the file; it is written first if the rows are in memory and a file is required."""
        if self._file is None and (self._keep or self._in_memory.read_log().get("status") != COMPLETE):
            self._to_file()
        if self._file is not None:
            self._file.close()

    def result(self) -> Result:
        """Result of the run after `close`: from memory if no row has been moved to the file during the run."""
        return Result.open(self._path) if self._memory is None else Result(self._memory)

    @property
    def _in_memory(self) -> MemoryStore:
        assert self._memory is not None  # until a file is written
        return self._memory

    def _to_file(self) -> None:
        memory = self._in_memory
        file = FileStore.create(self._path, self._info, self._initial, self._state_size)
        if self._blocks:
            file.append(
                {
                    name: (memory.read(name, slice(None)), np.concatenate(ends))
                    for name, ends in self._ends.items()
                }
            )
        if self._checkpoint is not None:
            step, state, memo, blocks = self._checkpoint
            file.checkpoint(step, state, memo, blocks_after=self._blocks - blocks)
        file.log(memory.read_log())
        self._file = file
