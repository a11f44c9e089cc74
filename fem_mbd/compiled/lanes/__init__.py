"""Numbers side by side: what a processor calculates with in one instruction, 4 or 8 float64 ("lanes").

In kernels lanes take +, -, *, / and the unary minus with each other and with plain numbers; ``a != b`` says whether any
lane of a differs. An array of lanes is made from one of float64 whose last axis they are, and is used like any array.
A kernel that is written in numbers, in tuples of them and in arrays serves for lanes as it stands. Without numba, as in
a process that links kept code, nothing of this is needed.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any


class _Intrinsic:
    """Stands for an intrinsic of `access` until numba asks what it is."""

    def __init__(self, name: str):
        self._name = name

    @cached_property
    def _numba_type_(self) -> Any:
        from fem_mbd.compiled.lanes import access

        return access.numba_type(getattr(access, self._name))


as_lanes: Any = _Intrinsic("as_lanes")  # (array (..., 8)) -> array (...) of lanes, the same memory
multiply_add: Any = _Intrinsic("multiply_add")  # (a, b, c) -> a b + c, rounded once where the processor does
load4: Any = _Intrinsic("load4")  # (array (n,), place) -> the 4 numbers from there on
store4: Any = _Intrinsic("store4")  # (array (n,), place, lanes)
same4: Any = _Intrinsic("same4")  # (number) -> 4 lanes of it
fetch: Any = _Intrinsic(
    "fetch"
)  # (array (n,), place): ask for the memory there ahead of time, also behind the array
load8: Any = _Intrinsic("load8")
store8: Any = _Intrinsic("store8")
same8: Any = _Intrinsic("same8")
# (memory, records): a record like these whose float64 are lanes of 8, in memory of 9 words for each of its own.
# The k-th word's lanes begin at 8 k; what is no float64 stays one number, which the kernel writes
record_of_lanes: Any = _Intrinsic("record_of_lanes")
transposed: Any = _Intrinsic("transposed")  # (8 lanes of 8) -> lanes k of all of them, for k = 0 to 7
