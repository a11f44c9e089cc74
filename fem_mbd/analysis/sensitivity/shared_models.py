"""Derivatives of a model's arrays by many parameters by finite differences, from as few models as possible.

Most numbers in a model's arrays depend on one parameter (the mass of a node, the stiffness of a spring), and linearly.
With more than three parameters, three models tell which one. In each of them all parameters are changed, each by
amounts of its own: the ratio of a number's first two changes identifies its parameter, and the third model checks that
the number is linear in this parameter alone. Where that does not explain all numbers of many parameters, 2 log2(p)
models identify the parameters, one pair for each binary digit of a parameter's index: parameter k is changed in the
first or in the second model of a pair, as its digit says. A number that changes in only one model of each pair belongs
to the parameter with these digits. All parameters identified in this way are then changed together. Parameters that
affect a common number are changed alone, once; in further models those without common numbers are changed together.

Differences are central, of fourth order, from four models with changes of one and two steps of 1/2000 of the
parameter; the error is about 1e-12 of the derivative, from round-off. Two of these models, at two steps and at minus
one, suffice where all numbers are linear in the parameters to round-off; unequal steps also reveal odd functions. Where
many parameters affect common numbers, one model in which all are changed checks linearity in all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from fem_mbd.base.arrays import Array, Flags, Indices
from fem_mbd.errors import InputError

WEIGHTS = (2.0 / 3.0, -1.0 / 12.0)  # of one and two steps to a side
FAR_STEP, BACKWARD_STEP = 2, -1  # steps of the models that tell whether numbers are linear
# parameters, all that are moved one by one; parameters, or groups of them, from which on others are tried before
MAX_SINGLE_PARAMETERS, MAX_GROUPS = 12, 3
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
    explained = _by_amounts(names, middle, moved) if len(names) > MAX_GROUPS else None
    if explained is not None:
        return explained
    if len(names) > MAX_SINGLE_PARAMETERS:
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
    for name, slopes in _alone(alone, middle, moved).items():
        places = np.flatnonzero(slopes)
        found[name] = places, slopes[places]
    return {name: found[name] for name in names}


def _by_amounts(names: Sequence[str], middle: Array, moved: Moved) -> dict[str, tuple[Indices, Array]] | None:
    """The same from three models where each number is linear in one parameter; None where some number is not."""
    random = np.random.default_rng(2)
    amounts = [sign * random.uniform(1.5, FAR_STEP, len(names)) for sign in (1.0, 1.0, -1.0)]
    try:
        first, second = (moved(dict(zip(names, own.tolist(), strict=True))) for own in amounts[:2])
        places = np.flatnonzero((first != middle) | (second != middle))
        changes = [one[places] - middle[places] for one in (first, second)]
        size = np.maximum.reduce([np.abs(one[places]) for one in (middle, first, second)])
        owner = _by_ratio(amounts[1] / amounts[0], changes[0], changes[1], size)
        if owner is None:
            return None
        third = moved(dict(zip(names, amounts[2].tolist(), strict=True)))
    except InputError:  # of one of the parameters: which one it is shows when each is moved alone
        return None
    expected = middle.copy()
    expected[places] += changes[0] * (amounts[2] / amounts[0])[owner]
    if not (np.abs(third - expected) <= 4.0 * ROUND_OFF * np.maximum(np.abs(middle), np.abs(third))).all():
        return None
    slopes = (first - third)[places] / (amounts[0] - amounts[2])[owner]
    sorted_ = np.argsort(owner, kind="stable")
    cuts = np.searchsorted(owner[sorted_], np.arange(len(names) + 1))
    own = [sorted_[a:b] for a, b in zip(cuts, cuts[1:], strict=False)]
    return {name: (places[some], slopes[some]) for name, some in zip(names, own, strict=True)}


def _by_ratio(ratios: Array, first: Array, second: Array, size: Array) -> Indices | None:
    """(k,) the parameters whose ratios of amounts two changes (k,) of numbers have, of that size; None for others."""
    if not (np.abs(first) > 0.0).all():
        return None
    order = np.argsort(ratios)
    ladder = np.concatenate([[-np.inf], ratios[order], [np.inf]])
    ratio = second / first
    near = np.clip(np.searchsorted(0.5 * (ladder[1:-2] + ladder[2:-1]), ratio), 0, len(ratios) - 1)
    unsure = ROUND_OFF * size / np.abs(first) * (1.0 + np.abs(ratio))
    gap = np.minimum(np.diff(ladder)[near], np.diff(ladder)[near + 1])
    owner: Indices = order[near]
    certain = (unsure < 0.25 * gap) & (np.abs(ratio - ratios[owner]) <= unsure)
    return owner if certain.all() else None


def _alone(names: Sequence[str], middle: Array, moved: Moved) -> dict[str, Array]:
    """(n,) derivatives by each parameter over a step: one model with each alone, further ones for several at once."""
    far = {name: moved({name: FAR_STEP}) for name in names}
    groups = _apart({name: one != middle for name, one in far.items()})
    if len(groups) > MAX_GROUPS and _adds_up(far, middle, moved):
        return {name: (one - middle) / FAR_STEP for name, one in far.items()}
    found: dict[str, Array] = {}
    for group in groups:
        whole = middle.copy()
        for name in group:
            changed = far[name] != middle
            whole[changed] = far[name][changed]
        slopes = _slopes(group, middle, moved, whole)
        found |= {name: np.where(far[name] != middle, slopes, 0.0) for name in group}
    return found


def _apart(changed: Mapping[str, Flags]) -> list[list[str]]:
    """Parameters in groups whose numbers are different ones."""
    groups: list[tuple[list[str], Flags]] = []
    for name, own in changed.items():
        for members, taken in groups:
            if not (taken & own).any():
                members.append(name)
                taken |= own
                break
        else:
            groups.append(([name], own.copy()))
    return [members for members, _ in groups]


def _adds_up(far: Mapping[str, Array], middle: Array, moved: Moved) -> bool:
    """Whether numbers are linear in all parameters: what changes when all are moved is the sum of their changes."""
    amounts = -np.random.default_rng(3).uniform(0.5, 1.5, len(far))
    together = moved(dict(zip(far, amounts.tolist(), strict=True)))
    expected, size = middle.copy(), np.maximum(np.abs(middle), np.abs(together))
    for amount, one in zip(amounts, far.values(), strict=True):
        expected += amount / FAR_STEP * (one - middle)
        np.maximum(size, np.abs(one), out=size)
    return bool((np.abs(together - expected) <= len(far) * ROUND_OFF * size).all())


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
                name: FAR_STEP * (1.0 - 0.3 * k / len(names))
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


def _slopes(names: Sequence[str], middle: Array, moved: Moved, known: Array | None = None) -> Array:
    """(n,) derivatives over a step, all of these parameters being moved together; known: numbers at `FAR` steps."""

    def at(steps: float) -> Array:
        return moved(dict.fromkeys(names, steps))

    far, back = at(FAR_STEP) if known is None else known, at(BACKWARD_STEP)
    size = np.maximum(np.abs(far), np.abs(back))
    if (
        np.abs(back * FAR_STEP - far * BACKWARD_STEP - (FAR_STEP - BACKWARD_STEP) * middle)
        <= (FAR_STEP - BACKWARD_STEP) * ROUND_OFF * size
    ).all():
        return (far - back) / (FAR_STEP - BACKWARD_STEP)
    return np.asarray(WEIGHTS[0] * (at(1) - back) + WEIGHTS[1] * (far - at(-FAR_STEP)))
