"""Tests of Floquet multipliers against Hill's equation and exponents of systems with constant coefficients."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import fem_mbd as fm
from fem_mbd.core.model.time_functions import Harmonic
from fem_mbd.elements import Beam, Material, RigidBody, Section
from fem_mbd.errors import InputError
from fem_mbd.joints import Clamp, DrivenRevolute, Revolute, Spherical

G = 9.81
MASS, ARM, INERTIA = 2.0, 0.5, 0.1


def shaken(amplitude: float, frequency: float) -> fm.Model:
    """A pendulum whose pivot oscillates vertically by amplitude (cos(frequency t) - 1)."""
    model = fm.Model(gravity=(0, 0, -G))
    pivot = model.node((0, 0, 0), name="pivot")
    wave = Harmonic(amplitude, frequency, phase=np.pi / 2) - amplitude
    model.add(fm.PrescribedMotion(pivot, displacement=np.array([0.0, 0.0, 1.0]) * wave))
    body = model.add(RigidBody(MASS, (INERTIA,) * 3, position=(0, 0, -ARM)))
    model.add(Revolute(pivot, body.node, at=(0, 0, 0), axis=(0, 1, 0)))
    return model


def hill(amplitude: float, frequency: float) -> np.ndarray:
    """Multipliers of J theta'' + m l (g - a w^2 cos w t) theta = 0 by integration to 1e-12."""
    inertia = INERTIA + MASS * ARM**2

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        pull = MASS * ARM * (G - amplitude * frequency**2 * np.cos(frequency * t)) / inertia
        return np.array([y[1], -pull * y[0]])

    period = 2 * np.pi / frequency
    columns = [solve_ivp(rate, (0, period), e, rtol=1e-12, atol=1e-14).y[:, -1] for e in np.eye(2)]
    return np.linalg.eigvals(np.array(columns).T)


@pytest.mark.parametrize(("amplitude", "ratio"), [(0.05, 2.0), (0.05, 1.3), (0.0, 1.7)])
def test_pendulum_on_a_shaken_pivot(amplitude: float, ratio: float) -> None:
    """Unstable when driven at twice its frequency (Mathieu), stable elsewhere; without excitation a pendulum."""
    natural = np.sqrt(MASS * G * ARM / (INERTIA + MASS * ARM**2))
    frequency = ratio * natural
    found = fm.floquet(shaken(amplitude, frequency), 2 * np.pi / frequency, steps=100)
    expected = hill(amplitude, frequency)
    ours, reference = (v[np.lexsort((v.imag, np.abs(v).round(6)))] for v in (found.multipliers, expected))
    assert ours == pytest.approx(reference, abs=2e-5)
    assert found.stable == (ratio != 2.0 or amplitude == 0.0)
    assert np.prod(found.multipliers).real == pytest.approx(1.0, abs=2e-5)  # Liouville


def test_third_order() -> None:
    natural = np.sqrt(MASS * G * ARM / (INERTIA + MASS * ARM**2))
    largest = np.abs(hill(0.05, 2 * natural)).max()
    errors = [
        abs(abs(fm.floquet(shaken(0.05, 2 * natural), np.pi / natural, steps=n).multipliers[0]) - largest)
        for n in (20, 40)
    ]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(3.0, abs=0.3)


def test_hanging_top() -> None:
    """A top spinning below its pivot: J l^2 - i Jp Omega l + m g c = 0, by the rotor's modes and by multipliers."""
    spin, polar, across = 8.0, 0.15, INERTIA + MASS * ARM**2
    model = fm.Model(gravity=(0, 0, -G))
    body = model.add(RigidBody(MASS, (INERTIA, INERTIA, polar), position=(0, 0, -ARM)))
    model.add(Spherical(model.ground, body.node, at=(0, 0, 0)))
    whirl = np.roots([across, -1j * polar * spin, MASS * G * ARM])
    modes = fm.campbell(model, [spin], axis=(0, 0, 1), frame="inertial", number=3)
    found = np.sort(np.abs(modes.eigenvalues[0].imag))
    assert found == pytest.approx(np.sort([0.0, *np.abs(whirl.imag)]), rel=1e-9)
    model.set_velocity(body.node, omega=(0, 0, spin))
    period = 2 * np.pi / spin
    result = fm.floquet(model, period, steps=100)
    for exponent in [*whirl, *whirl.conj()]:
        assert np.abs(result.multipliers - np.exp(exponent * period)).min() < 2e-5
    neutral = np.sort(np.abs(result.multipliers - 1))[:2]  # rotation, and faster spin
    assert np.all(neutral < 1e-3)


def test_a_motion_that_does_not_come_back() -> None:
    model = fm.Model(gravity=(0, 0, -G), name="falling")
    model.add(RigidBody(1.0, (1, 1, 1), position=(0, 0, 0)))
    with pytest.raises(fm.InputError, match=r"'falling' is not periodic.*displacement"):
        fm.floquet(model, 1.0, steps=5)
    with pytest.raises(fm.InputError, match="steps"):
        fm.floquet(model, 1.0, steps=1)


SPEED = 30.0


def two_blades(elements: int) -> fm.Model:
    """Flexible blades on a hub driven at `SPEED`."""
    model = fm.Model(name="two blades")
    aluminium = Material(young=70e9, poisson=0.33, density=2700)
    section = Section.rectangle(width=0.08, height=0.02, material=aluminium)
    hub = model.add(RigidBody(5.0, (0.1, 0.1, 0.2), position=(0, 0, 0)))
    model.add(DrivenRevolute(model.ground, hub.node, at=(0, 0, 0), axis=(0, 0, 1), speed=SPEED))
    for side in (1.0, -1.0):
        blade = model.add(
            Beam(section, (0.1 * side, 0, 0), (2 * side, 0, 0), up=(0, 0, 1), elements=elements, damping=2e-4)
        )
        model.add(Clamp(hub.node, blade.start, at=(0.1 * side, 0, 0)))
    return model


def test_largest_multipliers_of_a_large_model_without_its_matrix() -> None:
    """With constant coefficients in the rotating frame: multipliers are exp(lambda T) of its modes.

    They come in pairs, with the blades moving in phase and in opposition; the lowest is out of the plane of rotation.
    """
    model, spin = two_blades(3), fm.Spin((0, 0, 0), (0, 0, 1), SPEED)
    period = 2 * np.pi / SPEED
    expected = np.exp(fm.modes(model, 4, spin=spin).eigenvalues * period)
    start = fm.find_equilibrium(model, spin=spin).state
    found = fm.floquet(two_blades(3), period, steps=150, at=start, number=8)
    assert found.monodromy is None and found.runs < 80  # all would take 433
    pairs = np.concatenate([expected, expected.conj()])
    for some, others in ((found.multipliers, pairs), (pairs, found.multipliers)):
        assert max(np.abs(others - one).min() for one in some) < 2e-3


def test_more_multipliers_than_there_are_are_all_of_them() -> None:
    natural = np.sqrt(MASS * G * ARM / (INERTIA + MASS * ARM**2))
    found = fm.floquet(shaken(0.05, 2 * natural), np.pi / natural, steps=50, number=6)
    assert len(found.multipliers) == 2 and found.monodromy is not None
    with pytest.raises(InputError, match="floquet: number is 0"):
        fm.floquet(shaken(0.05, 2 * natural), np.pi / natural, steps=50, number=0)
