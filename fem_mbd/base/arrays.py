"""Type aliases of numpy arrays for annotations; docstrings give the shapes."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fem_mbd.errors import InputError

Array: TypeAlias = NDArray[np.float64]
Complex: TypeAlias = NDArray[np.complex128]
Indices: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]


def write_fields(record: Any, file: str | Path) -> Path:
    """Write the fields of a dataclass under their names; return the path.

    Parameters
    ----------
    record : a dataclass of arrays, numbers and names
    file : path ending in .npz

    Raises
    ------
    InputError
        When the path ends otherwise.
    """
    path = Path(file)
    if path.suffix != ".npz":
        raise InputError(f"save: {path.name} has to end in .npz")
    np.savez(path, **{f.name: np.asarray(getattr(record, f.name)) for f in fields(record)})
    return path
