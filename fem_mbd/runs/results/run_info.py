"""Description of a run before its first step (case, parameters, model, times); selection of recorded outputs."""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fem_mbd.base.suggestions import nearest
from fem_mbd.errors import InputError
from fem_mbd.runs.results.record_times import RecordTimes

COMPLETE, FAILED, INTERRUPTED, CRASHED = (
    "complete",
    "failed",
    "interrupted",
    "crashed",
)  # statuses of ended runs


@dataclass(frozen=True)
class RunInfo:
    """Description of a run before its first step; stored with the results as plain data.

    `case` is empty for a model built in Python; `model` is `System.describe()`; `energy` the ledger's names;
    `record_at` an interval (s), times (s), or None where `record_every` counts steps.
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


def select_quantities(outputs: Mapping[str, np.ndarray], wanted: Sequence[str] | None) -> tuple[str, ...]:
    """Names of the outputs to record, all of them for `None`; InputError for an output that the model does not have."""
    if wanted is None:
        return tuple(outputs)
    for name in wanted:
        if name not in outputs:
            raise InputError(f"quantities: this model has no output {name!r}; {nearest(name, outputs)}")
    return tuple(dict.fromkeys(wanted))


def record_times(info: RunInfo) -> RecordTimes | None:
    """Times at which the run records states; None when it records by number of steps."""
    return None if info.record_at is None else RecordTimes(info.record_at, info.start_time, info.end_time)
