"""Measured histories of a mechanism's quantities, the residuals of a run, and uncertainty of calibrated parameters.

`histories` takes them from arrays or a CSV file (`read_csv`). A file has one line of names followed by numbers in SI
units; ``#`` begins a comment. The first column is ``time`` (s), the others are quantities, ``PART.QUANTITY`` or
``PART.QUANTITY[COMPONENT]``, as in the outputs of a sweep. An empty entry is a missing value.

`Comparison` evaluates the same quantities of a run. `Objective` has the weighted residuals of a calibration and their
exact derivatives, each from one run of the mechanism.

`uncertainty` finds standard errors, correlations and undetermined parameters. With J (n, m) the derivatives of the
weighted residuals r at the minimum and s^2 = r.r/(n - m),

    cov(p) = s^2 (J^T J)^-1,

exact where outputs are linear in the parameters and errors are independent, normal and of equal variance; otherwise
accurate to first order. Columns of J are scaled to length one; a singular value below `SINGULAR_RATIO` times the
largest belongs to a combination of parameters that the data do not determine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.analysis.sensitivity.setup import PARAMETER_RANGE
from fem_mbd.applications.fitting.data import number_table
from fem_mbd.applications.gradients.gradient import Build, DifferentiableRun
from fem_mbd.applications.gradients.outputs import derivative
from fem_mbd.applications.sweeps.outputs import LOADS, Quantities, Reduction, check_outputs
from fem_mbd.base.arrays import Array, Flags
from fem_mbd.base.validation import array, positive
from fem_mbd.errors import InputError, SolverFailure
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.running.runs import RunFailed

TIME = "time"
VALUE_TOLERANCE = 1e-12  # share of a history's size by which values that are all the same may differ
Given = Mapping[str, tuple[ArrayLike, ArrayLike] | tuple[ArrayLike, ArrayLike, ArrayLike]]


@dataclass(frozen=True, eq=False)
class History:
    """Measured values of one quantity.

    Attributes
    ----------
    name : PART.QUANTITY or PART.QUANTITY[COMPONENT]
    time : (n,) s
    values : (n,) in the quantity's unit
    sigma : (n,) standard deviations of the values, in the same unit: the weight of a value is 1/sigma
    """

    name: str
    time: Array
    values: Array
    sigma: Array


def histories(data: Given | str | Path) -> list[History]:
    """Measured histories.

    Parameters
    ----------
    data : name of a quantity to (time, values) or (time, values, sigma), or the path of a CSV file. Sigma, the
        standard deviation of a value, is one number or one for each value; by default it is the standard deviation of
        the history, which gives all histories the same weight whatever their units.

    Raises
    ------
    InputError
        For arrays of unequal length, entries that are not finite, times that do not increase, and unreadable files.
    """
    measured = read_csv(Path(data)) if isinstance(data, (str, Path)) else data
    if not isinstance(measured, Mapping):
        raise InputError(
            f"calibrate: data is {measured!r}: give names of quantities with (times, values), or a file"
        )
    if not measured:
        raise InputError("calibrate: there are no measured histories: give at least one")
    return [_history(name, *arrays) for name, arrays in measured.items()]


def _history(name: str, time: ArrayLike, values: ArrayLike, sigma: ArrayLike | None = None) -> History:
    try:
        t, y = np.array(time, dtype=float), np.array(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"history {name}: times and values must be arrays of numbers ({error})") from error
    if t.ndim != 1 or t.shape != y.shape or not len(t):
        raise InputError(f"history {name}: times have shape {t.shape}, values {y.shape}: give (n,) for both")
    if not (np.isfinite(t).all() and np.isfinite(y).all()):
        raise InputError(f"history {name}: not all times and values are finite: leave those rows out")
    if np.any(np.diff(t) <= 0.0):
        raise InputError(f"history {name}: times must increase from row to row")
    spread, size = float(np.std(y)), float(np.abs(y).max())
    spread = spread if spread > VALUE_TOLERANCE * size else size or 1.0
    return History(name, t, y, _deviations(name, len(t), spread if sigma is None else sigma))


def _deviations(name: str, count: int, sigma: Any) -> Array:
    """(count,) standard deviations from one number or one for each value."""
    if np.ndim(sigma) == 0:
        return np.full(count, positive(sigma, f"sigma of history {name}"))
    deviations = array(sigma, (count,), f"sigma of history {name}")
    if not (deviations > 0.0).all():
        raise InputError(
            f"sigma of history {name}: {deviations.min():g} is not above zero: leave such values out"
        )
    return deviations


def read_csv(file: Path) -> dict[str, tuple[Array, Array]]:
    """Histories of a file, by the names of its columns; InputError naming the line for invalid entries."""
    names, _, rows = number_table(file, str.strip, lambda _, entry: not entry.strip())
    if not names:
        raise InputError(f"{file}: it is empty")
    if names[0] != TIME or len(names) < 2:
        raise InputError(
            f"{file}: the first line must be '{TIME}' and names of quantities, separated by commas"
        )
    table = np.array(rows).reshape(len(rows), len(names))
    measured = {name: ~np.isnan(table[:, k]) for k, name in enumerate(names)}
    return {name: (table[measured[name], 0], table[measured[name], k]) for k, name in enumerate(names) if k}


class Comparison:
    """Evaluates the quantities of measured histories in a run.

    Parameters
    ----------
    measured : histories
    quantities : of the model's parts
    end_time : s, of the run

    Raises
    ------
    InputError
        For quantities that the model does not have, and times outside the run.
    """

    def __init__(self, measured: list[History], quantities: Quantities, end_time: float):
        self._measured = measured
        reductions: Any = check_outputs({h.name: f"final({h.name})" for h in measured}, quantities)
        self._quantities: dict[str, Reduction] = reductions
        for h in measured:
            if self._quantities[h.name].part == LOADS:
                raise InputError(
                    f"history {h.name}: a load channel cannot be evaluated between steps: use a quantity of a part"
                )
            if h.time[0] < 0.0 or h.time[-1] > end_time:
                raise InputError(
                    f"history {h.name}: it is measured from {h.time[0]:g} to {h.time[-1]:g} s, the run takes 0 to "
                    f"{end_time:g} s: shift the times, or run longer"
                )

    def calculated(self, result: Result) -> Array:
        """(n,) values of the run at the measured times, one history after the other."""
        return np.concatenate([self._quantities[h.name].values_at(result, h.time) for h in self._measured])

    @property
    def values(self) -> Array:
        """(n,) measured values."""
        return np.concatenate([h.values for h in self._measured])

    @property
    def sigma(self) -> Array:
        """(n,) their standard deviations."""
        return np.concatenate([h.sigma for h in self._measured])

    def split(self, values: Array) -> dict[str, Array]:
        """(n,) numbers by the name of their history."""
        ends = np.cumsum([len(h.time) for h in self._measured])[:-1]
        return dict(zip((h.name for h in self._measured), np.split(values, ends), strict=True))


REGULARISATION = 1e-10  # weight of changes of the parameters, over that of the data
SMALLEST_RATIO = 1e-3  # least size of a parameter, as a fraction of its scale


class Objective:
    """Residuals (n + m,) and derivatives (n + m, m) at parameters in units of their scales.

    The last m residuals hold the parameters at their start with hardly any weight: SciPy's search fails on matrices
    that are exactly singular, where the data do not determine a parameter.

    Parameters
    ----------
    build : creates the simulation from the values of the parameters
    measured : histories
    scales : sizes of the parameters by name
    limits : (2, m) low and high bounds, in units of the scales
    largest_growth : see `fem_mbd.gradient`
    watch : called after each run

    Attributes
    ----------
    runs, derivatives : their numbers so far
    best : weighted sum of squares of the residuals, and parameters, of the best run so far
    failure : reason of the last failed run, "" if there is none
    """

    def __init__(
        self,
        build: Build,
        measured: list[History],
        scales: Mapping[str, float],
        limits: Array,
        largest_growth: float,
        watch: Callable[[Objective], None] = lambda objective: None,
    ):
        self._build, self._measured, self._names = build, measured, list(scales)
        self._scales, self._limits, self._largest_growth = dict(scales), limits, largest_growth
        self._watch = watch
        self._last: tuple[Array, DifferentiableRun, Comparison] | None = None
        self._first, self._hold = np.zeros(len(scales)), 0.0
        self.runs = self.derivatives = 0
        self.failure = ""
        self.best: tuple[float, dict[str, float]] = np.inf, {}

    def values(self, x: Array) -> dict[str, float]:
        """Parameters by name."""
        return {name: float(value) * self._scales[name] for name, value in zip(self._names, x, strict=True)}

    def at(self, x: Array) -> tuple[DifferentiableRun, Comparison]:
        """The run with these parameters; the last one is cached.

        Raises
        ------
        InputError, RunFailed, SolverFailure
            When the model is invalid or its run fails.
        """
        if self._last is None or not np.array_equal(self._last[0], x):
            self.runs += 1
            run = DifferentiableRun(self._build, self.values(x), "calibrate")
            end = float(run.result.output_time[-1])
            self._last = x.copy(), run, Comparison(self._measured, run.quantities, end)
        return self._last[1:]

    def residuals(self, x: Array) -> Array:
        """Calculated minus measured values over their standard deviation; infinite where the run fails, which lets the
        search shorten its step."""
        try:
            run, comparison = self.at(x)
        except (InputError, RunFailed, SolverFailure) as error:
            if self._last is None:  # the first run
                raise
            self.failure = str(error)
            return np.full(sum(len(h.time) for h in self._measured) + len(x), np.inf)
        calculated: Array = run.evaluate(comparison.calculated)
        residuals = (calculated - comparison.values) / comparison.sigma
        if (squares := float(residuals @ residuals)) < self.best[0]:
            self.best = squares, self.values(x)
        self._watch(self)
        return np.concatenate([residuals, self._hold * (x - self._first)])

    def _sizes(self, x: Array) -> dict[str, float]:
        """Sizes of the parameters for differences of the set-up, small enough to stay within the bounds."""
        distance = np.minimum(x - self._limits[0], self._limits[1] - x)
        sizes = {}
        for name, value, distance_left in zip(self._names, x, distance, strict=True):
            sizes[name] = self._scales[name] * min(
                max(abs(value), SMALLEST_RATIO), 0.5 * distance_left / PARAMETER_RANGE
            )
        return sizes

    def jacobian(self, x: Array) -> Array:
        """Derivatives of the residuals by ``x``."""
        run, comparison = self.at(x)
        run.evaluate(comparison.calculated)
        try:
            tangents = run.tangents(self._sizes(x), self._largest_growth)
        except InputError as error:
            if not self.derivatives:
                raise
            raise InputError(
                f"calibrate: the search reached values without derivatives, give bounds: {error}"
            ) from error
        self.derivatives += 1
        columns = [
            derivative(run.result.source, tangents[name], comparison.calculated)
            / comparison.sigma
            * self._scales[name]
            for name in self._names
        ]
        jacobian = np.stack(columns, axis=1)
        if self._hold == 0.0:
            self._first, self._hold = x.copy(), REGULARISATION * float(np.linalg.norm(jacobian))
        return np.concatenate([jacobian, self._hold * np.eye(len(x))])


SINGULAR_RATIO = 1e-6  # smallest singular value of a determined combination, relative to the largest
NAMED_SHARE = 0.2  # component of an undetermined combination, relative to its largest, that names a parameter
# change of the residuals, in sigma, by a change of a parameter by its size: smaller is none
NO_INFLUENCE = 1e-9


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """Uncertainty of m parameters.

    Attributes
    ----------
    errors : (m,) standard errors; nan at a bound, inf where the data do not determine the parameter
    correlation : (m, m), nan for those
    condition : of the scaled derivatives
    freedom : n - m
    undetermined : sets of parameters of which the data determine at most a combination
    """

    errors: Array
    correlation: Array
    condition: float
    freedom: int
    undetermined: tuple[tuple[int, ...], ...]


def uncertainty(jacobian: Array, residuals: Array, sizes: Array, at_bound: Flags) -> Uncertainty:
    """Uncertainty at a minimum.

    Parameters
    ----------
    jacobian : (n, m) derivatives of the weighted residuals
    residuals : (n,) at the minimum
    sizes : (m,) of the parameters
    at_bound : (m,) parameters at a bound, treated as known
    """
    n, m = jacobian.shape
    free = np.flatnonzero(~at_bound)
    freedom = n - len(free)
    lengths = np.linalg.norm(jacobian, axis=0)
    without_influence = [k for k in free if lengths[k] * sizes[k] <= NO_INFLUENCE * np.sqrt(n)]
    active = np.array([k for k in free if k not in without_influence], dtype=int)
    errors, correlation = np.full(m, np.nan), np.full((m, m), np.nan)
    errors[without_influence] = np.inf
    undetermined: list[tuple[int, ...]] = [(int(k),) for k in without_influence]
    condition = 1.0
    if len(active):
        _, singular, v = np.linalg.svd(jacobian[:, active] / lengths[active], full_matrices=False)
        condition = float(singular[0] / singular[-1]) if singular[-1] > 0.0 else np.inf
        weak = [np.abs(v[k]) for k in range(len(singular)) if singular[k] <= SINGULAR_RATIO * singular[0]]
        combinations = [active[row > NAMED_SHARE * row.max()] for row in weak]
        undetermined += [tuple(int(k) for k in group) for group in combinations]
        variance = float(residuals @ residuals) / freedom if freedom > 0 else np.nan
        determined = singular > SINGULAR_RATIO * singular[0]
        factor = v[determined].T / singular[determined]
        covariance = variance * (factor @ factor.T) / np.outer(lengths[active], lengths[active])
        errors[active] = np.sqrt(np.diag(covariance))
        with np.errstate(invalid="ignore", divide="ignore"):
            correlation[np.ix_(active, active)] = covariance / np.outer(errors[active], errors[active])
        for group in combinations:
            errors[group] = np.inf
            correlation[group, :] = correlation[:, group] = np.nan
    return Uncertainty(errors, correlation, condition, freedom, tuple(undetermined))
