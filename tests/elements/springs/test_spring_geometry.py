"""Derivatives of the discrete gradient and the Hessian of a length and of an angle, by complex steps."""

from __future__ import annotations

import numpy as np
import pytest

from fem_mbd.elements.springs import geometry
from fem_mbd.elements.springs.geometry_change import change


@pytest.mark.parametrize("size", [1e-5, 1e-3, 0.3])
@pytest.mark.parametrize("kind, m", [(geometry.LENGTH, 3), (geometry.ANGLE, 2)])
def test_changes_are_complex_steps(kind: int, m: int, size: float) -> None:
    """Hessian, S, and the derivatives of G, of S u_p and of S D at fixed D by u_f; ``size`` of the step's motion."""
    rng, h = np.random.default_rng(3), 1e-30
    u_i, d, u_p = np.zeros(3), np.zeros(3), np.zeros(3)
    u_i[:m], d[:m], u_p[:m] = rng.normal(size=m), size * rng.normal(size=m), rng.normal(size=m)
    f_i = geometry.strain(kind, u_i, 0.0)[0]
    f_f, g = geometry.strain(kind, u_i + d, f_i)
    found = np.zeros((5, 3, 3))
    change(kind, u_i, f_i, u_i + d, f_f, g, u_p, found)
    expected = np.zeros((5, 3, 3))
    expected[1] = np.transpose([geometry.hessian_times(kind, u_i, f_i, u_i + d, f_f, v) for v in np.eye(3)])
    for j in range(m):
        u = u_i + d + 1j * h * np.eye(3)[j]
        f, gradient = geometry.strain(kind, u, f_i)
        varied = (
            gradient,
            geometry.discrete_gradient(kind, u_i, f_i, u, f),
            geometry.hessian_times(kind, u_i, f_i, u, f, u_p),
            geometry.hessian_times(kind, u_i, f_i, u, f, d),
        )
        expected[[0, 2, 3, 4], :, j] = np.imag(varied) / h
    assert found[:, :m, :m] == pytest.approx(expected[:, :m, :m], rel=1e-9, abs=1e-12)
