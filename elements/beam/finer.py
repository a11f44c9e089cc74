"""Refinement of all beams by one polynomial order, to estimate discretisation errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

MAX_NODES = 4  # nodes of an element
_raised: ContextVar[dict[str, tuple[int, int]] | None] = ContextVar("_raised", default=None)


@contextmanager
def finer_beams() -> Iterator[dict[str, tuple[int, int]]]:
    """Within the block beams have one node more in each element, or, with four already, twice as many elements.

    Gives the names of these beams, with the number of nodes from one end of an element to the other: as given, and as
    it is now.
    """
    names: dict[str, tuple[int, int]] = {}
    token = _raised.set(names)
    try:
        yield names
    finally:
        _raised.reset(token)


def refined(name: str, order: int, elements: Any) -> tuple[int, Any]:
    """Order and elements of a beam: what is given, outside of `finer_beams`."""
    names = _raised.get()
    if names is None:
        return order, elements
    names[name] = order - 1, order if order < MAX_NODES else 2 * (order - 1)
    if order < MAX_NODES:
        return order + 1, elements
    if np.ndim(elements) == 0:
        return order, 2 * elements
    bounds = np.asarray(elements, dtype=float)
    return order, np.sort(np.concatenate([bounds, 0.5 * (bounds[1:] + bounds[:-1])]))
