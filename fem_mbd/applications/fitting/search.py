"""Least-squares search for one law and one measurement, and the uncertainty of the fitted parameters.

Steps of a law along a measured path (`Path`) are such that each row lies in the middle of a step. A row's force is then
the law's mean over its step, which is the force at the middle up to second order, so that rows need no interpolation.
Between two rows there are ``substeps`` step lengths: a half, whole ones, a half. The first and the last row have half a
step.

`search` descends from several starts. The sum of squares need not be smooth: laws with memory jump at rows, and a
finite number of steps causes small kinks. The derivatives are therefore central differences over a step that is large
compared with these (``diff_step`` of a parameter).

`uncertainty` finds covariance, confidence intervals and undetermined parameters. With J (n, m) the derivatives at the
minimum, r the residuals and s**2 = r.r/(n - m),

    cov(u) = s**2 (J^T J)**-1,      cov(p) = G cov(u) G^T,      G = dp/du,

exact for laws linear in their parameters and independent normal errors of equal variance, and to first order otherwise.
Intervals are Student's t with n - m degrees of freedom: p +- t e, and p exp(+- t e/p) for positive parameters. A
parameter at a bound counts as fixed there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.interpolate import Akima1DInterpolator
from scipy.optimize import least_squares
from scipy.stats import t as student

from fem_mbd.applications.fitting.data import Measurement
from fem_mbd.applications.fitting.forms import FitOptions, LawForm
from fem_mbd.applications.fitting.space import Space
from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import whole_number
from fem_mbd.errors import InputError
from fem_mbd.friction.probes.slip_path import drive_path, steady_coefficients

TOLERANCE = 1e-9
START_RATIO = 5.0  # range of further starts about the first where there are no bounds
LEAST_SCALE_RATIO = 0.01  # least scale of a parameter at the minimum, relative to its previous scale
ROUND_OFF = 1e-10  # fraction of the force: smaller derivatives are round-off of the differences
STEP_FACTORS, MAX_STEP_RATIO = (1.0, 5.0, 25.0, 125.0), 0.3  # factors of the step in that case, and its limit
COST_TOLERANCE = 1e-3  # relative tolerance for equal minima of the sum of squares
# factors on each parameter in the search for a better minimum nearby, and the largest number of such searches
TRIAL_FACTORS, MAX_TRIALS = (0.1, 0.3, 0.5, 0.65, 0.8, 0.9, 1.1, 1.25, 1.5, 2.0, 3.0, 10.0), 8


@dataclass(frozen=True)
class Path:
    """Steps (m,): slips in m, durations in s, normal forces in N; ``every``: number of steps per row."""

    slips: Array
    dts: Array
    normals: Array
    every: int

    def force(self, law: Any) -> Array:
        """Friction force (n,) in N of ``law`` at the rows, from a contact without history."""
        mus = drive_path(law, self.slips, self.dts, self.normals).mus
        return np.asarray((mus * self.normals)[:: self.every])


@dataclass(frozen=True)
class SteadyPoints:
    """Speeds (n,) in m/s of steady sliding, and normal forces (n,) in N."""

    speeds: Array
    normals: Array

    def force(self, law: Any) -> Array:
        """Friction force (n,) in N of ``law`` at the rows."""
        return np.asarray(steady_coefficients(law, self.speeds)[0] * self.normals)


def path_of(data: Measurement, substeps: int) -> Path | SteadyPoints:
    """Path or steady points of ``data``; InputError unless there are 1 to 1000 ``substeps`` between rows."""
    whole_number(substeps, "substeps", 1, 1000)
    if data.time is None:
        assert data.velocity is not None
        return SteadyPoints(data.velocity, data.normal_force)
    time = data.time
    parts = (np.arange(substeps) + 0.5) / substeps
    between = time[:-1, None] + np.diff(time)[:, None] * parts
    ends = np.r_[time[0], between.ravel(), time[-1]]
    dts = np.diff(ends)
    normals = np.interp(0.5 * (ends[1:] + ends[:-1]), time, data.normal_force)
    # the middle of the first and the last step does not coincide with its row
    normals[[0, -1]] = data.normal_force[[0, -1]]
    return Path(np.diff(_path_at(data, time, ends)), dts, normals, substeps)


def _path_at(data: Measurement, time: Array, ends: Array) -> Array:
    """Path (m + 1,) in m at the ends of the steps."""
    if data.displacement is not None:
        return np.asarray(Akima1DInterpolator(time, data.displacement)(ends))
    assert data.velocity is not None
    return np.asarray(Akima1DInterpolator(time, data.velocity).antiderivative()(ends))


@dataclass
class Objective:
    """Residuals (n,), force of the law minus measured force in N, at the rows ``used``; counts its evaluations."""

    form: LawForm
    path: Path | SteadyPoints
    force: Array
    used: np.ndarray
    evaluations: int = 0

    def residuals(self, values: Mapping[str, float]) -> Array | None:
        """Residuals at ``values``, None where the law rejects them."""
        try:
            law = self.form.build(values)
        except InputError:
            return None
        self.evaluations += 1
        return np.asarray((self.path.force(law) - self.force)[self.used])

    def cost(self, values: Mapping[str, float]) -> float:
        """Sum of squares, inf where the law rejects the values."""
        r = self.residuals(values)
        return np.inf if r is None else float(r @ r)


@dataclass(frozen=True)
class End:
    """End of one search: coordinates (m), sum of squares in N**2, and whether it is a minimum."""

    u: Array
    cost: float
    converged: bool


@dataclass(frozen=True)
class Solution:
    """The best end of all searches, in coordinates of ``space``; ``agreeing``: number of starts that led to it."""

    space: Space
    end: End
    agreeing: int


def search(
    objective: Objective,
    space: Space,
    first: Sequence[Mapping[str, float]],
    options: FitOptions,
) -> Solution:
    """Best end of searches from the points ``first``, which the law must accept, and ``starts`` - 1 random ones
    (seeded).
    """
    rng = np.random.default_rng(options.seed)
    points = [space.coordinates_of(start) for start in first]
    points += [_random_point(space, first[0], rng) for _ in range(options.starts - 1)]
    ends = [end for end in (_descend(objective, space, u, options) for u in points) if end is not None]
    best = min(ends, key=lambda end: end.cost)
    for _ in range(MAX_TRIALS):
        candidate = _better_neighbour(objective, space, best)
        trial = None if candidate is None else _descend(objective, space, candidate, options)
        if trial is None or trial.cost >= best.cost:
            break
        best = trial
    # once more with scales of the size of the result, so that differences use suitable steps
    values = space.values(best.u)
    scaled = space.scaled(
        {c.name: max(abs(values[c.name]), LEAST_SCALE_RATIO * c.scale) for c in space.coordinates}
    )
    last = _descend(objective, scaled, scaled.coordinates_of(values), options)
    if last is not None and last.cost <= best.cost:
        space, best = scaled, last
    return Solution(space, best, sum(end.cost <= best.cost * (1.0 + COST_TOLERANCE) + 1e-300 for end in ends))


def _descend(objective: Objective, space: Space, u: Array, options: FitOptions) -> End | None:
    """Result of a descent from ``u``; None when the law rejects the start."""
    first = objective.residuals(space.values(u))
    if first is None:
        return None
    # where the law rejects values the cost is above all previous ones, so that the search turns back
    penalty = 10.0 * (np.abs(first) + float(np.sqrt(np.mean(objective.force**2))))

    def residuals(u: Array) -> Array:
        r = objective.residuals(space.values(u))
        return penalty if r is None else r

    result = least_squares(
        residuals, u, jac=lambda u: jacobian(objective, space, u, options.diff_step), bounds=space.bounds(),
        x_scale="jac", ftol=TOLERANCE, xtol=TOLERANCE, gtol=TOLERANCE, max_nfev=options.evaluations,
    )  # fmt: skip
    return End(result.x, 2.0 * float(result.cost), result.status > 0)


def _better_neighbour(objective: Objective, space: Space, end: End) -> Array | None:
    """A better point with one parameter multiplied by a factor, None when there is none.

    Derivatives do not detect minima beyond a jump of the sum of squares (thresholds) or outside a shallow one.
    """
    values, best, best_u = space.values(end.u), end.cost * (1.0 - COST_TOLERANCE), None
    for c in space.coordinates:
        for factor in TRIAL_FACTORS:
            u = space.coordinates_of({**values, c.name: values[c.name] * factor})
            cost = objective.cost(space.values(u))
            if cost < best:
                best, best_u = cost, u
    return best_u


def _random_point(space: Space, start: Mapping[str, float], rng: np.random.Generator) -> Array:
    """Random point between the bounds where there are two (logarithmic if positive); otherwise within a factor of the
    start.
    """
    values = dict(start)
    for c in space.coordinates:
        if c.map == "share":
            values[c.name] = start[c.name] * START_RATIO ** rng.uniform(-0.5, 0.5)
        elif np.isfinite(c.low) and np.isfinite(c.high):
            fraction = rng.uniform()
            values[c.name] = (
                c.low * (c.high / c.low) ** fraction if c.low > 0.0 else c.low + fraction * (c.high - c.low)
            )
        else:
            values[c.name] = (start[c.name] or c.scale) * START_RATIO ** rng.uniform(-1.0, 1.0)
    return space.coordinates_of(values)


def jacobian(objective: Objective, space: Space, u: Array, step: float) -> Array:
    """Derivatives (n, m) of the residuals at ``u``: central differences, one-sided of second order at a bound.

    Where the law rejects a neighbour, the difference is taken on the other side. Where nothing changes at all, the step
    is increased: a threshold between the speeds of two rows has an effect only when it passes one of them.
    """
    low, high = space.bounds()
    columns = []
    for k in range(len(u)):
        for factor in STEP_FACTORS:
            column = _column(objective, space, u, k, min(step * factor, MAX_STEP_RATIO), (low[k], high[k]))
            if np.linalg.norm(column) > ROUND_OFF * np.linalg.norm(objective.force):
                break
            column = np.zeros_like(column)
        columns.append(column)
    return np.stack(columns, axis=1)


def _column(
    objective: Objective, space: Space, u: Array, k: int, step: float, bounds: tuple[float, float]
) -> Array:
    def at(shift: float) -> Array | None:
        if not bounds[0] <= u[k] + shift <= bounds[1]:
            return None
        shifted = u.copy()
        shifted[k] += shift
        return objective.residuals(space.values(shifted))

    forward, backward = at(step), at(-step)
    if forward is not None and backward is not None:
        return (forward - backward) / (2.0 * step)
    middle = objective.residuals(space.values(u))
    assert middle is not None
    sign, one_step = (1.0, forward) if forward is not None else (-1.0, backward)
    two_steps = at(2.0 * sign * step)
    if one_step is None:
        return np.zeros_like(middle)
    if two_steps is None:
        return sign * (one_step - middle) / step
    return sign * (4.0 * one_step - two_steps - 3.0 * middle) / (2.0 * step)


BOUND_TOLERANCE = 1e-6  # of u
INFLUENCE_LIMIT = 1e-7  # least relative change of the force by a change of a parameter by its size
# smallest ratio of singular values of the normalised columns, and of contributions to a dependent combination
INDEPENDENCE_LIMIT, CONTRIBUTION_LIMIT = 1e-6, 0.2
# factor on the step, and permitted relative change of a derivative with it
WIDER_STEP, ROUGHNESS_LIMIT = 3.0, 0.3


@dataclass(frozen=True)
class Uncertainty:
    """errors: standard error of each parameter; bounded: names of those at a bound. correlation (m, m): of the unknowns
    ``unknowns``. condition: of J with columns of length one. freedom: n - m. rough: unknowns whose derivatives
    depend on the step of their difference, because the force jumps."""

    errors: dict[str, float]
    bounded: tuple[str, ...]
    unknowns: tuple[str, ...]
    correlation: Array
    condition: float
    freedom: int
    rough: tuple[str, ...]


def uncertainty(objective: Objective, space: Space, u: Array, diff_step: float) -> Uncertainty:
    """Uncertainty at the minimum ``u`` (m).

    Raises
    ------
    InputError
        When the data do not determine some parameters (the message names them), or there are not more rows than
        unknowns.
    """
    low, high = space.bounds()
    bounded = (u - low <= BOUND_TOLERANCE) | (high - u <= BOUND_TOLERANCE)
    active = np.flatnonzero(~bounded)
    values = space.values(u)
    residuals = objective.residuals(values)
    assert residuals is not None
    freedom = len(residuals) - len(active)
    if freedom < 1:
        raise InputError(
            f"fit of {space.form.name}: {len(residuals)} rows for {len(active)} parameters: give more rows, or hold "
            "parameters"
        )
    names = [space.names[k] for k in active]
    _check_bounded(space, u, values)
    scaled = jacobian(objective, space, u, diff_step)[:, active]
    lengths = np.linalg.norm(scaled, axis=0)
    _check_influence(space, names, lengths, float(np.linalg.norm(objective.force[objective.used])), values)
    normalised = scaled / lengths
    _, singular, v = np.linalg.svd(normalised, full_matrices=False)
    _check_independence(space, names, singular, v, values)
    variance = float(residuals @ residuals) / freedom
    cov = variance * ((v.T / singular**2) @ v) / np.outer(lengths, lengths)
    spread = np.sqrt(np.diag(cov))
    g = _derivatives(space, u)[:, active]
    errors = np.sqrt(np.einsum("ij,jk,ik->i", g, cov, g))
    return Uncertainty(
        dict(zip(values, map(float, errors), strict=True)),
        tuple(name for name, is_bounded in zip(space.names, bounded, strict=True) if is_bounded),
        tuple(names),
        cov / np.outer(spread, spread),
        float(singular[0] / singular[-1]) if len(singular) else 1.0,
        freedom,
        tuple(
            name
            for name, is_rough in zip(names, _roughness(objective, space, u, diff_step)[active], strict=True)
            if is_rough
        ),
    )


def _roughness(objective: Objective, space: Space, u: Array, diff_step: float) -> np.ndarray:
    """Whether (m) a derivative differs over WIDER_STEP times the step."""
    near = jacobian(objective, space, u, diff_step)
    far = jacobian(objective, space, u, min(WIDER_STEP * diff_step, MAX_STEP_RATIO))
    return np.asarray(np.linalg.norm(far - near, axis=0) > ROUGHNESS_LIMIT * np.linalg.norm(near, axis=0))


def interval(value: float, error: float, freedom: int, level: float, positive: bool) -> tuple[float, float]:
    """Confidence interval at ``level``; for a positive parameter by its logarithm."""
    t = float(student.ppf(0.5 + 0.5 * level, freedom))
    if positive:
        factor = float(np.exp(min(t * error / value, 700.0)))
        return value / factor, value * factor
    return value - t * error, value + t * error


def _derivatives(space: Space, u: Array) -> Array:
    """G (parameters, m) by central differences of the smooth map, which is not affected by bounds."""
    step, columns = 1e-5, []
    for k in range(len(u)):
        forward, backward = u.copy(), u.copy()
        forward[k] += step
        backward[k] -= step
        change = np.array(list(space.values(forward).values())) - np.array(
            list(space.values(backward).values())
        )
        columns.append(change / (2.0 * step))
    return np.stack(columns, axis=1)


def _values_text(values: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.4g}" for name, value in values.items())


def _check_bounded(space: Space, u: Array, values: dict[str, float]) -> None:
    unbounded = [c.name for c, x in zip(space.coordinates, u, strict=True) if c.unbounded(float(x))]
    if unbounded:
        raise InputError(
            f"fit of {space.form.name}: the data cannot determine {' and '.join(unbounded)}: the search moved "
            f"by a factor of a million from the start ({_values_text(values)}): hold it, or give bounds"
        )


def _check_influence(
    space: Space, names: list[str], lengths: Array, size: float, values: dict[str, float]
) -> None:
    useless = [name for name, length in zip(names, lengths, strict=True) if length <= INFLUENCE_LIMIT * size]
    if useless:
        raise InputError(
            f"fit of {space.form.name}: the data cannot determine {' and '.join(useless)}: the force does not depend "
            f"on it near the best fit ({_values_text(values)}): hold it, {useless[0]}={values[useless[0]]:.4g}, or "
            "measure where it has an effect"
        )


def _check_independence(
    space: Space, names: list[str], singular: Array, v: Array, values: dict[str, float]
) -> None:
    if len(singular) and singular[-1] <= INDEPENDENCE_LIMIT * singular[0]:
        direction = np.abs(v[-1])
        combined = [
            name
            for name, share in zip(names, direction, strict=True)
            if share > CONTRIBUTION_LIMIT * direction.max()
        ]
        raise InputError(
            f"fit of {space.form.name}: the data cannot determine {' and '.join(combined)}: only a combination of them "
            f"affects the force (best fit {_values_text(values)}): hold one of them"
        )
