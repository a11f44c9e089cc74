"""Class `Entry`: the machine code of a kernel for one signature, and its call from Python."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

from numpy import ndarray

from fem_mbd.core.compiled import in_python, libraries, raised
from fem_mbd.core.compiled.signatures import FUNCTION, Argument, Group, Signature, flat


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
        compiler = _compiler()
        if compiler is not None:
            return int(compiler.address_of(self._kernel, self._number))
        in_python.warn_of_slowness(self._kernel.__qualname__)
        # who calls it finds what it raises by calling it in Python once more
        return in_python.address_of(self._kernel.in_python, self.signature, lambda *_: None)

    @cached_property
    def address_for_records(self) -> int:
        """Address by which compiled code calls the kernel and goes on, whatever it raises: see `raised`."""
        compiler = _compiler()
        if compiler is None:
            in_python.warn_of_slowness(self._kernel.__qualname__)
        found = in_python.address_of(
            self._kernel.in_python, self.signature, partial(raised.keep, self._kernel)
        )
        if compiler is not None:
            found = int(compiler.guarded(self.address, found))
        _known[found] = self
        return found

    @cached_property
    def _compiled(self) -> Callable[[int], int]:
        return FUNCTION(self.address)

    def call(self, arguments: Sequence[Any]) -> Any:
        """What the kernel returns, as Python's numbers.

        Raises
        ------
        ValueError
            What the kernel raises; when it writes into a read-only array, which stays as it is.
        """
        missing = len(self.signature.arguments) - len(arguments)
        given = (*arguments, *(self._kernel.function.__defaults__ or ())[-missing:]) if missing else arguments
        members = flat(given)
        copies = {k: a.copy() for k, a in enumerate(members) if type(a) is ndarray and not a.flags.writeable}
        table, held = self.signature.table(
            [copies.get(k, a) for k, a in enumerate(members)] if copies else members
        )
        failed = self._compiled(table.buffer_info()[0])
        raised.raise_kept()
        if failed:
            self._kernel.in_python(*given)  # raises the same, in words
            raise RuntimeError(
                f"{self._kernel.symbol(self._number)}: machine code raises what Python does not"
            )
        for place, copy in copies.items():
            if copy.tobytes() != members[place].tobytes():
                name = self._name_of(place)
                raise ValueError(
                    f"{self._kernel.__name__} writes into {name}, a read-only array: give it a copy"
                )
        del held
        return self.signature.read(table)

    def _name_of(self, place: int) -> str:
        """Name of an argument, or of a member of a group, by its place among all of them."""
        names = self._kernel.function.__code__.co_varnames[: len(self.signature.arguments)]
        found: list[str] = []
        for name, kind in zip(names, self.signature.arguments, strict=True):
            found += _names(name, kind)
        return found[place]


def _names(name: str, kind: Argument) -> list[str]:
    if not isinstance(kind, Group):
        return [name]
    fields = zip(kind.of._fields, kind.members, strict=True)  # type: ignore[attr-defined]
    return [one for field, member in fields for one in _names(f"{name}.{field}", member)]


def _compiler() -> Any:
    """What compiles kernels of no library, None without numba; by its name, as it stands above what uses it."""
    try:
        return importlib.import_module("fem_mbd.core.compiled.build.at_run_time")
    except ImportError:
        return None


_known: dict[int, Entry] = {}


def entry_at(address: int) -> Entry:
    """The entry that has an address."""
    return _known[address]
