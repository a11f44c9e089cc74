"""Specification of a sweep, read from TOML, and the plan of its runs.

`read_table` reads parameter tables, CSV or Parquet: a row per run, a column per parameter, no cell empty.

`Spec` has the case, its fixed and varied parameters, and the outputs to collect. The parameters of a run are those of
``fixed``, of one point of the grid, of one row of the table and of one sample; all combinations are run. As a file
(TOML):

    case = "crank_mechanism"               # or the folder of a study of yours, from the spec's: "./study"
    table = "rigs.csv"                     # a row per run, a column per parameter; also .parquet
    [set]
    revolutions = 1
    [grid]
    friction = [0.1, 0.2, 0.3]
    [sample]
    method = "sobol"                       # or "latin_hypercube", "monte_carlo"
    n = 64
    seed = 1
    [sample.range]
    damping = [1e-4, 1e-3]
    [outputs]
    peak = "max(Q.normal_force)"           # see fem_mbd.applications.sweeps.outputs
    steps = "steps"                        # a path in summary.json
    [record]
    every = 10                             # record every 10th step only
    keep = false                           # delete the results of a run; its outputs and summary are kept
    checks = true                          # make the case's checks; by default only where an output is one of them

The study (`study_of`) is a case, given by its name, or a user's function of parameters, given by its import path.

`Plan` has the parameters of each run, checked before anything starts, and a folder for each.
"""

from __future__ import annotations

import csv
import hashlib
import importlib
import inspect
import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from fem_mbd import case_parameters
from fem_mbd.applications.sweeps.sampling import Sample
from fem_mbd.base.dependencies import need
from fem_mbd.base.lazy import nearest
from fem_mbd.base.validation import whole_number
from fem_mbd.case import arithmetic_guard, is_path
from fem_mbd.case_parameters import read_toml
from fem_mbd.cases import load_case
from fem_mbd.errors import InputError
from fem_mbd.runs.results.checks import Check
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.running.session import Steppable

ENTRIES = ("case", "table", "set", "grid", "sample", "outputs", "record")
RESERVED = ("run", "status", "reason", "folder")


def read_table(file: Path) -> tuple[dict[str, Any], ...]:
    """Read rows of parameters.

    Raises
    ------
    InputError
        When the file cannot be read, a cell is missing (the message names row and column) or a column name is repeated.
    """
    kinds = {".csv": _read_csv, ".parquet": _read_parquet}
    if file.suffix not in kinds:
        raise InputError(f"table {file}: give a .csv or a .parquet file")
    try:
        names, rows = kinds[file.suffix](file)
    except OSError as error:
        raise InputError(f"table {file}: it cannot be read ({error.strerror or error})") from error
    if not rows:
        raise InputError(f"table {file}: it has no rows below its names")
    repeated = [name for k, name in enumerate(names) if name in names[:k]]
    if repeated or not all(names):
        raise InputError(
            f"table {file}: column {repeated[0]!r} occurs twice"
            if repeated
            else f"table {file}: a column has no name"
        )
    for number, row in enumerate(rows, start=1):
        if len(row) > len(names):
            raise InputError(f"table {file}: row {number} has {len(row)} cells for {len(names)} columns")
        missing = [
            name
            for name, cell in zip(names, [*row, *[None] * len(names)], strict=False)
            if cell in (None, "")
        ]
        if missing:
            raise InputError(f"table {file}: row {number}, column {missing[0]!r} is empty")
    return tuple(dict(zip(names, row, strict=True)) for row in rows)


def _read_csv(file: Path) -> tuple[list[str], list[list[Any]]]:
    try:
        with file.open(newline="", encoding="utf-8-sig") as stream:
            lines = [line for line in csv.reader(stream) if line]
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"table {file}: it is not a CSV table ({error})") from error
    if not lines:
        raise InputError(f"table {file}: it is empty")
    return [name.strip() for name in lines[0]], [
        [_value(cell.strip()) for cell in line] for line in lines[1:]
    ]


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text.casefold(), text)


def _read_parquet(file: Path) -> tuple[list[str], list[list[Any]]]:
    need("pyarrow")
    from pyarrow import ArrowException
    from pyarrow.parquet import read_table as read

    try:
        table = read(file)
    except ArrowException as error:
        raise InputError(f"table {file}: it is not a Parquet table ({error})") from error
    columns = [column.to_pylist() for column in table.columns]
    return list(table.column_names), [list(row) for row in zip(*columns, strict=True)]


