"""Transport of bristles from one normal to the next: the smallest rotation, at constant length."""

import numpy as np
import pytest

from fem_mbd.core.rotations import rotation_about
from fem_mbd.joints.contact.geometry.contact_kinematics import transport


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1.0, 3.0])
def test_it_is_the_smallest_rotation(angle: float) -> None:
    rng = np.random.default_rng(1)
    normal, axis, along = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn = rotation_about(axis, angle)
    z = np.array([0.3 * axis + 0.4 * along, -along])
    expected = z @ turn.T
    transport(z, normal, turn @ normal)
    assert np.abs(z - expected).max() < 1e-15 / np.cos(0.5 * angle)


@pytest.mark.parametrize("short_of", [1e-4, 1e-6, 1e-8, 0.0])
def test_length_stays_between_normals_that_are_almost_opposite(short_of: float) -> None:
    """As where a ball crosses its socket within a step; the energy of bristles is that of their length."""
    rng = np.random.default_rng(2)
    normal, axis, along = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    z = np.array([0.3 * axis + 0.4 * along])
    transport(z, normal, rotation_about(axis, np.pi - short_of) @ normal)
    assert abs(np.linalg.norm(z[0]) - 0.5) < 1e-15
