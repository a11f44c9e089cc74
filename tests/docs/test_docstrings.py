"""What users call is documented: numpydoc sections that name every parameter, and no parameter that is not there."""

import inspect
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

import fem_mbd as fm

MODULES = (
    fm, fm.elements, fm.joints, fm.friction, fm.machines, fm.export, fm.fitting, fm.plots, fm.time_functions,
)  # fmt: skip
SECTION = re.compile(r"^(?:Parameters|Attributes)\n-+\n(?P<entries>(?:.+\n?|\n(?=    ))+)", re.MULTILINE)
# what the core calls of every part, law or rule; their bases say what they get
OF_THE_CORE = ("build",)


def _names(module: ModuleType) -> list[str]:
    if hasattr(module, "__all__"):
        return list(module.__all__)
    return [
        n for n, v in vars(module).items() if n[0] != "_" and getattr(v, "__module__", "") == module.__name__
    ]


def _public() -> Iterator[tuple[str, Any, type | None]]:
    """Path, object and owner of every public callable and property."""
    for module in MODULES:
        for name in _names(module):
            value = getattr(module, name)
            if not callable(value) or not getattr(value, "__module__", "").startswith("fem_mbd"):
                continue
            yield f"{module.__name__}.{name}", value, None
            for member in dir(value) if inspect.isclass(value) else ():
                found = inspect.getattr_static(value, member)
                if isinstance(found, staticmethod | classmethod):
                    found = found.__func__
                own = getattr(found.fget if isinstance(found, property) else found, "__module__", "")
                if not member.startswith("_") and str(own).startswith("fem_mbd"):
                    yield f"{module.__name__}.{name}.{member}", found, value


PUBLIC = {path: (value, owner) for path, value, owner in _public()}


def documented(text: str) -> set[str]:
    """Names of the entries of Parameters and Attributes."""
    entries = [line for m in SECTION.finditer(text) for line in m["entries"].splitlines() if line[:1] != " "]
    return {name.strip(" *") for entry in entries for name in entry.partition(" :")[0].split(",")}


def signature(value: Any) -> list[str]:
    """Names of the parameters."""
    try:
        given = inspect.signature(value).parameters.items()
    except (ValueError, TypeError):
        return []
    found = [name for name, p in given if name not in ("self", "cls") and name != "unknown"]
    return (
        [] if found in (["args", "kwargs"], ["numbers", "named"]) else found
    )  # a base that checks its input


def missing(path: str) -> list[str]:
    """What the docstring of a public callable lacks."""
    value, owner = PUBLIC[path]
    text = inspect.getdoc(value) or ""
    member = path.rpartition(".")[2]
    if not text and owner is not None:
        text = inspect.getdoc(getattr(owner, member)) or ""
    if not text.strip():
        return ["a docstring"]
    bare = isinstance(value, property) or (inspect.isclass(value) and issubclass(value, BaseException))
    if bare or not callable(value) or member in OF_THE_CORE:
        return []
    # an overriding method may leave them to the base that declares it
    texts = [
        text,
        *(
            inspect.getdoc(vars(base)[member]) or ""
            for base in getattr(owner, "__mro__", ())
            if member in vars(base)
        ),
    ]
    known = set().union(*map(documented, texts))
    return [name for name in signature(value) if name not in known]


def test_all_of_them_are_found() -> None:
    assert len(PUBLIC) > 400
    for path in (
        "fem_mbd.Model.add",
        "fem_mbd.elements.Section.tube",
        "fem_mbd.Equilibrium.of",
        "fem_mbd.joints.Clamp",
    ):
        assert path in PUBLIC


def test_every_parameter_has_an_entry() -> None:
    lacking = {path: names for path in PUBLIC if (names := missing(path))}
    assert not lacking, "\n".join(f"{path}: {', '.join(names)}" for path, names in lacking.items())


def test_the_check_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    def half(mass: float, name: str) -> None:
        """Half.

        Parameters
        ----------
        mass : kg
        """

    monkeypatch.setitem(PUBLIC, "half", (half, None))
    assert missing("half") == ["name"]
