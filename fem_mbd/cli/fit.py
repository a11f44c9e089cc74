"""`fem-mbd fit DATA.csv --law LAW`: parameters of friction laws from measured forces."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fem_mbd.case_parameters import read_value
from fem_mbd.errors import InputError
from fem_mbd.results.summary import finite_json
from fem_mbd.running.compile_notice import announced_compilation
from fem_mbd.suggestions import nearest

if TYPE_CHECKING:
    from fem_mbd.fitting import Fit, Free

    Subcommands = argparse._SubParsersAction[argparse.ArgumentParser]

GRAMMAR = """\
--set gives parameters to fit, --fix those to hold:
  --set mu_s=0.2              starts at 0.2
  --set mu_s=0.2:0.1..0.5     starts at 0.2, stays between 0.1 and 0.5 (either bound may be left out)
  --set sigma_1 gamma=1..4     starts guessed from the data
  --set k=4e4,2e4             one number per entry of a tuple
Fitted are these and all parameters of the law without a default. Columns of the file, in SI units: time, velocity or
displacement, force (positive against positive slip), normal_force; without time: velocity and the steady force.
"""


def add_fit(sub: Subcommands) -> None:
    """The command's grammar."""
    command = sub.add_parser(
        "fit", help="parameters of friction laws from measured forces", epilog=GRAMMAR,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    command.add_argument("data", type=Path, nargs="?", metavar="DATA.csv", help="what was measured")
    command.add_argument(
        "--law",
        nargs="+",
        metavar="LAW",
        help="laws to fit, by their names in `fem-mbd laws`, compared when several",
    )
    command.add_argument(
        "--set", dest="free", nargs="+", action="extend", default=[], metavar="NAME[=START][:LOW..HIGH]",
        help="parameters to fit (see below)",
    )  # fmt: skip
    command.add_argument(
        "--fix", dest="held", nargs="+", action="extend", default=[], metavar="NAME=VALUE",
        help="parameters to hold",
    )  # fmt: skip
    command.add_argument(
        "--normal-force", type=float, metavar="N", help="normal force, if it is not a column"
    )
    command.add_argument(
        "--speed", type=float, metavar="M/S", help="speed of a path of displacements without time"
    )
    command.add_argument("--skip", type=float, default=0.0, metavar="S", help="leave out the first seconds")
    command.add_argument(
        "--starts", type=int, default=1, metavar="N", help="places to search from (1: the best guess)"
    )
    command.add_argument("--seed", type=int, default=0, metavar="N", help="of the random places among them")
    command.add_argument(
        "--substeps", type=int, default=8, metavar="N", help="steps of the law between rows (8)"
    )
    command.add_argument("--level", type=float, default=0.95, metavar="P", help="of the intervals (0.95)")
    command.add_argument(
        "--diff-step",
        type=float,
        default=1e-3,
        metavar="H",
        help="step of differences, as a share of a parameter (1e-3)",
    )
    command.add_argument(
        "--evaluations", type=int, default=150, metavar="N", help="after which a search is given up (150)"
    )
    command.add_argument("--json", action="store_true", help="one JSON object on standard output")
    command.add_argument(
        "--out", type=Path, metavar="DIR", help="folder of fit.json and fit.png (default: results/DATA-fit)"
    )
    command.add_argument("--no-plot", action="store_true", help="draw no figure")
    command.add_argument(
        "--demo",
        type=Path,
        metavar="FILE.csv",
        help="write data made by a model, to try the command on, and stop",
    )
    command.set_defaults(command=fit_data)


def fit_data(options: argparse.Namespace) -> int:
    """Fit each law, tell, write and draw."""
    from fem_mbd.fitting import FitOptions, fit_law, read_measurement
    from fem_mbd.fitting.report import as_data, best_first, table
    from fem_mbd.fitting.roles import law_kind

    if options.demo is not None:
        return _write_demo(options.demo)
    if options.data is None or not options.law:
        raise InputError("fit: give a file of data and --law LAW (or --demo FILE.csv to have a file to try)")
    kinds = [law_kind(name) for name in options.law]
    free, held = _shared_out(kinds, options.free, options.held)
    manner = FitOptions(
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
    with announced_compilation(_tell):
        fits = [fit_law(data, kind, free[kind], held[kind], manner) for kind in kinds]
    report: dict[str, Any] = {"data": str(options.data), "best": best_first(fits)[0].form.name}
    report["fits"] = [as_data(fit) for fit in best_first(fits)]
    report["files"] = [str(file) for file in _write(fits, report, options)]
    for fit in report["fits"]:
        for text in fit["warnings"]:
            _tell(f"fem-mbd: warning: {text}")
    text = _as_text(report) if options.json else "\n".join([table(fits), *report["files"]])
    sys.stdout.write(text + "\n")
    return 0


def _tell(text: str) -> None:
    sys.stderr.write(text + "\n")


def _as_text(report: Mapping[str, Any]) -> str:
    return json.dumps(finite_json(dict(report)), indent=2, allow_nan=False)


def _write_demo(file: Path) -> int:
    from fem_mbd.fitting.demo import write_demonstration

    try:
        with announced_compilation(_tell):
            write_demonstration(file)
    except OSError as error:
        raise InputError(f"fit: {file} cannot be written ({error.strerror})") from error
    sys.stdout.write(f"{file}\n")
    return 0


def _write(fits: Sequence[Fit], report: Mapping[str, Any], options: argparse.Namespace) -> list[Path]:
    """fit.json and fit.png; nothing when only JSON on standard output was asked for."""
    if options.json and options.out is None:
        return []
    folder = options.out or Path("results") / f"{options.data.stem}-fit"
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / "fit.json"]
    files[0].write_text(_as_text(report) + "\n", encoding="utf-8")
    if not options.no_plot:
        from fem_mbd.fitting.figures import draw_fits

        files.append(draw_fits(fits, folder / "fit.png"))
    return files


def _shared_out(
    kinds: Sequence[Any], free: Sequence[str], held: Sequence[str]
) -> tuple[dict[Any, dict[str, Free]], dict[Any, dict[str, Any]]]:
    """What is to be fitted and held of each law; a name goes to every law that has it, and at least one must."""
    to_fit: dict[Any, dict[str, Free]] = {kind: {} for kind in kinds}
    to_hold: dict[Any, dict[str, Any]] = {kind: {} for kind in kinds}
    for text in free:
        name, entries = _to_fit(text)
        for kind in _having(kinds, name, "--set"):
            to_fit[kind] |= entries
    for text in held:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals:
            raise InputError(f"--fix {text}: write it as name=value")
        for kind in _having(kinds, name, "--fix"):
            to_hold[kind][name] = (
                _number(value, text, "--fix") if "." in name else read_value(kind, name, value, "--fix")
            )
    return to_fit, to_hold


def _having(kinds: Sequence[Any], name: str, where: str) -> list[Any]:
    field = name.partition(".")[0]
    having = [kind for kind in kinds if field in kind.__dataclass_fields__]
    if not having:
        known = {own for kind in kinds for own in kind.__dataclass_fields__}
        laws = ", ".join(kind.__name__ for kind in kinds)
        raise InputError(f"{where}: {laws}: there is no parameter {name!r}; {nearest(name, known)}")
    return having


def _to_fit(text: str) -> tuple[str, dict[str, Free]]:
    """Name and entries of NAME[=START][:LOW..HIGH]."""
    from fem_mbd.fitting import Free

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
