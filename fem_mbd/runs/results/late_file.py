"""The store of runs that may be over in a moment: rows stay in memory, and the file is written when the run lasts.

To make a results file, write it bit by bit and read it again takes longer than a run of some hundred steps. Until a run
has lasted as long as a file is ever behind its run, or has many rows, its store is the one in memory. Then, or at the
end, the file is written in one go; of a complete run only where it is to be kept.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Indices
from fem_mbd.runs.results.recorder import FLUSH_SECONDS
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.results.run_info import COMPLETE, RunInfo
from fem_mbd.runs.results.store import Blocks, MemoryStore
from fem_mbd.runs.results.writer import FileStore

MOST_BYTES = 64_000_000  # of rows in memory


class LateFile:
    """A store in memory, then in a file.

    Parameters
    ----------
    path : of the file
    info, initial : what is recorded, and the outputs before the first step
    state_size : numbers of a state
    keep : whether a complete run has a file at all; any other has one
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
        """Keep rows."""
        if self._file is not None:
            return self._file.append(blocks)
        self._in_memory.append(blocks)
        for name, (rows, ends) in blocks.items():
            before = self._rows.get(name, 0)
            self._ends.setdefault(name, []).append(before + ends)
            self._rows[name] = before + len(rows)
            self._bytes += rows.nbytes
        self._blocks += len(ends)
        if self._bytes > MOST_BYTES or time.perf_counter() - self._began > FLUSH_SECONDS:
            self._to_file()
            self._memory = None

    def checkpoint(self, step: int, state: np.ndarray, memo: Mapping[str, Any], behind: int) -> None:
        """Keep what is needed to go on after ``step``, which lies ``behind`` blocks before the end of the rows."""
        if self._file is not None:
            return self._file.checkpoint(step, state, memo, behind)
        self._checkpoint = step, state.copy(), dict(memo), self._blocks - behind

    def log(self, entries: Mapping[str, Any]) -> None:
        """Replace the entries of the run's log."""
        (self._file or self._in_memory).log(entries)

    def close(self) -> None:
        """Write the file where there has to be one."""
        if self._file is None and (self._keep or self._in_memory.read_log().get("status") != COMPLETE):
            self._to_file()
        if self._file is not None:
            self._file.close()

    def result(self) -> Result:
        """The run, once the store is closed: from memory where all of it is there."""
        return Result.open(self._path) if self._memory is None else Result(self._memory)

    @property
    def _in_memory(self) -> MemoryStore:
        assert self._memory is not None  # as long as there is no file
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
            file.checkpoint(step, state, memo, behind=self._blocks - blocks)
        file.log(memory.read_log())
        self._file = file
