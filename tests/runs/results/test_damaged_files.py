"""Tests of truncated and modified results files: intact data are read, losses are reported, no wrong numbers."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

from fem_mbd import InputError, Result, resume, run
from fem_mbd.runs.results.hdf5.layout import DamagedFile
from fem_mbd.runs.results.hdf5.reader import DamageWarning, FileSource
from fem_mbd.runs.results.hdf5.writer import CHUNK_ROWS, FileStore
from fem_mbd.runs.results.store import BUFFER_ROWS
from tests.runs.running.fake_runs import ROOT
from tests.runs.running.fake_simulation import FakeSimulation

pytestmark = pytest.mark.slow

STEPS, LONG = 2000, 5 * BUFFER_ROWS


@pytest.fixture(scope="module")
def whole() -> Result:
    """The undamaged run, in memory."""
    return run(FakeSimulation(STEPS), checkpoint_every=100)


@pytest.fixture(scope="module")
def long() -> Result:
    """A longer one."""
    return run(FakeSimulation(LONG), checkpoint_every=100)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The same run in a file of its own."""
    path = tmp_path / "results.h5"
    run(FakeSimulation(STEPS), file=path, checkpoint_every=100).close()
    return path


def cut(path: Path, fraction: float) -> None:
    """Keep the first part of a file."""
    with path.open("r+b") as file:
        file.truncate(int(path.stat().st_size * fraction))


@pytest.mark.parametrize("percent", [30, 50, 74, 90, 99])
def test_a_file_cut_off_is_read_as_far_as_it_is_whole(tmp_path: Path, percent: int, long: Result) -> None:
    path = tmp_path / "results.h5"
    run(FakeSimulation(LONG), file=path, checkpoint_every=100).close()
    cut(path, percent / 100)
    with pytest.warns(
        DamageWarning, match=r"bytes are missing at its end.* intact up to t = [0-9.]+ s, \d+ steps"
    ):
        result = Result.open(path)
    assert result.status == "damaged" and "intact up to" in result.reason
    # rows stored together are written column by column: these may be lost, and before them a chunk of each column
    assert result.steps >= percent / 100 * LONG - CHUNK_ROWS - BUFFER_ROWS
    assert result.steps < LONG
    for name, history in result.outputs.items():
        assert len(history) == result.steps
        assert np.array_equal(history, long.outputs[name][: result.steps]), name
    for name, history in result.energy.items():
        assert np.array_equal(history, long.energy[name][: result.steps]), name


def test_a_file_of_which_too_little_is_left_is_refused(file: Path) -> None:
    for fraction in (0.01, 0.001, 0.0):
        cut(file, fraction)
        with pytest.raises(InputError, match=r"results\.h5: "):
            Result.open(file)


def test_a_file_cut_off_is_resumed(file: Path, whole: Result) -> None:
    cut(file, 0.6)
    with pytest.warns(DamageWarning):
        resumed = resume(file, FakeSimulation(STEPS))
    assert resumed.status == "complete" and resumed.steps == STEPS
    assert np.array_equal(resumed.outputs["position"], whole.outputs["position"])


def test_a_short_run_keeps_its_beginning(tmp_path: Path) -> None:
    path, steps = tmp_path / "short.h5", 600
    run(FakeSimulation(steps), file=path, checkpoint_every=10_000).close()
    cut(path, 0.7)
    with pytest.warns(DamageWarning):
        result = Result.open(path)
    # whole blocks of 32, 64, 128, ... rows; chunks of CHUNK_ROWS rows are in order of time
    assert result.steps == 32 + 64 + 128
    whole = run(FakeSimulation(steps), checkpoint_every=10_000).outputs["position"]
    assert np.array_equal(result.outputs["position"], whole[: result.steps])


def test_damage_to_the_start_spares_the_rest(file: Path, whole: Result) -> None:
    with h5py.File(file, "r+") as content:
        content["initial/position"][0] += 1e-9
        del content["initial/contact"]
    result = Result.open(file)
    assert np.array_equal(result.initial["section_force"], whole.initial["section_force"])
    assert np.array_equal(result.outputs["position"], whole.outputs["position"])
    for name in ("position", "contact"):
        with pytest.raises(DamagedFile, match=f"{name} before the first step is lost"):
            result.initial[name]
    with pytest.warns(
        DamageWarning, match="position before the first step is lost, contact before .* 2000 steps"
    ):
        scanned = Result.open(file, scan=True)
    assert scanned.status == "damaged" and "position" not in scanned.initial
    assert np.array_equal(scanned.energy["kinetic"], whole.energy["kinetic"])


