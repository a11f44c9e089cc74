"""Columns of the results file, read block by block against their seals (`fem_mbd.results.file_format`)."""

from __future__ import annotations

import json
from collections.abc import Iterator

import h5py
import numpy as np

from fem_mbd.results.file_format import COLUMNS, PIECE_BYTES, SEALS, DamagedFile, checksum, read_sealed


class SealedColumns:
    """The columns and their seals; no row is handed out before its block has been checked.

    Attributes
    ----------
    names : the columns
    blocks : number of blocks to be read; `keep` lowers it
    """

    def __init__(self, file: h5py.File) -> None:
        self.names: tuple[str, ...] = tuple(json.loads(read_sealed(file, COLUMNS)))
        self._position = {name: at for at, name in enumerate(self.names)}
        self._datasets = {name: file[name] for name in self.names}
        seals, self.stored_blocks = _read_seals(file[SEALS], len(self.names))
        # _ends[b, column] rows after b blocks
        self._ends = np.concatenate([np.zeros((1, len(self.names)), np.int64), seals["rows"]])
        self._crc32 = seals["crc32"]
        self._checked = np.zeros(self._crc32.shape, bool)
        self.blocks = len(seals)

    def keep(self, blocks: int) -> None:
        """From now on there are only the first `blocks` of them."""
        self.blocks = blocks

    def rows(self, name: str, blocks: int | None = None) -> int:
        """Rows of a column in its first `blocks`, by default in all."""
        return int(self._ends[self.blocks if blocks is None else blocks, self._position[name]])

    def row_bytes(self, name: str) -> int:
        """Size of one row of a column."""
        dataset = self._datasets[name]
        return dataset.dtype.itemsize * int(np.prod(dataset.shape[1:]))

    def read(self, name: str, rows: slice) -> np.ndarray:
        """Rows of a column.

        Raises
        ------
        DamagedFile
            When a block with one of these rows is not what was written; its argument says which rows.
        """
        column = self._position[name]
        start, stop, every = rows.indices(self.rows(name))
        if stop > start:
            ends = self._ends[: self.blocks + 1, column]
            first, last = np.searchsorted(ends, [start, stop - 1], side="right") - 1
            for block in range(int(first), int(last) + 1):
                if not self._is_whole(block, column):
                    raise DamagedFile(f"{name} is damaged in rows {ends[block]} to {ends[block + 1] - 1}")
        return self._datasets[name][start:stop:every]

    def whole(self) -> int:
        """Number of blocks before the first one of which a column is damaged; reads everything."""
        for block in range(self.blocks):
            if not self.is_whole(block):
                return block
        return self.blocks

    def is_whole(self, block: int) -> bool:
        """Whether every column of a block is what was written."""
        return all(self._is_whole(block, column) for column in range(len(self.names)))

    def _is_whole(self, block: int, column: int) -> bool:
        if not self._checked[block, column]:
            self._checked[block, column] = self._crc(block, column) == self._crc32[block, column]
        return bool(self._checked[block, column])

    def _crc(self, block: int, column: int) -> int | None:
        """Checksum of the stored rows of a block; None when they cannot be read."""
        name = self.names[column]
        start, stop = (int(row) for row in self._ends[block : block + 2, column])
        dataset = self._datasets[name]
        if stop > dataset.shape[0]:
            return None
        step = max(PIECE_BYTES // max(self.row_bytes(name), 1), 1)
        crc = 0
        try:
            for at in range(start, stop, step):
                crc = checksum(dataset[at : min(at + step, stop)], crc)
        except (OSError, RuntimeError, ValueError):
            return None
        return crc

    def pieces(self, blocks: int) -> Iterator[dict[str, np.ndarray]]:
        """The first `blocks` blocks, several at a time as long as they are small."""
        sizes = np.array([self.row_bytes(name) for name in self.names])
        begin = 0
        for end in range(1, blocks + 1):
            following = self._ends[min(end + 1, blocks)] - self._ends[begin]
            if end == blocks or following @ sizes > PIECE_BYTES:
                yield {
                    name: self.read(name, slice(self.rows(name, begin), self.rows(name, end)))
                    for name in self.names
                }
                begin = end


def _read_seals(table: h5py.Dataset, columns: int) -> tuple[np.ndarray, int]:
    """The seals (blocks, columns) that can be read and make sense, and the number that were written."""
    count = table.shape[0]
    seals = np.zeros((0, columns), table.dtype)
    for at in range(0, count, table.chunks[0]):
        try:
            seals = np.concatenate([seals, table[at : at + table.chunks[0]]])
        except (OSError, RuntimeError, ValueError):
            break
    ends = np.concatenate([np.zeros((1, columns), np.int64), seals["rows"]])
    orderly = (np.diff(ends, axis=0) >= 0).all(axis=1)
    return seals[: int(np.argmin(orderly)) if not orderly.all() else len(seals)], count
