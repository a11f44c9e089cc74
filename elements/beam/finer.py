"""Refinement of all beams by one polynomial order, to estimate discretisation errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

MAX_NODES = 4  # nodes of an element
_refined: ContextVar[dict[str, tuple[int, int]] | None] = ContextVar("_refined", default=None)


@contextmanager
def finer_beams() -> Iterator[dict[str, tuple[int, int]]]:
    """Within the block beams have one node more in each element, or, with four already, twice as many elements.

    Yields the names of these beams with the number of node intervals per given element, before and after.
    """
    names: dict[str, tuple[int, int]] = {}
    token = _refined.set(names)
    try:
        yield names
    finally:
        _refined.reset(token)


def refined(name: str, order: int, elements: Any) -> tuple[int, Any]:
    """Order and elements of a beam, unchanged outside of `finer_beams`."""
    names = _refined.get()
    if names is None:
        return order, elements
    names[name] = order - 1, order if order < MAX_NODES else 2 * (order - 1)
    if order < MAX_NODES:
        return order + 1, elements
    if np.ndim(elements) == 0:
        return order, 2 * elements
    bounds = np.asarray(elements, dtype=float)
    return order, np.sort(np.concatenate([bounds, 0.5 * (bounds[1:] + bounds[:-1])]))
