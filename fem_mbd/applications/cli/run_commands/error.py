"""Command `fem-mbd error CASE`: estimated errors of a run's outputs due to its step sizes and its mesh."""

from __future__ import annotations

import argparse
from typing import Any

from fem_mbd.applications.cli.options import (
    add_case,
    add_json,
    add_outputs,
    builder,
    chosen_case,
    named_output,
)
from fem_mbd.applications.cli.reports import write_report


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `error`."""
    add_case(command)
    add_outputs(command, required=True)
    add_json(command)
    command.set_defaults(command=error_of_case)


def error_of_case(options: argparse.Namespace) -> int:
    """Run the case with estimates of the errors of outputs; print them."""
    from fem_mbd import case_parameters
    from fem_mbd.applications.gradients.error_bar import error_of

    case, parameters = chosen_case(options)
    build = builder(case, parameters)
    error_bars = error_of(lambda: build({}), dict(map(named_output, options.of)))
    numbers = (error_bars.values, error_bars.time, error_bars.mesh)
    data: dict[str, Any] = {"case": case.name, "parameters": case_parameters.to_plain(parameters)}
    for key, column in zip(("values", "errors by steps", "errors by mesh"), numbers, strict=True):
        data[key] = dict(zip(error_bars.outputs, column.tolist(), strict=True))
    data |= {"finer beams": list(error_bars.beams), "steps without estimate": error_bars.unsolved}
    left_out = f"\n{error_bars.unsolved} steps have no estimate" if error_bars.unsolved else ""
    return write_report(data, options, error_bars.table() + left_out)
