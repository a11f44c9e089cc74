"""`fem-mbd export DIR --to FORMAT`: a run's results for ParaView or as tables."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Subcommands = argparse._SubParsersAction[argparse.ArgumentParser]

FORMATS = ("vtkhdf", "xdmf", "vtu", "csv")  # as in fem_mbd.export, without importing what it needs
FOLDER, NAME = "export", "deformed"


def add_export(sub: Subcommands) -> None:
    """The command's grammar."""
    command = sub.add_parser("export", help="write a run's results for ParaView or as tables")
    command.add_argument("folder", type=Path, metavar="DIR", help="folder of the run, or its results file")
    command.add_argument(
        "--to",
        required=True,
        choices=FORMATS,
        help="vtkhdf, xdmf, vtu: deformed shapes for ParaView; csv: tables",
    )
    command.add_argument(
        "--every", type=int, default=1, metavar="N", help="one recorded state in N (the last one always)"
    )
    command.add_argument(
        "--out",
        type=Path,
        metavar="PATH",
        help=f"file without its ending, for csv a folder (default: {FOLDER}/{NAME} or {FOLDER}/csv beside the results)",
    )
    command.set_defaults(command=export_run)


def export_run(options: argparse.Namespace) -> int:
    """Write the files and name them."""
    from fem_mbd.export import export_result
    from fem_mbd.results.reader import results_path
    from fem_mbd.results.result import Result

    path = results_path(options.folder)
    default = path.parent / FOLDER / ("csv" if options.to == "csv" else NAME)
    with Result.open(path, scan=True) as result:
        files = export_result(result, options.out or default, options.to, options.every)
    sys.stdout.write("".join(f"{file}\n" for file in files))
    return 0
