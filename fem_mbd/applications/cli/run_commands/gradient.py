"""Command `fem-mbd gradient CASE`: derivatives of a run's outputs by the case's parameters, as a table and a figure."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from fem_mbd.applications.cli.options import (
    add_case,
    add_figures,
    add_json,
    add_outputs,
    add_real_parameters,
    builder,
    chosen_case,
    named_output,
    pair,
    real_value,
)
from fem_mbd.applications.cli.reports import figures_folder, write_report

if TYPE_CHECKING:
    from fem_mbd.applications.gradients.gradient import Gradient


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `gradient`."""
    add_case(command)
    add_outputs(command, required=True)
    add_real_parameters(command, "by which the outputs are differentiated")
    command.add_argument(
        "--method", default="auto", metavar="METHOD",
        help="forward, adjoint (for many parameters), or auto: the cheaper one (default)",
    )  # fmt: skip
    command.add_argument(
        "--largest-growth", type=float, metavar="G",
        help="largest growth of a perturbation of the start; chaotic runs exceed it (default: 1e6)",
    )  # fmt: skip
    add_json(command)
    add_figures(command, "results/CASE-gradient")
    command.set_defaults(command=gradient_of_case)


def gradient_of_case(options: argparse.Namespace) -> int:
    """Run the case with derivatives; print and draw them."""
    from fem_mbd.applications.gradients.gradient import gradient

    case, given = chosen_case(options)
    values = {name: real_value(given, name, "--wrt") for name in options.wrt}
    scale = dict(pair(text, "--scale") for text in options.scale)
    more = {} if options.largest_growth is None else {"largest_growth": options.largest_growth}
    found = gradient(
        builder(case, given),
        dict(map(named_output, options.of)),
        values,
        method=options.method,
        scale=scale,
        **more,
    )
    files = _drawn(case.name, found, options)
    return write_report(_as_data(case.name, given, found, files), options, "\n".join([found.table(), *files]))


def _drawn(case: str, found: Gradient, options: argparse.Namespace) -> list[str]:
    folder = figures_folder(options, f"{case}-gradient")
    if folder is None:
        return []
    from fem_mbd.applications.gradients.gradient import draw_gradient

    return [str(draw_gradient(found, folder / "gradient.png", case))]


def _as_data(case: str, given: Any, found: Gradient, files: list[str]) -> dict[str, Any]:
    from fem_mbd import case_parameters

    return {
        "case": case,
        "parameters": case_parameters.to_plain(given),
        "values": dict(zip(found.outputs, found.values.tolist(), strict=True)),
        "derivatives": _by_name(found, found.jacobian),
        "elasticities": _by_name(found, found.elasticities),
        "seconds": {"run": found.seconds[0], "derivatives": found.seconds[1]},
        "figures": files,
    }


def _by_name(found: Gradient, numbers: Any) -> dict[str, dict[str, float]]:
    return {
        output: dict(zip(found.parameters, row, strict=True))
        for output, row in zip(found.outputs, numbers.tolist(), strict=True)
    }
