"""Friction under a load that rotates relative to the joint: an overhung body that rotates under gravity."""

import numpy as np

import fem_mbd as fm
from fem_mbd.elements import RigidBody
from fem_mbd.friction import Coulomb
from fem_mbd.joints import JointFriction, Revolute

MASS, INERTIA, OVERHANG, GRAVITY = 2.5, 0.04, 0.07, 9.81
MU, PIN, BENDING_ARM, SPEED, END = 0.15, 0.012, 0.05, 30.0, 0.2
# mu r N with N = m g (1 + d/b): the weight, and its couple with the arm d on two contacts that are b apart
TORQUE = MU * PIN * MASS * GRAVITY * (1 + OVERHANG / BENDING_ARM)


def lost_share(angle: float) -> float:
    """Torque that brakes the body over ``TORQUE``, less one, with steps in which it turns by ``angle``."""
    model = fm.Model(gravity=(0, 0, -GRAVITY))
    along = np.array([[0, 0, 1.0], [0, 1, 0], [-1, 0, 0]])
    inertia = (INERTIA / 2, INERTIA / 2, INERTIA)
    body = model.add(RigidBody(MASS, inertia, position=(OVERHANG, 0, 0), rotation=along))
    friction = JointFriction(
        law=Coulomb(MU, v_0=1e-6), pin_radius=PIN, friction_arm=0.02, bending_reaction_arm=BENDING_ARM,
        loads=("reaction_force", "bending_moment"),
    )  # fmt: skip
    model.add(Revolute(model.ground, body.node, at=(0, 0, 0), axis=(1, 0, 0), friction=friction))
    model.set_velocity(body, omega=(SPEED, 0, 0))
    result = fm.simulate(model, END, fm.StepControl.fixed(angle / SPEED), progress=False)
    lost = SPEED - result.of(body).angular_velocity[-1, 0]
    return float(lost * INERTIA / END / TORQUE - 1)


def test_the_couple_of_the_weight_for_any_rotation_in_a_step() -> None:
    """Radau's quadrature is of third order: the share that is missing falls with the fourth power of the angle, as the
    scheme integrates exactly terms that are odd in time (mean values missed (omega dt)^2/6 of the couple, 8.7e-3 here).
    """
    coarse, fine = lost_share(0.6), lost_share(0.3)
    assert abs(fine) < 0.05 * 0.3**2 / 6  # a twentieth of what mean values miss
    assert 10 < coarse / fine < 22
