"""Calls of kernels with dual numbers, made from calls with real numbers.

In memory each float64 becomes `WIDTH` words in a row, the first of them its value. A record's float64 lie in this way
in the order that they had, and what is no float64 behind them, in a copy of the record as it was; a record of nothing
but float64 has no such copy. The builder and the callers of kernels share this layout (`bytes_of`, `offset_of`).

Every array of a call is a view of memory that some array owns. That memory has one `Block` of such numbers beside it,
in which every view lies at the same place, so that what one call writes another one reads. A `Shadow` has the blocks of
all arrays of some calls.

`dual_symbol` names the entries of kernels for dual numbers, which a `DualCall` calls in the place of a `Call`.
"""

from __future__ import annotations

from array import array as packed
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np

from fem_mbd.core.compiled import libraries
from fem_mbd.core.compiled.calls import Call, Check, Listed, Number, Task
from fem_mbd.core.compiled.dual_numbers import WIDTH
from fem_mbd.core.compiled.signatures import HEAD, Array, Scalar, Signature, address_of, flat
from fem_mbd.errors import InputError

FLOAT = np.dtype("f8")


def holds_numbers(dtype: np.dtype[Any]) -> bool:
    """Whether a type is float64 or a record that holds some."""
    return dtype == FLOAT or (
        dtype.fields is not None and any(holds_numbers(field.base) for field, *_ in dtype.fields.values())
    )


def only_numbers(dtype: np.dtype[Any]) -> bool:
    """Whether a type is float64 or a record of nothing else, without gaps."""
    if dtype.fields is None:
        return dtype == FLOAT
    fields = [field for field, *_ in dtype.fields.values()]
    return (
        all(field.base == FLOAT for field in fields)
        and sum(field.itemsize for field in fields) == dtype.itemsize
    )


def bytes_of(dtype: np.dtype[Any]) -> int:
    """Of an entry of this type with such numbers."""
    return dtype.itemsize * (WIDTH if only_numbers(dtype) else WIDTH + 1)


def offset_of(dtype: np.dtype[Any], offset: int, base: np.dtype[Any]) -> int:
    """Where a field of type ``base`` lies, from where it was in a record."""
    return WIDTH * offset if base == FLOAT else WIDTH * dtype.itemsize + offset


LINE = 64  # bytes of a line of the processor's cache, at whose multiples blocks begin


def owner_of(array: Any) -> Any:
    """The array that owns the memory of a view."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


class Block:
    """Dual numbers beside the memory of one array; what is no float64 is copied.

    Parameters
    ----------
    owner : of the memory, without gaps
    """

    def __init__(self, owner: Any):
        if not owner.flags.c_contiguous and not owner.flags.f_contiguous:
            raise TypeError(f"an array of shape {owner.shape} owns memory with gaps")
        self.owner = owner
        self._dtype, self._start = owner.dtype, int(owner.ctypes.data)
        self._mixed = holds_numbers(self._dtype) and not only_numbers(self._dtype)
        self.is_dual = holds_numbers(self._dtype)
        size = owner.size * (bytes_of(self._dtype) if self.is_dual else self._dtype.itemsize)
        buffer = np.zeros(size + LINE, np.uint8)
        first = -int(buffer.ctypes.data) % LINE
        self._bytes = buffer[first : first + size]
        self._parts = self._numbers()
        self.refresh()

    def refresh(self) -> None:
        """Take the values of the array over; derivatives become zero."""
        flat = self.owner.ravel("K")
        if not self.is_dual:
            self._bytes[:] = flat.view(np.uint8)
            return
        self._bytes[:] = 0
        for name, duals in self._parts.items():
            source = flat[name] if name else flat
            if duals is None:
                self._others(name)[...] = source
            else:
                duals[..., 0] = source.view(FLOAT).reshape(duals.shape[:-1]) if not name else source

    def add(self, component: int, change: Any) -> None:
        """Add to a derivative of all numbers, (k,) field after field; component counted from 1."""
        first = 0
        for duals in self._parts.values():
            if duals is not None:
                shape = duals.shape[:-1]
                size = int(np.prod(shape))
                duals[..., component] += change[first : first + size].reshape(shape)
                first += size

    def move(self, component: int, amount: float) -> None:
        """Put values moved along a derivative (counted from 1) by an amount into the array itself; amount 0: back."""
        flat = self.owner.reshape(-1, order="A")
        for name, duals in self._parts.items():
            if duals is not None:
                moved = duals[..., 0] + amount * duals[..., component] if amount else duals[..., 0]
                target = flat[name] if name else flat.view(FLOAT)
                target[...] = moved.reshape(target.shape)

    def share(self, component: int) -> float:
        """Largest derivative over the largest value; zero where all values are."""
        values, changes = (
            max((float(np.abs(duals[..., k]).max(initial=0.0)) for duals in self._parts.values() if duals is not None),
                default=0.0)
            for k in (0, component)
        )  # fmt: skip
        return changes / values if values > 0.0 else 0.0

    def _numbers(self) -> dict[str, Any]:
        """Dual numbers (…, width) of each field, None for a field of other types; "" for a block without fields."""
        if not self.is_dual:
            return {}
        if not self._mixed:
            return {"": self._bytes.view(FLOAT).reshape(-1, WIDTH)}
        return {name: self._field(name) if self._base(name) == FLOAT else None for name in self._dtype.names}

    def _base(self, name: str) -> Any:
        return self._dtype.fields[name][0].base

    def _field(self, name: str) -> Any:
        kind, offset = self._dtype.fields[name][:2]
        shape = (self.owner.size, *kind.shape, WIDTH)
        inner = np.zeros((*kind.shape, WIDTH)).strides
        place = offset_of(self._dtype, offset, FLOAT)
        return np.ndarray(shape, FLOAT, self._bytes, place, (bytes_of(self._dtype), *inner))

    def _others(self, name: str) -> Any:
        kind, offset = self._dtype.fields[name][:2]
        shape, inner = (self.owner.size, *kind.shape), np.zeros(kind.shape, kind.base).strides
        place = offset_of(self._dtype, offset, kind.base)
        return np.ndarray(shape, kind.base, self._bytes, place, (bytes_of(self._dtype), *inner))

    def place(self, view: Any) -> tuple[int, tuple[int, ...]]:
        """Address and strides (bytes) of the dual numbers of a view."""
        from_start, strides = address_of(view) - self._start, view.strides
        base = int(self._bytes.ctypes.data)
        if not self.is_dual:
            return base + from_start, strides
        if not self._mixed:
            return base + WIDTH * from_start, tuple(WIDTH * stride for stride in strides)
        size, whole = self._dtype.itemsize, bytes_of(self._dtype)
        record, offset = divmod(from_start, size)
        if view.dtype.fields is None:
            offset = offset_of(self._dtype, offset, view.dtype)
        within = WIDTH if view.dtype == FLOAT else 1
        moved = tuple(stride // size * whole if stride % size == 0 else stride * within for stride in strides)
        return base + record * whole + offset, moved

    def duals(self, view: Any) -> Any:
        """(…, width) the dual numbers of a view (…) of float64."""
        address, strides = self.place(view)
        start = address - int(self._bytes.ctypes.data)
        return np.ndarray((*view.shape, WIDTH), FLOAT, self._bytes, start, (*strides, FLOAT.itemsize))


class Shadow:
    """The blocks of all arrays of some calls, in the order in which they were met."""

    def __init__(self) -> None:
        self._blocks: dict[int, Block] = {}

    @property
    def blocks(self) -> list[Block]:
        """All of them."""
        return list(self._blocks.values())

    def block(self, array: Any) -> Block:
        """The block beside an array's memory, made where there is none."""
        owner = owner_of(array)
        block = self._blocks.get(id(owner))
        if block is None:
            block = self._blocks[id(owner)] = Block(owner)
        return block

    def duals(self, view: Any) -> Any:
        """(…, width) the dual numbers of an array (…) of float64, or of records of nothing else (…, k, width)."""
        if view.dtype.fields is not None:
            flat = view.view(FLOAT)
            flat.shape = (*view.shape, -1)
            view = flat
        return self.block(view).duals(view)

    def words(self, array: Any) -> tuple[int, ...]:
        """The dual numbers of an array in the table of words of an entry."""
        address, strides = self.block(array).place(array)
        dtype = array.dtype
        size = bytes_of(dtype) if holds_numbers(dtype) else dtype.itemsize
        return (0, 0, array.size, size, address, *array.shape, *strides)


