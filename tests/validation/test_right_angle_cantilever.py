"""Right-angle cantilever: two legs of 10, an out-of-plane force at the elbow, 0 - 50 - 0 N over two seconds.

J. C. Simo and L. Vu-Quoc 1988 (CMAME 66): EI = GJ 1e3, EA = GA 1e6, rho A 1, rho I diag(20, 10, 10). The tip
swings by more than 8, the elbow by more than 5. Peaks 9.7271 and 6.1125 with this mesh: independent implementation,
converged in time.
"""

from __future__ import annotations

import numpy as np
import pytest

from fem_mbd import Model, Simulation, StepControl
from fem_mbd.elements import Beam, Force, Section
from fem_mbd.time_functions import Table


def test_peaks_energy_and_order() -> None:
    tips = {}
    for dt in (0.1, 0.05, 0.025):
        model = Model()
        section = Section(np.diag([1e6, 1e6, 1e6, 1e3, 1e3, 1e3]), 1.0, np.diag([20.0, 10.0, 10.0]))
        first = model.add(Beam(section, (0, 0, 0), (10, 0, 0), elements=3, name="first leg"))
        second = model.add(Beam(section, first.end, (10, 10, 0), elements=3, name="second leg"))
        model.fix(first.start)
        model.add(Force(first.end, np.array([0.0, 0.0, 1.0]) * Table((0, 1, 2, 30), (0, 50, 0, 0))))
        sim = Simulation(model, StepControl.fixed(dt), 30.0)
        heights = []
        for record in sim.steps():
            heights.append(sim.state.u[[first.end.index, second.end.index], 2].copy())
            assert abs(record.energy[-1]) < 1e-11 * sim.energy_scale
        # work is counted so that a slower Newton is noticed: three iterations at most
        assert sim.counters["newton_iterations"] <= 3.05 * sim.counters["steps"]
        tips[dt] = np.array(heights)
    elbow, tip = np.abs(tips[0.025]).max(axis=0)
    assert (elbow, tip) == pytest.approx((6.1125, 9.7271), abs=1e-3)
    coarse = np.abs(tips[0.1] - tips[0.05][1::2]).max()
    fine = np.abs(tips[0.05] - tips[0.025][1::2]).max()
    assert np.log2(coarse / fine) == pytest.approx(3.0, abs=0.3)
