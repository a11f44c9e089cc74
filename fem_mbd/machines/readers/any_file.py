"""Function `read_machine`: selects the reader of HAWC2, OpenFAST or windIO by the ending of the file's name."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any, cast

from fem_mbd.elements.blades.hawc2 import Radii
from fem_mbd.errors import InputError
from fem_mbd.machines.description.machine import Machine
from fem_mbd.machines.readers.hawc2.machine import read_hawc2_machine
from fem_mbd.machines.readers.left_out import Platform
from fem_mbd.machines.readers.openfast.machine import read_openfast_machine
from fem_mbd.machines.readers.windio.machine import read_windio_machine

ENDINGS = {".htc": "HAWC2", ".fst": "OpenFAST", ".yaml": "windIO", ".yml": "windIO"}


def read_machine(
    path: str | Path,
    name: str = "",
    platform: Platform = "as in the files",
    radii_at: str | None = None,
    leave_out: Collection[str] = (),
    **options: Any,
) -> Machine:
    """The machine of a HAWC2 (.htc), OpenFAST (.fst) or windIO (.yaml) file.

    Parameters
    ----------
    path : of the main file
    name : of the machine; that of the file when left out
    platform : of OpenFAST's and HAWC2's files, see `read_openfast_machine` and `read_hawc2_machine`
    radii_at, leave_out : of HAWC2's files, see `read_hawc2_machine`
    options : others of `read_hawc2_machine`, `read_openfast_machine` or `read_windio_machine`

    Raises
    ------
    InputError
        For another ending, ``leave_out`` with files that are not HAWC2's, and as the readers.
    """
    kind = ENDINGS.get(Path(path).suffix.lower())
    if kind is None:
        raise InputError(
            f"machine file '{path}' has an unknown ending: give a file with {', '.join(ENDINGS)}"
        )
    if leave_out and kind != "HAWC2":
        raise InputError(
            f"{path}: leave_out names blocks of HAWC2's files; those of {kind} have switches of their own"
        )
    if kind == "OpenFAST":
        return read_openfast_machine(path, name, platform, **options)
    if kind == "windIO":
        return read_windio_machine(path, name, **options)
    radii = cast("Radii | None", radii_at)
    return read_hawc2_machine(path, radii, name, leave_out, platform=platform, **options)
