"""Where an array's numbers lie.

A run lists some three hundred arrays. numpy and ctypes tell an address in 0.4 to 1.2 us, which was a sixth of the time
of listing. numpy's C interface says where it stands within the array's own object (`PyArrayObject.data`, behind what
every Python object begins with), and compiled extensions read it there; so does this.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import numpy as np

_WORD = 8  # bytes
_DATA = object.__basicsize__ // _WORD  # words of an object before its own
# all memory as words: only those of living arrays are read
_memory: Any = (ctypes.c_int64 * 2**58).from_address(0)


def _asked(array: Any) -> int:
    """Of an array's first entry, as numpy tells it."""
    return int(array.ctypes.data)


def _read(array: Any) -> int:
    """Of an array's first entry."""
    return int(_memory[id(array) // _WORD + _DATA])


def _can_read() -> bool:
    """Whether objects are laid out as said above."""
    if sys.implementation.name != "cpython" or ctypes.sizeof(ctypes.c_void_p) != _WORD:
        return False
    sample = np.zeros((3, 4))
    return all(_read(array) == _asked(array) for array in (sample, sample[1:, ::2], sample[:0]))


address_of_array = _read if _can_read() else _asked
