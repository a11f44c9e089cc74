"""Heavy top with a fixed point in fast spin, the usual benchmark of Lie group integrators.

Problem: Bruels, Cardona & Arnold, "Lie group generalized-alpha time integration of constrained flexible multibody
systems", Mechanism and Machine Theory 48 (2012) 121-137: mass 15 kg with its centre at (0, 1, 0) from the fixed point,
inertia diag(0.234375, 0.46875, 0.234375) about it, spin (0, 150, -4.61538) rad/s, g = 9.81. Numbers: Euler's equations
with quaternions at tolerances of 1e-13, all digits converged; the same equations are integrated in this test as well.
"""

import numpy as np
import pytest

from fem_mbd import Model, Simulation
from fem_mbd.elements import RigidBody
from fem_mbd.joints import Spherical
from tests.core.scheme_tools import simulation, worst_residual
from tests.validation.problem import Picture, Problem, Solution, numbers, ours, reference

MASS, CENTRE = 15.0, np.array([0.0, 1.0, 0.0])
INERTIA = np.diag([0.234375, 0.46875, 0.234375])
SPIN = np.array([0.0, 150.0, -4.61538])
PUBLISHED = {0.1: (0.42129666, 0.89457197, -0.14916470), 0.2: (0.60555056, 0.59895768, -0.52398303)}
QUATERNION = (-0.70827915, 0.43878109, 0.54572840, 0.08939975)  # at 0.2 s
ENERGY = 5435.6967908655


def _top(steps: int, end: float) -> Simulation:
    model = Model(gravity=(0, 0, -9.81))
    body = model.add(RigidBody(MASS, INERTIA, position=(0, 0, 0), centre=CENTRE)).node
    model.add(Spherical(model.ground, body))
    model.set_velocity(body, omega=SPIN)
    return simulation(model, end / steps, end)


def solve() -> Solution:
    """1,200 steps, seven to a turn of the top; the energy counts from the fixed point, where the centre starts."""
    sim = _top(1200, 0.2)
    found = numbers("", "J", {"energy at the start": ENERGY}, [sim.scheme.energy], 1e-12 * ENERGY)
    ledger, rows = [], []
    for record in sim.steps():
        ledger.append(record.energy)
        rows.append((record.time, *sim.state.u[1]))
    assert worst_residual(sim, np.array(ledger)) < 1e-12
    assert np.abs(sim.scheme.workspace.constraints).max() < 1e-13
    history = np.array(rows)
    for time, place in PUBLISHED.items():
        row = history[round(time / 0.2 * len(history)) - 1]
        assert row[0] == pytest.approx(time, abs=1e-12)
        places = dict(zip(("x", "y", "z"), place, strict=True))
        found += numbers(f"t = {time} s, mass centre, ", "m", places, row[1:], 1e-7)
    q = sim.outputs()["quaternion"][1]
    q *= np.sign(q @ QUATERNION)  # the same rotation with either sign
    quaternion = dict(zip(("q0", "q1", "q2", "q3"), QUATERNION, strict=True))
    found += numbers("t = 0.2 s, quaternion, ", "", quaternion, q, 1e-7)
    curves = [ours(history[:, 0], history[:, 1 + k], axis) for k, axis in enumerate("xyz")]
    table = np.array(list(PUBLISHED.values()))
    curves += [reference(list(PUBLISHED), table[:, k], "" if k else "reference") for k in range(3)]
    return Solution(found, [Picture("time [s]", "mass centre [m]", curves)])


PROBLEM = Problem(
    name="heavy_top",
    title="Heavy top",
    group="Rigid bodies and constraints",
    source="Bruels, Cardona & Arnold 2012",
    reference="Euler's equations, tolerance 1e-13",
    solve=solve,
)
