"""Selection of recorded states for an export, and reading them in blocks, so that no whole history is in memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fem_mbd.base.validation import whole_number
from fem_mbd.runs.results.result import Result

ROWS_AT_ONCE = 64


def chosen_rows(result: Result, every: int) -> list[int]:
    """Rows of the outputs, counted from 0: every ``every``-th, and the last."""
    whole_number(every, "every")
    count = len(result.output_time)
    rows = list(range(every - 1, count, every))
    return rows if not count or rows[-1:] == [count - 1] else [*rows, count - 1]


def blocks(rows: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(rows), ROWS_AT_ONCE):
        yield rows[start : start + ROWS_AT_ONCE]


def read_rows(result: Result, name: str, rows: list[int]) -> np.ndarray:
    """Rows of one output; they are equally spaced except for the last."""
    step = rows[1] - rows[0] if len(rows) > 1 else 1
    regular = rows if len(rows) < 3 or rows[-1] - rows[-2] == step else rows[:-1]
    parts = [result.outputs.read(name, regular[0], regular[-1] + 1, step)]
    if len(regular) < len(rows):
        parts.append(result.outputs.read(name, rows[-1], rows[-1] + 1))
    return np.concatenate(parts)
