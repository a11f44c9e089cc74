"""Uncertainty of calibrated parameters: standard errors, correlations, undetermined parameters.

With J (n, m) the derivatives of the weighted residuals r at the minimum and s^2 = r.r/(n - m),

    cov(p) = s^2 (J^T J)^-1,

exact where outputs are linear in the parameters and errors are independent, normal and of equal variance, and to first
order otherwise. Columns of J are scaled to length one; a singular value of that matrix below `SMALLEST` of the largest
belongs to a combination of parameters that the data do not determine.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fem_mbd.base.arrays import Array, Flags

SMALLEST = 1e-6  # singular value of a determined combination, with columns of length one
NAMED_SHARE = 0.2  # of the largest part of such a combination, above which a parameter is named
NO_INFLUENCE = 1e-9  # of the size of the data: what a change by a parameter's own size changes at least


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """Uncertainty of m parameters.

    Attributes
    ----------
    errors : (m,) standard errors; nan at a bound, inf where the data do not determine the parameter
    correlation : (m, m), nan for those
    condition : of the scaled derivatives
    freedom : n - m
    undetermined : sets of parameters of which only a combination, or nothing, shows in the data
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
    at_bound : (m,) parameters that lie at a bound and count as known
    """
    n, m = jacobian.shape
    free = np.flatnonzero(~at_bound)
    freedom = n - len(free)
    lengths = np.linalg.norm(jacobian, axis=0)
    silent = [k for k in free if lengths[k] * sizes[k] <= NO_INFLUENCE * np.sqrt(n)]
    active = np.array([k for k in free if k not in silent], dtype=int)
    errors, correlation = np.full(m, np.nan), np.full((m, m), np.nan)
    errors[silent] = np.inf
    undetermined: list[tuple[int, ...]] = [(int(k),) for k in silent]
    condition = 1.0
    if len(active):
        _, singular, v = np.linalg.svd(jacobian[:, active] / lengths[active], full_matrices=False)
        condition = float(singular[0] / singular[-1]) if singular[-1] > 0.0 else np.inf
        weak = [np.abs(v[k]) for k in range(len(singular)) if singular[k] <= SMALLEST * singular[0]]
        mixed = [active[one > NAMED_SHARE * one.max()] for one in weak]
        undetermined += [tuple(int(k) for k in one) for one in mixed]
        variance = float(residuals @ residuals) / freedom if freedom > 0 else np.nan
        strong = singular > SMALLEST * singular[0]
        half = v[strong].T / singular[strong]
        covariance = variance * (half @ half.T) / np.outer(lengths[active], lengths[active])
        errors[active] = np.sqrt(np.diag(covariance))
        with np.errstate(invalid="ignore", divide="ignore"):
            correlation[np.ix_(active, active)] = covariance / np.outer(errors[active], errors[active])
        for one in mixed:
            errors[one] = np.inf
            correlation[one, :] = correlation[:, one] = np.nan
    return Uncertainty(errors, correlation, condition, freedom, tuple(undetermined))
