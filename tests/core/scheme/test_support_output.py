"""Test of the output "support": force and moment at the position of a fixed node with an eccentric mass centre."""

import numpy as np

import fem_mbd
from fem_mbd.core.rotations import rotation_from_vector
from fem_mbd.elements import RigidBody
from fem_mbd.joints import Clamp


def test_support_of_a_clamped_body_by_statics() -> None:
    turn, centre, weight = (
        rotation_from_vector((0.3, -0.2, 0.5)),
        (0.1, 0.2, 0.3),
        np.array([0, 0, -2 * 9.81]),
    )
    model = fem_mbd.Model(gravity=(0.0, 0.0, -9.81))
    body = model.add(RigidBody(2.0, (0.1, 0.1, 0.1), position=(1, 2, 3), rotation=turn, centre=centre))
    model.add(Clamp(model.ground, body.node))
    result = fem_mbd.simulate(model, 0.1, fem_mbd.StepControl.fixed(0.1))
    moment = -np.cross(turn @ np.array(centre), weight)
    assert np.allclose(result.outputs["support"][-1, 0], [*-weight, *moment], atol=1e-12)
