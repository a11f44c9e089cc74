"""Lines of names in the walks through the code: `python -m tools.line_references` sets them, `--check` compares them.

A reference in a page is `` `Name` (`folder/file.py:12`) ``; a method is `Class.method`. The line is that of its
definition.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("a-step", "a-beam-element", "a-clearance-contact")
REFERENCE = re.compile(r"`(?P<name>[\w.]+)` \(`(?P<file>[\w/]+\.py):(?P<line>\d+)`\)")


def definitions(file: Path) -> dict[str, int]:
    """Lines of the functions, classes and methods (`Class.method`) that a file defines."""
    found: dict[str, int] = {}
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = node.lineno
        if isinstance(node, ast.ClassDef):
            methods = (one for one in node.body if isinstance(one, ast.FunctionDef))
            found |= {f"{node.name}.{method.name}": method.lineno for method in methods}
    return found


def source(name: str) -> Path:
    """File of a reference: relative to the package, or to the root for its four sub-packages."""
    inside = ROOT / "fem_mbd" / name
    return inside if inside.is_file() else ROOT / name


def mended(text: str) -> str:
    """The page with the lines of today.

    Raises
    ------
    KeyError
        For a name that its file does not define.
    """

    def line(match: re.Match[str]) -> str:
        number = definitions(source(match["file"]))[match["name"]]
        return f"`{match['name']}` (`{match['file']}:{number}`)"

    return REFERENCE.sub(line, text)


def pages() -> Iterator[Path]:
    """The walks through the code."""
    return (ROOT / "docs" / "explanation" / f"{page}.md" for page in PAGES)


def main() -> int:
    """Set the lines; with `--check`, only name the pages whose lines are not those of today."""
    stale = [page for page in pages() if mended(page.read_text()) != page.read_text()]
    for page in stale:
        if "--check" not in sys.argv[1:]:
            page.write_text(mended(page.read_text()))
        sys.stdout.write(f"{page.relative_to(ROOT)}\n")
    return int(bool(stale) and "--check" in sys.argv[1:])


if __name__ == "__main__":
    raise SystemExit(main())
