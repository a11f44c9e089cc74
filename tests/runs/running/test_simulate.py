"""Tests of `fem_mbd.simulate`: a Python model run in one call."""

from pathlib import Path

import numpy as np
import pytest

import fem_mbd
from fem_mbd import InputError, RunFailed, SolverFailure
from fem_mbd.elements import RigidBody
from fem_mbd.joints import Revolute


def swinging_body() -> fem_mbd.Model:
    """A body of 2 kg suspended 0.5 m beside its hinge, at rest."""
    model = fem_mbd.Model(gravity=(0.0, 0.0, -9.81), name="swing")
    body = model.add(RigidBody(2.0, (0.01, 0.01, 0.01), position=(0.5, 0.0, 0.0), name="bob"))
    model.add(Revolute(model.ground, body.node, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0), name="hinge"))
    return model


@pytest.mark.parametrize("in_file", [False, True])
def test_one_call_gives_the_result(tmp_path: Path, in_file: bool) -> None:
    file = tmp_path / "results.h5" if in_file else None
    result = fem_mbd.simulate(swinging_body(), 0.5, fem_mbd.StepControl.fixed(0.01), file=file)
    assert result.status == "complete" and result.time[-1] == 0.5 and result.model["name"] == "swing"
    bob = result.outputs["position"][:, 1]
    assert np.allclose(np.linalg.norm(bob, axis=1), 0.5, atol=1e-12)
    assert result.summary["energy"]["relative"] < 1e-11
    assert (tmp_path / "results.h5").exists() == in_file


def test_failure_is_raised_with_the_result_so_far() -> None:
    one_iteration = fem_mbd.NewtonOptions(max_iterations=1)
    control = fem_mbd.StepControl(dt_initial=0.2, dt_min=0.1, dt_max=0.2)
    with pytest.raises(SolverFailure, match="Results up to this time are stored") as caught:
        fem_mbd.simulate(swinging_body(), 1.0, control, newton=one_iteration)
    assert isinstance(caught.value, RunFailed) and caught.value.result.status == "failed"


def test_models_that_cannot_run_leave_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="end_time"):
        fem_mbd.simulate(swinging_body(), -1.0, fem_mbd.StepControl.fixed(0.01), file=tmp_path / "r.h5")
    assert list(tmp_path.iterdir()) == []


def test_resume_goes_on_to_a_later_end(tmp_path: Path) -> None:
    file = tmp_path / "results.h5"
    fem_mbd.simulate(
        swinging_body(), 0.5, fem_mbd.StepControl.fixed(0.01), file=file, checkpoint_every=20
    ).close()
    later = fem_mbd.Simulation(swinging_body(), 1.0, fem_mbd.StepControl.fixed(0.01))
    result = fem_mbd.resume(file, later)
    whole = fem_mbd.simulate(swinging_body(), 1.0, fem_mbd.StepControl.fixed(0.01), checkpoint_every=20)
    assert np.array_equal(result.outputs["position"], whole.outputs["position"])
