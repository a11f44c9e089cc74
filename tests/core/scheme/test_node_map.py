"""Tests of the node maps: difference and rate identities, derivatives by complex step, order of the rotation."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.function_values import MAX_ROTATION
from fem_mbd.core.rotations import rotation_from_vector, skew
from fem_mbd.core.scheme.nodes import node_map
from fem_mbd.core.scheme.nodes.node_map import pull_back_derivative
from tests.core.scheme_tools import rotation_vectors, seeded

H = 1e-40
unknowns = (
    st.integers(0, 10**6)
    .map(lambda seed: np.random.default_rng(seed).normal(scale=1.2, size=12))
    .filter(lambda x: np.linalg.norm(x[3:6]) < MAX_ROTATION)
)


def _configuration(x: Any, r_i: Array, q_i: Array) -> tuple[Any, Any, Any]:
    """q_f, p, R_f in the type of x."""
    q_f, p, r_f = np.empty((4, 3), x.dtype), np.empty((4, 3), x.dtype), np.empty((3, 3), x.dtype)
    node_map.node_configuration(x, r_i, q_i, q_f, p, r_f)
    return q_f, p, r_f


def _start(r_i: Array) -> Array:
    return np.concatenate([[[0.3, -0.2, 0.7]], r_i.T])


def _variation(x: Any, r_i: Array, r_f: Any) -> tuple[Any, Any]:
    w_m, w_f = np.empty((3, 3, 6), x.dtype), np.empty((3, 3, 6), x.dtype)
    node_map.variation_maps(x, r_i, r_f, w_m, w_f)
    return w_m, w_f


def _trial(x: Array, r_f: Array) -> tuple[Array, Array, Array]:
    g, d_q, d_p = np.empty((3, 6)), np.empty((3, 3, 6)), np.empty((3, 3, 6))
    node_map.spin_derivative(x, g)
    node_map.trial_maps(x, r_f, g, d_q, d_p)
    return g, d_q, d_p


def _complex_columns(x: Array) -> list[tuple[int, Any]]:
    """Columns of (b, e) and x with an imaginary step in that unknown."""
    columns = []
    for j, k in enumerate((3, 4, 5, 9, 10, 11)):
        z = x.astype(complex)
        z[k] += 1j * H
        columns.append((j, z))
    return columns


@seeded
@given(unknowns, rotation_vectors)
def test_change_and_rate_of_the_directors_are_exact(x: Array, vector: Array) -> None:
    r_i = rotation_from_vector(vector)
    q_i = _start(r_i)
    q_f, p, r_f = _configuration(x, r_i, q_i)
    w_m, w_f = _variation(x, r_i, r_f)
    turn = x[[3, 4, 5, 9, 10, 11]]
    size = 1 + np.abs(w_m).max() * np.abs(turn).max()
    assert w_m @ turn == pytest.approx(q_f[1:] - q_i[1:], abs=1e-15 * size)
    assert w_f @ turn == pytest.approx(p[1:], abs=4e-15 * (1 + np.abs(turn).max()))
    assert q_f[0] == pytest.approx(q_i[0] + x[:3]) and p[0] == pytest.approx(x[:3] + x[6:9])


@seeded
@given(unknowns, rotation_vectors)
def test_end_rotation_is_a_rotation_and_rate_is_its_spin(x: Array, vector: Array) -> None:
    q_f, p, r_f = _configuration(x, rotation_from_vector(vector), _start(rotation_from_vector(vector)))
    assert r_f.T @ r_f == pytest.approx(np.eye(3), abs=8e-15)
    assert q_f[1:] == pytest.approx(r_f.T)
    assert p[1:] == pytest.approx((r_f @ skew(x[3:6] + x[9:12])).T, abs=1e-14)


@seeded
@given(unknowns, rotation_vectors)
def test_trial_maps_are_the_derivatives(x: Array, vector: Array) -> None:
    r_i = rotation_from_vector(vector)
    r_f = _configuration(x, r_i, _start(r_i))[2]
    g, d_q, d_p = _trial(x, r_f)
    scale = 1 + np.abs(d_p).max()
    for j, z in _complex_columns(x):
        q, p, r = (part.imag / H for part in _configuration(z, r_i, _start(r_i)))
        assert d_q[:, :, j] == pytest.approx(q[1:], abs=1e-14 * scale)
        assert d_p[:, :, j] == pytest.approx(p[1:], abs=1e-14 * scale)
        assert r_f @ skew(g[:, j]) == pytest.approx(r, abs=1e-14 * scale)


@seeded
@given(unknowns, rotation_vectors, st.integers(0, 10**6))
def test_derivative_of_the_pull_back(x: Array, vector: Array, seed: int) -> None:
    force_m, force_f = np.random.default_rng(seed).normal(size=(2, 4, 3))
    r_i = rotation_from_vector(vector)
    r_f = _configuration(x, r_i, _start(r_i))[2]
    k = np.zeros((6, 6))
    pull_back_derivative(x, r_i, r_f, _trial(x, r_f)[0], force_m, force_f, k)
    for j, z in _complex_columns(x):
        rows = np.zeros(12, complex)
        node_map.pull_back(z, r_i, _configuration(z, r_i, _start(r_i))[2], force_m, force_f, rows)
        exact = rows.imag[[3, 4, 5, 9, 10, 11]] / H
        assert k[:, j] == pytest.approx(exact, abs=1e-13 * (1 + np.abs(k).max()))


@seeded
@given(unknowns, rotation_vectors, st.integers(0, 10**6))
def test_pulled_back_forces_do_the_work_of_the_ambient_ones(x: Array, vector: Array, seed: int) -> None:
    force_m, force_f = np.random.default_rng(seed).normal(size=(2, 4, 3))
    r_i = rotation_from_vector(vector)
    q_i = _start(r_i)
    q_f, p, r_f = _configuration(x, r_i, q_i)
    rows = np.ones(12)
    node_map.pull_back(x, r_i, r_f, force_m, force_f, rows)
    work = (force_m * (q_f - q_i)).sum() + (force_f * p).sum()
    assert (rows - 1) @ x == pytest.approx(work, abs=1e-13 * (1 + np.abs(rows * x).sum()))


@pytest.mark.parametrize("angle", [0.1, 1.0, 2.0, 2.8])
def test_rotation_at_a_constant_angular_velocity_is_exact(angle: float) -> None:
    """And so is its mean over the step, to which forces on the directors are conjugate (e = 0, theory.md, 1)."""
    x, axis = np.zeros(12), np.array([1.0, -2.0, 2.0]) / 3
    x[3:6] = angle * axis
    r_f = _configuration(x, np.eye(3), _start(np.eye(3)))[2]
    assert r_f == pytest.approx(rotation_from_vector(x[3:6]), abs=1e-13)
    w_m, _ = _variation(x, np.eye(3), r_f)
    points, weights = np.polynomial.legendre.leggauss(20)
    for column in range(6):
        w = np.eye(3)[column % 3]
        mean = sum(
            0.5 * weight * rotation_from_vector(0.5 * (1 + t) * x[3:6]) @ (skew(w if column < 3 else t * w))
            for t, weight in zip(points, weights, strict=True)
        )
        assert w_m[:, :, column].T == pytest.approx(mean, abs=1e-12)
