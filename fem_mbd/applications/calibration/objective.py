"""Weighted residuals of a calibration and their exact derivatives, each from one run of the mechanism."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from fem_mbd.analysis.sensitivity.setup import PARAMETER_RANGE
from fem_mbd.applications.calibration.histories import Comparison, History
from fem_mbd.applications.gradients.differentiable_run import Build, DifferentiableRun
from fem_mbd.applications.gradients.shifted import derivative
from fem_mbd.base.arrays import Array
from fem_mbd.errors import InputError, SolverFailure
from fem_mbd.runs.running.runs import RunFailed

REGULARISATION = 1e-10  # weight of changes of the parameters, over that of the data
SMALLEST_RATIO = 1e-3  # least size of a parameter, as a fraction of its scale


class Objective:
    """Residuals (n + m,) and derivatives (n + m, m) at parameters in units of their scales.

    The last m residuals hold the parameters at their start with hardly any weight: SciPy's search fails on matrices
    that are exactly singular, where the data do not determine a parameter.

    Parameters
    ----------
    build : creates the simulation from the values of the parameters
    measured : histories
    scales : sizes of the parameters by name
    limits : (2, m) low and high bounds, in units of the scales
    largest_growth : see `fem_mbd.gradient`
    watch : called after each run

    Attributes
    ----------
    runs, derivatives : their numbers so far
    best : weighted sum of squares of the residuals, and parameters, of the best run so far
    failure : reason of the last failed run, "" if there is none
    """

    def __init__(
        self,
        build: Build,
        measured: list[History],
        scales: Mapping[str, float],
        limits: Array,
        largest_growth: float,
        watch: Callable[[Objective], None] = lambda objective: None,
    ):
        self._build, self._measured, self._names = build, measured, list(scales)
        self._scales, self._limits, self._largest_growth = dict(scales), limits, largest_growth
        self._watch = watch
        self._last: tuple[Array, DifferentiableRun, Comparison] | None = None
        self._first, self._hold = np.zeros(len(scales)), 0.0
        self.runs = self.derivatives = 0
        self.failure = ""
        self.best: tuple[float, dict[str, float]] = np.inf, {}

    def values(self, x: Array) -> dict[str, float]:
        """Parameters by name."""
        return {name: float(value) * self._scales[name] for name, value in zip(self._names, x, strict=True)}

    def at(self, x: Array) -> tuple[DifferentiableRun, Comparison]:
        """The run with these parameters; the last one is cached.

        Raises
        ------
        InputError, RunFailed, SolverFailure
            When the model is invalid or its run fails.
        """
        if self._last is None or not np.array_equal(self._last[0], x):
            self.runs += 1
            run = DifferentiableRun(self._build, self.values(x), "calibrate")
            end = float(run.result.output_time[-1])
            self._last = x.copy(), run, Comparison(self._measured, run.quantities, end)
        return self._last[1:]

    def residuals(self, x: Array) -> Array:
        """Calculated minus measured values over their standard deviation; infinite where the run fails, which lets the
        search shorten its step."""
        try:
            run, comparison = self.at(x)
        except (InputError, RunFailed, SolverFailure) as error:
            if self._last is None:  # the first run
                raise
            self.failure = str(error)
            return np.full(sum(len(h.time) for h in self._measured) + len(x), np.inf)
        calculated: Array = run.evaluate(comparison.calculated)
        own = (calculated - comparison.values) / comparison.sigma
        if (squares := float(own @ own)) < self.best[0]:
            self.best = squares, self.values(x)
        self._watch(self)
        return np.concatenate([own, self._hold * (x - self._first)])

    def _sizes(self, x: Array) -> dict[str, float]:
        """Sizes of the parameters for differences of the set-up, small enough to stay within the bounds."""
        distance = np.minimum(x - self._limits[0], self._limits[1] - x)
        sizes = {}
        for name, value, distance_left in zip(self._names, x, distance, strict=True):
            sizes[name] = self._scales[name] * min(
                max(abs(value), SMALLEST_RATIO), 0.5 * distance_left / PARAMETER_RANGE
            )
        return sizes

    def jacobian(self, x: Array) -> Array:
        """Derivatives of the residuals by ``x``."""
        run, comparison = self.at(x)
        run.evaluate(comparison.calculated)
        try:
            tangents = run.tangents(self._sizes(x), self._largest_growth)
        except InputError as error:
            if not self.derivatives:
                raise
            raise InputError(
                f"calibrate: the search reached values without derivatives, give bounds: {error}"
            ) from error
        self.derivatives += 1
        columns = [
            derivative(run.result.source, tangents[name], comparison.calculated)
            / comparison.sigma
            * self._scales[name]
            for name in self._names
        ]
        found = np.stack(columns, axis=1)
        if self._hold == 0.0:
            self._first, self._hold = x.copy(), REGULARISATION * float(np.linalg.norm(found))
        return np.concatenate([found, self._hold * np.eye(len(x))])
