"""Critical speeds of a rigid rotor against closed forms."""

import numpy as np
import pytest

import fem_mbd as fm
from fem_mbd.elements import RigidBody, SpringDamper
from fem_mbd.joints import Spherical


def test_critical_speeds_of_both_whirls() -> None:
    """A rotor on a ball joint at its mass centre, held upright by springs on its axis: with K the stiffness of a tilt
    it whirls as fast as it turns backwards at (K/(J_t + J_p))^(1/2), forwards at (K/(J_t - J_p))^(1/2) (Genta,
    Dynamics of Rotating Systems, chapter 4)."""
    polar, across, arm, stiffness = 0.4, 1.1, 0.7, 800.0
    model = fm.Model()
    body = model.add(RigidBody(3.0, (across, across, polar), (0, 0, 0), name="rotor"))
    model.add(Spherical(model.ground, body, at=(0, 0, 0)))
    tip = body.node.at((0, 0, arm))
    for side in ((1.0, 0, arm), (-1.0, 0, arm), (0, 1.0, arm), (0, -1.0, arm)):
        model.add(SpringDamper(model.ground.at(side), tip, stiffness))
    found = fm.critical_speeds(model, frame="inertial", number=2)
    tilt = 2 * stiffness * arm**2
    assert found.speeds == pytest.approx(np.sqrt(tilt / np.array([across + polar, across - polar])), rel=1e-6)
    assert found.whirl == pytest.approx([-1.0, 1.0], abs=1e-9)
