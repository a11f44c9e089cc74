"""Base class of the sources from which views read their numbers: a history, an instant, an equilibrium."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.model.output import Output, Quantity
from fem_mbd.errors import InputError
from fem_mbd.runs.results.views.part_table import PartTable


class States:
    """One state or many; in a history the first axis of all values is the time.

    Attributes
    ----------
    table : the model's parts
    times : (k,) s for a history, () for one instant
    driven : rad, angles of driven joints by name, with their turns, of one instant
    """

    table: PartTable
    times: Array
    driven: Mapping[str, float] = MappingProxyType({})

    def values(self, output: Output, quantity: Quantity, rows: Indices) -> Array:
        """(…, rows, numbers) of a quantity, without the last axis when it is a scalar.

        Raises
        ------
        InputError
            When it was not recorded.
        """
        raise NotImplementedError

    def recorded_states(self) -> tuple[States, Indices] | None:
        """Of states at given times: all recorded ones, and the index of the next of them for each time.

        -1 before the first step. None where these are the recorded states themselves, or there is no history.
        """
        return None

    def at(self, time: ArrayLike) -> States:
        """The states at other times, also between the steps."""
        raise InputError("this is a single state: at() is for the results of a run")


def extract_quantity(values: Any, output: Output, quantity: Quantity) -> Array:
    """Extract a quantity from rows (…, rows, numbers) or records (…, rows)."""
    if values.dtype.names:
        return values[quantity.field or quantity.name]
    columns = values[..., output.columns(quantity)]
    return columns if quantity.components else columns[..., 0]


def flat_values(values: Any, output: Output) -> Array:
    """(m, rows, numbers) of an output's rows (m, rows, …); records are split into their quantities."""
    if not values.dtype.names:
        return np.asarray(values)
    fields = [extract_quantity(values, output, q).reshape(*values.shape, -1) for q in output.quantities]
    return np.concatenate(fields, axis=2)


class NotRecorded(InputError):
    """An output was requested that the run did not record."""


def not_recorded(name: str, recorded: object) -> NotRecorded:
    """The error for an output that the run did not record."""
    names = ", ".join(map(str, recorded)) if isinstance(recorded, tuple) and recorded else "none"
    return NotRecorded(
        f"'{name}' was not recorded (recorded outputs: {names}): run again with {name!r} among the "
        "quantities, or without selecting any, which records them all"
    )
