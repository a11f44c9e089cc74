"""Test that Newton's method waits for the convergence of multipliers where forces depend on them."""

import numpy as np
import pytest

from fem_mbd.core.model.model import Model
from fem_mbd.elements import RigidBody
from fem_mbd.friction import TanhRegularised
from fem_mbd.joints import DrivenPrismatic, JointFriction
from tests.core.scheme_tools import run, simulation


def test_a_driven_slider_whose_predictor_has_the_exact_motion() -> None:
    model = Model(gravity=(0, -9.0, 0))
    node = model.add(RigidBody(3.0, (0.2, 0.2, 0.2), (0, 0, 0))).node
    friction = JointFriction(law=TanhRegularised(0.25, 1e6), loads=("reaction_force",))
    model.add(DrivenPrismatic(model.ground, node, axis=(0, 0, 1), speed=1.5, name="guide", friction=friction))
    model.set_velocity(node, velocity=(0, 0, 1.5))
    sim = simulation(model, 0.01, 0.01)
    run(sim)
    # the driver's multiplier balances mu m g; the predictor has the exact motion but no force
    assert np.abs(sim.state.multipliers[5, 0]) == pytest.approx(0.25 * 3.0 * 9.0, rel=1e-12)
