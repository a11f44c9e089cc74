"""Command `fem-mbd error CASE`: estimated errors of a run's outputs by the sizes of its steps and by its mesh."""

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

    case, given = chosen_case(options)
    build = builder(case, given)
    found = error_of(lambda: build({}), dict(map(named_output, options.of)))
    numbers = (found.values, found.time, found.mesh)
    data: dict[str, Any] = {"case": case.name, "parameters": case_parameters.to_plain(given)}
    for key, column in zip(("values", "errors by steps", "errors by mesh"), numbers, strict=True):
        data[key] = dict(zip(found.outputs, column.tolist(), strict=True))
    data |= {"finer beams": list(found.beams), "steps without estimate": found.unsolved}
    left_out = f"\n{found.unsolved} steps have no estimate" if found.unsolved else ""
    return write_report(data, options, found.table() + left_out)
