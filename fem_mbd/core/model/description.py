"""Summary of a model as text for `print(model)` and as HTML for notebooks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.inertia import Inertias
from fem_mbd.core.model.node import Node

_LISTED = 20  # names per kind of part


class Described(Protocol):
    """The attributes of `Model` that the summary uses."""

    name: str
    gravity: Array
    nodes: list[Node]
    added: list[tuple[str, str]]
    fixed: dict[int, set[int]]
    velocities: dict[int, Any]
    inertia: Inertias


def rows(model: Described) -> list[tuple[str, str]]:
    """Rows of the summary: title and text."""
    held = sum(len(components) == 6 for components in model.fixed.values()) - 1  # without the ground
    mass = float(model.inertia.masses.sum())
    table = [
        ("gravity", f"{np.array2string(model.gravity, separator=', ')} m/s^2"),
        ("mass", f"{mass:.6g} kg"),
        ("nodes", f"{len(model.nodes) - 1}, {held} of them held, and the ground"),
    ]
    for kind, count in Counter(kind for kind, _ in model.added).items():
        names = [name for other, name in model.added if other == kind]
        table.append((kind, f"{count}: {_listed(names)}"))
    if model.velocities:
        table.append(("initial velocity", f"of {len(model.velocities)} nodes"))
    return table


def as_text(model: Described) -> str:
    """The summary as text, one line per row."""
    table = rows(model)
    width = max(len(title) for title, _ in table)
    return "\n".join([f"Model '{model.name}'", *(f"  {title.ljust(width)}  {text}" for title, text in table)])


def as_html(model: Described) -> str:
    """The summary as an HTML table."""
    from html import escape  # not at the top: its table of entities is needed in notebooks only

    lines = "".join(f"<tr><th>{escape(key)}</th><td>{escape(text)}</td></tr>" for key, text in rows(model))
    return f"<table><caption>Model '{escape(model.name)}'</caption>{lines}</table>"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more
