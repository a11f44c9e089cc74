"""XML parser that records line numbers: an XML file as a tree of elements.

Python's expat parser is used directly, because it provides line numbers, which the libraries built on it (defusedxml
among them) do not keep. A document type declaration is an error: without one XML can neither define entities (which
could expand without bound) nor refer to files or addresses, so that parsing is safe.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

from fem_mbd.errors import InputError

MOST_BYTES = 50_000_000
MOST_DEPTH = 50


@dataclass
class Element:
    """One element: its name, line, attributes by name, and children."""

    name: str
    line: int
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)
    file: str = ""

    @property
    def what(self) -> str:
        """Description of the element for messages: file, line, name and id."""
        own = f" id {self.attributes['id']}" if "id" in self.attributes else ""
        return f"{self.file}, line {self.line}: {self.name}{own}"

    def walk(self) -> Iterator[Element]:
        """All elements below this one."""
        for child in self.children:
            yield child
            yield from child.walk()

    def text(self, name: str, default: str | None = None) -> str:
        """An attribute; InputError when it is missing and there is no default."""
        found = self.attributes.get(name, default)
        if found is None:
            raise InputError(f'{self.what} has no {name}: give {name}="…"')
        return found

    def number(self, name: str, default: float | None = None) -> float:
        """An attribute as a finite number."""
        if name not in self.attributes and default is not None:
            return default
        text = self.text(name).strip()
        try:
            value = float(text)
        except ValueError:
            raise InputError(f"{self.what}: {name} is {text!r}: give a number") from None
        if not abs(value) < float("inf"):
            raise InputError(f"{self.what}: {name} is {text}: give a finite number")
        return value

    def choice(self, name: str, known: dict[str, Any], default: str | None = None) -> Any:
        """Value in ``known`` for an attribute, ignoring case."""
        text = self.text(name, default).strip().upper()
        if text not in known:
            raise InputError(f"{self.what}: {name} is {text!r}: known are {', '.join(known)}")
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
    if len(data) > MOST_BYTES:
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
        if len(self.open) >= MOST_DEPTH:
            raise InputError(f"{element.what}: elements are nested more than {MOST_DEPTH} deep")
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
