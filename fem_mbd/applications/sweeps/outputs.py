"""The outputs of a sweep held against the model and the summary that its runs have, and their values.

How they are written: `fem_mbd.applications.sweeps.reduction`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from fem_mbd.applications.sweeps.reduction import LOADS, Reduction, read_output
from fem_mbd.base.suggestions import nearest
from fem_mbd.core.model.output import XYZ, Quantity
from fem_mbd.errors import InputError
from fem_mbd.output.section_loads.channels import channel_units
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.results.summary import SUMMARY_KEYS
from fem_mbd.runs.results.views.answering import OneState
from fem_mbd.runs.results.views.beam import BeamView
from fem_mbd.runs.results.views.part_table import PartTable
from fem_mbd.runs.results.views.paths import DERIVED
from fem_mbd.runs.results.views.states import NotRecorded

# What paths in the summary begin with, and their units: the first that fits.
UNITS_OF_PATHS = (
    ("energy.relative", ""), ("energy.", "J"), ("step_size.steps_by_rule", ""), ("step_size.", "s"),
    ("wall_seconds.", "s"), ("start_time", "s"), ("end_time", "s"),
)  # fmt: skip
# What beams work out at a place along them, `BeamView`; forces in N, moments in N m.
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
class Asked:
    """What outputs may ask of a part.

    Attributes
    ----------
    quantities : by name
    rows : names of those with several rows, which have no component of their own
    along : those that a beam has at a fraction of its length
    """

    quantities: Mapping[str, Quantity]
    rows: frozenset[str] = frozenset()
    along: Mapping[str, Quantity] = field(default_factory=dict)


Quantities = Callable[[str], Asked]  # of a part by name


def quantities_of(describe: Callable[[], Mapping[str, Any]]) -> Quantities:
    """What a model's parts have to show, by the name of the part; of `LOADS` its channels.

    Parameters
    ----------
    describe : gives what `System.describe()` says of the model; called where a part is asked for, once
    """
    model = cache(describe)

    def of(part: str) -> Asked:
        if part == LOADS:
            units = channel_units(model())
            return Asked({name: Quantity(name, unit, "section load") for name, unit in units.items()})
        view = OneState(PartTable(model()), {}, 0.0).of(part)
        rows = frozenset(name for name in view.quantities if view.has_rows(name))
        return Asked(view.quantities, rows, ALONG_BEAMS if isinstance(view, BeamView) else {})

    return of


def check_outputs(
    outputs: Mapping[str, str], quantities_by_part: Quantities, checks: bool = True
) -> dict[str, Reduction | str]:
    """All outputs read, and those that the model or the summary cannot have refused.

    Parameters
    ----------
    outputs : name to text
    quantities_by_part : of the first run's model
    checks : whether the checks of the case are made

    Raises
    ------
    InputError
        With the nearest name; for a check where none are made.
    """
    read = {name: read_output(name, text) for name, text in outputs.items()}
    for name, output in read.items():
        if isinstance(output, str):
            if output.startswith("checks.") and not checks:
                raise InputError(f"output {name} is {output}, but [record] checks is false: leave that out")
            _check_path(name, output)
            continue
        _check_reduction(name, output, quantities_by_part(output.part))
    return read


def _check_reduction(name: str, output: Reduction, asked: Asked) -> None:
    """Part and quantity are there, the place and the component are given where they belong."""
    place = "" if output.at is None else f"({output.at:g})"
    known = asked.quantities if output.at is None else asked.along
    if output.quantity not in known:
        if output.at is None and output.quantity in asked.along:
            raise InputError(
                f"output {name}: {output.quantity} of a beam is asked for at a fraction of its length: "
                f"write {output.part}.{output.quantity}(0.5)"
            )
        suggestion = nearest(output.quantity, known) if known else "it is no beam: leave the place out"
        raise InputError(f"output {name}: {output.part!r} has no '{output.quantity}{place}'; {suggestion}")
    width = known[output.quantity].width
    if output.component is not None and output.component >= width:
        raise InputError(f"output {name}: {output.quantity} has {width} components, counted from 0")
    if output.component is not None and output.at is None and output.quantity in asked.rows:
        where = f", e.g. {output.part}.section_force(0.5)[{output.component}]" if asked.along else ""
        raise InputError(
            f"output {name}: {output.part!r} has {output.quantity} at several places: say at which one{where}"
        )


def check_recorded(read: Mapping[str, Reduction | str], state: OneState) -> None:
    """Outputs of parts that need what the runs do not record are refused.

    Parameters
    ----------
    read : as `check_outputs` gives them
    state : one of the first run, with those outputs that the runs record

    Raises
    ------
    InputError
        Naming what is to be recorded.
    """
    for name, output in read.items():
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
    """The unit of an output, "" where it is a pure number or nobody knows.

    Parameters
    ----------
    output : as `check_outputs` gives it
    quantities_by_part : as for `check_outputs`
    """
    if isinstance(output, Reduction):
        quantities = quantities_by_part(output.part).quantities
        unit = quantities[output.quantity].unit if output.at is None else DERIVED[output.quantity]
        if not isinstance(unit, str):
            unit = unit[(output.component or 0) >= 3]
        return "" if unit == "1" else unit
    return next((unit for start, unit in UNITS_OF_PATHS if output.startswith(start)), "")


def evaluate(
    outputs: Mapping[str, Reduction | str], result: Result, summary: Mapping[str, Any]
) -> dict[str, Any]:
    """All outputs of a run by name; None where the summary does not have it."""
    return {
        name: _at(summary, output) if isinstance(output, str) else output.of(result)
        for name, output in outputs.items()
    }


def _at(summary: Mapping[str, Any], path: str) -> Any:
    if path.startswith("checks."):
        wanted = path.removeprefix("checks.")
        return next((c["value"] for c in summary["checks"] if c["name"] == wanted), None)
    value: Any = summary
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value
