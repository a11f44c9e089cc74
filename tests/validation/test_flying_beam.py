"""Free flight of a very flexible beam, planar and in space.

J. C. Simo and L. Vu-Quoc, On the dynamics in space of rods undergoing large motions, Comput. Methods Appl. Mech.
Eng. 66 (1988) 125-161 (and part II of their 1986 papers for the planar case): EA = GA 1e4, EI 500, rho A 1, rho I 10,
L 10, ends A (6, 0) and B (0, 8). Planar: F_x = 8 and M = -80 at A until 2.5 s; positions below are converged to 1e-3.
In space: the same end is loaded by a ramp to 2.5 s and back to 5 s, then free.
"""

from __future__ import annotations

import numpy as np
import pytest

from fem_mbd import Model, Simulation, StepControl
from fem_mbd.elements import Beam, BeamHandle, Force, Moment, Section
from fem_mbd.ledger_names import ENERGIES
from fem_mbd.time_functions import Table

A, B = np.array([6.0, 0.0, 0.0]), np.array([0.0, 8.0, 0.0])
PLANAR = {
    4.0: ((4.3537, 1.2312), (12.9162, 6.0975)),
    6.0: ((8.4256, 6.8399), (16.3699, 0.8412)),
    12.0: ((26.7171, -0.4840), (22.3321, 8.5019)),
}


def spaghetti(elements: int, order: int) -> tuple[Model, BeamHandle]:
    model = Model()
    section = Section(np.diag([1e4, 1e4, 1e4, 500.0, 500.0, 500.0]), 1.0, np.diag([20.0, 10.0, 10.0]))
    return model, model.add(Beam(section, A, B, elements=elements, order=order))


def test_planar_positions_and_momenta() -> None:
    model, beam = spaghetti(10, 4)
    pulse = Table((0.0, 2.5, 2.5 + 1e-6, 20.0), (1.0, 1.0, 0.0, 0.0))
    model.add(Force(beam.start, np.array([8.0, 0.0, 0.0]) * pulse))
    model.add(Moment(beam.start, np.array([0.0, 0.0, -80.0]) * pulse))
    control = StepControl.fixed(0.01, output_times=(*PLANAR,), breakpoints=(2.5, 2.5 + 1e-6))
    sim = Simulation(model, control, 12.0)
    work, found = sim.scheme.work, {}
    momenta = []
    for record in sim.steps():
        found[round(record.time, 9)] = sim.state.u[[beam.start.index, beam.end.index], :2].copy()
        if record.time > 2.51:
            p = work.mass @ sim.state.v
            spin = np.einsum("nij,njk,nk->ni", sim.state.r, work.inertia, sim.state.omega)
            h = (np.cross(sim.state.u, work.mass[:, None] * sim.state.v) + spin).sum(axis=0)
            momenta.append((p[0], h[2]))
    for instant, ends in PLANAR.items():
        assert found[instant] == pytest.approx(np.array(ends), abs=1.5e-3)
    p_x, h_z = np.array(momenta).T
    assert p_x == pytest.approx(
        np.full(len(p_x), 20.0 + 8.0 * 0.5e-6), abs=1e-9
    )  # the load's fall takes 1e-6 s
    assert h_z == pytest.approx(np.full(len(h_z), -189.27456), abs=2e-3)


# E(60 s)/E(5 s) of five 3-node elements, from an independent implementation of the same scheme
DECAY = {0.2: 0.9220, 0.1: 0.98356, 0.05: 0.99697, 0.02: 0.99965, 0.01: 0.99995}


@pytest.mark.slow
@pytest.mark.parametrize("dt", list(DECAY))
def test_in_space_for_a_minute(dt: float) -> None:
    """No failure of Newton that step control does not absorb, energy that only falls once the loads are gone."""
    model, beam = spaghetti(5, 3)
    ramp = Table((0.0, 2.5, 5.0, 60.0), (0.0, 1.0, 0.0, 0.0))
    model.add(Force(beam.start, np.array([20.0, 0.0, 0.0]) * ramp))
    model.add(Moment(beam.start, np.array([0.0, -100.0, -200.0]) * ramp))
    sim = Simulation(model, StepControl.fixed(dt, breakpoints=(2.5, 5.0)), 60.0)
    after, residual = [], 0.0
    for record in sim.steps():
        residual = max(residual, abs(float(record.energy[-1])))
        if record.time > 5.0 - 1e-9:
            after.append(float(record.energy[: len(ENERGIES)].sum()))
    assert sim.state.time == 60.0
    assert residual < 1e-11 * sim.energy_scale
    assert np.diff(after).max() < 1e-11 * sim.energy_scale
    assert 1.0 - after[-1] / after[0] == pytest.approx(1.0 - DECAY[dt], rel=0.1)
