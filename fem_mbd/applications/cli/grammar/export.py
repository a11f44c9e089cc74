"""What `fem-mbd export DIR --to FORMAT` takes."""

from __future__ import annotations

from fem_mbd.applications.cli.defaults import EXPORT_FOLDER, EXPORT_FORMATS, EXPORT_NAME
from fem_mbd.applications.cli.grammar.shared import Subcommands, path


def add_export(sub: Subcommands) -> None:
    """The command's grammar."""
    command = sub.add_parser("export", help="write a run's results for ParaView or as tables")
    command.add_argument("folder", type=path, metavar="DIR", help="folder of the run, or its results file")
    command.add_argument(
        "--to",
        required=True,
        choices=EXPORT_FORMATS,
        help="vtkhdf, xdmf, vtu: deformed shapes for ParaView; csv: tables",
    )
    command.add_argument(
        "--every", type=int, default=1, metavar="N", help="one recorded state in N (the last one always)"
    )
    command.add_argument(
        "--out",
        type=path,
        metavar="PATH",
        help="file without its ending, for csv a folder "
        f"(default: {EXPORT_FOLDER}/{EXPORT_NAME} or {EXPORT_FOLDER}/csv beside the results)",
    )
    command.set_defaults(command="export.export_run")
