"""Contacts of points, balls and planes: soft laws, bristles that rotate with the bodies, rolling, sticking, faces."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fem_mbd import InputError, Model, Simulation
from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import rotation_about
from fem_mbd.elements import Beam, Material, RigidBody, Section, Straight
from fem_mbd.friction import (
    DMT,
    JKR,
    ClassicalLuGre,
    Coulomb,
    Frictionless,
    Hertz,
    HuntCrossley,
    Linear,
    Maugis,
    PermanentIndentation,
)
from fem_mbd.friction.records import NormalLaw
from fem_mbd.joints import FaceOnPlane, PointOnPlane, SphereOnPlane, SphereOnSphere, circle_of_points
from tests.core.scheme_tools import column, pulled_back, rigid_step, simulation, tangent_error
from tests.joints.contact.contact_models import BALLS, NORMAL, SHAPES, Setting
from tests.joints.contact.two_bodies import closed_step


@pytest.mark.parametrize("gap", [-1e-3, 2e-5])
@pytest.mark.parametrize(
    "law",
    [
        DMT(modulus=1e4, radius=0.02, work=0.1, reach=1e-4),
        JKR(modulus=1e4, radius=0.02, work=0.1),
        Maugis(modulus=1e4, radius=0.02, work=0.1, stress=100.0),
        PermanentIndentation(Hertz(1e5), 0.6),
    ],
    ids=["DMT", "JKR", "Maugis", "permanent"],
)
def test_tangent_of_soft_laws(law: NormalLaw, gap: float) -> None:
    """Soft enough for differences with errors below 1e-9: in compression, and in tension by adhesion across a gap."""
    setting = Setting("sphere on plane", normal=law, friction=Frictionless(), gap=gap)
    sim, y, kind = closed_step(setting, 1e-3, 0, speed=0.03)
    if kind.records[0]["normal_force"] == 0.0:
        assert gap > 0.0 and not isinstance(law, JKR | Maugis)
        return
    assert tangent_error(sim, y, 1e-6) < 1e-9


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("size", [1e-3, 0.1, 1.0])
def test_a_common_rigid_motion_is_no_slip_and_no_work(shape: str, size: float) -> None:
    """To round-off, in one large step; bristles rotate with the bodies, for any axis of the motion."""
    for seed in range(3):
        sim, _, kind = closed_step(Setting(shape), 1e-3, seed)
        turn, _ = rigid_step(sim, np.random.default_rng(seed), size)
        rows = pulled_back(sim, kind)
        r = kind.records[0]
        assert r["normal_force"] > 1.0
        assert r["gap_f"] == pytest.approx(r["gap_i"], abs=1e-15)
        assert r["slip"] == pytest.approx(np.zeros(3), abs=1e-15)
        assert float((rows * sim.scheme.workspace.x).sum()) == pytest.approx(0.0, abs=1e-13)
        # the law's rounded speed lets the bristles creep back by some 1e-6 of their length of 1e-6 m; slip of round-off
        before, after = kind.history["bristles"][0, 0], kind.z_f[0, 0]
        assert np.linalg.norm(after) == pytest.approx(np.linalg.norm(before), rel=1e-5)
        assert after / np.linalg.norm(after) == pytest.approx(
            turn @ before / np.linalg.norm(before), abs=1e-9
        )


@pytest.mark.parametrize("shape", BALLS)
def test_bristles_of_a_twisting_contact(shape: str) -> None:
    """L spins about the normal on a fixed K: bristles stay on a plane, between balls they rotate by half the angle."""
    sim, y, kind = closed_step(Setting(shape), 1e-3, ground=True)
    sim.scheme.residual(0 * y, np.empty_like(y))
    workspace, state, angle = sim.scheme.workspace, sim.state, 0.3
    arm = _arm(sim, kind)
    workspace.x[2, 3:6] = state.r[2].T @ (angle * NORMAL)  # without acceleration the rotation is b
    workspace.x[2, :3] = arm - rotation_about(NORMAL, angle) @ arm
    pulled_back(sim, kind)
    assert kind.records[0]["slip"] == pytest.approx(np.zeros(3), abs=1e-7)
    expected = (
        rotation_about(NORMAL, angle / 2 if shape == "sphere on sphere" else 0.0)
        @ kind.history["bristles"][0, 0]
    )
    assert kind.z_f[0, 0] == pytest.approx(expected, abs=2e-8)


def _arm(sim: Simulation, kind: Any) -> Array:
    """Contact point of L from its mass centre, global."""
    r = kind.records[0]
    arm: Array = sim.state.r[2] @ r["arm"][1] - (r["radius_l"] + 0.5 * r["gap_i"]) * NORMAL
    return arm


def test_a_ball_that_slides_ends_rolling_with_five_sevenths_of_its_speed() -> None:
    """Coulomb friction takes 2/7 of the speed of a ball put down without spin, whatever mu; it rolls after
    2 v/(7 mu g) and loses nothing from then on. The contact point is half of an indentation of 2e-7 m deep."""
    radius, mass, mu, g, v = 0.1, 2.0, 0.2, 9.81, 0.7
    model = Model(gravity=(0, 0, -g))
    ball = model.add(RigidBody(mass, [0.4 * mass * radius**2] * 3, (0, 0, radius - mass * g / 1e8))).node
    model.set_velocity(ball, (0.6 * v, 0.8 * v, 0))
    law = Coulomb(mu, 1e-5)
    model.add(
        SphereOnPlane(model.ground, ball, normal=HuntCrossley(Linear(1e8), 1.0), friction=law, radius=radius)
    )
    end = 2 * v / (7 * mu * g)
    sim = simulation(model, 1e-3, 1.4 * end)
    ledger, u, t = [], [], []
    for record in sim.steps():
        ledger.append(record.energy)
        u.append(sim.state.u[1].copy())
        t.append(record.time)
    # friction that is constant over a step stops the mean slip of each step, about which v oscillates
    speed = np.linalg.norm(u[-1] - u[-11]) / (t[-1] - t[-11])
    assert speed == pytest.approx(5 / 7 * v, rel=1e-5)
    rolling = np.cross((0, 0, 1), sim.state.v[1] / radius)
    assert sim.state.r[1] @ sim.state.omega[1] == pytest.approx(rolling, rel=2e-3, abs=1e-9)
    lost = column(np.array(ledger), "dissipation_friction").sum()
    assert lost == pytest.approx(0.5 * mass * v**2 * 2 / 7, rel=1e-4)


def test_the_time_constant_of_a_classical_law_is_that_under_the_weight() -> None:
    """omega = sigma_0 v_s/(mu_k N) of bristles of sigma_0 N/m (Bauchau & Ju, eq. 27), for the rule of friction."""
    mass, g, stiffness, sigma_0, v_s, mu_k = 2.0, 9.81, 1e6, 3e4, 2e-3, 0.25
    model = Model(gravity=(0, 0, -g))
    block = model.add(RigidBody(mass, (1e-2,) * 3, (0, 0, -mass * g / stiffness))).node
    model.set_velocity(block, (0.1, 0, 0))
    law = ClassicalLuGre(sigma_0=sigma_0, sigma_1=0.0, mu_s=0.3, mu_k=mu_k, v_s=v_s)
    model.add(PointOnPlane(model.ground, block, normal=Linear(stiffness), friction=law))
    (record,) = simulation(model, 1e-3, 1e-3).steps()
    assert record.contacts["omega"] == pytest.approx(sigma_0 * v_s / (mu_k * mass * g), rel=1e-9)


def test_circle_of_points() -> None:
    model = Model()
    node = model.add(RigidBody(1.0, (1, 1, 1), (1, 2, 3), rotation=rotation_about((1, 1, 0), 0.4))).node
    points = circle_of_points(node, 0.5, 6, direction=(0, 0, 2), first=(1, 0, 5))
    places = np.array([p.position for p in points]) - (1, 2, 3)
    angles = np.arange(6) * np.pi / 3
    assert places == pytest.approx(0.5 * np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda k, l: PointOnPlane(k, l, Linear),  # type: ignore[arg-type]
            "contact .*: normal is .* which is no normal law",
        ),
        (lambda k, l: PointOnPlane(k, l, Linear(1e6), Linear(1e6)), "which is no friction law"),
        (lambda k, l: PointOnPlane(k, l, Linear(1e6), direction=(0, 0, 0)), "direction of contact"),
        (lambda k, l: PointOnPlane(k, k, Linear(1e6)), "joins node 'ground' to itself"),
        (lambda k, l: SphereOnPlane(k, l, radius=0.0, normal=Linear(1e6)), "contact .contact.: radius is 0"),
        (
            lambda k, l: SphereOnSphere(k, l, normal=Linear(1e6), radius_k=1.0, radius_l=0.0),
            "contact .contact.: radius_l is 0",
        ),
        (
            lambda k, l: SphereOnSphere(
                k, l.at((0, 0, -0.3)), normal=Linear(1e6), radius_k=1.0, radius_l=1.0
            ),
            "centres coincide at the start",
        ),
        (lambda k, l: FaceOnPlane(k, [], Linear(1e6)), "points is empty"),
        (lambda k, l: FaceOnPlane(l, [k, l], Linear(1e6)), "points belong to several bodies"),
    ],
)
def test_bad_input(make: Any, message: str) -> None:
    model = Model()
    body = model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0.3))).node
    with pytest.raises(InputError, match=message):
        part = make(model.ground, body)
        model.add(replace(part, name="c") if not isinstance(part, FaceOnPlane) else part)


def test_a_face_may_reach_over_the_nodes_of_one_beam() -> None:
    model = Model()
    section = Section.circle(0.01, Material(2e11, 0.3, 7800.0))
    beam = model.add(Beam(section, line=Straight((0, 0, 0.1), (1, 0, 0.1)), elements=3))
    assert len(model.add(FaceOnPlane(model.ground, beam.nodes, Linear(1e6)))) == len(beam.nodes)
