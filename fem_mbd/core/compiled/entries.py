"""Class `Entry`: the machine code of a kernel for one signature, and its call from Python."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from fem_mbd.core.compiled import in_python, libraries
from fem_mbd.core.compiled.signatures import FUNCTION, Signature


class Entry:
    """A kernel's machine code for one of its signatures.

    Parameters
    ----------
    kernel : the `Kernel`
    number : of the signature
    """

    def __init__(self, kernel: Any, number: int):
        self._kernel, self._number = kernel, number
        self.signature: Signature = kernel.signatures[number]

    @cached_property
    def address(self) -> int:
        """Of the machine code: in a library, or compiled now for kernels of no library."""
        symbol = self._kernel.symbol(self._number)
        found = libraries.address_of(symbol) if libraries.library_of(symbol) else self._now()
        _known[found] = self
        return found

    def _now(self) -> int:
        """Compiled now; without numba a function that calls Python, which is slower."""
        try:  # by its name: what builds libraries stands above what uses them
            now = importlib.import_module("fem_mbd.core.compiled.build.at_run_time")
        except ImportError:
            return in_python.address_of(self._kernel.in_python, self._kernel.__qualname__, self.signature)
        return int(now.address_of(self._kernel, self._number))

    @cached_property
    def _compiled(self) -> Callable[[int], int]:
        return FUNCTION(self.address)

    def call(self, arguments: Sequence[Any]) -> Any:
        """What the kernel returns, as Python's numbers.

        Raises
        ------
        ValueError
            What the kernel raises.
        """
        missing = len(self.signature.arguments) - len(arguments)
        given = (*arguments, *(self._kernel.function.__defaults__ or ())[-missing:]) if missing else arguments
        table, held = self.signature.table(given)
        if self._compiled(table.buffer_info()[0]):
            self._kernel.in_python(*given)  # raises the same, in words
            raise RuntimeError(
                f"{self._kernel.symbol(self._number)}: machine code raises what Python does not"
            )
        del held
        return self.signature.read(table)


_known: dict[int, Entry] = {}


def entry_at(address: int) -> Entry:
    """The entry that has an address."""
    return _known[address]
