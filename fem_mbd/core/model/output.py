"""What a kind of part says of the quantities that it records: names, units, meanings, axes, counting of rows."""

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
    axes : axes that the components refer to ("global", "node", "section", "K", "L"), empty for scalars
    within : how it goes within a step: "linear" between the recorded ends, "mean" of the step (constant), or "scheme"
        (by the polynomials of the scheme, nodes only)
    field : its name in a record (contacts), that of the quantity when left out
    start : the field that holds its value at the start of the step, where the value at the end before is another
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
        """How many numbers it has."""
        return max(len(self.components), 1)

    @property
    def titles(self) -> list[str]:
        """A title with unit for each number."""
        return [f"{title} [{self.unit}]" for title in self.components or (self.name,)]


@dataclass(frozen=True)
class Output:
    """One recorded array, (rows, numbers) at an instant; its quantities stand side by side in a row.

    Attributes
    ----------
    name : under which it is recorded, ``result.outputs[name]``
    row : name of the dimension of its rows ("node", "joint", "gauss_point" …)
    quantities : in the order of the numbers
    many : a part has several rows, which keep an axis of their own
    along : the rows of a part are values at the places ``gauss_at`` of its line, and are drawn and exported on it
    """

    name: str
    row: str
    quantities: tuple[Quantity, ...]
    many: bool = False
    along: bool = False

    def __hash__(self) -> int:
        return hash(
            (self.name, self.row)
        )  # equal ones have equal names; to hash all that they say takes 10 us

    @property
    def titles(self) -> list[str]:
        """A title with unit for each number of a row."""
        return [title for quantity in self.quantities for title in quantity.titles]

    def columns(self, quantity: Quantity) -> slice:
        """Where a quantity stands in a row."""
        first = 0
        for other in self.quantities:
            if other is quantity:
                break
            first += other.width
        return slice(first, first + quantity.width)


def describe_outputs(outputs: Iterable[Output]) -> dict[str, Any]:
    """Plain data of outputs, by name, for the result file."""
    return {output.name: _described(output) for output in outputs}


@cache
def _described(output: Output) -> dict[str, Any]:
    return asdict(output)


def outputs_from(description: Mapping[str, Any]) -> dict[str, Output]:
    """The outputs that `describe_outputs` described."""
    return {name: _output(data) for name, data in description.items()}


def _output(data: Mapping[str, Any]) -> Output:
    quantities = tuple(
        Quantity(**{**quantity, "components": tuple(quantity["components"])})
        for quantity in data["quantities"]
    )
    return Output(**{**data, "quantities": quantities})
