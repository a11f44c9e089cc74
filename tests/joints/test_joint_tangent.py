"""Tangents of all joints against finite differences, at unknowns far from a solution."""

import pytest

from tests.core.scheme_tools import random_step, tangent_error
from tests.joints.joint_models import CASES, joined


@pytest.mark.parametrize("ground", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_tangent(name: str, ground: bool) -> None:
    for scale, seed in ((0.1, 0), (0.7, 1)):
        sim, y = random_step(joined(name, ground=ground), 0.3, scale, seed)
        assert tangent_error(sim, y) < 1e-9
