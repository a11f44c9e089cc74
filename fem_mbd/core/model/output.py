"""Descriptions of recorded quantities: names, units, meanings, components, axes of the outputs of element classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

XYZ = ("x", "y", "z")


@dataclass(frozen=True)
class Quantity:
    """One quantity of an output.

    Attributes
    ----------
    name : the field's name, a Python identifier: ``result.of(part).name``
    unit : SI, "1" for pure numbers
    meaning : one line
    components : a title for each number; empty for a scalar
    axes : axes of the components ("global", "node", "section", "K", "L"), empty for scalars
    within : interpolation within a step: "linear" between the recorded ends, "mean" of the step (constant), or "scheme"
        (by the polynomials of the scheme, nodes only)
    field : its name in a record (contacts), by default that of the quantity
    start : the field with its value at the start of the step, where that differs from the value at the end of the step
        before
    """

    name: str
    unit: str
    meaning: str
    components: tuple[str, ...] = ()
    axes: str = ""
    within: str = "linear"
    field: str = ""
    start: str = ""

    @property
    def width(self) -> int:
        """Number of components."""
        return max(len(self.components), 1)

    @property
    def titles(self) -> list[str]:
        """A title with unit for each number."""
        return [f"{title} [{self.unit}]" for title in self.components or (self.name,)]


@dataclass(frozen=True)
class Output:
    """One recorded array, (rows, numbers) at an instant; its quantities are consecutive columns.

    Attributes
    ----------
    name : of the array in the results, ``result.outputs[name]``
    row : name of the dimension of its rows ("node", "joint", "gauss_point" …)
    quantities : in the order of the columns
    many : a part has several rows, which have an axis of their own in results
    along : the rows of a part are values at the positions ``gauss_at`` on its line, and are drawn and exported there
    """

    name: str
    row: str
    quantities: tuple[Quantity, ...]
    many: bool = False
    along: bool = False

    def __hash__(self) -> int:
        return hash((self.name, self.row))  # equal outputs have equal names; a hash of all fields takes 10 us

    @property
    def titles(self) -> list[str]:
        """A title with unit for each number of a row."""
        return [title for quantity in self.quantities for title in quantity.titles]

    def columns(self, quantity: Quantity) -> slice:
        """Columns of a quantity."""
        first = 0
        for other in self.quantities:
            if other is quantity:
                break
            first += other.width
        return slice(first, first + quantity.width)


def describe_outputs(outputs: Iterable[Output]) -> dict[str, Any]:
    """Descriptions of outputs as plain data, by name, for the result file."""
    return {output.name: _described(output) for output in outputs}


@cache
def _described(output: Output) -> dict[str, Any]:
    return asdict(output)


def outputs_from(description: Mapping[str, Any]) -> dict[str, Output]:
    """The outputs from the data of `describe_outputs`."""
    return {name: _output(data) for name, data in description.items()}


def _output(data: Mapping[str, Any]) -> Output:
    quantities = tuple(
        Quantity(**{**quantity, "components": tuple(quantity["components"])})
        for quantity in data["quantities"]
    )
    return Output(**{**data, "quantities": quantities})
