"""One execution of a run: makes and records steps, takes checkpoints, and stores everything however the run ends.

Checkpoints are taken at a fixed number of steps, and written to the file only as often as this is cheap. At each the
solver discards its cached factorisation, as a new process would: the numbers of a run depend on where checkpoints are
taken, never on which of them are stored. A step may take microseconds, storing one milliseconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from fem_mbd.base.blas_threads import one_blas_thread
from fem_mbd.core.solver.readable_steps import COUNTS
from fem_mbd.core.stepping.step_record import Block, Sink, StepRecord
from fem_mbd.errors import RecordingFailed, SolverFailure
from fem_mbd.runs.results.run_info import COMPLETE, CRASHED, FAILED, INTERRUPTED, RunInfo
from fem_mbd.runs.results.store import FLUSH_SECONDS, Recorder, Store
from fem_mbd.runs.running.interruption import Interruption, unstored_steps
from fem_mbd.runs.running.progress import Progress, Silent

# largest share of a run's time spent on storing checkpoints
STORAGE_TIME_SHARE = 0.01


class FlatState(Protocol):
    """Protocol: the part of `State` that a checkpoint needs."""

    time: float

    def to_flat(self) -> np.ndarray: ...

    def fill_from_flat(self, flat: np.ndarray) -> None: ...


class Hooks(Protocol):
    """Protocol: the functions of a simulation that checkpoints and restarts need.

    A simulation that needs no Python between the steps has `make_steps` as well.
    """

    @property
    def output_names(self) -> tuple[str, ...]: ...

    def controller_state(self) -> dict[str, float]: ...

    def resume_from(self, controller_state: dict[str, float]) -> None: ...

    def solver_reset(self) -> None: ...

    def range_findings(self) -> list[dict[str, Any]]: ...

    def restore_ranges(self, findings: list[dict[str, Any]]) -> None: ...


class Restartable(Protocol):
    """Protocol: the part of a simulation that a checkpoint needs."""

    @property
    def state(self) -> FlatState: ...

    @property
    def hooks(self) -> Hooks: ...


@dataclass(frozen=True)
class _Checkpoint:
    step: int
    state: np.ndarray
    memo: dict[str, Any]
    blocks: int


class Checkpoints:
    """The newest checkpoint of a run, and the decision when to store it."""

    def __init__(self, sim: Restartable, store: Store, recorder: Recorder) -> None:
        self._sim, self._store, self._recorder = sim, store, recorder
        self._taken: _Checkpoint | None = None
        self._due = time.perf_counter()

    def take(self, step: int, seconds: Mapping[str, float]) -> bool:
        """Take a checkpoint after `step`; returns whether it is due to be stored.

        Parameters
        ----------
        step : number of steps so far
        seconds : wall seconds by phase so far
        """
        self._recorder.end_block()
        self._sim.hooks.solver_reset()
        hooks = self._sim.hooks
        memo = {
            "controller": hooks.controller_state(), "seconds": dict(seconds),
            "pending": self._recorder.pending(),
        }  # fmt: skip
        self._taken = _Checkpoint(step, self._sim.state.to_flat(), memo, self._recorder.blocks)
        return time.perf_counter() >= self._due

    def store(self) -> None:
        """Store all rows so far, and the newest checkpoint unless it is stored already."""
        started = time.perf_counter()
        self._recorder.flush()
        if self._taken is not None:
            taken, self._taken = self._taken, None
            # the largest measures so far, of later steps too: a resumed run makes these steps again
            memo = taken.memo | {"ranges": self._sim.hooks.range_findings()}
            self._store.checkpoint(
                taken.step, taken.state, memo, blocks_after=self._recorder.blocks - taken.blocks
            )
        now = time.perf_counter()
        self._due = now + min((now - started) / STORAGE_TIME_SHARE, FLUSH_SECONDS)


class Describable(Protocol):
    """Protocol: the part of `System` that is stored with the results."""

    def describe(self) -> dict[str, Any]: ...


class Steppable(Protocol):
    """Protocol: the interface of a simulation that `run` needs, such as `fem_mbd.Simulation`."""

    @property
    def system(self) -> Describable: ...

    @property
    def state(self) -> FlatState: ...

    @property
    def end_time(self) -> float: ...

    @property
    def energy_scale(self) -> float: ...

    @property
    def counters(self) -> Mapping[str, float]: ...

    def steps(self) -> Iterator[StepRecord]: ...

    def outputs(self) -> dict[str, np.ndarray]: ...

    @property
    def hooks(self) -> Hooks: ...

    def stop_at(self, times: Iterable[float]) -> None: ...


def _no_compiled_loop(t_end: float, max_steps: int, sink: Sink, row: int) -> Block | None:
    """Replacement for `RunHooks.make_steps` where a simulation has none."""
    return None


class Session:
    """One execution of a run: from its start or a checkpoint to its end, a failure or an interruption."""

    def __init__(
        self,
        sim: Steppable,
        store: Store,
        info: RunInfo,
        progress: Progress,
        initial: Mapping[str, np.ndarray],
        seconds: Mapping[str, float] | None = None,
        pending: list[float] | None = None,
    ) -> None:
        self._sim = sim
        self._store = store
        self._info = info
        self._progress = progress
        self._recorder = Recorder(store, info, initial)
        self._recorder.resume_group(pending or [])
        self._time_loop: Callable[[float, int, Sink, int], Block | None] = getattr(
            sim.hooks, "make_steps", _no_compiled_loop
        )
        self._checkpoints = Checkpoints(sim, store, self._recorder)
        self._seconds_before = dict(seconds or {})
        self._recording = 0.0
        self._started = time.perf_counter()
        self._last_index = 0
        self._time = sim.state.time
        self._within_step = False
        self._signal: dict[str, int] = {}

    def run(self) -> tuple[str, str]:
        """Run; returns status and reason. However the run ends, the recorded rows are stored."""
        try:
            with one_blas_thread():
                return self._run()
        finally:
            unstored_steps.clear()

    def _run(self) -> tuple[str, str]:
        self._progress.start(self._sim.state.time, self._sim.end_time)
        try:
            with Interruption(self._progress.message) as interruption:
                status, reason = self._loop(interruption)
        except RecordingFailed as failure:
            # Nothing more can be stored; everything flushed before is valid.
            self._progress.finish(str(failure))
            raise
        except BaseException:
            self._end(CRASHED, "the program ended unexpectedly")
            raise
        self._end(status, reason)
        return status, reason

    def _loop(self, interruption: Interruption) -> tuple[str, str]:
        try:
            self._run_steps(interruption)
        except SolverFailure as failure:
            return FAILED, str(failure)
        except KeyboardInterrupt:
            if not interruption.requested:
                raise
            self._within_step = True
        if not interruption.requested:
            return COMPLETE, ""
        self._signal = {"signal": interruption.number}
        where = "within the step after" if self._within_step else "at"
        return INTERRUPTED, f"{interruption.name} {where} t = {self._time:.9g} s"

    def _run_steps(self, interruption: Interruption) -> None:
        """Make steps and record them, to the end or until a stop is requested."""
        steps, step_begun = self._sim.steps(), False
        while step_begun or not interruption.requested:
            interruption.abandonable = True
            # a step that has begun is completed first
            batch = (None if step_begun else self._block()) or next(steps, None)
            interruption.abandonable = False
            if batch is None:
                return
            unstored_steps.set()
            started = time.perf_counter()
            step_begun = isinstance(batch, Block) and batch.next_begun
            self._last_index, self._time = batch.index, batch.time
            self._record(batch)
            if batch.index % self._info.checkpoint_every == 0 and self._checkpoints.take(
                batch.index, self._seconds()
            ):
                self._checkpoints.store()
                self._store.log(self._log_entries({}))
            self._recording += time.perf_counter() - started
            self._report_progress(batch)

    def _block(self) -> Block | None:
        """Steps of the compiled loop, at most up to the next checkpoint and the end of the recorder's block."""
        every, recorder = self._info.checkpoint_every, self._recorder
        max_steps = min(every - int(self._sim.counters["steps"]) % every, recorder.rows_left)
        return self._time_loop(self._sim.end_time, max_steps, recorder.sink, recorder.next_outputs)

    def _record(self, batch: Block | StepRecord) -> None:
        recorder, wanted = self._recorder, self._recorder.wants_outputs(batch.index, batch.time)
        if isinstance(batch, StepRecord):
            recorder.add(batch, self._sim.outputs() if wanted else None)
            return
        if wanted and recorder.sink.every == 0:
            recorder.add_outputs(batch.index, self._sim.outputs())
        recorder.add_block(batch)

    def _report_progress(self, batch: Block | StepRecord) -> None:
        if isinstance(self._progress, Silent):
            return
        for record in batch.records() if isinstance(batch, Block) else (batch,):
            self._progress.step(record, self._sim.energy_scale)

    def _end(self, status: str, reason: str) -> None:
        stepping = status == CRASHED or self._within_step
        missed = self._last_index > 0 and not self._recorder.wants_outputs(self._last_index, self._time)
        if not stepping and missed and self._info.quantities:
            self._recorder.add_outputs(self._last_index, self._sim.outputs())
        self._recorder.end_group()
        self._checkpoints.store()
        self._store.log(self._log_entries({"status": status, "reason": reason, **self._signal}))
        self._store.close()
        at = f"t = {self._time:.6g} s, {self._last_index} steps"
        self._progress.finish(f"{status} at {at}" + (f": {reason}" if reason else ""))

    def _log_entries(self, more: Mapping[str, Any]) -> dict[str, Any]:
        ranges = self._sim.hooks.range_findings()
        return {**more, "seconds": self._seconds(), "energy_scale": self._sim.energy_scale, "ranges": ranges}

    def _seconds(self) -> dict[str, float]:
        """Wall seconds by phase, including those of earlier sessions."""
        now = {name: float(value) for name, value in self._sim.counters.items() if name not in COUNTS}
        now |= {"record": self._recording, "total": time.perf_counter() - self._started}
        before = self._seconds_before
        return {name: before.get(name, 0.0) + now.get(name, 0.0) for name in {**before, **now}}
