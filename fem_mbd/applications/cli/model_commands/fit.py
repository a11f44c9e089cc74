"""Command `fem-mbd fit DATA.csv --law LAW`: fits parameters of friction laws to measured forces."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fem_mbd.applications.cli.options import add_json, path
from fem_mbd.applications.cli.reports import as_json, write_line, write_report, write_warning

if TYPE_CHECKING:
    from fem_mbd.applications.fitting import Fit

SYNTAX = """\
--set gives parameters to fit, --fix values of fixed parameters:
  --set mu_s=0.2              starts at 0.2
  --set mu_s=0.2:0.1..0.5     starts at 0.2, stays between 0.1 and 0.5 (either bound may be left out)
  --set sigma_1 gamma=1..4     starts guessed from the data
  --set k=4e4,2e4             one number per entry of a tuple
These and all parameters of the law without a default are fitted. Columns of the file, in SI units: time, velocity or
displacement, force (positive against positive slip), normal_force; without time: velocity and the steady force.
"""


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `fit`."""
    command.epilog, command.formatter_class = SYNTAX, argparse.RawDescriptionHelpFormatter
    command.add_argument("data", type=path, nargs="?", metavar="DATA.csv", help="measured data")
    command.add_argument(
        "--law",
        nargs="+",
        metavar="LAW",
        help="laws to fit, by their names in `fem-mbd laws`; several are compared",
    )
    command.add_argument(
        "--set", dest="free", nargs="+", action="extend", default=[], metavar="NAME[=START][:LOW..HIGH]",
        help="parameters to fit (see below)",
    )  # fmt: skip
    command.add_argument(
        "--fix", dest="held", nargs="+", action="extend", default=[], metavar="NAME=VALUE",
        help="fixed parameters",
    )  # fmt: skip
    command.add_argument(
        "--normal-force", type=float, metavar="N", help="normal force, if it is not a column"
    )
    command.add_argument(
        "--speed", type=float, metavar="M/S", help="speed of a path of displacements without time"
    )
    command.add_argument("--skip", type=float, default=0.0, metavar="S", help="leave out the first seconds")
    _add_search_options(command)
    add_json(command)
    command.add_argument(
        "--out", type=path, metavar="DIR", help="folder of fit.json and fit.png (default: results/DATA-fit)"
    )
    command.add_argument("--no-plot", action="store_true", help="draw no figure")
    command.add_argument(
        "--demo",
        type=path,
        metavar="FILE.csv",
        help="write data computed by a model, to try the command, and stop",
    )
    command.set_defaults(command=fit_data)


def _add_search_options(command: argparse.ArgumentParser) -> None:
    """Options of the search for the parameters, and of their intervals."""
    command.add_argument(
        "--starts",
        type=int,
        default=1,
        metavar="N",
        help="number of starts of the search (1: the best guess)",
    )
    command.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the random starts")
    command.add_argument(
        "--substeps", type=int, default=8, metavar="N", help="steps of the law between rows (8)"
    )
    command.add_argument(
        "--level", type=float, default=0.95, metavar="P", help="probability of the intervals (0.95)"
    )
    command.add_argument(
        "--diff-step",
        type=float,
        default=1e-3,
        metavar="H",
        help="step of differences, as a fraction of a parameter (1e-3)",
    )
    command.add_argument(
        "--evaluations",
        type=int,
        default=150,
        metavar="N",
        help="largest number of evaluations in a search (150)",
    )


def fit_data(options: argparse.Namespace) -> int:
    """Fit each law; print, write and draw the results."""
    from fem_mbd.applications.cli.model_commands.fit_parameters import parameters_of_laws
    from fem_mbd.applications.fitting import FitOptions, fit_law, read_measurement
    from fem_mbd.applications.fitting.forms import law_kind
    from fem_mbd.applications.fitting.report import as_data, best_first, table
    from fem_mbd.errors import InputError

    if options.demo is not None:
        return _write_demo(options.demo)
    if options.data is None or not options.law:
        raise InputError("fit: give a file of data and --law LAW (or --demo FILE.csv for a file to try)")
    kinds = [law_kind(name) for name in options.law]
    free, held = parameters_of_laws(kinds, options.free, options.held)
    settings = FitOptions(
        options.starts,
        options.seed,
        options.substeps,
        options.skip,
        options.level,
        options.diff_step,
        options.evaluations,
    )
    if options.out is not None and options.out.exists() and not options.out.is_dir():
        raise InputError(f"fit: --out {options.out} is a file: give a folder")
    data = read_measurement(options.data, options.normal_force, options.speed)
    fits = [fit_law(data, kind, free[kind], held[kind], settings) for kind in kinds]
    report: dict[str, Any] = {"data": str(options.data), "best": best_first(fits)[0].form.name}
    report["fits"] = [as_data(fit) for fit in best_first(fits)]
    report["files"] = [str(file) for file in _write(fits, report, options)]
    for fit in report["fits"]:
        for text in fit["warnings"]:
            write_warning(text)
    return write_report(report, options, "\n".join([table(fits), *report["files"]]))


def _write_demo(file: Path) -> int:
    from fem_mbd.applications.fitting.demo import write_demonstration
    from fem_mbd.errors import InputError

    try:
        write_demonstration(file)
    except OSError as error:
        raise InputError(f"fit: {file} cannot be written ({error.strerror})") from error
    write_line(file)
    return 0


def _write(fits: Sequence[Fit], report: Mapping[str, Any], options: argparse.Namespace) -> list[Path]:
    """Write fit.json and fit.png; nothing when only JSON on standard output was requested."""
    if options.json and options.out is None:
        return []
    folder = options.out or Path("results") / f"{options.data.stem}-fit"
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / "fit.json"]
    files[0].write_text(as_json(report) + "\n", encoding="utf-8")
    if not options.no_plot:
        from fem_mbd.applications.fitting.figures import draw_fits

        files.append(draw_fits(fits, folder / "fit.png"))
    return files
