"""What `fem-mbd new NAME` takes."""

from __future__ import annotations

from fem_mbd.applications.cli.grammar.shared import Subcommands, path


def add_new(sub: Subcommands) -> None:
    """The command's grammar."""
    command = sub.add_parser("new", help="write a study of your own to begin with: fem-mbd run ./NAME")
    command.add_argument("folder", type=path, metavar="NAME", help="its folder, which is made")
    command.set_defaults(command="new.new_study")
