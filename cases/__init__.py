"""Cases: studies that can be run by name, `fem-mbd run NAME`. Each is a module here that defines `CASE`.

To add a case, write its module and add its name to this list; it is imported only on request. A user's own
study is a folder, `fem-mbd run ./NAME`; `fem-mbd new NAME` copies one to start from, `_template`. The main file of a
machine (HAWC2, OpenFAST, windIO) is a case too, `_machine_file`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from fem_mbd.base.lazy import nearest
from fem_mbd.case import START, Case, is_path, load_folder
from fem_mbd.core.model.model import Model
from fem_mbd.errors import InputError

P = TypeVar("P")
MACHINE_ENDINGS = (".htc", ".fst", ".yaml", ".yml")  # as fem_mbd.machines.readers.any_file.ENDINGS

CASE_NAMES: tuple[str, ...] = (
    "articulated_rotor",
    "belt_block",
    "cantilever",
    "constraint_methods",
    "crank_mechanism",
    "cube_on_plane",
    "ground_resonance",
    "iea15mw_blade",
    "iea15mw_turbine",
    "journal_bearing",
    "lattice",
    "nrel5mw_blade",
    "nrel5mw_turbine",
    "pendulum",
    "pendulum_friction",
    "revolute_clearance_3d",
    "rotor_rub",
    "slider_crank_clearance",
    "supercritical_rotor",
    "translational_joint_friction",
    "turbine_blades",
    "xml_model",
)


def case_names() -> tuple[str, ...]:
    """Names of the available cases, without importing them."""
    return CASE_NAMES


def load_case(name: str | Path) -> Case[Any]:
    """The case of that name, the user's study in that folder, or the case of a machine's file.

    Raises
    ------
    InputError
        When there is none; the message suggests the nearest name.
    """
    if is_machine(name):
        return _machine(Path(name))
    if is_path(name):
        return load_folder(Path(name))
    names = case_names()
    if name not in names:
        if (Path(name) / START).is_file():
            raise InputError(f"there is no case {name!r}; the study in that folder is called ./{name}")
        raise InputError(f"there is no case {name!r}; {nearest(str(name), names)} (`fem-mbd list` shows all)")
    case = getattr(importlib.import_module(f"fem_mbd.cases.{name}"), "CASE", None)
    if not isinstance(case, Case):
        raise InputError(f"case module {name!r} defines no CASE; it has to be a fem_mbd.case.Case")
    if case.name != name:
        raise InputError(f"case module {name!r} defines a case named {case.name!r}; the two have to agree")
    return case


def is_machine(name: str | Path) -> bool:
    """Whether a name is that of a machine's main file."""
    return Path(name).suffix.lower() in MACHINE_ENDINGS


def _machine(file: Path) -> Case[Any]:
    return importlib.import_module("fem_mbd.cases._machine_file").machine_case(file)


def recorded_case(address: str, trusted: Callable[[str], bool] = lambda question: False) -> Case[Any]:
    """The case named in a results file.

    A results file is data, possibly from someone else, and a study is a program: it is not executed just because a
    file names it.

    Parameters
    ----------
    address : name of a case, or folder of a study
    trusted : asked before a study is executed

    Raises
    ------
    InputError
        When the study is not trusted.
    """
    if is_path(address) and not is_machine(address):
        folder = Path(address).resolve()
        if not trusted(f"this run is of the study in {folder}, whose Python code would be executed"):
            raise InputError(
                f"this run is of the study in {folder}, whose Python code is executed only with --trust: look at it "
                "first if it comes from someone else"
            )
    return load_case(address)


def model_of(case: Case[P], parameters: P) -> Model:
    """The structure of a case at rest; InputError when the case has none."""
    if case.model is None:
        with_model = [name for name in case_names() if load_case(name).model is not None]
        raise InputError(
            f"case {case.name!r} has no structure at rest to analyse; cases that have one: {', '.join(with_model)}"
        )
    return case.model(parameters)
