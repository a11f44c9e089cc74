"""Writer of the HDF5 results file: appends blocks of rows so that the file can be read at any time.

Layout (names and checksums in `fem_mbd.runs.results.hdf5.layout`): attribute format_version; `/info` (JSON: the fields
of `RunInfo`); `/steps/*` and `/energy/*` (one row per accepted step); `/outputs/*` with `/output_index` (their step
numbers); `/columns` (JSON: names of these) and `/seals` (checksums, a row per block); `/initial/*` (outputs before the
first step); `/checkpoint`; `/log` (checksum and JSON).

The file is written in HDF5's single-writer-multiple-readers mode, which orders all writes so that the file is
valid at any instant: a killed run leaves a readable file, and a running one can be plotted. That mode forbids
new objects and texts of variable length, hence the fixed columns and the JSON stored as bytes. Checkpoint and log
have two slots, used in turn and protected by a checksum: if the run is killed while one is written, the other remains.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from fem_mbd.errors import InputError, RecordingFailed
from fem_mbd.runs.results.hdf5 import layout
from fem_mbd.runs.results.hdf5.layout import FileLock, packed
from fem_mbd.runs.results.hdf5.reader import Checkpoint, FileSource
from fem_mbd.runs.results.run_info import RunInfo
from fem_mbd.runs.results.store import OUTPUT_INDEX, Blocks, step_columns

# Rows per chunk: a file that is cut off loses up to this many rows of each column. Half as many would cost 1 us more
# per step to store and read, of about 7 in all.
CHUNK_ROWS = 256
CHUNK_BYTES = 65_536
# Bytes of a file before the first step besides initial outputs and checkpoints: names, texts, indices.
LAYOUT_BYTES = 200_000


class Column:
    """A dataset that grows along its first axis, by h5py's low-level API (half the cost of the high-level one).

    Attributes
    ----------
    rows : number of rows so far
    """

    def __init__(self, file: h5py.File, name: str, shape: tuple[int, ...], dtype: np.dtype) -> None:
        dtype = packed(dtype)
        row_bytes = max(dtype.itemsize * int(np.prod(shape)), 1)
        rows = int(np.clip(CHUNK_BYTES // row_bytes, 1, CHUNK_ROWS))
        # HDF5 cannot chunk an axis of length zero unless it may grow.
        limits = (None, *(n or None for n in shape))
        dataset = file.create_dataset(
            name, (0, *shape), dtype, chunks=(rows, *(max(n, 1) for n in shape)), maxshape=limits
        )
        self._id = dataset.id
        self._shape = shape
        self._dtype = dtype
        self._type = h5py.h5t.py_create(dtype)
        self.rows = 0

    def append(self, rows: np.ndarray) -> np.ndarray:
        """Write rows (m, *shape) after the last one; returns them as stored, contiguous."""
        data = np.ascontiguousarray(rows, self._dtype)
        if not len(data):
            return data
        self.rows += len(data)
        self._id.set_extent((self.rows, *self._shape))
        if data.size:
            target = self._id.get_space()
            target.select_hyperslab((self.rows - len(data), *(0 for _ in self._shape)), data.shape)
            self._id.write(h5py.h5s.create_simple(data.shape), target, data, self._type)
        return data


def growing_bytes(file: h5py.File, name: str, rows: int) -> h5py.Dataset:
    """Create a dataset of texts stored as bytes, as long as the longest text."""
    return file.create_dataset(name, (rows, 0), "u1", maxshape=(rows, None), chunks=(rows, 4096))


def write_bytes(dataset: h5py.Dataset, row: int, text: bytes) -> None:
    """Write `text` into a row of a byte dataset, padded with zeros; rows are lengthened where necessary."""
    if dataset.shape[1] < len(text):
        dataset.resize(len(text), axis=1)
    padded = np.zeros(dataset.shape[1], np.uint8)
    padded[: len(text)] = np.frombuffer(text, np.uint8)
    dataset[row] = padded


class FileStore:
    """Store that writes the results file; created by `create` or, to resume a run, by `continued`.

    No other process can write a file of the same name until it is closed.
    """

    def __init__(self, path: Path, info: RunInfo, initial: Mapping[str, np.ndarray], state_size: int) -> None:
        if path.is_dir():
            raise InputError(
                f"results file {path}: this is a folder; give the name of a file, e.g. "
                f"{path}/{layout.RESULTS_NAME}"
            )
        self.path = path
        self._temporary = path.with_name(path.name + ".new")
        try:
            self._lock = FileLock(path, self._temporary)
        except OSError as error:
            raise InputError(
                f"results file {path}: it cannot be created ({error.strerror}); choose another path"
            ) from error
        self._reserve(LAYOUT_BYTES + sum(value.nbytes for value in initial.values()) + 16 * state_size)
        # This module locks the file itself: HDF5's lock, on another handle of the file, would fail.
        self._file = h5py.File(self._temporary, "w", libver=("v110", "v110"), locking=False)
        self._slot = self._logs = 0
        with self._writing():
            self._create_objects(info, initial, state_size)

    def _reserve(self, size: int) -> None:
        """Refuse a disk without enough free space: HDF5 crashes when it finds that while it creates objects."""
        try:
            with self._temporary.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, size)
        except OSError as error:
            self._temporary.unlink(missing_ok=True)
            self._lock.release()
            raise RecordingFailed(
                f"results file {self.path}: it cannot be written ({error.strerror}); free some disk space"
            ) from error

    def _create_objects(self, info: RunInfo, initial: Mapping[str, np.ndarray], state_size: int) -> None:
        file = self._file
        file.attrs[layout.VERSION] = layout.FORMAT_VERSION
        layout.write_checksummed(file, layout.INFO, np.bytes_(info.to_json().encode()))
        for key in info.quantities:
            layout.write_checksummed(file, f"initial/{key}", np.asarray(initial[key]))
        shapes: list[tuple[str, tuple[int, ...], np.dtype]] = [
            (name, (), dtype) for name, dtype in step_columns(info)
        ]
        shapes += [(f"outputs/{key}", initial[key].shape, initial[key].dtype) for key in info.quantities]
        shapes += [(OUTPUT_INDEX, (), np.dtype("i8"))] if info.quantities else []
        self._columns = {name: Column(file, name, shape, dtype) for name, shape, dtype in shapes}
        layout.write_checksummed(file, layout.COLUMNS, np.bytes_(layout.to_text(list(self._columns))))
        self._block_checksums = Column(
            file, layout.BLOCK_CHECKSUMS, (len(self._columns),), layout.BLOCK_CHECKSUM
        )
        self._state = file.create_dataset(layout.CHECKPOINT_STATE, (layout.SLOTS, state_size), "f8")
        self._memo = growing_bytes(file, layout.CHECKPOINT_MEMO, layout.SLOTS)
        self._state_checksum = file.create_dataset(layout.CHECKPOINT_CHECKSUM, (layout.SLOTS,), "u4")
        self._log = growing_bytes(file, layout.LOG, layout.SLOTS)

    @classmethod
    def create(
        cls, path: Path, info: RunInfo, initial: Mapping[str, np.ndarray], state_size: int
    ) -> FileStore:
        """A new file at `path`; an existing one is replaced only once the new one is complete."""
        store = cls(path, info, initial, state_size)
        store._publish()
        return store

    @classmethod
    def continued(
        cls, source: FileSource, checkpoint: Checkpoint, info: RunInfo, initial: Mapping[str, np.ndarray]
    ) -> FileStore:
        """The run in `source` cut back to `checkpoint`, ready for appending.

        `info` and the outputs before the first step, `initial`, replace those stored. The remaining part is copied to a
        new file which then replaces the old one, so that nothing is lost if the process is killed meanwhile. Rows that
        the stopped run added after its last checkpoint are dropped.
        """
        store = cls(source.path, info, initial, len(checkpoint.state))
        try:
            for piece in source.pieces(checkpoint.blocks):
                store.append(piece)
            store.checkpoint(checkpoint.step, checkpoint.state, checkpoint.memo, blocks_after=0)
            # The recorded end of the earlier run no longer applies.
            store.log(
                {
                    key: value
                    for key, value in source.read_log().items()
                    if key not in ("status", "reason", "signal")
                }
            )
            store._publish()
        except BaseException:
            store._abandon()
            raise
        return store

    def _publish(self) -> None:
        with self._writing():
            # A full disk has to be noticed here, not while the mode is changed.
            self._file.flush()
            self._file.swmr_mode = True
            self._file.flush()
            os.replace(self._temporary, self.path)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Convert errors of the file system into RecordingFailed, with advice."""
        try:
            yield
        except (OSError, RuntimeError) as error:  # h5py raises both
            published = not self._temporary.exists()
            self._abandon()
            advice = (
                "stored data are intact: free some disk space, then continue with resume"
                if published
                else "free some disk space"
            )
            reason = " ".join(str(error).split())
            raise RecordingFailed(
                f"results file {self.path}: it cannot be written any more ({reason}); {advice}"
            ) from error

    def append(self, blocks: Blocks) -> None:
        """Write blocks of rows, then their checksums, and flush; data are on disk before their checksums are
        written.
        """
        with self._writing():
            checksums = [self._append(name, *blocks[name]) for name in self._columns]
            self._file.flush()
            self._block_checksums.append(np.stack(checksums, axis=1))
            self._file.flush()

    def _append(self, name: str, rows: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """Write blocks of one column; returns their checksums (blocks,)."""
        column, checksums = self._columns[name], np.zeros(len(ends), layout.BLOCK_CHECKSUM)
        checksums["rows"] = column.rows + ends
        checksums["crc32"] = layout.checksums(column.append(rows), ends.tolist())
        return checksums

    def checkpoint(self, step: int, state: np.ndarray, memo: Mapping[str, Any], blocks_after: int) -> None:
        """Store what is needed to resume after `step`, which lies `blocks_after` blocks before the end of the rows."""
        text = layout.to_text({**memo, "step": step, "blocks": self._block_checksums.rows - blocks_after})
        slot = self._slot
        self._slot = (slot + 1) % layout.SLOTS
        with self._writing():
            self._state[slot] = state
            write_bytes(self._memo, slot, text)
            self._state_checksum[slot] = layout.checkpoint_checksum(state, text)
            self._file.flush()

    def log(self, entries: Mapping[str, Any]) -> None:
        """Replace the run's log: status, reason, seconds, energy scale."""
        with self._writing():
            self._logs += 1
            write_bytes(self._log, self._logs % layout.SLOTS, layout.log_text(self._logs, entries))
            self._file.flush()

    def close(self) -> None:
        """Close the file and release its lock; nothing can be written any more."""
        if self._file:
            with self._writing():
                self._file.flush()
                self._file.close()
        self._lock.release()

    def _abandon(self) -> None:
        """Abandon the file as it is on disk and discard HDF5's pending writes.

        HDF5 would retry them when its objects are collected and when the program ends, and crash there.
        """
        if self._file:
            devnull = os.open(os.devnull, os.O_RDWR)
            os.dup2(devnull, self._file.id.get_vfd_handle())
            os.close(devnull)
            self._file.close()
        self._temporary.unlink(missing_ok=True)
        self._lock.release()
