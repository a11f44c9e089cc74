"""Generators: torque over speed against closed forms, tangent, energy balance, bad input.

A rotor of inertia I under a steady torque Q and the braking torque k Omega^2 accelerates to Omega_0 = sqrt(Q/k):

    I Omega' = Q - k Omega^2        Omega = Omega_0 tanh(t k Omega_0 / I)        from rest
"""

from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.elements import Generator, JointTorque, QuadraticTorque, RigidBody, TorqueTable
from fem_mbd.joints import Revolute
from tests.core.scheme_tools import random_step, tangent_error
from tests.refusals import refused

INERTIA, DRIVE, FACTOR = 3.0, 50.0, 2.0
FINAL = float(np.sqrt(DRIVE / FACTOR))


def rotor(law: Any, drive: float = DRIVE) -> fm.Model:
    model = fm.Model()
    wheel = model.add(RigidBody(1.0, (INERTIA, INERTIA, INERTIA), position=(0, 0, 0), name="wheel"))
    model.add(Revolute(model.ground, wheel.node, at=(0, 0, 0), axis=(0, 0, 1), name="bearing"))
    model.add(JointTorque(model.ground, wheel.node, (0, 0, 1), drive))
    model.add(Generator(model.ground, wheel.node, (0, 0, 1), law))
    return model


def test_run_up_against_a_quadratic_law() -> None:
    result = fm.run(fm.Simulation(rotor(QuadraticTorque(FACTOR)), 1.0, fm.StepControl.fixed(0.01)))
    speed = np.asarray(result.of("wheel").angular_velocity)[:, 2]
    wanted = FINAL * np.tanh(result.output_time * FACTOR * FINAL / INERTIA)
    assert speed == pytest.approx(wanted, abs=1e-4 * FINAL)
    assert speed[-1] == pytest.approx(FINAL, rel=3e-3)
    generator, energy = result.of("generator"), result.summary["energy"]
    assert generator.torque == pytest.approx(FACTOR * generator.speed**2, rel=1e-12)
    assert generator.power[-1] == pytest.approx(DRIVE * FINAL, rel=1e-2)
    assert abs(energy["relative"]) < 1e-12
    # work of the drive minus work of the generator is the wheel's energy
    assert energy["totals"]["work_loads"] == pytest.approx(0.5 * INERTIA * speed[-1] ** 2, rel=1e-10)


def test_steady_speed_of_a_table() -> None:
    """Torque 10 at 4 rad/s, 90 at 8 rad/s: 50 N m at 6 rad/s; nearer by exp(-20/3 t)."""
    law = TorqueTable([0.0, 4.0, 8.0], [0.0, 10.0, 90.0])
    result = fm.run(fm.Simulation(rotor(law), 3.0, fm.StepControl.fixed(0.02)))
    assert result.of("wheel").angular_velocity[-1, 2] == pytest.approx(6.0, rel=1e-5)
    assert law(-1.0) == (0.0, 0.0) and law(9.0) == (90.0, 0.0) and law(5.0) == (30.0, 20.0)


def test_damping_of_a_linear_law_in_modes() -> None:
    """T = c Omega: the rotor's motion dies with c/I."""
    found = fm.modes(rotor(TorqueTable([-10.0, 10.0], [-60.0, 60.0]), drive=0.0), 2)
    assert found.eigenvalues.real.min() == pytest.approx(-6.0 / INERTIA, rel=1e-6)


@pytest.mark.parametrize("law", [QuadraticTorque(FACTOR), TorqueTable([-9.0, 0.0, 9.0], [-3.0, 1.0, 20.0])])
@pytest.mark.parametrize("seed", range(4))
def test_tangent(law: Any, seed: int) -> None:
    """Of both senses of the rotation."""
    sim, y = random_step(rotor(law), 0.1, 0.3, seed)
    assert tangent_error(sim, y) < 1e-6


@pytest.mark.parametrize("law", [QuadraticTorque(FACTOR), TorqueTable([-9.0, 0.0, 9.0], [-3.0, 1.0, 20.0])])
@pytest.mark.parametrize("speed", [-4.0, -0.7, 0.9, 5.0])
def test_the_derivative_of_a_law_is_that_of_its_torque(law: Any, speed: float) -> None:
    step = 1e-5
    slope = (law(speed + step)[0] - law(speed - step)[0]) / (2 * step)
    assert law(speed)[1] == pytest.approx(slope, rel=1e-8, abs=1e-8)


@pytest.mark.parametrize(
    ("law", "says"),
    [
        (lambda speed: 3.0, "torque and its derivative"),
        (lambda speed: (np.nan, 0.0), "torque and its derivative"),
        (lambda: 3.0, "its law fails at speed 0"),
    ],
)
def test_laws_that_are_none(law: Any, says: str) -> None:
    refused(says, rotor, law)


def test_bad_tables_and_factors() -> None:
    refused(r"speeds \(rad/s\) have to ascend", TorqueTable, [1.0, 1.0], [0.0, 1.0])
    refused(r"torques \(N m\)", TorqueTable, [1.0, 2.0], [0.0])
    refused("factor", QuadraticTorque, 0.0)
