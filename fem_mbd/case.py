"""A case: a study that is run by name, with typed parameters and checks against its source."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from fem_mbd.checks import Check
from fem_mbd.errors import InputError
from fem_mbd.model import Model
from fem_mbd.results import Result
from fem_mbd.session import Steppable
from fem_mbd.suggestions import nearest

__all__ = ["Case", "Check", "case_names", "load_case"]

P = TypeVar("P")


@dataclass(frozen=True)
class Case(Generic[P]):
    """A study.

    `parameters` is a frozen dataclass whose fields are typed, have defaults, and carry `metadata` with "unit"
    and "help" (see `fem_mbd.case_parameters`). `build(parameters)` gives the simulation, raising InputError
    for parameters that make no sense together; `checks(result, parameters)` compares a complete run with its
    sources; `plot(result, parameters, folder)` draws into an existing folder and returns the files' paths.
    `model(parameters)`, where there is one, gives the structure at rest with its loads, for static equilibrium,
    modes and Campbell diagrams; `axis` is what it rotates about: a point (m) and a direction, global axes; `speeds`
    are the first and the last (rad/s) of its Campbell diagram where the user names none.
    """

    name: str
    summary: str
    parameters: type[P]
    build: Callable[[P], Steppable]
    checks: Callable[[Result, P], list[Check]]
    plot: Callable[[Result, P, Path], list[Path]]
    model: Callable[[P], Model] | None = None
    axis: tuple[tuple[float, float, float], tuple[float, float, float]] = ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    speeds: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        settings = getattr(self.parameters, "__dataclass_params__", None)
        if settings is None or not settings.frozen:
            raise InputError(f"case {self.name!r}: its parameters have to be a frozen dataclass")


def case_names() -> tuple[str, ...]:
    """Names of the cases that there are, without importing them."""
    # Looked up at run time: cases stand above this module and import it.
    return tuple(importlib.import_module("fem_mbd.cases").CASE_NAMES)


def load_case(name: str) -> Case[Any]:
    """The case of that name; InputError with the nearest name when there is none."""
    names = case_names()
    if name not in names:
        raise InputError(f"there is no case {name!r}; {nearest(name, names)} (`fem-mbd list` shows all)")
    case = getattr(importlib.import_module(f"fem_mbd.cases.{name}"), "CASE", None)
    if not isinstance(case, Case):
        raise InputError(f"case module {name!r} defines no CASE; it has to be a fem_mbd.case.Case")
    if case.name != name:
        raise InputError(f"case module {name!r} defines a case named {case.name!r}; the two have to agree")
    return case


def model_of(case: Case[P], parameters: P) -> Model:
    """The structure at rest of a case; InputError when the case offers none."""
    if case.model is None:
        with_model = [name for name in case_names() if load_case(name).model is not None]
        raise InputError(
            f"case {case.name!r} has no structure at rest to analyse; cases that have one: {', '.join(with_model)}"
        )
    return case.model(parameters)
