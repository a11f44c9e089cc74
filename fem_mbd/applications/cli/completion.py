"""Tab completion: names of cases, folders of studies, and the parameters of the given case.

It uses argcomplete, enabled by ``eval "$(register-python-argcomplete fem-mbd)"`` in the shell's start file.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

COMPLETION_REQUEST = "_ARGCOMPLETE"  # environment variable set by the shell


def complete() -> None:
    """Write the completions and end the process when a shell requests them; otherwise do nothing."""
    if COMPLETION_REQUEST not in os.environ:
        return
    import argcomplete

    from fem_mbd.applications.cli.parser import parser

    top = parser(os.environ.get("COMP_LINE", "").split())
    for action in _actions(top):
        if action.dest in COMPLETERS:
            action.completer = COMPLETERS[action.dest]  # type: ignore[attr-defined]
    argcomplete.autocomplete(top, always_complete_options=False)


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)


def cases(prefix: str, **about: Any) -> list[str]:
    """Names of cases, and folders with a study."""
    from fem_mbd.case_folder import START
    from fem_mbd.cases import case_names

    parent = Path(prefix).parent if not prefix.endswith("/") else Path(prefix)
    try:
        folders = sorted(entry for entry in parent.iterdir() if entry.is_dir())
    except OSError:
        folders = []
    studies = [
        f"{entry}" if entry.is_absolute() else f"./{entry}" for entry in folders if (entry / START).is_file()
    ]
    return [*case_names(), *studies]


def assignments(prefix: str, parsed_args: argparse.Namespace, **about: Any) -> list[str]:
    """``name=`` for every parameter of the case, ``name=value`` where there are few possible values."""
    from fem_mbd import case_parameters
    from fem_mbd.cases import load_case
    from fem_mbd.errors import FemMbdError

    if not getattr(parsed_args, "case", None):
        return []
    try:
        kind = load_case(parsed_args.case).parameters
    except FemMbdError:
        return []
    name, equals, _ = prefix.partition("=")
    if not equals:
        return [f"{entry['name']}=" for entry in case_parameters.describe(kind)]
    return [f"{name}={choice}" for choice in case_parameters.choices(kind, name)]


COMPLETERS = {"case": cases, "assignments": assignments}
