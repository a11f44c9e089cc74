"""Modes of what friction holds: stiffness of bristles and bonds, against closed forms and against runs."""

import warnings
from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.analysis.modal.linear_model import OneSidedWarning
from fem_mbd.elements import PointMass, RigidBody
from fem_mbd.friction import Dahl, ElastoPlastic, Linear, LuGre
from fem_mbd.joints import JointFriction, PointOnPlane, Revolute
from tests.friction.library import LAWS
from tests.symmetry.test_symmetry import FRAMES

MASS, GRAVITY, PRESSED = 2.0, 9.81, 1.3e5  # kg, m/s^2, N/m
LOAD = MASS * GRAVITY


def block(law: Any, slope: float = 0.0) -> tuple[fm.Model, Any]:
    model = fm.Model(gravity=(GRAVITY * slope, 0, -GRAVITY))
    mass = model.add(PointMass(MASS, (0, 0, -LOAD / PRESSED), name="block"))
    model.fix(mass, translation=(False, True, False), rotation=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.add(PointOnPlane(model.ground, mass, Linear(PRESSED), law))
    return model, mass


def tangential(model: fm.Model, **options: Any) -> list[complex]:
    """The eigenvalues that are not those of the normal force: one of a vibration, or two real ones."""
    found = fm.modes(model, 4, **options).eigenvalues
    values = [complex(v) for v in found if abs(abs(v) - np.sqrt(PRESSED / MASS)) > 1e-2]
    return sorted(values, key=abs, reverse=True)


@pytest.mark.parametrize("slope", [0.0, 0.1])
@pytest.mark.parametrize("sigma_0", [1e3, 1e4])
def test_block_on_lugre_bristles(sigma_0: float, slope: float) -> None:
    """m x'' + sigma_1 N x' + sigma_0 N x = 0, on an incline that friction holds as well."""
    law = LuGre(sigma_0=sigma_0, sigma_1=2.0, mu_s=0.2, mu_k=0.15, v_s=1e-3)
    model, _ = block(law, slope)
    at = fm.find_equilibrium(model, friction=True) if slope else None
    root = np.roots([MASS, 2.0 * LOAD, sigma_0 * LOAD])[0]
    assert tangential(model, at=at) == [pytest.approx(root, rel=1e-7)]


def crossings(law: Any, steps: int) -> float:
    """rad/s, from two passages of the velocity through zero in a run with amplitudes of 1e-10 m."""
    model, mass = block(law)
    guess = abs(tangential(model)[0])
    model.set_velocity(mass, (1e-7, 0, 0))
    control = fm.StepControl.fixed(2 * np.pi / guess / steps)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = fm.simulate(model, 2 * np.pi / guess * 2.2, control)
    v, t = run.of("block").velocity[:, 0], run.time
    k = np.flatnonzero(np.diff(np.sign(v)))
    zeros = t[k] + (t[k + 1] - t[k]) * v[k] / (v[k] - v[k + 1])
    return float(np.pi * (len(zeros) - 1) / (zeros[-1] - zeros[0])) if len(zeros) > 2 else 0.0


def left_speed(law: Any, time: float) -> float:
    """Speed after a time (s) in a run, over a speed at the start far below that of the law's curve."""
    model, mass = block(law)
    model.set_velocity(mass, (1e-7, 0, 0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = fm.simulate(model, time, fm.StepControl.fixed(time / 400))
    return float(run.of("block").velocity[-1, 0] / 1e-7)


def is_linear_at_rest(law: Any) -> bool:
    """Not so: bristles that have the direction of the present slip, which rest does not have."""
    return getattr(law, "form", "vector") == "vector"


@pytest.mark.parametrize(
    "name", [name for name, law in LAWS.items() if is_linear_at_rest(law) and name != "harnoy friedland"]
)
def test_small_tangential_motions_are_those_of_a_run(name: str) -> None:
    """Every law of the library: damped frequency of a stuck block, or the rate at which friction stops it."""
    law = LAWS[name]
    values = tangential(block(law)[0])
    if not any(value.imag for value in values):
        a, b = (value.real if abs(value) > 1e-6 else 0.0 for value in (*values, 0.0, 0.0)[:2])
        time = 1.0 / abs(a) if a else 1e-2
        exact = (a * np.exp(a * time) - b * np.exp(b * time)) / (a - b) if a else 1.0
        assert left_speed(law, time) == pytest.approx(exact, abs=1e-3)
        return
    coarse, fine = (crossings(law, steps) for steps in (200, 400))
    exact = fine + (fine - coarse)  # laws with a bond at the end of the step are of first order in it
    assert exact == pytest.approx(values[0].imag, rel=1e-3)


def test_dry_friction_that_nothing_holds_is_refused() -> None:
    """Asperities of Harnoy and Friedland's bearing: -mu N to mu N at rest."""
    model, _ = block(LAWS["harnoy friedland"])
    with pytest.raises(fm.InputError, match=r"friction on node 'block.* no derivative at rest"):
        fm.modes(model, 2)


def test_bristles_without_a_direction_are_warned_of() -> None:
    model, _ = block(LuGre(sigma_0=1e4, mu_s=0.2, mu_k=0.15, v_s=1e-3, form="scalar"))
    with pytest.warns(OneSidedWarning, match='direction of the present slip .* give form="vector"'):
        assert abs(fm.modes(model, 1).eigenvalues[0]) < 1e-12


@pytest.mark.parametrize(
    "law", [LuGre(sigma_0=1e5, mu_s=0.2, mu_k=0.15, v_s=1e-3), Dahl(sigma_0=1e5, mu_k=0.2)]
)
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


def leaning(lean: float, law: Any) -> fm.Model:
    """A pendulum that friction in its hinge holds askew: bob at (-L sin phi, 0, -L cos phi)."""
    length = 0.5
    model = fm.Model(gravity=(0, 0, -GRAVITY))
    place = (-length * np.sin(lean), 0, -length * np.cos(lean))
    bob = model.add(RigidBody(MASS, (0.1,) * 3, place, name="bob"))
    friction = JointFriction(law=law, pin_radius=0.05, friction_arm=0.05, bending_reaction_arm=0.1)
    model.add(Revolute(model.ground, bob, at=(0, 0, 0), axis=(0, 1, 0), friction=friction, name="hinge"))
    return model


def test_deflected_bristles_in_a_hinge_feel_its_reaction() -> None:
    """The friction R N mu that holds the pendulum grows with the reaction N = m g + m L sin phi phi'':

    (I + m L^2 - m L^2 sin^2 phi) phi'' + (m g L cos phi + sigma_0 m g R^2) phi = 0, as R mu = L sin phi at rest.
    """
    length, radius, sigma_0 = 0.5, 0.05, 1e3
    model = leaning(0.3, ElastoPlastic(sigma_0, 0.0, 0.0, mu_s=5.0, mu_k=4.0, v_s=1e-2))
    at = fm.find_equilibrium(model, friction=True)
    sine, cosine = np.abs(at.of("bob").position[[0, 2]]) / length
    assert sine > 0.1
    stiffness = LOAD * length * cosine + sigma_0 * LOAD * radius**2
    inertia = 0.1 + MASS * length**2 - MASS * length**2 * sine**2
    space = fm.state_space(model, ["bob.force[x]"], ["bob.displacement[x]", "hinge.force[z]"], at=at)
    for values in (fm.modes(model, 2, at=at).eigenvalues, np.linalg.eigvals(space.A)):
        assert np.abs(values) == pytest.approx(np.sqrt(stiffness / inertia), rel=1e-7)
    # of a slow force P along x the reaction is (P, m g), of length m g: P L cos phi bends the bristles
    assert space.transfer(0)[0, 0].real == pytest.approx((length * cosine) ** 2 / stiffness, rel=1e-7)
    # at the frequency s^2 the bob accelerates: N_z = m z'' with z' = L sin phi phi'
    s = 3.0
    angle = length * cosine / (inertia * s**2 + stiffness)
    assert abs(space.transfer(s)[0, 0]) == pytest.approx(length * cosine * angle, rel=1e-7)
    assert abs(space.transfer(s)[1, 0]) == pytest.approx(MASS * length * sine * s**2 * angle, rel=1e-6)


@pytest.mark.parametrize("damped", [True, False])
@pytest.mark.parametrize("frame", ["um-ug-us", "km-Gg-ks", "small and light"])
def test_the_modes_do_not_depend_on_the_units(damped: bool, frame: str) -> None:
    """m x'' + sigma_1 N x' + sigma_0 N x = 0 of a block that sticks on a slope, LuGre or Dahl, in units of any size."""
    seen, sigma_1 = FRAMES[frame][0], 2.0 if damped else 0.0
    sigma_0, weight = seen.of(1e4, m=-1), seen.of(GRAVITY, m=1, s=-2)
    law: Any = Dahl(sigma_0=sigma_0, mu_k=0.2)
    if damped:
        damping, speed = seen.of(sigma_1, m=-1, s=1), seen.of(1e-3, m=1, s=-1)
        law = LuGre(sigma_0=sigma_0, sigma_1=damping, mu_s=0.2, mu_k=0.15, v_s=speed)
    model = fm.Model(gravity=(0.05 * weight, 0, -weight))
    mass = model.add(PointMass(seen.of(MASS, kg=1), (0, 0, seen.of(-LOAD / PRESSED, m=1)), name="block"))
    model.fix(mass, translation=(False, True, False), rotation=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.add(PointOnPlane(model.ground, mass, Linear(seen.of(PRESSED, kg=1, s=-2)), law))
    found = fm.modes(model, 4, at=fm.find_equilibrium(model, friction=True)).eigenvalues * seen.of(1.0, s=1)
    values = [complex(v) for v in found if abs(abs(v) - np.sqrt(PRESSED / MASS)) > 1e-2]
    root = np.roots([MASS, sigma_1 * LOAD, 1e4 * LOAD])[0]
    assert values == [pytest.approx(root, rel=1e-6)]
