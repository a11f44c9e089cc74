"""Stops of the spatial clearance joint: a disk between two walls."""

from typing import Any

import numpy as np
import pytest

from fem_mbd import InputError, Model
from fem_mbd.elements import RigidBody
from fem_mbd.friction import ExactRestitution, Hertz, Linear
from fem_mbd.joints import SpatialClearance
from tests.core.scheme_tools import now, simulation


def test_a_disk_rebounds_from_stops() -> None:
    """Without friction it rebounds from the wall with 5/6 of its speed, the given restitution."""
    model = Model()
    body = model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0.02))).node
    law = ExactRestitution(Hertz(1e9), 5 / 6)
    joint = model.add(
        SpatialClearance(
            model.ground, body, 0.05, 0.049, law, axis=(0, 0, 1), stops=(-0.03, 0.022), name="bush"
        )
    )
    model.set_velocity(body, (0, 0, 0.1))
    sim = simulation(model, 1e-5, 0.03)
    assert now(sim).of(list(joint.stops)).gap == pytest.approx([0.05 - 4.9e-5, 0.002 - 4.9e-5], abs=1e-15)
    forces = np.array([record.contacts["normal_force"] for record in sim.steps()])
    assert sim.state.v[1] == pytest.approx((0, 0, -0.1 * 5 / 6), rel=1e-4, abs=1e-12)
    assert forces[:, 2].max() > 0.0 and not forces[:, :2].any()


@pytest.mark.parametrize(
    ("stops", "message"),
    [
        ((0.1, 0.0), "give the lower one first"),
        ((-0.1, 0.01), "not between its stops"),
        ((1.0,), "stops has shape"),
    ],
)
def test_bad_stops(stops: Any, message: str) -> None:
    model = Model()
    body = model.add(RigidBody(1.0, (1, 1, 1), (0, 0, 0.02))).node
    with pytest.raises(InputError, match=f"clearance joint 'bush'.*{message}"):
        model.add(
            SpatialClearance(
                model.ground, body, 0.05, 0.049, Linear(1e6), axis=(0, 0, 1), stops=stops, name="bush"
            )
        )
