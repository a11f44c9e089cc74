"""docs/reference/results.md says of every recorded quantity: on which body, at which point, in which axes, when."""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import fem_mbd
from fem_mbd.core.model.output import Output, Quantity
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.runs.results.views.part import MOTION_OF_L, MOTION_OF_NODE

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "results.md"
PARTS = ("core.scheme", "core.model", "elements", "joints", "aerodynamics", "machines")
WITHOUT_AXES = "–"
Row = tuple[list[str], str, str, str, str]  # names, and the cells body, point, axes, time


def modules() -> Iterator[object]:
    """All modules in which parts and their outputs are defined."""
    for name in PARTS:
        package = importlib.import_module(f"fem_mbd.{name}")
        for found in pkgutil.walk_packages(package.__path__, f"fem_mbd.{name}."):
            if not found.name.endswith("__main__"):
                yield importlib.import_module(found.name)


def recorded() -> dict[tuple[str, str], Quantity]:
    """All quantities of all outputs that a module of the package defines, by the names of output and quantity."""
    outputs: dict[str, Output] = {}
    for module in modules():
        for value in vars(module).values():
            for output in value if isinstance(value, tuple) else (value,):
                if isinstance(output, Output):
                    outputs[output.name] = output
    return {(o.name, q.name): q for o in outputs.values() for q in o.quantities}


def rows() -> list[Row]:
    """The rows of the table with the quantities that they name."""
    text = PAGE.read_text(encoding="utf-8").split("### On which body, where, in which axes, when")[1]
    found = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 6 and "`" in cells[1]:
            found.append((re.findall(r"`([^`]+)`", cells[1]), *cells[2:]))
    return found  # type: ignore[return-value]


RECORDED, ROWS = recorded(), rows()


def test_every_kind_of_part_records_what_is_known_here() -> None:
    """Also what a kind chooses when it is made is an `Output` of a module of the package."""

    def kinds(kind: type[PartKind]) -> Iterator[type[PartKind]]:
        for own in kind.__subclasses__():
            yield own
            yield from kinds(own)

    names = {name for name, _ in RECORDED}
    for kind in kinds(PartKind):
        if kind.__module__.startswith(fem_mbd.__name__) and isinstance(kind.recorded, tuple):
            assert {output.name for output in kind.recorded} <= names, kind


@pytest.mark.parametrize(("output", "quantity"), RECORDED)
def test_the_page_says_where_and_when(output: str, quantity: str) -> None:
    """One row has both names; its axes and its time are those by which results treat the quantity."""
    described = RECORDED[output, quantity]
    twice = 2 if output == quantity else 1
    own = [row for row in ROWS if output in row[0] and row[0].count(quantity) >= twice]
    assert len(own) == 1, f"{output}.{quantity} is in {len(own)} rows of {PAGE.name}"
    _, body, point, axes, time = own[0]
    assert body and point and axes and time
    assert axes.startswith(described.axes or WITHOUT_AXES), axes
    starts = ("mean", "constant over the step") if described.within == "mean" else ("end",)
    assert time.startswith(starts), time


@pytest.mark.parametrize("quantity", [*MOTION_OF_L.values(), *MOTION_OF_NODE.values()])
def test_the_page_says_it_of_derived_motions_too(quantity: Quantity) -> None:
    own = [row for row in ROWS if quantity.name in row[0]]
    assert any(row[3].startswith(quantity.axes or WITHOUT_AXES) and row[4].startswith("end") for row in own)
