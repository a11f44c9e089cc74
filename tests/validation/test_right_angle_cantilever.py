"""Right-angle cantilever: bending and torsion of two legs that swing by more than their length.

J. C. Simo, L. Vu-Quoc, On the dynamics in space of rods undergoing large motions, Computer Methods in
Applied Mechanics and Engineering 66 (1988) 125-161: two legs of 10, EI = GJ = 1e3, EA = GA = 1e6, mass 1 and
rotary inertia (20, 10, 10) per length; a force normal to their plane at the elbow grows to 50 within a
second and falls to zero in the next. The tip's amplitude is above 8.

Peaks, errors and losses of energy below are from an independent program of the same scheme, three 4-node
elements to a leg; twice as many move the peaks by 3e-4. Programs of second order need 3,000 steps for an
error of 1.8e-3 and 12,000 for 1.1e-4; the errors here are those of 300, 600 and 1,200 steps.
"""

from __future__ import annotations

import numpy as np
import pytest

from fem_mbd import Model, Simulation, StepControl
from fem_mbd.elements import Beam, Force, Section
from fem_mbd.ledger_names import ENERGIES
from fem_mbd.time_functions import Table
from tests.scheme_tools import Array, order, worst_residual

# dt: largest error of the tip on a grid of 0.1 s; energy lost after the load over E(2 s)
EXPECTED = {0.1: (7.1e-3, 4.4e-3), 0.05: (9.3e-4, 6.7e-4), 0.025: (1.2e-4, 9.0e-5)}
PEAKS = (6.1125, 9.7271)  # elbow, tip
FINE = 0.00625


def swing(dt: float, elements: int = 3) -> tuple[Array, Array]:
    """Elbow and tip (steps, 2, 3), and the energy (steps,), until 30 s."""
    model = Model()
    section = Section(np.diag([1e6, 1e6, 1e6, 1e3, 1e3, 1e3]), 1.0, np.diag([20.0, 10.0, 10.0]))
    first = model.add(Beam(section, (0, 0, 0), (10, 0, 0), elements=elements, name="first leg"))
    second = model.add(Beam(section, first.end, (10, 10, 0), elements=elements, name="second leg"))
    model.fix(first.start)
    model.add(Force(first.end, np.array([0.0, 0.0, 1.0]) * Table((0, 1, 2), (0, 50, 0))))
    sim = Simulation(model, StepControl.fixed(dt), 30.0)
    places, ledger = [], []
    for record in sim.steps():
        places.append(sim.state.u[[first.end.index, second.end.index]].copy())
        ledger.append(record.energy)
    assert len(ledger) == round(30 / dt)
    assert worst_residual(sim, np.array(ledger)) < 1e-13
    assert sim.counters["rejected"] == 0
    assert sim.counters["newton_iterations"] <= 3 * sim.counters["steps"]
    return np.array(places), np.array(ledger)[:, : len(ENERGIES)].sum(axis=1)


def on_grid(values: Array) -> Array:
    """Every 0.1 s."""
    stride = len(values) // 300
    return values[stride - 1 :: stride]


@pytest.fixture(scope="module")
def runs() -> dict[float, tuple[Array, Array]]:
    return {dt: swing(dt) for dt in (*EXPECTED, FINE)}


def test_peaks(runs: dict[float, tuple[Array, Array]]) -> None:
    heights = np.abs(runs[FINE][0][:, :, 2])
    assert heights.max(axis=0) == pytest.approx(PEAKS, abs=1e-4)
    assert heights[:, 1].max() > 8


def test_errors_and_order_in_time(runs: dict[float, tuple[Array, Array]]) -> None:
    """Against 4,800 steps, whose own error is 2e-6."""
    exact = on_grid(runs[FINE][0])[:, 1]
    errors = []
    for dt, (error, _) in EXPECTED.items():
        off = np.linalg.norm(on_grid(runs[dt][0])[:, 1] - exact, axis=1)
        errors.append(float(off.max()))
        assert errors[-1] == pytest.approx(error, rel=0.03)
    assert order(errors, list(EXPECTED)) == pytest.approx(3.0, abs=0.2)


def test_energy_after_the_load(runs: dict[float, tuple[Array, Array]]) -> None:
    """It falls in every step, and in all by what the reference lost (two digits, to a tenth)."""
    for dt, (_, loss) in EXPECTED.items():
        after = runs[dt][1][round(2 / dt) - 1 :]
        assert np.diff(after).max() < 1e-13 * after[0]
        assert 1 - after[-1] / after[0] == pytest.approx(loss, rel=0.1)


def test_mesh() -> None:
    """Six elements to a leg: 9.7270 and 6.1128."""
    places, _ = swing(0.0125, elements=6)
    assert np.abs(places[:, :, 2]).max(axis=0) == pytest.approx((6.1128, 9.7270), abs=1e-4)
