"""State of a run between two steps as one vector: all that a restart and the equations of the next step need."""

from __future__ import annotations

from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.solver.simulation import Simulation


class StateVector:
    """The numbers of a simulation's state.

    Parameters
    ----------
    simulation : whose state it is

    Attributes
    ----------
    arrays : each array of the state, and its copies, itself among them, that the equations of a step read
    size : numbers of a state
    """

    def __init__(self, simulation: Simulation):
        self._scheme = simulation.scheme
        state, work = simulation.state, simulation.scheme.work
        kinds = [kind.history for kind in simulation.system.kinds if kind.history is not None]
        self.arrays: list[tuple[Any, list[Any]]] = [
            (state.u, [state.u, work.q_i[:, 0]]),
            (state.r, [state.r, work.r_i, np.swapaxes(work.q_i[:, 1:], 1, 2)]),
            *((one, [one]) for one in (state.v, state.omega, state.slope, state.multipliers, work.lam)),
            *((_numbers(own), [own, kind]) for own, kind in zip(state.history, kinds, strict=True)),
        ]
        self.size = sum(plain.size for plain, _ in self.arrays)
        first = state.u.size + state.r.size
        self.velocities = slice(first, first + state.v.size + state.omega.size)

    def get(self) -> Array:
        """(size,) the numbers as they are now."""
        return np.concatenate([plain.ravel() for plain, _ in self.arrays])

    def put(self, numbers: Array) -> None:
        """Put a state (size,) into the arrays."""
        at = 0
        for plain, _ in self.arrays:
            plain[...] = numbers[at : at + plain.size].reshape(plain.shape)
            at += plain.size
        self._scheme.load_state()


def _numbers(array: Any) -> Array:
    """View of all float64 of records as an array with one more axis; other arrays as they are."""
    if array.dtype.fields is None:
        return np.asarray(array)
    flat = array.view(np.float64)
    flat.shape = (*array.shape, -1)
    return np.asarray(flat)
