"""The phases of a time step evaluated with dual numbers: values and derivatives of all arrays.

The kernels are those of the run, compiled for dual numbers (`fem_mbd.core.compiled.duals`); nothing of a part is
written twice. The values that they find are those of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fem_mbd.analysis.sensitivity.phases import phases_of, refuse
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.compiled.calls import CallList
from fem_mbd.core.compiled.duals.calls import dual_calls
from fem_mbd.core.compiled.duals.layout import FLOAT
from fem_mbd.core.compiled.duals.memory import Shadow, owner_of
from fem_mbd.core.compiled.duals.number import WIDTH
from fem_mbd.core.compiled.signatures import address_of
from fem_mbd.core.solver.simulation import Simulation

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
        self.clock = self.shadow.duals(simulation.scheme.work.clock)

    @property
    def in_python(self) -> bool:
        """Whether an output is worked out in Python: its derivatives are those of `watch` alone."""
        return bool(self._by_hand)

    def watch(self) -> dict[str, Array]:
        """Derivatives of the outputs in the state, (…, WIDTH - 1) each by its column's name."""
        self._measure()
        found = {
            name: np.concatenate([source[own[..., None] + DERIVATIVES] for source, own in several])
            for name, several in self.watched.items()
        }
        return found | self._by_differences() if self._by_hand else found

    def _by_differences(self) -> dict[str, Array]:
        """Those of outputs that are worked out in Python."""
        arrays = {name: self.phases.outputs[name] for name in self._by_hand}

        def evaluate() -> Array:
            self._plain_measure()
            return np.concatenate([_flat(one).ravel() for several in arrays.values() for one in several])

        rows, found, first = self.differences(evaluate), {}, 0
        evaluate()
        for name, several in arrays.items():
            shape = np.concatenate([_flat(one) for one in several]).shape
            count = int(np.prod(shape))
            found[name] = rows[first : first + count].reshape(*shape, WIDTH - 1)
            first += count
        return found

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
    found: Array = array.view(np.float64).reshape(*array.shape, -1) if array.dtype.names else array
    return found.copy()
