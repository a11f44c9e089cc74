"""Errors of outputs due to step sizes: local errors of the steps, weighted with the adjoint.

The state at the end of step n has a local error e_n (`HalfSteps`). With the adjoint a_n, the derivative of the output
by that state, the error of the output is the sum of a_n . e_n. Reductions over time add errors: those of the
trapezoidal rule, and of extremes between the ends of steps. These follow from the outputs in the middle of the steps.
A mean over a step (forces of joints) has a local error of its own: it follows from the mean of its two half steps.
Source: R. Becker, R. Rannacher, An optimal control approach to a posteriori error estimation, Acta Numerica 10 (2001),
section 2, with the residual of the weights' interpolation replaced by local errors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from fem_mbd.analysis.sensitivity.adjoint import Adjoint
from fem_mbd.analysis.sensitivity.adjoint_gradients import OUTPUTS_PER_PASS, Rows, together
from fem_mbd.analysis.sensitivity.growth import LARGEST, AdjointGrowth
from fem_mbd.analysis.sensitivity.half_steps import ORDER, HalfSteps
from fem_mbd.analysis.sensitivity.path import Path
from fem_mbd.analysis.sensitivity.setup import made
from fem_mbd.applications.gradients.outputs import RULES, Output, by_component, by_values
from fem_mbd.applications.gradients.shifted import GROUP
from fem_mbd.applications.sweeps.reduction import AT, REDUCTIONS, Reduction
from fem_mbd.base.arrays import Array
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.results.store import Source

TRAPEZOIDAL_SHARE = 1.0 - 0.25  # share of the trapezoidal rule's error that half the intervals remove
EXTREMES = ("max", "min", "absmax", "range")
OF_MEANS = ("final", "mean", "integral", AT)  # linear in a history of means over steps


class TimeErrors:
    """Contributions of all steps to the errors of outputs.

    Parameters
    ----------
    build : creates the simulation
    path : of its run
    outputs : derivatives of the outputs by recorded numbers, by name
    largest_growth : of a small change up to the end; errors are refused beyond it

    Attributes
    ----------
    by_step : (steps, outputs) contribution of each step to the error of each output
    halves : (steps, 2, k) numbers after the half steps, by recorded output
    unsolved : number of steps whose half steps did not converge; their errors count as zero
    """

    def __init__(
        self,
        build: Callable[[], Simulation],
        path: Path,
        outputs: Mapping[str, Rows],
        largest_growth: float = LARGEST,
    ):
        self.by_step = np.zeros((len(path), len(outputs)))
        columns = sorted(set().union(*(rows.columns for rows in outputs.values())))
        half = HalfSteps(_simulation(build), columns)
        half_outputs: dict[str, list[Array]] = {name: [] for name in columns}
        all_outputs = list(outputs.values())
        errors: dict[int, Array] = {}
        for first in range(0, len(all_outputs), OUTPUTS_PER_PASS):
            group = all_outputs[first : first + OUTPUTS_PER_PASS]
            weights = together(group, len(path) + 1)
            adjoint = Adjoint(_simulation(build), path, weights, _simulation(build), errors=True)
            growth = AdjointGrowth(adjoint.numbers, float(path.ends[-1]), largest_growth)
            for number, state in adjoint.steps(growth.end()):
                growth.check(float(path.clocks[number][0]), state)
                if number not in errors:
                    start, end = adjoint.states[number : number + 2]
                    error, numbers = half.error(start, end, path.clocks[number])
                    errors[number] = adjoint.numbers.from_changes(error, end)
                    for name, rows in half_outputs.items():
                        rows.append(np.array([half_step[name] for half_step in numbers]))
                self.by_step[number, first : first + len(group)] = (
                    errors[number] @ adjoint.at_end[:, : len(group)]
                )
        self.halves = {name: rows[::-1] for name, rows in half_outputs.items()}
        self.unsolved = half.unsolved


def _simulation(build: Callable[[], Simulation]) -> Simulation:
    return made(lambda _: build(), {})


class _WithOtherRows:
    """A source with other numbers in the rows of some outputs."""

    def __init__(self, source: Source, rows: Mapping[str, Array]):
        self._source, self.info, self._rows = source, source.info, rows

    def read(self, name: str, rows: slice) -> np.ndarray:
        """Rows of a column."""
        values = self._source.read(name, rows)
        new = self._rows.get(name.removeprefix(GROUP)) if name.startswith(GROUP) else None
        if new is None:
            return values
        flat = np.ascontiguousarray(new[rows])
        return (flat.view(values.dtype) if values.dtype.names else flat).reshape(values.shape)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)


def reduction_error(output: Output, source: Source, errors: TimeErrors) -> float:
    """Error of a reduction over time itself, besides those of the steps: sums over rows, extremes between them."""
    if not isinstance(output, Reduction) or output.name not in (*RULES, AT) or errors.unsolved:
        return 0.0
    result = Result(source)
    times, values, constant = output.history(result)
    if output.name in ("final", AT) and not constant:
        return 0.0
    after_halves = []
    for k in (0, 1):
        rows = {name: np.array([pair[k] for pair in pairs]) for name, pairs in errors.halves.items()}
        after_halves.append(Result(_WithOtherRows(source, rows)))
    if constant and output.name in OF_MEANS:
        return _error_of_means(output, result, after_halves)
    halves = [output.history(after)[1] for after in after_halves]
    fine_t, fine = np.empty(2 * len(times)), np.empty(2 * len(times))
    fine_t[1::2], fine[1::2] = times, (halves[1] if constant else values)
    fine_t[::2], fine[::2] = times - 0.5 * np.diff(times, prepend=source.info.start_time), halves[0]
    whole_steps = output.window(result, times, values, constant)
    half_steps = output.window(result, fine_t, fine, constant)
    if output.name in EXTREMES:
        better = _extreme(output.name, half_steps[0][1:], half_steps[1][1:])
        return float(REDUCTIONS[output.name](*whole_steps) - better)
    share = 1.0 if constant else TRAPEZOIDAL_SHARE
    coarse, better = (REDUCTIONS[output.name](*window) for window in (whole_steps, half_steps))
    return float((coarse - better) / share)


def _error_of_means(output: Reduction, result: Result, after_halves: Sequence[Result]) -> float:
    """Error of a linear reduction of means over steps, by their own local errors: an eighth of it with half steps."""
    vectors, halves = output.vectors(result), [output.vectors(after) for after in after_halves]
    local = (vectors - 0.5 * (halves[0] + halves[1])) / (1.0 - 2.0**-ORDER)
    times, values, constant = output.history(result)
    if output.name == AT:
        by = np.zeros(len(times))
        by[min(int(np.searchsorted(times, output.time)), len(times) - 1)] = 1.0
    else:
        by = by_values(output, result, times, values, constant)
    return float(by @ (by_component(vectors) * local).sum(axis=1))


def _extreme(name: str, t: Array, y: Array) -> float:
    """Extreme of the parabola through the extreme value and its neighbours."""
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
    curvature = (right / b + left / a) / (a + b)
    return float(y[k] - 0.25 * slope**2 / curvature) if curvature != 0.0 else float(y[k])
