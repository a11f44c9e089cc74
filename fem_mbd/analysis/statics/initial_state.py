"""State from which a search for equilibria begins, and the state of an equilibrium from which a transient begins."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from fem_mbd.analysis.statics.static_forces import StaticForces
from fem_mbd.analysis.statics.steady_rotation import Spin
from fem_mbd.core.scheme.state import State
from fem_mbd.errors import InputError


class Start(Protocol):
    """What a search takes of the equilibrium from which it begins."""

    @property
    def state(self) -> State: ...

    @property
    def load_factor(self) -> float: ...

    @property
    def spin(self) -> Spin | None: ...


def initial_state(forces: StaticForces, start: Start | None) -> tuple[State, float, float]:
    """Initial state, load factor and fraction of the centrifugal forces."""
    state = forces.start()
    if start is None:
        return state, 0.0, 0.0
    if start.state.u.shape != state.u.shape or start.state.multipliers.shape != state.multipliers.shape:
        raise InputError("find_equilibrium: start is an equilibrium of another model")
    held = forces.system.held.all(axis=1)
    begun = start.state.copy()
    begun.u[held], begun.r[held] = state.u[held], state.r[held]
    if forces.spin is None or forces.spin.rate == 0.0:
        return begun, start.load_factor, 0.0
    before = 0.0 if start.spin is None else start.spin.rate
    return begun, start.load_factor, (before / forces.spin.rate) ** 2


def start_of_transient(forces: StaticForces, state: State) -> State:
    """The state with what a transient needs besides: histories, time, velocities of the rotation and their slope."""
    forces.update_histories(state)
    state.time = forces.time
    state.v[:], state.omega[:], state.slope[:] = 0.0, 0.0, 0.0
    if forces.spin is not None:
        state.v, state.omega = forces.spin.velocities(state)
        state.v[forces.system.held[:, :3]] = 0.0
        state.omega[forces.system.held[:, 3:]] = 0.0
        for motion in forces.system.model.prescribed:
            k = motion.node.index
            _, state.v[k], _, state.omega[k] = motion.frame(forces.time, +1, forces.work.centre[k])
        state.slope[:, :3] = np.cross(forces.spin.omega, state.v)
    return state
