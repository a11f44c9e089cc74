"""Run table of a sweep: one row per run with parameters, status, folder and outputs; written as CSV and Parquet.

Statuses: waiting, done, failed (with the reason), interrupted (the next call resumes it), lost (workers died with it).
"""

from __future__ import annotations

import csv
import os
from collections import Counter
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import Any

from fem_mbd.applications.sweeps.executors.one_run import WAITING, Outcome
from fem_mbd.applications.sweeps.plan import Plan
from fem_mbd.applications.sweeps.sampling import Sample, SobolIndices, sobol_indices
from fem_mbd.applications.sweeps.spec import Spec
from fem_mbd.base.dependencies import has
from fem_mbd.errors import InputError

CSV_NAME, PARQUET_NAME, RUNS_NAME = "table.csv", "table.parquet", "runs"


class RunTable:
    """The rows of a sweep.

    Parameters
    ----------
    spec : the sweep
    plan : its runs and units

    Attributes
    ----------
    rows : one dictionary per run: run, parameters, status, reason, folder, outputs
    varied : parameters that differ from run to run
    outputs : names of the outputs
    axes : parameter to its values where the sweep is a grid, empty otherwise
    units : of parameters and outputs by name, "" for pure numbers
    sample : random points of the sweep, None for a grid or a table
    """

    def __init__(self, spec: Spec, plan: Plan) -> None:
        runs, self.units = plan.runs, plan.units
        self.sample: Sample | None = spec.sample
        self.varied, self.outputs = spec.varied, list(spec.outputs)
        plain = not spec.table and spec.sample is None
        self.axes: dict[str, list[Any]] = {k: list(v) for k, v in spec.grid.items()} if plain else {}
        empty = dict.fromkeys(self.outputs)
        self.rows: list[dict[str, Any]] = [
            {
                "run": r.number,
                **r.given,
                "status": WAITING,
                "reason": "",
                "folder": f"{RUNS_NAME}/{r.tag}",
                **empty,
            }
            for r in runs
        ]
        self._row_of = {run.tag: k for k, run in enumerate(runs)}

    def take(self, outcome: Outcome) -> None:
        """Store the outcome of a run.

        Parameters
        ----------
        outcome : of one run
        """
        outputs = {name: outcome.outputs.get(name) for name in self.outputs}
        row = self.rows[self._row_of[outcome.tag]]
        row |= {"status": outcome.status, "reason": outcome.reason, **outputs}

    def counts(self) -> dict[str, int]:
        """Number of runs by status."""
        return dict(Counter(row["status"] for row in self.rows))

    def column(self, name: str) -> list[Any]:
        """One column.

        Parameters
        ----------
        name : of a parameter or an output

        Raises
        ------
        InputError
            For an unknown column.
        """
        if name not in self.rows[0]:
            raise InputError(f"the table has no column {name!r}; it has {', '.join(self.rows[0])}")
        return [row[name] for row in self.rows]

    def write(self, folder: Path) -> list[Path]:
        """Write `table.csv` and, where pyarrow is installed, `table.parquet`, each replaced atomically.

        Lists are written as texts in the CSV.

        Parameters
        ----------
        folder : for the files
        """
        files = [folder / CSV_NAME, *([folder / PARQUET_NAME] if has("pyarrow") else [])]
        temporary = [file.with_name(file.name + ".new") for file in files]
        with temporary[0].open("w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, list(self.rows[0]))
            writer.writeheader()
            writer.writerows(self.rows)
        if has("pyarrow"):
            self._write_parquet(temporary[1])
        else:
            (folder / PARQUET_NAME).unlink(missing_ok=True)  # outdated
        for new, file in zip(temporary, files, strict=True):
            os.replace(new, file)
        return files

    def _write_parquet(self, file: Path) -> None:
        import pyarrow
        from pyarrow import parquet

        columns = {name: [row[name] for row in self.rows] for name in self.rows[0]}
        try:
            table = pyarrow.table(columns)
        except pyarrow.ArrowException:  # a column of numbers and texts
            mixed = {
                name: [None if v is None else str(v) for v in values] for name, values in columns.items()
            }
            table = pyarrow.table({name: _uniform(values, mixed[name]) for name, values in columns.items()})
        parquet.write_table(table, file)

    def to_pandas(self) -> Any:
        """The table as a DataFrame, indexed by the run's number. Needs pandas."""
        import pandas

        return pandas.DataFrame(self.rows).set_index("run")

    def to_xarray(self) -> Any:
        """Outputs over the parameters of a grid, or over the runs of any other sweep. Needs xarray."""
        frame = self.to_pandas()
        if self.axes:
            data = frame.set_index(list(self.axes))[["status", *self.outputs]].to_xarray()
        else:
            data = frame[[*self.varied, "status", *self.outputs]].to_xarray()
        for name in data.variables:
            if self.units.get(name):
                data[name].attrs["units"] = self.units[name]
        return data

    def sobol_indices(self, output: str) -> SobolIndices:
        """Sobol indices of an output over the parameters of a sample drawn with the method "saltelli". Needs SALib.

        Parameters
        ----------
        output : name of a number

        Raises
        ------
        InputError
            For a sweep with other points, or when runs are missing.
        """
        values = self.column(output)
        if self.sample is None or not self._has_saltelli_points():
            raise InputError(
                'Sobol indices need Saltelli\'s points and no other variation: [sample] method = "saltelli"'
            )
        return sobol_indices(output, self.varied, values, self.sample.seed)

    def all_sobol_indices(self) -> list[SobolIndices]:
        """Sobol indices of all outputs for which they exist: numbers of complete sweeps that differ from run to run."""
        indices = []
        for name in self.outputs if self._has_saltelli_points() else []:
            with suppress(InputError):
                indices.append(self.sobol_indices(name))
        return indices

    def _has_saltelli_points(self) -> bool:
        return self.sample is not None and self.sample.method == "saltelli" and len(self) == self.sample.count

    def label(self, name: str) -> str:
        """A parameter or an output with its unit, for axes.

        Parameters
        ----------
        name : of the column
        """
        return f"{name} [{self.units[name]}]" if self.units.get(name) else name

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {status}" for status, count in self.counts().items())
        return f"<RunTable of {len(self)} runs: {counts}>"

    def _repr_html_(self) -> str:
        heads = "".join(f"<th>{escape(name)}</th>" for name in self.rows[0])
        lines = ["".join(f"<td>{escape(str(v))}</td>" for v in row.values()) for row in self.rows[:20]]
        return (
            f"<p>{escape(repr(self))}</p><table><tr>{heads}</tr>"
            + "".join(f"<tr>{x}</tr>" for x in lines)
            + "</table>"
        )


def _uniform(values: list[Any], texts: list[Any]) -> list[Any]:
    """The values themselves, or their texts where they have several types."""
    kinds = {type(v) for v in values if v is not None} - {int, float}
    return texts if kinds and len({type(v) for v in values if v is not None}) > 1 else values
