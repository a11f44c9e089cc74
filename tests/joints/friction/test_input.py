"""Invalid friction of joints raises InputError naming what and where; one warning for laws that are not passive."""

import re
from typing import Any

import pytest

from fem_mbd import InputError, Model, SolverFailure
from fem_mbd.elements import RigidBody
from fem_mbd.friction import ActiveLawWarning, ClassicalLuGre, Coulomb, Frictionless, LuGre, TanhRegularised
from fem_mbd.joints import Clamp, DrivenPrismatic, JointFriction, Prismatic, Revolute, Spherical
from tests.core.scheme_tools import run, simulation

LAW = LuGre(sigma_0=1e5, mu_s=0.5, mu_k=0.3, v_s=0.01)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"law": LuGre}, "give a friction law"),
        ({"law": 0.3}, "give a friction law"),
        ({"viscous": -1.0}, "viscous is -1: it must not be negative"),
        ({"torque_preload": float("nan")}, "torque_preload is nan"),
        ({"pin_radius": 0.0}, "pin_radius is 0: it must be above zero"),
        ({"initial_overlap": -1}, "initial_overlap is -1"),
        ({"effect": "some"}, "effect is 'some': give one of"),
        ({"loads": ("bending",)}, "no load 'bending'; did you mean"),
        ({"loads": ("preloads",)}, "did you mean 'preload'"),
        ({"faces": (0.1,)}, "two half widths"),
        ({"faces": (0.1, 0.0)}, "faces is 0"),
        ({"law": Coulomb(0.3, 1e-3), "effect": "sliding"}, "needs a law with mu_s and mu_k"),
    ],
)
def test_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        JointFriction(**{"law": LAW, **given})


def _add(joint: Any, **others: Any) -> None:
    model = Model()
    node = model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0))).node
    model.add(joint(model.ground, node, name="hinge", **others))


def test_a_length_that_the_joint_needs() -> None:
    with pytest.raises(InputError, match="friction of revolute joint 'hinge': give its pin_radius"):
        _add(Revolute, axis=(0, 0, 1), friction=JointFriction(law=LAW))


def test_a_planar_hinge_needs_no_arm_for_its_axial_force() -> None:
    """A pendulum in its plane has none; elsewhere the arm is the pin's radius."""
    law: Any = Coulomb(0.3, 1e-4)
    arms: dict[str, Any] = {"pin_radius": 0.01, "bending_reaction_arm": 0.02}
    swings = []
    choices: list[dict[str, Any]] = [{}, {"friction_arm": 0.5}]
    for more in choices:
        model = Model(gravity=(0, 0, -9.81))
        bob = model.add(RigidBody(1.0, (0.01, 0.01, 0.01), (0.5, 0, 0)))
        friction = JointFriction(law=law, **arms, **more)
        model.add(Revolute(model.ground, bob, at=(0, 0, 0), axis=(0, 1, 0), friction=friction))
        sim = simulation(model, 0.01, 0.2)
        run(sim)
        swings.append(sim.state.u[1])
    assert swings[0] == pytest.approx(swings[1], abs=1e-12)


@pytest.mark.parametrize(
    ("joint", "given", "message"),
    [
        (Revolute, {"faces": (0.1, 0.2)}, "friction of revolute joint 'hinge': it has no faces"),
        (Revolute, {"force_preload": 1.0}, "it has no force_preload: leave this out"),
        (Revolute, {"yoke": "k", "slider": "outer"}, "it has no yoke, slider, slider (it needs faces)"),
        (Prismatic, {"torque_preload": 1.0}, "friction of prismatic joint 'hinge': it has no torque_preload"),
        (Prismatic, {"slider": "outer"}, "it has no slider (it needs faces)"),
        (Revolute, {"overlap_delta": "increase"}, "it has no overlap_delta"),
    ],
)
def test_parameters_that_the_joint_does_not_read(joint: Any, given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        _add(
            joint,
            axis=(0, 0, 1),
            friction=JointFriction(law=LAW, pin_radius=0.01, loads=("preload",), **given),
        )


def test_a_joint_without_sliding_surfaces() -> None:
    model = Model()
    k, l = (model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0))).node for _ in range(2))
    with pytest.raises(
        InputError, match="friction of clamp joint 'weld': this joint has no sliding surfaces"
    ):
        model.add(Clamp(k, l, name="weld", friction=JointFriction(law=LAW)))


