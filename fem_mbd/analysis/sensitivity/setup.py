"""Derivatives of a model's arrays before the first step by its parameters.

Set-up code in Python makes these arrays from the parameters: closed forms of lengths, masses, stiffnesses, initial
values. They are differenced (central, sixth order), here and nowhere else: the steps of the run are not. With a
parameter moved by at most `REACH` the error is some 1e-12 of the derivative, from round-off. What is no float64 in the
arrays (numbers of nodes, of branches, of laws) has to stay as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from fem_mbd.analysis.sensitivity.dual_scheme import DualScheme
from fem_mbd.analysis.sensitivity.phases import phases_of, refuse
from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled.duals.layout import FLOAT
from fem_mbd.core.compiled.duals.memory import owner_of
from fem_mbd.core.model.part_kind import PartKind
from fem_mbd.core.scheme.nodes.batches import one_by_one
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.errors import InputError

REACH = 6e-3  # of a parameter's size, to both sides
WEIGHTS = (0.75, -0.15, 1.0 / 60.0)  # of one, two and three steps to a side
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


class SetUp:
    """Derivatives of the arrays of a simulation by parameters, before its first step.

    Parameters
    ----------
    build : makes a simulation from the values of the parameters
    values : of the parameters by name
    scales : size of a parameter by name, where its value does not tell: it is moved by `REACH` of that

    Attributes
    ----------
    derivatives : of each parameter, of each array its numbers' derivatives, (k,) as in memory; None: all are zero
    """

    def __init__(self, build: Build, values: Mapping[str, float], scales: Mapping[str, float]):
        self._build, self._values = build, dict(values)
        first = made(build, values)
        self._end_time, self._owners = first.end_time, _owners(first)
        self.derivatives = {
            name: self._by(name, scales.get(name, abs(value))) for name, value in values.items()
        }

    def _by(self, name: str, scale: float) -> list[Array | None]:
        """Of each block its numbers' derivatives by a parameter, (k,) as in the owner's memory; None: all are zero."""
        if not scale > 0.0:
            raise InputError(
                f"parameter {name} is zero and tells no size: give one by scale, e.g. scale={{{name!r}: 0.01}}"
            )
        step = REACH / len(WEIGHTS) * scale
        found: list[Any] = [0.0] * len(self._owners)
        for k, weight in enumerate(WEIGHTS, 1):
            both = [self._arrays(name, sign * k * step) for sign in (1, -1)]
            for b, (more, less) in enumerate(zip(*both, strict=True)):
                found[b] = found[b] + weight / step * (more - less)
        if not any(np.any(one) for one in found):
            raise InputError(
                f"parameter {name} does not enter: no array of the model changes with it; is it read by build?"
            )
        return [one if np.any(one) else None for one in found]

    def _arrays(self, name: str, change: float) -> list[Array]:
        values = {**self._values, name: self._values[name] + change}
        try:
            owners = _owners(made(self._build, values, self._end_time))
        except InputError as error:
            raise InputError(f"parameter {name} at {values[name]:.6g}, beside its value: {error}") from error
        return _compared(name, self._owners, owners)

    def seed(self, scheme: DualScheme, names: Sequence[str], first: int = 1) -> None:
        """Put the derivatives by some parameters into lanes, from ``first`` on, of a scheme that has made no step."""
        blocks = [scheme.shadow.block(owner) for owner in _owners(scheme.simulation)]
        for lane, name in enumerate(names, first):
            for block, change in zip(blocks, self.derivatives[name], strict=True):
                if change is not None:
                    block.add(lane, change)


def _owners(simulation: Simulation) -> list[Any]:
    """The arrays that the calls of a step work on, in the order in which these name them."""
    phases = phases_of(simulation)
    found: dict[int, Any] = {}
    for task in (*phases.begin, *phases.residual, *phases.record, *phases.accept, *phases.measure):
        for one in getattr(task, "arguments", ()):
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


def numbers(array: Any) -> Array:
    """(k,) all float64 of an array or of records, field after field."""
    flat = array.ravel("K")
    if flat.dtype == FLOAT:
        return flat.copy()
    if flat.dtype.fields is None:
        return np.zeros(0)
    own = [flat[one].ravel() for one in flat.dtype.names if flat.dtype.fields[one][0].base == FLOAT]
    return np.concatenate(own) if own else np.zeros(0)


def _others(array: Any) -> bytes:
    """All that is no float64."""
    flat = array.ravel("K")
    if flat.dtype == FLOAT:
        return b""
    if flat.dtype.fields is None:
        return bytes(flat.tobytes())
    own = [flat[one].tobytes() for one in flat.dtype.names if flat.dtype.fields[one][0].base != FLOAT]
    return b"".join(own)
