"""Folder of a run: default name, check that it may be written to, and a lock against other processes."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fem_mbd import case_parameters
from fem_mbd.errors import InputError
from fem_mbd.runs.results.hdf5.layout import RESULTS_NAME, lock
from fem_mbd.runs.results.hdf5.reader import FileSource
from fem_mbd.runs.results.summary import SUMMARY_NAME

FIGURES_NAME = "figures"
TAG_LENGTH = 48


def default_folder(case: str, parameters: Any) -> Path:
    """Default folder `results/CASE-TAG`. The tag is made of the parameters that differ from their defaults, so that the
    same run has the same folder.
    """
    changed = case_parameters.changed(parameters)
    tag = "-".join(f"{name}-{_value_text(value)}" for name, value in changed.items()) or "default"
    if len(tag) > TAG_LENGTH:
        digest = hashlib.sha256(json.dumps(changed, sort_keys=True).encode()).hexdigest()[:8]
        tag = f"{tag[: TAG_LENGTH - 9].rstrip('-')}-{digest}"
    return Path("results") / f"{case}-{tag}"


def _value_text(value: Any) -> str:
    text = ",".join(str(entry) for entry in value) if isinstance(value, list) else str(value)
    return re.sub(r"[^A-Za-z0-9.,+-]", "_", text)


def check_folder(folder: Path, case: str, parameters: dict[str, Any], force: bool) -> None:
    """Check that results of this run can be written to `folder`; nothing is created or changed.

    Raises InputError otherwise. A folder with a run of another case or other parameters is refused unless `force`.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(f"--out {folder}: this is a file; give a folder")
    existing = next(parent for parent in (folder, *folder.absolute().parents) if parent.exists())
    if not os.access(existing, os.W_OK | os.X_OK):
        raise InputError(f"--out {folder}: no permission to write to {existing}; give another folder")
    if (folder / RESULTS_NAME).exists() and not force:
        difference = _difference(folder, case, parameters)
        if difference:
            raise InputError(
                f"{folder} holds {difference}; give another folder with --out, or replace it with --force"
            )


def _difference(folder: Path, case: str, parameters: dict[str, Any]) -> str:
    """Description of the run in the folder if it is another one, otherwise an empty text."""
    try:
        source = FileSource(folder)
    except InputError as error:
        return f"a file that this package cannot read ({error})"
    stored = source.info
    source.close()
    if stored.case != case:
        return f"a run of case {stored.case!r}" if stored.case else "a run of a model built in Python"
    requested = json.loads(json.dumps(parameters))
    names = [
        name
        for name in {**stored.parameters, **requested}
        if stored.parameters.get(name) != requested.get(name)
    ]
    differences = ", ".join(
        f"{name} = {stored.parameters.get(name)} there, {requested.get(name)} here" for name in names
    )
    return f"a run of other parameters ({differences})" if names else ""


@contextmanager
def locked_folder(folder: Path) -> Iterator[Path]:
    """Context that creates the folder if necessary and locks it against other processes of this package."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise InputError(f"{folder}: this folder cannot be used ({error.strerror})") from error
    try:
        lock(handle, folder)
        yield folder
    finally:
        os.close(handle)


def remove_earlier_run(folder: Path) -> None:
    """Remove the summary of the run that is being replaced, and the figures listed in it."""
    path = folder / SUMMARY_NAME
    try:
        figures = json.loads(path.read_text(encoding="utf-8")).get("figures", [])
    except (OSError, ValueError, AttributeError):
        figures = []
    for figure in figures:
        name = Path(str(figure)).name
        (folder / FIGURES_NAME / name).unlink(missing_ok=True)
    path.unlink(missing_ok=True)


def make_folder(folder: Path) -> None:
    """Create a folder for figures if necessary; InputError when that is not permitted."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror}; give another folder with --out") from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"{folder}: no permission to write there; give another folder with --out")
