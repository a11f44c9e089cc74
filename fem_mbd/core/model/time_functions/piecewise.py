"""Piecewise function of time: other functions one after the other."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fem_mbd.core.model.time_functions import kernels
from fem_mbd.core.model.time_functions.base import Instruction, TimeFunction, as_time_function, joined
from fem_mbd.core.model.time_functions.values import Value, ascending, sided
from fem_mbd.errors import InputError


@dataclass(frozen=True, eq=False)
class Piecewise(TimeFunction):
    """functions[0] until switches[0], functions[1] from there until switches[1], and so on.

    Parameters
    ----------
    switches : s, ascending
    functions : one more than ``switches``; anything that `as_time_function` accepts
    """

    switches: Sequence[float]
    functions: Sequence[Any]

    def __post_init__(self) -> None:
        switches = ascending(self.switches, "Piecewise switches")
        if len(self.functions) != len(switches) + 1:
            raise InputError(
                f"Piecewise has {len(switches)} switches and {len(self.functions)} functions: "
                "give one function more than switches"
            )
        names = (f"Piecewise function {k}" for k in range(len(self.functions)))
        functions = tuple(
            as_time_function(f, what=name) for f, name in zip(self.functions, names, strict=True)
        )
        if len({f.shape for f in functions}) > 1:
            raise InputError(f"Piecewise functions have shapes {[f.shape for f in functions]}: not equal")
        object.__setattr__(self, "switches", switches)
        object.__setattr__(self, "functions", functions)

    def value(self, t: float, side: int = 1) -> Value:
        return self._active(t, side).value(t, side)

    def rate(self, t: float, side: int = 1) -> Value:
        return self._active(t, side).rate(t, side)

    def breakpoints(self) -> tuple[float, ...]:
        edges = (-np.inf, *self.switches, np.inf)
        times = set(self.switches)
        for k, f in enumerate(self.functions):
            times.update(b for b in f.breakpoints() if edges[k] < b < edges[k + 1])
        return tuple(sorted(times))

    def prepare(self, begin: float, end: float) -> None:
        for function in self.functions:
            function.prepare(begin, end)

    def instructions(self) -> list[Instruction] | None:
        return joined(self.functions, Instruction(kernels.PIECEWISE, list(self.switches), len(self.switches)))

    def inputs(self) -> tuple[TimeFunction, ...]:
        return tuple(i for f in self.functions for i in f.inputs())

    def _active(self, t: float, side: int) -> TimeFunction:
        return self.functions[bisect_right(self.switches, sided(t, self.switches, side))]
