"""Outputs of a sweep: checks against the model and the run's summary, units, and evaluation.

Syntax: `fem_mbd.applications.sweeps.reduction`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from fem_mbd.applications.sweeps.reduction import INTEGRAL, LOADS, Reduction, read_output
from fem_mbd.base.suggestions import nearest
from fem_mbd.core.model.output import XYZ, Quantity
from fem_mbd.errors import InputError
from fem_mbd.output.section_loads.channels import channel_units
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.results.summary import SUMMARY_KEYS
from fem_mbd.runs.results.views.beam import BeamView
from fem_mbd.runs.results.views.part_access import SingleState
from fem_mbd.runs.results.views.part_table import PartTable
from fem_mbd.runs.results.views.paths import UNITS_ALONG, QuantityPath
from fem_mbd.runs.results.views.states import NotRecorded

# Prefixes of paths in the summary and their units: the first match applies.
UNITS_OF_PATHS = (
    ("energy.relative", ""), ("energy.", "J"), ("step_size.steps_by_rule", ""), ("step_size.", "s"),
    ("wall_seconds.", "s"), ("start_time", "s"), ("end_time", "s"),
)  # fmt: skip
VECTOR = 3  # components of a vector, which has a length
# Quantities that `BeamView` computes at a position along a beam; forces in N, moments in N m.
FORCES, STRAINS = (
    ("N", "V2", "V3", "T", "M2", "M3"),
    ("stretch", "shear 2", "shear 3", "twist", "bending 2", "bending 3"),
)
ALONG_BEAMS = {
    "section_force": Quantity("section_force", "N", "section force and moment", FORCES, "section"),
    "section_strain": Quantity("section_strain", "1", "section strain and curvature", STRAINS, "section"),
    "position": Quantity("position", "m", "point of the reference line", XYZ, "global"),
}


@dataclass(frozen=True)
class PartQuantities:
    """Quantities of a part that outputs can use.

    Attributes
    ----------
    quantities : by name
    rows : names of those with several places
    along : those that a beam has at a fraction of its length
    """

    quantities: Mapping[str, Quantity]
    rows: frozenset[str] = frozenset()
    along: Mapping[str, Quantity] = field(default_factory=dict)


Quantities = Callable[[str], PartQuantities]  # function of the name of a part


def quantities_of(describe: Callable[[], Mapping[str, Any]]) -> Quantities:
    """Function that returns the quantities of a part by the part's name; for `LOADS` the load channels.

    Parameters
    ----------
    describe : returns `System.describe()` of the model; called once, when a part is requested
    """
    model = cache(describe)

    def of(part: str) -> PartQuantities:
        if part == LOADS:
            units = channel_units(model())
            return PartQuantities(
                {name: Quantity(name, unit, "section load") for name, unit in units.items()}
            )
        view = SingleState(PartTable(model()), {}, 0.0).of(part)
        rows = frozenset(name for name in view.quantities if view.has_rows(name))
        return PartQuantities(view.quantities, rows, ALONG_BEAMS if isinstance(view, BeamView) else {})

    return of


def check_outputs(
    outputs: Mapping[str, str], quantities_by_part: Quantities, checks: bool = True
) -> dict[str, Reduction | str]:
    """Parse all outputs and check that the model or the summary has them.

    Parameters
    ----------
    outputs : texts by name
    quantities_by_part : quantities of the parts of the first run's model
    checks : whether the checks of the case are evaluated

    Raises
    ------
    InputError
        For an unknown output (the message suggests the nearest name), and for a check if checks are not evaluated.
    """
    parsed = {name: read_output(name, text) for name, text in outputs.items()}
    for name, output in parsed.items():
        if isinstance(output, str):
            if output.startswith("checks.") and not checks:
                raise InputError(f"output {name} is {output}, but [record] checks is false: leave that out")
            _check_path(name, output)
            continue
        _check_reduction(name, output, quantities_by_part(output.part))
    return parsed


def _check_reduction(name: str, output: Reduction, part: PartQuantities) -> None:
    """Check part and quantity, and that place and component are given where required."""
    path, quantity = output.path, output.quantity
    position = "" if path.at is None else f"({path.at:g})"
    known = part.quantities if path.at is None else part.along
    if quantity not in known:
        if path.at is None and quantity in part.along:
            raise InputError(
                f"output {name}: {quantity} of a beam has to be requested at a fraction of its "
                f"length: write {path.part}.{quantity}(0.5)"
            )
        suggestion = nearest(quantity, known) if known else "it is not a beam: leave the position out"
        raise InputError(f"output {name}: {path.part!r} has no '{quantity}{position}'; {suggestion}")
    several, indices = path.at is None and quantity in part.rows, list(path.indices)
    if path.word and not several:
        raise InputError(f"output {name}: {quantity} has one place only: leave {path.word} out")
    # a vector needs its component too: one index would be read as either
    if several and not path.word and len(indices) < 1 + bool(known[quantity].components):
        raise InputError(f"output {name}: {_several_places(path, known[quantity], part)}")
    if several and not path.word:
        indices.pop(0)
    _check_components(name, output, known[quantity], indices)


def _several_places(path: QuantityPath, quantity: Quantity, part: PartQuantities) -> str:
    """What to write for a quantity with several places."""
    vector = "resultant" if quantity.axes == "global" else "largest"
    words = f"{path.part}.{vector if quantity.components else 'sum'}({path.name})"
    first = f"{path.part}.{path.name}[0]" + ("[0], place and component," if quantity.components else "")
    where = f"{path.part}.section_force(0.5)[0]" if part.along else f"{first} for the first"
    return f"{path.part!r} has {path.name} at several places: give one, {where}, or reduce them, e.g. {words}"


def _check_components(name: str, output: Reduction, quantity: Quantity, indices: list[int]) -> None:
    """Check what remains of the indices, and that the components that are left have a length."""
    path = output.path
    width = {"": quantity.width, "resultant": quantity.width}.get(path.word, 1)
    if len(indices) > (width > 1):
        raise InputError(f"output {name}: {path.text!r} has too many indices")
    if indices and indices[0] >= width:
        raise InputError(f"output {name}: {path.name} has {width} components, counted from 0")
    if not indices and width not in (1, VECTOR):
        raise InputError(
            f"output {name}: {path.name} has {width} numbers, which have no length together: give one of them, "
            f"[0] to [{width - 1}] ({', '.join(quantity.components)})"
        )


def check_recorded(parsed: Mapping[str, Reduction | str], state: SingleState) -> None:
    """Check that the runs record everything that the outputs of parts need.

    Parameters
    ----------
    parsed : from `check_outputs`
    state : a state of the first run, with the outputs that the runs record

    Raises
    ------
    InputError
        When a quantity is not recorded; the message names it.
    """
    for name, output in parsed.items():
        if isinstance(output, Reduction) and output.part != LOADS:
            try:
                output.read(state.of(output.part))
            except NotRecorded as error:
                raise InputError(f"output {name}: {error}") from error


def _check_path(name: str, path: str) -> None:
    if path.startswith(("checks.", "energy.totals.", "step_size.steps_by_rule.", "wall_seconds.")):
        return
    if path not in SUMMARY_KEYS:
        raise InputError(f"output {name}: summary.json has no {path!r}; {nearest(path, SUMMARY_KEYS)}")


def unit_of(output: Reduction | str, quantities_by_part: Quantities) -> str:
    """The unit of an output, "" for pure numbers and unknown units.

    Parameters
    ----------
    output : from `check_outputs`
    quantities_by_part : as for `check_outputs`
    """
    if isinstance(output, Reduction):
        quantities, path = quantities_by_part(output.part).quantities, output.path
        unit: Any = UNITS_ALONG[path.name] if path.at is not None else quantities[path.name].unit
        if not isinstance(unit, str):
            unit = unit[bool(path.indices) and path.indices[-1] >= VECTOR]
        unit = "" if unit == "1" else unit
        return _times_seconds(unit) if output.name == INTEGRAL else unit
    return next((unit for start, unit in UNITS_OF_PATHS if output.startswith(start)), "")


def _times_seconds(unit: str) -> str:
    """Unit of an integral over time: "m" of "m/s", "N s" of "N"."""
    return unit.removesuffix("/s") if unit.endswith("/s") else f"{unit} s".strip()


def evaluate(
    outputs: Mapping[str, Reduction | str], result: Result, summary: Mapping[str, Any]
) -> dict[str, Any]:
    """All outputs of a run by name; None for those missing in the summary."""
    return {
        name: _summary_value(summary, output) if isinstance(output, str) else output.of(result)
        for name, output in outputs.items()
    }


def _summary_value(summary: Mapping[str, Any], path: str) -> Any:
    if path.startswith("checks."):
        check_name = path.removeprefix("checks.")
        return next((c["value"] for c in summary["checks"] if c["name"] == check_name), None)
    value: Any = summary
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value
