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

    case, parameters = chosen_case(options)
    values = {name: real_value(parameters, name, "--wrt") for name in options.wrt}
    scale = dict(pair(text, "--scale") for text in options.scale)
    growth_option = {} if options.largest_growth is None else {"largest_growth": options.largest_growth}
    result = gradient(
        builder(case, parameters),
        dict(map(named_output, options.of)),
        values,
        method=options.method,
        scale=scale,
        **growth_option,
    )
    files = _draw(case.name, result, options)
    return write_report(
        _as_data(case.name, parameters, result, files), options, "\n".join([result.table(), *files])
    )


def _draw(case: str, result: Gradient, options: argparse.Namespace) -> list[str]:
    folder = figures_folder(options, f"{case}-gradient")
    if folder is None:
        return []
    from fem_mbd.applications.gradients.gradient import draw_gradient

    return [str(draw_gradient(result, folder / "gradient.png", case))]


def _as_data(case: str, parameters: Any, result: Gradient, files: list[str]) -> dict[str, Any]:
    from fem_mbd import case_parameters

    return {
        "case": case,
        "parameters": case_parameters.to_plain(parameters),
        "values": dict(zip(result.outputs, result.values.tolist(), strict=True)),
        "derivatives": _by_name(result, result.jacobian),
        "elasticities": _by_name(result, result.elasticities),
        "seconds": {"run": result.seconds[0], "derivatives": result.seconds[1]},
        "figures": files,
    }


def _by_name(result: Gradient, numbers: Any) -> dict[str, dict[str, float]]:
    return {
        output: dict(zip(result.parameters, row, strict=True))
        for output, row in zip(result.outputs, numbers.tolist(), strict=True)
    }
