"""Tests of resuming stopped runs: the numbers are those of an uninterrupted run, bit for bit."""

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from fem_mbd import InputError, Result, RunInterrupted, resume, run
from fem_mbd.runs.results.hdf5.reader import FileSource
from fem_mbd.runs.running.runs import require_complete
from tests.runs.comparison import assert_same
from tests.runs.running.fake_runs import ROOT, signal_in, start_run
from tests.runs.running.fake_simulation import FakeSimulation

pytestmark = pytest.mark.slow

STEPS = 230


def stopped(path: Path, at: int, **options: int) -> Result:
    """A run that got SIGINT during step `at`."""
    return run(FakeSimulation(STEPS, each_step=signal_in(at)), file=path, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("at", [1, 19, 20, 21, 133, 229])
@pytest.mark.parametrize("record_every", [1, 7])
def test_resumed_run_repeats_the_numbers(tmp_path: Path, at: int, record_every: int) -> None:
    options = {"checkpoint_every": 20, "record_every": record_every}
    uninterrupted = run(FakeSimulation(STEPS), **options)  # type: ignore[arg-type]
    path = tmp_path / "results.h5"
    first = stopped(path, at, **options)
    assert first.status == "interrupted" and first.steps == at and "SIGINT" in first.reason
    first.close()
    resumed = resume(path, FakeSimulation(STEPS), progress=False)
    assert resumed.status == "complete"
    assert_same(resumed, uninterrupted)
    before, after = uninterrupted.summary, resumed.summary
    for key in ("steps", "rejected_steps", "newton_iterations", "factorisations", "energy", "step_size"):
        assert before[key] == after[key]
    assert after["wall_seconds"]["solve"] == pytest.approx(before["wall_seconds"]["solve"], abs=0.021)


def test_resumed_run_records_at_the_same_times(tmp_path: Path) -> None:
    path, every_tenth = tmp_path / "r.h5", 10 / STEPS
    sim = FakeSimulation(STEPS, each_step=signal_in(133))
    first = run(sim, file=path, checkpoint_every=20, record_at=every_tenth)
    assert list(first.output_index) == [*range(10, 131, 10), 133]
    first.close()
    resumed = resume(path, FakeSimulation(STEPS))
    assert list(resumed.output_index) == [*range(10, STEPS + 1, 10)]
    assert_same(resumed, run(FakeSimulation(STEPS), checkpoint_every=20, record_at=every_tenth))


def test_resuming_twice(tmp_path: Path) -> None:
    path = tmp_path / "r.h5"
    stopped(path, 50, checkpoint_every=20).close()
    again = FakeSimulation(STEPS, each_step=signal_in(120, signal.SIGTERM))
    assert resume(path, again).status == "interrupted"
    assert_same(resume(path, FakeSimulation(STEPS)), run(FakeSimulation(STEPS), checkpoint_every=20))


def test_failed_run_can_be_resumed(tmp_path: Path) -> None:
    path = tmp_path / "r.h5"
    assert run(FakeSimulation(STEPS, fail_at=77), file=path, checkpoint_every=20).status == "failed"
    assert_same(resume(path, FakeSimulation(STEPS)), run(FakeSimulation(STEPS), checkpoint_every=20))


def test_killed_while_resuming_loses_nothing(tmp_path: Path) -> None:
    """The temporary copy on which `resume` works is separate until it is complete."""
    path = tmp_path / "r.h5"
    stopped(path, 133, checkpoint_every=20).close()
    (tmp_path / "r.h5.new").write_bytes(b"left over")
    assert_same(resume(path, FakeSimulation(STEPS)), run(FakeSimulation(STEPS), checkpoint_every=20))
    assert [p.name for p in tmp_path.iterdir()] == ["r.h5"]


def test_complete_run_is_returned_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "r.h5"
    run(FakeSimulation(40), file=path).close()
    changed_at = path.stat().st_mtime_ns
    assert resume(path, FakeSimulation(40, fail_at=1)).status == "complete"
    assert path.stat().st_mtime_ns == changed_at


def test_complete_run_goes_on_to_a_later_end(tmp_path: Path) -> None:
    path = tmp_path / "r.h5"
    run(FakeSimulation(50, end_time=1.0), file=path, checkpoint_every=20).close()
    longer = resume(path, FakeSimulation(100, end_time=2.0))
    assert longer.info.end_time == 2.0
    assert_same(longer, run(FakeSimulation(100, end_time=2.0), checkpoint_every=20))


def test_another_model_is_refused_and_nothing_changes(tmp_path: Path) -> None:
    path = tmp_path / "r.h5"
    stopped(path, 50, checkpoint_every=20).close()
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"run of another model \(different: nodes\)"):
        resume(path, FakeSimulation(STEPS, n=5))
    assert path.read_bytes() == before


