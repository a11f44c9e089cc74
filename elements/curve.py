"""Reference lines of beams: straight line, arc and general curve, with the orientation of the sections along them.

Every curve has `length` (m) and `at(s)`, s in [0, 1] proportional to arc length, which returns the position
(3,) and the rotation (3, 3) whose columns are the section axes 1 (along the line), 2 and 3 in global axes.
`twist` rotates the sections about axis 1: a callable angle(s) in rad, or a table ((s, angle), …) from s = 0
to s = 1, interpolated smoothly and without overshoot (PCHIP).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import numpy as np
import scipy
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import array, positive
from fem_mbd.core.rotations import cross, unit_vector
from fem_mbd.errors import InputError

Frame: TypeAlias = tuple[Array, Array]
Twist: TypeAlias = "Callable[[float], float] | ArrayLike | None"

_END_TOLERANCE = 1e-12  # by which s may be outside of 0 to 1
_PARALLEL = 1e-6  # sine of the angle below which two directions are taken as parallel
_SAMPLES = 513  # of a user's curve, for its arc length


class ReferenceLine(Protocol):
    """Interface of the reference line of a beam."""

    @property
    def length(self) -> float:
        """Arc length, m."""
        ...

    def at(self, s: float) -> Frame:
        """Position (3,) m and rotation (3, 3), columns the section axes, global axes.

        Parameters
        ----------
        s : fraction of the length, from 0 to 1
        """
        ...


@dataclass(frozen=True, eq=False)
class Straight:
    """Straight line between two points.

    Parameters
    ----------
    start, end : (3,) m, global axes
    up : (3,) global axes; section axis 3 is the part of it normal to the line. Without it the global z axis, or the
        global x axis for a line within a degree of z.
    twist : rad, of the sections about axis 1: a function of s, the fraction of the length, or a table ((s, angle), …)

    Raises
    ------
    InputError
        For a line of zero length and for ``up`` along the line.
    """

    start: Any
    end: Any
    up: Any = None
    twist: Twist = None
    length: float = field(init=False)
    _rotation: Array = field(init=False, repr=False)
    _angle: Callable[[float], float] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        start, end = array(self.start, (3,), "Straight start"), array(self.end, (3,), "Straight end")
        length = float(np.linalg.norm(end - start))
        if length <= 1e-12 * (np.linalg.norm(start) + np.linalg.norm(end)):
            raise InputError(f"Straight has zero length: start and end are both at {start.tolist()}")
        axis_1 = unit_vector(end - start, "Straight")
        up = _default_up(axis_1) if self.up is None else unit_vector(self.up, "Straight up")
        object.__setattr__(self, "start", start)
        object.__setattr__(self, "end", end)
        object.__setattr__(self, "length", length)
        object.__setattr__(self, "_rotation", _frame_with_up(axis_1, up, "Straight up"))
        object.__setattr__(self, "_angle", _twist_angle(self.twist, "Straight twist"))

    def at(self, s: float) -> Frame:
        """Position (3,) m and rotation (3, 3), columns the section axes, global axes.

        Parameters
        ----------
        s : fraction of the length, from 0 to 1
        """
        s = _fraction(s)
        position: Array = (1.0 - s) * self.start + s * self.end
        return position, _twisted(self._rotation, self._angle(s))


@dataclass(frozen=True, eq=False)
class Arc:
    """Circular arc. Axis 2 of the sections points to the centre, axis 3 is normal to the plane of the arc.

    Parameters
    ----------
    start : (3,) m, global axes
    tangent : (3,) direction at the start
    normal : (3,) direction to the centre, at right angles to ``tangent``
    radius : m
    angle : rad, above zero, subtended by the arc
    twist : rad, of the sections about axis 1: a function of s, the fraction of the length, or a table ((s, angle), …)

    Raises
    ------
    InputError
        Unless ``normal`` is at right angles to ``tangent``, and for sizes that are not above zero.
    """

    start: Any
    tangent: Any
    normal: Any
    radius: float
    angle: float
    twist: Twist = None
    length: float = field(init=False)
    _rotation: Array = field(init=False, repr=False)
    _angle: Callable[[float], float] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        radius, angle = positive(self.radius, "Arc radius"), positive(self.angle, "Arc angle")
        tangent, normal = unit_vector(self.tangent, "Arc tangent"), unit_vector(self.normal, "Arc normal")
        if abs(float(tangent @ normal)) > _PARALLEL:
            degrees = float(np.degrees(np.arccos(np.clip(tangent @ normal, -1.0, 1.0))))
            raise InputError(f"Arc normal makes {degrees:.6g} degrees with the tangent: it must make 90")
        object.__setattr__(self, "start", array(self.start, (3,), "Arc start"))
        object.__setattr__(self, "length", radius * angle)
        axis_3 = np.cross(tangent, normal)
        object.__setattr__(self, "_rotation", _frame_with_up(tangent, axis_3, "Arc normal"))
        object.__setattr__(self, "_angle", _twist_angle(self.twist, "Arc twist"))

    def at(self, s: float) -> Frame:
        """Position (3,) m and rotation (3, 3), columns the section axes, global axes.

        Parameters
        ----------
        s : fraction of the length, from 0 to 1
        """
        s = _fraction(s)
        turned = s * self.angle
        sine, versine = np.sin(turned), 2.0 * np.sin(0.5 * turned) ** 2
        position: Array = self.start + self.radius * (self._rotation @ np.array([sine, versine, 0.0]))
        return position, _twisted(self._rotation @ _about(2, turned), self._angle(s))


@dataclass(frozen=True, eq=False)
class Curve:
    """Any smooth line, given by a function of a parameter p in [0, 1].

    p need not be proportional to arc length: the arc length is integrated from 513 points (about 1e-10 relative for a
    line that bends a few times).

    Parameters
    ----------
    function : of p; returns position (3,) m and rotation (3, 3) with the section axes as columns, global axes. Axis
        1 must point along the line, within 60 degrees: sections may be oblique, but not reversed.
    twist : rad, of the sections about axis 1: a function of s, the fraction of the length, or a table ((s, angle), …)

    Raises
    ------
    InputError
        For rotations that are not orthonormal to 1e-8 (the remaining error is removed), for a line whose derivative
        vanishes, and for reversed sections.
    """

    function: Callable[[float], tuple[ArrayLike, ArrayLike]]
    twist: Twist = None
    length: float = field(init=False)
    _parameter: Callable[[float], float] = field(init=False, repr=False)
    _angle: Callable[[float], float] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        p = np.linspace(0.0, 1.0, _SAMPLES)
        frames = [self._frame(value) for value in p]
        velocity = scipy.interpolate.make_interp_spline(
            p, np.array([x for x, _ in frames]), k=5
        ).derivative()(p)
        speed = np.linalg.norm(velocity, axis=1)
        if np.min(speed) <= 1e-9 * np.max(speed) or np.max(speed) == 0.0:
            raise InputError(
                f"Curve has no direction at parameter {p[int(np.argmin(speed))]:.4g}: its derivative must not vanish"
            )
        along = np.einsum("ki,ki->k", velocity, np.array([r[:, 0] for _, r in frames])) / speed
        if np.min(along) < 0.5:
            k = int(np.argmin(along))
            degrees = float(np.degrees(np.arccos(np.clip(along[k], -1.0, 1.0))))
            raise InputError(
                f"Curve: at parameter {p[k]:.4g} axis 1 of the section makes {degrees:.0f} degrees "
                "with the line: it must point along it"
            )
        covered = scipy.interpolate.make_interp_spline(p, speed, k=5).antiderivative()
        object.__setattr__(self, "length", float(covered(1.0)))
        object.__setattr__(self, "_parameter", _inverse(covered, p))
        object.__setattr__(self, "_angle", _twist_angle(self.twist, "Curve twist"))

    def at(self, s: float) -> Frame:
        """Position (3,) m and rotation (3, 3), columns the section axes, global axes.

        Parameters
        ----------
        s : fraction of the length, from 0 to 1
        """
        s = _fraction(s)
        position, rotation = self._frame(self._parameter(s))
        return position, _twisted(rotation, self._angle(s))

    def _frame(self, p: float) -> Frame:
        position, rotation = self.function(float(p))
        what = f"Curve at parameter {p:.4g}"
        checked = array(rotation, (3, 3), f"{what}: rotation")
        if np.max(np.abs(checked.T @ checked - np.eye(3))) > 1e-8 or np.linalg.det(checked) < 0.0:
            raise InputError(f"{what}: the columns of the rotation are not orthonormal and right-handed")
        left, _, right = np.linalg.svd(checked)
        return array(position, (3,), f"{what}: position"), left @ right


def frames(line: ReferenceLine, s: Array) -> tuple[Array, list[Array]]:
    """Positions (k, 3) and k rotations (3, 3) at fractions s (k,); shared rotation if straight without twist."""
    if isinstance(line, Straight) and line.twist is None:
        positions = (1.0 - s)[:, None] * line.start + s[:, None] * line.end
        return positions, [line.at(0.0)[1]] * len(s)
    pairs = [line.at(float(fraction)) for fraction in s]
    return np.array([x for x, _ in pairs]).reshape(-1, 3), [rotation for _, rotation in pairs]


def _fraction(s: float) -> float:
    if not -_END_TOLERANCE <= s <= 1.0 + _END_TOLERANCE:
        raise InputError(f"s = {s} is off the curve: it runs from 0 to 1")
    return min(max(float(s), 0.0), 1.0)


def _default_up(axis_1: Array) -> Array:
    near_vertical = np.hypot(axis_1[0], axis_1[1]) < np.sin(np.radians(1.0))
    return np.array([1.0, 0.0, 0.0] if near_vertical else [0.0, 0.0, 1.0])


def _frame_with_up(axis_1: Array, up: Array, what: str) -> Array:
    axis_2 = cross(up, axis_1)
    if np.linalg.norm(axis_2) < _PARALLEL:
        raise InputError(f"{what} is parallel to the line: give a direction across it")
    axis_2 = axis_2 / np.linalg.norm(axis_2)
    return np.column_stack([axis_1, axis_2, cross(axis_1, axis_2)])


def _about(axis: int, angle: float) -> Array:
    """Rotation by `angle` (rad) about coordinate axis 0, 1 or 2."""
    c, s = np.cos(angle), np.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    rotation = np.eye(3)
    rotation[i, i] = rotation[j, j] = c
    rotation[j, i], rotation[i, j] = s, -s
    return rotation


def _twisted(rotation: Array, angle: float) -> Array:
    return rotation.copy() if angle == 0.0 else rotation @ _about(0, angle)


def _twist_angle(twist: Twist, what: str) -> Callable[[float], float]:
    """`twist` as a callable angle(s)."""
    if twist is None:
        return lambda s: 0.0
    if callable(twist):
        function = twist
        return lambda s: float(array(function(s), (), f"{what} at s = {s:g}"))
    table = array(twist, np.shape(twist), what)
    if table.ndim != 2 or table.shape[1] != 2 or len(table) < 2:
        raise InputError(f"{what} has shape {table.shape}: give a table ((s, angle), …) or a callable")
    if np.any(np.diff(table[:, 0]) <= 0.0) or table[0, 0] != 0.0 or table[-1, 0] != 1.0:
        raise InputError(f"{what}: s must ascend from 0 to 1, it is {table[:, 0].tolist()}")
    interpolator = scipy.interpolate.PchipInterpolator(table[:, 0], table[:, 1])
    return lambda s: float(interpolator(s))


def _inverse(covered: Any, p: Array) -> Callable[[float], float]:
    """Parameter of the fraction s of the arc length: linear guess, then Newton iterations."""
    lengths = covered(p)
    speed = covered.derivative()

    def parameter(s: float) -> float:
        target = s * lengths[-1]
        guess = float(np.interp(target, lengths, p))
        for _ in range(6):
            guess = min(max(guess - float((covered(guess) - target) / speed(guess)), 0.0), 1.0)
        return guess

    return parameter