@dataclass(frozen=True)
class Record:
    """Settings for the recording of each run of a sweep.

    Parameters
    ----------
    every : records every n-th state
    quantities : outputs to record, by name; None: all
    keep : whether the results are kept once the outputs are in the table
    checks : whether to make the checks of the case in every complete run with all outputs recorded; None: only where
        an output of the sweep is a check (``checks.NAME``). They may take longer than a run
    """

    every: int = 1
    quantities: tuple[str, ...] | None = None
    keep: bool = True
    checks: bool | None = None

    def __post_init__(self) -> None:
        whole_number(self.every, "[record] every")
        for name, value, absent in (("keep", self.keep, True), ("checks", self.checks, None)):
            if not isinstance(value, bool) and value is not absent:
                raise InputError(f"[record] {name} is {value!r}: give true or false")
        names = self.quantities
        if names is not None and not (
            isinstance(names, tuple | list) and names and all(isinstance(name, str) for name in names)
        ):
            raise InputError(
                f'[record] quantities is {names!r}: give a list of names, e.g. ["position"], or leave it out'
            )


@dataclass(frozen=True)
class Spec:
    """A sweep.

    Attributes
    ----------
    case : name
    fixed : parameters that all runs share
    grid : parameter to list of values, all combinations
    table : rows of parameters, one after the other
    sample : random or quasi-random points, None for none
    outputs : name to definition, see `fem_mbd.applications.sweeps.outputs`
    record : recording of each run
    """

    case: str
    fixed: Mapping[str, Any] = field(default_factory=dict)
    grid: Mapping[str, list[Any]] = field(default_factory=dict)
    table: tuple[Mapping[str, Any], ...] = ()
    sample: Sample | None = None
    outputs: Mapping[str, str] = field(default_factory=dict)
    record: Record = Record()

    def __post_init__(self) -> None:
        for name, values in self.grid.items():
            if not isinstance(values, list) or not values:
                raise InputError(
                    f"sweep: [grid] {name} is {values!r}: give a list of values, e.g. [0.1, 0.2]"
                )
        in_table = list(self.table[0]) if self.table else []
        sources: dict[str, str] = {}
        for where, names in (
            ("[set]", self.fixed),
            ("[grid]", self.grid),
            ("the table", in_table),
            ("[sample.range]", self.sample.ranges if self.sample else ()),
        ):
            for name in names:
                if name in sources:
                    raise InputError(
                        f"sweep: parameter {name!r} is given in {sources[name]} and in {where}: give it once"
                    )
                sources[name] = where
        for name, text in self.outputs.items():
            if not isinstance(text, str):
                raise InputError(f'sweep: [outputs] {name} is {text!r}: give a text, e.g. "steps"')
            if name in (*sources, *RESERVED):
                raise InputError(
                    f"sweep: output {name!r} has the name of another column of the table: rename it"
                )

    @property
    def checks(self) -> bool:
        """Whether the case's checks are made in every run."""
        if self.record.checks is None:
            return any(text.startswith("checks.") for text in self.outputs.values())
        return self.record.checks

    @property
    def varied(self) -> list[str]:
        """Parameters that differ from run to run."""
        in_table = list(self.table[0]) if self.table else []
        return [*self.grid, *in_table, *(self.sample.ranges if self.sample else ())]


def read_spec(file: Path) -> Spec:
    """The sweep that a TOML file describes; InputError for invalid entries."""
    entries = read_toml(file, "sweep")
    _check_names(entries, ENTRIES, str(file))
    for name in ("set", "grid", "sample", "outputs", "record"):
        if not isinstance(entries.get(name, {}), dict):
            raise InputError(f"{file}: {name} is a table: write it as [{name}]")
    if not isinstance(entries.get("case"), str):
        raise InputError(f'{file}: it has to name the case: case = "NAME" (`fem-mbd list` shows all)')
    if ":" in entries["case"] and not is_path(entries["case"]):
        raise InputError(
            f"{file}: case {entries['case']!r}: a file needs the name of a case; functions are for fem_mbd.sweep"
        )
    case = entries["case"]
    record = entries.get("record", {})
    _check_names(record, ("every", "quantities", "keep", "checks"), f"{file}: [record]")
    table, quantities = entries.get("table"), record.get("quantities")
    if not isinstance(table, str | None):
        raise InputError(f'{file}: table is {table!r}: name a file, e.g. table = "rigs.csv"')
    return Spec(
        # relative to the spec's folder: workers may have another working directory
        case=str((file.parent / case).resolve()) if is_path(case) else case,
        fixed=entries.get("set", {}),
        grid=entries.get("grid", {}),
        table=() if table is None else read_table(file.parent / table),
        sample=Sample.from_plain(entries["sample"], str(file)) if "sample" in entries else None,
        outputs=entries.get("outputs", {}),
        record=Record(
            every=record.get("every", 1),
            quantities=tuple(quantities) if isinstance(quantities, list) else quantities,
            keep=record.get("keep", True),
            checks=record.get("checks"),
        ),
    )