def test_interruption_is_raised_for_scripts(tmp_path: Path) -> None:
    result = stopped(tmp_path / "r.h5", 30)
    with pytest.raises(RunInterrupted, match="SIGINT") as caught:
        require_complete(result)
    assert caught.value.result.steps == 30
    assert isinstance(caught.value, KeyboardInterrupt)


def test_handlers_are_put_back(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    stopped(tmp_path / "r.h5", 30)
    run(FakeSimulation(3))
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_runs_in_another_thread() -> None:
    results: list[Result] = []
    thread = threading.Thread(target=lambda: results.append(run(FakeSimulation(5))))
    thread.start()
    thread.join()
    assert results[0].status == "complete"


@pytest.mark.parametrize("delay", [0.0, 0.05, 0.11, 0.3])
def test_killed_run_leaves_a_readable_file(tmp_path: Path, delay: float) -> None:
    path = tmp_path / "results.h5"
    process = start_run(path, steps=100_000, pause=0.0, checkpoint_every=5)
    time.sleep(delay)
    process.kill()
    process.communicate()
    with Result.open(path) as killed:
        assert killed.status == "unfinished"
        steps = killed.steps
        uninterrupted = FakeSimulation(100_000)
        for record in uninterrupted.steps():
            if record.index > steps:
                break
            assert killed.time[record.index - 1] == record.time
            if record.index % 5 == 0:
                uninterrupted.hooks.solver_reset()
        positions = killed.outputs["position"]
        assert len(positions) == len(killed.output_index) <= steps
        assert np.all(positions > 0) and np.all(positions < 1.1)
    checkpoint = FileSource(path).checkpoint()
    assert (checkpoint is None and steps < 10) or (checkpoint is not None and checkpoint.step <= steps)


def test_killed_run_is_resumed(tmp_path: Path) -> None:
    path = tmp_path / "results.h5"
    process = start_run(path, steps=200, pause=0.005, checkpoint_every=10)
    time.sleep(0.4)
    process.kill()
    process.communicate()
    source = FileSource(path)
    checkpoint = source.checkpoint()
    assert checkpoint is not None and 10 <= checkpoint.step < 200
    source.close()
    assert_same(resume(path, FakeSimulation(200)), run(FakeSimulation(200), checkpoint_every=10))


def test_full_disk_keeps_what_was_stored(tmp_path: Path) -> None:
    path = tmp_path / "results.h5"
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000))\n"
        "from tests.runs.running.fake_simulation import FakeSimulation; from fem_mbd.runs.running.runs import run\n"
        f"run(FakeSimulation(20_000), file={str(path)!r}, checkpoint_every=100)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert f"RecordingFailed: results file {path}: it cannot be written any more" in done.stderr
    stopped_at = Result.open(path).steps
    assert 100 <= stopped_at < 20_000
    resumed = resume(path, FakeSimulation(20_000), progress=False)
    assert resumed.status == "complete"
    assert_same(resumed, run(FakeSimulation(20_000), checkpoint_every=100))


def test_running_file_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "results.h5"
    process = start_run(path, steps=100_000, pause=0.001, checkpoint_every=10)
    time.sleep(0.3)
    with Result.open(path) as early:
        time.sleep(0.3)
        with Result.open(path) as late:
            assert 0 < early.steps < late.steps
            assert late.status == "unfinished" and len(late.outputs["position"]) == late.steps
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=20)
    assert output.startswith("interrupted ") and errors == ""
    with Result.open(path) as ended:
        assert ended.status == "interrupted" and ended.steps == int(output.split()[1])


def test_half_written_checkpoint_is_not_used(tmp_path: Path) -> None:
    import h5py

    path = tmp_path / "r.h5"
    stopped(path, 50, checkpoint_every=20).close()
    with h5py.File(path, "a") as file:
        newest = int(
            np.argmax([b'"step": 40' in file["checkpoint/memo"][slot].tobytes() for slot in range(2)])
        )
        file["checkpoint/state"][newest, 2] += 1e-9
    checkpoint = FileSource(path).checkpoint()
    assert checkpoint is not None and checkpoint.step == 20
