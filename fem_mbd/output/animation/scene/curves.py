"""Histories plotted in the page below the animation, thinned so that no peak is lost."""

from __future__ import annotations

from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.base.suggestions import nearest
from fem_mbd.core.scheme.ledger_names import ENERGIES
from fem_mbd.errors import InputError
from fem_mbd.output.animation.scene.packing import packed
from fem_mbd.runs.results.result import Result

BINS = 700  # intervals of time; each keeps its smallest and its largest value
MOST_CURVES = 24


def curves(result: Result, wanted: list[str] | None) -> list[dict[str, Any]]:
    """Plots by title, each with one line or several over time.

    Parameters
    ----------
    wanted : ``"PART.QUANTITY"``, e.g. ``"Q.normal_force"``: vectors by their components; by default energies, contact
        forces and magnitudes of reactions

    Raises
    ------
    InputError
        For an unknown part or quantity.
    """
    if wanted is not None:
        return [_requested(result, one) for one in wanted]
    found = [_energies(result)]
    parts = result.model["parts"]
    if "contact" in result.outputs:
        names = [part["name"] for part in parts.get("contact", [])]
        found += [_requested(result, f"{name}.normal_force") for name in names]
    if "reaction" in result.outputs:
        found += [_requested(result, f"{part['name']}.force") for part in parts.get("joint", [])]
    return found[:MOST_CURVES]


def _energies(result: Result) -> dict[str, Any]:
    stored = {name: result.energy[name] for name in ENERGIES}
    lines = {"total": np.asarray(sum(stored.values())), **stored}
    present = {name: values for name, values in lines.items() if np.any(values)}
    return _plot("energy", "J", result.time, present)


def _requested(result: Result, text: str) -> dict[str, Any]:
    name, dot, quantity = text.rpartition(".")
    if not dot:
        raise InputError(f"plot {text!r}: give PART.QUANTITY, e.g. joint.force")
    part = result.of(name)
    if quantity not in part.quantities:
        raise InputError(f"plot {text!r}: {name!r} has no {quantity!r}; {nearest(quantity, part.quantities)}")
    values, about = getattr(part, quantity), part.quantities[quantity]
    columns = about.components or (quantity,)
    flat = values.reshape(len(values), int(np.prod(values.shape[1:])))
    if flat.shape[1] != len(columns):
        columns = tuple(f"{k // len(columns)} {columns[k % len(columns)]}" for k in range(flat.shape[1]))
    return _plot(text, about.unit, part.time, dict(zip(columns, flat.T, strict=True)))


def _plot(title: str, unit: str, time: Array, lines: dict[str, Array]) -> dict[str, Any]:
    thinned = []
    for label, values in lines.items():
        t, y = thin(time, values)
        thinned.append({"label": label, "time": packed(t), "values": packed(y)})
    return {"title": title, "unit": unit, "lines": thinned}


def thin(time: Array, values: Array) -> tuple[Array, Array]:
    """The smallest and the largest value of every interval of time, in order; all values where there are few."""
    if len(time) <= 2 * BINS:
        return time, values
    edges = np.linspace(time[0], time[-1], BINS + 1)
    starts = np.unique(np.searchsorted(time, edges[:-1]))
    keep = [0, len(time) - 1]
    for first, last in zip(starts, [*starts[1:], len(time)], strict=True):
        piece = values[first:last]
        keep += [first + int(piece.argmin()), first + int(piece.argmax())]
    rows = np.unique(keep)
    return time[rows], values[rows]
