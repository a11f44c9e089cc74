"""The outputs of a sweep: numbers from a run's `summary.json`, or reductions of a part's history.

    steps                                   a path in summary.json: names joined by dots
    energy.totals.dissipation_friction
    checks.NAME                             the value of that check
    max(Q.normal_force)                     REDUCTION(PART.QUANTITY), as `result.of(PART).QUANTITY`
    rms(weld.force[2], after=0.5)           component 2, counted from 0; states after 0.5 s only
    max(arm.section_force(0.5)[4])          at a fraction of a beam's length, as `result.of("arm").section_force(0.5)`
    max(loads.RootMyb1)                     a load channel of the model, as `result.loads("RootMyb1")`

A vector without a component is reduced by its length. Reductions: `fem_mbd.sweeps.reductions.REDUCTIONS`, and
``del(PART.QUANTITY, m=10)``: the damage-equivalent load at 1 Hz for an S-N curve of slope m,
``poincare(PART.QUANTITY, period=T)``: the values at whole periods (s), a list: for bifurcation diagrams.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from fem_mbd.arrays import Array
from fem_mbd.errors import InputError
from fem_mbd.model.output import XYZ, Quantity
from fem_mbd.results.result import Result
from fem_mbd.results.summary import SUMMARY_KEYS
from fem_mbd.results.views.answering import OneState
from fem_mbd.results.views.beam import BeamView
from fem_mbd.results.views.part import PartView
from fem_mbd.results.views.part_table import PartTable
from fem_mbd.results.views.states import NotRecorded
from fem_mbd.section_loads.channels import channel_units
from fem_mbd.section_loads.fatigue import damage_equivalent_load
from fem_mbd.suggestions import nearest
from fem_mbd.sweeps.reductions import REDUCTIONS

POINCARE, DAMAGE = "poincare", "del"
# The options of reductions; those that are no times are needed.
OPTIONS = {POINCARE: ("after", "period"), DAMAGE: ("after", "m")}
LOADS = "loads"  # in the place of a part: the model's load channels
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
UNITS_OF_SECONDS = {"section_force": "N m", "section_strain": "1/m"}  # of components 3 to 5
# What paths in the summary begin with, and their units: the first that fits.
UNITS_OF_PATHS = (
    ("energy.relative", ""), ("energy.", "J"), ("step_size.steps_by_rule", ""), ("step_size.", "s"),
    ("wall_seconds.", "s"), ("start_time", "s"), ("end_time", "s"),
)  # fmt: skip
FORM = re.compile(
    r"(\w+)\(\s*(.+?)\.(\w+)(?:\(\s*([-+.\deE]+)\s*\))?\s*(?:\[(\d+)\])?\s*((?:,\s*\w+\s*=\s*[-+.\deE]+\s*)*)\)"
)
OPTION = re.compile(r"(\w+)\s*=\s*([-+.\deE]+)")


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


@dataclass(frozen=True)
class Reduction:
    """A number from the history of one quantity of one part; of a beam maybe at a fraction ``at`` of its length."""

    name: str
    part: str
    quantity: str
    at: float | None
    component: int | None
    after: float
    period: float = 0.0
    exponent: float = 0.0

    def of(self, result: Result) -> float | list[float]:
        """The number, or for Poincaré points a list."""
        if self.name == POINCARE:
            return self._points(result)
        times, values, constant = self._history(result)
        late = times > self.after if np.isfinite(self.after) else np.ones(len(times), bool)
        if not late.any():
            raise InputError(
                f"{self.name}({self.part}.{self.quantity}): nothing is recorded after {self.after:g} s"
            )
        times, values = times[late], values[late]
        if self.name == DAMAGE:
            return damage_equivalent_load(values, float(times[-1] - times[0]), self.exponent)
        return REDUCTIONS[self.name](times, values, constant)

    def _history(self, result: Result) -> tuple[Array, Array, bool]:
        """Times (k,) s, values (k,), and whether they are constant over a step."""
        if self.part == LOADS:
            loads = result.loads(self.quantity)
            return loads.time, loads[self.quantity], False
        part = result.of(self.part)
        constant = self.at is None and part.quantities[self.quantity].within == "mean"
        return part.time, self._scalar(self.read(part)), constant

    def read(self, part: PartView) -> Array:
        """The quantity of one part: (time, numbers), or (numbers,) of one state."""
        found = getattr(part, self.quantity)
        return np.asarray(found if self.at is None else found(self.at))

    def _points(self, result: Result) -> list[float]:
        times = result.output_time
        first = max(self.after, result.info.start_time) if np.isfinite(self.after) else result.info.start_time
        count = int(np.floor((times[-1] - first) / self.period + 1e-9)) if len(times) else 0
        at = np.minimum(first + self.period * np.arange(1, count + 1), times[-1] if len(times) else first)
        values = np.atleast_1d(self.read(result.of(self.part).at(at))) if count else np.zeros(0)
        return [float(v) for v in self._scalar(values)] if count else []

    def _scalar(self, values: Array) -> Array:
        """(k,) the component, the vector's length, or the scalar itself."""
        flat = values.reshape(len(values), int(np.prod(values.shape[1:])))
        if self.component is not None:
            return np.asarray(flat[:, self.component])
        return flat[:, 0] if flat.shape[1] == 1 else np.asarray(np.linalg.norm(flat, axis=1))


