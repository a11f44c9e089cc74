"""Derivatives of numbers by many parameters from few models.

Most numbers of a model's arrays depend on one parameter (the mass of a node, the stiffness of a spring). Which one it
is tell 2 log2(p) models: parameter k is moved in that of each pair that the k-th binary digit names. A number that
changes in one model of each pair has the digits of its parameter. All these parameters are then moved together.
Parameters that share a number are moved alone.

Differences are central, of sixth order, from six models; with a parameter moved by three steps of 1/500 of its size
the error is some 1e-12 of the derivative, from round-off. Two of them, at three steps and at minus one, suffice where
all numbers are linear in the parameters to round-off: a function that is odd about the middle shows there too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from fem_mbd.base.arrays import Array, Flags, Indices
from fem_mbd.errors import InputError

WEIGHTS = (0.75, -0.15, 1.0 / 60.0)  # of one, two and three steps to a side
FAR, BACK = 3, -1  # steps of the models that tell whether numbers are linear
ROUND_OFF = 8 * np.finfo(float).eps  # of a number
Moved = Callable[[Mapping[str, float]], Array]


def by_parameter(names: Sequence[str], middle: Array, moved: Moved) -> dict[str, tuple[Indices, Array]]:
    """Of each parameter the numbers that depend on it, and their derivatives over a step of it.

    Parameters
    ----------
    names : of the parameters
    middle : (n,) the numbers
    moved : gives them with parameters moved by so many steps

    Raises
    ------
    InputError
        What ``moved`` raises for one of the parameters alone.
    """
    alone, owner = list(names), np.zeros(len(middle), dtype=np.int64)
    if len(names) > 2:
        try:
            owner, alone = _owners(names, middle, moved)
        except InputError:  # of one of the parameters: which one it is shows when each is moved alone
            alone = list(names)
    found: dict[str, tuple[Indices, Array]] = {}
    together = [name for name in names if name not in alone]
    if together:
        slopes = _slopes(together, middle, moved)
        places = np.flatnonzero(slopes)
        order = np.argsort(owner[places], kind="stable")
        places = places[order]
        for k, name in enumerate(names):
            own = places[slice(*np.searchsorted(owner[places], (k, k + 1)))]
            found[name] = own, slopes[own]
    for name in alone:
        slopes = _slopes([name], middle, moved)
        places = np.flatnonzero(slopes)
        found[name] = places, slopes[places]
    return {name: found[name] for name in names}


def _owners(names: Sequence[str], middle: Array, moved: Moved) -> tuple[Indices, list[str]]:
    """(n,) the parameter that each number depends on, and the parameters that share numbers with others."""
    digits = range((len(names) - 1).bit_length())
    owner, changed = np.zeros(len(middle), dtype=np.int64), np.zeros(len(middle), dtype=bool)
    shared, pairs = np.zeros(len(middle), dtype=bool), []
    for digit in digits:
        pair: list[Flags] = []
        for side in (0, 1):
            # not all by the same share: what depends on a ratio of two of them changes
            steps = {
                name: FAR * (1.0 - 0.3 * k / len(names))
                for k, name in enumerate(names)
                if k >> digit & 1 == side
            }
            pair.append(moved(steps) != middle)
        shared |= pair[0] & pair[1]
        changed |= pair[0] | pair[1]
        owner |= pair[1].astype(np.int64) << digit
        pairs.append(pair)
    alone = []
    for k, name in enumerate(names):
        possible = shared.copy()
        for digit in digits:
            possible &= pairs[digit][k >> digit & 1]
        if possible.any():
            alone.append(name)
    return np.where(changed, owner, len(names)), alone


def _slopes(names: Sequence[str], middle: Array, moved: Moved) -> Array:
    """(n,) derivatives over a step, all of these parameters being moved together."""

    def at(steps: float) -> Array:
        return moved(dict.fromkeys(names, steps))

    far, back = at(FAR), at(BACK)
    size = np.maximum(np.abs(far), np.abs(back))
    if (np.abs(back * FAR - far * BACK - (FAR - BACK) * middle) <= (FAR - BACK) * ROUND_OFF * size).all():
        return (far - back) / (FAR - BACK)
    found = WEIGHTS[2] * (far - at(-FAR)) + WEIGHTS[0] * (at(1) - back)
    return np.asarray(found + WEIGHTS[1] * (at(2) - at(-2)))
