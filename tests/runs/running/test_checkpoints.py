"""Tests of checkpoints: all are taken, those that cost little are stored, and the newest one at the end of a run."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fem_mbd.runs.results.hdf5.reader import FileSource
from fem_mbd.runs.results.store import FLUSH_SECONDS, MemoryStore, Recorder
from fem_mbd.runs.running import session
from fem_mbd.runs.running.runs import plan, resume, run
from fem_mbd.runs.running.session import STORAGE_TIME_SHARE, Checkpoints
from tests.runs.running.fake_simulation import FakeSimulation


class Clock:
    """A clock set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        return self.now


class SlowStore(MemoryStore):
    """Takes `cost` s to store a checkpoint, and records its step and the blocks after it."""

    def __init__(self, sim: FakeSimulation, duration_text: Clock, cost: float) -> None:
        super().__init__(plan(sim), sim.outputs())
        self.duration_text, self.cost = duration_text, cost
        self.steps: list[int] = []
        self.blocks_after: list[int] = []

    def checkpoint(self, step: int, state: np.ndarray, memo: Mapping[str, Any], blocks_after: int) -> None:
        self.duration_text.now += self.cost
        self.steps.append(step)
        self.blocks_after.append(blocks_after)


def run_of(steps: int, cost: float, monkeypatch: pytest.MonkeyPatch) -> SlowStore:
    """Stored checkpoints of a run that takes one every 16 steps of 1/128 s."""
    duration_text, sim = Clock(), FakeSimulation(steps)
    monkeypatch.setattr(session, "time", duration_text)
    store = SlowStore(sim, duration_text, cost)
    recorder = Recorder(store, store.info, sim.outputs())
    taken = Checkpoints(sim, store, recorder)
    for record in sim.steps():
        duration_text.now += 1 / 128
        recorder.add(record, sim.outputs())
        if record.index % 16 == 0 and taken.take(record.index, {}):
            taken.store()
    assert sim.resets == steps // 16
    taken.store()
    return store


def test_storing_takes_a_hundredth_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    store = run_of(1000, 1 / 256, monkeypatch)
    assert STORAGE_TIME_SHARE == 0.01  # so at the first one after 0.39 s
    assert store.steps == [*range(16, 1000, 64), 992]
    assert not any(store.blocks_after[:-1])


def test_a_slow_disk_puts_checkpoints_off_no_longer_than_a_flush(monkeypatch: pytest.MonkeyPatch) -> None:
    store = run_of(1000, 1 / 8, monkeypatch)
    assert store.steps == [*range(16, 1000, round(FLUSH_SECONDS * 128)), 992]


def test_the_newest_is_stored_at_the_end_with_the_blocks_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    store = run_of(40, 1 / 256, monkeypatch)
    assert store.steps == [16, 32]
    assert store.blocks_after == [0, 1]


def test_a_stopped_run_goes_on_from_the_newest(tmp_path: Path) -> None:
    path = tmp_path / "r.h5"
    run(FakeSimulation(300, fail_at=257), file=path, checkpoint_every=20).close()
    checkpoint = FileSource(path).checkpoint()
    assert checkpoint is not None and checkpoint.step == 240
    (piece,) = FileSource(path).pieces(checkpoint.blocks)
    assert {len(rows) for rows, _ in piece.values()} == {240}
    whole = run(FakeSimulation(300), checkpoint_every=20)
    assert np.array_equal(piece["outputs/position"][0], whole.outputs["position"][:240])
    with resume(path, FakeSimulation(300)) as resumed:
        assert np.array_equal(resumed.outputs["position"], whole.outputs["position"])


def test_a_resumed_file_has_the_blocks_of_one_that_was_never_stopped(tmp_path: Path) -> None:
    stopped, whole = tmp_path / "stopped.h5", tmp_path / "whole.h5"
    run(FakeSimulation(300, fail_at=257), file=stopped, checkpoint_every=20).close()
    resume(stopped, FakeSimulation(300)).close()
    run(FakeSimulation(300), file=whole, checkpoint_every=20).close()
    found = []
    for path in (stopped, whole):
        source = FileSource(path)
        checkpoint = source.checkpoint()
        assert checkpoint is not None and checkpoint.step == 300
        (piece,) = source.pieces(checkpoint.blocks)
        found.append({name: ends.tolist() for name, (_, ends) in piece.items()})
    assert found[0] == found[1]
