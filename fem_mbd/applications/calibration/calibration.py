"""Function `calibrate`: parameters of a mechanism from measured histories, with confidence intervals and a figure."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import least_squares
from scipy.stats import t as student

from fem_mbd.analysis.sensitivity.growth import LARGEST
from fem_mbd.applications.calibration.histories import (
    Given,
    History,
    Objective,
    Uncertainty,
    histories,
    uncertainty,
)
from fem_mbd.applications.gradients.gradient import Build, parameter_values
from fem_mbd.base.arrays import Array
from fem_mbd.base.lazy import nearest
from fem_mbd.base.validation import finite, positive
from fem_mbd.errors import FemMbdWarning, InputError, SolverFailure
from fem_mbd.output.figures.plots import COLOURS, legend, new_figure, save, styled
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.running.interruption import Interrupted
from fem_mbd.runs.running.progress import StatusLine

TOLERANCE = 1e-8  # relative, of the sum of squares and of the parameters
# distance from a bound, relative to a parameter and its scale, that counts as at the bound
BOUND_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Calibration:
    """Calibrated parameters.

    Attributes
    ----------
    names : of the parameters
    values, start : (m,) calibrated, and at the start of the search
    at_bound : (m,) whether a value lies at a bound
    uncertainty : standard errors, correlations, undetermined parameters
    measured : histories
    calculated : by the name of a history, values of the last run at the measured times
    rms : of the residuals in units of sigma
    runs, derivatives : number of runs of the search, and of those with derivatives
    result : of the run with these parameters
    """

    names: tuple[str, ...]
    values: Array
    start: Array
    at_bound: Array
    uncertainty: Uncertainty
    measured: tuple[History, ...]
    calculated: Mapping[str, Array]
    rms: float
    runs: int
    derivatives: int
    result: Result

    def of(self, name: str) -> float:
        """The value of a parameter.

        Parameters
        ----------
        name : of the parameter

        Raises
        ------
        InputError
            For an unknown name.
        """
        if name not in self.names:
            raise InputError(f"calibration: there is no parameter {name!r}; {nearest(name, self.names)}")
        return float(self.values[self.names.index(name)])

    def intervals(self, level: float = 0.95) -> Array:
        """(m, 2) confidence intervals by Student's t; nan at a bound, infinite for undetermined parameters.

        Parameters
        ----------
        level : between 0 and 1
        """
        if not 0.0 < finite(level, "level") < 1.0:
            raise InputError(f"level is {level:g}: give a probability between 0 and 1, such as 0.95")
        if self.uncertainty.freedom < 1:
            return np.full((len(self.names), 2), np.nan)
        half_width = student.ppf(0.5 + 0.5 * level, self.uncertainty.freedom) * self.uncertainty.errors
        return np.stack([self.values - half_width, self.values + half_width], axis=1)

    @property
    def undetermined(self) -> tuple[tuple[str, ...], ...]:
        """Parameters that the data do not determine (one name), or only in a combination (several names)."""
        return tuple(tuple(self.names[k] for k in group) for group in self.uncertainty.undetermined)

    def table(self, level: float = 0.95) -> str:
        """Values and intervals line by line.

        Parameters
        ----------
        level : probability of the intervals
        """
        lines = [f"{'parameter':16s}{'start':>14s}{'value':>14s}   {100 * level:g} % interval"]
        for k, (name, (low, high)) in enumerate(zip(self.names, self.intervals(level), strict=True)):
            text = "at a bound" if self.at_bound[k] else f"{low:.6g} .. {high:.6g}"
            if np.isinf(self.uncertainty.errors[k]):
                text = "not determined by the data"
            lines.append(f"{name:16s}{self.start[k]:14.6g}{self.values[k]:14.6g}   {text}")
        lines.append(
            f"residual {self.rms:.4g} sigma rms; condition {self.uncertainty.condition:.3g}; {self.runs} runs, "
            f"{self.derivatives} of them with derivatives"
        )
        return "\n".join(lines)

    def plot(self, file: str | Path, title: str = "") -> Path:
        """Draw measured and calculated histories into a file, which is returned; needs matplotlib.

        Parameters
        ----------
        file : of the figure, by its ending PNG, SVG or PDF
        title : above it
        """
        return draw_calibration(self, Path(file), title)

    def __repr__(self) -> str:
        return f"<Calibration of {', '.join(self.names)}>\n{self.table()}"


def calibrate(
    build: Build,
    data: Given | str | Path,
    wrt: Mapping[str, float],
    *,
    bounds: Mapping[str, Sequence[float | None]] | None = None,
    scale: Mapping[str, float] | None = None,
    largest_growth: float = LARGEST,
    most_runs: int = 100,
    progress: bool | None = None,
) -> Calibration:
    """Find the parameters with which the calculated motion of a mechanism fits measured histories best.

    Weighted least squares by SciPy's trust-region method with the exact derivatives of `fem_mbd.gradient`.

    Parameters
    ----------
    build : creates the simulation from the values of the parameters, ``build({"length": 1.0, …})``
    data : measured histories: name of a quantity, ``"hinge.force"``, ``"bob.position[0]"``, to (time, values) or
        (time, values, sigma); or a CSV file with the columns time, PART.QUANTITY, …
    wrt : parameters by name, with their values at the start
    bounds : (low, high) of a parameter by name; None or an infinity for none
    scale : size of a parameter whose value is zero, by name
    largest_growth : see `fem_mbd.gradient`
    most_runs : largest number of runs
    progress : None shows runs, misfit and parameters on a terminal, True also elsewhere, False nowhere

    Returns
    -------
    Calibration; a `FemMbdWarning` names parameters that the data do not determine.

    Raises
    ------
    InputError
        For invalid data, names and values, fewer measured values than parameters, and as `fem_mbd.gradient`.
    fem_mbd.analysis.sensitivity.growth.BeyondHorizon
        Where the motion is chaotic.
    RunFailed, SolverFailure
        When the first run fails, or no minimum is found.
    Interrupted
        On Ctrl-C; its ``kept`` are the best parameters so far, with which the next call may start.
    """
    start, measured = parameter_values(wrt), histories(data)
    _check_counts(len(start), sum(len(h.time) for h in measured))
    scales = {
        name: positive(
            (scale or {}).get(name, abs(value)),
            f"the size of parameter {name} (scale; its value where that is not zero)",
        )
        for name, value in start.items()
    }
    unit = np.array(list(scales.values()))
    first = np.array(list(start.values())) / unit
    limits = _limits(bounds or {}, start) / unit
    line, count = StatusLine(progress), sum(len(h.time) for h in measured)
    objective = Objective(
        build, measured, scales, limits, largest_growth,
        lambda objective: line.update(lambda: _progress(objective, most_runs, count)),
    )  # fmt: skip
    try:
        solution = least_squares(
            objective.residuals, first, objective.jacobian, bounds=limits, x_scale="jac",
            ftol=TOLERANCE, xtol=TOLERANCE, gtol=None, max_nfev=most_runs,
        )  # fmt: skip
    except KeyboardInterrupt as interrupt:
        best = objective.best[1]
        raise Interrupted(
            f"calibrate: interrupted after {objective.runs} runs; the best parameters so far are kept, start there: "
            f"wrt={best}" if best else "calibrate: interrupted before the first run ended; nothing is kept",
            best or None,
        ) from interrupt  # fmt: skip
    line.finish(_progress(objective, most_runs, count))
    if solution.status <= 0:
        failure = f"; some runs failed: {objective.failure}" if objective.failure else ""
        raise SolverFailure(
            f"calibrate: no minimum within {most_runs} runs{failure}: give another start, or bounds"
        )
    return _calibration(objective, solution, measured, np.array(list(start.values())), unit, limits)


def _progress(objective: Objective, most: int, count: int) -> str:
    """Text about the runs so far; the misfit is the root mean square of the ``count`` weighted residuals."""
    squares, values = objective.best
    best = ", ".join(f"{name} = {value:.5g}" for name, value in values.items())
    return (
        f"calibrate: {objective.runs} runs of at most {most}, misfit {np.sqrt(squares / count):.4g}; {best}"
    )


def _check_counts(parameters: int, values: int) -> None:
    if not parameters:
        raise InputError("calibrate: give at least one parameter (wrt)")
    if values < parameters:
        raise InputError(f"calibrate: {values} measured values for {parameters} parameters: give more values")


def _limits(bounds: Mapping[str, Sequence[float | None]], start: Mapping[str, float]) -> Array:
    """(2, m) low and high bounds; InputError where the start is not between them."""
    for name in bounds:
        if name not in start:
            raise InputError(f"bounds: there is no parameter {name!r}; {nearest(name, start)}")
    rows = []
    for name, value in start.items():
        low, high = bounds.get(name, (None, None))
        low, high = -np.inf if low is None else float(low), np.inf if high is None else float(high)
        if not low < high or not low <= value <= high:
            raise InputError(
                f"bounds of {name} are {low:g} and {high:g}: its start, {value:g}, must lie between them"
            )
        rows.append((low, high))
    return np.array(rows).T


def _calibration(
    objective: Objective, solution: Any, measured: list[History], start: Array, unit: Array, limits: Array
) -> Calibration:
    at_bound = np.minimum(solution.x - limits[0], limits[1] - solution.x) <= BOUND_TOLERANCE * np.maximum(
        1.0, np.abs(solution.x)
    )
    sizes = np.maximum(np.abs(solution.x), 1.0)
    data_rows = slice(-len(solution.x))  # residuals of the data
    known = uncertainty(solution.jac[data_rows], solution.fun[data_rows], sizes, at_bound)
    run, comparison = objective.at(solution.x)
    errors = known.errors * unit
    known = Uncertainty(errors, known.correlation, known.condition, known.freedom, known.undetermined)
    names = tuple(objective.values(solution.x))
    calibration = Calibration(
        names, solution.x * unit, start, at_bound, known, tuple(measured),
        comparison.split(comparison.calculated(run.result)), float(np.sqrt(np.mean(solution.fun[data_rows] ** 2))),
        objective.runs, objective.derivatives, run.result,
    )  # fmt: skip
    for group in calibration.undetermined:
        effect = "only a combination of them has an effect" if len(group) > 1 else "it has no effect"
        warnings.warn(
            f"calibrate: the data do not determine {' and '.join(group)}: {effect} on the histories; hold one, or "
            "measure more", FemMbdWarning, stacklevel=3,
        )  # fmt: skip
    return calibration


def draw_calibration(calibration: Calibration, file: Path, title: str = "") -> Path:
    """Draw each measured history with the calculated one, and their difference in units of sigma.

    Parameters
    ----------
    calibration : parameters and histories
    file : of the figure
    title : above it
    """
    with styled():
        figure, axes = new_figure(
            rows=len(calibration.measured), columns=2, height=2.2 * len(calibration.measured)
        )
        for (left, right), history in zip(axes, calibration.measured, strict=True):
            calculated = calibration.calculated[history.name]
            left.plot(history.time, history.values, ".", color="0.6", markersize=3, label="measured")
            left.plot(history.time, calculated, color=COLOURS[0], label="calculated")
            left.set(ylabel=history.name)
            right.plot(history.time, (calculated - history.values) / history.sigma, color=COLOURS[1])
            right.set(ylabel="difference over sigma")
        for ax in axes[-1]:
            ax.set(xlabel="time [s]")
        legend(axes[0, 0])
        figure.suptitle(title)
        return save(figure, file)
