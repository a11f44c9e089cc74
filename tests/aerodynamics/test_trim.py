"""Trim: targets are reached, controls of closed forms, settled runs, sensitivities, failures, bad input."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd import DragArea, FreeFlight, InputError, TrimFailure
from fem_mbd.aerodynamics import NoInduction, PittPeters, UniformInflow, Wind
from fem_mbd.base.arrays import Array
from tests.aerodynamics.hinged_rotor import LOCK, SPEED, blade_aerodynamics, hinged_rotor
from tests.aerodynamics.test_inflow import AREA, DENSITY, LIFT, TIP, flown

ADVANCE, THROUGH, STEPS = 0.2, 0.01, 60
CONTROLS = {"collective": 0.06, "lateral": 0.01, "longitudinal": -0.02}
FLAT = {"thrust": 3000.0, "longitudinal_flapping": 0.0, "lateral_flapping": 0.0}


def rotor(v: Mapping[str, float], **options: Any) -> fm.Model:
    """A hinged rotor in a wind tunnel, with cyclic pitch theta_c cos + theta_s sin."""
    air = Wind(TIP * np.hypot(ADVANCE, THROUGH), inclination=-np.degrees(np.arctan2(THROUGH, ADVANCE)))
    blade = blade_aerodynamics(v["collective"], drag=0.01)
    cyclic = {"cos": v["lateral"], "sin": v["longitudinal"]}
    given: dict[str, Any] = {"induction": PittPeters(), "stations": 20} | options
    return hinged_rotor(air, blade, cyclic=cyclic, **given)


def test_targets_are_reached_by_a_periodic_motion() -> None:
    found = fm.trim(rotor, FLAT, CONTROLS, speed=SPEED, steps=STEPS)
    for name, value in FLAT.items():
        assert found.loads[name] == pytest.approx(value, rel=1e-6, abs=1e-8)
    assert found.orbit.stable
    # a run that settles from another state has the same loads
    _, rates = flown(rotor(found.controls), 8.0, STEPS)
    settled = np.array([found.loads[name] for name in ("drag", "side_force", "thrust")])
    np.testing.assert_allclose(rates[:3], settled, atol=1e-4 * found.loads["thrust"])
    # and the hub carries them: those of inertia vanish over a revolution
    shaft = found.harmonics(4)[0]
    np.testing.assert_allclose(
        found.hub_loads()[:, :3].mean(axis=0), settled, atol=1e-6 * found.loads["thrust"]
    )
    assert shaft[5] == pytest.approx(found.loads["torque"], rel=0.01)
    assert found.power == pytest.approx(-rates[5] * SPEED, rel=1e-3)


def test_controls_of_a_flat_disk_are_those_of_the_closed_form() -> None:
    """Without flapping in the first harmonics, flapping's equation has theta_c and theta_s in closed form.

    gamma/8 (theta_0 (1 + mu^2) - 4/3 lambda + 4/3 mu theta_s) = a_0, and for cos and sin
    theta_c (1 + mu^2/2) = 4/3 mu a_0, theta_s (1 + 3/2 mu^2) = 2 mu lambda - 8/3 mu theta_0, but for second harmonics
    of flapping, some hundredths at mu = 0.2 (tests/aerodynamics/test_flapping.py).
    """
    pitch = 0.03

    def build(v: Mapping[str, float]) -> fm.Model:
        return rotor({**v, "collective": pitch}, induction=NoInduction(), mean_loads=True)

    targets = {name: FLAT[name] for name in ("longitudinal_flapping", "lateral_flapping")}
    found = fm.trim(build, targets, {"lateral": 0.005, "longitudinal": -0.01}, speed=SPEED, steps=180)
    mu, through = ADVANCE, THROUGH
    sine = (2 * mu * through - 8 / 3 * mu * pitch) / (1 + 1.5 * mu**2)
    coning = LOCK / 8 * (pitch * (1 + mu**2) - 4 / 3 * through + 4 / 3 * mu * sine)
    cosine = 4 / 3 * mu * coning / (1 + mu**2 / 2)
    assert found.controls["longitudinal"] == pytest.approx(sine, rel=0.01)
    assert found.controls["lateral"] == pytest.approx(cosine, rel=0.03)
    assert found.loads["coning"] == pytest.approx(coning, rel=0.01)


def test_sensitivity_is_that_of_differences() -> None:
    found = fm.trim(rotor, FLAT, CONTROLS, speed=SPEED, steps=STEPS)
    change = 1e-4
    by_collective: list[Array] = []
    for sign in (1.0, -1.0):
        values = {**found.controls, "collective": found.controls["collective"] + sign * change}
        _, rates = flown(rotor(values), 12.0, STEPS)
        by_collective.append(rates)
    difference = (by_collective[0] - by_collective[1])[[2, 7, 8]] / (2.0 * change)
    np.testing.assert_allclose(found.sensitivity[:, 0], difference, rtol=1e-4)


def test_hover_thrust_in_closed_form() -> None:
    """theta = 6 C_T/(sigma a) + 3/2 (C_T/2)^.5 of uniform inflow (Leishman 2006, eq. 3.26)."""
    thrust = 0.003 * DENSITY * AREA * TIP**2

    def build(v: Mapping[str, float]) -> fm.Model:
        return hinged_rotor(Wind(0.0), blade_aerodynamics(v["collective"]), induction=UniformInflow())

    found = fm.trim(build, {"thrust": thrust}, {"collective": 0.05}, speed=SPEED, steps=120)
    expected = 6 * 0.003 / LIFT + 1.5 * np.sqrt(0.003 / 2)
    assert found.controls["collective"] == pytest.approx(expected, rel=3e-3)
    ideal = thrust * np.sqrt(thrust / (2 * DENSITY * AREA))
    assert found.power == pytest.approx(ideal, rel=5e-3)


def test_free_flight_is_in_equilibrium() -> None:
    """Forces and moments of rotor, weight and drag vanish, computed anew; drag tilts the shaft forward."""
    flight = FreeFlight(
        8000.0,
        35.0,
        centre=(0.05, 0.0, -1.2),
        drag=[DragArea((0.3, 1.0, 1.5), (0.0, 0.0, -1.0)), DragArea((0.02, 0.1, 0.3), (5.0, 0.0, -0.8))],
    )

    def build(v: Mapping[str, float]) -> fm.Model:
        blade = blade_aerodynamics(v["collective"], drag=0.01)
        cyclic = {"cos": v["lateral"], "sin": v["longitudinal"]}
        air = Wind(35.0, inclination=np.degrees(v["shaft_angle"]))
        return hinged_rotor(air, blade, induction=PittPeters(), cyclic=cyclic, stations=20)

    controls = {"collective": 0.08, "lateral": 0.01, "longitudinal": -0.03, "shaft_angle": -0.04}
    found = fm.trim(build, flight, controls, steps=STEPS, speed=SPEED)
    names = ("drag", "side_force", "thrust", "roll_moment", "pitch_moment", "torque")
    force, moment = np.split(np.array([found.loads[name] for name in names]), 2)
    angle = found.controls["shaft_angle"]
    v = 35.0 * np.array([np.cos(angle), 0.0, np.sin(angle)])
    upright, side = np.array([-np.sin(angle), 0.0, np.cos(angle)]), np.array([0.0, 1.0, 0.0])
    up = np.cos(found.roll) * upright - np.sin(found.roll) * side
    weight = -8000.0 * up
    moment = moment + np.cross([0.05, 0.0, -1.2], weight)
    for part in flight.drag:
        own = 0.5 * DENSITY * 35.0 * part.areas * v
        force, moment = force + own, moment + np.cross(part.position, own)
    np.testing.assert_allclose(force + weight, 0.0, atol=1e-6 * 8000.0)
    np.testing.assert_allclose(moment[:2], 0.0, atol=1e-6 * 8000.0)
    assert -0.1 < angle + found.loads["longitudinal_flapping"] < -0.02


@pytest.mark.slow
def test_what_cannot_be_reached() -> None:
    """A torque that drives the rotor the other way: what came nearest is kept, with its sensitivity."""

    def build(v: Mapping[str, float]) -> fm.Model:
        return hinged_rotor(
            Wind(0.0), blade_aerodynamics(v["collective"], drag=0.01), induction=UniformInflow(), stations=10
        )

    with pytest.raises(TrimFailure, match="misses torque by") as caught:
        fm.trim(build, {"torque": -500.0}, {"collective": 0.05}, speed=SPEED, steps=24)
    failure = caught.value
    assert set(failure.controls) == {"collective"}
    assert failure.reached["torque"] > -500.0
    assert failure.missed["torque"] > 0.0
    assert failure.sensitivity is not None
    assert failure.state is not None


def test_bad_input() -> None:
    with pytest.raises(InputError, match=r"3 targets .* and 1 controls"):
        fm.trim(rotor, FLAT, {"collective": 0.1}, speed=SPEED)
    with pytest.raises(InputError, match=r"no target 'trust'; .*thrust"):
        fm.trim(rotor, {"trust": 1.0}, {"collective": 0.1}, speed=SPEED)
    with pytest.raises(InputError, match=r"trim: speed \(rad/s\)"):
        fm.trim(rotor, FLAT, CONTROLS)
    with pytest.raises(InputError, match="free flight needs the control 'shaft_angle'"):
        fm.trim(rotor, FreeFlight(1000.0, 10.0), CONTROLS | {"angle": 0.0}, speed=SPEED)
    with pytest.raises(InputError, match="has 0 rotors with mean loads"):
        fm.trim(lambda v: rotor(v, induction=NoInduction()), FLAT, CONTROLS, speed=SPEED, steps=12, settle=0)
