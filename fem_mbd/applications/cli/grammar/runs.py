"""What `fem-mbd list`, `run`, `resume`, `plot` and `doctor` take."""

from __future__ import annotations

import argparse
import sys

from fem_mbd.applications.cli.grammar.shared import CASE, Answer, Subcommands, add_json, add_parameters, path


class _CaseHelp(Answer):
    """`run --help`, which also lists the parameters of the case named before it."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        parser.print_help()
        case = getattr(namespace, "case", None)
        if case:
            from fem_mbd.applications.cli.commands import describe_case

            sys.stdout.write("\n" + describe_case(case) + "\n")
        parser.exit()


def add_list(sub: Subcommands) -> None:
    """`fem-mbd list`."""
    command = sub.add_parser("list", help="the cases there are, or the parameters of one")
    command.add_argument(
        "case",
        nargs="?",
        metavar="CASE",
        help="show the parameters of this case, or of the study in this folder",
    )
    add_json(command)
    command.set_defaults(command="commands.list_cases")


def add_run(sub: Subcommands) -> None:
    """`fem-mbd run`."""
    command = sub.add_parser("run", help="run a case", add_help=False)
    command.add_argument("-h", "--help", action=_CaseHelp, help="this help and, after CASE, its parameters")
    command.add_argument("case", metavar="CASE", nargs="?", help=CASE)
    command.add_argument(
        "--from-xml", metavar="FILE", help="instead of CASE: run a model file of MotionSolve's XML format"
    )
    add_parameters(command)
    command.add_argument(
        "--out", type=path, metavar="DIR", help="folder of the run (default: results/CASE-...)"
    )
    command.add_argument(
        "--force", action="store_true", help="replace a run of other parameters in that folder"
    )
    command.add_argument(
        "--record-every",
        type=int,
        default=1,
        metavar="N",
        help="record positions, forces, ... of every N-th step only (energies: always all)",
    )
    command.add_argument(
        "--record-at",
        metavar="S[,S...]",
        help="record them at an interval of time, or at several instants, where steps end then (s)",
    )
    command.add_argument("--quantities", metavar="NAME,...", help="record these outputs only")
    command.add_argument(
        "--checkpoint-every", type=int, default=200, metavar="N", help="steps between checkpoints"
    )
    _add_manner(command)
    command.set_defaults(command="commands.run_case")


def add_folder_commands(sub: Subcommands) -> None:
    """`fem-mbd resume` and `fem-mbd plot`."""
    resume = sub.add_parser("resume", help="go on with a run that was interrupted or killed")
    resume.add_argument("folder", type=path, metavar="DIR", help="folder of the run")
    _add_manner(resume)
    resume.set_defaults(command="commands.resume_run")
    plot = sub.add_parser("plot", help="draw the figures of a run again")
    plot.add_argument("folder", type=path, metavar="DIR", help="folder of the run")
    plot.add_argument(
        "--out", type=path, metavar="DIR", help="folder for the figures (default: figures in the run's)"
    )
    plot.add_argument(
        "--part",
        action="append",
        metavar="NAME",
        help="histories of this part, with energies, steps and shapes instead of the case's own figures; repeatable",
    )
    plot.add_argument("--to", metavar="png,pdf,svg", help="formats of these (default: png)")
    plot.add_argument("--width", choices=("page", "column"), help="190 or 90 mm (default: page)")
    plot.set_defaults(command="commands.plot_run")


def _add_manner(command: argparse.ArgumentParser) -> None:
    """Options that `run` and `resume` share."""
    loudness = command.add_mutually_exclusive_group()
    loudness.add_argument("--quiet", action="store_true", help="say nothing but errors")
    loudness.add_argument(
        "--progress", action="store_true", help="write progress lines also where there is no terminal"
    )
    command.add_argument("--no-plot", action="store_true", help="draw no figures")


def add_doctor(sub: Subcommands) -> None:
    """`fem-mbd doctor`."""
    command = sub.add_parser("doctor", help="what is installed, what is missing, and how to install it")
    add_json(command)
    command.set_defaults(command="commands.doctor")
