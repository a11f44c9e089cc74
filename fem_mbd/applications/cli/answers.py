"""What commands have in common: the case and its parameters in, text or JSON and warnings out."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from typing import Any

from fem_mbd import case_parameters
from fem_mbd.case import Case
from fem_mbd.cases import load_case
from fem_mbd.runs.results.summary import finite_json


def chosen(name: Any, options: argparse.Namespace) -> tuple[Case[Any], Any]:
    """The case of that name and its parameters by `--params` and `--set`."""
    case = load_case(name)
    return case, case_parameters.fill(case.parameters, options.params, options.assignments, "--set")


def head(case: Case[Any], parameters: Any) -> dict[str, Any]:
    """Plain data that say what was computed."""
    return {"case": case.name, "parameters": case_parameters.to_plain(parameters)}


def as_json(data: Mapping[str, Any]) -> str:
    """Plain data as one JSON object; numbers that are not finite become null."""
    return json.dumps(finite_json(dict(data)), indent=2, allow_nan=False)


def answer(data: Mapping[str, Any], options: argparse.Namespace, table: str) -> int:
    """Write data with `--json`, else the table; returns the exit status 0."""
    sys.stdout.write((as_json(data) if options.json else table) + "\n")
    return 0


def warn(texts: list[str]) -> None:
    """Write warnings to standard error."""
    sys.stderr.writelines(f"fem-mbd: warning: {text}\n" for text in texts)
