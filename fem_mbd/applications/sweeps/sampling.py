"""Random and quasi-random samples of a box of parameters, reproducible by their seed.

Latin hypercube: McKay, Beckman and Conover (1979); Sobol sequence: scrambled, Owen (1998). Both by `scipy.stats.qmc`.
Saltelli's points for Sobol indices (`fem_mbd.applications.sweeps.sensitivity`): Saltelli et al., Computer Physics
Communications 181 (2010), by SALib.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import qmc

from fem_mbd.applications.sweeps.sensitivity import saltelli_points
from fem_mbd.base.suggestions import nearest
from fem_mbd.base.validation import finite, whole_number
from fem_mbd.errors import InputError

METHODS = ("latin_hypercube", "sobol", "monte_carlo", "saltelli")


@dataclass(frozen=True)
class Sample:
    """Points of a box.

    Parameters
    ----------
    method : "latin_hypercube", "sobol", "monte_carlo", or "saltelli" for Sobol indices
    n : number of points (a power of two suits "sobol"); "saltelli", for which it has to be one, gives n (parameters +
        2) of them
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
    def from_plain(cls, given: Mapping[str, Any], where: str) -> Sample:
        """Create a sample from its table in a spec.

        Parameters
        ----------
        given : the table of the spec
        where : the spec's name, for messages
        """
        names = ("method", "n", "seed", "range")
        for name in given:
            if name not in names:
                raise InputError(f"{where}: [sample] there is no entry {name!r}; {nearest(name, names)}")
        if "n" not in given:
            raise InputError(f"{where}: [sample] give the number of points, n")
        return cls(given.get("method", METHODS[0]), given["n"], given.get("seed", 0), given.get("range", {}))

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
