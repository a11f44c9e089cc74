"""Statistics and energies of recorded states only: sums over the steps between, one time axis, resuming."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.elements import RigidBody
from fem_mbd.joints import Revolute
from fem_mbd.runs.results.store import STEP_ROW, StepGroup


def _pendulum(end: float) -> fm.Simulation:
    model = fm.Model(gravity=(0, 0, -9.81))
    bob = model.add(RigidBody(1.0, (1e-2,) * 3, (0.3, 0, 0), name="bob"))
    model.add(Revolute(model.ground, bob, at=(0, 0, 0), axis=(0, 1, 0), name="hinge"))
    return fm.Simulation(model, end, fm.StepControl.fixed(1e-2))


RECORDS: dict[str, dict[str, Any]] = {"every": {"record_every": 7}, "at": {"record_at": 0.105}}


@pytest.mark.parametrize("kind", RECORDS)
@pytest.mark.parametrize("on_disk", [False, True])
def test_rows_are_sums_over_the_steps_between(kind: str, on_disk: bool, tmp_path: Path) -> None:
    file = tmp_path / "a.h5" if on_disk else None
    whole = fm.run(_pendulum(1.0), progress=False, **RECORDS[kind])
    thin = fm.run(_pendulum(1.0), progress=False, every_step=False, file=file, **RECORDS[kind])
    np.testing.assert_array_equal(thin.time, whole.output_time)
    np.testing.assert_array_equal(thin.output_time, whole.output_time)
    np.testing.assert_array_equal(thin.output_index, whole.output_index)
    np.testing.assert_array_equal(thin.of("bob").position, whole.of("bob").position)
    assert thin.steps == whole.steps
    at = whole.output_index - 1
    np.testing.assert_array_equal(thin.energy["kinetic"], whole.energy["kinetic"][at])
    first = np.insert(at[:-1] + 1, 0, 0)
    for name in ("dissipation_scheme", "residual"):
        sums = np.add.reduceat(whole.energy[name], first)
        np.testing.assert_allclose(thin.energy[name], sums, rtol=1e-12, atol=1e-18)
    iterations = np.add.reduceat(whole.step["newton_iterations"], first)
    np.testing.assert_array_equal(thin.step["newton_iterations"], iterations)
    np.testing.assert_allclose(
        thin.step["dt"],
        np.diff(np.insert(whole.output_time, 0, 0.0)) / np.diff(np.insert(at, 0, -1)),
        rtol=1e-9,
    )
    assert thin.summary["steps"] == whole.summary["steps"]


def test_a_resumed_run_has_the_same_rows(tmp_path: Path) -> None:
    options: Any = {"record_every": 7, "every_step": False, "checkpoint_every": 20, "progress": False}
    fm.run(_pendulum(0.5), file=tmp_path / "a.h5", **options)
    resumed = fm.resume(tmp_path / "a.h5", _pendulum(1.0), progress=False)
    whole = fm.run(_pendulum(1.0), file=tmp_path / "b.h5", **options)
    # the end of the first run is a row of its own
    assert resumed.time[-1] == whole.time[-1]
    for name in ("dissipation_scheme", "residual"):
        assert resumed.energy[name].sum() == pytest.approx(whole.energy[name].sum(), rel=1e-9, abs=1e-16)
    assert resumed.summary["steps"] == whole.summary["steps"] == 100


def test_groups_go_on_over_blocks() -> None:
    rng = np.random.default_rng(3)
    steps = np.zeros(40, STEP_ROW)
    steps["dt"], steps["newton_iterations"], steps["time"] = 0.1, rng.integers(1, 5, 40), np.arange(40)
    energy, ends = rng.normal(size=(40, 2)), np.arange(1, 41) % 6 == 0
    group, rows = StepGroup(("kinetic", "work_loads")), []
    for first, last in ((0, 3), (3, 4), (4, 17), (17, 17), (17, 36), (36, 40)):
        found = group.add(steps[first:last], energy[first:last], ends[first:last])
        rows.append(found)
        other = StepGroup(("kinetic", "work_loads"))
        other.restore(group.numbers())
        group = other
    rows.append(group.rest())
    found_steps = np.concatenate([a for a, _ in rows])
    found_energy = np.concatenate([b for _, b in rows])
    assert len(found_steps) == 7
    np.testing.assert_array_equal(found_steps["time"], [5, 11, 17, 23, 29, 35, 39])
    starts = np.arange(0, 40, 6)
    np.testing.assert_array_equal(
        found_steps["newton_iterations"], np.add.reduceat(steps["newton_iterations"], starts)
    )
    np.testing.assert_allclose(found_steps["dt"], 0.1)
    np.testing.assert_allclose(found_energy[:, 1], np.add.reduceat(energy[:, 1], starts))
    np.testing.assert_array_equal(found_energy[:, 0], energy[[5, 11, 17, 23, 29, 35, 39], 0])


def test_the_first_row_from_the_start() -> None:
    result = fm.run(_pendulum(0.1), progress=False, record_every=3)
    start = result.from_start.of("bob")
    assert len(start.time) == len(result.output_time) + 1
    assert start.time[0] == 0.0
    assert start.position[0] == pytest.approx((0.3, 0.0, 0.0), abs=1e-15)
    np.testing.assert_array_equal(start.position[1:], result.of("bob").position)
