"""Function `fit_law`: fits the parameters of a friction law to a measurement, with standard errors and intervals.

Start values that the user does not give are guessed from the scales of the data (`guess`) and refined by a scan of
factors (`starts`). A parameter's role (`forms.role`) determines its scale: for coefficients that of force over normal
force, for stiffnesses that of the coefficient over a length of the path, and so on. These are correct within some
decades only; the scan, one parameter after the other, selects among them by the sum of squares.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np

from fem_mbd.applications.fitting.data import Measurement
from fem_mbd.applications.fitting.forms import FitOptions, Free, LawForm, law_form, role, unit
from fem_mbd.applications.fitting.search import (
    Objective,
    Path,
    Solution,
    Uncertainty,
    interval,
    path_of,
    search,
    uncertainty,
)
from fem_mbd.applications.fitting.space import Space, space_of
from fem_mbd.base.arrays import Array
from fem_mbd.errors import InputError, SolverFailure

DECADES = tuple(10.0 ** (k / 2) for k in range(-6, 7))
GUESS_FACTORS = (0.5, 0.7, 1.0, 1.4, 2.0)
SWEEPS = 2
SAMPLES = 30  # random points per guessed parameter
# usual values of shape parameters without a default; others: one half
SHAPES = {"K_a": 20.0, "K_1": 1.0}


@dataclass(frozen=True)
class Scales:
    """Scales of the data: largest and usual coefficient, speed in m/s, length of path in m, time in s, normal force in
    N.
    """

    largest: float
    usual: float
    speed: float
    length: float
    time: float
    normal_force: float


def scales_of(data: Measurement) -> Scales:
    """Scales of a measurement; the outermost 2 % of the rows are ignored."""
    mu = np.abs(data.coefficient)
    if data.time is None:
        assert data.velocity is not None
        v, length, time = np.abs(data.velocity), 1e-4, 1.0
    else:
        if data.displacement is not None:
            v = np.abs(np.gradient(data.displacement, data.time))
        else:
            assert data.velocity is not None
            v = np.abs(data.velocity)
        time = float(data.time[-1] - data.time[0])
        length = 0.1 * float(np.mean(v)) * time / (1 + _reversals(data))
    fast = v >= np.median(v)
    return Scales(
        float(np.quantile(mu, 0.98)),
        float(np.median(mu[fast])),
        float(np.quantile(v, 0.98)),
        length,
        0.1 * time,
        float(np.median(data.normal_force)),
    )


def _reversals(data: Measurement) -> int:
    v = np.diff(data.displacement) if data.displacement is not None else data.velocity
    assert v is not None
    symbols = np.sign(v[v != 0.0])
    return int(np.count_nonzero(np.diff(symbols)))


def guess(form: LawForm, name: str, s: Scales) -> float:
    """First guess of one parameter; InputError for one of a law unknown to this package."""
    parameter_role = role(form.kind, name)
    usual = max(s.usual, 1e-6 * s.largest)
    by_name = {
        "mu_s": max(s.largest, 1.05 * usual), "f_1": max(s.largest, 1.05 * usual), "f_2": 0.3 * usual,
        "delta_mu_s": 0.1 * usual, "v_1": 0.2 * s.speed,
        **SHAPES,
    }  # fmt: skip
    by_role = {
        "coefficient": usual,
        "shape": 0.5,
        "length": s.length,
        "speed": 0.1 * s.speed,
        "time": s.time,
        "rate": 10.0 / s.time,
        "acceleration": s.speed / s.time,
        "stiffness": usual / s.length,
        "slope": 10.0 / s.speed,
        "damping": usual / s.speed,
        "viscous": 0.1 * usual / s.speed,
        "quadratic": 0.1 * usual / (s.speed * s.speed),
    }
    if parameter_role not in by_role:
        raise InputError(f"{form.name} {name}: no start value is known: give one")
    value = by_name.get(name, by_role[parameter_role])
    if unit(form.kind, name).startswith("N"):
        value *= s.normal_force
    free = form.free[name]
    return min(max(value, free.low), free.high)


def starts(
    form: LawForm, data: Measurement, cost: Callable[[Mapping[str, float]], float], seed: int = 0
) -> list[dict[str, float]]:
    """One or two start points, the better first: parameters as given, or guessed and then scanned.

    ``cost``: sum of squares at given values, inf where the law rejects them. The second point is the best of some
    random ones (seeded), where two or more parameters are guessed: scanning them one after the other can mislead.
    """
    s = scales_of(data)
    start = {
        name: guess(form, name, s) if free.start is None else free.start for name, free in form.free.items()
    }
    shares = [name for name in start if role(form.kind, name) == "share"]
    start |= {name: start[name] / sum(start[share] for share in shares) for name in shares}
    guessed = [name for name, free in form.free.items() if free.start is None]
    # stiffness and coefficients first: while they are far off, the others have no visible effect
    guessed.sort(key=lambda name: role(form.kind, name) not in ("stiffness", "coefficient", "length"))
    points = [_best_of_scan(form, start, guessed, cost)]
    if len(guessed) > 1:
        rng = np.random.default_rng(seed)
        samples = [_random_point(form, start, guessed, rng) for _ in range(SAMPLES * len(guessed))]
        points.append(_best_of_scan(form, min(samples, key=cost), guessed, cost))
    return sorted(points, key=cost)


def _factors(form: LawForm, name: str) -> tuple[float, ...]:
    return GUESS_FACTORS if role(form.kind, name) in ("coefficient", "shape") else DECADES


def _multiplied(form: LawForm, at: Mapping[str, float], name: str, factor: float) -> dict[str, float]:
    """``at`` with one parameter multiplied, kept within the user's bounds."""
    free = form.free[name]
    return {**at, name: min(max(at[name] * factor, free.low), free.high)}


def _best_of_scan(
    form: LawForm,
    at: Mapping[str, float],
    guessed: Sequence[str],
    cost: Callable[[Mapping[str, float]], float],
) -> dict[str, float]:
    """The best of several factors on each parameter, one after the other."""
    best, point = cost(at), dict(at)
    for _ in range(SWEEPS):
        for name in guessed:
            centre = point
            for factor in _factors(form, name):
                trial = _multiplied(form, centre, name, factor)
                value = cost(trial)
                if value < best:
                    best, point = value, trial
    return point


def _random_point(
    form: LawForm, at: Mapping[str, float], guessed: Sequence[str], rng: np.random.Generator
) -> dict[str, float]:
    point = dict(at)
    for name in guessed:
        # half the decades of the scan, to each side
        factors = _factors(form, name)
        exponent = 1.0 if factors is GUESS_FACTORS else 0.5
        point = _multiplied(form, point, name, factors[-1] ** (exponent * rng.uniform(-1.0, 1.0)))
    return point


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
