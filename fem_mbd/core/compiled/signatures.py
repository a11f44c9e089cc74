"""Types of kernels' arguments and results, in numba's notation, and their layout in an argument table.

    @kernel(float64(record(LAW), float64[:, ::1], int64))

is a kernel with the arguments record of dtype LAW, contiguous array (m, n), and integer, which returns a number.
``float64[:, :]`` is an array with any strides. Nothing here needs numba: the types are converted to numba's when a
library is built (`fem_mbd.core.compiled.build`).

Arguments that belong together are a group, a named tuple whose fields are annotated with their types:

    class Forces(NamedTuple):
        middle: Annotated[Any, matrix]  # (n, 3) N
        end: Annotated[Any, matrix]  # (n, 3) N

    @kernel(void(Forces, float64))

The kernel gets the named tuple. Compiled code hands over its members one after the other, as if they were arguments.

An entry is the function of a library by which Python and lists of calls call a kernel. Its argument is the address of a
table of 64-bit words: first `HEAD` words for the results, then the arguments in their order:

    integer, truth value    the word itself
    float, complex          the address of the number
    record                  its address
    array                   0, 0, number of entries, bytes of an entry, address, shape, strides: as numba hands it over
    group                   its members in their order
"""

from __future__ import annotations

import ctypes
from array import array as packed
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, get_type_hints

import numpy as np

HEAD = 8  # words for what a kernel returns
# types of entries, for ctypes: the first holds the GIL during the call, the second releases it
FUNCTION = ctypes.PYFUNCTYPE(ctypes.c_int32, ctypes.c_int64)
FREE_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int64)


@dataclass(frozen=True)
class Scalar:
    """A number, a truth value or a record.

    Attributes
    ----------
    dtype : of numpy
    """

    dtype: np.dtype[Any]

    def __getitem__(self, axes: slice | tuple[slice, ...]) -> Array:
        """The type of arrays of these: ``[:, ::1]`` is a contiguous array of two dimensions."""
        axes = axes if isinstance(axes, tuple) else (axes,)
        return Array(self.dtype, len(axes), "C" if axes[-1].step == 1 else "A")

    def __call__(self, *arguments: Argument | type) -> Signature:
        """The signature of kernels that return one of these."""
        return Signature(tuple(map(_kind, arguments)), (self,))

    @cached_property
    def is_record(self) -> bool:
        """Whether it has fields."""
        return self.dtype.fields is not None

    @cached_property
    def by_value(self) -> bool:
        """Whether the table contains its value instead of its address."""
        return self.dtype.kind in "ib"

    def takes(self, argument: Any) -> bool:
        """Whether a Python value is one, or can be converted without loss."""
        if self.is_record:
            return isinstance(argument, np.void) and argument.dtype == self.dtype
        return isinstance(argument, _PYTHON[self.dtype.kind])

    def put(self, argument: Any, words: list[int], kept_alive: list[Any]) -> bool:
        """Put a Python value behind the words of an argument table; False where it is none."""
        if not self.takes(argument):
            return False
        if self.by_value:
            words.append(int(argument))
        elif isinstance(argument, Number):
            words.append(address_of(argument.array) + argument.place * argument.array.strides[0])
            kept_alive.append(argument.array)
        else:
            copy = np.array(argument, self.dtype)
            words.append(address_of(copy))
            kept_alive.append(copy)
        return True

    def __str__(self) -> str:
        return f"record({', '.join(self.dtype.names or ())})" if self.is_record else str(self.dtype)


@dataclass(frozen=True)
class Array:
    """An array.

    Attributes
    ----------
    dtype : of its entries
    ndim : dimensions
    layout : "C" for contiguous arrays, "A" for any strides
    """

    dtype: np.dtype[Any]
    ndim: int
    layout: str

    def put(self, argument: Any, words: list[int], kept_alive: list[Any]) -> bool:
        """As `Scalar.put`."""
        if (
            not isinstance(argument, np.ndarray)
            or argument.ndim != self.ndim
            # records of the same size are compared field by field, which takes a microsecond
            or (
                (argument.dtype is not self.dtype)
                and (argument.itemsize != self.dtype.itemsize or argument.dtype != self.dtype)
            )
            or (self.layout == "C" and not argument.flags.c_contiguous)
        ):
            return False
        size, address = argument.size, address_of(argument)
        words += (0, 0, size, argument.itemsize, address, *argument.shape, *argument.strides)
        kept_alive.append(argument)
        return True

    def __str__(self) -> str:
        axes = [":"] * (self.ndim - 1) + ["::1" if self.layout == "C" else ":"]
        return f"{Scalar(self.dtype)}[{', '.join(axes)}]"


@dataclass(frozen=True)
class Group:
    """A named tuple of arguments.

    Attributes
    ----------
    of : its class
    members : types of its fields
    """

    of: type
    members: tuple[Argument, ...]

    def put(self, argument: Any, words: list[int], kept_alive: list[Any]) -> bool:
        """As `Scalar.put`; its members one after the other."""
        if not isinstance(argument, tuple) or type(argument) is not self.of:
            return False
        return _put(self.members, argument, words, kept_alive)

    def __str__(self) -> str:
        return f"{self.of.__name__}({', '.join(map(str, self.members))})"


