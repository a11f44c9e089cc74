"""Class `Case`: a study that is run by name, with typed parameters and checks against its source.

`load_folder` loads a user's own study: a folder anywhere that is a Python package like those in `cases/`. Its modules
import one another relatively (``from .parameters import Parameters``); two folders with the same name get
different module names.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from fem_mbd.base.arrays import Array, Flags
from fem_mbd.core.model.model import Model
from fem_mbd.errors import FemMbdError, InputError
from fem_mbd.runs.results.checks import Check
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.running.session import Steppable

if TYPE_CHECKING:
    from fem_mbd.aerodynamics.trim import TrimTask
    from fem_mbd.analysis.rotors.rotating_models import LinearFamily
    from fem_mbd.analysis.statics.steady_rotation import Spin


@contextmanager
def arithmetic_guard(case: str) -> Iterator[None]:
    """Context in which a case is built: overflow, division by zero and the like become an InputError."""
    import numpy as np

    try:
        with np.errstate(over="raise", divide="raise", invalid="raise"):
            yield
    except FemMbdError:
        raise
    except (ArithmeticError, MemoryError, ValueError, np.linalg.LinAlgError) as error:
        raise InputError(
            f"case {case!r} cannot be built with these parameters: a number is out of range "
            f"({type(error).__name__}: {error})"
        ) from error


P = TypeVar("P")


@dataclass(frozen=True)
class Case(Generic[P]):
    """A study.

    `parameters` is a frozen dataclass whose fields have types, defaults, and `metadata` with "unit" and "help" (see
    `fem_mbd.case_parameters`). `build(parameters)` returns the simulation and raises InputError for parameters that
    are inconsistent; `checks(result, parameters)` compares a complete run with its sources;
    `plot(result, parameters, folder)` draws into an existing folder and returns the files' paths.
    The optional `model(parameters)` returns the structure at rest with its loads, for static equilibrium, modes and
    Campbell diagrams; `axis` is its axis of rotation: a point (m) and a direction, global axes; `speeds` are the
    first and the last speed (rad/s) of its Campbell diagram when the user gives none. `family(parameters)`, for a
    machine with a rotating part, returns its linear models at any speed instead of those of `model` (see
    `fem_mbd.analysis.rotors.rotating_models.LinearFamily`); `spin(parameters, rate, azimuth)` (rad/s, rad) is then the
    steady rotation of that part of `model`, instead of a rotation of all of it about `axis`. `place` is the folder of
    a user's own study or the file of a machine, None for the package's cases. `trim(parameters)` returns what
    `fem-mbd trim` solves (see `fem_mbd.aerodynamics.trim.TrimTask`).
    """

    name: str
    summary: str
    parameters: type[P]
    build: Callable[[P], Steppable]
    checks: Callable[[Result, P], list[Check]]
    plot: Callable[[Result, P, Path], list[Path]]
    model: Callable[[P], Model] | None = None
    family: Callable[[P], LinearFamily] | None = None
    axis: tuple[tuple[float, float, float], tuple[float, float, float]] = ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    speeds: tuple[float, float] | None = None
    place: Path | None = None
    spin: Callable[[P, float, float | None], Spin] | None = None
    trim: Callable[[P], TrimTask] | None = None

    def __post_init__(self) -> None:
        settings = getattr(self.parameters, "__dataclass_params__", None)
        if settings is None or not settings.frozen:
            raise InputError(f"case {self.name!r}: its parameters have to be a frozen dataclass")

    @property
    def address(self) -> str:
        """The argument with which `fem_mbd.cases.load_case` finds the case from anywhere: its name, or its folder."""
        return self.name if self.place is None else str(self.place)


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


@dataclass(frozen=True)
class RunHistories(Generic[P]):
    """Histories of one run; arrays have one row per recorded step, k in all."""

    result: Result
    parameters: P

    @cached_property
    def time(self) -> Array:
        """Times (k,) of the recorded steps, s."""
        return np.asarray(self.result.output_time)

    @cached_property
    def dt(self) -> Array:
        """Time since the previous recorded step, s."""
        return np.diff(self.time, prepend=0.0)

    def between(self, start: float, end: float) -> Flags:
        """Rows of the steps that end in the time range (start, end], s."""
        return (self.time > start) & (self.time <= end)

    def mean(self, values: Array, rows: Flags) -> float:
        """Time mean of values (k,) over some rows."""
        return float((values * self.dt)[rows].sum() / self.dt[rows].sum())
