"""Recorded states chosen for an animation: evenly spaced in time, as many as fit into a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.base.validation import whole_number
from fem_mbd.errors import InputError
from fem_mbd.runs.results.result import Result

PAGE_BYTES = 3_000_000  # bytes of time-dependent numbers in a page, before conversion to text
OUTPUTS = ("position", "quaternion", "section_force", "section_strain", "contact", "reaction")
BYTES = 4


@dataclass(frozen=True)
class SelectedStates:
    """States at selected times.

    Attributes
    ----------
    times : (k,) s
    values : arrays (k, rows, ...) by the name of the output
    """

    times: Array
    values: Mapping[str, Array]

    @classmethod
    def of_run(cls, result: Result, limit: int) -> SelectedStates:
        """Select at most ``limit`` states of a run.

        Raises
        ------
        InputError
            When positions and rotations were not recorded, or nothing was.
        """
        whole_number(limit, "frames", least=2)
        missing = [name for name in OUTPUTS[:2] if name not in result.outputs]
        if missing:
            raise InputError(
                f"this run did not record {' and '.join(missing)}, so there is nothing to show; run it "
                "with position and quaternion among the quantities"
            )
        first = {name: result.initial[name] for name in OUTPUTS if name in result.outputs}
        rows = evenly_spaced(result.info.start_time, result.output_time, min(limit, states_per_page(first)))
        times = np.concatenate([[result.info.start_time], result.output_time[rows]])
        return cls(
            times,
            {name: np.concatenate([start[None], read(result, name, rows)]) for name, start in first.items()},
        )

    def __len__(self) -> int:
        return len(self.times)


def states_per_page(first: Mapping[str, Array]) -> int:
    """Number of such states that fit into a page."""
    numbers = sum(v.size * (6 if v.dtype.names else 1) for v in first.values())
    return max(2, PAGE_BYTES // max(BYTES * numbers, 1))


def evenly_spaced(start: float, times: Array, limit: int) -> Indices:
    """Rows of the recorded states nearest to ``limit`` evenly spaced times; all of them where there are fewer."""
    if len(times) <= limit - 1:
        return np.arange(len(times))
    even = np.linspace(start, times[-1], limit)[1:]
    after = np.clip(np.searchsorted(times, even), 1, len(times) - 1)
    nearer = np.where(even - times[after - 1] < times[after] - even, after - 1, after)
    return np.unique(nearer)


def read(result: Result, name: str, rows: Indices) -> Array:
    """Rows of an output, read one by one, so that a long history need not be in memory."""
    records = [result.outputs.read(name, int(row), int(row) + 1) for row in rows]
    return np.concatenate(records) if records else result.outputs.read(name, 0, 0)