def test_a_run_goes_on_although_its_start_is_damaged(file: Path, whole: Result) -> None:
    change_row(file, "initial/position", 0)
    with pytest.warns(DamageWarning):
        resumed = resume(file, FakeSimulation(STEPS))
    assert resumed.status == "complete"
    assert np.array_equal(resumed.initial["position"], whole.initial["position"])
    assert np.array_equal(resumed.outputs["position"], whole.outputs["position"])


def change_row(file: Path, name: str, row: int) -> None:
    """Change a number without updating its checksum."""
    with h5py.File(file, "r+") as content:
        content[name][row] = content[name][row] + 1e-9


def test_changed_numbers_are_not_handed_out(file: Path, whole: Result) -> None:
    change_row(file, "outputs/position", 1234)
    result = Result.open(file)
    assert np.array_equal(result.outputs["reaction"], whole.outputs["reaction"])
    with pytest.raises(DamagedFile, match=r"outputs/position is damaged in rows 1200 to 1299; .*scan=True"):
        result.outputs["position"]
    before = result.outputs.read("position", 0, 1200)
    assert np.array_equal(before, whole.outputs["position"][:1200])
    with pytest.warns(
        DamageWarning, match="8 of 22 blocks of rows are lost; intact up to t = 0.6 s, 1200 steps"
    ):
        scanned = Result.open(file, scan=True)
    assert np.array_equal(scanned.outputs["position"], before)


def test_changed_checkpoint_is_passed_over(file: Path) -> None:
    with h5py.File(file, "r+") as content:
        steps = [json.loads(memo.tobytes().rstrip(b"\0"))["step"] for memo in content["checkpoint/memo"]]
        content["checkpoint/state"][int(np.argmax(steps)), 2] += 1e-9
    assert max(steps) == STEPS and min(steps) % 100 == 0
    checkpoint = FileSource(file).checkpoint()
    assert checkpoint is not None and checkpoint.step == min(steps) > 0


@pytest.mark.parametrize("name", ["steps/time", "outputs/position", "seals", "info", "columns"])
def test_missing_objects_are_named(file: Path, name: str) -> None:
    with h5py.File(file, "r+") as content:
        del content[name]
    with pytest.raises(DamagedFile, match=f"results.h5: damaged beyond use .*{name.split('/')[-1]}"):
        Result.open(file)


@pytest.mark.parametrize("name", ["info", "columns"])
def test_texts_that_are_no_json(file: Path, name: str) -> None:
    with h5py.File(file, "r+") as content:
        length = content[name].dtype.itemsize
        content[name][()] = np.bytes_(b"{" * length)
    with pytest.raises(DamagedFile, match=f"{name} has a wrong checksum"):
        Result.open(file)


@pytest.mark.parametrize("change", ["changed", "removed"])
def test_a_changed_log_is_not_believed(file: Path, change: str) -> None:
    with h5py.File(file, "r+") as content:
        if change == "changed":
            content["log"][:, 20] ^= 1
        else:
            del content["log"]
    with pytest.warns(DamageWarning, match="its log is lost; intact up to t = 1 s, 2000 steps"):
        assert Result.open(file).status == "damaged"


def test_a_log_half_written_when_the_run_was_killed_leaves_the_one_before(tmp_path: Path) -> None:
    source = run(FakeSimulation(3))
    store = FileStore.create(tmp_path / "running.h5", source.info, source.initial, state_size=1)
    for seconds in (1.0, 2.0, 3.0):
        store.log({"seconds": seconds})
    killed = tmp_path / "killed.h5"
    shutil.copy(tmp_path / "running.h5", killed)  # neither closed by its writer nor by a killed process
    store.close()
    assert FileSource(killed).read_log() == {"seconds": 3.0}
    content = bytearray(killed.read_bytes())
    content[content.index(b'[3, {"seconds"')] ^= 1
    killed.write_bytes(content)
    found = FileSource(killed)
    assert found.read_log() == {"seconds": 2.0} and not found.damage


@pytest.mark.study
def test_random_damage(tmp_path: Path) -> None:
    """In a separate process: HDF5 might crash or wait for ever."""
    command = [sys.executable, "-m", "tests.runs.results.damage", "0", "150", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0 and "Error" not in done.stderr, done.stderr
    assert "'damaged'" in done.stdout and "'refused'" in done.stdout
