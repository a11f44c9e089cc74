"""Loading of a user's own study: a folder anywhere that is a Python package like those in `cases/`.

Its modules import one another relatively (``from .parameters import Parameters``); two folders with the same name get
different module names.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import sys
import traceback
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from fem_mbd.case import Case
from fem_mbd.errors import InputError

START = "__init__.py"


def is_path(name: str | Path) -> bool:
    """Whether a case is given by its folder, ``./study``, ``studies/study`` or a `Path`, not by its name."""
    return isinstance(name, Path) or name in (".", "..") or "/" in name or os.sep in name


def load_folder(folder: Path) -> Case[Any]:
    """The case that a folder defines as ``CASE``, loaded once per process.

    Raises
    ------
    InputError
        When there is no such folder, importing it fails (the message gives file and line), or it defines no case with
        the folder's name.
    """
    folder = folder.resolve()
    if not (folder / START).is_file():
        what = f"has no {START}" if folder.is_dir() else "is not a folder"
        raise InputError(f"study {folder}: it {what}; `fem-mbd new NAME` writes a study to start from")
    case = getattr(_module(folder), "CASE", None)
    if not isinstance(case, Case):
        raise InputError(f"study {folder}: its {START} defines no CASE; define one, a fem_mbd.case.Case")
    if case.name != folder.name:
        raise InputError(f"study {folder}: its CASE is named {case.name!r}; it must have the folder's name")
    return dataclasses.replace(case, place=folder)


def _module(folder: Path) -> ModuleType:
    name = f"{folder.name}_{hashlib.sha256(str(folder).encode()).hexdigest()[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = spec_from_file_location(name, folder / START, submodule_search_locations=[str(folder)])
    if spec is None or spec.loader is None:
        raise InputError(f"study {folder}: Python cannot load it")
    module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        for loaded in [key for key in sys.modules if key == name or key.startswith(f"{name}.")]:
            del sys.modules[loaded]
        raise InputError(f"study {folder}: {_where(error, folder)}{type(error).__name__}: {error}") from error
    return module


def _where(error: Exception, folder: Path) -> str:
    """File and line of the study at which loading failed."""
    if isinstance(error, SyntaxError):  # its message contains them
        return ""
    lines = [
        f"{Path(frame.filename).name}, line {frame.lineno}: "
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).is_relative_to(folder)
    ]
    return lines[-1] if lines else ""
