"""Modes beside motions that only a damper resists: bearings with drag, carts on rails, fans, bearings with oil.

The references are roots of the characteristic polynomials, written out.
"""

import warnings
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

import fem_mbd as fm
from fem_mbd.elements import (
    Beam,
    Material,
    PointMass,
    RigidBody,
    RotationalSpringDamper,
    Section,
    SpringDamper,
)
from fem_mbd.joints import LubricatedJournal, Prismatic, Revolute

MASS, STIFFNESS, DAMPING, INERTIA = 10.0, 1e5, 20.0, 0.1  # an oscillator of 100 rad/s, 1 %, and a wheel


def oscillator(model: fm.Model, name: str, y: float, frequency: float, ratio: float) -> None:
    """A mass on a spring along x."""
    mass = model.add(PointMass(MASS, (0, y, 0), name=name))
    model.fix(mass, translation=(False, True, True), rotation=True)
    spring = MASS * frequency**2, 2 * MASS * ratio * frequency
    model.add(SpringDamper(model.ground.at((-1e3, y, 0)), mass, *spring))


def wheel_and_oscillators(drag: float, count: int = 1) -> fm.Model:
    model = fm.Model()
    for k in range(count):
        oscillator(model, f"mass {k}", 5.0 * k, 100.0 * (k + 1), 0.01)
    wheel = model.add(RigidBody(1.0, (INERTIA,) * 3, (0, 1.0, 0), name="wheel"))
    model.add(Revolute(model.ground, wheel, at=(0, 1, 0), axis=(0, 0, 1)))
    model.add(RotationalSpringDamper(model.ground, wheel, (0, 0, 1), 0.0, drag))
    return model


def as_set(values: Any) -> Any:
    return np.sort_complex(np.asarray(values, dtype=complex))


@pytest.mark.parametrize("drag", [1e-9, 1e-6, 2e-4, 1e-2, 1.0, 30.0, 1e3])
def test_oscillator_beside_a_wheel_with_drag(drag: float) -> None:
    root = np.roots([MASS, DAMPING, STIFFNESS])[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = fm.modes(wheel_and_oscillators(drag), 8)
    assert len(found) == 3
    assert as_set(found.eigenvalues) == pytest.approx(as_set([0.0, -drag / INERTIA, root]), rel=1e-8)
    vibration = int(np.argmax(found.eigenvalues.imag))
    assert found.damping_ratios[vibration] == pytest.approx(0.01, rel=1e-8)


def test_twelve_oscillators_beside_a_wheel_with_drag() -> None:
    found = fm.modes(wheel_and_oscillators(1e-2, 12), 14)
    vibrations = found.eigenvalues.imag > 0
    assert found.frequencies_hz[vibrations] * 2 * np.pi == pytest.approx(100.0 * np.arange(1, 13), rel=1e-9)
    assert found.damping_ratios[vibrations] == pytest.approx(0.01, rel=1e-8)


def test_resonance_of_a_reduced_state_space_beside_a_wheel_with_drag() -> None:
    space = fm.state_space(
        wheel_and_oscillators(1e-2), ["mass 0.force[x]"], ["mass 0.displacement[x]"], modes=3
    )
    gain = abs(space.transfer(100j)[0, 0])
    assert gain == pytest.approx(1.0 / (100.0 * DAMPING), rel=1e-8)


def test_cart_with_drag_under_a_pendulum() -> None:
    cart_mass, drag, hinge = 5.0, 0.1, 0.05
    model = fm.Model(gravity=(0, 0, -9.81))
    cart = model.add(RigidBody(cart_mass, (1, 1, 1), (0, 0, 0), name="cart"))
    model.add(Prismatic(model.ground, cart, at=(0, 0, 0), axis=(1, 0, 0)))
    model.add(SpringDamper(model.ground.at((-1e3, 0, 0)), cart, 0.0, drag))
    bob = model.add(RigidBody(1.0, (0.1, 0.1, 0.1), (0, 0, -0.5), name="bob"))
    model.add(Revolute(cart, bob, at=(0, 0, 0), axis=(0, 1, 0)))
    model.add(RotationalSpringDamper(cart, bob, (0, 1, 0), 0.0, hinge))
    m = np.array([[cart_mass + 1.0, -0.5], [-0.5, 0.1 + 0.25]])
    k, d = np.diag([0.0, 9.81 * 0.5]), np.diag([drag, hinge])
    a = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(m, k), -np.linalg.solve(m, d)]])
    exact = [value for value in np.linalg.eigvals(a) if value.imag > -1e-9]
    assert as_set(fm.modes(model, 4).eigenvalues) == pytest.approx(as_set(exact), rel=1e-8, abs=1e-10)


