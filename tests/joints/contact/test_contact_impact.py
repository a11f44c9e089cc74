"""Impacts in the full scheme: restitution with the speed of each impact, ranges of laws, a beam that hits a wall."""

from typing import Any

import numpy as np
import pytest

from fem_mbd import Model, Penetration, Simulation, StepControl, joints
from fem_mbd.base.arrays import Array
from fem_mbd.elements import Beam, Material, RigidBody, Section
from fem_mbd.friction import (
    ActiveLawWarning,
    ExactRestitution,
    Flores,
    Hertz,
    Johnson,
    LankaraniNikravesh,
    LawRangeWarning,
    LuGre,
)
from fem_mbd.friction.normal.damping import actual_restitution
from tests.core.scheme_tools import column, run, simulation, worst_residual

STEEL = Material(young=207e9, poisson=0.3, density=7850.0)


def test_ball_bounces_with_the_restitution_of_each_impact() -> None:
    """Two walls face each other: the same restitution at impacts of falling speed, with one law."""
    law = Flores(Hertz(1e9), 0.8)
    model = Model()
    ball = model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0.1))).node
    model.set_velocity(ball, (0, 0, -1.0))
    for height, up in ((0.0, 1.0), (0.2, -1.0)):
        wall = model.ground.at((0, 0, height))
        model.add(joints.SphereOnPlane(wall, ball, normal=law, radius=0.099, direction=(0, 0, up)))
    control = StepControl(Penetration(2e-7, q_min=5.0), dt_initial=1e-4, dt_max=1e-3)
    sim = Simulation(model, 0.0105, control)
    speeds: list[float] = [1.0]
    for record in sim.steps():
        speed = float(abs(sim.state.v[1, 2]))
        if (record.contacts["gap_f"] > 0).all() and abs(speed - speeds[-1]) > 1e-9:
            speeds.append(speed)
    ratios = np.array(speeds[1:]) / speeds[:-1]
    assert len(ratios) >= 3
    assert ratios == pytest.approx(actual_restitution(law.chi), abs=2e-4)


@pytest.mark.parametrize(
    ("joint", "axis"), [(joints.SphericalClearance, {}), (joints.SpatialClearance, {"axis": (0, 0, 1)})]
)
def test_joints_with_clearance_store_the_speed_of_each_impact(joint: Any, axis: dict[str, Any]) -> None:
    """A body that crosses the clearance and returns, with a different speed each time."""
    law = LankaraniNikravesh(Hertz(1e9), 0.8)
    model = Model()
    pin = model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0))).node
    model.set_velocity(pin, (-0.8, 0, 0))
    model.add(joint(model.ground, pin, 0.02, 0.019, law, **axis))
    sim = Simulation(model, 0.0066, StepControl(Penetration(2e-7), dt_initial=1e-4, dt_max=1e-3))
    speeds = [0.8]
    for record in sim.steps():
        speed = float(abs(sim.state.v[1, 0]))
        if (record.contacts["gap_f"] > 0).all() and abs(speed - speeds[-1]) > 1e-9:
            speeds.append(speed)
    assert len(speeds) >= 3
    assert np.array(speeds[1:]) / speeds[:-1] == pytest.approx(actual_restitution(law.chi), abs=2e-4)


def test_head_on_collision_of_two_balls() -> None:
    """Speeds after a central impact: those of the restitution and the momentum."""
    model = Model()
    k = model.add(RigidBody(2.0, (1, 1, 1), (0, 0, 0))).node
    l = model.add(RigidBody(3.0, (1, 1, 1), (0.0701, 0, 0))).node
    model.set_velocity(k, (0.5, 0, 0))
    model.add(
        joints.SphereOnSphere(k, l, normal=ExactRestitution(Hertz(1e9), 0.6), radius_k=0.03, radius_l=0.04)
    )
    sim = simulation(model, 1e-6, 0.004)
    run(sim)
    v_k, v_l = sim.state.v[1:, 0]
    assert 2 * v_k + 3 * v_l == pytest.approx(1.0, abs=1e-13)
    assert v_l - v_k == pytest.approx(0.6 * 0.5, abs=1e-5)


def test_a_contact_beyond_the_end_of_its_law_is_reported_once_by_the_run() -> None:
    """A bush of so small a clearance that the pin's weight is outside the range of Johnson's formula."""
    model = Model(gravity=(0, 0, -9.81))
    pin = model.add(RigidBody(5e3, (1, 1, 1), (0, 0, 0))).node
    bush = Johnson(5e-3, 5e-3 - 1e-8, 15e-3, STEEL, STEEL)
    model.add(joints.SphericalClearance(model.ground, pin, 5e-3, 5e-3 - 1e-8, bush, name="bush"))
    with pytest.warns(LawRangeWarning) as caught:
        run(simulation(model, 2e-6, 4e-4))
    assert [str(w.message) for w in caught if "indentation" in str(w.message)] == [str(caught[0].message)]
    assert str(caught[0].message).startswith("Johnson of contact 'bush': indentation ")


@pytest.mark.parametrize("on_beam", ["point", "plane"])
def test_a_beam_that_hits_a_body(on_beam: str) -> None:
    """A cantilever's tip, with a point or with a plane, against a free body: energy balance, friction dissipates."""
    model = Model(gravity=(0, 0, -9.81))
    tube = Section.tube(0.01, 0.001, STEEL)
    beam = model.add(Beam(tube, (0, 0, 0), (0.5, 0, 0), elements=2, damping=1e-4))
    model.add(joints.Clamp(model.ground, beam.start))
    body = model.add(RigidBody(0.2, (1e-4, 1e-4, 1e-4), (0.5, 0.001, 0.0102))).node
    model.set_velocity(body, (0.3, 0.1, -0.4))
    friction = LuGre(sigma_0=1e5, sigma_1=1.0, mu_s=0.3, mu_k=0.2, v_s=1e-2)
    low, up = body.at((0, 0, -0.01)), (0.1, 0.0, 1.0)
    law = ExactRestitution(Hertz(1e8), 0.5)
    plane, point, side = (beam.end, low, 1.0) if on_beam == "plane" else (low, beam.end, -1.0)
    with pytest.warns(ActiveLawWarning, match="faster than 0.9 m/s"):  # the slip stays below
        model.add(joints.PointOnPlane(plane, point, law, friction, direction=side * np.array(up)))
    sim = simulation(model, 2e-5, 0.01)
    ledger: Array = run(sim)
    assert column(ledger, "contact").max() > 1e-4
    assert worst_residual(sim, ledger) < 1e-11
    assert column(ledger, "dissipation_contact").sum() > 1e-4
    assert column(ledger, "dissipation_friction").sum() > 1e-4
