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
    """The lines of a file and the place reached; lines count from 1 in messages.

    Raises
    ------
    InputError
        For a file that cannot be read or holds no text.
    """

    def __init__(self, path: str | Path, what: str):
        self.path = Path(path)
        try:
            raw = self.path.read_bytes()
        except OSError as error:
            raise InputError(f"{what} '{self.path}' cannot be read: {error.strerror or error}") from error
        if b"\0" in raw:
            raise InputError(f"{what} '{self.path}' is not a text file")
        # comments may hold anything; numbers are plain characters in every encoding that is likely here
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
        self.fail(f"the file ends where {what} should stand")

    def skip(self, count: int) -> None:
        """Pass over lines, blank ones included: the headings of the formats that count lines."""
        self.next += count

    def find(self, word: str, what: str) -> int:
        """Go behind the next line that holds `word` (any case); its index. InputError when there is none."""
        for k in range(self.next, len(self.lines)):
            if word.lower() in self.lines[k].lower():
                self.next = k + 1
                return k
        raise InputError(f"{self.path}: {what} is missing: no line with '{word}' after line {self.next}")

    def has(self, keyword: str) -> bool:
        """Whether some line from here on has the keyword as a word of its own."""
        return any(keyword.lower() in map(str.lower, tokens(line)) for line in self.lines[self.next :])

    def value(self, keyword: str) -> str:
        """What stands before `keyword` on the next line that has it as a word of its own behind a value."""
        for k in range(self.next, len(self.lines)):
            words = tokens(self.lines[k].split(" - ")[0])
            places = [i for i, word in enumerate(words) if word.lower() == keyword.lower()]
            if places and places[0] > 0:
                self.next = k + 1
                return " ".join(words[: places[0]])
        raise InputError(f"{self.path}: keyword '{keyword}' is missing after line {self.next}")

    def whole(self, keyword: str, least: int) -> int:
        """The whole number before a keyword."""
        given = self.value(keyword)
        number = as_number(given)
        if number is None or not number.is_integer() or number < least:
            self.fail(f"{keyword} is {given!r}: give a whole number from {least}")
        return int(number)

    def numbers(self, count: int, what: str) -> Array:
        """Exactly `count` numbers of the next line that is not blank."""
        words = tokens(self.line(what))
        if len(words) != count:
            self.fail(f"{what}: {len(words)} entries, {count} are needed")
        return self.convert(words, what)

    def convert(self, words: Sequence[str], what: str) -> Array:
        """Words of the last line as numbers."""
        found = np.empty(len(words))
        for i, word in enumerate(words):
            number = as_number(word)
            if number is None:
                self.fail(f"{what}: entry {i + 1} is {word!r}, no number")
            found[i] = number
        if not np.all(np.isfinite(found)):
            self.fail(f"{what}: entry {int(np.argmin(np.isfinite(found))) + 1} is not finite")
        return found

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
    """A number, with Fortran's exponents (1.0D+03) too; None for anything else."""
    if "_" in word:
        return None
    try:
        return float(_EXPONENT.sub("e", word))
    except ValueError:
        return None
