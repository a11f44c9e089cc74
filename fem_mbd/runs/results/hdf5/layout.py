"""Layout of the HDF5 results file: names, format version, checksums that detect damaged data, and the file's lock.

Every row of a column belongs to one block. `/seals` has a row per block with, for each column of `/columns`, the number
of rows of the column up to the end of the block and the CRC-32 of the bytes in the block. Data written once (`/info`,
`/columns`, `/initial/*`) have their CRC-32 as an attribute; that of a log precedes its text, that of a checkpoint is in
`/checkpoint/seal`. `/log` and `/checkpoint` have two slots, used in turn: if the run is killed while one is written,
the other is intact.

`lock` and `FileLock` refuse a second process that would write to the same results file or run's folder.
"""

from __future__ import annotations

import fcntl
import json
import os
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from fem_mbd.errors import InputError
from fem_mbd.runs.results.run_info import to_plain

FORMAT_VERSION = 4
RESULTS_NAME = "results.h5"
VERSION, INFO, COLUMNS, BLOCK_CHECKSUMS, LOG = "format_version", "info", "columns", "seals", "log"
CHECKPOINT_STATE, CHECKPOINT_MEMO, CHECKPOINT_CHECKSUM = (
    "checkpoint/state",
    "checkpoint/memo",
    "checkpoint/seal",
)
SLOTS = 2
BLOCK_CHECKSUM = np.dtype([("rows", "<i8"), ("crc32", "<u4")])
# Largest number of bytes of a column read at once where the whole column is needed.
PIECE_BYTES = 32_000_000
_CRC_DIGITS = 8


class DamagedFile(InputError):
    """A results file of which a part is missing or changed; the message says which part, and how much can be read."""


def checksum(data: np.ndarray | bytes, previous: int = 0) -> int:
    """CRC-32 of the bytes of an array, continued from the CRC-32 `previous` of the preceding bytes."""
    if isinstance(data, bytes) or not data.size:
        return zlib.crc32(data if isinstance(data, bytes) else b"", previous)
    # a view of the bytes: no copy
    return zlib.crc32(np.ascontiguousarray(data).reshape(-1).view(np.uint8).data, previous)


def checksums(rows: np.ndarray, ends: Sequence[int]) -> list[int]:
    """CRC-32 of the bytes of each block of contiguous rows (m, ...); `ends` are the rows after the last of each
    block.
    """
    data = rows.reshape(-1).view(np.uint8).data if rows.size else b""
    size = len(data) // max(len(rows), 1)
    starts = (0, *ends[:-1])
    return [zlib.crc32(data[size * start : size * end]) for start, end in zip(starts, ends, strict=True)]


def checkpoint_checksum(state: np.ndarray, text: bytes) -> int:
    """Checksum of a checkpoint, never 0 (an empty slot)."""
    return checksum(text, checksum(np.ascontiguousarray(state, np.float64))) or 1


def to_text(data: Any) -> bytes:
    """Plain data as JSON."""
    return json.dumps(data, default=to_plain).encode()


def log_text(number: int, entries: Mapping[str, Any]) -> bytes:
    """Log of a run as text: checksum, number of the log, and plain data as JSON."""
    text = to_text([number, dict(entries)])
    return f"{checksum(text):0{_CRC_DIGITS}x}".encode() + text


def parse_log(line: bytes) -> tuple[int, dict[str, Any]] | None:
    """Inverse of `log_text`; log 0 without entries for an empty text, None when the text is damaged."""
    if not line:
        return 0, {}
    crc32, text = line[:_CRC_DIGITS], line[_CRC_DIGITS:]
    if crc32 != f"{checksum(text):0{_CRC_DIGITS}x}".encode():
        return None
    number, entries = json.loads(text)
    return number, entries


def write_checksummed(file: h5py.File, name: str, data: np.ndarray | np.bytes_) -> None:
    """Write a dataset that never changes, with its checksum as an attribute."""
    dataset = file.create_dataset(name, data=data)
    dataset.attrs["crc32"] = np.uint32(checksum(data.tobytes()))


def read_checksummed(file: h5py.File, name: str) -> Any:
    """Data written by `write_checksummed`; ValueError when they have changed."""
    data = file[name][()]
    if checksum(data.tobytes()) != int(file[name].attrs["crc32"]):
        raise ValueError(f"{name} has a wrong checksum")
    return data


def packed(dtype: np.dtype) -> np.dtype:
    """The same named fields without gaps between them: the bytes of a gap are not stored and could not be checked."""
    if dtype.names is None:
        return dtype
    return np.dtype([(name, packed(dtype[name])) for name in dtype.names])


def lock(handle: int, location: Path) -> None:
    """Lock an open file or folder, until its handle is closed.

    Raises
    ------
    InputError
        When another process has locked it.
    """
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError(
            f"{location}: another run is writing there; wait until it ends or give another path"
        ) from None
    except OSError:
        # Some network file systems have no locks; there the user has to prevent two writers.
        return


class FileLock:
    """Exclusive access to the file at `path`, which is first written beside it under another name.

    Both names are locked: a run being resumed uses the final name, a new one the temporary name. The lock belongs to
    the file, not to its name, so it persists when the file is renamed.
    """

    def __init__(self, path: Path, temporary: Path) -> None:
        self._handles: list[int] = []
        try:
            if path.exists():
                self._acquire(path, path, os.O_RDONLY)
            self._acquire(temporary, path, os.O_RDWR | os.O_CREAT)
        except BaseException:
            self.release()
            raise

    def _acquire(self, file: Path, location: Path, flags: int) -> None:
        while True:
            handle = os.open(file, flags, 0o666)
            self._handles.append(handle)
            lock(handle, location)
            if _is_same_file(handle, file):
                return
            # The file was renamed between opening and locking: the name belongs to another file now.
            if not flags & os.O_CREAT and not file.exists():
                return

    def release(self) -> None:
        """Release the locks."""
        while self._handles:
            os.close(self._handles.pop())


def _is_same_file(handle: int, file: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.stat(file))
    except FileNotFoundError:
        return False
