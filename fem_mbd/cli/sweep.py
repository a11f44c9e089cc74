"""`fem-mbd sweep SPEC.toml`: many runs of one case, by processes of this machine, a Dask cluster or a job array."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fem_mbd.sweeps.run_table import RunTable
    from fem_mbd.sweeps.sweep import Executor

    Subcommands = argparse._SubParsersAction[argparse.ArgumentParser]

NOT_ALL = 3


def add_sweep(sub: Subcommands) -> None:
    """The command's grammar."""
    command = sub.add_parser(
        "sweep", help="run a case for many values of its parameters; again: what is missing"
    )
    command.add_argument("spec", type=Path, metavar="SPEC.toml", help="what to vary and what to collect")
    command.add_argument(
        "--out", type=Path, metavar="DIR", help="folder of the sweep (default: SPEC beside the file)"
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
        "--plan", action="store_true", help="check everything, say how many runs there are, and stop"
    )
    command.add_argument("--yes", action="store_true", help="more than a million runs are meant")
    command.add_argument("--quiet", action="store_true", help="say nothing but errors")
    command.add_argument("--no-plot", action="store_true", help="draw no figures")
    command.set_defaults(command=run_sweep)


def run_sweep(options: argparse.Namespace) -> int:
    """Run it, name the table and what failed."""
    from fem_mbd.sweeps.spec import read_spec
    from fem_mbd.sweeps.sweep import check_sweep, run_spec

    spec = read_spec(options.spec)
    out = options.out or options.spec.with_suffix("")
    if options.plan or options.slurm is not None:
        runs = check_sweep(spec, many=options.yes)
        if options.slurm is not None:
            return _write_script(options, out)
        sys.stdout.write(f"{len(runs)} runs\n")
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
    from fem_mbd.sweeps.executors.slurm import write_script

    script = write_script(options.spec, out, options.slurm)
    sys.stdout.write(f"{script}\nsubmit it with: sbatch {script}\n")
    return 0


def _executor(options: argparse.Namespace) -> Executor | None:
    if options.dask is None:
        return None
    from fem_mbd.sweeps.executors.dask_cluster import by_dask

    return by_dask(options.dask)


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


def _tell(table: RunTable, out: Path, options: argparse.Namespace) -> int:
    from fem_mbd.sweeps.executors.one_run import DONE
    from fem_mbd.sweeps.run_table import CSV_NAME

    whole = options.part is None
    if not options.quiet:
        sys.stdout.write(f"{table!r}\n" + (f"{out / CSV_NAME}\n" if whole else ""))
        if whole and not options.no_plot:
            from fem_mbd.sweeps.figures import sweep_figures

            sys.stdout.write("".join(f"{figure}\n" for figure in sweep_figures(table, out / "figures")))
    bad = [row for row in table.rows if row["status"] != DONE and (whole or row["reason"])]
    for row in bad[:10]:
        sys.stderr.write(f"fem-mbd: run {row['run']} ({row['folder']}): {row['status']}: {row['reason']}\n")
    if len(bad) > 10:
        sys.stderr.write(f"fem-mbd: and {len(bad) - 10} more, see the table\n")
    return NOT_ALL if bad else 0
