"""Outputs of a sweep: their syntax, reductions of a history to one number, checks, units and evaluation.

An output is a number from a run's `summary.json`, or a reduction of a part's history:

    steps                                   a path in summary.json: names joined by dots
    energy.totals.dissipation_friction
    checks.NAME                             the value of that check
    max(Q.normal_force)                     REDUCTION(PATH), of the history of a quantity
    final(hinge.angle)                      a path is PART.QUANTITY, as `result.of(PART).QUANTITY`
    rms(weld.force[2], after=0.5)           component 2, counted from 0; states after 0.5 s only
    max(arm.section_force(0.5)[4])          at a fraction of a beam's length, as `result.of("arm").section_force(0.5)`
    max(sole.normal_force[3])               at place 3 of a quantity with several: contacts of a face, Gauss points
    final(sole.resultant(friction_force))   over all places, as `result.of("sole").resultant("friction_force")`:
                                            resultant of vectors, sum of numbers, largest of either
    max(loads.RootMyb1)                     a load channel of the model, as `result.loads("RootMyb1")`

A vector without a component is reduced to its length. Reductions: `REDUCTIONS`,
``at(PATH, time=T)``: the value at a time (s), between steps too;
``del(PATH, m=10)``: the damage-equivalent load at 1 Hz for an S-N curve of slope m;
``poincare(PATH, period=T)``: the values at the times T, 2 T … (s) of the run, a list: for bifurcation diagrams.

Values that are constant over a step (forces of contacts and supports) are weighted with the step's length; those
recorded at the ends of steps are integrated by the trapezoidal rule. Means begin with the run, or at ``after``: up to
the first recorded end the value there counts.

`check_outputs` compares outputs with the model before any run, `check_recorded` with what is recorded; `evaluate` finds
a value from a run's result and summary.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array, Flags
from fem_mbd.base.lazy import nearest
from fem_mbd.core.model.output import XYZ, Quantity
from fem_mbd.errors import InputError
from fem_mbd.output.section_loads.fatigue import damage_equivalent_load
from fem_mbd.output.section_loads.loads import channel_units
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.results.summary import SUMMARY_KEYS
from fem_mbd.runs.results.views.beam import BeamView
from fem_mbd.runs.results.views.part import PartView
from fem_mbd.runs.results.views.part_access import SingleState
from fem_mbd.runs.results.views.part_table import PartTable
from fem_mbd.runs.results.views.paths import PATH, UNITS_ALONG, QuantityPath
from fem_mbd.runs.results.views.states import NotRecorded

LOADS = "loads"  # used instead of a part: the model's load channels
FORM = re.compile(rf"(?P<reduction>\w+)\(\s*{PATH}\s*(?P<options>(?:,\s*\w+\s*=\s*[-+.\deE]+\s*)*)\)")
ROUND_OFF = 1e-9  # of a time, as a share of a period
OPTION = re.compile(r"(\w+)\s*=\s*([-+.\deE]+)")
POINCARE, DAMAGE, AT, INTEGRAL = "poincare", "del", "at", "integral"
# The options of reductions; those that are not times are required.
OPTIONS = {POINCARE: ("after", "period"), DAMAGE: ("after", "m"), AT: ("after", "time")}


def _mean(t: Array, y: Array, constant: bool) -> float:
    if len(t) < 2:
        return float(y[-1])
    dt = np.diff(t)
    weighted = y[1:] if constant else 0.5 * (y[1:] + y[:-1])
    return float(weighted @ dt / dt.sum())


def _rms(t: Array, y: Array, constant: bool) -> float:
    return float(np.sqrt(_mean(t, y**2, constant)))


# name: (times (k,) s, values (k,), whether they are constant over a step) to a number
REDUCTIONS: dict[str, Callable[[Array, Array, bool], float]] = {
    "max": lambda t, y, c: float(y.max()),
    "min": lambda t, y, c: float(y.min()),
    "absmax": lambda t, y, c: float(np.abs(y).max()),
    "range": lambda t, y, c: float(np.ptp(y)),
    "final": lambda t, y, c: float(y[-1]),
    "mean": _mean,
    INTEGRAL: lambda t, y, constant: _mean(t, y, constant) * float(t[-1] - t[0]),
    "rms": _rms,
    "std": lambda t, y, constant: _rms(t, y - _mean(t, y, constant), constant),
}


@dataclass(frozen=True)
class Reduction:
    """A number computed from the history of one quantity of one part.

    Attributes
    ----------
    name : of the reduction
    path : of the quantity
    after : s, states up to then are left out
    period, exponent, time : options of Poincaré points (s), of damage-equivalent loads, of the value at a time (s)
    """

    name: str
    path: QuantityPath
    after: float
    period: float = 0.0
    exponent: float = 0.0
    time: float = 0.0

    @property
    def part(self) -> str:
        """The part's name, or `LOADS`."""
        return self.path.part

    @property
    def quantity(self) -> str:
        """The quantity's declared name."""
        return self.path.name

    def of(self, result: Result) -> float | list[float]:
        """The number, or for Poincaré points a list."""
        if self.name == POINCARE:
            return self._points(result)
        if self.name == AT:
            return float(self.values_at(result, np.array([self.time]))[0])
        times, values, constant = self.window(result, *self.history(result))
        if self.name == DAMAGE:
            return damage_equivalent_load(values, float(times[-1] - times[0]), self.exponent)
        return REDUCTIONS[self.name](times, values, constant)

    def history(self, result: Result) -> tuple[Array, Array, bool]:
        """Times (k,) s, values (k,), and whether they are constant over a step."""
        if self.part == LOADS:
            return result.loads(self.quantity).time, self._scalar(self.vectors(result)), False
        part = result.of(self.part)
        constant = self.path.at is None and part.quantities[self.quantity].within == "mean"
        return part.time, self._scalar(self.vectors(result)), constant

    def selected(self, times: Array) -> Flags:
        """(k,) which times count."""
        return times > self.after

    def window(
        self, result: Result, times: Array, values: Array, constant: bool
    ) -> tuple[Array, Array, bool]:
        """The part of a history that counts, with its first value also at the time when it begins.

        Raises
        ------
        InputError
            When nothing is recorded there.
        """
        selected = self.selected(times)
        if not selected.any():
            raise InputError(f"{self.name}({self.path.text}): nothing is recorded after {self.after:g} s")
        times, values = times[selected], values[selected]
        start = max(self.after, result.info.start_time)
        return np.insert(times, 0, min(start, times[0])), np.insert(values, 0, values[0]), constant

    def vectors(self, result: Result) -> Array:
        """(k, numbers) the history of the quantity: the components that are reduced to their length, or one number."""
        if self.part == LOADS:
            return np.asarray(result.loads(self.quantity)[self.quantity])[:, None]
        values = self.read(result.of(self.part))
        return values.reshape(len(values), int(np.prod(values.shape[1:])))

    def values_at(self, result: Result, times: Array) -> Array:
        """(k,) values at the times (k,), s, between steps too; not of load channels."""
        return self._scalar(self.read(result.of(self.part).at(times)))

    def read(self, part: PartView) -> Array:
        """The quantity of one part: (time, numbers), or (numbers,) for one state."""
        return self.path.values(part)

    def _points(self, result: Result) -> list[float]:
        """Values at whole periods, counted from t = 0 as those of the functions of time."""
        first = max(self.after, result.info.start_time)
        last = float(result.output_time[-1]) if len(result.output_time) else first
        # round-off of the times: a share of a period
        counts = np.arange(
            np.floor(first / self.period + ROUND_OFF) + 1, np.floor(last / self.period + ROUND_OFF) + 1
        )
        at = np.minimum(self.period * counts, last)
        values = np.atleast_1d(self.read(result.of(self.part).at(at))) if len(at) else np.zeros(0)
        return [float(v) for v in self._scalar(values)] if len(at) else []

    @staticmethod
    def _scalar(values: Array) -> Array:
        """(k,) the number itself, or the vector's length."""
        flat = values.reshape(len(values), int(np.prod(values.shape[1:])))
        return flat[:, 0] if flat.shape[1] == 1 else np.asarray(np.linalg.norm(flat, axis=1))


