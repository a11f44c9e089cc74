"""Reader of the HDF5 results file: checked columns on demand, and the newest intact checkpoint.

`CheckedColumns` reads columns block by block and verifies them against their checksums.

`FileSource` is the source of a result. Every row is checked before it is returned. A file that was cut off is read up
to the last intact block, with a `DamageWarning` that says what is lost. In a file whose bytes were changed, reading the
changed part is an error unless the file was opened with `scan`, which treats it as one that was cut off.

`Hdf5Image` is what h5py reads a file through that is damaged or still being written. HDF5 refuses a file that its
writer left open (a killed or running one) unless it is opened for "single writer, multiple readers", and then repeats
the reading of damaged metadata a hundred times with pauses that double: it hangs. Here such a file is opened as an
ordinary one, through an object that presents a superblock without the writer's flag and with another end: the true size
for a file closed by its writer, so that data beyond it are an error; otherwise an address far away, since the file may
grow while it is read. Missing bytes are zeros, which fail every checksum.

HDF5 File Format Specification 3.0, section II.A, superblocks 2 and 3; checksum: Bob Jenkins' lookup3 (initial value 0).
"""

from __future__ import annotations

import io
import json
import os
import struct
import warnings
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from fem_mbd.errors import FemMbdWarning, InputError
from fem_mbd.runs.results.hdf5 import layout
from fem_mbd.runs.results.hdf5.layout import (
    BLOCK_CHECKSUMS,
    COLUMNS,
    PIECE_BYTES,
    DamagedFile,
    checksums,
    read_checksummed,
)
from fem_mbd.runs.results.run_info import RunInfo
from fem_mbd.runs.results.store import Blocks

_SUPERBLOCK = struct.Struct("<8sBBBBQQQQ")
_BYTES = _SUPERBLOCK.size + 4
_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_SPARE_BYTES = 1 << 50
_WORD = 0xFFFFFFFF


class Hdf5Image(io.RawIOBase):
    """The bytes of an HDF5 file, for `h5py.File(image, "r")`.

    Attributes
    ----------
    missing : bytes missing at the end of the file; 0 unless its writer closed it
    end : the end of the file as HDF5 sees it, bytes
    closed_by_writer : whether the writer closed the file; one still running or killed did not

    Raises
    ------
    OSError
        When the file cannot be opened, or is not an HDF5 file with a whole superblock of version 2 or 3.
    """

    def __init__(self, path: Path) -> None:
        self._handle = os.open(path, os.O_RDONLY)
        self._position = 0
        size = os.fstat(self._handle).st_size
        stored = os.pread(self._handle, _BYTES, 0)
        self._head, self.end, self.missing, self.closed_by_writer = _ordinary_superblock(stored, size)

    def readable(self) -> bool:
        """Always true."""
        return True

    def seekable(self) -> bool:
        """Always true."""
        return True

    def tell(self) -> int:
        """Current position, bytes."""
        return self._position

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Set the position, in bytes from the beginning, the current position or the end."""
        self._position = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self.end}[whence]
        return self._position

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill the buffer, with zeros beyond the end of the file."""
        target, filled = memoryview(buffer).cast("B"), 0
        while filled < len(target):
            count = os.preadv(self._handle, [target[filled:]], self._position + filled)
            if not count:
                target[filled:] = bytes(len(target) - filled)
                break
            filled += count
        overlap = self._head[self._position : self._position + len(target)]
        target[: len(overlap)] = overlap
        self._position += len(target)
        return len(target)

    def close(self) -> None:
        """Close the file; also done when the object is garbage-collected."""
        if not self.closed and hasattr(self, "_handle"):
            os.close(self._handle)
        super().close()


def _ordinary_superblock(stored: bytes, size: int) -> tuple[bytes, int, int, bool]:
    """Superblock with the writer's flag cleared, its end of file, missing bytes, and whether the flag was clear."""
    if not stored.startswith(_SIGNATURE):
        raise OSError("it is not an HDF5 file")
    if len(stored) < _BYTES or stored[8:11] not in (b"\2\x08\x08", b"\3\x08\x08"):
        raise OSError("not written by this package, or its first bytes are missing")
    if int.from_bytes(stored[_SUPERBLOCK.size :], "little") != lookup3(stored[: _SUPERBLOCK.size]):
        raise OSError("its first bytes are damaged")
    *kind, flags, base, extension, end, root = _SUPERBLOCK.unpack_from(stored)
    apparent_end = size + _SPARE_BYTES if flags else size
    head = _SUPERBLOCK.pack(*kind, 0, base, extension, apparent_end, root)
    missing = 0 if flags else max(end - size, 0)
    return head + lookup3(head).to_bytes(4, "little"), apparent_end, missing, not flags


