"""Commands `fem-mbd list` and `new`: the cases with their parameters, and a study to start from.

fem-mbd list        all cases, or the parameters of one
fem-mbd new NAME    a study to start from, a copy of the one in `cases/_template`
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fem_mbd.applications.cli.options import add_json, path
from fem_mbd.applications.cli.reports import write_line, write_report
from fem_mbd.base.text import text_table

if TYPE_CHECKING:
    from fem_mbd.case import Case


def add_list_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `list`."""
    command.add_argument(
        "case",
        nargs="?",
        metavar="CASE",
        help="show the parameters of this case, or of the study in this folder",
    )
    add_json(command)
    command.set_defaults(command=list_cases)


def list_cases(options: argparse.Namespace) -> int:
    """List the cases, or describe the given one."""
    from fem_mbd.case_parameters import describe
    from fem_mbd.cases import case_names, load_case

    cases = [load_case(name) for name in ([options.case] if options.case else case_names())]
    data = [
        {"name": case.name, "summary": case.summary, "parameters": describe(case.parameters)}
        for case in cases
    ]
    if options.case:
        text = describe_case(options.case)
    else:
        text = text_table([(case.name, case.summary) for case in cases], left=True)
    return write_report({"cases": data}, options, text)


def describe_case(name: str) -> str:
    """Text that describes a case and its parameters; InputError when there is no such case."""
    from fem_mbd.cases import load_case

    case = load_case(name)
    return f"{case.name}: {case.summary}\n" + _parameter_table(case)


def _parameter_table(case: Case[Any]) -> str:
    from fem_mbd.case_parameters import describe

    rows = [("parameter", "default", "unit", "type", "meaning")]
    for entry in describe(case.parameters):
        default = entry["default"]
        text = ",".join(map(str, default)) if isinstance(default, list) else str(default)
        rows.append((entry["name"], text, entry["unit"], entry["type"], entry["help"]))
    return text_table(rows, left=True)


SAMPLE = "spring_mass"  # name of the template's study


def add_new_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `new`."""
    command.add_argument("folder", type=path, metavar="NAME", help="its folder, which is created")
    command.set_defaults(command=new_study)


def new_study(options: argparse.Namespace) -> int:
    """Write the study; print its files and the commands to run and test it."""
    files = write_study(options.folder)
    folder = options.folder if options.folder.is_absolute() else f"./{options.folder}"
    for file in files:
        write_line(file)
    write_line(f"run it with: fem-mbd run {folder}\ntest it with: python -m pytest {options.folder}")
    return 0


def write_study(folder: Path) -> list[Path]:
    """Write the study into a new folder; returns its files.

    Raises
    ------
    InputError
        When the name is not a valid name of a Python package or is that of a case of this package, when the folder
        exists or cannot be created.
    """
    import keyword
    from importlib.resources import files

    from fem_mbd.cases import case_names
    from fem_mbd.errors import InputError

    name = folder.name
    if not name.isidentifier() or keyword.iskeyword(name) or not name.isascii():
        raise InputError(f"new {folder}: {name!r} cannot name a Python package: use letters, digits and _")
    if name in case_names():
        raise InputError(f"new {folder}: there is a case {name!r} already: choose another name")
    if folder.exists():
        raise InputError(f"new {folder}: it exists already: choose another name, nothing is overwritten")
    texts = {
        file.name.replace(SAMPLE, name): file.read_text(encoding="utf-8").replace(SAMPLE, name)
        for file in files("fem_mbd.cases._template").iterdir()
        if file.name.endswith(".py")
    }
    try:
        folder.mkdir(parents=True)
        for file_name, text in texts.items():
            (folder / file_name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"new {folder}: it cannot be written ({error.strerror})") from error
    return [folder / file_name for file_name in sorted(texts)]
