"""Reductions of a history to one number, and the syntax of a sweep's outputs.

An output is a number from a run's `summary.json`, or a reduction of a part's history:

    steps                                   a path in summary.json: names joined by dots
    energy.totals.dissipation_friction
    checks.NAME                             the value of that check
    max(Q.normal_force)                     REDUCTION(PART.QUANTITY), as `result.of(PART).QUANTITY`
    rms(weld.force[2], after=0.5)           component 2, counted from 0; states after 0.5 s only
    max(arm.section_force(0.5)[4])          at a fraction of a beam's length, as `result.of("arm").section_force(0.5)`
    max(loads.RootMyb1)                     a load channel of the model, as `result.loads("RootMyb1")`

A vector without a component is reduced to its length. Reductions: `REDUCTIONS`,
``at(PART.QUANTITY, time=T)``: the value at a time (s), between steps too,
and ``del(PART.QUANTITY, m=10)``: the damage-equivalent load at 1 Hz for an S-N curve of slope m,
``poincare(PART.QUANTITY, period=T)``: the values at whole periods (s), a list: for bifurcation diagrams.

Values that are constant over a step (forces of contacts and supports) are weighted with the step's length; those
recorded at the ends of steps are integrated by the trapezoidal rule. Means begin with the run, or at ``after``: up to
the first recorded end the value there counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fem_mbd.base.arrays import Array, Flags
from fem_mbd.base.suggestions import nearest
from fem_mbd.errors import InputError
from fem_mbd.output.section_loads.fatigue import damage_equivalent_load
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.results.views.part import PartView

LOADS = "loads"  # used instead of a part: the model's load channels
FORM = re.compile(
    r"(\w+)\(\s*(.+?)\.(\w+)(?:\(\s*([-+.\deE]+)\s*\))?\s*(?:\[(\d+)\])?\s*((?:,\s*\w+\s*=\s*[-+.\deE]+\s*)*)\)"
)
OPTION = re.compile(r"(\w+)\s*=\s*([-+.\deE]+)")
POINCARE, DAMAGE, AT = "poincare", "del", "at"
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
    "integral": lambda t, y, constant: _mean(t, y, constant) * float(t[-1] - t[0]),
    "rms": _rms,
    "std": lambda t, y, constant: _rms(t, y - _mean(t, y, constant), constant),
}


@dataclass(frozen=True)
class Reduction:
    """A number computed from the history of one quantity of one part; for a beam optionally at a fraction ``at`` of its
    length.
    """

    name: str
    part: str
    quantity: str
    at: float | None
    component: int | None
    after: float
    period: float = 0.0
    exponent: float = 0.0
    time: float = 0.0

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
        constant = self.at is None and part.quantities[self.quantity].within == "mean"
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
            raise InputError(
                f"{self.name}({self.part}.{self.quantity}): nothing is recorded after {self.after:g} s"
            )
        times, values = times[selected], values[selected]
        start = max(self.after, result.info.start_time)
        return np.insert(times, 0, min(start, times[0])), np.insert(values, 0, values[0]), constant

    def vectors(self, result: Result) -> Array:
        """(k, numbers) the history of the quantity, all its components."""
        if self.part == LOADS:
            return np.asarray(result.loads(self.quantity)[self.quantity])[:, None]
        values = self.read(result.of(self.part))
        return values.reshape(len(values), int(np.prod(values.shape[1:])))

    def values_at(self, result: Result, times: Array) -> Array:
        """(k,) values at the times (k,), s, between steps too; not of load channels."""
        return self._scalar(self.read(result.of(self.part).at(times)))

    def read(self, part: PartView) -> Array:
        """The quantity of one part: (time, numbers), or (numbers,) for one state."""
        quantity = getattr(part, self.quantity)
        return np.asarray(quantity if self.at is None else quantity(self.at))

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
    """Parse a reduction, or a path in the summary; InputError for anything else."""
    match = FORM.fullmatch(text.strip())
    if match is None:
        if "(" in text and not text.startswith("checks."):
            raise InputError(
                f"output {name} = {text!r}: write REDUCTION(PART.QUANTITY), e.g. max(Q.normal_force)"
            )
        return text.strip()
    kind, part, quantity, at, component, rest = match.groups()
    known = (*REDUCTIONS, *OPTIONS)
    if kind not in known:
        raise InputError(f"output {name}: there is no reduction {kind!r}; {nearest(kind, known)}")
    options = _options(name, rest, OPTIONS.get(kind, ("after",)))
    for needed in OPTIONS.get(kind, ("after",))[1:]:
        if not options.get(needed, 0.0) > 0.0:
            raise InputError(f"output {name}: {kind} needs {needed}=NUMBER with a positive number")
    if part == LOADS and (kind in (POINCARE, AT) or component is not None or at is not None):
        raise InputError(
            f"output {name}: a load channel is a scalar history: it takes no component or position, and "
            f"{POINCARE} and {AT} do not apply to it"
        )
    return Reduction(
        kind, part, quantity, _fraction(name, at), None if component is None else int(component),
        options.get("after", -np.inf), options.get("period", 0.0), options.get("m", 0.0), options.get("time", 0.0),
    )  # fmt: skip


def _fraction(name: str, text: str | None) -> float | None:
    """Parse a fraction of a beam's length."""
    if text is None:
        return None
    try:
        fraction = float(text)
    except ValueError:
        fraction = np.nan
    if not 0.0 <= fraction <= 1.0:
        raise InputError(
            f"output {name}: ({text}) is not a position along a beam: give a fraction of its length, 0 to 1"
        )
    return fraction


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
