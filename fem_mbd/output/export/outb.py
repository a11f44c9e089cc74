"""Writer and reader of OpenFAST's binary output files (`.outb`).

The file is a sequence of little-endian numbers (OpenFAST, NWTC library, "WrBinFAST", FileFmtID):

    int16        1: packed, with packed times; 2: packed, evenly spaced; 3: not packed; 4: as 2 with names of any length
    int16        length of names and units, of kind 4 only; 10 otherwise
    int32, int32 channels n without the time, instants m
    float64 x 2  factor and offset of the packed times (kind 1), or first time and step (s)
    float32 x 2n factors, then offsets of the channels (not of kind 3): packed = factor value + offset
    int32, text  length of the description, and it
    text         (n + 1) names, then (n + 1) units, the time's first
    int32 x m    packed times, of kind 1
    int16 x mn   packed values, instant by instant; float64 of kind 3
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.errors import InputError

PACKED_TIMES, EVEN, PLAIN, LONG_NAMES = 1, 2, 3, 4
NAME_LENGTH = 10  # characters of a name, except in kind 4
PACKED_MIN, PACKED_MAX = -32768.0, 32767.0  # of packed values
SAME_STEP = 1e-6  # fraction of the step: permitted deviation of evenly spaced times


@dataclass(frozen=True, eq=False)
class OutputFile:
    """Contents of an output file.

    Attributes
    ----------
    time : (m,) s
    channels : name to (m,); repeated names get the suffixes _2, _3, …
    units : name to unit, as in the file
    description : from the file
    """

    time: Array
    channels: dict[str, Array]
    units: dict[str, str]
    description: str = ""


def write_outb(
    path: str | Path,
    time: Array,
    channels: Mapping[str, Array],
    units: Mapping[str, str],
    description: str = "",
) -> Path:
    """Write channels as OpenFAST does, packed into 16 bits: with a resolution of 1.5e-5 of the range of each.

    Parameters
    ----------
    path : of the file, whose folder is created if necessary
    time : (m,) s, at least two, ascending
    channels : name to (m,)
    units : name to unit
    description : one line of text

    Raises
    ------
    InputError
        For no channels, or histories that are not finite or not of the length of the time.
    """
    names, t = list(channels), np.asarray(time, dtype=float)
    values = np.array([np.asarray(channels[name], dtype=float) for name in names])
    if not names or values.shape != (len(names), len(t)) or len(t) < 2 or not np.all(np.isfinite(values)):
        raise InputError(f"{path}: give channels of finite numbers, one for each of at least two times")
    longest = max(NAME_LENGTH, *(len(text) + 2 for text in (*names, *units.values())))
    low, high = values.min(axis=1), values.max(axis=1)
    factor = np.where(high > low, (PACKED_MAX - PACKED_MIN) / np.where(high > low, high - low, 1.0), 1.0)
    factor = factor.astype(np.float32)
    offset = (PACKED_MIN - factor * low).astype(np.float32)
    packed = np.rint(factor[:, None].astype(float) * values + offset[:, None])
    step = float(t[-1] - t[0]) / (len(t) - 1)
    even = bool(np.abs(np.diff(t) - step).max() <= SAME_STEP * step)
    kind = LONG_NAMES if even else PACKED_TIMES
    width = longest if kind == LONG_NAMES else NAME_LENGTH
    head = [np.array([kind], "<i2").tobytes()]
    head += [np.array([width], "<i2").tobytes()] if kind == LONG_NAMES else []
    head.append(np.array([len(names), len(t)], "<i4").tobytes())
    scale = (2.0**31 - 2) / (t[-1] - t[0])
    times = (scale, -scale * t[0]) if kind == PACKED_TIMES else (t[0], step)
    head += [np.array(times, "<f8").tobytes(), factor.astype("<f4").tobytes(), offset.astype("<f4").tobytes()]
    text = description.encode("latin-1", "replace")
    head += [np.array([len(text)], "<i4").tobytes(), text]
    for first, rest in (("Time", names), ("(s)", [f"({_ascii(units[name])})" for name in names])):
        head += [_ascii(word).encode("latin-1", "replace")[:width].ljust(width) for word in (first, *rest)]
    if kind == PACKED_TIMES:
        head.append(np.rint(scale * (t - t[0])).astype("<i4").tobytes())
    head.append(np.clip(packed, PACKED_MIN, PACKED_MAX).astype("<i2").T.tobytes())
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"".join(head))
    return file


def _ascii(text: str) -> str:
    """Units in ASCII as OpenFAST writes them."""
    return text.replace("N m", "N-m")


def read_outb(path: str | Path) -> OutputFile:
    """The channels of a file of OpenFAST or of `write_outb`.

    Parameters
    ----------
    path : of the file

    Raises
    ------
    InputError
        For a file that cannot be read, has another format, or ends too early; the message says where.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"output file '{path}' cannot be read: {error.strerror or error}") from error
    reader = _Reader(path, data)
    kind = int(reader.take("<i2", 1, "the kind of file")[0])
    if kind not in (PACKED_TIMES, EVEN, PLAIN, LONG_NAMES):
        raise InputError(
            f"{path}: its kind is {kind}, which is not a kind of OpenFAST's binary output (1 to 4)"
        )
    width = int(reader.take("<i2", 1, "the length of names")[0]) if kind == LONG_NAMES else NAME_LENGTH
    n, m = (int(x) for x in reader.take("<i4", 2, "the numbers of channels and times"))
    if n < 0 or m < 0 or width < 1:
        raise InputError(f"{path}: its header has {n} channels, {m} times, names of {width} characters")
    size = 8 if kind == PLAIN else 2
    if 2 * width * (n + 1) + size * n * m > len(data):
        raise InputError(f"{path}: the file ends, at byte {len(data)}, within its {n} channels of {m} times")
    time_1, time_2 = (float(x) for x in reader.take("<f8", 2, "the times"))
    factor, offset = (np.ones(n), np.zeros(n))
    if kind != PLAIN:
        factor, offset = (reader.take("<f4", n, "the factors and offsets").astype(float) for _ in range(2))
    description_text = reader.text(
        int(reader.take("<i4", 1, "the length of the description")[0]), "the description"
    )
    names = _distinct([reader.text(width, "the names").strip() for _ in range(n + 1)][1:])
    units = [reader.text(width, "the units").strip().strip("()") for _ in range(n + 1)][1:]
    if kind == PACKED_TIMES:
        time = (reader.take("<i4", m, "the times") - time_2) / time_1
    else:
        time = time_1 + time_2 * np.arange(m)
    values = reader.take("<f8" if kind == PLAIN else "<i2", n * m, "the values").astype(float).reshape(m, n)
    with np.errstate(all="ignore"):
        channels = (values - offset) / factor
    return OutputFile(
        np.asarray(time, dtype=float),
        {name: channels[:, k] for k, name in enumerate(names)},
        dict(zip(names, units, strict=True)),
        description_text.strip(),
    )


def _distinct(names: list[str]) -> list[str]:
    """Names with a number added to repeated ones: an input file can request a channel twice."""
    unique: dict[str, None] = {}
    for name in names:
        number, candidate = 1, name
        while candidate in unique:
            number += 1
            candidate = f"{name}_{number}"
        unique[candidate] = None
    return list(unique)


class _Reader:
    """Reading position in the bytes of a file."""

    def __init__(self, path: str | Path, data: bytes):
        self.path, self.data, self.at = path, data, 0

    def take(self, kind: str, count: int, what: str) -> Array:
        size = np.dtype(kind).itemsize * count
        if count < 0 or self.at + size > len(self.data):
            raise InputError(f"{self.path}: the file ends, at byte {len(self.data)}, within {what}")
        values = np.frombuffer(self.data, kind, count, self.at)
        self.at += size
        return values

    def text(self, count: int, what: str) -> str:
        return self.take("u1", count, what).tobytes().decode("latin-1")
