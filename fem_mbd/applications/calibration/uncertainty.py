"""Uncertainty of calibrated parameters: standard errors, correlations, undetermined parameters.

With J (n, m) the derivatives of the weighted residuals r at the minimum and s^2 = r.r/(n - m),

    cov(p) = s^2 (J^T J)^-1,

exact where outputs are linear in the parameters and errors are independent, normal and of equal variance; otherwise
accurate to first order. Columns of J are scaled to length one; a singular value below `SINGULAR_RATIO` times the
largest belongs to a combination of parameters that the data do not determine.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fem_mbd.base.arrays import Array, Flags

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
