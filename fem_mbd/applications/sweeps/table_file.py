"""Reader of parameter tables: CSV or Parquet, a row per run, a column per parameter, no cell empty."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from fem_mbd.base.dependencies import need
from fem_mbd.errors import InputError


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
    twice = [name for k, name in enumerate(names) if name in names[:k]]
    if twice or not all(names):
        raise InputError(
            f"table {file}: column {twice[0]!r} occurs twice"
            if twice
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
