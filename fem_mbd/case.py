"""Class `Case`: a study that is run by name, with typed parameters and checks against its source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from fem_mbd.core.model.model import Model
from fem_mbd.errors import InputError
from fem_mbd.runs.results.checks import Check
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.running.session import Steppable

if TYPE_CHECKING:
    from fem_mbd.aerodynamics.trim import TrimTask
    from fem_mbd.analysis.rotors.rotating_models import LinearFamily
    from fem_mbd.analysis.statics.steady_rotation import Spin

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
