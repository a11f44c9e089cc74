"""`fem-mbd new NAME`: a study of the user's own to begin with, a copy of the one in `cases/_template`."""

from __future__ import annotations

import argparse
import keyword
import sys
from importlib.resources import files
from pathlib import Path

from fem_mbd.cases import case_names
from fem_mbd.errors import InputError

SAMPLE = "spring_mass"  # what the template's study is called


def new_study(options: argparse.Namespace) -> int:
    """Write the folder, name its files and what to do with them."""
    written = write_study(options.folder)
    place = options.folder if options.folder.is_absolute() else f"./{options.folder}"
    sys.stdout.write("".join(f"{file}\n" for file in written))
    sys.stdout.write(f"run it with: fem-mbd run {place}\ntest it with: python -m pytest {options.folder}\n")
    return 0


def write_study(folder: Path) -> list[Path]:
    """Write the study; returns its files.

    Raises
    ------
    InputError
        When the name is none that a Python package can have, or one of this package's cases, when the folder is there
        already or cannot be made.
    """
    name = folder.name
    if not name.isidentifier() or keyword.iskeyword(name) or not name.isascii():
        raise InputError(f"new {folder}: {name!r} cannot name a Python package: use letters, digits and _")
    if name in case_names():
        raise InputError(f"new {folder}: there is a case {name!r} already: take another name")
    if folder.exists():
        raise InputError(f"new {folder}: it is there already: take another name, nothing is overwritten")
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
