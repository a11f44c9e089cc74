"""Arrays of dual numbers parallel to the arrays of the calls of kernels.

Every array of a call is a view of memory that some array owns. That memory has one block of such numbers beside it, in
which every view lies at the same place, so that what one call writes another one reads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fem_mbd.core.compiled.duals.layout import (
    FLOAT,
    bytes_of,
    holds_numbers,
    offset_of,
    only_numbers,
)
from fem_mbd.core.compiled.duals.number import WIDTH
from fem_mbd.core.compiled.signatures import address_of

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
        own = int(self._bytes.ctypes.data)
        if not self.is_dual:
            return own + from_start, strides
        if not self._mixed:
            return own + WIDTH * from_start, tuple(WIDTH * one for one in strides)
        size, whole = self._dtype.itemsize, bytes_of(self._dtype)
        record, offset = divmod(from_start, size)
        if view.dtype.fields is None:
            offset = offset_of(self._dtype, offset, view.dtype)
        within = WIDTH if view.dtype == FLOAT else 1
        moved = tuple(one // size * whole if one % size == 0 else one * within for one in strides)
        return own + record * whole + offset, moved

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
        found = self._blocks.get(id(owner))
        if found is None:
            found = self._blocks[id(owner)] = Block(owner)
        return found

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
