"""Tests of conversions of rotations: closed forms, angles near 0 and pi, bad input."""

import numpy as np
import pytest
from hypothesis import given
from scipy.spatial.transform import Rotation

from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import (
    check_rotation,
    rotation_about,
    rotation_from_vector,
    skew,
    triad_with_first,
    triad_with_third,
    unit_vector,
)
from fem_mbd.core.scheme.outputs import node_outputs
from tests.core.scheme_tools import angles, directions, rotation_vectors, seeded, vectors
from tests.refusals import refused

IDENTITY = np.eye(3)


def _quaternion(rotation: Array) -> Array:
    """As the program records it: scalar first."""
    zero, q, place, velocity = np.zeros((1, 3)), np.empty((1, 4)), np.empty((1, 3)), np.empty((1, 3))
    node_outputs(zero, rotation[None], zero, zero, zero, place, q, velocity)
    return q[0]


def _from_quaternion(q: Array) -> Array:
    s, v = q[0], q[1:]
    return (s * s - v @ v) * IDENTITY + 2 * np.outer(v, v) + 2 * s * skew(v)


def _is_rotation(r: Array) -> None:
    assert r.T @ r == pytest.approx(IDENTITY, abs=4e-15)
    assert np.linalg.det(r) == pytest.approx(1.0, abs=1e-14)


@seeded
@given(vectors, vectors)
def test_skew_is_the_cross_product(a: Array, b: Array) -> None:
    assert skew(a) @ b == pytest.approx(np.cross(a, b), abs=1e-14)


@seeded
@given(rotation_vectors)
def test_rotation_from_vector_against_scipy(vector: Array) -> None:
    rotation = rotation_from_vector(vector)
    _is_rotation(rotation)
    assert rotation == pytest.approx(Rotation.from_rotvec(vector).as_matrix(), abs=4e-15)


@seeded
@given(angles, directions)
def test_rotation_keeps_its_axis_and_turns_by_its_angle(angle: float, axis: Array) -> None:
    rotation = rotation_about(3.0 * axis, angle)
    assert rotation @ axis == pytest.approx(axis, abs=4e-15)
    normal = triad_with_third(axis)[:, 0]
    turned = rotation @ normal
    assert [normal @ turned, axis @ np.cross(normal, turned)] == pytest.approx(
        [np.cos(angle), np.sin(angle)], abs=8e-15
    )


@seeded
@given(rotation_vectors)
def test_quaternion_and_back(vector: Array) -> None:
    rotation = rotation_from_vector(vector)
    q = _quaternion(rotation)
    assert q[0] >= 0.0
    assert q @ q == pytest.approx(1.0, abs=1e-14)
    assert _from_quaternion(q) == pytest.approx(rotation, abs=1e-14)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, -2, 3)])
@pytest.mark.parametrize("gap", [0.0, 1e-15, 1e-9, 1e-4])
def test_quaternion_near_half_a_turn_keeps_all_digits(axis: tuple[float, float, float], gap: float) -> None:
    n = np.array(axis) / np.linalg.norm(axis)
    q = _quaternion(rotation_about(n, np.pi - gap))
    expected = np.concatenate([[np.sin(gap / 2)], np.cos(gap / 2) * n])
    assert min(np.abs(q - expected).max(), np.abs(q + expected).max()) < 4e-16


@seeded
@given(directions)
def test_triads_are_right_handed_and_contain_the_axis(axis: Array) -> None:
    third, first = triad_with_third(2.5 * axis), triad_with_first(0.1 * axis)
    _is_rotation(third)
    _is_rotation(first)
    assert third[:, 2] == pytest.approx(axis, abs=1e-15)
    assert first[:, 0] == pytest.approx(axis, abs=1e-15)


def test_second_axis_is_towards_up() -> None:
    triad = triad_with_first((0, 0, 2), up=(3, 0, 5))
    assert triad == pytest.approx(np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]]).astype(float))


@seeded
@given(rotation_vectors)
def test_small_defects_of_a_given_rotation_are_removed(vector: Array) -> None:
    exact = rotation_from_vector(vector)
    given_matrix = exact @ (IDENTITY + 1e-9 * np.array([[1, 2, 0], [2, -1, 1], [0, 1, 1]]))
    _is_rotation(check_rotation(given_matrix, "frame"))
    assert check_rotation(given_matrix, "frame") == pytest.approx(exact, abs=1e-8)


@pytest.mark.parametrize(
    "matrix, message",
    [
        (np.eye(2), r"wheel has shape \(2, 2\)"),
        (np.full((3, 3), np.nan), "wheel has entries that are not finite"),
        (1.1 * np.eye(3), r"wheel: not a rotation matrix \(R\^T R differs from I by 2\.1e-01"),
        (-np.eye(3), r"wheel: not a rotation matrix .*det -1"),
    ],
)
def test_other_matrices_are_refused(matrix: Array, message: str) -> None:
    refused(message, check_rotation, matrix, "wheel")


def test_directions_without_length_or_parallel_are_refused() -> None:
    refused("hinge axis is the zero vector", unit_vector, (0, 0, 0), "hinge axis")
    refused("hinge axis has entries that are not finite", unit_vector, (0, np.inf, 0), "hinge axis")
    refused(r"hinge axis has shape \(2,\): give shape \(3,\)", triad_with_third, (1, 0), "hinge axis")
    refused(r"blade: .* parallel to the first", triad_with_first, (1, 1, 0), up=(-2, -2, 0), what="blade")
