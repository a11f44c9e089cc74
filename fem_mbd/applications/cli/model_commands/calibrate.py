"""Command `fem-mbd calibrate CASE`: parameters of a case from measured histories, as a table and a figure."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from fem_mbd.applications.cli.options import (
    add_case,
    add_figures,
    add_json,
    add_real_parameters,
    builder,
    chosen_case,
    pair,
    path,
    real_value,
)
from fem_mbd.applications.cli.reports import figures_folder, write_report, write_warning

if TYPE_CHECKING:
    from fem_mbd.applications.calibration.calibration import Calibration


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `calibrate`."""
    add_case(command)
    command.add_argument(
        "--data", type=path, required=True, metavar="FILE.csv",
        help="measured histories: columns time, PART.QUANTITY or PART.QUANTITY[COMPONENT], in SI units",
    )  # fmt: skip
    add_real_parameters(command, "to calibrate; the search starts from their values (--set)")
    command.add_argument(
        "--bounds", nargs="+", action="extend", default=[], metavar="NAME=LOW:HIGH",
        help="bounds of a parameter; one side may be left empty",
    )  # fmt: skip
    command.add_argument(
        "--level", type=float, default=0.95, metavar="P", help="probability of the intervals (default: 0.95)"
    )
    command.add_argument("--most-runs", type=int, default=100, metavar="N", help="largest number of runs")
    add_json(command)
    add_figures(command, "results/CASE-calibration")
    command.set_defaults(command=calibrate_case)


def calibrate_case(options: argparse.Namespace) -> int:
    """Calibrate; print the table and draw the figure."""
    import warnings

    from fem_mbd.applications.calibration.calibration import calibrate

    case, parameters = chosen_case(options)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        calibration = calibrate(
            builder(case, parameters), options.data,
            {name: real_value(parameters, name, "--wrt") for name in options.wrt},
            bounds=dict(map(_bounds, options.bounds)), scale=dict(pair(text, "--scale") for text in options.scale),
            most_runs=options.most_runs,
        )  # fmt: skip
    for warning in caught:
        write_warning(str(warning.message))
    folder = figures_folder(options, f"{case.name}-calibration")
    files = [] if folder is None else [str(calibration.plot(folder / "calibration.png", case.name))]
    data = _as_data(case.name, parameters, calibration, options.level) | {"figures": files}
    return write_report(data, options, "\n".join([calibration.table(options.level), *files]))


def _bounds(text: str) -> tuple[str, tuple[float | None, float | None]]:
    """Name and bounds of NAME=LOW:HIGH."""
    from fem_mbd.errors import InputError

    name, equals, rest = text.partition("=")
    low, colon, high = rest.partition(":")
    try:
        if equals and colon:
            return name.strip(), (float(low) if low.strip() else None, float(high) if high.strip() else None)
    except ValueError:
        pass
    raise InputError(f"--bounds {text}: write it as NAME=LOW:HIGH, e.g. mu=0:0.5 or mu=0:")


def _as_data(case: str, parameters: Any, calibration: Calibration, level: float) -> dict[str, Any]:
    from fem_mbd import case_parameters

    return {
        "case": case,
        "parameters": case_parameters.to_plain(parameters),
        "found": dict(zip(calibration.names, calibration.values.tolist(), strict=True)),
        "standard_errors": dict(zip(calibration.names, calibration.uncertainty.errors.tolist(), strict=True)),
        "level": level,
        "intervals": dict(zip(calibration.names, calibration.intervals(level).tolist(), strict=True)),
        "at_bound": [name for name, at in zip(calibration.names, calibration.at_bound, strict=True) if at],
        "undetermined": calibration.undetermined,
        "correlation": calibration.uncertainty.correlation.tolist(),
        "condition": calibration.uncertainty.condition,
        "rms": calibration.rms,
        "runs": calibration.runs,
        "runs_with_derivatives": calibration.derivatives,
    }
