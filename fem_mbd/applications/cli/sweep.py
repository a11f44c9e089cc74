"""`fem-mbd sweep SPEC.toml`: many runs of one case, by processes of this machine, a Dask cluster or a job array."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from fem_mbd.applications.sweeps.executors.dask_cluster import by_dask
from fem_mbd.applications.sweeps.executors.one_run import DONE
from fem_mbd.applications.sweeps.executors.slurm import write_script
from fem_mbd.applications.sweeps.run_table import CSV_NAME, RunTable
from fem_mbd.applications.sweeps.spec import read_spec
from fem_mbd.applications.sweeps.sweep import Executor, check_sweep, run_spec
from fem_mbd.errors import InputError

NOT_ALL = 3


def run_sweep(options: argparse.Namespace) -> int:
    """Run it, name the table and what failed."""
    spec = read_spec(options.spec)
    out = options.out or options.spec.with_suffix("")
    if options.plan or options.slurm is not None:
        plan = check_sweep(spec, many=options.yes)
        if options.slurm is not None:
            return _write_script(options, out)
        sys.stdout.write(f"{len(plan.runs)} runs\n")
        return 0
    table = run_spec(
        spec,
        out,
        processes=options.processes,
        executor=_executor(options),
        part=_part(options.part),
        many=options.yes,
        progress=not options.quiet,
    )
    return _tell(table, out, options)


def _write_script(options: argparse.Namespace, out: Path) -> int:

    script = write_script(options.spec, out, options.slurm)
    sys.stdout.write(f"{script}\nsubmit it with: sbatch {script}\n")
    return 0


def _executor(options: argparse.Namespace) -> Executor | None:
    if options.dask is None:
        return None

    return by_dask(options.dask)


def _part(text: str | None) -> tuple[int, int] | None:

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


def _tell(table: RunTable, out: Path, options: argparse.Namespace) -> int:

    whole = options.part is None
    if not options.quiet:
        sys.stdout.write(f"{table!r}\n" + (f"{out / CSV_NAME}\n" if whole else ""))
        sys.stdout.write("".join(f"{indices}\n" for indices in table.all_sobol_indices()))
        if whole and not options.no_plot:
            from fem_mbd.applications.sweeps.figures import sweep_figures

            sys.stdout.write("".join(f"{figure}\n" for figure in sweep_figures(table, out / "figures")))
    bad = [row for row in table.rows if row["status"] != DONE and (whole or row["reason"])]
    for row in bad[:10]:
        sys.stderr.write(f"fem-mbd: run {row['run']} ({row['folder']}): {row['status']}: {row['reason']}\n")
    if len(bad) > 10:
        sys.stderr.write(f"fem-mbd: and {len(bad) - 10} more, see the table\n")
    return NOT_ALL if bad else 0
