"""Tables of numbers in CSV files with comments, whose errors name file, line and column."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from fem_mbd.errors import InputError


def number_table(
    file: Path, column: Callable[[str], str], empty: Callable[[str, str], bool]
) -> tuple[list[str], list[int], list[list[float]]]:
    """Column names, line number of each row and rows of numbers of a CSV file with comments (#).

    Parameters
    ----------
    file : path; separators are commas, semicolons or tabs
    column : function from an entry of the first line to the column's name
    empty : function of a column's name and an entry: whether the entry is missing (nan)

    Raises
    ------
    InputError
        Naming file, line and column: files that cannot be read, rows of another length, entries that are not numbers.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{file}: it cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: it is not a text file in UTF-8 ({error.reason})") from error
    content = _content_lines(text)
    _, header = next(content, (0, ""))
    separator = next((mark for mark in ("\t", ";") if mark in header), ",")
    names = [column(entry) for entry in _entries(header, separator, f"{file}, first line")]
    if len(set(names)) < len(names):
        raise InputError(f"{file}: two columns have the same name: {', '.join(names)}")
    lines, rows = [], []
    for number, line in content:
        entries = _entries(line, separator, f"{file}, line {number}")
        if len(entries) != len(names):
            raise InputError(f"{file}, line {number}: {len(entries)} entries for {len(names)} columns")
        lines.append(number)
        where = f"{file}, line {number}, column"
        rows.append(
            [
                np.nan if empty(name, entry) else _number(entry, f"{where} {name!r}")
                for entry, name in zip(entries, names, strict=True)
            ]
        )
    return names, lines, rows


def _entries(line: str, separator: str, where: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator), [])
    except csv.Error as error:
        raise InputError(f"{where}: it is not a line of a CSV table ({error})") from error


def _content_lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, line


def _number(entry: str, where: str) -> float:
    try:
        return float(entry)
    except ValueError:
        raise InputError(f"{where}: {entry.strip()!r} is not a number") from None
