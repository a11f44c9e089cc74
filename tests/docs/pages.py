"""What stands in the pages of the documentation: Python snippets, commands, and hidden instructions to the tests.

A Python snippet is a block fenced as ``python``, or an indented block that Python can read. A command is a line of a
block that begins with ``fem-mbd``. HTML comments, which no reader sees, prepare and shorten what is run:

    <!-- run in the tests:              <!-- shorter in the tests:
    write_a_mesh("frame.msh")           end_time=4.0 => end_time=0.1
    -->                                 -->

The first is Python, run at that place of the page. The second replaces texts in the next block; each must be there.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

PARTS = re.compile(
    r"^ *<!-- (?P<hidden>run|shorter) in the tests:\n(?P<note>.*?)^ *-->$"
    r"|^(?P<indent> *)```(?P<language>[^\n]*)\n(?P<fenced>.*?)^(?P=indent)```$"
    r"|^<!--.*?-->$"
    r"|(?P<indented>(?<=\n\n)(?:(?:    [^\n]*)?\n)+)",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """What a page shows, or hides, at one place.

    Attributes
    ----------
    kind : "python", "commands" or "other"
    text : without indentation
    line : of the page on which the text begins
    shortened : whether the tests run something shorter, whose checks need not pass
    """

    kind: str
    text: str
    line: int
    shortened: bool = False

    @property
    def commands(self) -> list[str]:
        """Lines that begin with the command's name."""
        return [line for line in self.text.splitlines() if line.startswith("fem-mbd ")]


def blocks(page: str) -> list[Block]:
    """The blocks of a page in its order, as they are run."""
    return list(_blocks(page))


def _blocks(page: str) -> Iterator[Block]:
    shorter: list[str] = []
    for match in PARTS.finditer(page):
        if match["hidden"] == "shorter":
            shorter = textwrap.dedent(match["note"]).splitlines()
            continue
        name = next((n for n in ("note", "fenced", "indented") if match[n] is not None), None)
        if name is None:
            continue
        text, line = textwrap.dedent(match[name]), 1 + page.count("\n", 0, match.start(name))
        for replacement in shorter:
            old, new = replacement.split(" => ")
            if old not in text:
                raise ValueError(f"line {line}: {old!r} is not in the block that follows")
            text = text.replace(old, new)
        yield Block(_kind(match["language"], match["hidden"], text), text, line, bool(shorter))
        shorter = []


def _kind(language: str | None, hidden: str | None, text: str) -> str:
    if hidden or language in ("python", "{code-cell} python3"):
        return "python"
    if re.search(r"^fem-mbd ", text, re.MULTILINE):
        return "commands"
    return "python" if language is None and _is_python(text) else "other"


def _is_python(text: str) -> bool:
    try:
        return bool(ast.parse(text).body)
    except SyntaxError:
        return False