def _check_names(entries: Mapping[str, Any], names: tuple[str, ...], where: str) -> None:
    for name in entries:
        if name not in names:
            raise InputError(f"{where}: there is no entry {name!r}; {nearest(name, names)}")


IMPORT_PATH = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
MAX_RUNS = 1_000_000
TAG_DIGITS = 12


class Study(Protocol):
    """Protocol: a study that can be run with given parameters."""

    name: str
    address: str  # name of the case in results files; "" for a function

    def check(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The same parameters as plain data; InputError for invalid ones."""

    def build(self, parameters: Mapping[str, Any]) -> Steppable:
        """The simulation."""

    def plain(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """All parameters, including those not given."""

    def units(self) -> dict[str, str]:
        """Units of the parameters by name, as far as known."""

    def checks(self, result: Result, parameters: Mapping[str, Any]) -> list[Check]:
        """Checks of a complete run."""


class CaseStudy:
    """Study of a case."""

    def __init__(self, name: str) -> None:
        self._case = load_case(name)
        self.name, self.address = self._case.name, self._case.address

    def check(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        plain = self.plain(parameters)
        return {name: plain[name] for name in parameters}

    def plain(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        return case_parameters.to_plain(case_parameters.from_plain(self._case.parameters, parameters))

    def build(self, parameters: Mapping[str, Any]) -> Steppable:
        with arithmetic_guard(self.name):
            return self._case.build(case_parameters.from_plain(self._case.parameters, parameters))

    def units(self) -> dict[str, str]:
        return {entry["name"]: entry["unit"] for entry in case_parameters.describe(self._case.parameters)}

    def checks(self, result: Result, parameters: Mapping[str, Any]) -> list[Check]:
        return self._case.checks(result, case_parameters.from_plain(self._case.parameters, parameters))


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

    def check(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        for name, value in parameters.items():
            if name not in self._names:
                raise InputError(f"{self.name}: there is no parameter {name!r}; {nearest(name, self._names)}")
            if not isinstance(value, bool | int | float | str | list):
                raise InputError(
                    f"{self.name}: parameter {name!r} is {value!r}: give a number, a text or a list of them"
                )
        return dict(parameters)

    def plain(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        return dict(parameters)

    def build(self, parameters: Mapping[str, Any]) -> Steppable:
        return self._function(**parameters)

    def units(self) -> dict[str, str]:
        return {}

    def checks(self, result: Result, parameters: Mapping[str, Any]) -> list[Check]:
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
            parameters = study.check(point)
        except InputError as error:
            text = str(error).removeprefix("stored parameters: ")
            raise InputError(f"run {number} of {total}: {text}") from error
        tag = _tag(study.name, parameters)
        if tag in first:
            raise InputError(
                f"runs {first[tag]} and {number} have the same parameters ({_parameters_text(parameters)}): give them "
                "once"
            )
        first[tag] = number
        runs.append(PlannedRun(number, parameters, tag))
    return runs


def _points(spec: Spec) -> Iterator[dict[str, Any]]:
    grid = [dict(zip(spec.grid, values, strict=True)) for values in itertools.product(*spec.grid.values())]
    samples = spec.sample.points() if spec.sample else [{}]
    for row, point, sample in itertools.product(spec.table or ({},), grid, samples):
        yield {**spec.fixed, **row, **point, **sample}


def _tag(case: str, parameters: dict[str, Any]) -> str:
    text = json.dumps([case, parameters], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:TAG_DIGITS]


def _parameters_text(parameters: dict[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in parameters.items())
