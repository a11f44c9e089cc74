"""Derivatives of a model's arrays by its parameters before the first step, by finite differences.

The set-up code in Python computes these arrays from the parameters: lengths, masses, stiffnesses, initial values in
closed form. Only this set-up is differenced, never the steps of the run. Entries of the arrays that are not float64
(numbers of nodes, branches, kinds of laws) must not change. `shared_models` keeps the number of models small.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csc_matrix

from fem_mbd.analysis.sensitivity.dual_scheme import DualScheme
from fem_mbd.analysis.sensitivity.events import breakpoints_of
from fem_mbd.analysis.sensitivity.phases import phases_of, refuse
from fem_mbd.analysis.sensitivity.shared_models import by_parameter
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.compiled.duals.layout import FLOAT
from fem_mbd.core.compiled.duals.memory import owner_of
from fem_mbd.core.compiled.signatures import flat
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.scheme.nodes.batches import one_by_one
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.errors import InputError

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
        found = np.zeros(self.size)
        found[self.places] = self.values
        return found


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
        lengths = [len(numbers(one)) for one in self.owners]
        ends = np.cumsum([0, *lengths])
        middle = np.concatenate([*map(numbers, self.owners), self.breakpoints])
        self.derivatives: dict[str, list[Change | None]] = {}
        self.breakpoint_rates: dict[str, Array] = {}
        for name, (places, slopes) in by_parameter(list(values), middle, self._moved).items():
            if not len(places):
                raise InputError(
                    f"parameter {name} does not enter: no array of the model changes with it; is it read by build?"
                )
            own = places >= ends[-1]
            moving = np.zeros(len(self.breakpoints))
            moving[places[own] - ends[-1]] = slopes[own] / self._steps[name]
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
        found = _compared(name, self.owners, _owners(simulation))
        if len(breakpoints) != len(self.breakpoints):
            raise InputError(
                f"parameter {name} decides about how many kinks and jumps the functions of time have: derivatives are "
                "for parameters that move smoothly"
            )
        return np.concatenate([*found, breakpoints])

    def seed(self, scheme: DualScheme, names: Sequence[str], first: int = 1) -> None:
        """Put derivatives by some parameters into the components from ``first`` on, before the first step."""
        blocks = [scheme.shadow.block(owner) for owner in _owners(scheme.simulation)]
        for component, name in enumerate(names, first):
            for block, change in zip(blocks, self.derivatives[name], strict=True):
                if change is not None:
                    block.add(component, change.whole())

    def matrix(self) -> csc_matrix:
        """(numbers, parameters) all derivatives."""
        ends = np.cumsum([0, *(len(numbers(one)) for one in self.owners)])
        rows, values, counts = [np.zeros(0, dtype=np.int64)], [np.zeros(0)], [0]
        for changes in self.derivatives.values():
            own = [(start, one) for start, one in zip(ends, changes, strict=False) if one is not None]
            rows += [start + one.places for start, one in own]
            values += [one.values for _, one in own]
            counts.append(sum(len(one.places) for _, one in own))
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
    found: dict[int, Any] = {}
    for task in (*phases.begin, *phases.residual, *phases.record, *phases.accept, *phases.measure):
        for one in flat(getattr(task, "arguments", ())):
            array = getattr(one, "array", one)
            if isinstance(array, np.ndarray):
                owner = owner_of(array)
                found[id(owner)] = owner
    for kind in simulation.system.kinds:
        if type(kind).outputs is not PartKind.outputs:  # works them out in Python, from arrays of its own too
            own = (one for one in vars(kind).values() if isinstance(one, np.ndarray) and one.dtype == FLOAT)
            found |= {id(owner_of(one)): owner_of(one) for one in own}
    return list(found.values())


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
    return [numbers(one) for one in after]


def fields(array: Any) -> list[Any]:
    """Views of all float64 of an array or of records: (k,), or (k, …) for each of their fields."""
    flat = array.ravel("K")
    if flat.dtype == FLOAT:
        return [flat]
    names = flat.dtype.names or ()
    return [flat[one] for one in names if flat.dtype.fields[one][0].base == FLOAT]


def numbers(array: Any) -> Array:
    """(k,) all float64 of an array or of records, field after field."""
    return np.concatenate([np.zeros(0), *(one.ravel() for one in fields(array))])


def rows_of_numbers(array: Any) -> Indices:
    """(k,) index along the first axis of each of the `numbers` of an array."""
    if array.dtype == FLOAT:
        return np.repeat(np.arange(len(array)), array.size // max(len(array), 1))
    if array.dtype.fields is None:
        return np.zeros(0, dtype=np.int64)
    rows = np.repeat(np.arange(len(array)), array.size // max(len(array), 1))
    fields = [array.dtype.fields[one][0] for one in array.dtype.names]
    own = [np.repeat(rows, one.itemsize // 8) for one in fields if one.base == FLOAT]
    return np.concatenate([np.zeros(0, dtype=np.int64), *own])


def _others(array: Any) -> bytes:
    """All that is no float64."""
    flat = array.ravel("K")
    if flat.dtype == FLOAT:
        return b""
    if flat.dtype.fields is None:
        return bytes(flat.tobytes())
    own = [flat[one].tobytes() for one in flat.dtype.names if flat.dtype.fields[one][0].base != FLOAT]
    return b"".join(own)
