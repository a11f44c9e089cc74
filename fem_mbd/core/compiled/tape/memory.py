"""The memory of the tape, and adjoints of its operations.

There is one tape in a process: its libraries of kernels have its address (`recording.ll` of the build writes into it).
"""

from __future__ import annotations

from array import array as packed
from functools import cache
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.compiled import libraries
from fem_mbd.core.compiled.duals.entries import memory_symbol
from fem_mbd.core.compiled.duals.number import RECORDED
from fem_mbd.core.compiled.signatures import FUNCTION, HEAD
from fem_mbd.core.compiled.tape.sweeps import PAGE, add_rows, backward2, backward8

START = 1 << 16  # operations that there is room for at first
SWEEPS = {2: backward2, 8: backward8}


class Tape:
    """Operations 0 to ``count`` - 1; number 0 is that of constants, and the first ones are inputs without operands.

    Attributes
    ----------
    adjoints : (room, lanes) derivatives of outputs by each operation
    """

    def __init__(self) -> None:
        self._head = np.zeros(3, dtype=np.int64)
        self.adjoints: Array = np.zeros((0, 2))
        self._room(START)

    def _room(self, count: int) -> None:
        self._slopes = np.empty((count + 1, 4))
        self._numbers = self._slopes.view(np.int64)
        self._head[1:] = count, self._slopes.ctypes.data
        self.lanes(self.adjoints.shape[1])

    def lanes(self, count: int) -> None:
        """Make adjoints of so many outputs, 2 or 8, all zero."""
        self.adjoints = np.zeros((len(self._slopes), count))
        self._marks = np.zeros((len(self._slopes) >> PAGE) + 1, dtype=np.int64)

    def begin(self, inputs: int) -> None:
        """Forget all operations; numbers 1 to ``inputs`` are inputs."""
        while self._head[1] < 2 * inputs:
            self._room(2 * int(self._head[1]))
        self._numbers[: inputs + 1] = 0
        self._head[0] = inputs + 1

    @property
    def count(self) -> int:
        """Number of the next operation."""
        return int(self._head[0])

    @property
    def memory(self) -> tuple[Any, ...]:
        """What kernels need of it: head, numbers, slopes, adjoints (flat), marks, lanes."""
        return (
            self._head, self._numbers, self._slopes, self.adjoints.reshape(-1), self._marks, self.adjoints.shape[1],
        )  # fmt: skip

    def reserve(self, count: int) -> bool:
        """Whether there was no room for so many operations in all: then there is now, and nothing is recorded."""
        small = count >= self._head[1]
        while count >= self._head[1]:
            self._head[0] = self._head[1]
            self.enlarge()
        return bool(small)

    def enlarge(self) -> bool:
        """Whether operations have been lost for want of room: then there is twice as much, and nothing recorded."""
        full = self._head[0] >= self._head[1]
        if full:
            held = self.adjoints
            self._room(2 * int(self._head[1]))
            self.adjoints[: len(held)], self._marks[:] = held, 1
        return bool(full)

    def add(self, places: Indices, amounts: Array) -> None:
        """Add amounts (k, lanes) to the adjoints of operations (k,)."""
        add_rows(self.adjoints, places, np.ascontiguousarray(amounts), self._marks)

    def back(self, first: int, behind: int) -> None:
        """Go through operations from ``behind`` - 1 to ``first``, whose adjoints become zero."""
        lanes = self.adjoints.shape[1]
        SWEEPS[lanes](self._numbers, self._slopes, first, behind, self.adjoints.reshape(-1), self._marks)

    def place(self, library: str) -> None:
        """Tell a library of recorded numbers, and those that it calls, where the tape is.

        Parameters
        ----------
        library : whose kernels are recorded, "beams"
        """
        if library in _placed:
            return
        _placed.add(library)
        words = packed("q", [*[0] * HEAD, int(self._head.ctypes.data)])
        FUNCTION(libraries.address_of(memory_symbol(library)))(words.buffer_info()[0])
        prefix = f"{RECORDED.name}-"
        label = libraries.Label.read(libraries.label_of(libraries.file_of(f"{prefix}{library}")))
        for other in label.needs if label else ():
            self.place(other.removeprefix(prefix))


_placed: set[str] = set()


@cache
def the_tape() -> Tape:
    """The tape of this process."""
    return Tape()
