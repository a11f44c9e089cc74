"""Reader of numeric tables in text files: any line ending, Fortran exponents, errors with file and line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.errors import InputError

_EXPONENT = re.compile(r"(?<=[\d.])[dDqQ](?=[+-]?\d)")
_SEPARATOR = re.compile(r"[\s,;]+")


class TextFile:
    """The lines of a file and the current position; lines count from 1 in messages.

    Raises
    ------
    InputError
        For a file that cannot be read or is not text.
    """

    def __init__(self, path: str | Path, what: str):
        self.path = Path(path)
        try:
            raw = self.path.read_bytes()
        except OSError as error:
            raise InputError(f"{what} '{self.path}' cannot be read: {error.strerror or error}") from error
        if b"\0" in raw:
            raise InputError(f"{what} '{self.path}' is not a text file")
        # comments may contain any characters; numbers are ASCII in all likely encodings
        text = raw.decode("latin-1").removeprefix("\xef\xbb\xbf")
        self.lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self.next = 0

    def fail(self, message: str, line: int | None = None) -> NoReturn:
        """InputError that names file and line (index from 0; the last one read when left out)."""
        at = self.next - 1 if line is None else line
        raise InputError(f"{self.path}, line {min(max(at, 0), len(self.lines) - 1) + 1}: {message}")

    def line(self, what: str) -> str:
        """The next line that is not blank."""
        while self.next < len(self.lines):
            self.next += 1
            if self.lines[self.next - 1].strip():
                return self.lines[self.next - 1]
        self.fail(f"the file ends before {what}")

    def skip(self, count: int) -> None:
        """Skip lines, including blank ones: headings of formats with a fixed number of lines."""
        self.next += count

    def find(self, word: str, what: str) -> int:
        """Advance past the next line that contains `word` (any case) and return its index; InputError if none."""
        for k in range(self.next, len(self.lines)):
            if word.lower() in self.lines[k].lower():
                self.next = k + 1
                return k
        raise InputError(f"{self.path}: {what} is missing: no line with '{word}' after line {self.next}")

    def has(self, keyword: str) -> bool:
        """Whether any of the remaining lines contains the keyword as a word."""
        return any(keyword.lower() in map(str.lower, tokens(line)) for line in self.lines[self.next :])

    def value(self, keyword: str) -> str:
        """Text before `keyword` on the next line that contains it as a word after a value."""
        for k in range(self.next, len(self.lines)):
            words = tokens(self.lines[k].split(" - ")[0])
            positions = [i for i, word in enumerate(words) if word.lower() == keyword.lower()]
            if positions and positions[0] > 0:
                self.next = k + 1
                return " ".join(words[: positions[0]])
        raise InputError(f"{self.path}: keyword '{keyword}' is missing after line {self.next}")

    def whole(self, keyword: str, least: int) -> int:
        """Integer before a keyword."""
        text = self.value(keyword)
        number = as_number(text)
        if number is None or not number.is_integer() or number < least:
            self.fail(f"{keyword} is {text!r}: give a whole number from {least}")
        return int(number)

    def numbers(self, count: int, what: str) -> Array:
        """The numbers of the next line that is not blank, exactly `count`."""
        words = tokens(self.line(what))
        if len(words) != count:
            self.fail(f"{what}: {len(words)} entries, {count} are needed")
        return self.convert(words, what)

    def convert(self, words: Sequence[str], what: str) -> Array:
        """Convert words of the last line to numbers."""
        values = np.empty(len(words))
        for i, word in enumerate(words):
            number = as_number(word)
            if number is None:
                self.fail(f"{what}: entry {i + 1} is {word!r}, no number")
            values[i] = number
        if not np.all(np.isfinite(values)):
            self.fail(f"{what}: entry {int(np.argmin(np.isfinite(values))) + 1} is not finite")
        return values

    def at_numbers(self) -> bool:
        """Whether the next line that is not blank starts with a number."""
        for line in self.lines[self.next :]:
            if line.strip():
                return as_number(tokens(line)[0]) is not None
        return False


def tokens(line: str) -> list[str]:
    """Words of a line, separated by blanks, tabs, commas or semicolons."""
    return [word for word in _SEPARATOR.split(line) if word]


def as_number(word: str) -> float | None:
    """A number, also with Fortran's exponents (1.0D+03); None for anything else."""
    if "_" in word:
        return None
    try:
        return float(_EXPONENT.sub("e", word))
    except ValueError:
        return None


def in_any_case(folder: Path, parts: Sequence[str]) -> Path | None:
    """The file at a path below a folder, whatever its upper and lower case; None where there is none.

    Parameters
    ----------
    folder : an existing folder
    parts : names of folders and, last, of the file
    """
    path = folder.joinpath(*parts)
    if path.is_file():
        return path
    path = folder
    for part in parts:
        if part not in (".", "..") and not (path / part).exists():
            try:
                names = sorted(entry.name for entry in path.iterdir())
            except OSError:
                return None
            part = next((name for name in names if name.lower() == part.lower()), part)
        path = path / part
    return path if path.is_file() else None
