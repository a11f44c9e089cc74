"""Tests of recorder and results: recorded data are returned unchanged, in memory and from a file."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from fem_mbd import InputError, Result, RunFailed, SolverFailure, run
from fem_mbd.core.scheme.ledger import LEDGER
from fem_mbd.runs.results.hdf5.layout import BLOCK_CHECKSUMS
from fem_mbd.runs.results.hdf5.reader import UNFINISHED_BLOCKS, CheckedColumns, FileSource, Hdf5Image
from fem_mbd.runs.results.hdf5.writer import FileStore
from fem_mbd.runs.results.store import BUFFER_ROWS
from fem_mbd.runs.running.runs import require_complete
from tests.refusals import refused
from tests.runs.running.fake_simulation import RULES, FakeSimulation

STEPS = 2 * BUFFER_ROWS + 7  # several transfers to the store


def expected(steps: int) -> tuple[list, list]:
    """Records and outputs of every step, stored by hand; resets as in `run` with checkpoints every 200 steps."""
    sim = FakeSimulation(steps)
    records, outputs = [], []
    for record in sim.steps():
        records.append(record)
        outputs.append(sim.outputs())
        if record.index % 200 == 0:
            sim.hooks.solver_reset()
    return records, outputs


@pytest.mark.parametrize("in_file", [False, True])
def test_what_goes_in_comes_out(tmp_path: Path, in_file: bool) -> None:
    records, outputs = expected(STEPS)
    result = run(FakeSimulation(STEPS), file=tmp_path / "results.h5" if in_file else None)
    assert result.status == "complete" and result.steps == STEPS
    assert np.array_equal(result.time, [r.time for r in records])
    assert np.array_equal(result.output_time, result.time)
    assert list(result.step["rule"]) == [r.rule for r in records]
    for name in ("dt", "newton_iterations", "factorisations", "rejections"):
        assert np.array_equal(result.step[name], [getattr(r, name) for r in records])
    assert tuple(result.energy) == LEDGER
    assert np.array_equal(np.column_stack(list(result.energy.values())), [r.energy for r in records])
    assert set(result.outputs) == set(outputs[0])
    for name, history in result.outputs.items():
        assert np.array_equal(history, np.array([o[name] for o in outputs])), name
        assert np.array_equal(result.initial[name], FakeSimulation(STEPS).outputs()[name])
    assert np.array_equal(result.contacts["normal_force"], [r.contacts["normal_force"] for r in records])
    assert result.contacts["normal"].shape == (STEPS, 1, 3)


def test_a_part_of_a_column_can_be_read(tmp_path: Path) -> None:
    result = run(FakeSimulation(50), file=tmp_path / "r.h5")
    whole = result.outputs["position"]
    assert np.array_equal(result.outputs.read("position", 10, 40, 7), whole[10:40:7])


def test_outputs_are_thinned_and_the_last_state_is_kept() -> None:
    whole, thinned = run(FakeSimulation(50)), run(FakeSimulation(50), record_every=8)
    assert list(thinned.output_index) == [8, 16, 24, 32, 40, 48, 50]
    assert np.array_equal(thinned.output_time, whole.time[thinned.output_index - 1])
    assert np.array_equal(thinned.outputs["position"], whole.outputs["position"][thinned.output_index - 1])
    assert np.array_equal(thinned.energy["kinetic"], whole.energy["kinetic"])


def test_quantities_are_selected(tmp_path: Path) -> None:
    result = run(FakeSimulation(9), file=tmp_path / "r.h5", quantities=("position",))
    assert list(result.outputs) == ["position"]
    none = run(FakeSimulation(9), quantities=())
    assert list(none.outputs) == [] and none.steps == 9 and none.output_time.shape == (0,)


def test_wrong_arguments_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    path = tmp_path / "r.h5"
    with pytest.raises(InputError, match=r"no output .positon.; did you mean .position."):
        run(FakeSimulation(), file=path, quantities=("positon",))
    refused("record_every is 0", lambda: run(FakeSimulation(), file=path, record_every=0))
    with pytest.raises(InputError, match=r"checkpoint_every is 2\.5"):
        run(FakeSimulation(), file=path, checkpoint_every=2.5)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []
    refused("cannot be created", lambda: run(FakeSimulation(), file=tmp_path / "nowhere" / "r.h5"))


def test_unknown_column_names_the_nearest() -> None:
    result = run(FakeSimulation(3))
    with pytest.raises(InputError, match="nothing is recorded as 'kinetik'; did you mean 'kinetic'"):
        result.energy["kinetik"]
    assert result.energy.get("kinetik") is None


def test_the_numbers_do_not_depend_on_where_results_go(tmp_path: Path) -> None:
    in_file = run(FakeSimulation(300), file=tmp_path / "r.h5", checkpoint_every=50)
    in_memory = run(FakeSimulation(300), checkpoint_every=50, record_every=3)
    assert np.array_equal(in_file.energy["kinetic"], in_memory.energy["kinetic"])


@pytest.mark.parametrize("in_file", [False, True])
def test_failure_keeps_what_was_computed(tmp_path: Path, in_file: bool) -> None:
    result = run(FakeSimulation(50, fail_at=31), file=tmp_path / "r.h5" if in_file else None)
    assert result.status == "failed" and "node 'tip'" in result.reason
    assert result.steps == 30 and len(result.outputs["position"]) == 30
    with pytest.raises(SolverFailure, match="smallest size") as caught:
        require_complete(result)
    assert isinstance(caught.value, RunFailed) and caught.value.result is result


def test_failure_at_the_first_step(tmp_path: Path) -> None:
    result = run(FakeSimulation(50, fail_at=1), file=tmp_path / "r.h5")
    assert result.status == "failed" and result.steps == 0
    assert result.summary["energy"]["residual_max"] == 0.0


class GrowingFile:
    """A results file to which a run appends rows while its checksums are being read."""

    def __init__(self, path: Path, grow: Callable[[], None]) -> None:
        self.file, self.grow = h5py.File(Hdf5Image(path), "r"), grow
        self.id = self.file.id

    def __getitem__(self, name: str) -> h5py.Dataset:
        if name == BLOCK_CHECKSUMS:
            self.grow()
        return self.file[name]


def test_a_file_that_grows_while_it_is_opened_is_whole(tmp_path: Path) -> None:
    run(FakeSimulation(STEPS), file=tmp_path / "finished.h5")
    finished = FileSource(tmp_path / "finished.h5")
    with h5py.File(tmp_path / "finished.h5") as file:
        blocks = len(file["seals"])
    (rows,) = finished.pieces(blocks)
    initial = {name: finished.initial(name) for name in finished.initial_names()}
    store = FileStore.create(tmp_path / "running.h5", finished.info, initial, state_size=1)
    store.append(rows)
    growing = GrowingFile(tmp_path / "running.h5", lambda: store.append(rows))
    columns = CheckedColumns(growing)
    store.append(rows)
    assert (
        blocks > UNFINISHED_BLOCKS and columns.blocks == 2 * blocks and columns.intact_blocks() == 2 * blocks
    )
    growing.file.close()
    store.close()


def test_errors_of_the_program_pass_through_but_results_are_kept(tmp_path: Path) -> None:
    def break_at(index: int) -> None:
        if index == 20:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(FakeSimulation(50, each_step=break_at), file=tmp_path / "r.h5")
    result = Result.open(tmp_path / "r.h5")
    assert result.status == "crashed" and result.steps == 19


def test_layout_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "results.h5"
    run(FakeSimulation(10), file=path, case="swing", parameters={"length": 2.0, "axes": (1.0, 2.0)})
    with h5py.File(path) as file:
        assert file.attrs["format_version"] == 4
        info = json.loads(file["info"][()])
        assert info["case"] == "swing" and info["end_time"] == 1.0
        assert info["parameters"] == {"length": 2.0, "axes": [1.0, 2.0]} and info["model"]["name"] == "fake"
        assert file["seals"].shape == (1, len(json.loads(file["columns"][()])))
        assert set(file["energy"]) == set(LEDGER) and file["steps/time"].shape == (10,)
        assert file["outputs/reaction"].shape == (10, 0, 12)
    result = Result.open(tmp_path)
    assert (result.case, result.parameters["length"], result.model["name"]) == ("swing", 2.0, "fake")


def test_files_that_are_no_results_are_refused(tmp_path: Path) -> None:
    refused("there is no results file here", Result.open, tmp_path)
    text = tmp_path / "text.h5"
    text.write_text("not HDF5")
    refused("cannot be read as a results file", Result.open, text)
    other = tmp_path / "other.h5"
    for version in ("v108", "earliest"):
        h5py.File(other, "w", libver=version).close()
        refused("not written by this package", Result.open, other)
    h5py.File(other, "w", libver="v110").close()
    with h5py.File(other, "a") as file:
        file.attrs["format_version"] = 99
    refused("format 99", Result.open, other)


def test_an_existing_file_is_replaced_and_open_results_stay_readable(tmp_path: Path) -> None:
    path = tmp_path / "r.h5"
    first = run(FakeSimulation(10), file=path)
    second = run(FakeSimulation(20), file=path)
    assert len(first.energy["kinetic"]) == 10 and len(second.energy["kinetic"]) == 20
    assert [p.name for p in tmp_path.iterdir()] == ["r.h5"]


def test_summary_adds_up() -> None:
    result = run(FakeSimulation(60), case="swing")
    summary = result.summary
    assert summary["steps"] == 60 and summary["status"] == "complete" and summary["case"] == "swing"
    assert summary["newton_iterations"] == result.step["newton_iterations"].sum()
    assert summary["rejected_steps"] == 30 and summary["factorisations"] == 60
    assert sum(summary["step_size"]["steps_by_rule"].values()) == 60
    assert set(summary["step_size"]["steps_by_rule"]) == set(RULES)
    assert {"solve", "assembly", "record", "total"} <= set(summary["wall_seconds"])
    energy = summary["energy"]
    assert energy["residual_max"] == np.abs(result.energy["residual"]).max()
    assert energy["relative"] == energy["residual_max"] / energy["scale"]
    assert energy["totals"]["kinetic"] == result.energy["kinetic"][-1]
    assert energy["totals"]["work_loads"] == result.energy["work_loads"].sum()


def test_recording_is_one_row_per_step_without_growing_memory_of_a_file_run(tmp_path: Path) -> None:
    """A large model: a row exceeds the size of a block, so every row is written at once."""
    result = run(FakeSimulation(3, n=400_000), file=tmp_path / "r.h5", quantities=("position",))
    assert result.outputs.read("position", 1, 2).shape == (1, 400_000, 3)


@pytest.mark.parametrize("stored", ["in memory", "in a file"])
def test_states_are_recorded_at_an_interval_or_at_instants(tmp_path: Path, stored: str) -> None:
    file = None if stored == "in memory" else tmp_path / "r.h5"
    whole = run(FakeSimulation(50))
    for record_at, ends in ((0.1, [5, 10, 15, 20, 25, 30, 35, 40, 45, 50]), ([0.5, 0.06, 2.0], [3, 25, 50])):
        some = run(FakeSimulation(50), file=file, record_at=record_at)
        assert list(some.output_index) == ends, "the last state is always kept"
        assert np.abs(some.output_time - whole.time[some.output_index - 1]).max() < 1e-14
        assert np.array_equal(some.outputs["position"], whole.outputs["position"][some.output_index - 1])
        assert np.array_equal(some.energy["kinetic"], whole.energy["kinetic"])
        some.close()


@pytest.mark.parametrize("record_at", [0.0, -1.0, "often", (), [float("nan")], 1e-9, None])
def test_times_that_cannot_be_recorded_at_are_refused(tmp_path: Path, record_at: Any) -> None:
    options = {"record_at": record_at} if record_at is not None else {"record_at": 0.1, "record_every": 2}
    refused("record_at", lambda: run(FakeSimulation(), file=tmp_path / "r.h5", **options))
    assert list(tmp_path.iterdir()) == []
