"""Search space of a fit: one coordinate u of order one per unknown, within its bounds and the range its law accepts.

log      p = exp(u), for positive parameters; searched up to a factor of 1e6 from the start
linear   p = scale u, searched up to 1e6 scales
above    p = other + scale u, u >= 0, for a parameter that must not be below another free one (mu_s above mu_k), or
         u >= 1e-6 where equality is excluded; with an upper bound p = other + (bound - other) u, u <= 1
share    p_i = exp(u_i)/(1 + sum exp(u_j)), the last share without a coordinate, for shares that add up to one

The accepted range of each free parameter is determined by constructing the law with trial values, since a law only
accepts or rejects a set of parameters. Each parameter is varied alone from an accepted set: zero, a negative number,
and bisection for the largest and smallest accepted value. An upper limit that equals another free parameter, and moves
with it, is an order between the two (mu_k up to mu_s); one that does not move with any free parameter is a number (an
exponent below 1). The search handles limits of other kinds as rejections.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf, isfinite, log, sqrt
from typing import Literal

import numpy as np

from fem_mbd.applications.fitting.forms import LawForm, role
from fem_mbd.base.arrays import Array
from fem_mbd.errors import InputError

FAR = 1e9  # ratio of the farthest trial value to the accepted one
BISECTIONS = 60
LIMIT_TOLERANCE = 1e-9  # relative tolerance for equal limits
TRIAL_CHANGE = 1.02  # factor on a parameter on which a limit may depend
GAP = 1e-6
MAX_RATIO = 1e6  # range of the search about the start of a positive parameter without other bounds
MAX_LOG_RATIO = 15.0  # logarithm of the largest ratio of two shares
Map = Literal["log", "linear", "above", "share"]


@dataclass(frozen=True)
class Limits:
    """low, high: numbers. positive: zero is rejected. below: the parameter that this one must not exceed, or ""."""

    low: float
    high: float
    positive: bool
    below: str


def limits(form: LawForm, at: Mapping[str, float]) -> dict[str, Limits]:
    """Limits of the free parameters of ``form`` around the accepted values ``at``."""
    form.build(at)
    return {name: _limits_of(form, at, name) for name in form.free}


def accepts(form: LawForm, values: Mapping[str, float]) -> bool:
    """Whether the law can be built."""
    try:
        form.build(values)
    except InputError:
        return False
    return True


def _limits_of(form: LawForm, at: Mapping[str, float], name: str) -> Limits:
    positive = not accepts(form, {**at, name: 0.0})
    low = 0.0 if positive or not accepts(form, {**at, name: -(abs(at[name]) or 1.0)}) else -inf
    high, below = _limit(form, at, name, FAR), ""
    if isfinite(high):
        other = _depends_on(form, at, name, high, FAR)
        if other:
            below = other if abs(high - at[other]) <= LIMIT_TOLERANCE * high else ""
            high = inf
    if positive:
        limit = _limit(form, at, name, 1.0 / FAR)
        low = limit if isfinite(limit) and not _depends_on(form, at, name, limit, 1.0 / FAR) else 0.0
    return Limits(low, high, positive, below)


def _depends_on(form: LawForm, at: Mapping[str, float], name: str, limit: float, far: float) -> str:
    """The free parameter on which the limit of ``name`` depends, "" when there is none."""
    for other in form.free:
        for factor in (TRIAL_CHANGE, 1.0 / TRIAL_CHANGE):
            moved = {**at, other: at[other] * factor}
            if other != name and accepts(form, moved):
                if abs(_limit(form, moved, name, far) - limit) > LIMIT_TOLERANCE * limit:
                    return other
                break
    return ""


def _limit(form: LawForm, at: Mapping[str, float], name: str, far: float) -> float:
    """Last accepted value of one parameter when increased (``far`` > 1) or decreased; inf when no limit is found."""
    inside = at[name] if at[name] > 0.0 else 1.0 / FAR
    outside = far * (max(inside, 1.0) if far > 1.0 else inside)
    if not accepts(form, {**at, name: inside}) or accepts(form, {**at, name: outside}):
        return inf
    for _ in range(BISECTIONS):
        middle = sqrt(inside) * sqrt(outside)
        if accepts(form, {**at, name: middle}):
            inside = middle
        else:
            outside = middle
    return inside


@dataclass(frozen=True)
class Coordinate:
    """Map from a coordinate to its parameter.

    other : the parameter below it, by at least ``gap`` in u
    reach : range of p in the search where neither law nor user bounds it
    """

    name: str
    map: Map
    low: float
    high: float
    scale: float = 1.0
    other: str = ""
    gap: float = 0.0
    reach: tuple[float, float] = (0.0, inf)

    def bounds(self) -> tuple[float, float]:
        """Bounds of u."""
        if self.map == "share":
            return -MAX_LOG_RATIO, MAX_LOG_RATIO
        if self.map == "above":
            return self.gap, 1.0 if isfinite(self.high) else MAX_RATIO
        if self.map == "log":
            return log(max(self.low, self.reach[0])), log(min(self.high, self.reach[1]))
        return self.low / self.scale, min(self.high, MAX_RATIO * self.scale) / self.scale

    def unbounded(self, u: float) -> bool:
        """Whether only ``reach`` limited the search, far from the start."""
        if self.map in ("linear", "above"):
            return self.high > MAX_RATIO * self.scale and u > 0.5 * MAX_RATIO
        if self.map != "log":
            return False
        low, high = self.reach
        return (self.low < low and u < log(low) + 1.0) or (self.high > high and u > log(high) - 1.0)

    def value(self, u: float, known: Mapping[str, float]) -> float:
        """The parameter at ``u``; ``known``: values of parameters that may be its lower bound."""
        if self.map == "log":
            # the bounds themselves are returned exactly as given
            return min(max(float(np.exp(min(u, 700.0))), self.low), self.high)
        if self.map == "above":
            base = max(self.low, known[self.other])
            return base + u * (self.high - base if isfinite(self.high) else self.scale)
        return u * self.scale

    def coordinate(self, value: float, known: Mapping[str, float]) -> float:
        """Coordinate u of the parameter's ``value``."""
        if self.map == "log":
            return log(value)
        if self.map == "above":
            base = max(self.low, known[self.other])
            span = self.high - base if isfinite(self.high) else self.scale
            return (value - base) / span if span > 0.0 else 0.0
        return value / self.scale


