"""The blocks of code of the documentation's pages, and how the tests prepare and shorten them.

A Python snippet is a block fenced as ``python``, or an indented block that Python can read. A command is a line of a
block that begins with ``fem-mbd``. What the tests need besides is in ``preparations/NAME.toml`` for the page NAME.md:

    finish = "assert …"                         # Python, run after the page's last block
    [[block]]
    begins = "model = fm.Model()"               # how the block's first line begins
    occurrence = 2                              # of the blocks that begin so; 1 where it is left out
    prepare = "write_a_mesh('frame.msh')"       # Python, run before the block
    shorter = [["end_time=4.0", "end_time=0.1"]]    # texts of the block that are replaced
    check = "assert found == approx(1.0)"       # Python, run after the block: numbers of the page and closed forms

Texts and blocks that are no longer in the page are errors.
"""

import ast
import re
import textwrap
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PREPARATIONS = Path(__file__).with_name("preparations")

PARTS = re.compile(
    r"^(?P<indent> *)```(?P<language>[^\n]*)\n(?P<fenced>.*?)^(?P=indent)```$"
    r"|^<!--.*?-->$"
    r"|(?P<indented>(?<=\n\n)(?:(?:    [^\n]*)?\n)+)",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """A block of a page, or what the tests run besides.

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


def preparation_of(page: Path) -> dict[str, Any]:
    """What the tests need besides the page; empty where it needs nothing."""
    file = PREPARATIONS / f"{page.stem}.toml"
    return tomllib.loads(file.read_text("utf-8")) if file.exists() else {}


def blocks(page: Path) -> list[Block]:
    """The blocks of a page in its order, as the tests run them."""
    return run_with(page.read_text("utf-8"), preparation_of(page))


def run_with(text: str, preparation: dict[str, Any]) -> list[Block]:
    """The blocks of a page's text, prepared and shortened.

    Raises
    ------
    ValueError
        When the preparation names a block or a text that is not in the page.
    """
    notes, found, seen = list(preparation.get("block", ())), [], Counter[str]()
    for block in _blocks(text):
        first = next((line for line in block.text.splitlines() if line.strip()), "")
        seen.update({note["begins"] for note in notes if first.startswith(note["begins"])})
        mine = [
            note
            for note in notes
            if first.startswith(note["begins"]) and seen[note["begins"]] == note.get("occurrence", 1)
        ]
        for note in mine:
            notes.remove(note)
            if "prepare" in note:
                found.append(Block("python", note["prepare"], block.line))
        found.append(_shortened(block, [pair for note in mine for pair in note.get("shorter", ())]))
        found += [Block("python", note["check"], block.line) for note in mine if "check" in note]
    if notes:
        raise ValueError(f"no block begins so: {[note['begins'] for note in notes]}")
    if "finish" in preparation:
        found.append(Block("python", preparation["finish"], text.count("\n")))
    return found


def _blocks(page: str) -> Iterator[Block]:
    for match in PARTS.finditer(page):
        name = next((n for n in ("fenced", "indented") if match[n] is not None), None)
        if name is not None:
            text, line = textwrap.dedent(match[name]), 1 + page.count("\n", 0, match.start(name))
            yield Block(_kind(match["language"], text), text, line)


def _shortened(block: Block, replacements: list[list[str]]) -> Block:
    text = block.text
    for old, new in replacements:
        if old not in text:
            raise ValueError(f"line {block.line}: {old!r} is not in the block")
        text = text.replace(old, new)
    return Block(block.kind, text, block.line, bool(replacements))


def _kind(language: str | None, text: str) -> str:
    if language in ("python", "{code-cell} python3"):
        return "python"
    if re.search(r"^fem-mbd ", text, re.MULTILINE):
        return "commands"
    return "python" if language is None and _is_python(text) else "other"


def _is_python(text: str) -> bool:
    try:
        return bool(ast.parse(text).body)
    except SyntaxError:
        return False
