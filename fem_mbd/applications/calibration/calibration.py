"""`calibrate`: parameters of a mechanism from measured histories, with intervals.

Its figure shows measured and calculated histories, and their differences.
"""

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
from fem_mbd.applications.calibration.histories import Given, History, histories
from fem_mbd.applications.calibration.objective import Objective
from fem_mbd.applications.calibration.uncertainty import Uncertainty, uncertainty
from fem_mbd.applications.gradients.differentiable_run import Build, parameter_values
from fem_mbd.base.arrays import Array
from fem_mbd.base.suggestions import nearest
from fem_mbd.base.validation import finite, positive
from fem_mbd.errors import FemMbdWarning, InputError, SolverFailure
from fem_mbd.output.figures.plots import COLOURS, legend, new_figure, save, styled
from fem_mbd.runs.results.result import Result

TOLERANCE = 1e-8  # relative, of the sum of squares and of the parameters
AT_BOUND = 1e-6  # of a parameter and its scale: the search stays inside of the bounds


@dataclass(frozen=True, eq=False)
class Calibration:
    """Parameters that were found.

    Attributes
    ----------
    names : of the parameters
    values, start : (m,) found, and at the start of the search
    at_bound : (m,) whether a value lies at a bound
    uncertainty : standard errors, correlations, undetermined parameters
    measured : histories
    calculated : by the name of a history, values of the last run at the measured times
    rms : of the residuals in units of sigma
    runs, derivatives : how many runs, and how many of them with derivatives, the search took
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
        """(m, 2) confidence intervals by Student's t; nan at a bound, infinite where nothing is determined.

        Parameters
        ----------
        level : between 0 and 1
        """
        if not 0.0 < finite(level, "level") < 1.0:
            raise InputError(f"level is {level:g}: give a probability between 0 and 1, such as 0.95")
        if self.uncertainty.freedom < 1:
            return np.full((len(self.names), 2), np.nan)
        half = student.ppf(0.5 + 0.5 * level, self.uncertainty.freedom) * self.uncertainty.errors
        return np.stack([self.values - half, self.values + half], axis=1)

    @property
    def undetermined(self) -> tuple[tuple[str, ...], ...]:
        """Parameters of which the data show nothing (one name), or a combination only (several)."""
        return tuple(tuple(self.names[k] for k in one) for one in self.uncertainty.undetermined)

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
) -> Calibration:
    """Find parameters with which a mechanism moves as it was measured.

    Weighted least squares by SciPy's trust-region method, whose derivatives are exact: those of `fem_mbd.gradient`.

    Parameters
    ----------
    build : makes the simulation from the values of the parameters, ``build({"length": 1.0, …})``
    data : measured histories: name of a quantity, ``"hinge.force"``, ``"bob.position[0]"``, to (time, values) or
        (time, values, sigma); or a CSV file with the columns time, PART.QUANTITY, …
    wrt : parameters by name, with their values at the start
    bounds : (low, high) of a parameter by name; None or an infinity for none
    scale : size of a parameter whose value is zero, by name
    largest_growth : see `fem_mbd.gradient`
    most_runs : after which the search gives up

    Returns
    -------
    Calibration; a `FemMbdWarning` names the parameters that the data do not determine.

    Raises
    ------
    InputError
        For data, names and values that cannot be, for fewer measured values than parameters, and as `fem_mbd.gradient`.
    fem_mbd.analysis.sensitivity.growth.BeyondHorizon
        Where the motion is chaotic.
    RunFailed, SolverFailure
        When the first run fails, or no minimum is found.
    """
    start, measured = parameter_values(wrt), histories(data)
    _check_counts(len(start), sum(len(h.time) for h in measured))
    scales = {
        name: positive((scale or {}).get(name, abs(value)), _no_size(name)) for name, value in start.items()
    }
    unit = np.array(list(scales.values()))
    first = np.array(list(start.values())) / unit
    limits = _limits(bounds or {}, start) / unit
    objective = Objective(build, measured, scales, limits, largest_growth)
    found = least_squares(
        objective.residuals, first, objective.jacobian, bounds=limits, x_scale="jac",
        ftol=TOLERANCE, xtol=TOLERANCE, gtol=None, max_nfev=most_runs,
    )  # fmt: skip
    if found.status <= 0:
        why = f"; runs failed on the way: {objective.failure}" if objective.failure else ""
        raise SolverFailure(
            f"calibrate: no minimum within {most_runs} runs{why}: give another start, or bounds"
        )
    return _calibration(objective, found, measured, np.array(list(start.values())), unit, limits)


def _check_counts(parameters: int, values: int) -> None:
    if not parameters:
        raise InputError("calibrate: give at least one parameter (wrt)")
    if values < parameters:
        raise InputError(f"calibrate: {values} measured values for {parameters} parameters: give more values")


def _no_size(name: str) -> str:
    return f"the size of parameter {name} (scale; its value where that is not zero)"


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
    objective: Objective, found: Any, measured: list[History], start: Array, unit: Array, limits: Array
) -> Calibration:
    at_bound = np.minimum(found.x - limits[0], limits[1] - found.x) <= AT_BOUND * np.maximum(
        1.0, np.abs(found.x)
    )
    sizes = np.maximum(np.abs(found.x), 1.0)
    own = slice(-len(found.x))  # those of the data
    known = uncertainty(found.jac[own], found.fun[own], sizes, at_bound)
    run, comparison = objective.at(found.x)
    errors = known.errors * unit
    known = Uncertainty(errors, known.correlation, known.condition, known.freedom, known.undetermined)
    names = tuple(objective.values(found.x))
    calibration = Calibration(
        names, found.x * unit, start, at_bound, known, tuple(measured),
        comparison.split(comparison.calculated(run.result)), float(np.sqrt(np.mean(found.fun[own] ** 2))),
        objective.runs, objective.derivatives, run.result,
    )  # fmt: skip
    for one in calibration.undetermined:
        what = "a combination of them only shows" if len(one) > 1 else "it does not show"
        warnings.warn(
            f"calibrate: the data do not determine {' and '.join(one)}: {what} in the histories; hold one, or "
            "measure more", FemMbdWarning, stacklevel=3,
        )  # fmt: skip
    return calibration


def draw_calibration(found: Calibration, file: Path, title: str = "") -> Path:
    """Draw each history with the run's, and below what is left in units of sigma.

    Parameters
    ----------
    found : parameters and histories
    file : of the figure
    title : above it
    """
    with styled():
        figure, axes = new_figure(rows=len(found.measured), columns=2, height=2.2 * len(found.measured))
        for (left, right), history in zip(axes, found.measured, strict=True):
            calculated = found.calculated[history.name]
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
