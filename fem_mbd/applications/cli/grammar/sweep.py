"""What `fem-mbd sweep SPEC.toml` takes."""

from __future__ import annotations

from fem_mbd.applications.cli.grammar.shared import Subcommands, path


def add_sweep(sub: Subcommands) -> None:
    """The command's grammar."""
    command = sub.add_parser(
        "sweep", help="run a case for many values of its parameters; again: what is missing"
    )
    command.add_argument("spec", type=path, metavar="SPEC.toml", help="what to vary and what to collect")
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
        "--plan", action="store_true", help="check everything, say how many runs there are, and stop"
    )
    command.add_argument("--yes", action="store_true", help="more than a million runs are meant")
    command.add_argument("--quiet", action="store_true", help="say nothing but errors")
    command.add_argument("--no-plot", action="store_true", help="draw no figures")
    command.set_defaults(command="sweep.run_sweep")
