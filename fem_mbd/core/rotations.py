"""Rotations: Cayley (Rodrigues) parameters, rotation vectors and quaternions.

Matrices act on column vectors; the columns of a node's rotation R are its directors d_1, d_2, d_3 in global axes.
The scheme itself uses the Cayley map only (see `fem_mbd.core.scheme.nodes.node_map`); the rest serves input and output.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import array
from fem_mbd.errors import InputError

NEAR_X = 0.9  # cosine of the angle to x, above which x is too near an axis to lie across it
ALONG = 1e-6  # sine of the angle between two directions, below which they count as parallel
_NO_LENGTH = float(np.finfo(float).tiny) ** 0.5


def skew(a: ArrayLike) -> Array:
    """Matrices of the cross product, ``skew(a) @ b == cross(a, b)``; (..., 3, 3) of (..., 3)."""
    x, y, z = np.moveaxis(np.asarray(a, dtype=float), -1, 0)
    o = np.zeros_like(x)
    return np.stack([o, -z, y, z, o, -x, -y, x, o], axis=-1).reshape(*np.shape(x), 3, 3)


def rotation_from_vector(vector: ArrayLike) -> Array:
    """Rotation about ``vector`` by its length in radians (Rodrigues' formula)."""
    vector = np.asarray(vector, dtype=float)
    angle = float(np.linalg.norm(vector))
    s = skew(vector)
    # sin(x)/x and (1 - cos(x))/x^2 written with sinc, regular at zero
    return np.eye(3) + np.sinc(angle / np.pi) * s + 0.5 * np.sinc(angle / (2 * np.pi)) ** 2 * (s @ s)


def rotation_about(axis: ArrayLike, angle: float) -> Array:
    """Rotation by ``angle`` (rad) about the direction ``axis``."""
    return rotation_from_vector(angle * unit_vector(axis, "rotation axis"))


def unit_vector(vector: ArrayLike, what: str) -> Array:
    """``vector`` scaled to unit length, read-only.

    Raises
    ------
    InputError
        When it is not a finite three-vector of non-zero length; the message names ``what``.
    """
    v = array(vector, (3,), what)
    length = float(np.linalg.norm(v))
    if length < _NO_LENGTH:
        raise InputError(f"{what} is the zero vector: give a direction such as (0, 0, 1)")
    unit: Array = v / length
    unit.setflags(write=False)
    return unit


def cross(a: Array, b: Array) -> Array:
    """Vector product of two (3,); numpy's own, made for any shape, takes fifty times as long."""
    (a0, a1, a2), (b0, b1, b2) = a.tolist(), b.tolist()
    return np.array([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0])


def triad_with_third(axis: ArrayLike, what: str = "axis", first: ArrayLike | None = None) -> Array:
    """Right-handed orthonormal triad (columns) whose third vector is along ``axis``.

    The first is ``first`` projected normal to the axis; by default the global x axis, or y where the axis is within 25
    degrees of x.

    Raises
    ------
    InputError
        When a direction is zero, or ``first`` is along the axis.
    """
    e3 = unit_vector(axis, what)
    if first is None:
        first = np.eye(3)[0 if abs(e3[0]) <= NEAR_X else 1]
    start = unit_vector(first, f"first of {what}")
    e1 = start - e3 * (e3 @ start)
    size = float(np.linalg.norm(e1))
    if size < ALONG:
        raise InputError(f"first of {what}: it is along the axis: give a direction across it")
    e1 /= size
    return np.stack([e1, cross(e3, e1), e3], axis=1)


def triad_with_first(axis: ArrayLike, up: ArrayLike | None = None, what: str = "axis") -> Array:
    """Triad (columns) with the first vector along ``axis`` and the second in the plane of ``axis`` and ``up``."""
    e1 = unit_vector(axis, what)
    if up is None:
        up = np.eye(3)[int(np.argmin(np.abs(e1)))]
    e2 = np.asarray(up, dtype=float) - e1 * (e1 @ np.asarray(up, dtype=float))
    length = float(np.linalg.norm(e2))
    if length <= 1e-8 * float(np.linalg.norm(up)):
        raise InputError(f"{what}: the direction given for the second axis is parallel to the first")
    e2 /= length
    return np.stack([e1, e2, cross(e1, e2)], axis=1)


def check_rotation(rotation: ArrayLike, what: str) -> Array:
    """``rotation`` as a (3, 3) array, refused unless proper orthonormal to 1e-8.

    Raises
    ------
    InputError
        Naming ``what`` and the defect.
    """
    r = array(rotation, (3, 3), what)
    defect = float(np.abs(r.T @ r - np.eye(3)).max())
    if defect > 1e-8 or np.linalg.det(r) < 0:
        raise InputError(
            f"{what}: not a rotation matrix (R^T R differs from I by {defect:.1e}, det {np.linalg.det(r):+.3f})"
        )
    # One Newton step of the polar decomposition takes what is left to round-off.
    return 0.5 * r @ (3 * np.eye(3) - r.T @ r)
