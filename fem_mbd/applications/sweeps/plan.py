"""Plan of a sweep: parameters of each run, checked before anything starts, and a distinct folder for each."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fem_mbd.applications.sweeps.spec import Spec
from fem_mbd.applications.sweeps.study import Study
from fem_mbd.errors import InputError

MANY = 1_000_000
DIGITS = 12


@dataclass(frozen=True)
class PlannedRun:
    """One run.

    Attributes
    ----------
    number : counted from 1, the table's row
    given : the parameters given in the spec, as plain data
    tag : name of its folder, made of the case and the given parameters, so that the same run has the same folder
    """

    number: int
    given: dict[str, Any]
    tag: str


@dataclass(frozen=True)
class Plan:
    """A sweep that has been checked.

    Attributes
    ----------
    runs : in the order of the table
    units : of parameters and outputs by name, "" for pure numbers
    """

    runs: list[PlannedRun]
    units: dict[str, str]


def count(spec: Spec) -> int:
    """Number of planned runs."""
    total = len(spec.table) or 1
    for values in spec.grid.values():
        total *= len(values)
    return total * (spec.sample.count if spec.sample else 1)


def planned(spec: Spec, study: Study, many: bool = False) -> list[PlannedRun]:
    """All runs of the spec.

    Raises
    ------
    InputError
        For unknown parameters (the nearest is suggested), invalid values (with the run's number), and more than a
        million runs unless ``many``.
    """
    total = count(spec)
    if total > MANY and not many:
        raise InputError(f"this sweep plans {total:,} runs; confirm with --yes")
    runs: list[PlannedRun] = []
    first: dict[str, int] = {}
    for number, point in enumerate(_points(spec), start=1):
        try:
            given = study.check(point)
        except InputError as error:
            text = str(error).removeprefix("stored parameters: ")
            raise InputError(f"run {number} of {total}: {text}") from error
        tag = _tag(study.name, given)
        if tag in first:
            raise InputError(
                f"runs {first[tag]} and {number} have the same parameters ({_said(given)}): give them once"
            )
        first[tag] = number
        runs.append(PlannedRun(number, given, tag))
    return runs


def _points(spec: Spec) -> Iterator[dict[str, Any]]:
    grid = [dict(zip(spec.grid, values, strict=True)) for values in itertools.product(*spec.grid.values())]
    samples = spec.sample.points() if spec.sample else [{}]
    for row, point, sample in itertools.product(spec.table or ({},), grid, samples):
        yield {**spec.fixed, **row, **point, **sample}


def _tag(case: str, given: dict[str, Any]) -> str:
    text = json.dumps([case, given], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def _said(given: dict[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in given.items())
