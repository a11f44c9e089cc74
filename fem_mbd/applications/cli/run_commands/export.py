"""Command `fem-mbd export DIR --to FORMAT`: writes a run's results for ParaView or as tables."""

from __future__ import annotations

import argparse

from fem_mbd.applications.cli.options import EXPORT_FOLDER, EXPORT_FORMATS, EXPORT_NAME, RUN_FOLDER, path
from fem_mbd.applications.cli.reports import write_line


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `export`."""
    command.add_argument("folder", type=path, metavar="DIR", help=RUN_FOLDER)
    command.add_argument(
        "--to",
        required=True,
        choices=EXPORT_FORMATS,
        help="vtkhdf, xdmf, vtu: deformed shapes for ParaView; csv: tables",
    )
    command.add_argument(
        "--every", type=int, default=1, metavar="N", help="every N-th recorded state (and the last one)"
    )
    command.add_argument(
        "--out",
        type=path,
        metavar="PATH",
        help="file without its ending, for csv a folder "
        f"(default: {EXPORT_FOLDER}/{EXPORT_NAME} or {EXPORT_FOLDER}/csv beside the results)",
    )
    command.set_defaults(command=export_run)


def export_run(options: argparse.Namespace) -> int:
    """Write the files and print their names; returns the exit status."""
    from fem_mbd.applications.cli.reports import reading_status
    from fem_mbd.output.export import export_result
    from fem_mbd.runs.results.hdf5.reader import results_path
    from fem_mbd.runs.results.result import Result

    file = results_path(options.folder)
    default = file.parent / EXPORT_FOLDER / ("csv" if options.to == "csv" else EXPORT_NAME)
    with Result.open(file, scan=True) as result:
        for written in export_result(result, options.out or default, options.to, options.every):
            write_line(written)
        return reading_status(result)