def lookup3(data: bytes) -> int:
    """Jenkins' hash lookup3, HDF5's checksum of metadata."""
    a = b = c = (0xDEADBEEF + len(data)) & _WORD
    full = (len(data) - 1) // 12 * 12
    for at in range(0, full, 12):
        words = struct.unpack_from("<3I", data, at)
        a, b, c = _mix((a + words[0]) & _WORD, (b + words[1]) & _WORD, (c + words[2]) & _WORD)
    words = struct.unpack("<3I", data[full:].ljust(12, b"\0"))
    return _final((a + words[0]) & _WORD, (b + words[1]) & _WORD, (c + words[2]) & _WORD)


def _rotated_bits(value: int, bits: int) -> int:
    return ((value << bits) | (value >> (32 - bits))) & _WORD


def _mix(a: int, b: int, c: int) -> tuple[int, int, int]:
    for bits in (4, 6, 8, 16, 19, 4):
        # one line of the original's mix(); after each, the three variables rotate
        a = ((a - c) & _WORD) ^ _rotated_bits(c, bits)
        c = (c + b) & _WORD
        a, b, c = b, c, a
    return a, b, c


def _final(a: int, b: int, c: int) -> int:
    for bits in (14, 11, 25, 16, 4, 14, 24):
        # one line of the original's final(); after each, the three variables rotate
        c = ((c ^ b) - _rotated_bits(b, bits)) & _WORD
        a, b, c = b, c, a
    return b


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


DAMAGED = "damaged"
# A file still being written, or of a killed run, may lack part of its last blocks; one more block lost is damage.
UNFINISHED_BLOCKS = 2


class DamageWarning(FemMbdWarning):
    """A results file is damaged; the message says what is lost and up to which time it can be read."""


@dataclass(frozen=True)
class Checkpoint:
    """A state from which a run can be resumed.

    Attributes
    ----------
    step : number of steps before it
    blocks : number of blocks of rows that belong to these steps
    state : `State.to_flat()` after the last of them
    memo : plain data
    """

    step: int
    blocks: int
    state: np.ndarray
    memo: dict[str, Any]


def results_path(path: str | Path) -> Path:
    """Path of the results file itself, or of the one in the given folder of a run; InputError when there is none."""
    path = Path(path)
    file = path / layout.RESULTS_NAME if path.is_dir() else path
    if not file.is_file():
        raise InputError(
            f"{path}: there is no results file here; give the folder of a run or its {layout.RESULTS_NAME}"
        )
    return file


