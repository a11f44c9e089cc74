"""Command `fem-mbd continue CASE`: periodic motions of a case over one of its parameters, as a table and a figure."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from fem_mbd.applications.cli.options import (
    add_case,
    add_figures,
    add_json,
    add_outputs,
    builder,
    chosen_case,
    named_output,
    real_value,
)
from fem_mbd.applications.cli.reports import figures_folder, write_report
from fem_mbd.base.text_table import text_table

if TYPE_CHECKING:
    from fem_mbd.applications.continuation.branch import Branch

LOST = 3  # exit status where the branch is lost


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `continue`."""
    add_case(command)
    command.add_argument(
        "--in", dest="range", required=True, metavar="NAME=FROM:TO",
        help="parameter of the case, its first and its last value",
    )  # fmt: skip
    period = command.add_mutually_exclusive_group(required=True)
    period.add_argument(
        "--frequency", metavar="NAME", help="parameter that is the frequency or speed of the excitation"
    )
    period.add_argument("--period", type=float, metavar="S", help="period in s")
    command.add_argument(
        "--multiple",
        type=int,
        default=1,
        metavar="N",
        help="period of the motion in periods of the excitation",
    )
    add_outputs(command)
    command.add_argument(
        "--start", type=float, default=0.0, metavar="S", help="where the period begins (default: 0)"
    )
    command.add_argument(
        "--settle", type=int, default=10, metavar="N", help="periods simulated first (default: 10)"
    )
    command.add_argument(
        "--steps", type=int, default=200, metavar="N", help="steps per period (default: 200)"
    )
    command.add_argument(
        "--segments", type=int, default=1, metavar="N", help="segments of the period (default: 1)"
    )
    command.add_argument(
        "--points", type=int, default=500, metavar="N", help="largest number of motions (default: 500)"
    )
    command.add_argument(
        "--step",
        type=float,
        default=0.05,
        metavar="H",
        help="first step, as a fraction of the range (default: 0.05)",
    )
    command.add_argument(
        "--largest-step",
        type=float,
        default=None,
        metavar="H",
        help="as a fraction of the range (default: 0.2)",
    )
    add_json(command)
    add_figures(command, "results/CASE-continue", "table and figures")
    command.set_defaults(command=continue_case)


def continue_case(options: argparse.Namespace) -> int:
    """Follow the branch; print its table and bifurcations. Exit status 3 where it is lost."""
    from fem_mbd.analysis.periodic.periodic import periodic
    from fem_mbd.applications.continuation.continuation import continuation

    case, parameters = chosen_case(options)
    name, first, last = _range(options.range)
    options_of = {name: "--in", **({options.frequency: "--frequency"} if options.frequency else {})}
    values = {n: real_value(parameters, n, option) for n, option in options_of.items()} | {name: first}
    period = options.period if options.frequency is None else _period(parameters, options.frequency)
    orbit = periodic(
        builder(case, parameters), values, period=period, multiple=options.multiple, start=options.start,
        settle=options.settle, steps=options.steps, segments=options.segments,
    )  # fmt: skip
    folder = figures_folder(options, f"{case.name}-continue")
    step = options.step if options.largest_step is None else (options.step, options.largest_step)
    branch = continuation(
        orbit, name, (min(first, last), max(first, last)), of=dict(map(named_output, options.of)), down=last < first,
        points=options.points, step=step, folder=folder,
    )  # fmt: skip
    branch.units[name] = _unit(parameters, name)
    files = [] if folder is None else [str(folder / "branch.csv"), *_draw(branch, folder)]
    data = {"case": case.name, "rows": branch.rows, "lost": branch.lost, "files": files}
    write_report(data, options, "\n".join([*_lines(branch), *files]))
    return LOST if branch.lost else 0


def _range(text: str) -> tuple[str, float, float]:
    from fem_mbd.errors import InputError

    name, _, ends = text.partition("=")
    first, _, last = ends.partition(":")
    try:
        result = name.strip(), float(first), float(last)
    except ValueError:
        raise InputError(f"--in {text}: write it as NAME=FROM:TO, e.g. speed=40:60") from None
    if result[1] == result[2]:
        raise InputError(f"--in {text}: the range is empty")
    return result


def _unit(parameters: Any, name: str) -> str:
    """Of a parameter of the case."""
    from fem_mbd import case_parameters

    return str(next(p["unit"] for p in case_parameters.describe(type(parameters)) if p["name"] == name))


def _period(parameters: Any, name: str) -> Callable[[Mapping[str, float]], float]:
    """Period (s) from the values, by the unit of the parameter."""
    from math import pi

    from fem_mbd.errors import InputError

    unit = _unit(parameters, name)
    factors = {"Hz": 1.0, "1/s": 1.0, "rad/s": 2.0 * pi, "rpm": 60.0, "1/min": 60.0}
    if unit not in factors:
        raise InputError(
            f"--frequency {name}: its unit is {unit!r}, not one of {', '.join(factors)}; give --period"
        )
    return lambda values: factors[unit] / values[name] if values[name] else float("inf")


def _draw(branch: Branch, folder: Any) -> list[str]:
    from fem_mbd.output.figures.plots import save, styled

    files = []
    for output in ("amplitude", *branch.outputs):
        file = folder / f"{''.join(c if c.isalnum() else '_' for c in output)}.png"
        with styled():
            files.append(str(save(branch.plot(output), file)))
    return files


def _lines(branch: Branch) -> list[str]:
    """The ends of the branch and its bifurcations, and why it was lost."""
    rows = branch.rows
    shown = [row for k, row in enumerate(rows) if row["event"] or k in (0, len(rows) - 1)]
    head = [branch.along, "amplitude", "multiplier", "stable", *branch.outputs, "event"]
    table = text_table([head, *([_cell(row[name]) for name in head] for row in shown)])
    return [table, f"{len(rows)} motions", *([branch.lost] if branch.lost else [])]


def _cell(value: Any) -> str:
    return f"{value:.9g}" if isinstance(value, float) else str("" if value is None else value)
