"""Layout of the results file: names of its objects, version, and the seals that tell whole data from damaged ones.

Every row of a column lies in one block; `/seals` has a row per block and in it, for each column of `/columns`, the
number of rows that the column has after the block and the CRC-32 of the bytes that the block added. What is written
once (`/info`, `/columns`, `/initial/*`) has its CRC-32 as attribute, a log in front of its text, a checkpoint in
`/checkpoint/seal`. `/log` and `/checkpoint` have two slots, used in turn: while one is written, or the run is killed at
it, the other is whole.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import h5py
import numpy as np

from fem_mbd.errors import InputError
from fem_mbd.runs.results.run_info import to_plain

FORMAT_VERSION = 4
RESULTS_NAME = "results.h5"
VERSION, INFO, COLUMNS, SEALS, LOG = "format_version", "info", "columns", "seals", "log"
CHECKPOINT_STATE, CHECKPOINT_MEMO, CHECKPOINT_SEAL = "checkpoint/state", "checkpoint/memo", "checkpoint/seal"
SLOTS = 2
SEAL = np.dtype([("rows", "<i8"), ("crc32", "<u4")])
# At most so many bytes of a column are read at once where all of it is needed.
PIECE_BYTES = 32_000_000
_CRC_DIGITS = 8


class DamagedFile(InputError):
    """A results file of which a part is missing or changed; the message says which part and what can be read."""


def checksum(data: np.ndarray | bytes, begun: int = 0) -> int:
    """CRC-32 of the bytes of an array, going on from that of what stands before it."""
    if isinstance(data, bytes) or not data.size:
        return zlib.crc32(data if isinstance(data, bytes) else b"", begun)
    # a view of the bytes: nothing is copied
    return zlib.crc32(np.ascontiguousarray(data).reshape(-1).view(np.uint8).data, begun)


def checksums(rows: np.ndarray, ends: Sequence[int]) -> list[int]:
    """CRC-32 of the bytes of each block of contiguous rows (m, ...), which end before the rows `ends`."""
    data = rows.reshape(-1).view(np.uint8).data if rows.size else b""
    size = len(data) // max(len(rows), 1)
    starts = (0, *ends[:-1])
    return [zlib.crc32(data[size * start : size * end]) for start, end in zip(starts, ends, strict=True)]


def checkpoint_seal(state: np.ndarray, text: bytes) -> int:
    """Checksum of a checkpoint, never 0 (an empty slot)."""
    return checksum(text, checksum(np.ascontiguousarray(state, np.float64))) or 1


def to_text(data: Any) -> bytes:
    """Plain data as JSON."""
    return json.dumps(data, default=to_plain).encode()


def sealed_text(number: int, entries: Mapping[str, Any]) -> bytes:
    """A run's log, the number of the log and plain data as JSON, with the text's checksum before it."""
    text = to_text([number, dict(entries)])
    return f"{checksum(text):0{_CRC_DIGITS}x}".encode() + text


def unsealed_text(sealed: bytes) -> tuple[int, dict[str, Any]] | None:
    """What `sealed_text` was given, log 0 without entries for no text; None when the text is not whole."""
    if not sealed:
        return 0, {}
    seal, text = sealed[:_CRC_DIGITS], sealed[_CRC_DIGITS:]
    if seal != f"{checksum(text):0{_CRC_DIGITS}x}".encode():
        return None
    number, entries = json.loads(text)
    return number, entries


def write_sealed(file: h5py.File, name: str, data: np.ndarray | np.bytes_) -> None:
    """Write a dataset once and for all, with its checksum as attribute."""
    dataset = file.create_dataset(name, data=data)
    dataset.attrs["crc32"] = np.uint32(checksum(data.tobytes()))


def read_sealed(file: h5py.File, name: str) -> Any:
    """What `write_sealed` wrote; ValueError when it has been changed."""
    data = file[name][()]
    if checksum(data.tobytes()) != int(file[name].attrs["crc32"]):
        raise ValueError(f"{name} has a wrong checksum")
    return data


def packed(dtype: np.dtype) -> np.dtype:
    """The same named fields without gaps between them: a gap's bytes are not stored and could not be checked."""
    if dtype.names is None:
        return dtype
    return np.dtype([(name, packed(dtype[name])) for name in dtype.names])
