"""Branch points: their place on a branch, and branches that turned into the crossing one.

Where two branches cross, the equations of Newton's method are singular: beside a branch point its solutions have the
round-off of the runs over the distance of the multiplier from +1. Motions are therefore found by exact derivatives, as
kept ones belong to the other side of the crossing and lead to the crossing branch. The place is found by regula falsi
(Illinois) on det(M - I), which is smooth along the branch; it ends where the multiplier is near enough to +1. A trial
so near to the branch point that no motion is found is replaced by one beside it. Source: H. B. Keller, Lectures on
numerical methods in bifurcation problems (Springer, 1987), section 5; M. Dowell and P. Jarratt, A modified regula falsi
method, BIT 11 (1971).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from fem_mbd.errors import SolverFailure

# Distance of a multiplier from +1 at a branch point: runs repeat themselves to 1e-10, which leaves 1e-5 of the motion
# along the crossing branch here; nearer to the branch point that part, squared, is more than the distance itself.
TOLERANCE = 1e-5
MAX_TRIALS = 40
BESIDE = 0.02  # of the bracket: how far beside a trial without a motion the next one is
M = TypeVar("M", bound=Any)  # a motion of a branch


def located(
    at: Callable[[float, M], M],
    test: Callable[[M], float],
    near: Callable[[M], float],
    ends: tuple[tuple[float, M], tuple[float, M]],
) -> M | None:
    """The motion at a branch point between two motions; None where none is found.

    Parameters
    ----------
    at : the motion at a distance, with one near it to begin with
    test : det(M - I) of a motion, of opposite signs at the two ends
    near : distance of a motion's multiplier from +1
    ends : distance and motion on both sides
    """
    (low, first), (high, second) = ends
    left, right = test(first), test(second)
    kept = 0
    for _ in range(MAX_TRIALS):
        distance = low + (high - low) * left / (left - right)
        found = _beside(at, distance, ends)
        if found is None:
            return None
        distance, there = found
        if near(there) < TOLERANCE:
            return there
        value = test(there)
        if (value < 0.0) == (left < 0.0):
            low, first, left = distance, there, value
            right, kept = right * (0.5 if kept == 1 else 1.0), 1
        else:
            high, second, right = distance, there, value
            left, kept = left * (0.5 if kept == -1 else 1.0), -1
        ends = (low, first), (high, second)
    return None


def _beside(
    at: Callable[[float, M], M], distance: float, ends: tuple[tuple[float, M], tuple[float, M]]
) -> tuple[float, M] | None:
    """A motion at a distance, or beside it where none is found, within the bracket."""
    (low, first), (high, second) = ends
    width = BESIDE * (high - low)
    for trial in (distance, distance - width, distance + width):
        if not min(low, high) < trial < max(low, high):
            continue
        try:
            return trial, at(trial, first if abs(trial - low) < abs(trial - high) else second)
        except SolverFailure:
            continue
    return None


def turned(signed: tuple[float, float, float], lengths: tuple[float, float]) -> bool:
    """Whether a multiplier that was about to pass +1 has not: the branch went over to the one that crosses there.

    On the crossing branch the multiplier turns round at +1. Shorter steps tell this from a multiplier that turns
    round before +1.

    Parameters
    ----------
    signed : 1 minus the real multiplier nearest to +1, of three motions in a row
    lengths : of the two steps between them
    """
    before, here, there = signed
    expected = here + (here - before) * lengths[1] / lengths[0]
    return expected * here < 0.0 < there * here