def read_output(name: str, text: str) -> Reduction | str:
    """Parse a reduction, or a path in the summary; InputError for anything else."""
    match = FORM.fullmatch(text.strip())
    if match is None:
        if "(" in text and not text.startswith("checks."):
            raise InputError(
                f"output {name} = {text!r}: write REDUCTION(PART.QUANTITY), e.g. max(Q.normal_force)"
            )
        return text.strip()
    kind = match["reduction"]
    known = (*REDUCTIONS, *OPTIONS)
    if kind not in known:
        raise InputError(f"output {name}: there is no reduction {kind!r}; {nearest(kind, known)}")
    options = _options(name, match["options"], OPTIONS.get(kind, ("after",)))
    for needed in OPTIONS.get(kind, ("after",))[1:]:
        if not options.get(needed, 0.0) > 0.0:
            raise InputError(f"output {name}: {kind} needs {needed}=NUMBER with a positive number")
    try:
        path = QuantityPath.of_match(text.strip(), match)
    except InputError as error:
        raise InputError(f"output {name}: {error}") from error
    if path.part == LOADS and (kind in (POINCARE, AT) or path.indices or path.word or path.at is not None):
        raise InputError(
            f"output {name}: a load channel is a scalar history: it takes no component or position, and "
            f"{POINCARE} and {AT} do not apply to it"
        )
    return Reduction(
        kind, path, options.get("after", -np.inf), options.get("period", 0.0), options.get("m", 0.0),
        options.get("time", 0.0),
    )  # fmt: skip


def _options(name: str, text: str, known: tuple[str, ...]) -> dict[str, float]:
    options = {}
    for option, value in OPTION.findall(text):
        if option not in known:
            raise InputError(f"output {name}: there is no option {option!r}; {nearest(option, known)}")
        try:
            options[option] = float(value)
        except ValueError:
            raise InputError(f"output {name}: {option} = {value!r} is not a number") from None
    return options


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
