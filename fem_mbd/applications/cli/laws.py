"""Commands `fem-mbd laws`, `fit` and `calibrate`: properties of laws, and parameters from measurements.

fem-mbd laws                      friction and contact laws on standard probes: properties and figures
fem-mbd fit DATA.csv --law LAW    parameters of friction laws from measured forces
fem-mbd calibrate CASE            parameters of a case from measured histories, as a table and a figure
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from math import inf
from pathlib import Path
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
from fem_mbd.applications.cli.reports import as_json, figures_folder, write_line, write_report, write_warning
from fem_mbd.base.lazy import nearest
from fem_mbd.case_parameters import read_value
from fem_mbd.errors import InputError

if TYPE_CHECKING:
    from fem_mbd.applications.calibration.calibration import Calibration
    from fem_mbd.applications.fitting import Fit, Free


def parameters_of_laws(
    kinds: Sequence[Any], free: Sequence[str], fixed: Sequence[str]
) -> tuple[dict[Any, dict[str, Free]], dict[Any, dict[str, Any]]]:
    """Fitted and fixed parameters of each law; a name applies to every law with such a parameter, at least one."""
    to_fit: dict[Any, dict[str, Free]] = {kind: {} for kind in kinds}
    to_fix: dict[Any, dict[str, Any]] = {kind: {} for kind in kinds}
    for text in free:
        name, entries = _parse_fitted(text)
        for kind in _laws_with(kinds, name, "--set"):
            to_fit[kind] |= entries
    for text in fixed:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals:
            raise InputError(f"--fix {text}: write it as name=value")
        for kind in _laws_with(kinds, name, "--fix"):
            to_fix[kind][name] = (
                _number(value, text, "--fix") if "." in name else read_value(kind, name, value, "--fix")
            )
    return to_fit, to_fix


def _laws_with(kinds: Sequence[Any], name: str, where: str) -> list[Any]:
    field = name.partition(".")[0]
    matching = [kind for kind in kinds if field in kind.__dataclass_fields__]
    if not matching:
        known = {name for kind in kinds for name in kind.__dataclass_fields__}
        laws = ", ".join(kind.__name__ for kind in kinds)
        raise InputError(f"{where}: {laws}: there is no parameter {name!r}; {nearest(name, known)}")
    return matching


def _parse_fitted(text: str) -> tuple[str, dict[str, Free]]:
    """Name and entries of NAME[=START][:LOW..HIGH]."""
    from fem_mbd.applications.fitting import Free

    name, _, rest = (part.strip() for part in text.partition("="))
    start, _, bounds = rest.partition(":")
    if ".." in start:
        start, bounds = "", start
    low, _, high = bounds.partition("..")
    if bounds and ".." not in bounds:
        raise InputError(f"--set {text}: write bounds as low..high")
    limits = (
        _number(low, text, "--set") if low.strip() else -inf,
        _number(high, text, "--set") if high.strip() else inf,
    )
    if "," in start:
        values = [_number(part, text, "--set") for part in start.split(",")]
        return name, {f"{name}.{k}": Free(value, *limits) for k, value in enumerate(values, 1)}
    return name, {name: Free(_number(start, text, "--set") if start else None, *limits)}


def _number(value: str, text: str, where: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise InputError(f"{where} {text}: {value.strip()!r} is not a number") from None


def add_laws_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `laws`."""
    command.add_argument(
        "name", nargs="?", metavar="LAW", help="one law: source, parameters with units, equations"
    )
    add_json(command)
    command.add_argument("--plot", type=path, metavar="DIR", help="also draw a figure of each law there")
    command.set_defaults(command=show_laws)


def show_laws(options: argparse.Namespace) -> int:
    """Print the table of all laws, or one law; draw the figures if requested."""
    from fem_mbd.friction.probes import gallery, gallery_text as text

    contact = gallery.CONTACT_ENTRIES
    if options.name is None:
        entries = [*gallery.ENTRIES, *contact]
        write_line(text.table_json() if options.json else text.table())
    else:
        entries = text.find(options.name)
        write_line(text.law_json(options.name) if options.json else text.law(options.name))
    if options.plot is not None:
        from fem_mbd.friction.probes import gallery_text as figures

        figures.draw(options.plot, [entry for entry in entries if entry not in contact])
        figures.draw_impacts(options.plot, [entry for entry in entries if entry in contact])
    return 0


SYNTAX = """\
--set gives parameters to fit, --fix values of fixed parameters:
  --set mu_s=0.2              starts at 0.2
  --set mu_s=0.2:0.1..0.5     starts at 0.2, stays between 0.1 and 0.5 (either bound may be left out)
  --set sigma_1 gamma=1..4     starts guessed from the data
  --set k=4e4,2e4             one number per entry of a tuple
These and all parameters of the law without a default are fitted. Columns of the file, in SI units: time, velocity or
displacement, force (positive against positive slip), normal_force; without time: velocity and the steady force.
"""


def add_fit_options(command: argparse.ArgumentParser) -> None:
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
    from fem_mbd.applications.cli.laws import parameters_of_laws
    from fem_mbd.applications.fitting import FitOptions, fit_law, read_measurement
    from fem_mbd.applications.fitting.forms import law_kind
    from fem_mbd.applications.fitting.report import as_data, best_first, table
    from fem_mbd.errors import InputError

    if options.demo is not None:
        return _write_demo(options.demo)
    if options.data is None or not options.law:
        raise InputError("fit: give a file of data and --law LAW (or --demo FILE.csv for a file to try)")
    kinds = [law_kind(name) for name in options.law]
    free, fixed = parameters_of_laws(kinds, options.free, options.held)
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
    fits = [fit_law(data, kind, free[kind], fixed[kind], settings) for kind in kinds]
    report: dict[str, Any] = {"data": str(options.data), "best": best_first(fits)[0].form.name}
    report["fits"] = [as_data(fit) for fit in best_first(fits)]
    report["files"] = [str(file) for file in _write(fits, report, options)]
    for fit in report["fits"]:
        for text in fit["warnings"]:
            write_warning(text)
    return write_report(report, options, "\n".join([table(fits), *report["files"]]))


def _write_demo(file: Path) -> int:
    from fem_mbd.applications.fitting.report import write_demonstration
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
        from fem_mbd.applications.fitting.report import draw_fits

        files.append(draw_fits(fits, folder / "fit.png"))
    return files


def add_calibrate_options(command: argparse.ArgumentParser) -> None:
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
