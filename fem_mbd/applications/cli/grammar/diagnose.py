"""What `fem-mbd diagnose DIR` takes."""

from __future__ import annotations

from fem_mbd.applications.cli.grammar.shared import Subcommands, add_json, path


def add_diagnose(sub: Subcommands) -> None:
    """The command's grammar."""
    command = sub.add_parser("diagnose", help="why a run went as it did, and which option to change")
    command.add_argument("folder", type=path, metavar="DIR", help="folder of the run, or its results file")
    command.add_argument(
        "--picture",
        type=path,
        metavar="FILE.png",
        help="also draw the last moment on record, with contact forces",
    )
    add_json(command)
    command.set_defaults(command="diagnose.diagnose_run")
