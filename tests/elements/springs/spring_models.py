"""Models and functions shared by the tests of springs."""

import numpy as np

from fem_mbd import Model, Simulation, StepControl
from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import rotation_about
from fem_mbd.core.scheme.ledger import ENERGIES, LEDGER
from fem_mbd.elements import RigidBody, RotationalSpringDamper, SpringDamper
from fem_mbd.joints import Revolute

AXIS = np.array([0.3, -0.4, 0.8]) / np.linalg.norm([0.3, -0.4, 0.8])


def two_bodies(
    parts: str,
    turn: Array | None = None,
    shift: Array | None = None,
    gravity: float = -9.81,
    stiffness: float = 300.0,
) -> Model:
    """Two bodies with mass centres off their nodes and parts by letters.

    j: joint, l: line spring, u: undamped one, c: cubic one, g: spring to the ground, t: torsion spring, d: cubic one

    ``turn`` (3, 3) and ``shift`` (3,) move the whole system, gravity and initial motion included.
    """
    r, d = np.eye(3) if turn is None else turn, np.zeros(3) if shift is None else shift
    model = Model(gravity=r @ (0, 0, gravity))
    first, second = r @ rotation_about((1, 2, 3), 0.7), r @ rotation_about((1, -2, 1), 0.4)
    a = model.add(RigidBody(2.0, (0.3, 0.4, 0.5), d, rotation=first, centre=(0.1, 0, 0.05))).node
    place = d + r @ (0.5, 0.2, 0.1)
    b = model.add(RigidBody(1.0, (0.2, 0.25, 0.3), place, rotation=second, centre=(0, 0.2, 0.05))).node
    at, axis = d + r @ (0.3, 0.1, 0.0), r @ AXIS
    if "j" in parts:
        model.add(Revolute(a, b, at=at, axis=axis))
    if "l" in parts:
        model.add(SpringDamper(a.at((0.1, 0.2, 0.3)), b.at((0.3, 0.5, 0.1)), stiffness, 2.0, length=0.4))
    if "u" in parts:
        model.add(SpringDamper(a.at((0.1, 0.2, 0.3)), b.at((0.3, 0.5, 0.1)), stiffness))
    if "c" in parts:
        model.add(SpringDamper(a.at((0.1, 0.2, 0.3)), b.at((0.3, 0.5, 0.1)), 50.0, length=0.3, cubic=2e3))
    if "g" in parts:
        model.add(SpringDamper(model.ground.at(d + r @ (0, 0, 1.5)), b.at((0.3, 0.5, 0.1)), 30.0, 0.5))
    if "t" in parts:
        model.add(RotationalSpringDamper(a, b, axis, 20.0, 0.3, angle=0.2))
    if "d" in parts:
        model.add(RotationalSpringDamper(a, b, axis, 2.0, angle=0.2, cubic=15.0))
    model.set_velocity(a, r @ (1, 2, 3), r @ (2, 1, 4), about=at)
    model.set_velocity(b, r @ (1, 2, 3), r @ (2, 1, 4) + 3 * axis, about=at)
    return model


def simulation(model: Model, dt: float, end: float) -> Simulation:
    return Simulation(model, end, StepControl.fixed(dt))


def worst_residual(ledger: Array) -> float:
    return float(np.abs(ledger[:, LEDGER.index("residual")]).max() / np.abs(ledger[:, : len(ENERGIES)]).max())
