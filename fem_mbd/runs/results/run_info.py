"""Description of a run before its first step (case, parameters, model, times); outputs and times to record.

States are recorded at multiples of an interval, or at given times.
"""

from __future__ import annotations

import json
import platform
import time
from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fem_mbd.base.lazy import nearest
from fem_mbd.base.validation import finite, positive
from fem_mbd.core.stepping.step_control import round_off
from fem_mbd.errors import InputError

MAX_RECORDS = 10_000_000  # number of record times of one run
RecordAt = float | Sequence[float]  # s: an interval, or times
COMPLETE, FAILED, INTERRUPTED, CRASHED = (
    "complete",
    "failed",
    "interrupted",
    "crashed",
)  # statuses of ended runs


def checked_record_at(record_at: RecordAt | None, record_every: int) -> float | tuple[float, ...] | None:
    """Check `record_at` and convert it to plain numbers; InputError unless it is an interval or a sequence of times
    (s).
    """
    if record_at is None:
        return None
    if record_every != 1:
        raise InputError(
            "record_at and record_every are both given: give one of them, to record by time or by number "
            "of steps"
        )
    if isinstance(record_at, int | float):
        return positive(record_at, "record_at (an interval in s)")
    try:
        instants = tuple(sorted(finite(time, "record_at: a time (s)") for time in record_at))
    except TypeError as error:
        raise InputError(
            f"record_at is {record_at!r}: give an interval or a sequence of times in s"
        ) from error
    if not instants:
        raise InputError(
            "record_at is empty: give an interval or times in s (quantities=() records no outputs)"
        )
    return instants


class RecordTimes:
    """The record times (s) of a run from ``start`` to ``end``.

    Attributes
    ----------
    times : in order, after the start; for an interval the start plus its multiples
    """

    def __init__(self, record_at: float | tuple[float, ...], start: float, end: float) -> None:
        if isinstance(record_at, tuple):
            self.times = tuple(t for t in record_at if start < t <= end + round_off(end))
            return
        # include the end although division may round it down
        number = (end - start) / record_at * (1 + 1e-12)
        if number > MAX_RECORDS:
            raise InputError(
                f"record_at is {record_at:g} s: that makes {number:.3g} records, more than {MAX_RECORDS:g}"
            )
        self.times = tuple(start + k * record_at for k in range(1, int(number) + 1))

    def __contains__(self, time: float) -> bool:
        """Whether a step ending at this time (s) ends on a record time, up to round-off."""
        tolerance = round_off(time)
        k = bisect_left(self.times, time - tolerance)
        return k < len(self.times) and self.times[k] <= time + tolerance


@dataclass(frozen=True)
class RunInfo:
    """Description of a run before its first step; stored with the results as plain data.

    `case` is empty for a model built in Python; `model` is `System.describe()`; `energy` the ledger's names;
    `record_at` an interval (s), times (s), or None where `record_every` counts steps; `every_step` False: statistics
    and energies of recorded states only.
    """

    case: str
    parameters: dict[str, Any]
    model: dict[str, Any]
    energy: tuple[str, ...]
    start_time: float
    end_time: float
    checkpoint_every: int
    record_every: int
    quantities: tuple[str, ...]
    version: str
    created: str = field(default_factory=lambda: time.strftime("%Y-%m-%dT%H:%M:%S%z"))
    host: str = field(default_factory=platform.node)
    record_at: float | tuple[float, ...] | None = None
    every_step: bool = True

    def to_json(self) -> str:
        """The same as JSON text."""
        return json.dumps(self.__dict__, default=to_plain)

    @staticmethod
    def from_json(text: str) -> RunInfo:
        """The run described by `to_json`'s text."""
        data = json.loads(text)
        tuples = {name: tuple(value) for name, value in data.items() if isinstance(value, list)}
        return RunInfo(**{**data, **tuples})


def to_plain(value: Any) -> Any:
    """Convert numpy numbers and arrays to Python's own types; used as `default` of `json.dumps`."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(
        f"{value!r} of type {type(value).__name__} cannot be written as JSON: "
        "use numbers, texts, lists and dictionaries"
    )


def select_quantities(outputs: Collection[str], names: Sequence[str] | None) -> tuple[str, ...]:
    """Names of the outputs to record, all of them for `None`; InputError for an output that the model does not have."""
    if names is None:
        return tuple(outputs)
    for name in names:
        if name not in outputs:
            raise InputError(f"quantities: this model has no output {name!r}; {nearest(name, outputs)}")
    return tuple(dict.fromkeys(names))


def record_times(info: RunInfo) -> RecordTimes | None:
    """Times at which the run records states; None when it records by number of steps."""
    return None if info.record_at is None else RecordTimes(info.record_at, info.start_time, info.end_time)
