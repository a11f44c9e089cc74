"""Function `fit_law`: fits the parameters of a friction law to a measurement, with standard errors and intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np

from fem_mbd.applications.fitting.data import Measurement
from fem_mbd.applications.fitting.forms import Free, LawForm, law_form, role, unit
from fem_mbd.applications.fitting.guesses import guess, scales_of, starts
from fem_mbd.applications.fitting.options import FitOptions
from fem_mbd.applications.fitting.search import Objective, Path, Solution, path_of, search
from fem_mbd.applications.fitting.space import Space, space_of
from fem_mbd.applications.fitting.uncertainty import Uncertainty, interval, uncertainty
from fem_mbd.base.arrays import Array
from fem_mbd.errors import InputError, SolverFailure


@dataclass(frozen=True)
class FittedParameter:
    """A parameter's value, standard error and confidence interval; nan for both at a bound.

    Attributes
    ----------
    name, unit : of the law's parameter
    value, error : in that unit
    low, high : ends of the confidence interval
    start : start value of the search
    at_bound : whether the value lies at a bound of the search
    """

    name: str
    unit: str
    value: float
    error: float
    low: float
    high: float
    start: float
    at_bound: bool


@dataclass(frozen=True)
class Fit:
    """Result of `fit_law`.

    Attributes
    ----------
    law : with its fitted parameters, ready for a model
    form, data, options : fitted form of the law, measurement and options
    parameters : value, error and interval of each
    uncertainty : covariance, correlations, condition number
    force : (n,) N, the law's force at all rows
    used : (n,) rows used in the fit
    rms : N, of the residuals
    r_squared : share of the variance of the force that the law explains
    aic : Akaike's criterion, smaller is better on the same data
    lag_1 : correlation of successive residuals
    step_error : N, root mean square of the change with twice as many steps
    agreeing : number of starts that led to this minimum
    evaluations : of the law's force along the path
    """

    law: Any
    form: LawForm
    data: Measurement
    options: FitOptions
    parameters: tuple[FittedParameter, ...]
    uncertainty: Uncertainty
    force: Array
    used: np.ndarray
    rms: float
    r_squared: float
    aic: float
    lag_1: float
    step_error: float
    agreeing: int
    evaluations: int

    @property
    def residuals(self) -> Array:
        """Measured force minus the law's, at the rows used."""
        return np.asarray((self.data.force - self.force)[self.used])


def fit_law(
    data: Measurement,
    kind: Any,
    free: Mapping[str, Free | float | None] | None = None,
    held: Mapping[str, Any] | None = None,
    options: FitOptions | None = None,
) -> Fit:
    """Fit a friction law to measured forces by least squares.

    Rows with time are a path of a contact without previous history; rows without time are points of steady sliding.

    Parameters
    ----------
    data : `Measurement`
    kind : class of the law, such as ``LuGre``
    free : parameters to fit, by name: a `Free`, a start value, or None for a guessed start. Parameters without a
        default that are not fixed are fitted as well.
    held : fixed values of parameters, by name
    options : `FitOptions`

    Raises
    ------
    InputError
        For invalid names and values, too few rows, and parameters that the data cannot determine.
    SolverFailure
        When no minimum is found.
    """
    options = options or FitOptions()
    form = law_form(kind, free, held)
    used = _used_rows(data, options.skip)
    if used.sum() <= len(form.free):
        raise InputError(
            f"{data.source}: {used.sum()} rows for {len(form.free)} parameters of {form.name}: give more rows, or hold "
            "parameters"
        )
    objective = Objective(form, path_of(data, options.substeps), data.force, used)
    start_points = starts(form, data, objective.cost, options.seed)
    start = start_points[0]
    space = _with_scales(space_of(form, start), start, data)
    solution = search(objective, space, start_points, options)
    statistics = uncertainty(objective, solution.space, solution.end.u, options.diff_step)
    if not solution.end.converged:
        raise SolverFailure(
            f"fit of {form.name}: no minimum within {options.evaluations} evaluations: give other start "
            "values, or bounds"
        )
    return _result(data, objective, solution, statistics, start, options)


def _used_rows(data: Measurement, skip: float) -> np.ndarray:
    if data.time is None:
        if skip > 0.0:
            raise InputError(f"{data.source}: there is no time: skip requires time")
        return np.ones(data.rows, dtype=bool)
    return np.asarray(data.time - data.time[0] >= skip)


def _with_scales(space: Space, start: Mapping[str, float], data: Measurement) -> Space:
    """Scale linear parameters by their start, or by their guess where the start is zero or very small."""
    scales = scales_of(data)
    sizes = {}
    for c in space.coordinates:
        if c.map == "linear" and role(space.form.kind, c.name):
            sizes[c.name] = max(abs(start[c.name]), 0.1 * abs(guess(space.form, c.name, scales))) or 1.0
    return space.scaled(sizes)


def _result(
    data: Measurement,
    objective: Objective,
    solution: Solution,
    statistics: Uncertainty,
    start: Mapping[str, float],
    options: FitOptions,
) -> Fit:
    values = solution.space.values(solution.end.u)
    law = objective.form.build(values)
    force = objective.path.force(law)
    r = (force - data.force)[objective.used]
    measured = data.force[objective.used]
    n, cost = len(r), float(r @ r)
    variation = float(np.sum((measured - measured.mean()) ** 2))
    step_error = 0.0
    if isinstance(objective.path, Path):
        finer = path_of(data, 2 * options.substeps).force(law)
        step_error = float(np.sqrt(np.mean((finer - force)[objective.used] ** 2)))
    return Fit(
        law, objective.form, data, options, tuple(_parameters(solution, statistics, start, options)), statistics, force,
        objective.used,
        rms=float(np.sqrt(cost / n)),
        r_squared=1.0 - cost / variation if variation > 0.0 else float("nan"),
        aic=n * log(max(cost, 1e-300) / n) + 2.0 * (len(statistics.unknowns) + 1),
        lag_1=float(r[1:] @ r[:-1] / cost) if cost > 0.0 else 0.0,
        step_error=step_error, agreeing=solution.agreeing, evaluations=objective.evaluations,
    )  # fmt: skip


def _parameters(
    solution: Solution, statistics: Uncertainty, start: Mapping[str, float], options: FitOptions
) -> list[FittedParameter]:
    form = solution.space.form
    linear = {c.name: c for c in solution.space.coordinates if c.map == "linear"}
    result = []
    for name, value in solution.space.values(solution.end.u).items():
        at_bound, error = name in statistics.bounded, statistics.errors[name]
        low = high = float("nan")
        if at_bound:
            error = float("nan")
        else:
            low, high = interval(value, error, statistics.freedom, options.level, name not in linear)
            if name in linear:
                low, high = max(low, linear[name].low), min(high, linear[name].high)
        result.append(
            FittedParameter(name, unit(form.kind, name), value, error, low, high, start[name], at_bound)
        )
    return result
