"""Where the views of parts take their numbers from: a history, an instant, an equilibrium."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.model.output import Output, Quantity
from fem_mbd.errors import InputError
from fem_mbd.runs.results.views.part_table import PartTable


class States:
    """One state or many; the values of a history have the time as their first axis.

    Attributes
    ----------
    table : the model's parts
    times : (k,) s for a history, () for one instant
    """

    table: PartTable
    times: Array

    def values(self, output: Output, quantity: Quantity, rows: Indices) -> Array:
        """(…, rows, numbers) of a quantity, without the last axis when it is a scalar.

        Raises
        ------
        InputError
            When it was not recorded; the message says how to record it.
        """
        raise NotImplementedError

    def at(self, time: ArrayLike) -> States:
        """The states at other times, between the steps."""
        raise InputError("there is one state only: at() is for the results of a run")


def taken(values: Any, output: Output, quantity: Quantity) -> Array:
    """A quantity of rows (…, rows, numbers) or of records (…, rows)."""
    if values.dtype.names:
        return values[quantity.field or quantity.name]
    columns = values[..., output.columns(quantity)]
    return columns if quantity.components else columns[..., 0]


class NotRecorded(InputError):
    """An output that a run left out was asked for."""


def not_recorded(name: str, recorded: object) -> NotRecorded:
    """The error for an output that a run left out."""
    kept = ", ".join(map(str, recorded)) if isinstance(recorded, tuple) and recorded else "none"
    return NotRecorded(
        f"'{name}' was not recorded (outputs on record: {kept}): run again with {name!r} among the quantities, "
        "or without choosing any, which records them all"
    )
