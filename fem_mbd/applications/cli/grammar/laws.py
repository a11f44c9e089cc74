"""What `fem-mbd laws` takes."""

from __future__ import annotations

from fem_mbd.applications.cli.grammar.shared import Subcommands, add_json, path


def add_laws(sub: Subcommands) -> None:
    """The command's grammar."""
    command = sub.add_parser(
        "laws", help="the friction and contact laws, and what they show on standard probes"
    )
    command.add_argument(
        "name", nargs="?", metavar="LAW", help="one law: source, parameters with units, equations"
    )
    add_json(command)
    command.add_argument("--plot", type=path, metavar="DIR", help="also draw a figure of each law there")
    command.set_defaults(command="laws.show_laws")
