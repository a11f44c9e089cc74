"""Command `fem-mbd sweep SPEC.toml`: many runs of one case, by processes, a Dask cluster or a job array."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from fem_mbd.applications.cli.options import path
from fem_mbd.applications.cli.reports import write_line

if TYPE_CHECKING:
    from fem_mbd.applications.sweeps.run_table import RunTable

NOT_ALL_DONE = 3  # exit status


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `sweep`."""
    command.add_argument(
        "spec", type=path, metavar="SPEC.toml", help="parameters to vary and outputs to collect"
    )
    command.add_argument(
        "--out", type=path, metavar="DIR", help="folder of the sweep (default: SPEC beside the file)"
    )
    command.add_argument(
        "--processes", type=int, metavar="N", help="worker processes (default: one per processor)"
    )
    command.add_argument(
        "--dask", metavar="ADDRESS", help="a running Dask scheduler instead of processes here"
    )
    command.add_argument(
        "--slurm", type=int, metavar="N", help="run nothing: write a SLURM script for an array of N jobs"
    )
    command.add_argument(
        "--part", metavar="K/N", help="run the K-th of N parts only, as a job of an array does"
    )
    command.add_argument(
        "--plan", action="store_true", help="check everything, print the number of runs, and stop"
    )
    command.add_argument("--yes", action="store_true", help="permit more than a million runs")
    command.add_argument("--quiet", action="store_true", help="print errors only")
    command.add_argument("--no-plot", action="store_true", help="draw no figures")
    command.set_defaults(command=run_sweep)


def run_sweep(options: argparse.Namespace) -> int:
    """Execute the sweep, print the name of the table and the failed runs; returns the exit status."""
    from fem_mbd.applications.sweeps.executors.clusters import by_dask, write_script
    from fem_mbd.applications.sweeps.spec import read_spec
    from fem_mbd.applications.sweeps.sweep import check_sweep, run_spec

    spec = read_spec(options.spec)
    out = options.out or options.spec.with_suffix("")
    if options.plan or options.slurm is not None:
        plan = check_sweep(spec, many=options.yes)
        if options.slurm is None:
            write_line(f"{len(plan.runs)} runs")
        else:
            script = write_script(options.spec, out, options.slurm)
            write_line(f"{script}\nsubmit it with: sbatch {script}")
        return 0
    if not (spec.checks or options.quiet):
        sys.stderr.write(
            "the case's checks are not made; `checks = true` in [record] makes them in every run\n"
        )
    table = run_spec(
        spec,
        out,
        processes=options.processes,
        executor=None if options.dask is None else by_dask(options.dask),
        part=_part(options.part),
        many=options.yes,
        progress=False if options.quiet else True,
    )
    return _report(table, out, options)


def _part(text: str | None) -> tuple[int, int] | None:
    from fem_mbd.errors import InputError

    if text is None:
        return None
    numbers = text.split("/")
    if (
        len(numbers) != 2
        or not all(n.isdigit() for n in numbers)
        or not 1 <= int(numbers[0]) <= int(numbers[1])
    ):
        raise InputError(f"--part {text}: write it as K/N with K from 1 to N, e.g. 3/8")
    return int(numbers[0]), int(numbers[1])


def _report(table: RunTable, out: Path, options: argparse.Namespace) -> int:
    from fem_mbd.applications.sweeps.executors.one_run import DONE
    from fem_mbd.applications.sweeps.run_table import CSV_NAME

    complete = options.part is None
    if not options.quiet:
        write_line(f"{table!r}" + (f"\n{out / CSV_NAME}" if complete else ""))
        for indices in table.all_sobol_indices():
            write_line(indices)
        if complete and not options.no_plot:
            from fem_mbd.applications.sweeps.figures import sweep_figures

            for figure in sweep_figures(table, out / "figures"):
                write_line(figure)
    failed = [row for row in table.rows if row["status"] != DONE and (complete or row["reason"])]
    for row in failed[:10]:
        sys.stderr.write(f"fem-mbd: run {row['run']} ({row['folder']}): {row['status']}: {row['reason']}\n")
    if len(failed) > 10:
        sys.stderr.write(f"fem-mbd: and {len(failed) - 10} more, see the table\n")
    return NOT_ALL_DONE if failed else 0
