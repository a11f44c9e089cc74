"""`fem-mbd gradient CASE`: derivatives of a run's outputs by the case's parameters, as a table and a figure."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from fem_mbd import case_parameters
from fem_mbd.applications.gradients.gradient import Gradient, gradient
from fem_mbd.base.suggestions import nearest
from fem_mbd.cases import load_case
from fem_mbd.errors import InputError
from fem_mbd.runs.results.summary import finite_json
from fem_mbd.runs.running.computable import computable


def gradient_case(options: argparse.Namespace) -> int:
    """Make the run and its derivatives, tell and draw them."""
    case = load_case(options.case)
    given = case_parameters.fill(case.parameters, options.params, options.assignments, "--set")
    values = {name: _number(given, name) for name in options.wrt}
    scale = dict(_pair(text) for text in options.scale)

    def build(changed: Mapping[str, float]) -> Any:
        with computable(case.name):
            return case.build(replace(given, **changed))

    more = {} if options.largest_growth is None else {"largest_growth": options.largest_growth}
    found = gradient(build, dict(map(_output, options.of)), values, scale=scale, **more)
    files = (
        [] if options.no_plot or (options.json and options.out is None) else _drawn(case.name, found, options)
    )
    if options.json:
        text = json.dumps(finite_json(_as_data(case.name, given, found, files)), indent=2, allow_nan=False)
    else:
        text = "\n".join([found.table(), *files])
    sys.stdout.write(text + "\n")
    return 0


def _number(given: Any, name: str) -> float:
    known = case_parameters.to_plain(given)
    if name not in known:
        raise InputError(f"--wrt: there is no parameter {name!r}; {nearest(name, known)}")
    kind = next(one["type"] for one in case_parameters.describe(type(given)) if one["name"] == name)
    value = known[name]
    if not isinstance(value, float):
        raise InputError(
            f"--wrt: {name} is {value!r} ({kind}): derivatives are by numbers that are not whole"
        )
    return value


def _output(text: str) -> tuple[str, str]:
    """Name and text of an output; it is its own name when none stands before an equals sign."""
    name, equals, rest = text.partition("=")
    return (
        (name.strip(), rest.strip())
        if equals and name.strip().isidentifier()
        else (text.strip(), text.strip())
    )


def _pair(text: str) -> tuple[str, float]:
    name, _, size = text.partition("=")
    try:
        return name.strip(), float(size)
    except ValueError:
        raise InputError(f"--scale {text}: write it as NAME=SIZE") from None


def _drawn(case: str, found: Gradient, options: argparse.Namespace) -> list[str]:
    from fem_mbd.applications.gradients.figure import draw_gradient

    folder = options.out or Path("results") / f"{case}-gradient"
    folder.mkdir(parents=True, exist_ok=True)
    return [str(draw_gradient(found, folder / "gradient.png", case))]


def _as_data(case: str, given: Any, found: Gradient, files: list[str]) -> dict[str, Any]:
    return {
        "case": case,
        "parameters": case_parameters.to_plain(given),
        "values": dict(zip(found.outputs, found.values.tolist(), strict=True)),
        "derivatives": _by_name(found, found.jacobian),
        "elasticities": _by_name(found, found.elasticities),
        "seconds": {"run": found.seconds[0], "derivatives": found.seconds[1]},
        "figures": files,
    }


def _by_name(found: Gradient, numbers: Any) -> dict[str, dict[str, float]]:
    return {
        output: dict(zip(found.parameters, row, strict=True))
        for output, row in zip(found.outputs, numbers.tolist(), strict=True)
    }
