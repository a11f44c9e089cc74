"""Momentum theory alone: Ingram's rotor and a propeller (references of CCBlade), Oye's inflow against its closed
form.
"""

from pathlib import Path

import numpy as np
import pytest

from fem_mbd import InputError
from fem_mbd.aerodynamics import momentum, stall
from fem_mbd.aerodynamics.blade import Polar
from fem_mbd.aerodynamics.momentum import Momentum, NoInduction
from fem_mbd.aerodynamics.rigid_rotor import RigidRotor
from tests.core.scheme_tools import order

DATA = Path(__file__).parent / "data"
WITHOUT_LOSS = Momentum(relation="glauert", tip_loss=False)


def test_ingram() -> None:
    """Ingram 2011, Wind turbine blade analysis using the blade element momentum method: converged values, radii 1
    to 5 m.
    """
    alpha = np.linspace(-180.0, 180.0, 361)
    polar = Polar(alpha, 0.084 * np.clip(alpha, -40.0, 40.0), 0.0 * alpha)
    r = np.arange(1.0, 6.0)
    gamma = [74.31002131, 84.89805553, 89.07195504, 91.25038415, 92.58003871]
    chord = [0.706025153, 0.436187551, 0.304517933, 0.232257636, 0.187279622]
    rotor = RigidRotor(
        r, chord, np.radians(90.0 - np.array(gamma)), [polar] * 5, 3, 5.0, induction=WITHOUT_LOSS
    )
    found = rotor.at(7.0, 8.0 * 7.0 / 5.0)
    np.testing.assert_allclose(found["a"], [0.2443, 0.2497, 0.2533, 0.2556, 0.25725], atol=1e-4)
    np.testing.assert_allclose(found["a_prime"], [0.0676, 0.0180, 0.0081, 0.0046, 0.0030], atol=1e-4)


def test_propeller() -> None:
    """CCBlade.jl, test/runtests.jl: two blades, 2100 rpm, sums over 11 radii; a propeller is a turbine upside down."""
    radius, blades = 0.8, 2
    r = np.linspace(radius / 10.0, radius, 11)
    alpha = np.union1d(np.linspace(-180.0, 180.0, 73), np.linspace(-45.0, 45.0, 9001))
    cl = 6.2 * np.clip(np.radians(-alpha), -0.8, 0.8)
    polar = Polar(alpha, -cl, 0.008 - 0.003 * cl + 0.01 * cl * cl)
    rotor = RigidRotor(
        r, 0.1 + 0 * r, np.arctan(1.0 / (2 * np.pi * r)), [polar] * 11, blades, radius, induction=WITHOUT_LOSS
    )
    table = np.loadtxt(DATA / "propeller.csv", delimiter=",", skiprows=3)
    assert len(table) == 39
    for speed, thrust, torque in table:
        found = rotor.at(speed, 2100.0 * np.pi / 30.0)
        dr = r[1] - r[0]
        assert -blades * dr * found["axial"].sum() == pytest.approx(thrust, abs=1e-4 * table[0, 1])
        assert -blades * dr * (r @ found["driving"]) == pytest.approx(torque, abs=1e-4 * table[0, 2])


@pytest.mark.parametrize("relation", ["hawc2", "glauert"])
def test_induction_is_continuous_and_inverts_momentum_theory(relation: str) -> None:
    number = {"hawc2": momentum.HAWC2, "glauert": momentum.GLAUERT}[relation]
    ct = np.linspace(-2.0, 3.0, 2001)
    a = np.array([momentum.axial.in_python(number, c, 1.0, 1.0) for c in ct])
    assert np.abs(np.diff(a)).max() < 6 * (ct[1] - ct[0])
    assert np.all(np.diff(a) > 0.0)
    low = np.abs(ct) < 0.3
    np.testing.assert_allclose(
        4 * a[low] * (1 - a[low]), ct[low], atol=0.06 if relation == "hawc2" else 1e-12
    )
    if relation == "hawc2":
        odd = [momentum.axial.in_python(number, -c, 1.0, 1.0) for c in ct]
        np.testing.assert_allclose(odd, -a, atol=1e-12)


def test_prandtl() -> None:
    """F = 2/pi arccos(exp(-B (R - r)/(2 r sin phi))), Glauert 1935."""
    f = 1.5 * (50.0 - 45.0) / (45.0 * 0.1)
    expected = 2 / np.pi * np.arccos(np.exp(-f))
    assert momentum.prandtl.in_python(3.0, 45.0, 50.0, 0.0, 0.1) == pytest.approx(expected, rel=1e-14)
    assert momentum.prandtl.in_python(3.0, 45.0, 0.0, 0.0, 0.1) == 1.0


def inflow(steps: int, end: float, tau: tuple[float, float], quasi: tuple[float, float]) -> float:
    """W at the end after a step of the quasi-steady induction from the first value to the second."""
    dt, w, y = end / steps, quasi[0], (1 - momentum.MIX) * quasi[0]
    for _ in range(steps):
        first, second = (stall.decay.in_python(dt / each) for each in tau)
        _, y, w = momentum.inflow.in_python(quasi[1], y, w, first, second)
    return w


def test_oye_inflow_after_a_step() -> None:
    """The closed form of the two filters after a step: the second one follows a varying input, of second order."""
    (tau1, tau2), (before, after), k = (8.0, 2.5), (3.0, 1.0), 0.6
    t, d = 4.0, before - after
    share = (1 - k) * tau1 / (tau1 - tau2)
    exact = after + d * (share * np.exp(-t / tau1) + (1 - share) * np.exp(-t / tau2))
    counts = [10, 20, 40, 80]
    errors = [abs(inflow(n, t, (tau1, tau2), (before, after)) - exact) for n in counts]
    assert errors[0] < 0.02 * d
    assert order(errors, [1 / n for n in counts]) == pytest.approx(2.0, abs=0.2)


def test_without_induction() -> None:
    alpha = np.linspace(-180.0, 180.0, 361)
    polar = Polar(alpha, 2 * np.pi * np.sin(np.radians(alpha)), 0.01 + 0 * alpha)
    rotor = RigidRotor([10.0], [1.0], [0.1], [polar], 3, 12.0, induction=NoInduction())
    found = rotor.at(8.0, 2.0)
    phi = np.arctan2(8.0, 20.0)
    size = 0.5 * 1.225 * (8.0**2 + 20.0**2)
    cl, cd = np.interp(np.degrees(phi - 0.1), alpha, polar.cl), 0.01
    assert found["axial"][0] == pytest.approx(size * (cl * np.cos(phi) + cd * np.sin(phi)), rel=1e-12)
    assert found["driving"][0] == pytest.approx(size * (cl * np.sin(phi) - cd * np.cos(phi)), rel=1e-12)


def test_bad_input() -> None:
    with pytest.raises(InputError, match="relation is 'mine'"):
        Momentum(relation="mine")  # type: ignore[arg-type]
    alpha = np.linspace(-180.0, 180.0, 37)
    polar = Polar(alpha, 0 * alpha, 0 * alpha)
    with pytest.raises(InputError, match="2 chords"):
        RigidRotor([1.0, 2.0], [1.0], [0.0, 0.0], [polar] * 2, 3, 5.0).at(8.0, 1.0)
    with pytest.raises(InputError, match="wind"):
        RigidRotor([1.0], [1.0], [0.0], [polar], 3, 5.0).at(-8.0, 1.0)
