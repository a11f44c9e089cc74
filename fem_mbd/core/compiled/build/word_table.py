"""Argument tables of entries (`fem_mbd.core.compiled.signatures`), written by a kernel that calls an entry."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types

from fem_mbd.core.compiled.signatures import HEAD

WORD = ir.IntType(64)
NAN = 0x7FF8000000000000  # bits of a float64


class WordTable:
    """A table that grows argument by argument.

    Parameters
    ----------
    context, builder : numba's, where the call is written
    """

    def __init__(self, context: Any, builder: Any):
        self._context, self._builder = context, builder
        self._words: list[Any] = []

    def add(self, kind: Any, value: Any) -> None:
        """An argument of one of numba's types."""
        builder = self._builder
        if isinstance(kind, types.Array):
            array = self._context.make_array(kind)(self._context, builder, value)
            lengths = [builder.extract_value(array.shape, k) for k in range(kind.ndim)]
            strides = [builder.extract_value(array.strides, k) for k in range(kind.ndim)]
            address = builder.ptrtoint(array.data, WORD)
            self._words += [WORD(0), WORD(0), array.nitems, array.itemsize, address, *lengths, *strides]
        elif isinstance(kind, types.BaseTuple):
            members: Any = kind
            for place, member in enumerate(members):
                self.add(member, builder.extract_value(value, place))
        elif isinstance(kind, types.Record):
            self._words.append(builder.ptrtoint(value, WORD))
        elif isinstance(kind, (types.Integer, types.Boolean)):
            wide = builder.sext if isinstance(kind, types.Integer) else builder.zext
            self._words.append(value if value.type == WORD else wide(value, WORD))
        else:
            with builder.goto_entry_block():
                number = builder.alloca(value.type)
            builder.store(value, number)
            self._words.append(builder.ptrtoint(number, WORD))

    def stored(self, returned: int = 0) -> Any:
        """The table's address. Where so many words will be returned stands nan: what a kernel leaves that raises."""
        builder = self._builder
        with builder.goto_entry_block():
            table = builder.alloca(WORD, HEAD + len(self._words))
        for place in range(returned):
            builder.store(WORD(NAN), builder.gep(table, [WORD(place)]))
        for place, word in enumerate(self._words, HEAD):
            builder.store(word, builder.gep(table, [WORD(place)]))
        return table
