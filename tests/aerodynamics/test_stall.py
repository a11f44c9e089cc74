"""Dynamic stall against loops of OpenFAST's driver, its limits, and long steps."""

from pathlib import Path

import numpy as np
import pytest

from fem_mbd.aerodynamics import stall
from fem_mbd.aerodynamics.blade import Polar
from fem_mbd.aerodynamics.files import read_aerodyn_polar
from fem_mbd.base.arrays import Array

DATA = Path(__file__).parent / "data"
CHORD, SPEED, SOUND = 2.0, 60.0, 340.0
MODELS = {"ua4": stall.HGM, "ua6": stall.OYE}
# mean and amplitude in deg, Hz; largest and smallest lift of the loops
LOOPS = {
    "ua4_m5_a3_f0.955": (1.2888, 0.6486),
    "ua4_m14_a5_f0.955": (2.0315, 1.4509),
    "ua6_m5_a3_f0.955": (1.3175, 0.6142),
    "ua6_m14_a5_f0.955": (1.9696, 1.4097),
}


def polar() -> Polar:
    return read_aerodyn_polar(DATA / "IEA-22-280-RWT_AeroDyn15_Polar_55.dat")


def pitching(
    airfoil: Polar, model: int, mean: float, amplitude: float, frequency: float, steps: int
) -> Array:
    """(steps, 2) time and lift of the sixth cycle; times are the middles of the steps."""
    angles = np.radians(airfoil.alpha)
    table, omega = airfoil.on(angles), 2 * np.pi * frequency
    dt, states = 1.0 / frequency / steps, np.zeros(stall.STATES)
    stall.steady_states.in_python(model, table, angles, np.radians(mean), states)
    found, after = [], np.zeros(stall.STATES)
    for k in range(6 * steps):
        t = (k + 0.5) * dt
        rate = np.radians(amplitude) * omega * np.cos(omega * t)
        # the driver pitches about mid-chord: 3/4 chord lies a quarter behind it
        alpha = np.radians(mean + amplitude * np.sin(omega * t)) + 0.5 * CHORD * rate / SPEED
        flow = (alpha, rate, SPEED, CHORD, SOUND)
        cl, _, _ = stall.coefficients.in_python(model, table, angles, flow, dt, states, after)
        states[:] = after
        found.append((t, cl))
    return np.array(found[5 * steps :])


@pytest.mark.parametrize("name", LOOPS)
def test_loops(name: str) -> None:
    reference = np.loadtxt(DATA / f"{name}.csv", delimiter=",", skiprows=1)
    kind, mean, amplitude, frequency = name.split("_")
    found = pitching(polar(), MODELS[kind], float(mean[1:]), float(amplitude[1:]), float(frequency[1:]), 180)
    largest, smallest = LOOPS[name]
    assert found[:, 1].max() == pytest.approx(largest, abs=0.01 * largest)
    assert found[:, 1].min() == pytest.approx(smallest, abs=0.01 * largest)
    ours = np.interp(reference[:, 0], *found.T)
    assert np.sqrt(np.mean((ours - reference[:, 2]) ** 2)) < 0.02 * largest


@pytest.mark.parametrize("model", [stall.OYE, stall.HGM])
def test_long_steps_are_stable_and_end_in_the_polar(model: int) -> None:
    airfoil = polar()
    angles = np.radians(airfoil.alpha)
    table = airfoil.on(angles)
    for degrees in (-20.0, 3.0, 12.0, 18.0, 30.0):
        alpha = np.radians(degrees)
        static = stall.static_coefficients.in_python(table, angles, alpha, (0, 0.0))
        states, after = np.zeros(stall.STATES), np.zeros(stall.STATES)
        for _ in range(20):  # 0.1 s is six times c/(2U)
            cl, _, _ = stall.coefficients.in_python(
                model, table, angles, (alpha, 0.0, SPEED, CHORD, SOUND), 0.1, states, after
            )
            states[:] = after
            assert abs(cl) < 3.0
        forever = stall.coefficients.in_python(
            model, table, angles, (alpha, 0.0, SPEED, CHORD, SOUND), 2.0**60, 0 * states, after
        )
        # cl_fs and f are linear between the polar's points, their product is not
        np.testing.assert_allclose(forever, static, atol=2e-3)
        expected = np.zeros(stall.STATES)
        stall.steady_states.in_python(model, table, angles, alpha, expected)
        np.testing.assert_allclose(after, expected, atol=1e-12)


def test_steady_beyond_deep_stall() -> None:
    airfoil = polar()
    angles = np.radians(airfoil.alpha)
    table = airfoil.on(angles)
    for degrees in (-170.0, -90.0, 75.0, 179.9):
        flow = (np.radians(degrees), 0.5, SPEED, CHORD, SOUND)
        states, after = np.array([0.1, 0.1, 0.1, 0.5]), np.zeros(4)
        found = stall.coefficients.in_python(stall.HGM, table, angles, flow, 0.01, states, after)
        np.testing.assert_allclose(
            found, stall.static_coefficients.in_python(table, angles, flow[0], (0, 0.0)), atol=1e-14
        )


def test_cylinder_does_not_stall() -> None:
    alpha = np.linspace(-180.0, 180.0, 37)
    cylinder = Polar(alpha, 0 * alpha, 0.6 + 0 * alpha)
    assert cylinder.slope == 0.0
    table, after = cylinder.on(np.radians(alpha)), np.zeros(4)
    found = stall.coefficients.in_python(
        stall.HGM, table, np.radians(alpha), (0.3, 1.0, 10.0, 5.0, SOUND), 0.05, np.zeros(4), after
    )
    assert found == pytest.approx((0.0, 0.6, 0.0))
