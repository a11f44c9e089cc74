"""Multi-blade coordinates of three to eight blades, against their definition and the frequencies of the blades."""

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.analysis.modal.modes import modes_of
from fem_mbd.analysis.rotors.multiblade import MultiBlade, in_fixed_axes
from fem_mbd.elements import RigidBody, RotationalSpringDamper
from fem_mbd.joints import Revolute

MASS, LENGTH, INERTIA, STIFFNESS, DAMPING, RATE = 3.0, 2.0, 0.4, 900.0, 20.0, 1.7
AXIS = np.array([0.0, 0.0, 1.0])


def rotor(number: int) -> tuple[fm.Model, list[list[fm.Node]], fm.Spin]:
    """Bodies on flap hinges in the axis, each with a torsion spring and damper."""
    model, blades = fm.Model(), []
    for b in range(number):
        angle = 2 * np.pi * b / number + 0.3
        along = np.array([np.cos(angle), np.sin(angle), 0.0])
        body = model.add(RigidBody(MASS, (INERTIA,) * 3, LENGTH * along, name=f"blade {b + 1}"))
        hinge = np.cross(AXIS, along)
        model.add(Revolute(model.ground, body, at=(0, 0, 0), axis=hinge))
        model.add(RotationalSpringDamper(model.ground, body, hinge, STIFFNESS, DAMPING))
        blades.append([body.node])
    return model, blades, fm.Spin((0, 0, 0), AXIS, RATE)


@pytest.mark.parametrize("number", range(3, 9))
def test_rates_are_those_of_the_weights(number: int) -> None:
    """weights' = weights S, by a complex step in the azimuth; the weights are orthogonal at any azimuth."""
    _, nodes, spin = rotor(number)
    blades, psi, step = MultiBlade.of(spin, nodes), 0.7, 1e-30
    weights, rates = blades.weights(psi), blades.rates()
    changed = blades.weights(psi + 1j * step).imag / step  # type: ignore[arg-type]
    assert changed == pytest.approx(weights @ rates, abs=1e-14)
    assert weights.T @ weights == pytest.approx(np.eye(number), abs=1e-14)
    assert np.abs(rates).max() == (number - 1) // 2


@pytest.mark.parametrize("number", range(3, 9))
def test_flap_frequencies_seen_from_the_ground(number: int) -> None:
    """w^2 = (k + Omega^2 m l^2)/(m l^2 + J) and decay c/(2 (m l^2 + J)) in the blade; seen from the ground with h Omega
    more and less for each harmonic h (Johnson, Helicopter Theory, section 8-4), the decay as it is."""
    model, nodes, spin = rotor(number)
    linear = fm.linearise(model, spin=spin)
    found = modes_of(in_fixed_axes(linear, MultiBlade.of(spin, nodes)), number).eigenvalues
    about = MASS * LENGTH**2 + INERTIA
    decay = 0.5 * DAMPING / about
    own = np.sqrt((STIFFNESS + RATE**2 * MASS * LENGTH**2) / about - decay**2)
    pairs = [abs(own + side * h * RATE) for h in range(1, (number - 1) // 2 + 1) for side in (-1, 1)]
    wanted = sorted([own] * (2 - number % 2) + pairs)
    assert np.sort(np.abs(found.imag)) == pytest.approx(np.array(wanted), rel=1e-9)
    assert found.real == pytest.approx(np.full(number, -decay), rel=1e-7)
