"""Uncertainty of fitted parameters: covariance, confidence intervals, and detection of undetermined parameters.

With J (n, m) the derivatives at the minimum, r the residuals and s**2 = r.r/(n - m),

    cov(u) = s**2 (J^T J)**-1,      cov(p) = G cov(u) G^T,      G = dp/du,

exact for laws linear in their parameters and independent normal errors of equal variance, and to first order otherwise.
Intervals are Student's t with n - m degrees of freedom: p +- t e, and p exp(+- t e/p) for positive parameters. A
parameter at a bound counts as fixed there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from fem_mbd.applications.fitting.search import MAX_STEP_RATIO, Objective, jacobian
from fem_mbd.applications.fitting.space import Space
from fem_mbd.base.arrays import Array
from fem_mbd.errors import InputError

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
        ahead, behind = u.copy(), u.copy()
        ahead[k] += step
        behind[k] -= step
        change = np.array(list(space.values(ahead).values())) - np.array(list(space.values(behind).values()))
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