class FileSource:
    """Source of a `Result`: the columns of a results file, read on demand.

    Parameters
    ----------
    path : the file or the folder of a run; finished, running or killed
    scan : read everything once at the start, to find all damage

    Attributes
    ----------
    info : description of the run, written before its first step
    damage : description of the lost data, empty while no damage is known

    Raises
    ------
    InputError
        When there is no file, it cannot be read, or it has the format of another version.
    DamagedFile
        When the intact part of the file is unusable.
    """

    def __init__(self, path: str | Path, *, scan: bool = False) -> None:
        self.path = results_path(path)
        self.damage = ""
        self._lost_initial: list[str] = []
        with self._reading("this cannot be read as a results file"):
            image = Hdf5Image(self.path)
            self._file = h5py.File(image, "r")
        # HDF5 must not close the file after the interpreter has shut down: it would call the image object.
        self._closer = weakref.finalize(self, _close, self._file, image)
        try:
            self._check_version()
            with self._reading("damaged beyond use"):
                self.info = RunInfo.from_json(
                    bytes(layout.read_checksummed(self._file, layout.INFO)).decode()
                )
                self._columns = CheckedColumns(self._file)
            self._log = self._stored_log(image.closed_by_writer)
            self._find_damage(scan, image.missing)
        except BaseException:
            self.close()
            raise

    @contextmanager
    def _reading(self, what: str) -> Iterator[None]:
        """Convert errors of h5py, json and the image about a damaged file into DamagedFile."""
        try:
            yield
        except InputError as error:
            raise DamagedFile(
                f"{self.path}: {error}; Result.open({str(self.path)!r}, scan=True) reads the intact part before it"
            ) from None
        except PermissionError as error:
            raise InputError(f"{self.path}: no permission to read it ({error.strerror})") from None
        except (OSError, RuntimeError, KeyError, ValueError, TypeError, AttributeError) as error:
            raise DamagedFile(f"{self.path}: {what} ({' '.join(str(error).split())})") from None

    def _check_version(self) -> None:
        with self._reading("damaged beyond use"):
            version = self._file.attrs.get(layout.VERSION)
            version = version if version is None else int(version)
        if version == layout.FORMAT_VERSION:
            return
        problem = (
            "not written by this package"
            if version is None
            else f"written in format {version}, this version of fem_mbd reads format {layout.FORMAT_VERSION}; "
            "read it with the version that wrote it, or run again"
        )
        raise InputError(f"{self.path}: {problem}")

    def _stored_log(self, closed: bool) -> dict[str, Any] | None:
        """The last log entries; None when they are lost.

        In a file that its writer has not closed one slot may be half written; then the previous log counts.
        """
        try:
            logs = [layout.parse_log(_text(slot)) for slot in self._file[layout.LOG][:]]
        except (OSError, RuntimeError, KeyError, ValueError, TypeError):
            return None
        intact = [log for log in logs if log is not None]
        if len(intact) + (not closed) < len(logs):
            return None
        return max(intact, key=lambda log: log[0])[1]

    def _find_damage(self, scan: bool, missing: int) -> None:
        """Leave out blocks that a running or killed run has not stored completely; report what else is lost."""
        columns, ended = self._columns, self._log is None or "status" in self._log
        allowed = 0 if ended else UNFINISHED_BLOCKS
        if not ended:
            while columns.blocks and not columns.is_intact(columns.blocks - 1):
                columns.truncate(columns.blocks - 1)
        if scan:
            self._lost_initial = [key for key in self.info.quantities if not self._has_initial(key)]
        if scan or missing or self._log is None or columns.stored_blocks - columns.blocks > allowed:
            columns.truncate(columns.intact_blocks())
            lost = missing or self._lost_initial or self._log is None
            if lost or columns.stored_blocks - columns.blocks > allowed:
                self._report(missing)

    def _report(self, missing: int) -> None:
        lost = [f"{missing} bytes are missing at its end"] if missing else []
        lost += ["its log is lost"] if self._log is None else []
        lost += [f"{name} before the first step is lost" for name in self._lost_initial]
        blocks = self._columns.stored_blocks - self._columns.blocks
        lost += [f"{blocks} of {self._columns.stored_blocks} blocks of rows are lost"] if blocks else []
        times = self.read("steps/time", slice(None))
        end = times[-1] if len(times) else self.info.start_time
        self.damage = f"{', '.join(lost)}; intact up to t = {end:.9g} s, {len(times)} steps"
        warnings.warn(f"{self.path} is damaged: {self.damage}", DamageWarning, stacklevel=5)

    def initial(self, key: str) -> np.ndarray:
        """An output before the first step."""
        with self._reading(f"{key} before the first step is lost"):
            return layout.read_checksummed(self._file, f"initial/{key}")

    def initial_names(self) -> tuple[str, ...]:
        """Outputs known before the first step: all of them unless a scan has found damage."""
        return tuple(key for key in self.info.quantities if key not in self._lost_initial)

    def _has_initial(self, key: str) -> bool:
        try:
            self.initial(key)
        except DamagedFile:
            return False
        return True

    def rows(self, name: str) -> int:
        """Number of rows of a column."""
        return self._columns.rows(name)

    def read(self, name: str, rows: slice) -> np.ndarray:
        """Rows of a column; DamagedFile when they fail their checksum."""
        with self._reading(f"{name} cannot be read"):
            return self._columns.read(name, rows)

    def read_log(self) -> dict[str, Any]:
        """The run's log: status "damaged" where part of the run is lost, empty while nothing has been logged."""
        log = dict(self._log or {})
        return {**log, "status": DAMAGED, "reason": self.damage} if self.damage else log

    def checkpoint(self) -> Checkpoint | None:
        """The newest intact checkpoint with all rows before it intact; None when there is none."""
        checkpoints = [self._checkpoint(slot) for slot in range(layout.SLOTS)]
        usable = [
            checkpoint
            for checkpoint in checkpoints
            if checkpoint and checkpoint.blocks <= self._columns.blocks
        ]
        return max(usable, key=lambda checkpoint: checkpoint.step, default=None)

    def _checkpoint(self, slot: int) -> Checkpoint | None:
        try:
            state = self._file[layout.CHECKPOINT_STATE][slot]
            text = _text(self._file[layout.CHECKPOINT_MEMO][slot])
            if int(self._file[layout.CHECKPOINT_CHECKSUM][slot]) != layout.checkpoint_checksum(state, text):
                return None
        except (OSError, RuntimeError, KeyError, ValueError):
            return None
        memo = json.loads(text)
        return Checkpoint(memo.pop("step"), memo.pop("blocks"), state, memo)

    def pieces(self, blocks: int) -> Iterator[Blocks]:
        """All columns of the first `blocks` blocks, in pieces small enough for memory."""
        with self._reading("its rows cannot be read"):
            yield from self._columns.pieces(blocks)

    def close(self) -> None:
        """Close the file."""
        self._closer()


def _close(file: h5py.File, image: Hdf5Image) -> None:
    file.close()
    image.close()


def _text(row: np.ndarray) -> bytes:
    return row.tobytes().rstrip(b"\0")
