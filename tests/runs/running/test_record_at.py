"""Tests of recording at given times with the real simulation: steps end at these times, whatever their size."""

import numpy as np

from fem_mbd import Model, Result, StepControl, simulate
from fem_mbd.elements import RigidBody


def thrown(control: StepControl | None, **options: object) -> Result:
    model = Model((0, 0, -9.81))
    body = model.add(RigidBody(2.0, (1, 1, 1), (0, 0, 0)))
    model.set_velocity(body.node, (1, 2, 3))
    return simulate(model, 1.0, control, progress=False, **options)  # type: ignore[arg-type]


def test_steps_end_at_the_instants() -> None:
    for control in (StepControl.fixed(0.03), None):
        result = thrown(control, record_at=0.25)
        assert np.array_equal(result.output_time, [0.25, 0.5, 0.75, 1.0])
        # a parabola, which the scheme's order makes exact at the ends of steps
        t = result.output_time
        place = np.outer(t, [1, 2, 3]) + np.outer(t**2, [0, 0, -9.81 / 2])
        assert np.abs(result.outputs["position"][:, 1] - place).max() < 1e-13


def test_an_interval_of_whole_steps_changes_no_step() -> None:
    fine, thinned = thrown(StepControl.fixed(0.01)), thrown(StepControl.fixed(0.01), record_at=0.1)
    assert thinned.steps == fine.steps == 100
    assert np.abs(thinned.time - fine.time).max() < 1e-15 * 8
    assert list(thinned.output_index) == list(range(10, 101, 10))
