"""Writer of the results file: HDF5, appended block by block, readable at every moment.

Layout: attributes (format_version, fem_mbd_version, case, created, start_time, end_time, checkpoint_every,
...); `/model`, `/parameters` (JSON texts); `/steps/*` and `/energy/*` (one row per accepted step);
`/outputs/*` with `/output_index` (the steps they belong to); `/initial/*` (outputs before the first step);
`/checkpoint`; `/log` (JSON).

The file is written in HDF5's single-writer-multiple-readers mode, which orders all writes so that the file is
whole at any instant: a killed run leaves a readable file, and a running one can be plotted. That mode forbids
new objects and texts of variable length, hence the fixed columns and the JSON kept as bytes. The checkpoint
has two slots, used in turn and sealed with a checksum, so being killed while writing one leaves the other.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import h5py
import numpy as np

from fem_mbd.errors import InputError
from fem_mbd.results.recorder import OUTPUT_INDEX, Block, RecordingFailed, RunInfo, step_columns, to_plain

if TYPE_CHECKING:
    from fem_mbd.results.reader import Checkpoint, FileSource

FORMAT_VERSION = 1
CHUNK_ROWS = 1024
CHUNK_BYTES = 65_536
COPY_BYTES = 32_000_000
SLOTS = 2
# Attributes of the file that are fields of RunInfo under the same name; model and parameters are texts of
# their own.
INFO_ATTRIBUTES = ("case", "created", "host", "start_time", "end_time", "checkpoint_every", "record_every")


class Column:
    """A dataset that grows along its first axis, through h5py's low-level calls (half the cost of the
    others).
    """

    def __init__(self, file: h5py.File, name: str, shape: tuple[int, ...], dtype: np.dtype) -> None:
        row_bytes = max(dtype.itemsize * int(np.prod(shape)), 1)
        rows = int(np.clip(CHUNK_BYTES // row_bytes, 1, CHUNK_ROWS))
        # An axis of length zero cannot be chunked unless it may grow.
        limits = (None, *(n or None for n in shape))
        dataset = file.create_dataset(
            name, (0, *shape), dtype, chunks=(rows, *(max(n, 1) for n in shape)), maxshape=limits
        )
        self._id = dataset.id
        self._shape = shape
        self._dtype = dtype
        self._type = h5py.h5t.py_create(dtype)
        self.rows = 0

    def append(self, rows: np.ndarray) -> None:
        """Write rows (m, *shape) after the last one."""
        count = len(rows)
        if not count:
            return
        self._id.set_extent((self.rows + count, *self._shape))
        if rows.size:
            data = np.ascontiguousarray(rows, self._dtype)
            target = self._id.get_space()
            target.select_hyperslab((self.rows, *(0 for _ in self._shape)), data.shape)
            self._id.write(h5py.h5s.create_simple(data.shape), target, data, self._type)
        self.rows += count


class FileStore:
    """The store that writes the results file; made by `create` or, to go on with a run, by `continued`."""

    def __init__(self, path: Path, info: RunInfo, initial: Mapping[str, np.ndarray], state_size: int) -> None:
        if path.is_dir():
            raise InputError(
                f"results file {path}: this is a folder; give the file's name, e.g. {path}/results.h5"
            )
        self.path = path
        self._building = path.with_name(path.name + ".new")
        try:
            self._file = h5py.File(self._building, "w", libver=("v110", "v110"), locking="best-effort")
        except OSError as error:
            raise InputError(
                f"results file {path}: it cannot be created ({error}); choose another place"
            ) from error
        write_info(self._file, info)
        for key in info.quantities:
            self._file.create_dataset(f"initial/{key}", data=initial[key])
        shapes: list[tuple[str, tuple[int, ...], np.dtype]] = [
            (name, (), dtype) for name, dtype in step_columns(info)
        ]
        shapes += [(f"outputs/{key}", initial[key].shape, initial[key].dtype) for key in info.quantities]
        shapes += [(OUTPUT_INDEX, (), np.dtype("i8"))] if info.quantities else []
        self._columns = {name: Column(self._file, name, shape, dtype) for name, shape, dtype in shapes}
        self._state = self._file.create_dataset("checkpoint/state", (SLOTS, state_size), "f8")
        self._memo = self._growing_bytes("checkpoint/memo", SLOTS)
        self._seal = self._file.create_dataset("checkpoint/seal", (SLOTS,), "u4")
        self._log = self._growing_bytes("log", 1)
        self._slot = 0

    @classmethod
    def create(
        cls, path: Path, info: RunInfo, initial: Mapping[str, np.ndarray], state_size: int
    ) -> FileStore:
        """A new file at `path`, replacing what stood there only once the new one is complete."""
        store = cls(path, info, initial, state_size)
        store._publish()
        return store

    @classmethod
    def continued(cls, source: FileSource, checkpoint: Checkpoint, info: RunInfo) -> FileStore:
        """The run in `source` cut back to `checkpoint`, ready to be appended to; `info` replaces the one
        stored.

        The kept part is copied to a new file which then replaces the old one: being killed meanwhile loses
        nothing.
        """
        initial = {key: source.initial(key) for key in info.quantities}
        store = cls(source.path, info, initial, len(checkpoint.state))
        # A run that stopped may have added its last state between the thinned ones: that row goes.
        outputs = checkpoint.step // info.record_every
        for name, column in store._columns.items():
            kept = outputs if name == OUTPUT_INDEX or name.startswith("outputs/") else checkpoint.step
            rows = max(COPY_BYTES // max(source.row_bytes(name), 1), 1)
            for start in range(0, kept, rows):
                column.append(source.read(name, slice(start, min(start + rows, kept))))
        store.checkpoint(checkpoint.step, checkpoint.state, checkpoint.memo)
        store.log(source.read_log())
        store._publish()
        return store

    def _growing_bytes(self, name: str, rows: int) -> h5py.Dataset:
        return self._file.create_dataset(name, (rows, 0), "u1", maxshape=(rows, None), chunks=(rows, 4096))

    def _publish(self) -> None:
        self._file.swmr_mode = True
        self._file.flush()
        os.replace(self._building, self.path)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Errors of the file system, with what to do about them."""
        try:
            yield
        except (OSError, RuntimeError) as error:  # h5py raises both
            raise RecordingFailed(
                f"results file {self.path}: it cannot be written any more ({error}); what was stored is kept: "
                "make room, then go on with resume"
            ) from error

    def append(self, block: Block) -> None:
        """Write and flush a block of rows."""
        with self._writing():
            for name, rows in block.items():
                self._columns[name].append(rows)
            self._file.flush()

    def checkpoint(self, step: int, state: np.ndarray, memo: Mapping[str, Any]) -> None:
        """Store what is needed to go on after `step`; every row up to it must have been appended before."""
        text = json.dumps({**memo, "step": step}, default=to_plain).encode()
        slot = self._slot
        self._slot = (slot + 1) % SLOTS
        with self._writing():
            self._state[slot] = state
            write_bytes(self._memo, slot, text)
            self._seal[slot] = seal(state, text)
            self._file.flush()

    def log(self, entries: Mapping[str, Any]) -> None:
        """Replace the run's log: status, reason, seconds, energy scale."""
        with self._writing():
            write_bytes(self._log, 0, json.dumps(dict(entries), default=to_plain).encode())
            self._file.flush()

    def close(self) -> None:
        """Close the file; nothing can be written any more."""
        self._file.close()


