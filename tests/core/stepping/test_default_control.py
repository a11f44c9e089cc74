"""Accuracy and number of steps of runs with the default step control, against closed forms."""

import numpy as np
import pytest
from scipy.special import ellipk

import fem_mbd as fm
from fem_mbd.core.stepping.step_control import ManySteps, Pace
from fem_mbd.elements import Beam, Material, RigidBody, Section
from fem_mbd.friction import Linear, LuGre
from fem_mbd.joints import (
    DrivenPrismatic,
    DrivenRevolute,
    PointOnPlane,
    Revolute,
    Spherical,
    SphericalClearance,
)


def test_pendulum_comes_back_after_its_period() -> None:
    """Period 4 K(sin^2(a/2)) sqrt(I / (m g l)) of a body let go at a = 90 degrees; I about the pivot."""
    model = fm.Model(gravity=(0, 0, -9.81))
    body = model.add(RigidBody(2.0, (0.01, 0.01, 0.01), position=(0.5, 0, 0)))
    model.add(Revolute(model.ground, body.node, at=(0, 0, 0), axis=(0, 1, 0)))
    inertia = 0.01 + 2.0 * 0.5**2
    period = 4.0 * ellipk(0.5) * np.sqrt(inertia / (2.0 * 9.81 * 0.5))
    result = fm.simulate(model, period)
    assert result.outputs["position"][-1, body.node.index] == pytest.approx([0.5, 0.0, 0.0], abs=1e-4 * 0.5)
    assert {"error estimate"} <= set(np.unique(result.step["rule"].astype(str))) <= {
        "initial", "growth", "error estimate", "dt_max", "end"
    }  # fmt: skip


def test_machine_that_a_driver_starts_from_rest_needs_few_steps() -> None:
    """A crank with constant angular acceleration and an elastic link: the crank's angle is 15 t^2 at any step size.

    Relative to its own energy the start looks the same on every time scale: without a floor of the error's scale the
    run began with 7,700 steps of a nanosecond.
    """
    model = fm.Model()
    strip = Section.rectangle(0.02, 0.002, Material(young=210e9, poisson=0.3, density=7850))
    crank = model.add(RigidBody(0.3, (1e-4, 3e-4, 3e-4), position=(0.05, 0, 0)))
    link = model.add(
        Beam(strip, start=(0.1, 0, 0), end=(0.35, 0, 0.15), up=(0, 0, 1), elements=2, damping=1e-5)
    )
    rocker = model.add(RigidBody(0.5, (2e-3, 2e-3, 1e-4), position=(0.35, 0, 0.05)))
    motor = model.add(
        DrivenRevolute(model.ground, crank.node, at=(0, 0, 0), axis=(0, 1, 0), angle=lambda t: 15 * t * t)
    )
    model.add(Revolute(crank.node, link.start, at=(0.1, 0, 0), axis=(0, 1, 0)))
    model.add(Revolute(link.end, rocker.node, at=(0.35, 0, 0.15), axis=(0, 1, 0)))
    model.add(Spherical(model.ground, rocker.node, at=(0.35, 0, -0.05)))
    result = fm.simulate(model, 0.1)
    assert result.steps < 1000
    assert result.of(motor).angle[-1] == pytest.approx(0.15, abs=1e-9)


def test_a_fast_ball_in_a_clearance_takes_so_many_steps_an_impact() -> None:
    """At 100 m/s between two walls 1 mm apart: an impact lasts pi sqrt(m/k), and energy is neither gained nor lost."""
    mass, stiffness, speed, duration = 0.1, 1e8, 100.0, 5e-3
    model = fm.Model()
    ball = model.add(RigidBody(mass, (1e-5,) * 3, position=(0, 0, 0), name="ball"))
    model.add(SphericalClearance(model.ground, ball, 0.02, 0.0195, Linear(stiffness), name="socket"))
    model.set_velocity(ball, velocity=(speed, 0, 0))
    result = fm.simulate(model, duration)
    impacts = np.count_nonzero(np.diff((result.of("socket").gap < 0.0).astype(int).ravel()) > 0)
    period = 1e-3 / speed + np.pi * np.sqrt(mass / stiffness)
    assert abs(impacts - duration / period) <= 1.0
    assert result.steps < 250 * impacts
    total = result.energy["kinetic"][-1] + result.energy["contact"][-1]
    assert total == pytest.approx(0.5 * mass * speed**2, rel=1e-9)


def dragged(end: float) -> fm.Simulation:
    """A block that is dragged over a plane at twice the Stribeck speed: steps of a twentieth of a millisecond."""
    model = fm.Model(gravity=(0, 0, -9.81))
    block = model.add(RigidBody(1.0, (1e-3,) * 3, position=(0, 0, 0), name="block"))
    law = LuGre(sigma_0=1e5, mu_s=0.15, mu_k=0.1, v_s=1e-3)
    model.add(PointOnPlane(model.ground, block.node.at((0, 0, -1e-5)), Linear(1e6), law, name="sole"))
    model.add(
        DrivenPrismatic(
            model.ground,
            block,
            at=(0, 0, 0),
            axis=(1, 0, 0),
            speed=fm.time_functions.SmoothStep(0, 0.1, 0, 2e-3),
        )
    )
    return fm.Simulation(model, end)


def test_a_run_of_millions_of_steps_says_so() -> None:
    simulation = dragged(1000.0)
    with pytest.raises(ManySteps, match=r"10\d\d\d steps have .* about \de\+07 steps \(the rule 'stribeck'"):
        for _ in simulation.steps():
            pass
    assert simulation.time < 1.0


def test_the_pace_is_judged_when_the_number_of_steps_has_doubled() -> None:
    pace, none = Pace(10.0, 20.0, ()), np.zeros(0)
    pace.look(9_999, 10.0001, "penetration", none)  # too early
    pace.look(10_000, 11.0, "penetration", none)  # 1e5 steps in all
    pace.look(19_999, 11.0, "penetration", none)
    with pytest.warns(ManySteps, match=r"20000 steps have reached t = 10.1 s of 20 s: .* about 2e\+06 steps"):
        pace.look(20_000, 10.1, "penetration", none)
    pace.look(40_000, 10.1, "penetration", none)  # once
