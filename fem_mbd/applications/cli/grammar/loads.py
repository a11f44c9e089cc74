"""What `fem-mbd loads DIR` takes."""

from __future__ import annotations

from fem_mbd.applications.cli.defaults import LOADS_EXPONENTS, LOADS_FOLDER
from fem_mbd.applications.cli.grammar.shared import Subcommands, add_parameters, path


def add_loads(sub: Subcommands) -> None:
    """The command's grammar."""
    command = sub.add_parser(
        "loads", help="section loads of a run: histories, extremes, spectra, damage-equivalent loads"
    )
    command.add_argument(
        "folder",
        type=path,
        metavar="DIR",
        help="folder of a run or of many, table of load cases (.csv), .outb file, or a machine's file (.fst, …)",
    )
    add_parameters(command)
    command.add_argument(
        "--channels", nargs="+", metavar="NAME", help="as RootMyb1 TwrBsMyt (default: all the model has)"
    )
    command.add_argument("--after", type=float, metavar="S", help="leave out what is before this time")
    command.add_argument(
        "--exponents",
        nargs="+",
        type=float,
        default=list(LOADS_EXPONENTS),
        metavar="M",
        help=f"of the S-N curves (default: {' '.join(f'{m:g}' for m in LOADS_EXPONENTS)})",
    )
    command.add_argument(
        "--frequency",
        type=float,
        default=1.0,
        metavar="HZ",
        help="at which damage-equivalent loads are repeated (default: 1)",
    )
    command.add_argument(
        "--out", type=path, metavar="FOLDER", help=f"(default: {LOADS_FOLDER} beside the results)"
    )
    command.add_argument(
        "--outb", action="store_true", help="of a run: write the histories as OpenFAST's .outb too"
    )
    command.set_defaults(command="loads.write_loads")
