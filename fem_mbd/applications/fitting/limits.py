"""Range of each free parameter that its law accepts, found by constructing the law with trial values.

A law only accepts or rejects a set of parameters. Around an accepted set, each parameter is varied alone: is zero
accepted, is a negative number, and at which value above and below is the law rejected? An upper limit
that equals another free parameter, and moves with it, is an order between the two (mu_k up to mu_s); one
that does not move with any free parameter is a number (an exponent below 1). Limits of other kinds are left to
the search, where they appear as rejections.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, isfinite, sqrt

from fem_mbd.applications.fitting.forms import LawForm
from fem_mbd.errors import InputError

FAR, BISECTIONS, SAME, MOVED = 1e9, 60, 1e-9, 1.02


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
