"""Input files of OpenFAST: values before keywords, in any order, tables and lists behind headings."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.elements.blades.text import TextFile, as_number, in_any_case, tokens
from fem_mbd.errors import InputError

COMMENT = ("!", "#", "%")  # begin of a line that is skipped in tables and among values
FLAGS = {
    "true": True,
    "t": True,
    ".true.": True,
    ".t.": True,
    "false": False,
    "f": False,
    ".false.": False,
    ".f.": False,
}


def _normal(path: Path) -> Path:
    """An absolute path without `..`."""
    return Path(os.path.abspath(path))


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
        """The entry below a heading; that at ``place`` where the file has no such heading."""
        found = self.named.get(name.lower())
        if found is None and place is not None and place < len(self.words):
            found = self.words[place]
        if found is None:
            self.text.fail(f"there is no entry '{name}'", self.line)
        return found

    def number(self, name: str, place: int | None = None, least: float = -np.inf) -> float:
        """The number below a heading; InputError naming file and line when there is none, or one below ``least``."""
        given = self.word(name, place)
        number = as_number(given)
        if number is None or not np.isfinite(number) or number < least:
            bound = "" if least == -np.inf else f" from {least:g}"
            self.text.fail(f"{name} is {given!r}: give a number{bound}", self.line)
        return number

    def fail(self, message: str) -> NoReturn:
        """InputError with the file and the line."""
        self.text.fail(message, self.line)


class Deck:
    """A file of OpenFAST.

    Parameters
    ----------
    path : of the file
    what : it is, for messages
    root : folder that holds all files of the machine; when left out the folder around the file's own, since
        published machines keep what several of them share in a folder beside their own

    Raises
    ------
    InputError
        For a file that cannot be read.
    """

    def __init__(self, path: str | Path, what: str, root: Path | None = None):
        self.text = TextFile(path, what)
        self.path = self.text.path
        self.root = _normal(self.path).parent.parent if root is None else root

    def has(self, keyword: str) -> bool:
        """Whether a value stands before the keyword on some line."""
        return self._find(keyword) is not None

    def value(self, *keywords: str) -> str:
        """What stands before the first of these keywords that the file has, without quotes."""
        found = next((place for place in map(self._find, keywords) if place), None)
        if found is None:
            raise InputError(f"{self.path}: keyword '{keywords[0]}' is missing")
        self.text.next, words = found
        return " ".join(words).strip("\"'")

    def _find(self, keyword: str, start: int = 0) -> tuple[int, list[str]] | None:
        """Number of the line (from 1) and the words before the keyword, from line ``start`` (from 0) on."""
        wanted = keyword.lower()
        for number, line in enumerate(self.text.lines[start:], start=start + 1):
            words = tokens(line.split(" - ")[0])
            small = [word.lower() for word in words]
            if not line.startswith(("---", *COMMENT)) and wanted in small[1:]:
                return number, words[: small.index(wanted, 1)]
        return None

    def _row(self, what: str) -> str:
        """The next line that is neither blank nor a comment."""
        line = self.text.line(what)
        while line.lstrip().startswith(COMMENT):
            line = self.text.line(what)
        return line

    def number(self, *keywords: str, least: float = -np.inf) -> float:
        """The number before a keyword; InputError naming file and line when there is none, or one below ``least``."""
        given = self.value(*keywords)
        number = as_number(given)
        if number is None or not np.isfinite(number) or number < least:
            bound = "" if least == -np.inf else f" from {least:g}"
            self.text.fail(f"{keywords[0]} is {given!r}: give a number{bound}")
        return number

    def given(self, *keywords: str) -> float:
        """The number before a keyword, zero where there is none."""
        return self.number(*keywords) if any(map(self.has, keywords)) else 0.0

    def flag(self, keyword: str, otherwise: bool | None = None) -> bool:
        """The flag before a keyword; ``otherwise``, if given, where the file has no such keyword."""
        if otherwise is not None and not self.has(keyword):
            return otherwise
        given = self.value(keyword).lower()
        if given not in FLAGS:
            self.text.fail(f"{keyword} is {given!r}: give True or False")
        return FLAGS[given]

    def file(self, *keywords: str) -> Path:
        """The file that a value names, from this file's folder; InputError for one outside of the machine's."""
        value = self.value(*keywords)
        return self.inside(value, keywords[0], self.text.next - 1)

    def inside(self, name: str, what: str, line: int) -> Path:
        """The file of that name, from this file's folder; InputError for one outside of the machine's.

        Parameters
        ----------
        name : as the file has it
        what : names it, for messages
        line : on which it does, from 0
        """
        given = Path(name.replace("\\", "/"))
        path = self.path.parent / given
        if not _normal(path).is_relative_to(self.root):
            self.text.fail(
                f"{what} names a file outside of {self.root}, the folder around that of the main file; "
                "files from elsewhere are not read: copy it there",
                line,
            )
        return path if given.is_absolute() else in_any_case(self.path.parent, given.parts) or path

    def deck(self, what: str, *keywords: str) -> Deck:
        """The file of OpenFAST that a value names."""
        return Deck(self.file(*keywords), what, self.root)

    def table(self, columns: tuple[str, ...], count: int, first: str) -> dict[str, Array]:
        """Columns (count,) of the table whose heading has all of ``columns``.

        Parameters
        ----------
        columns : names that are needed
        count : rows; a single one stands for the whole length
        first : name of the first column, which runs from 0 to 1
        """
        self.text.next = 0
        self.text.find(first, f"the heading of the table with {first}")
        known = {name.lower(): name for name in (first, *columns)}
        heading = [known.get(word.lower(), word) for word in tokens(self.text.lines[self.text.next - 1])]
        for name in columns:
            if name not in heading:
                self.text.fail(f"the table has no column '{name}'")
        self._row("the units of the table")
        rows = np.array([self._numbers(len(heading), f"row {k + 1} of {count}") for k in range(count)])
        if count == 1:
            rows = np.vstack([rows, rows])
            rows[:, heading.index(first)] = 0.0, 1.0
        found = dict(zip(heading, rows.T, strict=True))
        at = found[first]
        if at[0] != 0.0 or at[-1] != 1.0 or np.any(np.diff(at) <= 0.0):
            self.text.fail(f"column '{first}' has to ascend from 0 to 1")
        return found

    def _numbers(self, count: int, what: str) -> Array:
        """The numbers (count,) of the next line that is no comment."""
        self._row(what)
        self.text.next -= 1
        return self.text.numbers(count, what)

    def records(self, count: str, least: int = 0, after: str = "") -> list[Record]:
        """The rows of a list whose number stands before ``count``, over two lines of headings.

        Parameters
        ----------
        count : the keyword
        least : entries that a row has to have
        after : a line before which the list cannot stand has this word; files have several lists of members, say
        """
        start = 0
        if after:
            self.text.next = 0
            start = self.text.find(after, f"the section '{after}'")
        found = self._find(count, start)
        if found is None:
            raise InputError(f"{self.path}: keyword '{count}' is missing")
        self.text.next, words = found
        number = as_number(" ".join(words))
        if number is None or not float(number).is_integer() or not 0 <= number <= len(self.text.lines):
            self.text.fail(f"{count} is {' '.join(words)!r}: give the number of rows of its list")
        heading = [word.strip("!()[]").lower() for word in tokens(self.text.line(f"the heading of {count}"))]
        self._row(f"the units of {count}")
        rows = []
        for k in range(int(number)):
            words = tokens(self._row(f"row {k + 1} of {int(number)} of {count}"))
            if len(words) < least:
                self.text.fail(f"row {k + 1} of {count} has {len(words)} entries, {least} are needed")
            rows.append(Record(self.text, self.text.next - 1, dict(zip(heading, words, strict=False)), words))
        return rows

    def fail(self, message: str) -> NoReturn:
        """InputError with the file and the line last read."""
        self.text.fail(message)
