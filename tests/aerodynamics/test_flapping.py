"""Coning and flapping of centrally hinged rigid blades in forward flight, reverse flow switched off.

Of an untwisted blade with lift a v_x v_y (Johnson 1980, Helicopter Theory, 5-12; Bramwell 2001, chapter 3):

    beta'' + g (1 + 4/3 mu sin) beta' + (1 + g (4/3 mu cos + mu^2 sin 2)) beta
        = g (theta (1 + 8/3 mu sin + 2 mu^2 sin^2) - lambda (4/3 + 2 mu sin)),    g = gamma/8, sin = sin psi

Balanced with the first harmonics only it has Bramwell's closed forms. Second harmonics change b_1 by some hundredths at
mu = 0.3: the rotor is compared with the balance of ten harmonics, and the balance of one with the closed forms.
"""

import numpy as np
import pytest

from fem_mbd.aerodynamics import NoInduction, Wind
from fem_mbd.base.arrays import Array
from tests.aerodynamics.hinged_rotor import LOCK, blade_aerodynamics, hinged_rotor
from tests.aerodynamics.test_inflow import TIP, flown

PITCH, INFLOW = 0.02, 0.005


def balance(mu: float, harmonics: int, lock: float = LOCK) -> Array:
    """a_0, a_1, b_1 of beta = a_0 - a_1 cos - b_1 sin ..., from the equation's harmonics."""
    g, n = lock / 8, 2 * harmonics + 1
    psi = 2 * np.pi * np.arange(64) / 64
    sine, cosine = np.sin(psi), np.cos(psi)
    m = np.arange(1, harmonics + 1)[:, None]
    shapes = np.concatenate([np.ones((1, 64)), np.cos(m * psi), np.sin(m * psi)])
    first = np.concatenate([np.zeros((1, 64)), -m * np.sin(m * psi), m * np.cos(m * psi)])
    second = np.concatenate([np.zeros((1, 64)), -(m**2) * np.cos(m * psi), -(m**2) * np.sin(m * psi)])
    stiffness = 1 + g * (4 / 3 * mu * cosine + mu**2 * np.sin(2 * psi))
    each = second + g * (1 + 4 / 3 * mu * sine) * first + stiffness * shapes
    load = g * (PITCH * (1 + 8 / 3 * mu * sine + 2 * (mu * sine) ** 2) - INFLOW * (4 / 3 + 2 * mu * sine))
    found = np.linalg.solve(shapes @ each.T, shapes @ load)
    assert len(found) == n
    return np.array([found[0], -found[1], -found[1 + harmonics]])


@pytest.mark.parametrize("mu", [0.0, 0.1, 0.2, 0.3])
def test_one_harmonic_gives_the_closed_forms(mu: float) -> None:
    a_0 = LOCK / 8 * (PITCH * (1 + mu**2) - 4 * INFLOW / 3)
    a_1 = 2 * mu * (4 * PITCH / 3 - INFLOW) / (1 - mu**2 / 2)
    b_1 = 4 / 3 * mu * a_0 / (1 + mu**2 / 2)
    np.testing.assert_allclose(balance(mu, 1), [a_0, a_1, b_1], rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("mu", [0.0, 0.15, 0.3])
def test_flapping_in_forward_flight(mu: float) -> None:
    air = Wind(TIP * np.hypot(mu, INFLOW), inclination=-np.degrees(np.arctan2(INFLOW, mu)))
    model = hinged_rotor(air, blade_aerodynamics(PITCH), induction=NoInduction(), mean_loads=True, blades=2)
    _, rates = flown(model, 7.0, 240)
    np.testing.assert_allclose(rates[6:], balance(mu, 10), rtol=2e-3, atol=1e-6)
