"""Discrete gradient and Hessian of a length and of an angle."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad_vec

from fem_mbd.base.arrays import Array
from fem_mbd.elements.springs import geometry
from tests.elements.springs.spring_models import order


def _strain(kind: int, u: Array, near: float = 0.0) -> tuple[float, Array]:
    value, gradient = geometry.strain(kind, u, near)
    return float(value), np.array(gradient)


def _discrete_gradient(kind: int, u_i: Array, u_f: Array, near: float = 0.0) -> Array:
    f_i, f_f = _strain(kind, u_i)[0], _strain(kind, u_f, near)[0]
    return np.array(geometry.discrete_gradient(kind, u_i, f_i, u_f, f_f))


@pytest.mark.parametrize("kind, m", [(geometry.LENGTH, 3), (geometry.ANGLE, 2)])
def test_discrete_gradient_gives_the_change_of_the_strain(kind: int, m: int) -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        u_i, u_f = np.zeros(3), np.zeros(3)
        u_i[:m], u_f[:m] = rng.normal(size=m), rng.normal(size=m)
        f_i = _strain(kind, u_i)[0]
        # for angles any change below 2 pi, not only up to pi
        near = f_i + rng.uniform(-np.pi, np.pi)
        change = _strain(kind, u_f, near)[0] - f_i
        found = _discrete_gradient(kind, u_i, u_f, near) @ (u_f - u_i)
        assert found == pytest.approx(change, abs=1e-13, rel=1e-11)


@pytest.mark.parametrize("kind, m", [(geometry.LENGTH, 3), (geometry.ANGLE, 2)])
def test_discrete_gradient_is_the_mean_along_the_chord(kind: int, m: int) -> None:
    u, d = np.array([1.0, 0.5, 0.3]), np.array([-0.2, 0.9, 0.7])
    if kind == geometry.ANGLE:
        # both ends on one circle, as they are once the axes are aligned
        u, d = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])

    def error(size: float) -> float:
        u_i, u_f = u - size * d, u + size * d
        mean = quad_vec(lambda s: _strain(kind, u_i + s * (u_f - u_i))[1], 0, 1)[0]
        return float(np.abs(_discrete_gradient(kind, u_i, u_f) - mean)[:m].max())

    if kind == geometry.ANGLE:
        assert error(0.3) < 1e-12
    else:
        assert order([error(size) for size in (0.05, 0.1, 0.2)], [0.05, 0.1, 0.2]) == pytest.approx(
            4, abs=0.2
        )


@pytest.mark.parametrize("kind, m", [(geometry.LENGTH, 3), (geometry.ANGLE, 2)])
def test_hessian_is_that_of_the_strain(kind: int, m: int) -> None:
    u = np.array([0.8, -0.6, 0.5])
    f, h = _strain(kind, u)[0], 1e-6
    for v in np.eye(3)[:m]:
        out = np.array(geometry.hessian_times(kind, u, f, u, f, v))
        difference = (_strain(kind, u + h * v)[1] - _strain(kind, u - h * v)[1]) / (2 * h)
        assert out[:m] == pytest.approx(difference[:m], abs=1e-9)
