"""Derivatives of runs in wind against differences."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.aerodynamics import Momentum, Polar, RotorBlade, RotorLoads, Wind
from fem_mbd.core.rotations import rotation_about
from fem_mbd.elements import Beam, RigidBody, Section
from tests.aerodynamics.test_rotor_loads import LENGTH, SPEED, X, Y, Z, aerodynamics, polar

pytestmark = pytest.mark.slow

AT = {"wind": 9.0, "chord": 1.0, "twist": 0.05, "lift": 1.0, "slow": 4.0}
OF = {"end": "final(hub.angular_velocity[0])", "along": "final(hub.velocity[0])"}
# differences are taken where no station passes from one interval of the polar to the next
STEPS = {"wind": 1e-6, "chord": 1e-5, "twist": 1e-6, "lift": 1e-5, "slow": 2e-3}


def build(v: Mapping[str, float]) -> fm.Simulation:
    """Two blades with dynamic inflow and dynamic stall on a hub that turns and moves freely."""
    model = fm.Model()
    hub = model.add(RigidBody(500.0, 800.0 * np.eye(3), position=(0.0, 0.0, 0.0), name="hub"))
    section = Section(np.diag([1e9, 1e8, 1e8, 2e7, 5e7, 2e8]), 40.0, np.diag([8.0, 4.0, 4.0]))
    plain, own = polar(), aerodynamics()
    airfoil = Polar(plain.alpha, v["lift"] * plain.cl, plain.cd, plain.cm)
    blade = replace(own, chord=v["chord"] * own.chord, twist=own.twist + v["twist"], polars=[airfoil] * 3)
    parts = []
    for k in range(2):
        turn = rotation_about(X, np.pi * k)
        beam = Beam(
            section, hub.node, turn @ (LENGTH * Z), up=turn @ Y, elements=2, order=3, name=f"blade{k}"
        )
        parts.append(RotorBlade(model.add(beam), blade))
    wind = Wind(v["wind"])
    model.add(RotorLoads(parts, hub.node, X, wind, stations=8, induction=Momentum(slow=v["slow"])))
    nodes = {n.index: n for part in parts for n in part.beam.nodes} | {hub.node.index: hub.node}
    model.set_velocity(list(nodes.values()), omega=SPEED * X, about=np.zeros(3))
    return fm.Simulation(model, 0.6, fm.StepControl.fixed(0.03))


def outputs(values: Mapping[str, float]) -> np.ndarray:
    hub = fm.run(build(values), progress=False).of("hub")
    return np.array([hub.angular_velocity[-1, 0], hub.velocity[-1, 0]])


def test_forward_derivatives_are_those_of_differences() -> None:
    found = fm.gradient(build, of=OF, wrt=AT, method="forward")
    for k, (name, step) in enumerate(STEPS.items()):
        high, low = (outputs(AT | {name: AT[name] + side * step}) for side in (1.0, -1.0))
        np.testing.assert_allclose(found.jacobian[:, k], (high - low) / (2.0 * step), rtol=1e-6, atol=1e-10)


def test_adjoint_is_the_forward_derivative() -> None:
    forward, adjoint = (fm.gradient(build, of=OF, wrt=AT, method=m).jacobian for m in ("forward", "adjoint"))
    np.testing.assert_allclose(adjoint, forward, rtol=1e-9, atol=1e-9 * np.abs(forward).max())