@pytest.mark.parametrize("drag", [1e-2, 1e-4])
def test_frame_with_a_fan(drag: float) -> None:
    model = fm.Model()
    frame = model.add(RigidBody(50.0, (5, 5, 5), (0, 0, 0), name="frame"))
    model.fix(frame, translation=(False, True, True), rotation=True)
    model.add(SpringDamper(model.ground.at((-1, 0, 0)), frame, 2e5, 100.0))
    fan = model.add(RigidBody(5.0, (0.1, 0.1, 0.1), (0, 1, 0), name="fan"))
    model.add(Revolute(frame, fan, at=(0, 1, 0), axis=(0, 0, 1)))
    model.add(RotationalSpringDamper(frame, fan, (0, 0, 1), 0.0, drag))
    exact = [0.0, -drag / 0.1, np.roots([55.0, 100.0, 2e5])[0]]
    assert as_set(fm.modes(model, 4).eigenvalues) == pytest.approx(as_set(exact), rel=1e-8)


@pytest.mark.parametrize("drag", [1e-3, 1e-1])
def test_shaft_with_a_wheel_and_drag_in_its_bearing(drag: float) -> None:
    """The drag adds the decay of the free rotation and changes no vibration of the shaft."""

    def shaft(own: float) -> fm.Modes:
        steel, model = Material(young=210e9, poisson=0.3, density=7850), fm.Model()
        beam = model.add(
            Beam(Section.circle(0.02, steel), (0, 0, 0), (1, 0, 0), up=(0, 0, 1), elements=4, damping=2e-4)
        )
        model.fix(beam.start, rotation=False)
        model.fix(beam.end, translation=(False, True, True), rotation=False)
        model.add(RigidBody(20.0, (2.0, 1.0, 1.0), node=beam.end, name="wheel"))
        if own:
            model.add(RotationalSpringDamper(model.ground, beam.end, (1, 0, 0), 0.0, own))
        return fm.modes(model, 8)

    free, braked = shaft(0.0), shaft(drag)
    polar = 2.0 + 7850.0 * np.pi * 0.02**2 * 0.5 * 0.02**2
    assert braked.eigenvalues[:2] == pytest.approx([0.0, -drag / polar], rel=1e-6)
    assert braked.eigenvalues[2:] == pytest.approx(free.eigenvalues[1:7], rel=1e-7)


def test_journal_on_springs_at_rest() -> None:
    """Of a centred short bearing with half film only squeeze acts: C = pi mu R L^3/(2 c^3)."""
    viscosity, length, radius, clearance = 0.02, 0.02, 0.02, 1e-4
    model = fm.Model()
    rotor = model.add(RigidBody(MASS, (0.1, 0.1, 0.1), (0, 0, 0), name="rotor"))
    model.add(LubricatedJournal(model.ground, rotor, radius, length, clearance, viscosity, axis=(0, 1, 0)))
    for anchor in ((1e3, 0, 0), (0, 0, 1e3)):
        model.add(SpringDamper(model.ground.at(anchor), rotor, STIFFNESS))
    damping = np.pi * viscosity * radius * length**3 / (2 * clearance**3)
    shear = 2 * np.pi * viscosity * radius**3 * length / clearance
    over = np.roots([MASS, damping, STIFFNESS])
    exact = [0.0, -shear / 0.1, *over, *over]
    assert as_set(fm.modes(model, 8).eigenvalues) == pytest.approx(as_set(exact), rel=1e-7)


@pytest.mark.parametrize("ratio", [0.0, 0.3])
def test_journal_off_the_centre_at_rest_is_warned_of(ratio: float) -> None:
    """Half a film bears, that ahead of the velocity: integrals of cos^2 t/(1 -+ eps cos t)^3 over it, (Booker 1965)."""
    clearance = 1e-4
    model = fm.Model()
    rotor = model.add(RigidBody(MASS, (0.1, 0.1, 0.1), (ratio * clearance, 0, 0), name="rotor"))
    model.add(
        LubricatedJournal(model.ground, rotor, 0.02, 0.02, clearance, 0.02, axis=(0, 1, 0), name="film")
    )
    for anchor in ((1e3, 0, 0), (0, 0, 1e3)):
        place = np.array(anchor) + (ratio * clearance, 0, 0)
        model.add(SpringDamper(model.ground.at(place), rotor, STIFFNESS))
    towards, away = (
        quad(lambda t, e=e: np.cos(t) ** 2 / (1 - e * np.cos(t)) ** 3, -np.pi / 2, np.pi / 2)[0]
        for e in (ratio, -ratio)
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fm.modes(model, 8)
    said = [str(one.message) for one in caught]
    if ratio == 0.0:
        assert not said
        return
    mean = 0.5 * (towards + away)
    assert f"'film' at rest depends on the direction: {towards / mean:.3g} of its mean" in said[0]
    assert f"{away / mean:.3g} away from it" in said[0]
