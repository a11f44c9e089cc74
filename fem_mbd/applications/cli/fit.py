"""`fem-mbd fit DATA.csv --law LAW`: parameters of friction laws from measured forces."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from math import inf
from pathlib import Path
from typing import Any

from fem_mbd.applications.cli.answers import answer, as_json, warn
from fem_mbd.applications.fitting import Fit, FitOptions, Free, fit_law, read_measurement
from fem_mbd.applications.fitting.demo import write_demonstration
from fem_mbd.applications.fitting.report import as_data, best_first, table
from fem_mbd.applications.fitting.roles import law_kind
from fem_mbd.base.suggestions import nearest
from fem_mbd.case_parameters import read_value
from fem_mbd.errors import InputError


def fit_data(options: argparse.Namespace) -> int:
    """Fit each law, tell, write and draw."""
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
    fits = [fit_law(data, kind, free[kind], held[kind], manner) for kind in kinds]
    report: dict[str, Any] = {"data": str(options.data), "best": best_first(fits)[0].form.name}
    report["fits"] = [as_data(fit) for fit in best_first(fits)]
    report["files"] = [str(file) for file in _write(fits, report, options)]
    for fit in report["fits"]:
        warn(fit["warnings"])
    return answer(report, options, "\n".join([table(fits), *report["files"]]))


def _write_demo(file: Path) -> int:

    try:
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
    files[0].write_text(as_json(report) + "\n", encoding="utf-8")
    if not options.no_plot:
        from fem_mbd.applications.fitting.figures import draw_fits

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
