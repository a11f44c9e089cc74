"""Tests of the lattice: its reference wave against other solutions, a run against the wave, bad input."""

import itertools

import numpy as np
import pytest

from fem_mbd.cases import load_case
from fem_mbd.cases.lattice import TUBE, Parameters, wave
from fem_mbd.core.solver.simulation import Simulation

CASE = load_case("lattice")


def test_long_waves_are_those_of_a_plate_without_poisson_effect() -> None:
    """Per length the grid is a plate of bending stiffness EI/h and torsion GJ/h; 2 mu/h is its mass per area.

    h m w'' + EI (w_xxxx + w_yyyy) + 2 GJ w_xxyy = 0: Timoshenko and Woinowsky-Krieger, Theory of Plates and Shells, 86.
    """
    h, phase = 0.5, 1e-3
    k = phase / h
    bending, torsion = TUBE.stiffness[4, 4], TUBE.stiffness[3, 3]
    expected = np.sqrt((2 * bending + 2 * torsion) * k**4 / (2 * TUBE.mass_per_length))
    found = wave(TUBE, h, phase, phase)
    assert found.omega == pytest.approx(expected, rel=1e-5)
    assert (found.slope_x, found.slope_y) == pytest.approx((k, k), rel=1e-5)


def test_wave_along_beams_that_stay_straight_across_is_that_of_one_beam() -> None:
    """phi from crossing to crossing along x only: the crossing beams move and twist as rigid rods."""
    h, phase = 1.0, 1e-2
    found = wave(TUBE, h, phase, 0.0)
    k = phase / h
    # each crossing carries its share of both beams' mass
    assert found.omega == pytest.approx(
        np.sqrt(TUBE.stiffness[4, 4] * k**4 / (2 * TUBE.mass_per_length)), rel=1e-3
    )


@pytest.mark.parametrize(
    ("order", "per_edge", "bound"), [(3, 1, 0.0), (4, 1, 0.0), (2, 2, (np.pi / 12) ** 2 / 12)]
)
def test_run_comes_back_when_the_wave_does(order: int, per_edge: int, bound: float) -> None:
    """Half a period; two nodes approximate a sine with an error of phase^2 / 12 per element, the reference with
    1e-4.
    """
    p = Parameters(cells=6, order=order, per_edge=per_edge, periods=0.55)
    sim = CASE.build(p)
    assert isinstance(sim, Simulation)
    middle = next(n.index for n in sim.system.model.nodes if n.name == "crossing 3 3")
    rows = np.array([(r.time, sim.state.u[middle, 2]) for r in sim.steps()])
    time, z = rows.T
    back = int(np.flatnonzero((z[:-1] > 0) & (z[1:] <= 0))[0])
    period = 2 * (time[back] + z[back] / (z[back] - z[back + 1]) * (time[back + 1] - time[back]))
    expected = 2 * np.pi / wave(TUBE, p.spacing, np.pi / 6, np.pi / 6).omega
    assert period == pytest.approx(expected, rel=bound + 1.5e-4)
    assert z.max() == pytest.approx(p.amplitude, rel=0.01)


def test_motion_is_up_and_down_only_and_keeps_its_energy() -> None:
    sim = CASE.build(Parameters(cells=4))
    assert isinstance(sim, Simulation)
    for record in itertools.islice(sim.steps(), 10):
        assert abs(record.energy[-1]) < 1e-11 * sim.energy_scale
    positions = np.array([node.position for node in sim.system.model.nodes])
    assert np.abs(sim.state.u[:, :2] - positions[:, :2]).max() < 1e-9
    assert sim.state.u[:, 2].max() > 5e-6
