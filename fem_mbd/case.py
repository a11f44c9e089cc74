"""A case: a study that is run by name, with typed parameters and checks against its source."""

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
    from fem_mbd.analysis.rotors.family import LinearFamily
    from fem_mbd.analysis.statics.steady_rotation import Spin

P = TypeVar("P")


@dataclass(frozen=True)
class Case(Generic[P]):
    """A study.

    `parameters` is a frozen dataclass whose fields are typed, have defaults, and carry `metadata` with "unit"
    and "help" (see `fem_mbd.case_parameters`). `build(parameters)` gives the simulation, raising InputError
    for parameters that make no sense together; `checks(result, parameters)` compares a complete run with its
    sources; `plot(result, parameters, folder)` draws into an existing folder and returns the files' paths.
    `model(parameters)`, where there is one, gives the structure at rest with its loads, for static equilibrium, modes
    and Campbell diagrams; `axis` is what it rotates about: a point (m) and a direction, global axes; `speeds` are the
    first and the last (rad/s) of its Campbell diagram where the user names none. `family(parameters)`, for a machine of
    which a part turns, gives its linear models at any speed in the place of those of `model` (see
    `fem_mbd.analysis.rotors.family.LinearFamily`); `spin(parameters, rate, azimuth)` (rad/s, rad) is then the steady
    rotation of that part of `model`, in the place of one about `axis`. `place` is the folder of a user's own study or
    the file of a machine, None for the package's cases.
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

    def __post_init__(self) -> None:
        settings = getattr(self.parameters, "__dataclass_params__", None)
        if settings is None or not settings.frozen:
            raise InputError(f"case {self.name!r}: its parameters have to be a frozen dataclass")

    @property
    def address(self) -> str:
        """What `fem_mbd.cases.load_case` finds it by from anywhere: its name, or its folder."""
        return self.name if self.place is None else str(self.place)
