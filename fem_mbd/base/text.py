"""File names made from the names of parts and models, and tables of texts with aligned columns for terminals."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

# folder separators, control characters, characters that Windows does not allow
INVALID = re.compile(r"[^\w .,=+()\[\]-]")


def file_name(name: str) -> str:
    """`name` as a file name that is valid on every system: invalid characters become underscores.

    Parameters
    ----------
    name : of a part, a model or a machine, as its author wrote it
    """
    return INVALID.sub("_", name).strip(" ").lstrip(".") or "_"


def file_names(names: Iterable[str]) -> list[str]:
    """Different file names for different names, also where only invalid characters differ (``a/b``, ``a_b``).

    Parameters
    ----------
    names : of parts; different from each other
    """
    taken: list[str] = []
    for name in names:
        base, number = file_name(name), 2
        candidate = base
        # as file systems without case compare
        while candidate.casefold() in (other.casefold() for other in taken):
            candidate, number = f"{base} ({number})", number + 1
        taken.append(candidate)
    return taken


def text_table(rows: Iterable[Sequence[str]], left: bool = False) -> str:
    """Rows of equal length with their columns aligned, two blanks between them.

    Parameters
    ----------
    rows : of texts, a heading among them
    left : align to the left, not to the right
    """
    cells = [list(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    align = str.ljust if left else str.rjust
    lines = ("  ".join(align(c, w) for c, w in zip(row, widths, strict=True)) for row in cells)
    return "\n".join(line.rstrip() for line in lines)
