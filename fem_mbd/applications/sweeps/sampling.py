"""Random and quasi-random samples of a box of parameters, reproducible by their seed; Sobol indices.

Latin hypercube: McKay, Beckman and Conover (1979); Sobol sequence: scrambled, Owen (1998). Both by `scipy.stats.qmc`.

Sobol indices: the share of an output's variance due to each parameter, alone and together with the others.

First order S_i = Var(E(y | x_i)) / Var(y), total T_i = E(Var(y | all but x_i)) / Var(y), parameters uniform in their
ranges (I. M. Sobol, Mathematics and Computers in Simulation 55, 2001). Points and estimators: Saltelli et al., Computer
Physics Communications 181 (2010), by SALib, an optional package.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import qmc

from fem_mbd.base.arrays import Array
from fem_mbd.base.lazy import nearest
from fem_mbd.base.validation import finite, whole_number
from fem_mbd.errors import InputError, MissingDependency

LEVEL = 0.95
METHODS = ("latin_hypercube", "sobol", "monte_carlo", "saltelli")


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
    analysis = _salib("analyze.sobol").analyze(
        _problem(parameters), y, calc_second_order=False, conf_level=LEVEL, seed=seed
    )
    columns = [np.asarray(analysis[name]) for name in ("S1", "ST", "S1_conf", "ST_conf")]
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


@dataclass(frozen=True)
class Sample:
    """Sample of points of a box of parameters.

    Parameters
    ----------
    method : "latin_hypercube", "sobol", "monte_carlo", or "saltelli" for Sobol indices
    n : number of points (preferably a power of two for "sobol"); "saltelli" requires a power of two and gives
        n (parameters + 2) points
    seed : of the random numbers
    ranges : parameter to (low, high), uniformly filled
    """

    method: str
    n: int
    seed: int
    ranges: Mapping[str, tuple[float, float]]

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise InputError(
                f"[sample] there is no method {self.method!r}; {nearest(str(self.method), METHODS)}"
            )
        whole_number(self.n, "[sample] n")
        whole_number(self.seed, "[sample] seed", least=0)
        if self.method == "saltelli" and self.n & (self.n - 1):
            raise InputError(f"[sample] n is {self.n}: Saltelli's points need a power of two, e.g. 64")
        if not self.ranges:
            raise InputError(
                "[sample] it has no parameter: give [sample.range] with a parameter = [low, high]"
            )
        for name, bounds in self.ranges.items():
            if not isinstance(bounds, list | tuple) or len(bounds) != 2:
                raise InputError(f"[sample.range] {name} is {bounds!r}: give [low, high]")
            low, high = (finite(bound, f"[sample.range] {name}") for bound in bounds)
            if not low < high:
                raise InputError(
                    f"[sample.range] {name} is {list(bounds)}: the first has to be less than the second"
                )

    @classmethod
    def from_plain(cls, table: Mapping[str, Any], where: str) -> Sample:
        """Create a sample from its table in a spec.

        Parameters
        ----------
        table : the table of the spec
        where : the spec's name, for messages
        """
        names = ("method", "n", "seed", "range")
        for name in table:
            if name not in names:
                raise InputError(f"{where}: [sample] there is no entry {name!r}; {nearest(name, names)}")
        if "n" not in table:
            raise InputError(f"{where}: [sample] give the number of points, n")
        return cls(table.get("method", METHODS[0]), table["n"], table.get("seed", 0), table.get("range", {}))

    @property
    def count(self) -> int:
        """Number of points."""
        return self.n * (len(self.ranges) + 2) if self.method == "saltelli" else self.n

    def points(self) -> list[dict[str, float]]:
        """The points, parameter to value each."""
        low, high = (np.array([float(bounds[k]) for bounds in self.ranges.values()]) for k in (0, 1))
        unit = self._unit(len(low))
        scaled = low + unit * (high - low)
        return [dict(zip(self.ranges, map(float, row), strict=True)) for row in scaled]

    def _unit(self, count: int) -> np.ndarray:
        if self.method == "saltelli":
            return saltelli_points(self.n, count, self.seed)
        if self.method == "monte_carlo":
            return np.random.default_rng(self.seed).random((self.n, count))
        if self.method == "latin_hypercube":
            return np.asarray(qmc.LatinHypercube(count, seed=self.seed).random(self.n))
        with warnings.catch_warnings():
            # SciPy warns where n is not a power of two: the points are still the first n of the sequence
            warnings.simplefilter("ignore", UserWarning)
            return np.asarray(qmc.Sobol(count, seed=self.seed).random(self.n))
