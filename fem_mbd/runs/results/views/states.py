"""Sources from which views read their numbers, and results as pandas tables and xarray Datasets.

`States` is the base class of the sources: a history, an instant, an equilibrium. Tables and Datasets (`result_table`,
`result_dataset`) have names, units and coordinates; both libraries are optional.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.model.output import Output, Quantity
from fem_mbd.errors import InputError, MissingDependency
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


class Part(Protocol):
    """Protocol: the part of a part's view needed here."""

    name: str

    @property
    def quantities(self) -> Mapping[str, Quantity]: ...

    @property
    def derived(self) -> Mapping[str, Quantity]: ...

    @property
    def time(self) -> Array: ...

    def value(self, name: str) -> Array: ...


class Recorded(Protocol):
    """Protocol: the part of a history needed here."""

    table: PartTable
    outputs: Any
    times: Array


def part_table(part: Part) -> Any:
    """Table with columns "force Fx [N]" …, one row per time; rows of one part are numbered."""
    pandas = optional_library("pandas", "to_pandas")
    columns = {}
    times = np.atleast_1d(part.time)
    for name, quantity in recorded_quantities(part).items():
        values = np.asarray(part.value(name)).reshape(len(times), -1, quantity.width)
        for row in range(values.shape[1]):
            number = f" {row}" if values.shape[1] > 1 else ""
            for k, component in enumerate(quantity.components or ("",)):
                title = " ".join(word for word in (name + number, component) if word)
                columns[f"{title} [{quantity.unit}]"] = values[:, row, k]
    return pandas.DataFrame(columns, index=pandas.Index(times, name="time [s]"))


def recorded_quantities(part: Part) -> dict[str, Quantity]:
    """The quantities of a part, without those derived from outputs that the run did not record."""
    recorded = {}
    for name, quantity in part.quantities.items():
        try:
            part.value(name)
        except NotRecorded:
            if name in part.derived:
                continue
        recorded[name] = quantity
    return recorded


def part_dataset(part: Part) -> Any:
    """Dataset with variables over time (and rows, and components), with the attributes ``units`` and ``long_name``."""
    xarray = optional_library("xarray", "to_xarray")
    variables = {}
    for name, quantity in recorded_quantities(part).items():
        values = np.asarray(part.value(name))
        last = [f"{name}_component"] if quantity.components else []
        first = ["time"] * part.time.ndim
        rows = [f"{name}_row{k}" for k in range(values.ndim - len(last) - len(first))]
        array = xarray.DataArray(values, dims=[*first, *rows, *last], attrs=_attributes(quantity))
        variables[name] = array.assign_coords({last[0]: list(quantity.components)}) if last else array
    data = xarray.Dataset(variables, attrs={"part": part.name})
    return data.assign_coords(time=("time", part.time, {"units": "s"})) if part.time.ndim else data


def result_table(history: Recorded) -> Any:
    """Table of all outputs, columns "part: component [unit]"."""
    pandas = optional_library("pandas", "to_pandas")
    tables = []
    for name, output in history.table.outputs.items():
        titles = history.table.titles(output)
        if name in history.outputs and titles:
            values = flat_values(history.outputs[name], output)
            tables.append(pandas.DataFrame(values.reshape(len(values), -1), columns=titles))
    index = pandas.Index(history.times, name="time [s]")
    joined = pandas.concat(tables, axis=1) if tables else pandas.DataFrame(index=range(len(index)))
    return joined.set_index(index)


def result_dataset(history: Recorded) -> Any:
    """Dataset with a variable "output.quantity" for each quantity, over time, owner and component."""
    xarray = optional_library("xarray", "to_xarray")
    variables: dict[str, Any] = {}
    coordinates: dict[str, Any] = {"time": ("time", history.times, {"units": "s"})}
    for name, output in history.table.outputs.items():
        owners = [part for part, _ in history.table.owners(output)]
        if name not in history.outputs or not owners:
            continue
        coordinates[output.row] = (output.row, owners, {})
        values = history.outputs[name]
        for q in output.quantities:
            label = q.name if q.name == name else f"{name}.{q.name}"
            last = [f"{label}_component"] if q.components else []
            coordinates |= {dim: (dim, list(q.components), {}) for dim in last}
            variables[label] = (
                ["time", output.row, *last],
                extract_quantity(values, output, q),
                _attributes(q),
            )
    return xarray.Dataset(variables, coords=coordinates, attrs={"model": history.table.model["name"]})


def _attributes(quantity: Quantity) -> dict[str, str]:
    attributes = {"units": quantity.unit, "long_name": quantity.meaning}
    return attributes | ({"axes": quantity.axes} if quantity.axes else {})


def optional_library(name: str, method: str) -> Any:
    """Import an optional library; MissingDependency, which names the method that needs it, when not installed."""
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingDependency(
            f"{method} needs {name}, which is not installed: pip install {name}, or pip install 'fem_mbd[{name}]'"
        ) from error
