"""Writer of CSV tables of a run: the energy ledger, the steps, and one table for every recorded output.

The first column is the time in s; the other columns are named after node or part and component, with units in brackets.
Numbers are written so that they are read back bit for bit.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd.core.model.output import Output
from fem_mbd.core.scheme.ledger_names import ENERGIES
from fem_mbd.output.export.lines import blocks, chosen_rows, read_rows
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.results.views.part_table import PartTable
from fem_mbd.runs.results.views.states import extract_quantity


def write(folder: Path, result: Result, every: int = 1) -> list[Path]:
    """Write all tables into ``folder``, created if necessary; returns the files.

    ``every``: one row in so many, and the last. The ledger's works and dissipations then include those of the skipped
    rows.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rows = chosen_rows(result, every)
    files = [_ledger(folder / "energy.csv", result, every), _steps(folder / "steps.csv", result)]
    table = PartTable(result.model)
    for name, output in table.outputs.items():
        titles = _titles(table, output)
        if titles and name in result.outputs:
            files.append(_write(folder / f"{name}.csv", titles, _history(result, output, rows)))
    return files


def _history(result: Result, output: Output, rows: list[int]) -> Iterator[list[Any]]:
    """Rows of time and values of one output, first the state at the start unless a damaged file lost it."""
    if output.name in result.initial:
        yield [result.info.start_time, *_flat(result.initial[output.name][None], output)[0]]
    for block in blocks(rows):
        values = _flat(read_rows(result, output.name, block), output)
        for row, line in zip(block, values, strict=True):
            yield [float(result.output_time[row]), *line]


def _flat(values: np.ndarray, output: Output) -> list[list[float]]:
    """Every row as a list of numbers; of records, quantity by quantity for each record."""
    count = len(values)
    if values.dtype.names:
        fields = [extract_quantity(values, output, q).reshape(*values.shape, -1) for q in output.quantities]
        values = np.concatenate(fields, axis=2)
    return values.reshape(count, -1).tolist()


def _ledger(path: Path, result: Result, every: int) -> Path:
    count = result.steps
    ends = np.array([*range(every, count, every), count] if count else [], dtype=np.int64)
    columns = [result.time[ends - 1]]
    for name, column in result.energy.items():
        sums = np.diff(np.cumsum(column)[ends - 1], prepend=0.0)
        columns.append(column[ends - 1] if name in ENERGIES or every == 1 else sums)
    return _write(path, [f"{name} [J]" for name in result.energy], np.column_stack(columns).tolist())


def _steps(path: Path, result: Result) -> Path:
    names = [name for name in result.step if name != "time"]
    titles = [f"{name} [s]" if name == "dt" else name for name in names]
    columns = [result.time.tolist(), *(result.step[name].tolist() for name in names)]
    return _write(path, titles, zip(*columns, strict=True))


def _titles(table: PartTable, output: Output) -> list[str]:
    """A title for every number of an output: owner, component, unit."""
    owners = table.owners(output)
    return [f"{who}: {what}" for who, quantities in owners for q in quantities for what in q.titles]


def _write(path: Path, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["time [s]", *names])
        table.writerows(rows)
    return path
