"""Tests of the lock of a results file: one run at a time writes it; a killed run leaves no lock."""

import signal
from pathlib import Path

from fem_mbd import Result, resume, run
from fem_mbd.runs.results.hdf5.layout import FileLock
from tests.refusals import refused
from tests.runs.running.fake_runs import start_run
from tests.runs.running.fake_simulation import FakeSimulation


def test_a_second_run_is_refused_while_the_first_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "results.h5"
    process = start_run(path, steps=100_000, pause=0.001, checkpoint_every=10)
    refused("another run is writing there", lambda: run(FakeSimulation(5), file=path))
    refused("another run is writing there", lambda: resume(path, FakeSimulation(100_000)))
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=20)[0].startswith("interrupted ")
    assert run(FakeSimulation(5), file=path).steps == 5


def test_a_killed_run_leaves_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "results.h5"
    process = start_run(path, steps=100_000, pause=0.001, checkpoint_every=10)
    process.kill()
    process.communicate()
    assert run(FakeSimulation(5), file=path).status == "complete"


def test_two_runs_that_are_about_to_begin(tmp_path: Path) -> None:
    """Before the first step the file has a temporary name."""
    path, building = tmp_path / "results.h5", tmp_path / "results.h5.new"
    first = FileLock(path, building)
    refused("another run", FileLock, path, building)
    first.release()
    FileLock(path, building).release()


def test_the_lock_stays_with_the_file_when_it_gets_its_name(tmp_path: Path) -> None:
    path, building = tmp_path / "results.h5", tmp_path / "results.h5.new"
    lock = FileLock(path, building)
    building.rename(path)
    refused("another run", FileLock, path, building)
    lock.release()


def test_reading_needs_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "results.h5"
    with run(FakeSimulation(5), file=path) as first, Result.open(path) as second:
        assert first.steps == second.steps == 5
        assert run(FakeSimulation(6), file=path).steps == 6
