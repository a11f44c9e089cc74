"""Recording of `unrolled` functions: run with numbers that write each operation as an instruction of LLVM."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.errors import TypingError
from numba.extending import lower_builtin, type_callable

from fem_mbd.core.compiled.build.simd import INDEX, data_of, read, same_in_all, vector, write
from fem_mbd.core.compiled.unrolled import Unrolled

_place = ir.IntType(64)
_FUSED = ("contract",)  # a b + c is rounded once where the processor does that


class Traced:
    """A whole number, a number, a SIMD vector or a comparison of numbers in machine code.

    Parameters
    ----------
    builder : of LLVM's instructions
    value : of LLVM
    """

    def __init__(self, builder: Any, value: Any):
        self._builder, self.value = builder, value

    @property
    def _count(self) -> int:
        """Elements of the SIMD vector; 0 for a single number."""
        return self.value.type.count if isinstance(self.value.type, ir.VectorType) else 0

    def _with(self, other: Any, whole: str, name: str, swapped: bool = False) -> Traced:
        """The result of an instruction for whole numbers or for others."""
        other = self._traced(other)
        a, b = (other, self) if swapped else (self, other)
        if a.value.type == _place:
            return self._of(getattr(self._builder, whole)(a.value, b.value))
        count = max(a._count, b._count)
        operands = (a._same_in_all(count), b._same_in_all(count))
        return self._of(getattr(self._builder, name)(*operands, flags=_FUSED))

    def _of(self, value: Any) -> Traced:
        return Traced(self._builder, value)

    def _traced(self, number: Any) -> Traced:
        """A plain number as one of this kind."""
        if isinstance(number, Traced):
            return number
        return self._of((_place if self.value.type == _place else ir.DoubleType())(number))

    def _same_in_all(self, count: int) -> Any:
        return self.value if self._count == count else same_in_all(self._builder, self.value, count)

    def _shuffled(self, a: Any, b: Any, order: Sequence[int]) -> Any:
        return self._builder.shuffle_vector(a, b, ir.VectorType(INDEX, len(order))(list(order)))

    def __add__(self, other: Any) -> Traced:
        return self._with(other, "add", "fadd")

    def __sub__(self, other: Any) -> Traced:
        return self._with(other, "sub", "fsub")

    def __mul__(self, other: Any) -> Traced:
        return self._with(other, "mul", "fmul")

    def __rtruediv__(self, other: Any) -> Traced:
        return self._with(other, "sdiv", "fdiv", swapped=True)

    def __getitem__(self, element: int) -> Traced:
        return self._of(self._builder.extract_element(self.value, INDEX(element)))

    def chosen(self, other: Traced | float, order: Sequence[int]) -> Traced:
        """SIMD vector of elements by their places in this one followed by ``other``, a vector or a number for all."""
        behind = self._traced(other)._same_in_all(self._count)
        return self._of(self._shuffled(self.value, behind, order))

    def beside(self, *others: Traced) -> Traced:
        """The SIMD vector of this number and the others."""
        found = vector(1 + len(others))(ir.Undefined)
        for element, one in enumerate((self, *others)):
            found = self._builder.insert_element(found, one.value, INDEX(element))
        return self._of(found)

    def between(self, least: float, most: float) -> Traced:
        """Whether the number's magnitude is between two bounds; false for nan."""
        build, double = self._builder, ir.DoubleType()
        magnitude = build.call(build.module.declare_intrinsic("llvm.fabs", [double]), [self.value])
        above, below = (
            build.fcmp_ordered(sign, magnitude, double(bound)) for sign, bound in ((">", least), ("<", most))
        )
        return self._of(build.and_(above, below))

    def __and__(self, other: Traced) -> Traced:
        return self._of(self._builder.and_(self.value, other.value))


class TracedArray:
    """An array (n,) of float64, or of float32, which is only read, of the machine code.

    Parameters
    ----------
    builder : of LLVM's instructions
    data : LLVM's pointer to the first entry
    """

    def __init__(self, builder: Any, data: Any):
        self._builder, self._data = builder, data

    def load(self, place: Traced, count: int) -> Traced:
        """So many numbers side by side."""
        return Traced(self._builder, read(self._builder, self._data, place.value, count))

    def store(self, place: Traced, numbers: Traced) -> None:
        """Put a number or a SIMD vector there."""
        write(self._builder, self._data, place.value, numbers.value)

    def __getitem__(self, place: Traced) -> Traced:
        return Traced(self._builder, self._builder.load(self._builder.gep(self._data, [place.value])))


def introduce(unrolled: Unrolled) -> None:
    """Tell numba of an unrolled function."""
    function = unrolled.function
    result = types.boolean if function.__annotations__.get("return") == "bool" else types.void
    parameters = inspect.signature(function)

    @type_callable(unrolled)
    def call(context: Any) -> Any:
        def typer(*arguments: Any) -> Any:
            return result(*map(_taken, arguments))

        typer.__signature__ = parameters  # type: ignore[attr-defined]
        return typer

    @lower_builtin(unrolled, types.VarArg(types.Any))
    def lower(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        given = [
            TracedArray(builder, data_of(context, builder, kind, value))
            if isinstance(kind, types.Array)
            else Traced(builder, value)
            for kind, value in zip(sig.args, values, strict=True)
        ]
        found = function(*given)
        return context.get_dummy_value() if found is None else found.value


def _taken(kind: Any) -> Any:
    """The type that an argument is taken as.

    Raises
    ------
    TypingError
        For arrays of other kinds, and for what is no whole number.
    """
    real = (types.float64, types.float32)
    if isinstance(kind, types.Array) and kind.dtype in real and (kind.ndim, kind.layout) == (1, "C"):
        return kind
    if isinstance(kind, types.Integer):
        return types.intp
    raise TypingError(f"an unrolled function takes arrays (n,) of floats and whole numbers, not {kind}")