def write_info(file: h5py.File, info: RunInfo) -> None:
    """Store what is known before the run, as attributes and JSON texts."""
    file.attrs["format_version"] = FORMAT_VERSION
    file.attrs["fem_mbd_version"] = info.version
    for name in INFO_ATTRIBUTES:
        file.attrs[name] = getattr(info, name)
    file.attrs["energy"] = list(info.energy)
    file.attrs["quantities"] = json.dumps(info.quantities)
    for name, data in (("model", info.model), ("parameters", info.parameters)):
        file.create_dataset(name, data=np.bytes_(json.dumps(data, default=to_plain).encode()))


def write_bytes(dataset: h5py.Dataset, row: int, text: bytes) -> None:
    """Write `text` into a row of a byte dataset, padded with zeros, making the rows longer where needed."""
    if dataset.shape[1] < len(text):
        dataset.resize(len(text), axis=1)
    padded = np.zeros(dataset.shape[1], np.uint8)
    padded[: len(text)] = np.frombuffer(text, np.uint8)
    dataset[row] = padded


def seal(state: np.ndarray, text: bytes) -> int:
    """Checksum of a checkpoint, never 0 (an empty slot)."""
    return zlib.crc32(text, zlib.crc32(np.ascontiguousarray(state, np.float64).tobytes())) or 1
