"""Interpolation of cost over error, and exponent of growth with size: straight lines in logarithmic axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def cost_at(error: float, errors: Sequence[float], costs: Sequence[float]) -> float:
    """Cost at which a program reaches `error`: piecewise linear in the logarithms between its runs.

    Only runs count that no other run beats in both error and cost. Where the cheapest run has an error below `error`,
    its cost is returned. NaN outside the range of all runs: there is no extrapolation.
    """
    e, c = np.asarray(errors, dtype=float), np.asarray(costs, dtype=float)
    use = np.isfinite(e) & (e > 0)
    e, c = e[use], c[use]
    if len(e) == 0 or not e.min() <= error <= e.max():
        return float("nan")
    best = [not np.any((e < e[k]) & (c <= c[k]) | (e <= e[k]) & (c < c[k])) for k in range(len(e))]
    order = np.argsort(e[best])
    e, c = e[best][order], c[best][order]
    return float(np.exp(np.interp(np.log(error), np.log(e), np.log(c))))


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Exponent p of the best fit cost ~ size^p."""
    return float(np.polyfit(np.log(sizes), np.log(costs), 1)[0])
