"""File object through which h5py reads an HDF5 file that is damaged or still being written.

HDF5 refuses a file that its writer left open (a killed or running one) unless it is opened for "single writer,
multiple readers", and then repeats the reading of damaged metadata a hundred times with pauses that double: it hangs.
Here such a file is opened as an ordinary one. The library reads it through an object that presents a superblock
without the writer's flag and with another end of the file: the true size for a file closed by its writer, so that data
beyond it are an error; otherwise an address far away, since the file may grow while it is read. Missing bytes are read
as zeros, which fail every checksum.

Source: HDF5 File Format Specification 3.0, section II.A, superblock versions 2 and 3; its checksum is Bob Jenkins'
lookup3 (`hashlittle`, initial value 0).
"""

from __future__ import annotations

import io
import os
import struct
from pathlib import Path

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
