"""Base class of the histories of a case: times of a run and means over time."""

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
    """Histories of one run; arrays have one row per recorded step, k in all."""

    result: Result
    parameters: P

    @cached_property
    def time(self) -> Array:
        """Times (k,) of the recorded steps, s."""
        return np.asarray(self.result.output_time)

    @cached_property
    def dt(self) -> Array:
        """Time since the previous recorded step, s."""
        return np.diff(self.time, prepend=0.0)

    def between(self, start: float, end: float) -> Flags:
        """Rows of the steps that end in the time range (start, end], s."""
        return (self.time > start) & (self.time <= end)

    def mean(self, values: Array, rows: Flags) -> float:
        """Time mean of values (k,) over some rows."""
        return float((values * self.dt)[rows].sum() / self.dt[rows].sum())
