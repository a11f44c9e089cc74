"""Calls of kernels with dual numbers, made from calls with real numbers."""

from __future__ import annotations

from array import array as packed
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np

from fem_mbd.core.compiled import libraries
from fem_mbd.core.compiled.calls import Call, Check, Listed, Number, Task
from fem_mbd.core.compiled.duals.entries import dual_signatures, dual_symbol
from fem_mbd.core.compiled.duals.layout import FLOAT, holds_numbers
from fem_mbd.core.compiled.duals.memory import Shadow
from fem_mbd.core.compiled.duals.number import WIDTH
from fem_mbd.core.compiled.signatures import HEAD, Array, flat
from fem_mbd.errors import InputError

ENTRIES = "entries"  # field of records of laws


class DualCall(Call):
    """A call of a kernel with dual numbers in the place of its arrays.

    Parameters
    ----------
    call : with plain numbers
    shadow : that has the dual numbers of arrays

    Attributes
    ----------
    returned : (k, width) what the kernel has returned

    Raises
    ------
    InputError
        Where the kernel is not compiled for dual numbers, as those of a user's own parts.
    """

    def __init__(self, call: Call, shadow: Shadow):
        super().__init__(call.kernel, *call.arguments)
        self._members = [
            np.array([a]) if isinstance(a, np.void) else a for a in flat(call.arguments)
        ]  # a record by its address
        entry = call.kernel.entry_for(call.arguments)
        self._signature, self._shadow = entry.signature, shadow
        self.returned = np.zeros((len(entry.signature.returns), WIDTH))
        if any(holds_numbers(kind.dtype) for kind in entry.signature.flat):
            number = call.kernel.signatures.index(entry.signature)
            if number not in dual_signatures(call.kernel) or not libraries.library_of(
                call.kernel.symbol(number)
            ):
                raise InputError(
                    f"{call.kernel.__module__}.{call.kernel.__name__} has no derivatives: it is not one of the "
                    "package's kernels of a step; parts and laws of your own cannot be differentiated"
                )
            self._symbol = dual_symbol(call.kernel, number)
        else:
            self._symbol = call.kernel.symbol(call.kernel.signatures.index(entry.signature))
        for one in self._members:
            if isinstance(one, np.ndarray):
                _refuse_own_laws(one)
                shadow.block(one)
            elif isinstance(one, Number):
                shadow.block(one.array)

    @cached_property
    def listed(self) -> Listed:
        """Found once, for any number of lists."""
        words = [0] * HEAD
        held: list[Any] = []
        for kind, one in zip(self._signature.flat, self._members, strict=True):
            if isinstance(kind, Array):
                words += self._shadow.words(one)
            elif kind.by_value:
                words.append(int(one))
            elif kind.is_record:
                words.append(self._shadow.block(one).place(one)[0])
            else:
                words += self._number(one, held)
        if len(self.returned) and self._symbol.endswith(".dual"):
            words += _duals(self.returned)
        table = packed("q", words)
        return Listed((libraries.address_of(self._symbol), table.buffer_info()[0], 0, 0), (table, held))

    def _number(self, one: Any, held: list[Any]) -> tuple[int, ...]:
        """A number as an array of one."""
        if isinstance(one, Number):
            return self._shadow.words(one.array[one.place : one.place + 1])
        constant = np.zeros(WIDTH)
        constant[0] = float(one)
        held.append(constant)
        return _duals(constant[None])

    def raise_error(self) -> None:
        """What the kernel raises with plain numbers, which were the same."""
        super().raise_error()
        raise RuntimeError(f"{self._symbol} raises what it does not with plain numbers")


def _refuse_own_laws(records: Any) -> None:
    """InputError for records of laws that hold addresses of kernels of the user's."""
    if ENTRIES in (records.dtype.names or ()) and records[ENTRIES].any():
        raise InputError("a law of your own has no derivatives: its kernels are compiled for plain numbers")


def _duals(array: Any) -> tuple[int, ...]:
    """Numbers (k, width) in the table of words of an entry."""
    size = array.shape[1] * FLOAT.itemsize
    return (0, 0, len(array), size, int(array.ctypes.data), len(array), size)


def dual_calls(tasks: Iterable[Task], shadow: Shadow, where: str) -> list[DualCall]:
    """Calls with dual numbers for those of a phase.

    Parameters
    ----------
    tasks : of the phase; those that only look are left out
    shadow : that has the dual numbers of arrays
    where : what the tasks belong to, for messages

    Raises
    ------
    InputError
        Where a task is a function in Python.
    """
    found = []
    for task in tasks:
        if isinstance(task, Check):
            continue
        if not isinstance(task, Call):
            owner = getattr(getattr(task, "func", task), "__qualname__", repr(task))
            raise InputError(
                f"{where} calls {owner} in Python, which has no derivatives: give functions of time as shapes, tables "
                "or numbers (fem_mbd.Harmonic, Table …), and use parts and laws of the package"
            )
        found.append(DualCall(task, shadow))
    return found
