"""Point mass on a massless link, problem A01 of the IFToMM library of computational benchmark problems.

www.iftomm-multibody.org/benchmark/problem/Planar_simple_pendulum: 1 kg, 1 m, g = 9.81, released at rest from x = -1.
Positions: elliptic functions, all digits exact; period 4 sqrt(L/g) K(sin(45 deg)).
"""

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

from fem_mbd import Model, Simulation
from fem_mbd.base.arrays import Array
from fem_mbd.elements import RigidBody
from fem_mbd.joints import Revolute, Spherical
from tests.core.scheme_tools import run, simulation, worst_residual
from tests.validation.problem import Picture, Problem, Solution, numbers, ours, reference

PUBLISHED = {1.0: (0.9862917511, -0.1650108531), 5.0: (-0.9423054350, -0.3347543384)}
PERIOD = 2.3678419476
RATE = np.sqrt(9.81)


def _place(t: float) -> tuple[float, float]:
    """sin(theta/2) = k cd(w t), theta from the lowest point, starting at -90 degrees."""
    _, cn, dn, _ = ellipj(RATE * t, 0.5)
    half = float(np.sqrt(0.5) * cn / dn)
    return -2 * half * float(np.sqrt(1 - half**2)), -(1 - 2 * half**2)


def _pendulum(dt: float, end: float) -> Simulation:
    """A point mass that hangs by a body without extension: its mass is all at (-1, 0)."""
    model = Model(gravity=(0, -9.81, 0))
    bob = model.add(RigidBody(1.0, np.zeros((3, 3)), position=(-1, 0, 0))).node
    model.add(Revolute(model.ground, bob, at=(0, 0, 0), axis=(0, 0, 1)))
    return simulation(model, dt, end)


@pytest.mark.parametrize("t", PUBLISHED)
def test_closed_form_is_the_published_one(t: float) -> None:
    assert _place(t) == pytest.approx(PUBLISHED[t], abs=1e-10)


def solve() -> Solution:
    """5 s in steps of 2 ms. The period: back at the start, where the vertical velocity vanishes for the fourth time."""
    sim = _pendulum(1 / 500, 5.0)
    ledger, rows = [], []
    for record in sim.steps():
        ledger.append(record.energy)
        rows.append((record.time, *sim.state.u[1, :2], sim.state.v[1, 1]))
    assert worst_residual(sim, np.array(ledger)) < 1e-12
    assert np.abs(sim.scheme.workspace.constraints).max() < 1e-14
    history, found = np.array(rows), []
    for time, place in PUBLISHED.items():
        row = history[round(500 * time) - 1]
        assert row[0] == pytest.approx(time, abs=1e-12)
        found += numbers(f"t = {time:g} s, ", "m", dict(zip(("x", "y"), place, strict=True)), row[1:3], 1e-5)
    turning = _zeros(history[:, 0], history[:, 3])
    found += numbers("", "s", {"period": PERIOD}, [turning[3]], 1e-5)
    times = np.arange(0.2, 5.1, 0.2)
    exact = np.array([_place(t) for t in times])
    curves = [ours(history[:, 0], history[:, 1 + k], axis) for k, axis in enumerate("xy")]
    curves += [reference(times, exact[:, k], "" if k else "closed form") for k in range(2)]
    return Solution(found, [Picture("time [s]", "place [m]", curves)])


PROBLEM = Problem(
    name="simple_pendulum",
    title="Simple pendulum",
    group="Rigid bodies and constraints",
    source="Gonzalez et al. 2006, problem A01 of the IFToMM library",
    reference="elliptic functions",
    solve=solve,
)


def test_places_and_period() -> None:
    assert PERIOD == pytest.approx(4 / RATE * ellipk(0.5), abs=1e-10)


def _zeros(t: Array, f: Array) -> list[float]:
    """Where f changes sign, by linear interpolation."""
    k = np.flatnonzero(f[:-1] * f[1:] < 0)
    return [float(t[i] - f[i] * (t[i + 1] - t[i]) / (f[i + 1] - f[i])) for i in k]


def test_a_mass_at_the_end_of_a_light_rod() -> None:
    """The same pendulum as a mass on a body without weight that a spherical joint holds."""
    model = Model(gravity=(0, -9.81, 0))
    rod = model.add(RigidBody(1e-9, (1e-9, 1e-9, 1e-9), position=(0, 0, 0))).node
    model.add(Spherical(model.ground, rod))
    model.add(RigidBody(1.0, (0, 0, 0), node=rod, centre=(-1, 0, 0)))
    sim = simulation(model, 1 / 500, 1.0)
    run(sim)
    assert sim.state.u[1, :2] == pytest.approx(PUBLISHED[1.0], abs=1e-5)