@cache
def group(of: type) -> Group:
    """The type of arguments of a class of named tuples, from the annotations of its fields.

    Raises
    ------
    TypeError
        Where a field is not annotated with a type of this module: ``Annotated[Any, vector]``.
    """
    hints = get_type_hints(of, include_extras=True)
    members = [getattr(hint, "__metadata__", (None,))[0] for hint in hints.values()]
    for name, member in zip(hints, members, strict=True):
        if not isinstance(member, Scalar | Array | Group | type):
            raise TypeError(f"{of.__name__}.{name} is to be annotated with its type, Annotated[Any, vector]")
    return Group(of, tuple(map(_kind, members)))


def _kind(annotation: Any) -> Argument:
    return group(annotation) if isinstance(annotation, type) else annotation


@dataclass(frozen=True)
class Number:
    """An argument of type float64: what ``array[place]`` is at the time of the call."""

    array: Any
    place: int = 0

    def __float__(self) -> float:
        return float(self.array[self.place])


Argument = Scalar | Array | Group
_PYTHON: dict[str, tuple[type, ...]] = {
    "f": (float, int, np.floating, np.integer, Number),
    "i": (int, np.integer),
    "b": (bool, np.bool_, int),
    "c": (complex, float, int, np.number),
}


@dataclass(frozen=True)
class Signature:
    """Types of a kernel's arguments and results.

    Attributes
    ----------
    arguments : types of the arguments
    returns : types of the results; none, one, or those of a tuple
    """

    arguments: tuple[Argument, ...]
    returns: tuple[Scalar, ...]

    @cached_property
    def flat(self) -> tuple[Scalar | Array, ...]:
        """Types of the arguments, with the members of groups in the place of these."""
        return tuple(_flat_kinds(self.arguments))

    def table(self, arguments: Sequence[Any]) -> tuple[packed[int], list[Any]] | None:
        """The argument table for Python values, and the arrays it points to, which have to be kept alive.

        None where the values do not fit the types of the arguments.

        Parameters
        ----------
        arguments : a `Number` in the place of a float stands for what is there when the entry is called
        """
        words, kept_alive = [0] * HEAD, list[Any]()
        if len(arguments) != len(self.arguments) or not _put(self.arguments, arguments, words, kept_alive):
            return None
        return packed("q", words), kept_alive

    def read(self, table: packed[int]) -> Any:
        """The results of a kernel, as Python numbers."""
        if not self.returns:
            return None
        results: tuple[Any, ...] = np.frombuffer(table, self._returned, 1)[0].item()
        return results if len(self.returns) > 1 else results[0]

    @cached_property
    def _returned(self) -> np.dtype[Any]:
        return np.dtype([(f"f{k}", kind.dtype) for k, kind in enumerate(self.returns)], align=True)

    def __str__(self) -> str:
        returned = ", ".join(map(str, self.returns))
        taken = ", ".join(map(str, self.arguments))
        return f"{f'({returned})' if len(self.returns) > 1 else returned or 'void'}({taken})"


_address_of, _first_byte = ctypes.addressof, ctypes.c_char.from_buffer  # looked up once


def address_of(array: Any) -> int:
    """Address of an array's first entry; ctypes takes a third of the time of numpy."""
    if not array.size:
        return int(array.ctypes.data)
    try:
        return _address_of(_first_byte(array))
    except (TypeError, ValueError, BufferError):  # read-only, or with gaps
        return int(array.ctypes.data)


def _put(
    kinds: Sequence[Argument], arguments: Sequence[Any], words: list[int], kept_alive: list[Any]
) -> bool:
    """Put Python values of these types behind the words of an argument table; False where one is of another type."""
    for kind, argument in zip(kinds, arguments, strict=True):
        if not kind.put(argument, words, kept_alive):
            return False
    return True


def flat(arguments: Sequence[Any]) -> Sequence[Any]:
    """Arguments with the members of groups in the place of these."""
    if not any(isinstance(argument, tuple) for argument in arguments):
        return arguments
    return [
        member
        for argument in arguments
        for member in (flat(argument) if isinstance(argument, tuple) else (argument,))
    ]


def grouped(kinds: Sequence[Argument], members: Iterator[Any]) -> list[Any]:
    """Arguments of these types from what `flat` makes of them."""
    return [
        kind.of(*grouped(kind.members, members)) if isinstance(kind, Group) else next(members)
        for kind in kinds
    ]


def _flat_kinds(kinds: Sequence[Argument]) -> Iterator[Scalar | Array]:
    for kind in kinds:
        if isinstance(kind, Group):
            yield from _flat_kinds(kind.members)
        else:
            yield kind


def void(*arguments: Argument | type) -> Signature:
    """The signature of kernels that return nothing."""
    return Signature(tuple(map(_kind, arguments)), ())


def several(*returns: Scalar) -> Any:
    """A function of argument types that returns the signature of kernels with a tuple of these results."""
    return lambda *arguments: Signature(tuple(map(_kind, arguments)), returns)


def record(dtype: Any) -> Scalar:
    """The type of records of a structured dtype of numpy."""
    return Scalar(np.dtype(dtype))


float64, float32, complex128, int64, int32, boolean = (
    Scalar(np.dtype(name)) for name in ("f8", "f4", "c16", "i8", "i4", "bool")
)
# arrays that many kernels take
vector, matrix, array3, array4 = float64[::1], float64[:, ::1], float64[:, :, ::1], float64[:, :, :, ::1]
indices, index_rows = int64[::1], int64[:, ::1]
slots = int32[:, :, ::1]  # indices in the matrix values
