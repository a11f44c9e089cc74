"""XML file as a tree of elements with line numbers, and conversion of its units to SI.

Python's expat parser is used directly, because it provides line numbers, which the libraries built on it (defusedxml
among them) do not keep. A document type declaration is an error: without one XML can neither define entities (which
could expand without bound) nor refer to files or addresses, so that parsing is safe.

Length, mass, time and force are independent (Param_Unit). The four need not be consistent: millimetre, kilogram, second
and newton are common. Each quantity is converted by the units of which it is composed, forces by the unit of force.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

from fem_mbd.errors import InputError

MAX_BYTES = 50_000_000
MAX_DEPTH = 50
LENGTHS = {
    "METER": 1.0,
    "CENTIMETER": 1e-2,
    "MILLIMETER": 1e-3,
    "KILOMETER": 1e3,
    "INCH": 0.0254,
    "FOOT": 0.3048,
}
MASSES = {
    "KILOGRAM": 1.0,
    "GRAM": 1e-3,
    "MEGAGRAM": 1e3,
    "POUND_MASS": 0.45359237,
    "SLUG": 14.593902937206364,
}
TIMES = {"SECOND": 1.0, "MILLISECOND": 1e-3, "MINUTE": 60.0, "HOUR": 3600.0}
FORCES = {
    "NEWTON": 1.0,
    "KILONEWTON": 1e3,
    "MILLINEWTON": 1e-3,
    "DYNE": 1e-5,
    "POUND_FORCE": 4.4482216152605,
    "KILOGRAM_FORCE": 9.80665,
}


@dataclass
class Element:
    """One element: its name, line, attributes by name, and children."""

    name: str
    line: int
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)
    file: str = ""

    @property
    def where(self) -> str:
        """Description of the element for messages: file, line, name and id."""
        number = f" id {self.attributes['id']}" if "id" in self.attributes else ""
        return f"{self.file}, line {self.line}: {self.name}{number}"

    def walk(self) -> Iterator[Element]:
        """All elements below this one."""
        for child in self.children:
            yield child
            yield from child.walk()

    def text(self, name: str, default: str | None = None) -> str:
        """An attribute; InputError when it is missing and there is no default."""
        value = self.attributes.get(name, default)
        if value is None:
            raise InputError(f'{self.where} has no {name}: give {name}="…"')
        return value

    def number(self, name: str, default: float | None = None) -> float:
        """An attribute as a finite number."""
        if name not in self.attributes and default is not None:
            return default
        text = self.text(name).strip()
        try:
            value = float(text)
        except ValueError:
            raise InputError(f"{self.where}: {name} is {text!r}: give a number") from None
        if not abs(value) < float("inf"):
            raise InputError(f"{self.where}: {name} is {text}: give a finite number")
        return value

    def choice(self, name: str, known: dict[str, Any], default: str | None = None) -> Any:
        """Value in ``known`` for an attribute, ignoring case."""
        text = self.text(name, default).strip().upper()
        if text not in known:
            raise InputError(f"{self.where}: {name} is {text!r}: known are {', '.join(known)}")
        return known[text]


def parse(path: Path) -> Element:
    """The root element of a file.

    Raises
    ------
    InputError
        When it cannot be read, is not XML, or has a document type declaration.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error
    if len(data) > MAX_BYTES:
        raise InputError(f"{path}: {len(data)} bytes exceed the limit of a model file")
    tree = _Tree(path.name)
    try:
        tree.parser.Parse(data, True)
    except expat.ExpatError as error:
        raise InputError(
            f"{path.name}, line {error.lineno}: this is not well-formed XML ({expat.ErrorString(error.code)})"
        ) from error
    return tree.root


class _Tree:
    """Builds elements from the parser's events."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.root = Element("", 0, {})
        self.open: list[Element] = []
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.StartDoctypeDeclHandler = self._refuse

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        element = Element(name, self.parser.CurrentLineNumber, attributes, file=self.file)
        if len(self.open) >= MAX_DEPTH:
            raise InputError(f"{element.where}: elements are nested more than {MAX_DEPTH} deep")
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def _end(self, name: str) -> None:
        self.open.pop()

    def _refuse(self, *given: object) -> None:
        line = self.parser.CurrentLineNumber
        raise InputError(f"{self.file}, line {line}: a document type declaration is not supported: remove it")


@dataclass(frozen=True)
class Units:
    """SI values of one unit of the file."""

    length: float
    mass: float
    time: float
    force: float

    @classmethod
    def of(cls, element: Element) -> Units:
        """Read the file's Param_Unit."""
        return cls(
            element.choice("length_unit", LENGTHS),
            element.choice("mass_unit", MASSES),
            element.choice("time_unit", TIMES),
            element.choice("force_unit", FORCES),
        )

    @property
    def velocity(self) -> float:
        return self.length / self.time

    @property
    def acceleration(self) -> float:
        return self.length / self.time**2

    @property
    def inertia(self) -> float:
        return self.mass * self.length**2

    @property
    def torque(self) -> float:
        return self.force * self.length
