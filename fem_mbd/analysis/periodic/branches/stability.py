"""Bifurcations between two neighbouring motions of a branch, detected by test functions of the Floquet multipliers.

At a fold the parameter reverses its direction. Where a real multiplier passes +1 without a fold, another branch
crosses; at -1 the period doubles; where a complex pair crosses the unit circle, a motion with a second frequency begins
(Neimark-Sacker). Where a contact begins or ceases to touch (grazing), derivatives change; where they jump, the branch
has a corner (`corners`). Source: Y. Kuznetsov,
Elements of Applied Bifurcation Theory (Springer), chapters 4 and 5; M. di Bernardo et al., Piecewise-smooth Dynamical
Systems (2008).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fem_mbd.base.arrays import Array, Complex, Flags

FOLD, BRANCH, DOUBLING, TORUS, GRAZING, CORNER = (
    "fold",
    "branch point",
    "period doubling",
    "Neimark-Sacker",
    "grazing",
    "corner",
)
REAL = 1e-6  # imaginary part of a multiplier that counts as real, over its size


class Indicators(NamedTuple):
    """Quantities of a motion of which bifurcations are test functions.

    Attributes
    ----------
    slope : change of the parameter along the branch, over its scale
    multipliers : without those that a family has in any case
    gaps : (contacts,) m, smallest gaps in a period
    blur : by which time integration moves multipliers off the unit circle, where those of free vibrations stay
    """

    slope: float
    multipliers: Complex
    gaps: Array
    blur: float = 0.0


class Event(NamedTuple):
    """A test function that changes its sign.

    Attributes
    ----------
    kind : FOLD, BRANCH, DOUBLING, TORUS or GRAZING
    contact : number of the contact that begins or ends to touch, else -1
    """

    kind: str
    contact: int = -1


def _is_real(values: Complex) -> Flags:
    return np.asarray(np.abs(values.imag) <= REAL * np.maximum(np.abs(values), 1e-300))


def below_one(values: Complex) -> float:
    """1 minus the real multiplier nearest to +1; infinite where none is real."""
    distances = 1.0 - values[_is_real(values)].real
    return float(distances[np.abs(distances).argmin()]) if len(distances) else float("inf")


def distance_from_one(values: Complex) -> float:
    """Of the multiplier nearest to +1; of a complex pair its square, by which the pair contributes to det(M - I)."""
    distances = np.abs(values - 1.0)
    nearest = int(distances.argmin())
    return float(distances[nearest] ** (1 if _is_real(values)[nearest] else 2))


def counts(values: Complex, blur: float = 0.0) -> tuple[int, int, int]:
    """Real multipliers above +1, real ones below -1, complex pairs outside the unit circle by more than ``blur``."""
    real = _is_real(values)
    pairs = ~real & (values.imag > 0.0) & (np.abs(values) > 1.0 + blur)
    return int((real & (values.real > 1.0)).sum()), int((real & (values.real < -1.0)).sum()), int(pairs.sum())


def events(before: Indicators, after: Indicators) -> list[Event]:
    """What happens between two motions of a branch.

    Pairs that meet on the real axis outside the circle and part there change the counts, but pass nothing.
    """
    found = []
    folds = before.slope * after.slope < 0.0
    if folds:
        found.append(Event(FOLD))
    (up, down, pairs), (up2, down2, pairs2) = (
        counts(one.multipliers, max(before.blur, after.blur)) for one in (before, after)
    )
    # a pair outside the circle that becomes two real multipliers there, or the reverse, passes nothing
    joined = pairs2 - pairs
    if joined and (up2 - up) == -2 * joined:
        up, joined = up2, 0
    elif joined and (down2 - down) == -2 * joined:
        down, joined = down2, 0
    if up2 != up and not folds:
        found.append(Event(BRANCH))
    if down2 != down:
        found.append(Event(DOUBLING))
    if joined:
        found.append(Event(TORUS))
    touching, touching2 = before.gaps < 0.0, after.gaps < 0.0
    found += [Event(GRAZING, int(k)) for k in np.flatnonzero(touching != touching2)]
    return found


def test_function(event: Event, now: Indicators) -> float:
    """What is zero at the event, of a motion near it."""
    values = now.multipliers
    if event.kind == FOLD:
        return now.slope
    if event.kind == GRAZING:
        return float(now.gaps[event.contact])
    if event.kind in (BRANCH, DOUBLING):
        sign = 1.0 if event.kind == BRANCH else -1.0
        # det(M - I) or det(-M - I): smooth also where a pair becomes real
        return float(np.prod(sign * values - 1.0).real)
    pairs = np.abs(values[~_is_real(values)])
    return float(pairs[np.abs(pairs - 1.0).argmin()] - 1.0) if len(pairs) else -1.0
