"""Names of former versions: imports of modules that have moved, and attributes that have another name or are gone.

They answer with a DeprecationWarning or an error that says the present name. What is here may go with the next version.
"""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any, TypeVar

T = TypeVar("T", bound=type)
ASK_RESULT = "results answer by part, result.of(handle) or result.of(name)"
# Names of fem_mbd that are modules: they can be imported by their paths, too, and always could.
PUBLIC = {
    "time_functions": "fem_mbd.core.model.time_functions",
    "plots": "fem_mbd.output.figures.plots",
}
# Former modules, without "fem_mbd."; what they contained moved with them.
MODULES = {
    "ledger_names": "fem_mbd.core.scheme.ledger_names",
    "newton_options": "fem_mbd.core.newton.newton_options",
    "node": "fem_mbd.core.model.node",
    "prescribed": "fem_mbd.core.model.prescribed",
    "result": "fem_mbd.runs.results.result",
    "simulation": "fem_mbd.core.solver.simulation",
    "state": "fem_mbd.core.scheme.state",
    "step_control": "fem_mbd.core.stepping.step_control",
    "step_record": "fem_mbd.core.stepping.step_record",
    "step_rules": "fem_mbd.core.stepping.step_rules",
    "system": "fem_mbd.core.scheme.system",
    "analysis.linear_model": "fem_mbd.analysis.modal.linear_model",
    "analysis.modes": "fem_mbd.analysis.modal.modes",
    "analysis.campbell": "fem_mbd.analysis.rotors.campbell",
    "elements.section_table": "fem_mbd.elements.section.table",
    "friction.gallery": "fem_mbd.friction",
}


class _Former(ModuleType):
    """A module under its former name: what is asked of it comes from the present one, or from `fem_mbd` itself."""

    __path__: list[str] = []  # noqa: RUF012 - its modules are found by their own former names

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        present = import_module(self.__doc__ or "")
        return getattr(present if hasattr(present, name) else import_module("fem_mbd"), name)


class FormerModules:
    """Finds modules by their former names; the last of Python's finders, asked for what does not exist."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """As Python's protocol of finders asks.

        Parameters
        ----------
        name : of the module that is imported
        path, target : not used
        """
        if not name.startswith("fem_mbd.") or present_module(name) is None:
            return None
        return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """A module that answers for the present one.

        Parameters
        ----------
        spec : of the former name
        """
        return _Former(spec.name, present_module(spec.name))

    def exec_module(self, module: ModuleType) -> None:
        """Put the module in place: a public one itself, others after a warning.

        Parameters
        ----------
        module : what `create_module` made
        """
        name, present = module.__name__, module.__doc__ or ""
        if name.partition(".")[2] in PUBLIC:
            sys.modules[name] = import_module(present)
            return
        warnings.warn(f"{name} is {present} now", DeprecationWarning, stacklevel=2)


def present_module(name: str) -> str | None:
    """The present name of a module that has moved, None when there is none.

    Parameters
    ----------
    name : former one, with "fem_mbd."
    """
    head, rest = name.removeprefix("fem_mbd."), ""
    while head:
        if moved := (PUBLIC | MODULES).get(head):
            present = moved + rest
            return present if find_spec(present) else None
        head, _, last = head.rpartition(".")
        rest = f".{last}{rest}"
    return None


def formerly(**names: str) -> Any:
    """Decorator of a class: what to say of attributes that it had in former versions.

    Parameters
    ----------
    names : by the former name, the present one, dots allowed, which answers after a DeprecationWarning; or a sentence,
        which the AttributeError ends with
    """

    def decorate(kind: T) -> T:
        def answer(self: Any, name: str) -> Any:
            told = names.get(name)
            what = f"{kind.__name__}.{name}"
            if told is None:
                raise AttributeError(
                    f"{kind.__name__!r} object has no attribute {name!r}", name=name, obj=self
                )
            if " " in told:
                raise AttributeError(f"{what} is gone: {told}", name=name, obj=self)
            warnings.warn(f"{what} is {kind.__name__}.{told} now", DeprecationWarning, stacklevel=2)
            for part in told.split("."):
                self = getattr(self, part)
            return self

        kind.__getattr__ = answer  # type: ignore[attr-defined]
        return kind

    return decorate


def find_former_modules() -> None:
    """Let imports find modules by their former names."""
    if not any(isinstance(finder, FormerModules) for finder in sys.meta_path):
        sys.meta_path.append(FormerModules())
