"""Errors of outputs that the sizes of the steps cause: local errors of the steps, weighted with the adjoint.

The end of step n has an error e_n (`HalfSteps`), and the output changes with that state by its adjoint a_n: all errors
together change the output by the sum of a_n . e_n. Reductions over time have errors of their own: the trapezoidal rule
between the ends of steps, and extremes that lie between them. These follow from the outputs in the middle of the steps.
Source: R. Becker, R. Rannacher, An optimal control approach to a posteriori error estimation, Acta Numerica 10 (2001),
section 2, with the residual of the weights' interpolation replaced by local errors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from fem_mbd.analysis.sensitivity.adjoint import Adjoint
from fem_mbd.analysis.sensitivity.adjoint_gradients import AT_ONCE, Rows, together
from fem_mbd.analysis.sensitivity.growth import LARGEST, AdjointGrowth
from fem_mbd.analysis.sensitivity.half_steps import HalfSteps
from fem_mbd.analysis.sensitivity.path import Path
from fem_mbd.analysis.sensitivity.setup import made
from fem_mbd.applications.gradients.outputs import RULES, Wanted
from fem_mbd.applications.gradients.shifted import GROUP
from fem_mbd.applications.sweeps.reduction import REDUCTIONS, Reduction
from fem_mbd.base.arrays import Array
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.results.store import Source

TRAPEZOIDS = 1.0 - 0.25  # share of the rule's error that is gone with half the intervals
EXTREMES = ("max", "min", "absmax", "range")


class TimeErrors:
    """Shares of all steps in the errors of outputs.

    Parameters
    ----------
    build : makes the simulation
    path : of its run
    outputs : their derivatives by recorded numbers, by name
    largest_growth : of a small change up to the end, beyond which the errors are refused

    Attributes
    ----------
    by_step : (steps, outputs) what the error of each step changes in the outputs
    halves : of each recorded output (steps, 2, k) its numbers after the half steps
    unsolved : number of steps whose half steps did not converge, which count as exact
    """

    def __init__(
        self,
        build: Callable[[], Simulation],
        path: Path,
        outputs: Mapping[str, Rows],
        largest_growth: float = LARGEST,
    ):
        self.by_step = np.zeros((len(path), len(outputs)))
        columns = sorted(set().union(*(one.columns for one in outputs.values())))
        half = HalfSteps(_made(build), columns)
        kept: dict[str, list[Array]] = {name: [] for name in columns}
        several = list(outputs.values())
        errors: dict[int, Array] = {}
        for first in range(0, len(several), AT_ONCE):
            some = several[first : first + AT_ONCE]
            weights = together(some, len(path) + 1)
            adjoint = Adjoint(_made(build), path, weights, _made(build), errors=True)
            growth = AdjointGrowth(adjoint.numbers, float(path.ends[-1]), largest_growth)
            for number, state in adjoint.steps(growth.end()):
                growth.look(float(path.clocks[number][0]), state)
                if number not in errors:
                    start, end = adjoint.states[number : number + 2]
                    error, found = half.error(start, end, path.clocks[number])
                    errors[number] = adjoint.numbers.from_changes(error, end)
                    for name, rows in kept.items():
                        rows.append(np.array([one[name] for one in found]))
                self.by_step[number, first : first + len(some)] = (
                    errors[number] @ adjoint.at_end[:, : len(some)]
                )
        self.halves = {name: rows[::-1] for name, rows in kept.items()}
        self.unsolved = half.unsolved


def _made(build: Callable[[], Simulation]) -> Simulation:
    return made(lambda _: build(), {})


class _Rows:
    """A source with other numbers in the rows of some outputs."""

    def __init__(self, source: Source, rows: Mapping[str, Array]):
        self._source, self.info, self._rows = source, source.info, rows

    def read(self, name: str, rows: slice) -> np.ndarray:
        """Rows of a column."""
        found = self._source.read(name, rows)
        other = self._rows.get(name.removeprefix(GROUP)) if name.startswith(GROUP) else None
        if other is None:
            return found
        flat = np.ascontiguousarray(other[rows])
        return flat.view(found.dtype).reshape(found.shape) if found.dtype.names else flat.reshape(found.shape)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)


def own_error(output: Wanted, source: Source, errors: TimeErrors) -> float:
    """What a reduction over time adds to the errors of the steps: sums over rows, extremes between them."""
    if (
        not isinstance(output, Reduction)
        or output.name not in RULES
        or output.name == "final"
        or errors.unsolved
    ):
        return 0.0
    result = Result(source)
    times, values, constant = output.history(result)
    halves = []
    for k in (0, 1):
        rows = {name: np.array([two[k] for two in several]) for name, several in errors.halves.items()}
        halves.append(output.history(Result(_Rows(source, rows)))[1])
    fine_t, fine = np.empty(2 * len(times)), np.empty(2 * len(times))
    fine_t[1::2], fine[1::2] = times, (halves[1] if constant else values)
    fine_t[::2], fine[::2] = times - 0.5 * np.diff(times, prepend=source.info.start_time), halves[0]
    own = output.window(result, times, values, constant)
    refined = output.window(result, fine_t, fine, constant)
    if output.name in EXTREMES:
        better = _extreme(output.name, refined[0][1:], refined[1][1:])
        return float(REDUCTIONS[output.name](*own) - better)
    share = 1.0 if constant else TRAPEZOIDS
    coarse, better = (REDUCTIONS[output.name](*one) for one in (own, refined))
    return float((coarse - better) / share)


def _extreme(name: str, t: Array, y: Array) -> float:
    """An extreme of the parabolas through three neighbours."""
    if name == "range":
        return _extreme("max", t, y) - _extreme("min", t, y)
    if name == "absmax":
        return _extreme("max", t, np.abs(y))
    sign = -1.0 if name == "min" else 1.0
    k = int((sign * y).argmax())
    if not 0 < k < len(y) - 1:
        return float(y[k])
    (a, b), (left, right) = (t[k] - t[k - 1], t[k + 1] - t[k]), (y[k - 1] - y[k], y[k + 1] - y[k])
    slope = (right * a / b - left * b / a) / (a + b)
    bend = (right / b + left / a) / (a + b)
    return float(y[k] - 0.25 * slope**2 / bend) if bend != 0.0 else float(y[k])
