"""Tables of texts with aligned columns, for terminals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


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
