"""Class `State`: the state of a run between steps, which can be copied, stored and restored."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.errors import InputError


@dataclass
class State:
    """State at an accepted instant; n nodes, m constraints.

    Attributes
    ----------
    time : s
    u : (n, 3) mass centres of the nodes, global axes, m
    r : (n, 3, 3) rotations, node axes to global axes
    v, omega : (n, 3) velocity of the mass centre (global axes) and angular velocity (node axes)
    slope : (n, 6) rates of v and omega over the last step, for the predictor
    multipliers : (m, 2) mean and jump over the last step, N or N m
    history : one array per element class with a history, of floats or of records of floats (bristles, past forces …)
    """

    time: float
    u: Array
    r: Array
    v: Array
    omega: Array
    slope: Array
    multipliers: Array
    history: list[Any] = field(default_factory=list)

    @property
    def R(self) -> Array:
        return self.r

    def _arrays(self) -> list[Array]:
        history = [h.view(np.float64) if h.dtype.names else h for h in self.history]
        return [self.u, self.r, self.v, self.omega, self.slope, self.multipliers, *history]

    def to_flat(self) -> Array:
        """All numbers in one vector."""
        return np.concatenate([[self.time], *(a.ravel() for a in self._arrays())])

    def fill_from_flat(self, flat: Array) -> None:
        """Overwrite this state with the numbers returned by `to_flat`.

        Raises
        ------
        InputError
            When the vector belongs to another model.
        """
        arrays = self._arrays()
        size = 1 + sum(a.size for a in arrays)
        if len(flat) != size:
            raise InputError(
                f"stored state has {len(flat)} numbers, this model needs {size}: the model has changed"
            )
        self.time = float(flat[0])
        at = 1
        for a in arrays:
            a[...] = flat[at : at + a.size].reshape(a.shape)
            at += a.size

    def copy(self) -> State:
        """An independent copy."""
        return State(
            self.time,
            u=self.u.copy(),
            r=self.r.copy(),
            v=self.v.copy(),
            omega=self.omega.copy(),
            slope=self.slope.copy(),
            multipliers=self.multipliers.copy(),
            history=[h.copy() for h in self.history],
        )


def ambient_vectors(state: State) -> Array:
    """(n, 4, 3) mass centres and directors of all nodes."""
    vectors = np.empty((len(state.u), 4, 3))  # in C order: kernels take others as Python
    vectors[:, 0], vectors[:, 1:] = state.u, np.swapaxes(state.r, 1, 2)
    return vectors
