"""What `fem-mbd modal` and `fem-mbd campbell` take."""

from __future__ import annotations

import argparse

from fem_mbd.applications.cli.defaults import LINEAR_FRAMES, SPEEDS
from fem_mbd.applications.cli.grammar.shared import CASE, Subcommands, add_json, add_parameters, path


def add_modal(sub: Subcommands) -> None:
    """The grammar of both commands."""
    modal = sub.add_parser("modal", help="frequencies, damping and shapes of a case's structure")
    _add_common(modal, 10)
    modal.add_argument("--speed", type=float, metavar="RAD/S", help="in steady rotation")
    modal.add_argument("--show", type=path, metavar="FILE.html", help="write the modes as a moving picture")
    modal.set_defaults(command="modal.modal_case")
    diagram = sub.add_parser("campbell", help="modes of a case's structure over the speed of rotation")
    _add_common(diagram, 8)
    diagram.add_argument(
        "--speeds",
        type=_speeds,
        metavar="A:B:N",
        help=f"N speeds from A to B, rad/s (default: the case's range, {SPEEDS} speeds)",
    )
    diagram.add_argument(
        "--cmb", type=path, metavar="FILE.cmb", help="write the table as HAWCStab2 does, too"
    )
    diagram.set_defaults(command="modal.campbell_case")


def _add_common(command: argparse.ArgumentParser, modes: int) -> None:
    command.add_argument("case", metavar="CASE", help=CASE)
    add_parameters(command)
    command.add_argument("--modes", type=int, default=modes, metavar="N", help=f"how many (default {modes})")
    command.add_argument(
        "--frame", choices=LINEAR_FRAMES,
        help="rotating (default): the whole structure turns (blades); inertial: a round rotor spins on supports that "
        "stand still; whole machines have multi-blade coordinates",
    )  # fmt: skip
    command.add_argument("--undamped", action="store_true", help="leave dampers and material damping out")
    add_json(command)
    command.add_argument(
        "--out",
        type=path,
        metavar="DIR",
        help="folder of the figures (default: results/CASE-modal, -campbell)",
    )
    command.add_argument("--no-plot", action="store_true", help="draw no figure")


def _speeds(text: str) -> list[float]:
    """Speeds from A:B:N."""
    try:
        first, last, count = text.split(":")
        start, end, number = float(first), float(last), int(count)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not A:B:N, for instance 0:2:30") from error
    if not (0 <= start < end < float("inf")) or number < 2:
        raise argparse.ArgumentTypeError(
            f"{text!r}: speeds have to ascend from 0 or above, N has to be 2 or more"
        )
    apart = (end - start) / (number - 1)
    return [*(start + k * apart for k in range(number - 1)), end]
