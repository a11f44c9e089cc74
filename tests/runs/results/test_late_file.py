"""The file that is written at the end holds what one holds that is written bit by bit; runs that need one have one."""

from pathlib import Path

import numpy as np
import pytest

from fem_mbd import Result, Simulation, resume, run
from fem_mbd.cases.pendulum import Parameters, build
from fem_mbd.errors import RecordingFailed
from fem_mbd.runs.results import late_file
from fem_mbd.runs.results.hdf5.reader import FileSource
from fem_mbd.runs.running.progress import Silent
from fem_mbd.runs.running.runs import execute_briefly, plan
from tests.runs.comparison import assert_same
from tests.runs.running.fake_simulation import FakeSimulation

CHECKPOINT, STEPS = 30, 100


def pendulum() -> Simulation:
    return build(Parameters(dt=1e-3, end_time=1e-3 * STEPS))


def briefly(file: Path, keep: bool = True) -> Result:
    sim = pendulum()
    return execute_briefly(sim, plan(sim, checkpoint_every=CHECKPOINT), file, Silent(), keep)


@pytest.mark.parametrize("limit", ["", "FLUSH_SECONDS", "MEMORY_LIMIT"])
def test_the_file_is_that_of_an_ordinary_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    """Written at the end, and from the first rows on."""
    ordinary = run(pendulum(), file=tmp_path / "ordinary.h5", checkpoint_every=CHECKPOINT, progress=False)
    if limit:
        monkeypatch.setattr(late_file, limit, 0)
    late = briefly(tmp_path / "late.h5")
    assert_same(late, ordinary)
    assert_same(Result.open(tmp_path / "late.h5", scan=True), ordinary)
    stored, wanted = (FileSource(tmp_path / name).checkpoint() for name in ("late.h5", "ordinary.h5"))
    assert stored is not None and wanted is not None
    assert (stored.step, stored.blocks) == (wanted.step, wanted.blocks)
    np.testing.assert_array_equal(stored.state, wanted.state)


def test_a_complete_run_needs_no_file(tmp_path: Path) -> None:
    late = briefly(tmp_path / "late.h5", keep=False)
    assert_same(late, run(pendulum(), checkpoint_every=CHECKPOINT, progress=False))
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_stops_leaves_a_file_to_go_on_with(tmp_path: Path) -> None:
    def interrupt(index: int) -> None:
        if index == 70:
            raise KeyboardInterrupt

    stopped = FakeSimulation(STEPS, each_step=interrupt)
    with pytest.raises(KeyboardInterrupt):
        execute_briefly(stopped, plan(stopped, checkpoint_every=20), tmp_path / "late.h5", Silent(), False)
    left = Result.open(tmp_path / "late.h5")
    assert left.status == "crashed" and left.steps == 69
    went_on = resume(tmp_path / "late.h5", FakeSimulation(STEPS), progress=False)
    assert_same(went_on, run(FakeSimulation(STEPS), checkpoint_every=20, progress=False))


def test_a_file_that_cannot_be_written_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.posix_fallocate", full)
    with pytest.raises(RecordingFailed, match="No space left"):
        briefly(tmp_path / "late.h5")
    assert not (tmp_path / "late.h5").exists()
