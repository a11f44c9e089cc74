"""Modes of what friction holds: stiffness of bristles and bonds, against closed forms and against runs."""

import warnings
from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.elements import PointMass, RigidBody
from fem_mbd.friction import Dahl, Linear, LuGre
from fem_mbd.joints import JointFriction, PointOnPlane, Revolute
from tests.friction.library import LAWS

MASS, GRAVITY, PRESSED = 2.0, 9.81, 1e5  # kg, m/s^2, N/m
LOAD = MASS * GRAVITY


def block(law: Any, slope: float = 0.0) -> tuple[fm.Model, Any]:
    model = fm.Model(gravity=(GRAVITY * slope, 0, -GRAVITY))
    mass = model.add(PointMass(MASS, (0, 0, -LOAD / PRESSED), name="block"))
    model.fix(mass, translation=(False, True, False), rotation=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.add(PointOnPlane(model.ground, mass, Linear(PRESSED), law))
    return model, mass


def tangential(model: fm.Model, **options: Any) -> complex:
    """The eigenvalue that is not that of the normal force."""
    values = [v for v in fm.modes(model, 4, **options).eigenvalues if abs(abs(v) - np.sqrt(PRESSED / MASS)) > 1e-2]
    return complex(max(values, key=abs))


@pytest.mark.parametrize("slope", [0.0, 0.1])
@pytest.mark.parametrize("sigma_0", [1e3, 1e4])
def test_block_on_lugre_bristles(sigma_0: float, slope: float) -> None:
    """m x'' + sigma_1 N x' + sigma_0 N x = 0, on an incline that friction holds as well."""
    law = LuGre(sigma_0=sigma_0, sigma_1=2.0, mu_s=0.2, mu_k=0.15, v_s=1e-3)
    model, _ = block(law, slope)
    at = fm.find_equilibrium(model, friction=True) if slope else None
    root = np.roots([MASS, 2.0 * LOAD, sigma_0 * LOAD])[0]
    assert tangential(model, at=at) == pytest.approx(root, rel=1e-7)


def crossings(law: Any, steps: int) -> float:
    """rad/s, from two passages of the velocity through zero in a run with amplitudes of 1e-10 m."""
    model, mass = block(law)
    guess = abs(tangential(model))
    model.set_velocity(mass, (1e-7, 0, 0))
    control = fm.StepControl.fixed(2 * np.pi / guess / steps)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = fm.simulate(model, 2 * np.pi / guess * 2.2, control)
    v, t = run.of("block").velocity[:, 0], run.time
    k = np.flatnonzero(np.diff(np.sign(v)))
    zeros = t[k] + (t[k + 1] - t[k]) * v[k] / (v[k] - v[k + 1])
    return float(np.pi * (len(zeros) - 1) / (zeros[-1] - zeros[0])) if len(zeros) > 2 else 0.0


@pytest.mark.parametrize("name", list(LAWS))
def test_frequency_of_a_stuck_block_is_that_of_a_run(name: str) -> None:
    """Every law of the library: damped frequency of small tangential motions; a law without bristles has none."""
    law = LAWS[name]
    value = tangential(block(law)[0])
    if abs(value.imag) < 0.1 * abs(value):
        pytest.skip("over-damped, or without stiffness at rest")
    coarse, fine = (crossings(law, steps) for steps in (200, 400))
    exact = fine + (fine - coarse)  # laws with a bond at the end of the step are of first order in it
    assert exact == pytest.approx(abs(value.imag), rel=1e-3)


@pytest.mark.parametrize("law", [LuGre(sigma_0=1e5, mu_s=0.2, mu_k=0.15, v_s=1e-3), Dahl(sigma_0=1e5, mu_k=0.2)])
def test_pendulum_with_friction_in_its_hinge(law: Any) -> None:
    """I phi'' + (m g L + sigma_0 N R^2) phi = 0 with N = m g and pin radius R; static gain L/(that stiffness)."""
    length, radius, inertia = 0.5, 0.01, 0.1
    model = fm.Model(gravity=(0, 0, -GRAVITY))
    bob = model.add(RigidBody(MASS, (inertia,) * 3, (0, 0, -length), name="bob"))
    friction = JointFriction(law=law, pin_radius=radius, friction_arm=radius, bending_reaction_arm=0.1)
    model.add(Revolute(model.ground, bob, at=(0, 0, 0), axis=(0, 1, 0), friction=friction, name="hinge"))
    stiffness = LOAD * length + 1e5 * LOAD * radius**2
    exact = np.sqrt(stiffness / (inertia + MASS * length**2))
    assert abs(fm.modes(model, 2).eigenvalues[0]) == pytest.approx(exact, rel=1e-7)
    space = fm.state_space(model, ["bob.force[x]"], ["bob.displacement[x]"])
    assert space.transfer(0)[0, 0].real == pytest.approx(length**2 / stiffness, rel=1e-7)
