"""Commands `fem-mbd sweep`, `gradient`, `error` and `continue`: how a case's results depend on its parameters.

fem-mbd sweep SPEC.toml    many runs of one case, by processes, a Dask cluster or a job array
fem-mbd gradient CASE      derivatives of a run's outputs by the case's parameters, as a table and a figure
fem-mbd error CASE         estimated errors of a run's outputs due to its step sizes and its mesh
fem-mbd continue CASE      periodic motions of a case over one of its parameters, as a table and a figure
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
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
    path,
    real_value,
)
from fem_mbd.applications.cli.reports import figures_folder, write_line, write_report
from fem_mbd.base.text import text_table

if TYPE_CHECKING:
    from fem_mbd.applications.continuation.branch import Branch
    from fem_mbd.applications.gradients.gradient import Gradient
    from fem_mbd.applications.sweeps.run_table import RunTable


NOT_ALL_DONE = 3  # exit status


def add_sweep_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `sweep`."""
    command.add_argument(
        "spec", type=path, metavar="SPEC.toml", help="parameters to vary and outputs to collect"
    )
    command.add_argument(
        "--out", type=path, metavar="DIR", help="folder of the sweep (default: SPEC beside the file)"
    )
    command.add_argument(
        "--processes", type=int, metavar="N", help="worker processes (default: one per processor)"
    )
    command.add_argument(
        "--dask", metavar="ADDRESS", help="a running Dask scheduler instead of processes here"
    )
    command.add_argument(
        "--slurm", type=int, metavar="N", help="run nothing: write a SLURM script for an array of N jobs"
    )
    command.add_argument(
        "--part", metavar="K/N", help="run the K-th of N parts only, as a job of an array does"
    )
    command.add_argument(
        "--plan", action="store_true", help="check everything, print the number of runs, and stop"
    )
    command.add_argument("--yes", action="store_true", help="permit more than a million runs")
    command.add_argument("--quiet", action="store_true", help="print errors only")
    command.add_argument("--no-plot", action="store_true", help="draw no figures")
    command.set_defaults(command=run_sweep)


def run_sweep(options: argparse.Namespace) -> int:
    """Execute the sweep, print the name of the table and the failed runs; returns the exit status."""
    from fem_mbd.applications.sweeps.executors import by_dask, write_script
    from fem_mbd.applications.sweeps.spec import read_spec
    from fem_mbd.applications.sweeps.sweep import check_sweep, run_spec

    spec = read_spec(options.spec)
    out = options.out or options.spec.with_suffix("")
    if options.plan or options.slurm is not None:
        plan = check_sweep(spec, many=options.yes)
        if options.slurm is None:
            write_line(f"{len(plan.runs)} runs")
        else:
            script = write_script(options.spec, out, options.slurm)
            write_line(f"{script}\nsubmit it with: sbatch {script}")
        return 0
    if not (spec.checks or options.quiet):
        sys.stderr.write(
            "the case's checks are not made; `checks = true` in [record] makes them in every run\n"
        )
    table = run_spec(
        spec,
        out,
        processes=options.processes,
        executor=None if options.dask is None else by_dask(options.dask),
        part=_part(options.part),
        many=options.yes,
        progress=False if options.quiet else True,
    )
    return _report(table, out, options)


def _part(text: str | None) -> tuple[int, int] | None:
    from fem_mbd.errors import InputError

    if text is None:
        return None
    numbers = text.split("/")
    if (
        len(numbers) != 2
        or not all(n.isdigit() for n in numbers)
        or not 1 <= int(numbers[0]) <= int(numbers[1])
    ):
        raise InputError(f"--part {text}: write it as K/N with K from 1 to N, e.g. 3/8")
    return int(numbers[0]), int(numbers[1])


def _report(table: RunTable, out: Path, options: argparse.Namespace) -> int:
    from fem_mbd.applications.sweeps.executors import DONE
    from fem_mbd.applications.sweeps.run_table import CSV_NAME

    complete = options.part is None
    if not options.quiet:
        write_line(f"{table!r}" + (f"\n{out / CSV_NAME}" if complete else ""))
        for indices in table.all_sobol_indices():
            write_line(indices)
        if complete and not options.no_plot:
            from fem_mbd.applications.sweeps.run_table import sweep_figures

            for figure in sweep_figures(table, out / "figures"):
                write_line(figure)
    failed = [row for row in table.rows if row["status"] != DONE and (complete or row["reason"])]
    for row in failed[:10]:
        sys.stderr.write(f"fem-mbd: run {row['run']} ({row['folder']}): {row['status']}: {row['reason']}\n")
    if len(failed) > 10:
        sys.stderr.write(f"fem-mbd: and {len(failed) - 10} more, see the table\n")
    return NOT_ALL_DONE if failed else 0


def add_gradient_options(command: argparse.ArgumentParser) -> None:
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
    files = _draw_gradient(case.name, result, options)
    return write_report(
        _as_data(case.name, parameters, result, files), options, "\n".join([result.table(), *files])
    )


def _draw_gradient(case: str, result: Gradient, options: argparse.Namespace) -> list[str]:
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


def add_error_options(command: argparse.ArgumentParser) -> None:
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


LOST = 3  # exit status where the branch is lost


def add_continue_options(command: argparse.ArgumentParser) -> None:
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
    files = [] if folder is None else [str(folder / "branch.csv"), *_draw_branch(branch, folder)]
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


def _draw_branch(branch: Branch, folder: Any) -> list[str]:
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