def test_joints_without_friction_surfaces() -> None:
    friction = JointFriction(law=LAW, ball_radius=0.1, loads=("bending_moment",))
    with pytest.raises(InputError, match="none of its loads acts on the surfaces of a spherical joint"):
        _add(Spherical, friction=friction)


def test_a_preload_needs_a_coefficient() -> None:
    friction = JointFriction(law=Frictionless(), loads=("preload",), force_preload=1.0)
    with pytest.raises(InputError, match="force_preload needs a law with a static or kinetic coefficient"):
        _add(Prismatic, axis=(0, 0, 1), friction=friction)


def test_a_law_that_is_not_passive_is_told_once_with_numbers_that_are() -> None:
    law = LuGre(sigma_0=1e5, sigma_1=316.0, sigma_2=0.4, mu_s=0.5, mu_k=0.3, v_s=0.01)
    arms: Any = {"pin_radius": 5e-3, "friction_arm": 7e-3, "bending_reaction_arm": 5e-3}
    with pytest.warns(ActiveLawWarning, match="revolute joint 'hinge'") as told:
        _add(Revolute, axis=(0, 0, 1), friction=JointFriction(law=law, viscous=0.1, **arms))
    assert len(told) == 1 and told[0].filename == __file__
    text = str(told[0].message)
    # sigma_2 mu_k/(mu_s - mu_k) = 0.6 s/m; sigma_1 (mu_s - mu_k)/mu_k = 211 s/m
    assert "sigma_1 <= 0.6 s/m" in text and "sigma_2 >= 211 s/m" in text
    assert "below 0.000476 N" in text  # 0.1/(210.67 - 0.4)
    for number in (LuGre(sigma_0=1e5, sigma_1=0.6, sigma_2=0.4, mu_s=0.5, mu_k=0.3, v_s=0.01),):
        _add(Revolute, axis=(0, 0, 1), friction=JointFriction(law=number, **arms))


def test_the_joint_s_viscous_part_helps_a_classical_law() -> None:
    """Both are in N s/m and do not follow the normal force: sigma_2 + viscous counts."""
    law = ClassicalLuGre(sigma_0=1e5, sigma_1=3.0, sigma_2=0.5, mu_s=0.5, mu_k=0.3, v_s=0.01)
    guide: Any = {"law": law, "reaction_arm": 0.1, "initial_overlap": 0.1}
    with pytest.warns(ActiveLawWarning, match="sigma_1 <= 1.5 N s/m, or sigma_2 >= 2 N s/m$"):
        _add(Prismatic, axis=(0, 0, 1), friction=JointFriction(viscous=0.5, **guide))
    _add(Prismatic, axis=(0, 0, 1), friction=JointFriction(viscous=1.5, **guide))


@pytest.mark.parametrize(("effect", "both"), [("sliding", 0.3), ("stiction", 0.5)])
def test_effect(effect: Any, both: float) -> None:
    law: Any = JointFriction(law=LAW, effect=effect).law_in_effect()
    assert (law.mu_s, law.mu_k) == (both, both)
    assert JointFriction(law=LAW).law_in_effect() is LAW


def test_the_parts_may_not_slide_apart() -> None:
    model = Model(gravity=(0, -9.0, 0))
    node = model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0))).node
    friction = JointFriction(
        law=TanhRegularised(0.2, 1e3), reaction_arm=0.1, initial_overlap=0.1, overlap_delta="decrease"
    )
    model.add(DrivenPrismatic(model.ground, node, axis=(0, 0, 1), speed=1.0, name="guide", friction=friction))
    model.set_velocity(node, velocity=(0, 0, 1.0))
    sim = simulation(model, 0.02, 0.2)
    with pytest.raises(
        SolverFailure, match=r"joint 'guide': at t = 0\.1 s the displacement exceeds its overlap of 0"
    ):
        run(sim)
