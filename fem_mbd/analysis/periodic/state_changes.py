"""Derivatives of a state in several directions, and their conversion to dual numbers.

Directions (size, k) are in the numbers of a step's matrices (`sensitivity.matrices.rows.Numbers`): of each node
displacement, turn about its own axes, velocity and angular velocity, then reactions of constraints, then histories.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fem_mbd.analysis.sensitivity.dual_scheme import DualScheme
from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import skew


def numbers_of(motion: Array, velocity: Array, reactions: int, history: Array) -> Array:
    """(size, k) directions from motions and velocities (6 n, k), so many reactions, and histories (h, k)."""
    both = [one.reshape(-1, 6, one.shape[1]) for one in (motion, velocity)]
    nodes = np.concatenate(both, axis=1).reshape(-1, motion.shape[1])
    return np.concatenate([nodes, np.zeros((reactions, motion.shape[1])), history])


class StateDuals:
    """Dual numbers of a scheme's state and of what the next step takes from it."""

    def __init__(self, scheme: DualScheme):
        simulation, shadow = scheme.simulation, scheme.shadow
        state, work = simulation.state, simulation.system.work
        self._u, self._r = shadow.duals(state.u), shadow.duals(state.r)
        self._v, self._omega = shadow.duals(state.v), shadow.duals(state.omega)
        self._q, self._r_i = shadow.duals(work.q_i), shadow.duals(work.r_i)
        kept: list[Any] = [k.history for k in simulation.system.kinds if k.history is not None]
        self._histories = [
            (shadow.duals(own), shadow.duals(copy)) for own, copy in zip(kept, state.history, strict=True)
        ]
        self._nodes, self._reactions = len(state.u), simulation.system.constraints

    def put(self, components: slice, own: Array) -> None:
        """Make components the derivatives of the state along directions (size, k), k being the count of components."""
        n = self._nodes
        nodes = own[: 12 * n].reshape(n, 12, -1)
        turned = np.einsum("nij,njkl->nikl", self._r[..., 0], _skews(nodes[:, 3:6]))
        self._u[..., components], self._v[..., components], self._omega[..., components] = (
            nodes[:, :3],
            nodes[:, 6:9],
            nodes[:, 9:],
        )
        self._r[..., components] = self._r_i[..., components] = turned
        self._q[:, 0, :, components], self._q[:, 1:, :, components] = nodes[:, :3], np.swapaxes(turned, 1, 2)
        at = 12 * n + self._reactions
        for kept, stored in self._histories:
            count = kept[..., 0].size
            numbers = own[at : at + count].reshape(*kept.shape[:-1], -1)
            kept[..., components], stored[..., components] = numbers, numbers
            at += count

    def get(self) -> Array:
        """(size, components) directions of the state in all components, reactions left out."""
        u, r, v, omega = (one[..., 1:] for one in (self._u, self._r, self._v, self._omega))
        spun = np.einsum("nji,njkl->nikl", self._r[..., 0], r)
        pairs = (spun[:, 2, 1] - spun[:, 1, 2], spun[:, 0, 2] - spun[:, 2, 0], spun[:, 1, 0] - spun[:, 0, 1])
        motion, velocity = (
            np.concatenate(both, axis=1).reshape(6 * self._nodes, -1)
            for both in ((u, 0.5 * np.stack(pairs, axis=1)), (v, omega))
        )
        history = [stored[..., 1:].reshape(-1, stored.shape[-1] - 1) for _, stored in self._histories]
        none = np.zeros((0, motion.shape[1]))
        return numbers_of(motion, velocity, self._reactions, np.concatenate([none, *history]))


def _skews(turns: Array) -> Array:
    """(n, 3, 3, k) of turns (n, 3, k)."""
    return np.moveaxis(skew(np.moveaxis(turns, 2, 1)), 1, 3)