@dataclass(frozen=True)
class Space:
    """Coordinates (m) of the parameters that have one; shares are last."""

    form: LawForm
    coordinates: tuple[Coordinate, ...]

    @property
    def names(self) -> list[str]:
        """Name of the parameter of each coordinate."""
        return [c.name for c in self.coordinates]

    def bounds(self) -> tuple[Array, Array]:
        """Lower and upper bounds (m)."""
        low, high = zip(*(c.bounds() for c in self.coordinates), strict=True)
        return np.array(low), np.array(high)

    def values(self, u: Array) -> dict[str, float]:
        """The parameters, in the order of the law, at the coordinates ``u`` (m)."""
        known: dict[str, float] = {}
        weights: dict[str, float] = {}
        # parameters above others are computed after these
        for c, x in sorted(zip(self.coordinates, u, strict=True), key=lambda pair: pair[0].map == "above"):
            if c.map == "share":
                weights[c.name] = float(np.exp(x))
            else:
                known[c.name] = c.value(float(x), known)
        shares = [name for name in self.form.free if role(self.form.kind, name) == "share"]
        total = 1.0 + sum(weights.values())
        known |= {name: weights.get(name, 1.0) / total for name in shares}
        return {name: known[name] for name in self.form.free}

    def coordinates_of(self, values: Mapping[str, float]) -> Array:
        """Coordinates (m) of ``values``, moved into the bounds."""
        shares = [name for name in self.form.free if role(self.form.kind, name) == "share"]
        u = [
            log(values[c.name] / values[shares[-1]])
            if c.map == "share"
            else c.coordinate(values[c.name], values)
            for c in self.coordinates
        ]
        return np.clip(u, *self.bounds())

    def scaled(self, scales: Mapping[str, float]) -> Space:
        """The same space with other scales of the parameters in ``scales``."""
        return replace(
            self, coordinates=tuple(replace(c, scale=scales.get(c.name, c.scale)) for c in self.coordinates)
        )


def space_of(form: LawForm, start: Mapping[str, float]) -> Space:
    """Space around ``start``; InputError when the law rejects it, or there is no accepted value within the bounds."""
    accepted = limits(form, start)
    shares = [name for name in form.free if role(form.kind, name) == "share"]
    return Space(
        form,
        tuple(_coordinate(form, name, accepted, start) for name in form.free if name not in shares)
        + tuple(Coordinate(name, "share", 0.0, 1.0) for name in shares[:-1]),
    )


def _coordinate(
    form: LawForm, name: str, accepted: Mapping[str, Limits], start: Mapping[str, float]
) -> Coordinate:
    free, limits_of_law = form.free[name], accepted[name]
    low, high = max(free.low, limits_of_law.low), min(free.high, limits_of_law.high)
    if limits_of_law.below and limits_of_law.below in form.free:
        high = min(high, form.free[limits_of_law.below].high)
    if not low < high:
        raise InputError(
            f"{form.name} {name}: the law accepts no value within its bounds, {free.low:g} to {free.high:g}"
        )
    scale = abs(start[name]) or 1.0
    lower = [parameter for parameter, limit in accepted.items() if limit.below == name]
    if lower:
        equal = accepts(form, {**start, name: start[lower[0]]})
        return Coordinate(name, "above", low, high, scale, lower[0], 0.0 if equal else GAP)
    if limits_of_law.positive:
        return Coordinate(
            name, "log", low, high, scale, reach=(start[name] / MAX_RATIO, start[name] * MAX_RATIO)
        )
    return Coordinate(name, "linear", low, high, scale)
