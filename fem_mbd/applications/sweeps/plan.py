"""Plan of a sweep: parameters of each run, checked before anything starts, and a folder for each.

The study is a case, given by its name, or a user's function of parameters, given by its import path.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from fem_mbd import case_parameters
from fem_mbd.applications.sweeps.spec import Spec
from fem_mbd.base.suggestions import nearest
from fem_mbd.cases import load_case
from fem_mbd.errors import InputError
from fem_mbd.runs.results.checks import Check
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.running.arithmetic_guard import arithmetic_guard
from fem_mbd.runs.running.session import Steppable

IMPORT_PATH = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
MAX_RUNS = 1_000_000
TAG_DIGITS = 12


class Study(Protocol):
    """Protocol: a study that can be run with given parameters."""

    name: str
    address: str  # name of the case in results files; "" for a function

    def check(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The same parameters as plain data; InputError for invalid ones."""

    def build(self, given: Mapping[str, Any]) -> Steppable:
        """The simulation."""

    def plain(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """All parameters, including those not given."""

    def units(self) -> dict[str, str]:
        """Units of the parameters by name, as far as known."""

    def checks(self, result: Result, given: Mapping[str, Any]) -> list[Check]:
        """Checks of a complete run."""


class CaseStudy:
    """Study of a case."""

    def __init__(self, name: str) -> None:
        self._case = load_case(name)
        self.name, self.address = self._case.name, self._case.address

    def check(self, given: Mapping[str, Any]) -> dict[str, Any]:
        plain = self.plain(given)
        return {name: plain[name] for name in given}

    def plain(self, given: Mapping[str, Any]) -> dict[str, Any]:
        return case_parameters.to_plain(case_parameters.from_plain(self._case.parameters, given))

    def build(self, given: Mapping[str, Any]) -> Steppable:
        with arithmetic_guard(self.name):
            return self._case.build(case_parameters.from_plain(self._case.parameters, given))

    def units(self) -> dict[str, str]:
        return {entry["name"]: entry["unit"] for entry in case_parameters.describe(self._case.parameters)}

    def checks(self, result: Result, given: Mapping[str, Any]) -> list[Check]:
        return self._case.checks(result, case_parameters.from_plain(self._case.parameters, given))


class FunctionStudy:
    """A function of a module that returns a `Simulation` for parameters, "MODULE:FUNCTION"."""

    def __init__(self, path: str) -> None:
        self.name, self.address = path, ""
        module, _, name = path.partition(":")
        try:
            self._function: Callable[..., Steppable] = getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError) as error:
            raise InputError(
                f"sweep: {path} cannot be imported ({error}): runs have processes of their own"
            ) from error
        self._names = list(inspect.signature(self._function).parameters)

    def check(self, given: Mapping[str, Any]) -> dict[str, Any]:
        for name, value in given.items():
            if name not in self._names:
                raise InputError(f"{self.name}: there is no parameter {name!r}; {nearest(name, self._names)}")
            if not isinstance(value, bool | int | float | str | list):
                raise InputError(
                    f"{self.name}: parameter {name!r} is {value!r}: give a number, a text or a list of them"
                )
        return dict(given)

    def plain(self, given: Mapping[str, Any]) -> dict[str, Any]:
        return dict(given)

    def build(self, given: Mapping[str, Any]) -> Steppable:
        return self._function(**given)

    def units(self) -> dict[str, str]:
        return {}

    def checks(self, result: Result, given: Mapping[str, Any]) -> list[Check]:
        return []


@lru_cache(maxsize=8)
def study_of(name: str) -> Study:
    """The study of a name, loaded once per process."""
    return FunctionStudy(name) if IMPORT_PATH.fullmatch(name) else CaseStudy(name)


def import_path_of(function: Callable[..., Any]) -> str:
    """ "MODULE:FUNCTION" of a function; InputError for one that another process cannot import."""
    module, name = getattr(function, "__module__", ""), getattr(function, "__qualname__", "")
    path = f"{module}:{name}"
    if module == "__main__" or not IMPORT_PATH.fullmatch(path):
        raise InputError(
            f"sweep: {name or function!r} cannot be imported by other processes: put it into a module of "
            "its own, as a plain function"
        )
    return path


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
    if total > MAX_RUNS and not many:
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
                f"runs {first[tag]} and {number} have the same parameters ({_parameters_text(given)}): give them once"
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
    return hashlib.sha256(text.encode()).hexdigest()[:TAG_DIGITS]


def _parameters_text(given: dict[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in given.items())
