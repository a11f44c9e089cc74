"""Derivatives of a state in several directions, and their conversion to dual numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fem_mbd.analysis.sensitivity.dual_scheme import DualScheme
from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import skew
from fem_mbd.core.scheme.state import State


class Changes(NamedTuple):
    """Derivatives of a state in k directions.

    Attributes
    ----------
    u, r, v, omega : (n, 3, k), (n, 3, 3, k), (n, 3, k), (n, 3, k)
    history : (h, k)
    """

    u: Array
    r: Array
    v: Array
    omega: Array
    history: Array


def changes(base: State, motion: Array, velocity: Array, history: Array) -> Changes:
    """Derivatives of a state from those of motions and velocities (6 n, k), of histories (h, k)."""
    n = len(base.u)
    motion, velocity = motion.reshape(n, 6, -1), velocity.reshape(n, 6, -1)
    turned = np.einsum("nij,njkl->nikl", base.r, _skews(motion[:, 3:]))
    return Changes(motion[:, :3], turned, velocity[:, :3], velocity[:, 3:], history)


class StateDuals:
    """Dual numbers of a scheme's state and of what the next step takes from it."""

    def __init__(self, scheme: DualScheme):
        state, work, shadow = scheme.simulation.state, scheme.simulation.system.work, scheme.shadow
        self.u, self.r = shadow.duals(state.u), shadow.duals(state.r)
        self.v, self.omega = shadow.duals(state.v), shadow.duals(state.omega)
        self.q, self.r_i = shadow.duals(work.q_i), shadow.duals(work.r_i)
        kept: list[Any] = [k.history for k in scheme.simulation.system.kinds if k.history is not None]
        self.histories = [
            (shadow.duals(own), shadow.duals(copy)) for own, copy in zip(kept, state.history, strict=True)
        ]

    def put(self, lanes: slice, own: Changes) -> None:
        """Make lanes the derivatives of the state."""
        self.u[..., lanes], self.r[..., lanes] = own.u, own.r
        self.v[..., lanes], self.omega[..., lanes] = own.v, own.omega
        self.q[:, 0, :, lanes], self.q[:, 1:, :, lanes] = own.u, np.swapaxes(own.r, 1, 2)
        self.r_i[..., lanes] = own.r
        at = 0
        for kept, stored in self.histories:
            count = kept[..., 0].size
            numbers = own.history[at : at + count].reshape(*kept.shape[:-1], -1)
            kept[..., lanes], stored[..., lanes] = numbers, numbers
            at += count

    def get(self) -> Changes:
        """Derivatives in all lanes."""
        history = [stored[..., 1:].reshape(-1, stored.shape[-1] - 1) for _, stored in self.histories]
        u, r, v, omega = (one[..., 1:].copy() for one in (self.u, self.r, self.v, self.omega))
        return Changes(u, r, v, omega, np.concatenate([np.zeros((0, u.shape[-1])), *history]))


def _skews(turns: Array) -> Array:
    """(n, 3, 3, k) of turns (n, 3, k)."""
    return np.moveaxis(skew(np.moveaxis(turns, 2, 1)), 1, 3)
