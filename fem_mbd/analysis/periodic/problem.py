"""Class `Problem`: a model as a function of parameters, the period of its motion, and the division into segments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from fem_mbd.analysis.periodic.arcs import Arc, Arcs
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.model.model import Model
from fem_mbd.core.newton.equations import NewtonOptions
from fem_mbd.core.scheme.state import State
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.errors import InputError

Values = Mapping[str, float]
REPEAT_TOLERANCE = 1e-6  # of a driver's size, by which it may differ after a period
TEST_SHIFT = 0.37  # of a period, after which what does not depend on time is the same
CACHED_SIMULATIONS = 2  # values of parameters whose simulations are kept


@dataclass(eq=False)
class Problem:
    """A model, and how its periodic motions are calculated.

    Attributes
    ----------
    build : model from the values of parameters
    period_of : s, from the values; None where it is unknown
    free : whether the motion is a free vibration without damping, one of a family
    start : s, at which the period begins, where ``before`` is zero
    before : whole periods before it: where the period depends on parameters the driver keeps its phase
    steps, segments : of a period
    frequency : rad/s, by which velocities are measured
    newton : options of the solver
    sizes : (h,) of the histories' numbers, the largest met so far
    cache : runs by values of the parameters
    """

    build: Callable[[Values], Model]
    period_of: Callable[[Values], float] | None
    start: float
    steps: int
    segments: int
    frequency: float
    newton: NewtonOptions | None = None
    free: bool = False
    before: int = 0
    sizes: Array = field(default_factory=lambda: np.zeros(0))
    cache: dict[tuple[float, ...], Arcs] = field(default_factory=dict)

    def start_of(self, period: float) -> float:
        """s, at which a period begins."""
        return self.before * period if self.before else self.start

    @property
    def origin(self) -> float:
        """s, from where times grow with the period."""
        return 0.0 if self.before else self.start

    def arcs(self, values: Values, period: float) -> Arcs:
        """Runs of the model with some values."""
        key = tuple(values.values())
        if key not in self.cache:
            while len(self.cache) >= CACHED_SIMULATIONS:
                self.cache.pop(next(iter(self.cache)))
            # an unknown period varies: longer steps may be asked for than at first
            longest = period if self.period_of is not None else 4.0 * period
            self.cache[key] = Arcs(
                self.build(values), self.newton, self.start_of(period), longest, self.origin
            )  # fmt: skip
        return self.cache[key]

    def times(self, period: float) -> list[Array]:
        """Ends (s) of the steps of each segment."""
        ends = self.start_of(period) + period * np.arange(1, self.steps + 1) / self.steps
        cuts = np.linspace(0, self.steps, self.segments + 1).round().astype(int)
        return [ends[first:last] for first, last in zip(cuts[:-1], cuts[1:], strict=True)]

    def period(self, values: Values) -> float:
        """Of the motion, s, where the values tell it."""
        if self.period_of is None:
            raise InputError("the period is unknown")
        period = float(self.period_of(values))
        if not (np.isfinite(period) and period > 0.0):
            raise InputError(
                f"periodic: the period is {period!r} s at {dict(values)}: it has to be above zero"
            )
        return period

    def check_drivers(self, values: Values, period: float) -> None:
        """InputError unless loads and drivers repeat themselves after a period, or do not change if it is unknown.

        A driver may advance in each period by the same amount, as the angle of a motor does.
        """
        shift = period if self.period_of is not None else TEST_SHIFT * period
        times = self.start_of(period) + period * np.arange(8) / 8.0
        for function in self.arcs(values, period).system.functions():
            if function.instructions() is None:
                continue  # refused where it is run
            now, later = (np.array([function.value(float(t)) for t in times + by]) for by in (0.0, shift))
            change = later - now
            size = max(float(np.abs(now).max()), float(np.abs(later).max()))
            if np.abs(change - change[0]).max() <= REPEAT_TOLERANCE * size:
                continue
            if self.period_of is None:
                raise InputError(
                    f"periodic: the load or driver {function} changes with time, so the motion is not autonomous or "
                    "free: give the period of the driver instead"
                )
            raise InputError(
                f"periodic: the load or driver {function} does not repeat itself after {period:.9g} s (from "
                f"{times[0]:.6g} s on): give its period, a multiple of it, or a later start"
            )

    def note_sizes(self, state: State, arcs: Sequence[Arc]) -> None:
        """Keep the largest numbers of histories, over all parts of a kind."""
        largest = np.max([arc.history for arc in arcs], axis=0) if arcs else np.zeros(0)
        groups = _groups(state)
        common = np.zeros(groups.max(initial=-1) + 1)
        np.maximum.at(common, groups, largest)
        old = self.sizes if len(self.sizes) == len(groups) else np.zeros(len(groups))
        self.sizes = np.maximum(old, common[groups])

    def history_sizes(self) -> Array:
        """(h,) never zero."""
        return np.where(self.sizes > 0.0, self.sizes, 1.0)


def _groups(state: State) -> Indices:
    """(h,) number of the field that each number of the histories belongs to."""
    groups, count = [np.zeros(0, np.int64)], 0
    for h in state.history:
        if h.dtype.names:
            widths = [h.dtype[name].itemsize // 8 for name in h.dtype.names]
        else:
            widths = [1] * (int(np.prod(h.shape[1:])) if h.ndim > 1 else 1)
        of_entry = np.repeat(np.arange(len(widths)), widths) + count
        groups.append(np.tile(of_entry, len(h)))
        count += len(widths)
    return np.concatenate(groups)


@dataclass(frozen=True, eq=False)
class Point:
    """A motion that may become periodic.

    Attributes
    ----------
    states : at the starts of the segments
    values : of the parameters
    period : s
    gain : by which 1 + gain all velocities are multiplied after a period, which makes up for what time integration
        loses of a free vibration
    """

    states: tuple[State, ...]
    values: dict[str, float]
    period: float
    gain: float = 0.0

    def with_values(self, **changes: Any) -> Point:
        """A copy with other attributes."""
        return replace(self, **changes)


def model_builder(build: Any) -> tuple[Callable[[Values], Model], NewtonOptions | None]:
    """What makes the model from values, given a model, or what makes a model or a simulation; and solver options."""
    if isinstance(build, Model):
        return lambda _: build, None
    if isinstance(build, Simulation) or not callable(build):
        raise InputError(
            f"periodic: build is {type(build).__name__}: give a Model, or a function that makes one from the values of "
            "parameters"
        )

    def made(values: Values) -> Model:
        try:
            built = build(values)
        except KeyError as error:
            raise InputError(
                f"periodic: build asks for parameter {error}; values has {', '.join(values) or 'none'}"
            ) from error
        model = built.system.model if isinstance(built, Simulation) else built
        if not isinstance(model, Model):
            raise InputError(
                f"periodic: build returns {type(built).__name__}: it has to return a Model or a Simulation"
            )
        return model

    return made, None
