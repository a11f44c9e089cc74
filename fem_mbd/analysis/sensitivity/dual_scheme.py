"""Phases of a time step evaluated with dual numbers: values and derivatives of all arrays.

`Phases` has the calls of a time step by phase; `refuse` checks that a simulation can be differentiated.

The kernels of `DualScheme` are those of the run, compiled for dual numbers (`fem_mbd.core.compiled.dual_calls`);
nothing of a part is written twice. The values that they find are those of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.compiled.calls import Call, CallList, Task
from fem_mbd.core.compiled.dual_calls import FLOAT, Shadow, dual_calls, owner_of
from fem_mbd.core.compiled.dual_numbers import WIDTH
from fem_mbd.core.compiled.signatures import address_of
from fem_mbd.core.scheme.outputs import NODE_OUTPUTS, SUPPORT
from fem_mbd.core.solver.simulation import Simulation
from fem_mbd.errors import InputError

CONTACT = "contact"  # the output that records of contacts are


class Phases(NamedTuple):
    """Tasks of a step.

    Attributes
    ----------
    begin, residual, accept : as in `StepCalls`
    ending : those of ``residual`` that the end of the step needs: places, velocities and histories
    record : fill the records of contacts, of the solved step
    measure : calls that fill the outputs of the accepted state
    measure_plain : the same with all that is done in Python
    outputs : the arrays of each output by its name, several one after the other
    in_python : names of outputs that are worked out in Python, or may be
    """

    begin: list[Task]
    residual: list[Task]
    ending: list[Task]
    accept: list[Task]
    record: list[Task]
    measure: list[Task]
    measure_plain: list[Task]
    outputs: dict[str, list[Any]]
    in_python: set[str]


def phases_of(simulation: Simulation) -> Phases:
    """The tasks of a simulation."""
    calls, system = simulation.scheme.calls, simulation.system
    record = [task for kind in system.kinds for task in kind.tasks("record_contacts", system.workspace)]
    tasks, outputs = simulation.hooks.outputs_in_place()
    filled = [
        task for task in tasks if hasattr(task, "func")
    ]  # `outputs._fill` of a kind: its last argument is filled
    names = {name for task in filled if isinstance(task, partial) for name in task.args[-1]}
    if any(
        not isinstance(task, Call) for task in tasks if task not in filled
    ):  # which of them it serves nobody tells
        names |= set(outputs) - {output.name for output in (*NODE_OUTPUTS, SUPPORT)}
    if len(calls.contacts):
        outputs = outputs | {CONTACT: [calls.contacts]}
    of_others = {
        id(task)
        for kind in system.kinds
        if kind.history is None
        for task in kind.tasks("residual", system.workspace)
    }
    ending = [task for task in calls.undivided_residual if id(task) not in of_others]
    return Phases(
        calls.begin, calls.undivided_residual, ending, calls.accept, [*record, *calls.gather_contacts],
        [task for task in tasks if isinstance(task, Call)], tasks, outputs, names,
    )  # fmt: skip


def refuse(simulation: Any) -> None:
    """InputError for simulations whose derivatives cannot be had."""
    if not isinstance(simulation, Simulation):
        raise InputError(
            f"derivatives need a plain fem_mbd.Simulation, not a {type(simulation).__name__}: "
            "a controller has no derivatives"
        )
    if simulation.system.threads > 1:
        raise InputError("derivatives are calculated by one thread: leave out NewtonOptions(threads=…)")


def refuse_rigid_contacts(simulation: Simulation, method: str) -> None:
    """InputError for simulations with rigid contacts, where a method cannot pass their impacts."""
    if simulation.impacts.kind is not None:
        raise InputError(
            f"model '{simulation.system.model.name}' has rigid contacts, whose impacts {method} cannot differentiate: "
            "give the contacts a law (fem_mbd.joints.PointOnPlane …), or use forward derivatives (fem_mbd.gradient)"
        )


DERIVATIVES = np.arange(1, WIDTH)  # places in a dual number
SHIFT_RATIO = 1e-3  # of an array's largest number, by which it is moved at most


class DualScheme:
    """Phases of a step with dual numbers.

    Parameters
    ----------
    simulation : new, made within `one_by_one`
    columns : names of the outputs whose derivatives are wanted

    Attributes
    ----------
    shadow : dual numbers beside the simulation's arrays, with the values that these had when it was made
    calls : of each phase of a step by its name, as in `Phases`
    watched : by the name of an output, of each of its arrays: a block of numbers, and where in it the dual numbers of
        the array (…) begin
    y, f, clock : (size, WIDTH), (size, WIDTH), (3, WIDTH) unknowns, equations, times of a step

    Raises
    ------
    InputError
        For rigid contacts, functions of time and parts in Python, laws of the user's own.
    """

    def __init__(self, simulation: Simulation, columns: Sequence[str] = ()):
        refuse(simulation)
        self.simulation = simulation
        self.phases = phases_of(simulation)
        self.shadow = Shadow()
        where = f"model '{simulation.system.model.name}'"
        self.calls = {
            name: dual_calls(getattr(self.phases, name), self.shadow, where)
            for name in ("begin", "residual", "ending", "record", "accept", "measure")
        }
        self._measure = CallList(self.calls["measure"])
        self._by_hand = {name for name in columns if name in self.phases.in_python}
        self.watched = {
            name: [places(self.shadow, array) for array in self.phases.outputs[name]]
            for name in columns
            if name not in self._by_hand
        }
        self._plain_measure = CallList(self.phases.measure_plain)
        calls = simulation.scheme.calls
        self.y, self.f = self.shadow.duals(calls.y), self.shadow.duals(calls.f)
        self.clock = self.shadow.duals(simulation.scheme.workspace.clock)

    @property
    def in_python(self) -> bool:
        """Whether an output is worked out in Python: its derivatives are those of `watch` alone."""
        return bool(self._by_hand)

    def watch(self) -> dict[str, Array]:
        """Derivatives of the outputs in the state, (…, WIDTH - 1) each by its column's name."""
        self._measure()
        derivatives = {
            name: np.concatenate([source[entries[..., None] + DERIVATIVES] for source, entries in several])
            for name, several in self.watched.items()
        }
        return derivatives | self._by_differences() if self._by_hand else derivatives

    def _by_differences(self) -> dict[str, Array]:
        """Those of outputs that are worked out in Python."""
        arrays = {name: self.phases.outputs[name] for name in self._by_hand}

        def evaluate() -> Array:
            self._plain_measure()
            return np.concatenate([_flat(array).ravel() for several in arrays.values() for array in several])

        rows, derivatives, first = self.differences(evaluate), {}, 0
        evaluate()
        for name, several in arrays.items():
            shape = np.concatenate([_flat(array) for array in several]).shape
            count = int(np.prod(shape))
            derivatives[name] = rows[first : first + count].reshape(*shape, WIDTH - 1)
            first += count
        return derivatives

    def differences(self, evaluate: Callable[[], Array]) -> Array:
        """(k, WIDTH - 1) derivatives of numbers (k,) that are worked out in Python from the simulation's arrays.

        Central differences of fourth order of that alone, with all arrays moved along their derivatives.
        """
        blocks = [block for block in self.shadow.blocks if block.is_dual]
        rows = []
        for component in range(1, WIDTH):
            share = max(block.share(component) for block in blocks)
            if not share > 0.0:
                rows.append(np.zeros_like(evaluate()))
                continue
            amount, several = SHIFT_RATIO / share, []
            for k in (1, -1, 2, -2):
                for block in blocks:
                    block.move(component, k * amount)
                several.append(evaluate().copy())
            a, b, c, d = several
            rows.append((8.0 * (a - b) - (c - d)) / (12.0 * amount))
            for block in blocks:
                block.move(0, 0.0)
        return np.stack(rows, axis=-1)


def places(shadow: Shadow, array: Any) -> tuple[Array, Indices]:
    """The whole memory of dual numbers beside an array, as float64, and where in it those of the array (…) begin."""
    duals = shadow.duals(array)
    owner = owner_of(duals)
    words = owner[: len(owner) // FLOAT.itemsize * FLOAT.itemsize].view(FLOAT)
    numbers = np.arange(len(words), dtype=np.int64)
    start = address_of(duals) - address_of(words)
    return words, np.ascontiguousarray(
        np.ndarray(duals.shape, np.int64, numbers, start, duals.strides)[..., 0]
    )


def _flat(array: Any) -> Array:
    """A copy of float64 (…), or of records of nothing else (…, k)."""
    flat: Array = array.view(np.float64).reshape(*array.shape, -1) if array.dtype.names else array
    return flat.copy()
