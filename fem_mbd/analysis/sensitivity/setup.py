"""Derivatives of a model's arrays by its parameters before the first step, by finite differences.

The set-up code in Python computes these arrays from the parameters: lengths, masses, stiffnesses, initial values in
closed form. Only this set-up is differenced, never the steps of the run. Entries of the arrays that are not float64
(numbers of nodes, branches, kinds of laws) must not change.

`by_parameter` keeps the number of models small. Most numbers in a model's arrays depend on one parameter (the mass of a
node, the stiffness of a spring), and linearly. With more than three parameters, three models tell which one. In each of
them all parameters are changed, each by amounts of its own: the ratio of a number's first two changes identifies its
parameter, and the third model checks that the number is linear in this parameter alone. Where that does not explain all
numbers of many parameters, 2 log2(p) models identify the parameters, one pair for each binary digit of a parameter's
index: parameter k is changed in the first or in the second model of a pair, as its digit says. A number that changes in
only one model of each pair belongs to the parameter with these digits. All parameters identified in this way are then
changed together. Parameters that affect a common number are changed alone, once; in further models those without common
numbers are changed together.

Differences are central, of fourth order, from four models with changes of one and two steps of 1/2000 of the
parameter; the error is about 1e-12 of the derivative, from round-off. Two of these models, at two steps and at minus
one, suffice where all numbers are linear in the parameters to round-off; unequal steps also reveal odd functions. Where
many parameters affect common numbers, one model in which all are changed checks linearity in all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csc_matrix

from fem_mbd.analysis.sensitivity.dual_scheme import DualScheme, phases_of, refuse
from fem_mbd.analysis.sensitivity.recorded_run import breakpoints_of
from fem_mbd.base.arrays import Array, Flags, Indices
from fem_mbd.core.compiled.dual_calls import FLOAT, owner_of
from fem_mbd.core.compiled.signatures import flat
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.scheme.nodes.batches import one_by_one
from fem_mbd.core.solver.simulation import Simulation
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
            owner, alone = _owner_of_each(names, middle, moved)
        except InputError:  # of one of the parameters: which one it is shows when each is moved alone
            alone = list(names)
    derivatives: dict[str, tuple[Indices, Array]] = {}
    together = [name for name in names if name not in alone]
    if together:
        slopes = _slopes(together, middle, moved)
        places = np.flatnonzero(slopes)
        order = np.argsort(owner[places], kind="stable")
        places = places[order]
        for k, name in enumerate(names):
            of_name = places[slice(*np.searchsorted(owner[places], (k, k + 1)))]
            derivatives[name] = of_name, slopes[of_name]
    for name, slopes in _alone(alone, middle, moved).items():
        places = np.flatnonzero(slopes)
        derivatives[name] = places, slopes[places]
    return {name: derivatives[name] for name in names}


def _by_amounts(names: Sequence[str], middle: Array, moved: Moved) -> dict[str, tuple[Indices, Array]] | None:
    """The same from three models where each number is linear in one parameter; None where some number is not."""
    random = np.random.default_rng(2)
    amounts = [sign * random.uniform(1.5, FAR_STEP, len(names)) for sign in (1.0, 1.0, -1.0)]
    try:
        first, second = (moved(dict(zip(names, steps.tolist(), strict=True))) for steps in amounts[:2])
        places = np.flatnonzero((first != middle) | (second != middle))
        changes = [values[places] - middle[places] for values in (first, second)]
        size = np.maximum.reduce([np.abs(values[places]) for values in (middle, first, second)])
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
    groups = [sorted_[a:b] for a, b in zip(cuts, cuts[1:], strict=False)]
    return {name: (places[some], slopes[some]) for name, some in zip(names, groups, strict=True)}


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
    groups = _apart({name: values != middle for name, values in far.items()})
    if len(groups) > MAX_GROUPS and _adds_up(far, middle, moved):
        return {name: (values - middle) / FAR_STEP for name, values in far.items()}
    derivatives: dict[str, Array] = {}
    for group in groups:
        whole = middle.copy()
        for name in group:
            changed = far[name] != middle
            whole[changed] = far[name][changed]
        slopes = _slopes(group, middle, moved, whole)
        derivatives |= {name: np.where(far[name] != middle, slopes, 0.0) for name in group}
    return derivatives


def _apart(changed: Mapping[str, Flags]) -> list[list[str]]:
    """Parameters in groups whose numbers are different ones."""
    groups: list[tuple[list[str], Flags]] = []
    for name, flags in changed.items():
        for members, taken in groups:
            if not (taken & flags).any():
                members.append(name)
                taken |= flags
                break
        else:
            groups.append(([name], flags.copy()))
    return [members for members, _ in groups]


def _adds_up(far: Mapping[str, Array], middle: Array, moved: Moved) -> bool:
    """Whether numbers are linear in all parameters: what changes when all are moved is the sum of their changes."""
    amounts = -np.random.default_rng(3).uniform(0.5, 1.5, len(far))
    together = moved(dict(zip(far, amounts.tolist(), strict=True)))
    expected, size = middle.copy(), np.maximum(np.abs(middle), np.abs(together))
    for amount, values in zip(amounts, far.values(), strict=True):
        expected += amount / FAR_STEP * (values - middle)
        np.maximum(size, np.abs(values), out=size)
    return bool((np.abs(together - expected) <= len(far) * ROUND_OFF * size).all())


def _owner_of_each(names: Sequence[str], middle: Array, moved: Moved) -> tuple[Indices, list[str]]:
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


PARAMETER_RANGE = 1e-3  # of a parameter's size, to both sides
STEPS = 2  # that it is reached in
Build = Callable[[Mapping[str, float]], Simulation]


def made(build: Build, values: Mapping[str, float], end_time: float | None = None) -> Simulation:
    """A new simulation whose parts are calculated one after the other.

    Raises
    ------
    InputError
        For one that has no derivatives, or whose end depends on the parameters.
    """
    with one_by_one():
        simulation = build(values)
    refuse(simulation)
    if end_time is not None and simulation.end_time != end_time:
        raise InputError(
            f"the end of the run depends on the parameters: {simulation.end_time:g} s in place of {end_time:g} s; give "
            "one that does not: steps are the same for all values of the parameters"
        )
    return simulation


@dataclass(frozen=True, eq=False)
class Change:
    """Derivatives of the numbers of an array by a parameter.

    Attributes
    ----------
    size : numbers of the array
    places, values : (k,) those that are not zero
    """

    size: int
    places: Indices
    values: Array

    def __mul__(self, factor: float) -> Change:
        return Change(self.size, self.places, self.values * factor)

    def whole(self) -> Array:
        """(size,) with zeros."""
        dense = np.zeros(self.size)
        dense[self.places] = self.values
        return dense


class SetUp:
    """Derivatives of the arrays of a simulation by parameters, before its first step.

    Parameters
    ----------
    build : makes a simulation from the values of the parameters
    values : of the parameters by name
    scales : size of a parameter by name, where its value does not tell: it is moved by `PARAMETER_RANGE` of that

    Attributes
    ----------
    derivatives : of each parameter, of each array in the order of `numbers`; None: all are zero
    simulation : made from the values
    owners : its arrays, in the order in which their numbers are counted
    breakpoints : (k,) s, instants of kinks and jumps of its functions of time
    breakpoint_rates : of each parameter, (k,) derivatives of these
    """

    def __init__(self, build: Build, values: Mapping[str, float], scales: Mapping[str, float]):
        self._build, self._values = build, dict(values)
        self.simulation = made(build, values)
        self._end_time, self.owners = self.simulation.end_time, _owners(self.simulation)
        self.breakpoints = breakpoints_of(self.simulation)
        self._steps = {
            name: PARAMETER_RANGE / STEPS * _size(name, scales.get(name, abs(value)))
            for name, value in values.items()
        }
        lengths = [len(numbers(owner)) for owner in self.owners]
        ends = np.cumsum([0, *lengths])
        middle = np.concatenate([*map(numbers, self.owners), self.breakpoints])
        self.derivatives: dict[str, list[Change | None]] = {}
        self.breakpoint_rates: dict[str, Array] = {}
        for name, (places, slopes) in by_parameter(list(values), middle, self._moved).items():
            if not len(places):
                raise InputError(
                    f"parameter {name} does not enter: no array of the model changes with it; is it read by build?"
                )
            is_breakpoint = places >= ends[-1]
            moving = np.zeros(len(self.breakpoints))
            moving[places[is_breakpoint] - ends[-1]] = slopes[is_breakpoint] / self._steps[name]
            self.breakpoint_rates[name] = moving
            cuts = np.searchsorted(places, ends)
            self.derivatives[name] = [
                Change(size, places[a:b] - start, slopes[a:b] / self._steps[name]) if b > a else None
                for size, start, a, b in zip(lengths, ends, cuts, cuts[1:], strict=False)
            ]

    def simulations(self, count: int) -> list[Simulation]:
        """Simulations for so many schemes: one for all, unless each has to take impacts along."""
        if self.simulation.impacts.kind is None:
            return [self.simulation] * count
        return [made(self._build, self._values) for _ in range(count)]

    def _moved(self, steps: Mapping[str, float]) -> Array:
        """All numbers of a model with parameters moved by so many steps each."""
        moved = {name: self._values[name] + count * self._steps[name] for name, count in steps.items()}
        try:
            simulation = made(self._build, {**self._values, **moved}, self._end_time)
        except InputError as error:
            said = ", ".join(f"{name} at {value:.6g}" for name, value in moved.items())
            raise InputError(
                f"parameter {said}, beside its value: {error}. Derivatives need models on both sides of the value: at "
                "the bound of a parameter's range choose a value a little inside"
            ) from error
        name, breakpoints = ", ".join(moved), breakpoints_of(simulation)
        arrays = _compared(name, self.owners, _owners(simulation))
        if len(breakpoints) != len(self.breakpoints):
            raise InputError(
                f"parameter {name} decides about how many kinks and jumps the functions of time have: derivatives are "
                "for parameters that move smoothly"
            )
        return np.concatenate([*arrays, breakpoints])

    def seed(self, scheme: DualScheme, names: Sequence[str], first: int = 1) -> None:
        """Put derivatives by some parameters into the components from ``first`` on, before the first step."""
        blocks = [scheme.shadow.block(owner) for owner in _owners(scheme.simulation)]
        for component, name in enumerate(names, first):
            for block, change in zip(blocks, self.derivatives[name], strict=True):
                if change is not None:
                    block.add(component, change.whole())

    def matrix(self) -> csc_matrix:
        """(numbers, parameters) all derivatives."""
        ends = np.cumsum([0, *(len(numbers(owner)) for owner in self.owners)])
        rows, values, counts = [np.zeros(0, dtype=np.int64)], [np.zeros(0)], [0]
        for changes in self.derivatives.values():
            present = [
                (start, change) for start, change in zip(ends, changes, strict=False) if change is not None
            ]
            rows += [start + change.places for start, change in present]
            values += [change.values for _, change in present]
            counts.append(sum(len(change.places) for _, change in present))
        shape = int(ends[-1]), len(self.derivatives)
        return csc_matrix((np.concatenate(values), np.concatenate(rows), np.cumsum(counts)), shape)


def _size(name: str, scale: float) -> float:
    if not scale > 0.0:
        raise InputError(
            f"parameter {name} is zero and tells no size: give one by scale, e.g. scale={{{name!r}: 0.01}}"
        )
    return scale


def _owners(simulation: Simulation) -> list[Any]:
    """The arrays that the calls of a step work on, in the order in which these name them."""
    phases = phases_of(simulation)
    owners: dict[int, Any] = {}
    for task in (*phases.begin, *phases.residual, *phases.record, *phases.accept, *phases.measure):
        for argument in flat(getattr(task, "arguments", ())):
            array = getattr(argument, "array", argument)
            if isinstance(array, np.ndarray):
                owner = owner_of(array)
                owners[id(owner)] = owner
    for kind in simulation.system.kinds:
        if type(kind).outputs is not PartKind.outputs:  # works them out in Python, from arrays of its own too
            arrays = (
                array
                for array in vars(kind).values()
                if isinstance(array, np.ndarray) and array.dtype == FLOAT
            )
            owners |= {id(owner_of(array)): owner_of(array) for array in arrays}
    return list(owners.values())


def _compared(name: str, before: Sequence[Any], after: Sequence[Any]) -> list[Array]:
    """Numbers of each array, (k,) in the order of its memory; InputError where anything else is different."""
    same = len(before) == len(after) and all(
        a.dtype == b.dtype and a.shape == b.shape and _others(a) == _others(b)
        for a, b in zip(before, after, strict=True)
    )
    if not same:
        raise InputError(
            f"parameter {name} decides about more than numbers (elements, parts, a law, a branch of one), or makes an "
            "arm or offset here that is exactly zero: derivatives are for parameters that move smoothly"
        )
    return [numbers(array) for array in after]


def fields(array: Any) -> list[Any]:
    """Views of all float64 of an array or of records: (k,), or (k, …) for each of their fields."""
    flat = array.ravel("K")
    if flat.dtype == FLOAT:
        return [flat]
    names = flat.dtype.names or ()
    return [flat[name] for name in names if flat.dtype.fields[name][0].base == FLOAT]


def numbers(array: Any) -> Array:
    """(k,) all float64 of an array or of records, field after field."""
    return np.concatenate([np.zeros(0), *(field.ravel() for field in fields(array))])


def rows_of_numbers(array: Any) -> Indices:
    """(k,) index along the first axis of each of the `numbers` of an array."""
    if array.dtype == FLOAT:
        return np.repeat(np.arange(len(array)), array.size // max(len(array), 1))
    if array.dtype.fields is None:
        return np.zeros(0, dtype=np.int64)
    rows = np.repeat(np.arange(len(array)), array.size // max(len(array), 1))
    fields = [array.dtype.fields[name][0] for name in array.dtype.names]
    of_fields = [np.repeat(rows, field.itemsize // 8) for field in fields if field.base == FLOAT]
    return np.concatenate([np.zeros(0, dtype=np.int64), *of_fields])


def _others(array: Any) -> bytes:
    """All that is no float64."""
    flat = array.ravel("K")
    if flat.dtype == FLOAT:
        return b""
    if flat.dtype.fields is None:
        return bytes(flat.tobytes())
    others = [flat[name].tobytes() for name in flat.dtype.names if flat.dtype.fields[name][0].base != FLOAT]
    return b"".join(others)
