"""Command `fem-mbd new NAME`: writes a study to start from, a copy of the one in `cases/_template`."""

from __future__ import annotations

import argparse
from pathlib import Path

from fem_mbd.applications.cli.options import path
from fem_mbd.applications.cli.reports import write_line

SAMPLE = "spring_mass"  # name of the template's study


def add_options(command: argparse.ArgumentParser) -> None:
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
