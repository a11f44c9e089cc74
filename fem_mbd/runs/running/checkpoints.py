"""Checkpoints of a run: taken every so many steps, stored as often as it costs little.

At each of them the solver forgets what it remembers, as it would in a new process: the numbers of a run depend on where
checkpoints are taken, never on which of them are stored. Steps may take microseconds, and a file milliseconds.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from fem_mbd.runs.results.recorder import FLUSH_SECONDS, Recorder
from fem_mbd.runs.results.store import Store

# Of a run's time goes into storing them at most.
SHARE = 0.01


class FlatState(Protocol):
    """The part of `State` that a checkpoint needs."""

    time: float

    def to_flat(self) -> np.ndarray: ...

    def fill_from_flat(self, flat: np.ndarray) -> None: ...


class Hooks(Protocol):
    """What checkpoints and restarts need of a simulation; one without Python between the steps has ``make_steps``."""

    def controller_state(self) -> dict[str, float]: ...

    def resume_from(self, controller_state: dict[str, float]) -> None: ...

    def solver_reset(self) -> None: ...


class Restartable(Protocol):
    """The part of a simulation that a checkpoint needs."""

    @property
    def state(self) -> FlatState: ...

    @property
    def hooks(self) -> Hooks: ...


@dataclass(frozen=True)
class _Taken:
    step: int
    state: np.ndarray
    memo: dict[str, Any]
    blocks: int


class Checkpoints:
    """The newest checkpoint of a run, and when it is time to store it."""

    def __init__(self, sim: Restartable, store: Store, recorder: Recorder) -> None:
        self._sim, self._store, self._recorder = sim, store, recorder
        self._taken: _Taken | None = None
        self._due = time.perf_counter()

    def take(self, step: int, seconds: Mapping[str, float]) -> bool:
        """Take one after `step`; whether it is time to store it.

        Parameters
        ----------
        step : number of steps before it
        seconds : wall seconds by phase so far
        """
        self._recorder.end_block()
        self._sim.hooks.solver_reset()
        memo = {"controller": self._sim.hooks.controller_state(), "seconds": dict(seconds)}
        self._taken = _Taken(step, self._sim.state.to_flat(), memo, self._recorder.blocks)
        return time.perf_counter() >= self._due

    def store(self) -> None:
        """Store all rows so far, and the newest checkpoint where this has not been done."""
        began = time.perf_counter()
        self._recorder.flush()
        if self._taken is not None:
            taken, self._taken = self._taken, None
            self._store.checkpoint(
                taken.step, taken.state, taken.memo, behind=self._recorder.blocks - taken.blocks
            )
        now = time.perf_counter()
        self._due = now + min((now - began) / SHARE, FLUSH_SECONDS)
