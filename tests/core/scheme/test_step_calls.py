"""Lists of calls of a step: loops of large models in tiles give what whole loops do."""

import numpy as np

from fem_mbd import Model, Simulation, StepControl
from fem_mbd.core.compiled.calls import Call, CallList
from fem_mbd.elements import Beam, Section

ELEMENTS = 1100  # more than loops that are not divided have rows


def test_undivided_loops_give_the_same_equations() -> None:
    """To the last bit; derivatives take the elements from the loop that is not divided."""
    model = Model(gravity=(0.0, 0.0, -9.81))
    section = Section(np.diag([1e6, 1e6, 1e6, 1e3, 1e3, 1e3]), 1.0, np.diag([2e-2, 1e-2, 1e-2]))
    beam = model.add(Beam(section, (0, 0, 0), (10, 0, 0), elements=ELEMENTS, order=2))
    model.fix(beam.start)
    simulation = Simulation(model, 1.0, StepControl.fixed(1e-3))
    next(simulation.steps())
    calls = simulation.scheme.calls
    of_elements = [
        task.split
        for task in calls.undivided_residual
        if isinstance(task, Call) and task.split is not None and isinstance(task.split.nodes, np.ndarray)
    ]
    assert [len(split.nodes) for split in of_elements] == [ELEMENTS]
    assert len(calls.residual) > len(calls.undivided_residual)
    found = []
    for tasks in (calls.residual, calls.undivided_residual):
        calls.f.fill(np.nan)
        CallList(tasks)()
        found.append(calls.f.copy())
    assert np.isfinite(found[0]).all() and (found[0] == found[1]).all()
