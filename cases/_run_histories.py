"""What histories of a run over time have in common, whatever the case."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np

from fem_mbd.base.arrays import Array, Flags
from fem_mbd.runs.results.result import Result

P = TypeVar("P")


@dataclass(frozen=True)
class RunHistories(Generic[P]):
    """One run; arrays have one row per recorded step, at the times ``time`` (k,)."""

    result: Result
    parameters: P

    @cached_property
    def time(self) -> Array:
        return np.asarray(self.result.output_time)

    @cached_property
    def dt(self) -> Array:
        """Time since the recorded step before, s."""
        return np.diff(self.time, prepend=0.0)

    def between(self, start: float, end: float) -> Flags:
        """Rows that end after ``start`` and not after ``end``, s."""
        return (self.time > start) & (self.time <= end)

    def mean(self, values: Array, rows: Flags) -> float:
        """Time mean of values (k,) over some rows."""
        return float((values * self.dt)[rows].sum() / self.dt[rows].sum())
