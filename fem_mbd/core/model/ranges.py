"""Ranges of validity: measures of parts with limits, evaluated in every accepted step and at single states.

An element class declares ``ranges`` and fills the array ``measures`` in `PartKind.evaluate_measures`. `Ranges` of a
run evaluates them in the compiled step, when Newton has converged and before the step is accepted, and keeps the
largest of each measure. Beyond its limit a range warns once for each part, or refuses the step.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar, NamedTuple, Protocol

import numpy as np

from fem_mbd.base.arrays import Array, Flags, Indices
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.calls import Call, CallList, Task
from fem_mbd.core.compiled.signatures import indices, matrix, vector, void
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.errors import FemMbdWarning, SolverFailure

WARN, SHORTEN, STOP = "warn", "shorten", "stop"  # `Range.beyond`
NAMED = 5  # parts that a message names
TINY = float(np.finfo(float).tiny)  # in the place of limits that are zero


class RangeWarning(FemMbdWarning):
    """A part was computed outside the range in which its formulas hold; the run continues."""


@dataclass(frozen=True)
class Range:
    """A measure of parts with the limit up to which their formulas hold.

    Attributes
    ----------
    name : of the measure, "rotation in a step"
    unit : "1" for pure numbers
    limit : of the measure, which is not negative; `PartKind.range_limits` may replace it for each part
    meaning : what is wrong beyond it, a clause
    advice : what to do, a clause
    source : of the limit
    beyond : "warn": the run continues; "shorten": the step is repeated with half its size, and the run stops when no
        size helps; "stop": the run stops
    """

    name: str
    unit: str
    limit: float
    meaning: str
    advice: str
    source: str
    beyond: str = WARN

    @property
    def unit_text(self) -> str:
        """The unit after a number."""
        return "" if self.unit == "1" else f" {self.unit}"


class Measured(Protocol):
    """Protocol: what `Ranges` needs of an element class."""

    measures: Array

    @property
    def label(self) -> str: ...

    @property
    def ranges(self) -> Sequence[Range]: ...

    def range_limits(self) -> Array: ...

    def measured_parts(self) -> Indices: ...

    def part_names(self) -> Sequence[str]: ...

    def tasks(self, phase: str, workspace: Workspace) -> Sequence[Task]: ...


class NamedRanges:
    """Base of ranges of things that are no parts of their own, such as nodes: one row of measures for each.

    Attributes
    ----------
    ranges : set by the class
    names : of the things, in the order of the rows
    """

    ranges: ClassVar[tuple[Range, ...]]
    names: Sequence[str]

    def range_limits(self) -> Array:
        """(ranges, rows) limits, the same in all rows."""
        return np.repeat([[declared.limit] for declared in self.ranges], len(self.names), axis=1)

    def measured_parts(self) -> Indices:
        """(rows,) the thing of each row."""
        return np.arange(len(self.names))

    def part_names(self) -> Sequence[str]:
        """Names of the things."""
        return self.names


@kernel(void(matrix, matrix, indices, indices))
def judge(measures, limits, refusing, refused):
    """refused[0] += number of measures (ranges, rows) beyond their limits, of the ranges ``refusing`` only."""
    for r in refusing:
        for k in range(measures.shape[1]):
            if measures[r, k] > limits[r, k]:
                refused[0] += 1


@kernel(void(indices))
def clear_count(count):
    """Set a count (1,) to zero."""
    count[0] = 0


class Extremes(NamedTuple):
    """The largest measures of a kind in a run."""

    largest: Annotated[Any, matrix]  # (ranges, rows)
    times: Annotated[Any, matrix]  # s, when they were reached
    since: Annotated[Any, matrix]  # s, when the limit was passed first; inf: never


@kernel(void(matrix, matrix, vector, Extremes, indices))
def keep(measures, limits, clock, extremes, new):
    """Keep the largest of each measure (ranges, rows), and the end of its step; new[0] += number of limits passed."""
    largest, times, since = extremes
    for r in range(measures.shape[0]):
        for k in range(measures.shape[1]):
            value = measures[r, k]
            if value > largest[r, k]:
                if value > limits[r, k] and not largest[r, k] > limits[r, k]:
                    new[0] += 1
                    since[r, k] = clock[1]
                largest[r, k] = value
                times[r, k] = clock[1]


class _OfKind:
    """Limits and largest measures of one kind, (ranges, rows)."""

    def __init__(self, kind: Measured, workspace: Workspace, refused: Indices, new: Indices):
        self.kind = kind
        self.limits = np.ascontiguousarray(kind.range_limits(), dtype=float)
        self.largest, self.times = np.zeros_like(kind.measures), np.zeros_like(kind.measures)
        self.since = np.full_like(kind.measures, np.inf)
        self.warned = np.zeros(kind.measures.shape, dtype=bool)
        self.measure = kind.tasks("evaluate_measures", workspace)
        refusing = np.array(
            [k for k, declared in enumerate(kind.ranges) if declared.beyond != WARN], dtype=np.int64
        )
        self.judge: list[Task] = (
            [Call(judge, kind.measures, self.limits, refusing, refused)] if len(refusing) else []
        )
        extremes = Extremes(self.largest, self.times, self.since)
        self.keep = Call(keep, kind.measures, self.limits, workspace.clock, extremes, new)

    def message(self, r: int, row: int, value: float, time: float | None) -> str:
        """Sentence on one measure beyond its limit."""
        declared = self.kind.ranges[r]
        name, element = self.place(row)
        where = f"'{name}'" + (f", element {element}" if element else "")
        when = "" if time is None else f" at t = {time:.6g} s"
        since = self.since[r, row]
        since_text = f" since t = {since:.6g} s" if time is not None and since < time else ""
        return (
            f"{where}: {declared.name} {value:.3g}{declared.unit_text}{when}, beyond {self.limits[r, row]:.3g}"
            f"{declared.unit_text}{since_text}: {declared.meaning}; {declared.advice}"
        )

    def place(self, row: int) -> tuple[str, int]:
        """Name of the part of a row, and the number of the row within the part from 1; 0: its only one."""
        rows = np.flatnonzero(self.parts == self.parts[row])
        number = int(np.searchsorted(rows, row)) + 1 if len(rows) > 1 else 0
        return self._names[int(self.parts[row])], number

    @cached_property
    def parts(self) -> Indices:
        """(rows,) the part of each row."""
        return self.kind.measured_parts()

    @cached_property
    def _names(self) -> Sequence[str]:
        return self.kind.part_names()

    def worst(self, r: int, beyond: Flags) -> list[int]:
        """The worst row of each part with rows ``beyond`` (rows,), the worst part first."""
        rows = np.flatnonzero(beyond)
        if not len(rows):
            return []
        parts, ratio = self.parts, self._ratio(r)
        groups = [rows[parts[rows] == part] for part in np.unique(parts[rows])]
        return sorted((int(group[ratio[group].argmax()]) for group in groups), key=lambda row: -ratio[row])

    def _ratio(self, r: int) -> Array:
        return self.largest[r] / np.maximum(self.limits[r], TINY)

    def finding(self, r: int) -> dict[str, Any] | None:
        """Plain data on the largest measure of a range relative to its limit; None where nothing has a limit."""
        limited = np.isfinite(self.limits[r])
        if not limited.any():
            return None
        row = int(np.where(limited, self._ratio(r), -1.0).argmax())
        declared, (part, element) = self.kind.ranges[r], self.place(row)
        beyond = [self.place(worst)[0] for worst in self.worst(r, self.largest[r] > self.limits[r])]
        return {
            "kind": self.kind.label, "range": declared.name, "unit": declared.unit, "limit": float(self.limits[r, row]),
            "value": float(self.largest[r, row]), "time": float(self.times[r, row]),
            "since": float(self.since[r, row]) if beyond else None, "part": part, "element": element,
            "row": row, "beyond": beyond, "advice": f"{declared.meaning}; {declared.advice}",
        }  # fmt: skip


class Ranges:
    """The ranges of all parts of a model, and the largest measures of a run.

    Parameters
    ----------
    kinds : of parts; those without ranges, or without anything that is measured, are ignored
    workspace : of the step

    Attributes
    ----------
    check : calls that evaluate the measures of a step that has converged
    keep : calls that keep those of an accepted step
    refused : (1,) number of measures for which the step is refused
    """

    def __init__(self, kinds: Iterable[Measured], workspace: Workspace):
        self.refused, self._new = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
        self._work = workspace
        self._kinds = [
            _OfKind(kind, workspace, self.refused, self._new)
            for kind in kinds
            if kind.ranges and kind.measures.size
        ]
        measured: list[Task] = [
            task for of_kind in self._kinds for task in (*of_kind.measure, *of_kind.judge)
        ]
        self.check: list[Task] = [Call(clear_count, self.refused), *measured] if measured else []
        self.keep: list[Task] = [of_kind.keep for of_kind in self._kinds]
        self._check, self._keep = CallList(self.check), CallList(self.keep)

    def evaluate(self) -> None:
        """Evaluate the measures of the step that has converged."""
        self._check()

    def refusal(self) -> tuple[str, bool]:
        """Why the step of the last `evaluate` is refused, "" if it is not; and whether shorter steps may help."""
        if not self.refused[0]:
            return "", False
        messages = []
        for of_kind in self._kinds:
            for r, declared in enumerate(of_kind.kind.ranges):
                rows = np.flatnonzero(of_kind.kind.measures[r] > of_kind.limits[r])
                if declared.beyond != WARN and len(rows):
                    row = int(rows[of_kind.kind.measures[r, rows].argmax()])
                    text = of_kind.message(r, row, float(of_kind.kind.measures[r, row]), self._work.t_f)
                    messages.append((declared.beyond == STOP, text))
        stops, text = max(messages, key=lambda message: message[0])
        return text, not stops

    def accept(self) -> None:
        """Keep the measures of a step that is accepted, and warn of new ones beyond their limits."""
        self._keep()
        self.warn()

    def warn(self, with_time: bool = True) -> None:
        """Warn of measures that have passed their limits since the last call; called often."""
        if not self._new[0]:
            return
        self._new[0] = 0
        for of_kind in self._kinds:
            for r in range(len(of_kind.kind.ranges)):
                rows = of_kind.worst(r, (of_kind.largest[r] > of_kind.limits[r]) & ~of_kind.warned[r])
                for row in rows[:NAMED]:
                    time = float(of_kind.times[r, row]) if with_time else None
                    text = of_kind.message(r, row, float(of_kind.largest[r, row]), time)
                    warnings.warn(text, RangeWarning, stacklevel=2)
                # a part is warned of once, with its first element
                for row in rows:
                    of_kind.warned[r, of_kind.parts == of_kind.parts[row]] = True

    def findings(self) -> list[dict[str, Any]]:
        """Plain data on the largest measure of every range relative to its limit.

        Keys: kind, range, unit, limit, value, time (s), since (s, when its limit was passed, or None), part, element
        (its number within the part, 0 for the only one), row, beyond (names of the parts beyond their limits), advice.
        """
        findings = (of_kind.finding(r) for of_kind in self._kinds for r in range(len(of_kind.kind.ranges)))
        return [finding for finding in findings if finding is not None]

    def restore(self, findings: Iterable[dict[str, Any]]) -> None:
        """Continue from the `findings` of an earlier session of the run."""
        places = {
            (of_kind.kind.label, declared.name): (of_kind, r)
            for of_kind in self._kinds
            for r, declared in enumerate(of_kind.kind.ranges)
        }
        for finding in findings:
            of_kind, r = places[finding["kind"], finding["range"]]
            of_kind.largest[r, finding["row"]] = finding["value"]
            of_kind.times[r, finding["row"]] = finding["time"]
            of_kind.warned[r, finding["row"]] = finding["since"] is not None
            if finding["since"] is not None:
                of_kind.since[r, finding["row"]] = finding["since"]

    def check_state(self) -> None:
        """Check the single state that is in the workspace, as a step without motion: warnings.

        Raises
        ------
        SolverFailure
            Where a range is passed beyond which results are worthless.
        """
        self.evaluate()
        refusal, _ = self.refusal()
        if refusal:
            raise SolverFailure(refusal)
        self._keep()
        self.warn(with_time=False)


def range_rows(kinds: Iterable[Any]) -> list[tuple[str, ...]]:
    """Rows of the table of all ranges: parts, measure, limit, what happens beyond it, what to do, source."""
    beyond = {WARN: "warning", SHORTEN: "shorter steps, else the run stops", STOP: "the run stops"}
    return [
        (
            str(kind.label), declared.name,
            f"{declared.limit:.4g}{declared.unit_text}" if np.isfinite(declared.limit) else "of the part",
            beyond[declared.beyond], f"{declared.meaning}; {declared.advice}", declared.source,
        )
        for kind in kinds
        for declared in kind.ranges
    ]  # fmt: skip
