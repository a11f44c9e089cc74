"""Studies that are run by name: `fem-mbd run NAME`. Each is a module here that defines `CASE`.

To add a case, write its module and put its name into this list; it is imported only when it is asked for.
"""

from __future__ import annotations

import importlib
from typing import Any, TypeVar

from fem_mbd.case import Case
from fem_mbd.errors import InputError
from fem_mbd.model.model import Model
from fem_mbd.suggestions import nearest

P = TypeVar("P")

CASE_NAMES: tuple[str, ...] = (
    "belt_block",
    "cantilever",
    "crank_mechanism",
    "cube_on_plane",
    "iea15mw_blade",
    "iea15mw_turbine",
    "journal_bearing",
    "nrel5mw_blade",
    "pendulum",
    "pendulum_friction",
    "slider_crank_clearance",
    "supercritical_rotor",
    "turbine_blades",
    "xml_model",
)


def case_names() -> tuple[str, ...]:
    """Names of the cases that there are, without importing them."""
    return CASE_NAMES


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
