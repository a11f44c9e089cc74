"""Branches over corners, where a stop begins to touch: places and motions on both sides against closed forms."""

from collections.abc import Mapping

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import fem_mbd as fm
from fem_mbd.base.arrays import Array
from fem_mbd.elements import Force, PointMass, SpringDamper
from fem_mbd.friction import Linear
from fem_mbd.joints import PointOnPlane
from tests.analysis.periodic.oscillators import AWAY

GAP, STIFF, DAMPING = 2.0, 100.0, 0.1


def _bilinear(values: Mapping[str, float]) -> fm.Model:
    """x'' + 0.1 x' + x = sin(omega t), with a stop of stiffness 100 at x = -2 (Shaw and Holmes 1983)."""
    model = fm.Model()
    mass = model.add(PointMass(1.0, (AWAY, 0.0, 0.0), name="mass"))
    model.fix(mass, translation=(False, True, True), rotation=True)
    model.add(SpringDamper(model.ground, mass, 1.0, DAMPING))
    place = model.ground.at((AWAY - GAP, 0.0, 0.0))
    model.add(PointOnPlane(place, mass, Linear(STIFF), direction=(1.0, 0.0, 0.0), name="stop"))
    model.add(Force(mass, fm.time_functions.Harmonic((1.0, 0.0, 0.0), values["omega"])))
    return model


def _amplitude(omega: float) -> float:
    return 1.0 / np.hypot(1.0 - omega**2, DAMPING * omega)


def _after_a_period(omega: float, start: Array) -> Array:
    """Displacement and velocity after a period, by integration to 1e-10."""

    def rate(t: float, z: Array) -> list[float]:
        stop = max(0.0, -GAP - z[0])
        return [z[1], np.sin(omega * t) - DAMPING * z[1] - z[0] + STIFF * stop]

    period = 2.0 * np.pi / omega
    found = solve_ivp(rate, (0.0, period), start, rtol=1e-10, atol=1e-12, max_step=period / 400)
    return np.asarray(found.y[:, -1])


def test_a_branch_goes_on_where_a_stop_begins_to_touch() -> None:
    """The motion without contact fills the gap where 1/|1 - omega^2 + 0.1 i omega| = 2."""
    orbit = fm.periodic(_bilinear, {"omega": 0.68}, frequency="omega", steps=400, settle=60)
    assert orbit.gaps[0] == pytest.approx(GAP - _amplitude(0.68), abs=1e-4)
    branch = fm.continuation(orbit, "omega", (0.65, 0.78), step=(0.2, 0.4), points=25)
    assert not branch.lost and branch.column("omega")[-1] == pytest.approx(0.78)
    found = branch.bifurcations[0]
    expected = brentq(lambda omega: _amplitude(omega) - GAP, 0.65, 0.78)
    # the gap is seen at the ends of steps: at most half a step from its smallest value, GAP (omega dt/2)^2/2
    assert found.event in ("corner", "grazing") and found.contact == 0
    slope = (_amplitude(expected + 1e-6) - _amplitude(expected - 1e-6)) / 2e-6
    seen = 0.5 * GAP * (np.pi / 400) ** 2
    # and found as near as a fiftieth of the gap of the first motion behind the corner
    behind = branch.orbits[[one.event for one in branch.points].index(found.event) + 1]
    assert found.orbit.frequency == pytest.approx(expected, abs=(seen + 0.02 * abs(behind.gaps[0])) / slope)
    assert orbit.stable and not behind.stable
    for one in branch.orbits:
        place = np.array([one.state.u[1, 0] - AWAY, one.state.v[1, 0]])
        assert _after_a_period(one.frequency, place) == pytest.approx(place, abs=2e-3)
