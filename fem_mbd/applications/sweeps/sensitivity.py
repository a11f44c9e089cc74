"""Sobol indices: share of an output's variance due to each parameter, alone and together with the others.

First order S_i = Var(E(y | x_i)) / Var(y), total T_i = E(Var(y | all but x_i)) / Var(y), parameters uniform in their
ranges (I. M. Sobol, Mathematics and Computers in Simulation 55, 2001). Points and estimators: Saltelli et al., Computer
Physics Communications 181 (2010), by SALib, an optional package.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.errors import InputError, MissingDependency

LEVEL = 0.95


@dataclass(frozen=True)
class SobolIndices:
    """Sobol indices of one output.

    Attributes
    ----------
    output : name
    parameters : names
    first, total : (parameters,) indices of first order and total indices
    first_error, total_error : (parameters,) half widths of the 95 % confidence intervals, by bootstrap
    """

    output: str
    parameters: tuple[str, ...]
    first: Array
    total: Array
    first_error: Array
    total_error: Array

    def __str__(self) -> str:
        lines = [
            f"{self.output}: Sobol indices, with half widths of 95 % confidence",
            "  first             total",
        ]
        columns = zip(
            self.parameters, self.first, self.first_error, self.total, self.total_error, strict=True
        )
        lines += [
            f"  {s:6.3f} ± {es:<6.3f}   {t:6.3f} ± {et:<6.3f}   {name}" for name, s, es, t, et in columns
        ]
        return "\n".join(lines)


def saltelli_points(n: int, parameters: int, seed: int) -> Array:
    """(n (parameters + 2), parameters) points of the unit cube, in the order required by the estimators.

    Parameters
    ----------
    n : a power of two
    parameters : number of parameters
    seed : of the scrambling
    """
    from_salib = _salib("sample.sobol")
    problem = _problem([f"x{k}" for k in range(parameters)])
    return np.asarray(from_salib.sample(problem, n, calc_second_order=False, seed=seed))


def sobol_indices(
    output: str, parameters: Sequence[str], values: Sequence[float | None], seed: int = 0
) -> SobolIndices:
    """Indices of an output from its values at Saltelli's points.

    Parameters
    ----------
    output : name
    parameters : names, in the order of the points' columns
    values : at all points, in their order
    seed : of the bootstrap

    Raises
    ------
    InputError
        Where a value is missing or not a number, or all values are the same.
    """
    numbers = [v for v in values if isinstance(v, int | float) and np.isfinite(v)]
    if len(numbers) < len(values):
        missing = len(values) - len(numbers)
        raise InputError(
            f"Sobol indices of {output!r} need all runs: {missing} of {len(values)} have no number"
        )
    y = np.array(numbers, dtype=float)
    if np.ptp(y) == 0.0:
        raise InputError(f"Sobol indices of {output!r}: it is {y[0]:g} in all runs, which has no variance")
    found = _salib("analyze.sobol").analyze(
        _problem(parameters), y, calc_second_order=False, conf_level=LEVEL, seed=seed
    )
    columns = [np.asarray(found[name]) for name in ("S1", "ST", "S1_conf", "ST_conf")]
    return SobolIndices(output, tuple(parameters), *columns)


def _problem(names: Sequence[str]) -> dict[str, Any]:
    # an array: SALib 1.5 passes it to pandas, whose version 3 does not accept lists there
    return {
        "num_vars": len(names),
        "names": np.array(names, dtype=object),
        "bounds": [[0.0, 1.0]] * len(names),
    }


def _salib(module: str) -> Any:
    from importlib import import_module

    try:
        return import_module(f"SALib.{module}")
    except ImportError as error:
        raise MissingDependency("Sobol indices need SALib: pip install 'fem_mbd[sensitivity]'") from error
