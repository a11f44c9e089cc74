"""Columns of the results file, read block by block and verified against their checksums."""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import prod

import h5py
import numpy as np

from fem_mbd.runs.results.hdf5.layout import (
    BLOCK_CHECKSUMS,
    COLUMNS,
    PIECE_BYTES,
    DamagedFile,
    checksums,
    read_checksummed,
)
from fem_mbd.runs.results.store import Blocks


class CheckedColumns:
    """The columns and their checksums; no row is returned before its block has been verified.

    The layout is that of `fem_mbd.runs.results.hdf5.layout`.

    Attributes
    ----------
    names : the columns
    blocks : number of blocks to be read; `truncate` lowers it
    """

    def __init__(self, file: h5py.File) -> None:
        self.names: tuple[str, ...] = tuple(json.loads(read_checksummed(file, COLUMNS)))
        self._position = {name: at for at, name in enumerate(self.names)}
        # Checksums are read first: the run may still be writing, and their data were on disk before them.
        table, self.stored_blocks = _read_block_checksums(file[BLOCK_CHECKSUMS], len(self.names))
        # half the cost of file[name]
        self._datasets = {name: h5py.Dataset(h5py.h5d.open(file.id, name.encode())) for name in self.names}
        # _ends[b, column]: number of rows after b blocks
        self._ends = np.concatenate([np.zeros((1, len(self.names)), np.int64), table["rows"]])
        self._crc32 = table["crc32"]
        self._checked = np.zeros(self._crc32.shape, bool)
        self.blocks = len(table)

    def truncate(self, blocks: int) -> None:
        """Ignore all blocks after the first `blocks`."""
        self.blocks = blocks

    def rows(self, name: str, blocks: int | None = None) -> int:
        """Number of rows of a column in its first `blocks`, by default in all."""
        return int(self._ends[self.blocks if blocks is None else blocks, self._position[name]])

    def _row_bytes(self, column: int) -> int:
        """Size of one row of a column."""
        dataset = self._datasets[self.names[column]]
        return int(dataset.dtype.itemsize) * prod(dataset.shape[1:])

    def read(self, name: str, rows: slice) -> np.ndarray:
        """Rows of a column.

        Raises
        ------
        DamagedFile
            When a block with one of these rows fails its checksum; the message says which rows.
        """
        column = self._position[name]
        start, stop, every = rows.indices(self.rows(name))
        if stop > start:
            ends = self._ends[: self.blocks + 1, column]
            first, last = (int(block) for block in np.searchsorted(ends, [start, stop - 1], side="right") - 1)
            if not self._checked[first : last + 1, column].all():
                begin, end = int(ends[first]), int(ends[last + 1])
                fits = (end - begin) * self._row_bytes(column) <= PIECE_BYTES
                data = self._check(column, first, last + 1) if fits else None
                if data is not None:
                    selected = data[start - begin : stop - begin : every]
                    return selected if len(selected) == len(data) else selected.copy()
                for block in range(first, last + 1):
                    if not self._is_intact(block, column):
                        raise DamagedFile(f"{name} is damaged in rows {ends[block]} to {ends[block + 1] - 1}")
        return self._datasets[name][start:stop:every]

    def intact_blocks(self) -> int:
        """Number of blocks before the first one with a damaged column; reads everything."""
        for block in range(self.blocks):
            if not self.is_intact(block):
                return block
        return self.blocks

    def is_intact(self, block: int) -> bool:
        """Whether every column of a block passes its checksum."""
        return all(self._is_intact(block, column) for column in range(len(self.names)))

    def _is_intact(self, block: int, column: int) -> bool:
        return bool(self._checked[block, column]) or self._check(column, block, block + 1) is not None

    def _check(self, column: int, first: int, last: int) -> np.ndarray | None:
        """All rows of blocks `first` to `last` - 1; None when they fail their checksums."""
        ends = self._ends[first : last + 1, column].tolist()
        dataset = self._datasets[self.names[column]]
        if ends[-1] > dataset.shape[0]:
            return None
        try:
            data = dataset[ends[0] : ends[-1]]
        except (OSError, RuntimeError, ValueError):
            return None
        if checksums(data, [end - ends[0] for end in ends[1:]]) != self._crc32[first:last, column].tolist():
            return None
        self._checked[first:last, column] = True
        return data

    def pieces(self, blocks: int) -> Iterator[Blocks]:
        """Rows of the first `blocks` blocks; small blocks are combined."""
        sizes = np.array([self._row_bytes(column) for column in range(len(self.names))])
        begin = 0
        for end in range(1, blocks + 1):
            following = self._ends[min(end + 1, blocks)] - self._ends[begin]
            if end == blocks or following @ sizes > PIECE_BYTES:
                ends = self._ends[begin : end + 1]
                yield {
                    name: (self.read(name, slice(int(rows[0]), int(rows[-1]))), rows[1:] - rows[0])
                    for name, rows in zip(self.names, ends.T, strict=True)
                }
                begin = end


def _read_block_checksums(table: h5py.Dataset, columns: int) -> tuple[np.ndarray, int]:
    """The readable and consistent checksums (blocks, columns), and the number that were written."""
    count = table.shape[0]
    checksums = np.zeros((0, columns), table.dtype)
    for at in range(0, count, table.chunks[0]):
        try:
            checksums = np.concatenate([checksums, table[at : at + table.chunks[0]]])
        except (OSError, RuntimeError, ValueError):
            break
    ends = np.concatenate([np.zeros((1, columns), np.int64), checksums["rows"]])
    increasing = (np.diff(ends, axis=0) >= 0).all(axis=1)
    return checksums[: int(np.argmin(increasing)) if not increasing.all() else len(checksums)], count
