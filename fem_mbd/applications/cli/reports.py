"""Output of commands: reports as text or JSON on standard output, warnings on standard error, folders of figures."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def write_line(text: object) -> None:
    """Write a line to standard output."""
    sys.stdout.write(f"{text}\n")


def write_warning(text: str) -> None:
    """Write a warning to standard error."""
    sys.stderr.write(f"fem-mbd: warning: {text}\n")


def as_json(data: Mapping[str, Any]) -> str:
    """Plain data as JSON; numbers that are not finite become null."""
    import json

    from fem_mbd.runs.results.summary import finite_json

    return json.dumps(finite_json(dict(data)), indent=2, allow_nan=False)


def write_report(data: Mapping[str, Any], options: argparse.Namespace, text: str) -> int:
    """Write ``data`` as JSON with `--json`, otherwise ``text``; returns exit status 0."""
    write_line(as_json(data) if options.json else text)
    return 0


def figures_folder(options: argparse.Namespace, name: str) -> Path | None:
    """Folder for figures, created if necessary: `--out` or results/NAME; None when none are to be drawn."""
    if options.no_plot or (options.json and options.out is None):
        return None
    folder = Path(options.out or Path("results") / name)
    folder.mkdir(parents=True, exist_ok=True)
    return folder
