"""Tests of the rubbing rotor: run, periodic motions, fold, loss of stability and first contact against closed forms."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import fem_mbd as fm
from fem_mbd.cases import rotor_rub
from fem_mbd.cases.rotor_rub import Parameters
from fem_mbd.core.scheme.system import System
from fem_mbd.runs.running.runs import run

pytestmark = pytest.mark.slow


def build(values: Mapping[str, Any]) -> fm.Model:
    """The case's model with some parameters changed."""
    return rotor_rub.build_model(replace(Parameters(), **values))


def rub(steps: int = 100, **values: Any) -> fm.Orbit:
    """The rub with the largest amplitude, from the closed form's."""
    p = replace(Parameters(), **values)
    exact = p.closed_form
    return whirling(p, exact.position(p.speed, exact.amplitudes(p.speed)[-1]), steps, values)


def whirling(p: Parameters, z: complex, steps: int, values: Mapping[str, Any] | None = None) -> fm.Orbit:
    """The periodic motion near a position (m) of the disc's centre, as x + i y at the start of a turn."""
    own = dict(values or {"speed": p.speed})
    at = System(build(own)).reference_state()
    for node in (1, 2):  # carrier and disc
        at.u[node, :2] += z.real, z.imag
        at.v[node, :2] += -p.speed * z.imag, p.speed * z.real
    return fm.periodic(build, own, frequency="speed", steps=steps, at=at)


def test_a_run_reaches_the_closed_form(tmp_path: Path) -> None:
    p = Parameters(end_time=2.0)
    result = run(rotor_rub.build(p), progress=False)
    made = rotor_rub.checks(result, p)
    assert [check.name for check in made[-2:]] == ["amplitude [m]", "normal force [N]"]
    assert all(check.passed for check in made), made
    figures = [path.name for path in rotor_rub.plot(result, p, tmp_path)]
    assert figures == ["rotor_rub.png", "rotor_rub_speeds.png"]


def test_without_contact_the_response_is_the_unbalanced_one() -> None:
    p = Parameters(speed=140.0, end_time=1.0)
    made = rotor_rub.checks(run(rotor_rub.build(p), progress=False), p)
    assert made[-1].name == "amplitude [m]" and all(check.passed for check in made), made


def test_two_stable_whirls_are_not_compared() -> None:
    """At 300 rad/s the rotor whirls without contact or rubs; friction of 0.2 leaves no stable whirl at 220."""
    assert rotor_rub.whirl(Parameters(speed=300.0)) is None
    assert rotor_rub.whirl(Parameters(friction=0.2)) is None


@pytest.mark.parametrize("speed", [190.0, 230.0])
def test_amplitude_and_multipliers_are_those_of_the_closed_form(speed: float) -> None:
    """Contact makes the error one of second order in the step: two lengths of it give the numbers without."""
    exact = Parameters().closed_form
    (amplitude,) = exact.amplitudes(speed)
    orbits = [rub(steps, speed=speed) for steps in (100, 200)]
    sizes = [float(np.hypot(*orbit.state.u[1, :2])) for orbit in orbits]
    assert sizes == pytest.approx([amplitude] * 2, rel=1e-4)
    assert (sizes[0] - amplitude) / (sizes[1] - amplitude) == pytest.approx(4.0, abs=0.2)
    for expected in exact.multipliers(speed, amplitude):
        coarse, fine = (min(one.multipliers, key=lambda m: abs(m - expected)) for one in orbits)
        assert abs(fine + (fine - coarse) / 3.0 - expected) < 2e-3 * abs(expected)


def test_fold_of_the_rub() -> None:
    """Above the fold there is no rub: two roots of the closed form meet there."""
    exact = Parameters().closed_form
    low, high = 430.0, 450.0
    while high - low > 1e-6:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if exact.amplitudes(middle) else (low, middle)
    branch = fm.continuation(rub(speed=437.0), "speed", (425.0, 445.0), step=(0.1, 0.4), points=12)
    (fold,) = branch.bifurcations
    assert fold.event == "fold" and fold.orbit.values["speed"] == pytest.approx(low, rel=5e-4)
    assert branch.orbits[0].stable and not branch.orbits[-1].stable


def test_friction_takes_the_stability() -> None:
    """A Neimark-Sacker bifurcation: a backward whirl begins where an eigenvalue of the closed form crosses zero."""

    def growth(friction: float) -> float:
        exact = Parameters(friction=friction).closed_form
        return float(exact.eigenvalues(220.0, exact.amplitudes(220.0)[-1]).real.max())

    expected = brentq(growth, 0.05, 0.15)
    branch = fm.continuation(rub(speed=220.0, friction=0.07), "friction", (0.06, 0.09), step=0.2)
    (found,) = branch.bifurcations
    assert found.event == "Neimark-Sacker"
    assert found.orbit.values["friction"] == pytest.approx(expected, rel=2e-3)


def free_whirl(speed: float) -> fm.Orbit:
    """The whirl without contact, from the closed form's."""
    p = replace(Parameters(), speed=speed)
    z = p.mass * p.eccentricity * speed**2 / (p.stiffness - p.mass * speed**2 + 1j * p.damping * speed)
    return whirling(p, z, 60)


CORNERS = {
    # range, whether downwards, start without contact, where free whirl and gap are equal
    "kink": ((170.0, 180.0), False, 173.5, (170.0, 180.0)),
    "nonsmooth fold, down the free whirl": ((240.0, 246.0), True, 245.0, (240.0, 250.0)),
    "nonsmooth fold, down the unstable rub": ((240.0, 246.0), True, 0.0, (240.0, 250.0)),
}


@pytest.mark.parametrize("corner", CORNERS)
def test_branches_go_over_the_corners_where_the_ring_begins_to_touch(corner: str) -> None:
    """On both sides amplitudes are those of the closed form; at the fold the branch turns round."""
    within, down, start, about = CORNERS[corner]
    exact, gap = Parameters().closed_form, Parameters().gap
    if start:
        orbit = free_whirl(start)
    else:
        p = replace(Parameters(), speed=245.0)
        orbit = whirling(p, exact.position(245.0, exact.amplitudes(245.0)[0]), 60)
    branch = fm.continuation(orbit, "speed", within, down=down, step=(0.1, 0.3))
    assert not branch.lost
    (found,) = branch.bifurcations
    expected = brentq(lambda speed: exact.free(speed) - gap, *about)
    assert found.event == "corner"
    assert found.orbit.values["speed"] == pytest.approx(expected, rel=1e-4)
    touching = []
    for one in branch.orbits:
        speed, size = one.values["speed"], float(np.hypot(*one.state.u[1, :2]))
        touching.append(size > gap * (1.0 + 1e-5))
        assert size == pytest.approx(
            exact.amplitudes(speed)[0] if touching[-1] else exact.free(speed), rel=1e-4
        )
    assert touching[0] != touching[-1] and (touching[0] == (not start))
    if down:
        assert branch.column("speed")[-1] == pytest.approx(within[1])
