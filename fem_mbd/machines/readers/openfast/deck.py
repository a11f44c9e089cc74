"""Class `Deck`: access to an OpenFAST input file: values before keywords, tables and lists below headings."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.elements.blades.text import TextFile, as_number, in_any_case, tokens
from fem_mbd.errors import InputError

COMMENT = ("!", "#", "%")  # first characters of comment lines
# value, keyword and the hyphen before the description, or the end of a line without one
VALUE = re.compile(r"\s*(\S+)\s+([A-Za-z]\w*(?:\(\w+\))?)(?:\s+-|\s*$)")
FLAGS = dict.fromkeys(("true", "t", ".true.", ".t."), True) | dict.fromkeys(
    ("false", "f", ".false.", ".f."), False
)


def _is_value(word: str) -> bool:
    return as_number(word) is not None or word.lower() in FLAGS


def _absolute(path: Path) -> Path:
    """An absolute path without `..`."""
    return Path(os.path.abspath(path))


def _number(text: TextFile, name: str, word: str, least: float, line: int | None = None) -> float:
    """The number in a word; InputError naming file and line when there is none, or one below ``least``."""
    number = as_number(word)
    if number is None or not np.isfinite(number) or number < least:
        bound = "" if least == -np.inf else f" from {least:g}"
        text.fail(f"{name} is {word!r}: give a number{bound}", line)
    return number


@dataclass(frozen=True)
class Record:
    """A row of a list.

    Attributes
    ----------
    text, line : the file, and the row's line in it (from 0)
    named : entries by the words of the heading, in small letters
    words : all entries
    """

    text: TextFile
    line: int
    named: dict[str, str]
    words: list[str]

    def word(self, name: str, place: int | None = None) -> str:
        """The entry below a heading, or at index ``place`` where the file has no such heading."""
        entry = self.named.get(name.lower())
        if entry is None and place is not None and place < len(self.words):
            entry = self.words[place]
        if entry is None:
            self.text.fail(f"there is no entry '{name}'", self.line)
        return entry

    def number(self, name: str, place: int | None = None, least: float = -np.inf) -> float:
        """The number below a heading; InputError naming file and line when there is none, or one below ``least``."""
        return _number(self.text, name, self.word(name, place), least, self.line)

    def fail(self, message: str) -> NoReturn:
        """InputError with the file and the line."""
        self.text.fail(message, self.line)


class Deck:
    """A file of OpenFAST.

    Parameters
    ----------
    path : of the file
    what : kind of file, for messages
    root : folder with all files of the machine; by default two above the file's folder, as for HAWC2's files, since
        published machines share files in folders beside their own
    opened : decks of the machine, to which this one is added

    Raises
    ------
    InputError
        For a file that cannot be read.
    """

    def __init__(
        self, path: str | Path, what: str, root: Path | None = None, opened: list[Deck] | None = None
    ):
        self.text = TextFile(path, what)
        self.path = self.text.path
        self.root = _absolute(self.path).parent.parent.parent if root is None else root
        self.opened = [] if opened is None else opened
        self.opened.append(self)
        self._looked_up: set[int] = set()

    def not_read(self) -> list[str]:
        """The numbers and flags of this deck and all opened from it that nobody looked up, a line for each file."""
        unread: dict[Path, list[str]] = {}
        looked_up: dict[Path, set[int]] = {}
        for deck in self.opened:
            looked_up.setdefault(deck.path, set()).update(deck._looked_up)
        for deck in self.opened:
            words = [
                match.group(2)
                for number, line in enumerate(deck.text.lines, start=1)
                if number not in looked_up[deck.path]
                and (match := VALUE.match(line))
                and _is_value(match.group(1))
            ]
            unread[deck.path] = list(dict.fromkeys(words))
        return [f"{path.name}: not read: {', '.join(words)}" for path, words in unread.items() if words]

    def has(self, keyword: str) -> bool:
        """Whether the file has a value with this keyword."""
        return self._find(keyword) is not None

    def value(self, *keywords: str) -> str:
        """The value of the first of these keywords that the file has, without quotes."""
        entry = next((match for match in map(self._find, keywords) if match), None)
        if entry is None:
            raise InputError(f"{self.path}: keyword '{keywords[0]}' is missing")
        self.text.next, words = entry
        return " ".join(words).strip("\"'")

    def _find(self, keyword: str, start: int = 0) -> tuple[int, list[str]] | None:
        """Number of the line (from 1) and the words before the keyword, from line ``start`` (from 0) on."""
        target = keyword.lower()
        for number, line in enumerate(self.text.lines[start:], start=start + 1):
            words = tokens(line.split(" - ")[0])
            lower = [word.lower() for word in words]
            if not line.startswith(("---", *COMMENT)) and target in lower[1:]:
                self._looked_up.add(number)
                return number, words[: lower.index(target, 1)]
        return None

    def row(self, what: str) -> str:
        """The next line that is neither blank nor a comment."""
        line = self.text.line(what)
        while line.lstrip().startswith(COMMENT):
            line = self.text.line(what)
        return line

    def number(self, *keywords: str, least: float = -np.inf) -> float:
        """The number with a keyword; InputError naming file and line when there is none, or one below ``least``."""
        return _number(self.text, keywords[0], self.value(*keywords), least)

    def optional_number(self, *keywords: str) -> float:
        """The number with a keyword, zero where the file has none."""
        return self.number(*keywords) if any(map(self.has, keywords)) else 0.0

    def flag(self, keyword: str, otherwise: bool | None = None) -> bool:
        """The flag with a keyword; ``otherwise``, if given, where the file has no such keyword."""
        if otherwise is not None and not self.has(keyword):
            return otherwise
        value = self.value(keyword).lower()
        if value not in FLAGS:
            self.text.fail(f"{keyword} is {value!r}: give True or False")
        return FLAGS[value]

    def file(self, *keywords: str) -> Path:
        """Path of the file named by a value, relative to this file; InputError for one outside the machine's folder."""
        value = self.value(*keywords)
        return self.inside(value, keywords[0], self.text.next - 1)

    def inside(self, name: str, what: str, line: int) -> Path:
        """Path of a file of that name, relative to this file; InputError for one outside the machine's folder.

        Parameters
        ----------
        name : as written in this file
        what : the keyword, for messages
        line : of the name, from 0
        """
        value = Path(name.replace("\\", "/"))
        path = self.path.parent / value
        if not _absolute(path).is_relative_to(self.root):
            self.text.fail(
                f"{what} names a file outside of {self.root}, two folders above that of the main file; "
                "files from elsewhere are not read: copy it there",
                line,
            )
        return path if value.is_absolute() else in_any_case(self.path.parent, value.parts) or path

    def deck(self, what: str, *keywords: str) -> Deck:
        """Open the OpenFAST file named by a value."""
        return Deck(self.file(*keywords), what, self.root, self.opened)

    def table(self, columns: tuple[str, ...], count: int, first: str) -> dict[str, Array]:
        """Columns (count,) of the table with the column ``first``.

        Parameters
        ----------
        columns : names of required columns
        count : rows; a single one applies to the whole length
        first : name of the first column, which ascends from 0 to 1
        """
        self.text.next = 0
        self.text.find(first, f"the heading of the table with {first}")
        known = {name.lower(): name for name in (first, *columns)}
        heading = [known.get(word.lower(), word) for word in tokens(self.text.lines[self.text.next - 1])]
        for name in columns:
            if name not in heading:
                self.text.fail(f"the table has no column '{name}'")
        self.row("the units of the table")
        rows = np.array([self._numbers(len(heading), f"row {k + 1} of {count}") for k in range(count)])
        if count == 1:
            rows = np.vstack([rows, rows])
            rows[:, heading.index(first)] = 0.0, 1.0
        table = dict(zip(heading, rows.T, strict=True))
        fractions = table[first]
        if fractions[0] != 0.0 or fractions[-1] != 1.0 or np.any(np.diff(fractions) <= 0.0):
            self.text.fail(f"column '{first}' has to ascend from 0 to 1")
        return table

    def _numbers(self, count: int, what: str) -> Array:
        """The numbers (count,) of the next line that is not a comment."""
        self.row(what)
        self.text.next -= 1
        return self.text.numbers(count, what)

    def records(self, count: str, least: int = 0, after: str = "") -> list[Record]:
        """The rows of a list whose length has the keyword ``count``, followed by two heading lines.

        Parameters
        ----------
        count : the keyword
        least : smallest number of entries of a row
        after : title of the section that precedes the list, where keywords are not unique
        """
        start = 0
        if after:
            self.text.next = 0
            start = self.text.find(after, f"the section '{after}'")
        match = self._find(count, start)
        if match is None:
            raise InputError(f"{self.path}: keyword '{count}' is missing")
        self.text.next, words = match
        number = as_number(" ".join(words))
        if number is None or not float(number).is_integer() or not 0 <= number <= len(self.text.lines):
            self.text.fail(f"{count} is {' '.join(words)!r}: give the number of rows of its list")
        heading = [word.strip("!()[]").lower() for word in tokens(self.row(f"the heading of {count}"))]
        self.row(f"the units of {count}")
        rows = []
        for k in range(int(number)):
            words = tokens(self.row(f"row {k + 1} of {int(number)} of {count}"))
            if len(words) < least:
                self.text.fail(f"row {k + 1} of {count} has {len(words)} entries, {least} are needed")
            rows.append(Record(self.text, self.text.next - 1, dict(zip(heading, words, strict=False)), words))
        return rows

    def fail(self, message: str) -> NoReturn:
        """InputError with the file and the line last read."""
        self.text.fail(message)