WITHOUT_DERIVATIVES = {
    "batches",
    "batch_kernels",
    "probes",
}  # modules whose entries no step with derivatives needs


def dual_signatures(kernel: Any) -> list[int]:
    """Numbers of a kernel's signatures that are compiled for dual numbers; none where it uses complex steps itself."""
    if (
        "complex128" in kernel.function.__code__.co_names
        or set(kernel.__module__.split(".")) & WITHOUT_DERIVATIVES
    ):
        return []
    return [number for number, signature in enumerate(kernel.signatures) if _has_dual(signature)]


def _has_dual(signature: Signature) -> bool:
    """Not those that fill the matrix, or are for a derivative by complex step."""
    kinds: list[Array | Scalar] = [*signature.flat, *signature.returns]
    return any(holds_numbers(kind.dtype) for kind in kinds) and not any(
        kind.dtype.kind == "c" or kind.dtype == "i4" for kind in kinds
    )


def dual_symbol(kernel: Any, number: int) -> str:
    """Name of the entry for dual numbers of one of a kernel's signatures."""
    return f"{kernel.symbol(number)}.dual"


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
        entry = call.kernel.prepared(call.arguments).entry
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
        for member in self._members:
            if isinstance(member, np.ndarray):
                _refuse_own_laws(member)
                shadow.block(member)
            elif isinstance(member, Number):
                shadow.block(member.array)

    @cached_property
    def listed(self) -> Listed:
        """Found once, for any number of lists."""
        words = [0] * HEAD
        kept_alive: list[Any] = []
        for kind, member in zip(self._signature.flat, self._members, strict=True):
            if isinstance(kind, Array):
                words += self._shadow.words(member)
            elif kind.by_value:
                words.append(int(member))
            elif kind.is_record:
                words.append(self._shadow.block(member).place(member)[0])
            else:
                words += self._number(member, kept_alive)
        if len(self.returned) and self._symbol.endswith(".dual"):
            words += _duals(self.returned)
        table = packed("q", words)
        return Listed((libraries.address_of(self._symbol), table.buffer_info()[0], 0, 0), (table, kept_alive))

    def _number(self, number: Any, kept_alive: list[Any]) -> tuple[int, ...]:
        """A number as an array of one."""
        if isinstance(number, Number):
            return self._shadow.words(number.array[number.place : number.place + 1])
        constant = np.zeros(WIDTH)
        constant[0] = float(number)
        kept_alive.append(constant)
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
    calls = []
    for task in tasks:
        if isinstance(task, Check):
            continue
        if not isinstance(task, Call):
            owner = getattr(getattr(task, "func", task), "__qualname__", repr(task))
            raise InputError(
                f"{where} calls {owner} in Python, which has no derivatives: give functions of time as shapes, tables "
                "or numbers (fem_mbd.Harmonic, Table …), and use parts and laws of the package"
            )
        calls.append(DualCall(task, shadow))
    return calls
