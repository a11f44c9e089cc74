"""Tests of equilibria held by friction against statics by hand."""

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.elements import RigidBody, SpringDamper
from fem_mbd.errors import InputError, SolverFailure
from fem_mbd.friction import Coulomb, Linear, LuGre
from fem_mbd.friction.records import FrictionLaw
from fem_mbd.joints import JointFriction, PointOnPlane, Prismatic, Revolute

pytestmark = pytest.mark.slow

GRAVITY, MASS, SIGMA, MU_S = 9.81, 2.0, 1e5, 0.5
LAW = LuGre(sigma_0=SIGMA, sigma_1=10.0, sigma_2=7.0, mu_s=MU_S, mu_k=0.3, v_s=1e-3)


def block(degrees: float, in_statics: bool = True, law: FrictionLaw = LAW) -> tuple[fm.Model, np.ndarray]:
    """A block on a guide inclined against the horizontal; and the downhill direction (3,)."""
    model, a = fm.Model(gravity=(0, 0, -GRAVITY)), np.radians(degrees)
    body = model.add(RigidBody(MASS, (1e-3, 1e-3, 1e-3), position=(0, 0, 0), name="block"))
    down = np.array([np.cos(a), 0, -np.sin(a)])
    friction = JointFriction(law=law, initial_overlap=0.1, reaction_arm=0.1, in_statics=in_statics)
    model.add(Prismatic(model.ground, body.node, axis=down, friction=friction, name="guide"))
    return model, down


def bent(share: float) -> float:
    """m, slip after which slowly deflected bristles carry a share of the static coefficient: dz = ds (1 - z/z_s)."""
    return float(-MU_S / SIGMA * np.log(1.0 - share))


@pytest.mark.parametrize("degrees", [10.0, -10.0, 24.0, 26.0])
@pytest.mark.parametrize("friction", [True, None])
def test_a_block_on_an_incline_is_held(degrees: float, friction: bool | None) -> None:
    """Friction equals the component of the weight; the block has slipped by the required deflection, and a run stays
    there.
    """
    model, down = block(degrees)
    found = fm.find_equilibrium(model, friction=friction)
    slope = np.tan(np.radians(degrees))
    slid = float(found.of("block").position @ down)
    near_slip = 1.0 / (1.0 - abs(slope) / MU_S)
    assert slid == pytest.approx(np.sign(degrees) * bent(abs(slope) / MU_S), rel=4e-4 * near_slip)
    held = found.of("guide.friction").force[2]  # along the guide
    assert held == pytest.approx(-MASS * GRAVITY * np.sin(np.radians(degrees)), rel=1e-4)
    after = fm.simulate(model, 0.05, fm.StepControl.fixed(1e-3), initial=found.state)
    assert np.abs(after.of("block").position - found.of("block").position).max() < 1e-8


@pytest.mark.parametrize("friction", [True, None])
def test_a_block_that_slides_is_refused(friction: bool | None) -> None:
    """tan 28 degrees = 0.53."""
    model, _ = block(28.0)
    with pytest.raises(SolverFailure, match="does not hold" if friction else "without resistance"):
        fm.find_equilibrium(model, friction=friction)


@pytest.mark.parametrize(("in_statics", "law"), [(False, LAW), (True, Coulomb(mu_k=0.5, v_0=1e-4))])
def test_friction_without_force_at_rest_holds_nothing(in_statics: bool, law: FrictionLaw) -> None:
    model, _ = block(10.0, in_statics, law)
    with pytest.raises(SolverFailure, match="does not hold"):
        fm.find_equilibrium(model, friction=True)


@pytest.mark.parametrize("offset", [0.02, -0.02])
def test_a_hinge_holds_a_pendulum_off_its_lowest_place(offset: float) -> None:
    """The pin's friction carries the moment of the weight, which is below mu_s times its radius times the weight."""
    model = fm.Model(gravity=(0, 0, -GRAVITY))
    bob = model.add(RigidBody(MASS, (1e-3, 1e-3, 1e-3), position=(offset, 0, -0.5)))
    friction = JointFriction(law=LAW, pin_radius=0.1, friction_arm=0.1, bending_reaction_arm=0.1)
    model.add(Revolute(model.ground, bob.node, at=(0, 0, 0), axis=(0, 1, 0), friction=friction, name="pin"))
    free = fm.find_equilibrium(model, friction=False)
    assert free.of(bob).position[0] == pytest.approx(0, abs=1e-9)
    found = fm.find_equilibrium(model, friction=True)
    assert found.of(bob).position == pytest.approx([offset, 0, -0.5], abs=1e-4)
    moment = MASS * GRAVITY * found.of(bob).position[0]
    assert abs(found.of("pin.friction").torque[2]) == pytest.approx(abs(moment), rel=1e-4)


def test_friction_shares_a_load_with_a_spring() -> None:
    """Beyond its limit friction carries mu_s times the weight and the spring the rest; without friction, all."""
    model, stiffness, push = fm.Model(gravity=(0, 0, -GRAVITY)), 1e5, 15.0
    body = model.add(RigidBody(MASS, (1e-3, 1e-3, 1e-3), position=(0, 0, 0)))
    friction = JointFriction(law=LAW, initial_overlap=0.1, reaction_arm=0.1)
    model.add(Prismatic(model.ground, body.node, axis=(1, 0, 0), friction=friction))
    model.add(SpringDamper(model.ground.at_global((-1, 0, 0)), body.node, stiffness=stiffness))
    model.add(fm.elements.Force(body, (push, 0, 0)))
    alone = fm.find_equilibrium(model)
    assert alone.of(body).position[0] == pytest.approx(push / stiffness, rel=1e-9)
    both = fm.find_equilibrium(model, friction=True)
    left = push - MU_S * MASS * GRAVITY
    assert both.of(body).position[0] == pytest.approx(left / stiffness, rel=2e-3)


def test_contacts_hold_a_block_on_an_inclined_plane() -> None:
    """Four feet on a plane at 20 degrees: tan 20 = 0.36; the friction forces add up to the component of the weight."""
    model, a = fm.Model(gravity=(0, 0, -GRAVITY)), np.radians(20.0)
    turned = np.array([[np.cos(a), 0, np.sin(a)], [0, 1, 0], [-np.sin(a), 0, np.cos(a)]])
    up, down = turned[:, 2], turned[:, 0]
    body = model.add(RigidBody(MASS, (1e-2, 1e-2, 1e-2), position=0.05 * up, rotation=turned))
    feet = []
    for x in (-0.1, 0.1):
        for y in (-0.1, 0.1):
            foot = body.node.at_global(x * down + y * np.array([0, 1, 0]) - 1e-6 * up)
            feet.append(model.add(PointOnPlane(model.ground, foot, Linear(1e6), LAW, direction=up)))
    found = fm.find_equilibrium(model, friction=True)
    friction = sum(found.of(foot).friction_force for foot in feet)
    assert friction @ down == pytest.approx(-MASS * GRAVITY * np.sin(a), rel=1e-4)
    assert abs((found.of(body).position - 0.05 * up) @ down) < 1e-4
    after = fm.simulate(model, 0.02, fm.StepControl.fixed(1e-3), initial=found.state)
    assert np.abs(after.of(body).position - found.of(body).position).max() < 1e-8


def test_friction_is_for_what_is_at_rest() -> None:
    model, _ = block(10.0)
    with pytest.raises(InputError, match="static friction excludes"):
        fm.find_equilibrium(model, friction=True, arc_length=True)
