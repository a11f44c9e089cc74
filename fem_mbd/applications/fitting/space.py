"""Search space of a fit: one coordinate u per unknown, of order one, between bounds and what its law accepts.

log      p = exp(u), for positive parameters; searched up to a factor of 1e6 from the start
linear   p = scale u, searched up to 1e6 scales
above    p = other + scale u, u >= 0, for one that must not be below another free one (mu_s above mu_k), u >= 1e-6
         where it must not be equal either; with an upper bound p = other + (bound - other) u, u <= 1
share    p_i = exp(u_i)/(1 + sum exp(u_j)), the last share without a coordinate, for shares that add up to one

The range that a law accepts of each free parameter is found by constructing the law with trial values. A law only
accepts or rejects a set of parameters. Around an accepted set, each parameter is varied alone: is zero accepted, is a
negative number, and at which value above and below is the law rejected? An upper limit that equals another free
parameter, and moves with it, is an order between the two (mu_k up to mu_s); one that does not move with any free
parameter is a number (an exponent below 1). Limits of other kinds are left to the search, where they appear as
rejections.
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

FAR, BISECTIONS, SAME, MOVED = 1e9, 60, 1e-9, 1.02
GAP = 1e-6
# factor up to which a positive parameter is searched where there is no other bound
MAX_RATIO = 1e6
# logarithm of the largest ratio of two shares
SMALL_SHARE = 15.0
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
    high, below = _edge(form, at, name, FAR), ""
    if isfinite(high):
        other = _moves_with(form, at, name, high, FAR)
        if other:
            below = other if abs(high - at[other]) <= SAME * high else ""
            high = inf
    if positive:
        edge = _edge(form, at, name, 1.0 / FAR)
        low = edge if isfinite(edge) and not _moves_with(form, at, name, edge, 1.0 / FAR) else 0.0
    return Limits(low, high, positive, below)


def _moves_with(form: LawForm, at: Mapping[str, float], name: str, edge: float, far: float) -> str:
    """The free parameter on which the limit of ``name`` depends, "" when there is none."""
    for other in form.free:
        for factor in (MOVED, 1.0 / MOVED):
            moved = {**at, other: at[other] * factor}
            if other != name and accepts(form, moved):
                if abs(_edge(form, moved, name, far) - edge) > SAME * edge:
                    return other
                break
    return ""


def _edge(form: LawForm, at: Mapping[str, float], name: str, far: float) -> float:
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
    """Map from a coordinate to its parameter. other: the parameter below it, by at least ``gap`` in u. reach: range of
    p to which the search is limited where neither law nor user bounds it.
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
            return -SMALL_SHARE, SMALL_SHARE
        if self.map == "above":
            return self.gap, 1.0 if isfinite(self.high) else MAX_RATIO
        if self.map == "log":
            return log(max(self.low, self.reach[0])), log(min(self.high, self.reach[1]))
        return self.low / self.scale, min(self.high, MAX_RATIO * self.scale) / self.scale

    def unbounded(self, u: float) -> bool:
        """Whether the search has moved so far from the start that only ``reach`` stopped it."""
        if self.map in ("linear", "above"):
            return self.high > MAX_RATIO * self.scale and u > 0.5 * MAX_RATIO
        if self.map != "log":
            return False
        low, high = self.reach
        return (self.low < low and u < log(low) + 1.0) or (self.high > high and u > log(high) - 1.0)

    def value(self, u: float, known: Mapping[str, float]) -> float:
        """The parameter at ``u``; ``known``: values of the parameters that may lie below it."""
        if self.map == "log":
            # the bounds themselves are returned exactly as given
            return min(max(float(np.exp(min(u, 700.0))), self.low), self.high)
        if self.map == "above":
            base = max(self.low, known[self.other])
            return base + u * (self.high - base if isfinite(self.high) else self.scale)
        return u * self.scale

    def place(self, value: float, known: Mapping[str, float]) -> float:
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
        # parameters that lie above others come after them
        for c, x in sorted(zip(self.coordinates, u, strict=True), key=lambda pair: pair[0].map == "above"):
            if c.map == "share":
                weights[c.name] = float(np.exp(x))
            else:
                known[c.name] = c.value(float(x), known)
        shares = [name for name in self.form.free if role(self.form.kind, name) == "share"]
        total = 1.0 + sum(weights.values())
        known |= {name: weights.get(name, 1.0) / total for name in shares}
        return {name: known[name] for name in self.form.free}

    def place(self, values: Mapping[str, float]) -> Array:
        """Coordinates (m) of ``values``, moved into the bounds."""
        shares = [name for name in self.form.free if role(self.form.kind, name) == "share"]
        u = [
            log(values[c.name] / values[shares[-1]]) if c.map == "share" else c.place(values[c.name], values)
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
    found = limits(form, start)
    shares = [name for name in form.free if role(form.kind, name) == "share"]
    return Space(
        form,
        tuple(_coordinate(form, name, found, start) for name in form.free if name not in shares)
        + tuple(Coordinate(name, "share", 0.0, 1.0) for name in shares[:-1]),
    )


def _coordinate(
    form: LawForm, name: str, found: Mapping[str, Limits], start: Mapping[str, float]
) -> Coordinate:
    own, of_law = form.free[name], found[name]
    low, high = max(own.low, of_law.low), min(own.high, of_law.high)
    if of_law.below and of_law.below in form.free:
        high = min(high, form.free[of_law.below].high)
    if not low < high:
        raise InputError(
            f"{form.name} {name}: the law accepts no value within its bounds, {own.low:g} to {own.high:g}"
        )
    scale = abs(start[name]) or 1.0
    lower = [other for other, limit in found.items() if limit.below == name]
    if lower:
        equal = accepts(form, {**start, name: start[lower[0]]})
        return Coordinate(name, "above", low, high, scale, lower[0], 0.0 if equal else GAP)
    if of_law.positive:
        return Coordinate(
            name, "log", low, high, scale, reach=(start[name] / MAX_RATIO, start[name] * MAX_RATIO)
        )
    return Coordinate(name, "linear", low, high, scale)
