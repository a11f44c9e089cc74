"""A run without a step control: as exact as the default tolerance promises."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipk

import fem_mbd as fm
from fem_mbd.elements import RigidBody
from fem_mbd.joints import Revolute


def test_pendulum_comes_back_after_its_period() -> None:
    """Period 4 K(sin^2(a/2)) sqrt(I / (m g l)) of a body let go at a = 90 degrees; I about the pivot."""
    model = fm.Model(gravity=(0, 0, -9.81))
    body = model.add(RigidBody(2.0, (0.01, 0.01, 0.01), position=(0.5, 0, 0)))
    model.add(Revolute(model.ground, body.node, at=(0, 0, 0), axis=(0, 1, 0)))
    inertia = 0.01 + 2.0 * 0.5**2
    period = 4.0 * ellipk(0.5) * np.sqrt(inertia / (2.0 * 9.81 * 0.5))
    result = fm.simulate(model, period)
    assert result.outputs["position"][-1, body.node.index] == pytest.approx([0.5, 0.0, 0.0], abs=1e-4 * 0.5)
    assert {"error estimate"} <= set(np.unique(result.step["rule"].astype(str))) <= {
        "initial", "growth", "error estimate", "dt_max", "end"
    }  # fmt: skip
