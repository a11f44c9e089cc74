"""Specification of a sweep, read from TOML: the case, its fixed and varied parameters, the outputs to collect.

The parameters of a run are those of ``fixed``, of one point of the grid, of one row of the table and of one sample; all
combinations are run. As a file (TOML):

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

Parameter tables are CSV or Parquet: a row per run, a column per parameter, no cell empty.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fem_mbd.applications.sweeps.sampling import Sample
from fem_mbd.base.dependencies import need
from fem_mbd.base.suggestions import nearest
from fem_mbd.base.validation import whole_number
from fem_mbd.case_folder import is_path
from fem_mbd.case_parameters import read_toml
from fem_mbd.errors import InputError

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
