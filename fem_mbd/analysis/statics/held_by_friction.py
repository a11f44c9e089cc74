"""Equilibrium of a structure held by friction: a block on an incline, a clamp, a vehicle's brake.

Friction at rest takes any force up to its limit, so the equilibrium is not unique. The computed one is that in which a
structure comes to rest when its loads are applied in the initial configuration and it yields slowly. Friction laws with
bristles respond to such a slow slip as in a run: elastically at first, and by no more than the static coefficient
permits. Laws without bristles have no force at rest.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.analysis.statics.held_by_loads import held_by_loads, with_reactions
from fem_mbd.analysis.statics.linear_solve import Singular
from fem_mbd.analysis.statics.static_forces import StaticForces
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.model import Model
from fem_mbd.core.scheme.nodes import node_kernels as nodes
from fem_mbd.core.scheme.state import State

STEP = (
    2.0**-5
)  # s, length of the step without motion: long for dampers and short for the creep of sticking bristles
YIELD_RATIO = 0.01  # fraction of the Stribeck speed at which the structure yields
DEFAULT_SPEED = 1e-3  # m/s, for laws without a Stribeck speed
ITERATIONS = 2000  # each iteration reduces the error to its ratio of tangential to largest friction force
CONVERGED = 1e-13  # model lengths, or rad: friction is iterated together with the motion


class FrictionForces(StaticForces):
    """Unbalanced forces with friction; the deflections of bristles are in the histories of a state.

    Parameters
    ----------
    model : with friction
    time : s, at which loads, drivers and prescribed motions are evaluated
    """

    def __init__(self, model: Model, time: float = 0.0):
        super().__init__(model, time, friction=True, step=STEP)
        for kind in self.system.kinds:
            kind.neglect_friction_inactive_in_statics()
        speeds = [law["v_s"] for kind in self.system.kinds for law in kind.friction_records()]
        self._speed = YIELD_RATIO * min((float(v) for v in speeds if v > 0.0), default=DEFAULT_SPEED)

    def update(self, state: State, increment: Array) -> State:
        """A new state moved by ``increment`` (n + m,), so slowly that friction has its static coefficient."""
        moved, work = super().update(state, increment), self.work
        full = np.zeros((work.n, 6))
        full[tuple(self.unknowns.T)] = increment[: self.n]
        self._load(state)
        work.x[:, :6] = full
        nodes.kinematics(work.x, work.r_i, work.q_i, work.q_f, work.p, work.r_f)
        moved.r[:] = work.r_f
        work.dt = self._duration(full)
        self._load_multipliers(moved, work.dt)
        kept = [kind for kind in self.system.kinds if kind.history is not None]
        for kind, stored in zip(kept, moved.history, strict=True):
            kind.residual(work)
            kind.accept(work)
            stored[...] = kind.history
        return moved

    def _duration(self, increment: Array) -> float:
        """Time (s) that a motion (nodes, 6) takes."""
        farthest = max(np.abs(increment[:, :3]).max(), self.system.length * np.abs(increment[:, 3:]).max())
        return max(float(farthest) / self._speed, float(np.finfo(float).tiny) ** 0.25)


def held_by_friction(forces: FrictionForces, start: State) -> State | None:
    """The equilibrium of ``forces`` at full load, from ``start``; None when friction does not hold the structure."""
    try:
        return held_by_loads(forces, with_reactions(forces, start), CONVERGED, ITERATIONS)
    except Singular:
        return None
