"""What `fem-mbd fit DATA.csv --law LAW` takes."""

from __future__ import annotations

import argparse

from fem_mbd.applications.cli.grammar.shared import Subcommands, add_json, path

GRAMMAR = """\
--set gives parameters to fit, --fix those to hold:
  --set mu_s=0.2              starts at 0.2
  --set mu_s=0.2:0.1..0.5     starts at 0.2, stays between 0.1 and 0.5 (either bound may be left out)
  --set sigma_1 gamma=1..4     starts guessed from the data
  --set k=4e4,2e4             one number per entry of a tuple
Fitted are these and all parameters of the law without a default. Columns of the file, in SI units: time, velocity or
displacement, force (positive against positive slip), normal_force; without time: velocity and the steady force.
"""


def add_fit(sub: Subcommands) -> None:
    """The command's grammar."""
    command = sub.add_parser(
        "fit", help="parameters of friction laws from measured forces", epilog=GRAMMAR,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    command.add_argument("data", type=path, nargs="?", metavar="DATA.csv", help="what was measured")
    command.add_argument(
        "--law",
        nargs="+",
        metavar="LAW",
        help="laws to fit, by their names in `fem-mbd laws`, compared when several",
    )
    command.add_argument(
        "--set", dest="free", nargs="+", action="extend", default=[], metavar="NAME[=START][:LOW..HIGH]",
        help="parameters to fit (see below)",
    )  # fmt: skip
    command.add_argument(
        "--fix", dest="held", nargs="+", action="extend", default=[], metavar="NAME=VALUE",
        help="parameters to hold",
    )  # fmt: skip
    command.add_argument(
        "--normal-force", type=float, metavar="N", help="normal force, if it is not a column"
    )
    command.add_argument(
        "--speed", type=float, metavar="M/S", help="speed of a path of displacements without time"
    )
    command.add_argument("--skip", type=float, default=0.0, metavar="S", help="leave out the first seconds")
    command.add_argument(
        "--starts", type=int, default=1, metavar="N", help="places to search from (1: the best guess)"
    )
    command.add_argument("--seed", type=int, default=0, metavar="N", help="of the random places among them")
    command.add_argument(
        "--substeps", type=int, default=8, metavar="N", help="steps of the law between rows (8)"
    )
    command.add_argument("--level", type=float, default=0.95, metavar="P", help="of the intervals (0.95)")
    command.add_argument(
        "--diff-step",
        type=float,
        default=1e-3,
        metavar="H",
        help="step of differences, as a share of a parameter (1e-3)",
    )
    command.add_argument(
        "--evaluations", type=int, default=150, metavar="N", help="after which a search is given up (150)"
    )
    add_json(command)
    command.add_argument(
        "--out", type=path, metavar="DIR", help="folder of fit.json and fit.png (default: results/DATA-fit)"
    )
    command.add_argument("--no-plot", action="store_true", help="draw no figure")
    command.add_argument(
        "--demo",
        type=path,
        metavar="FILE.csv",
        help="write data made by a model, to try the command on, and stop",
    )
    command.set_defaults(command="fit.fit_data")