def read_output(name: str, text: str) -> Reduction | str:
    """A reduction, or a path in the summary; InputError for neither."""
    found = FORM.fullmatch(text.strip())
    if found is None:
        if "(" in text and not text.startswith("checks."):
            raise InputError(
                f"output {name} = {text!r}: write REDUCTION(PART.QUANTITY), e.g. max(Q.normal_force)"
            )
        return text.strip()
    kind, part, quantity, at, component, rest = found.groups()
    known = (*REDUCTIONS, *OPTIONS)
    if kind not in known:
        raise InputError(f"output {name}: there is no reduction {kind!r}; {nearest(kind, known)}")
    options = _options(name, rest, OPTIONS.get(kind, ("after",)))
    for needed in OPTIONS.get(kind, ("after",))[1:]:
        if not options.get(needed, 0.0) > 0.0:
            raise InputError(f"output {name}: {kind} needs {needed}=NUMBER above zero")
    if part == LOADS and (kind == POINCARE or component is not None or at is not None):
        raise InputError(
            f"output {name}: a load channel is a scalar history: give it no component or place, and not to {POINCARE}"
        )
    return Reduction(
        kind, part, quantity, _place(name, at), None if component is None else int(component),
        options.get("after", -np.inf), options.get("period", 0.0), options.get("m", 0.0),
    )  # fmt: skip


def _place(name: str, text: str | None) -> float | None:
    """A fraction of a beam's length."""
    if text is None:
        return None
    try:
        place = float(text)
    except ValueError:
        place = np.nan
    if not 0.0 <= place <= 1.0:
        raise InputError(
            f"output {name}: ({text}) is no place along a beam: give a fraction of its length, 0 to 1"
        )
    return place


def _options(name: str, text: str, known: tuple[str, ...]) -> dict[str, float]:
    found = {}
    for option, value in OPTION.findall(text):
        if option not in known:
            raise InputError(f"output {name}: there is no option {option!r}; {nearest(option, known)}")
        try:
            found[option] = float(value)
        except ValueError:
            raise InputError(f"output {name}: {option} = {value!r} is no number") from None
    return found


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


def check_outputs(outputs: Mapping[str, str], quantities_by_part: Quantities) -> dict[str, Reduction | str]:
    """All outputs read, and those that the model or the summary cannot have refused.

    Parameters
    ----------
    outputs : name to text
    quantities_by_part : of the first run's model

    Raises
    ------
    InputError
        With the nearest name.
    """
    read = {name: read_output(name, text) for name, text in outputs.items()}
    for name, output in read.items():
        if isinstance(output, str):
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
        asked = quantities_by_part(output.part)
        known = asked.quantities if output.at is None else asked.along
        unit = str(known[output.quantity].unit)
        if output.at is not None and (output.component or 0) >= 3:
            unit = UNITS_OF_SECONDS[output.quantity]
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
