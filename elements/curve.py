"""Reference lines of beams: straight line, arc and general curve, with the orientation of the sections along them.

Every curve has `length` (m) and `at(s)`, s in [0, 1] proportional to arc length, which returns the position
(3,) and the rotation (3, 3) whose columns are the section axes 1 (along the line), 2 and 3 in global axes.
`twist` rotates the sections about axis 1: a callable angle(s) in rad, or a table ((s, angle), …) from s = 0
to s = 1, interpolated smoothly and without overshoot (PCHIP).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
import scipy
from numpy.polynomial import chebyshev
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import array, positive
from fem_mbd.core.rotations import cross, unit_vector
from fem_mbd.errors import InputError

Frame: TypeAlias = tuple[Array, Array]
_Frames: TypeAlias = "Callable[[Array], tuple[Array, Array]]"
Twist: TypeAlias = "Callable[[float], float] | ArrayLike | None"

_END_TOLERANCE = 1e-12  # by which s may be outside of 0 to 1
_PARALLEL = 1e-6  # sine of the angle below which two directions are taken as parallel
# Arc length of a user's curve: error, as a fraction of it; number of panels at first and at most; width below which a
# panel may contain a kink of the parametrisation
_LENGTH_ERROR, _FIRST_PANELS, _MAX_PANELS, _KINK = 1e-10, 8, 8192, 1e-6
_NARROWEST = 1e-14  # width of a panel that holds a jump of the position
_ROUND_OFF = (
    1e-13  # of a panel's length, as a fraction of the positions: the sum of the entries of _DERIVATIVE is 70
)
_RESOLVED = 1e-2  # largest of the last two coefficients of the speed, as a fraction of it
_MAX_DEGREES = 1.0  # between axis 1 of a section and the line
_NEWTON_STEPS = 8
_POINTS = chebyshev.chebpts2(9)  # of a panel
_FIT = np.linalg.inv(chebyshev.chebvander(_POINTS, len(_POINTS) - 1))  # coefficients of values at the points
_DERIVATIVE = chebyshev.chebvander(_POINTS, len(_POINTS) - 2) @ chebyshev.chebder(_FIT)  # by x, at the points
_INTEGRAL = chebyshev.chebint(_FIT, lbnd=-1)  # coefficients of the integral from x = -1


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


@runtime_checkable
class ManyFrames(Protocol):
    """A reference line that finds many frames at once, as splines do in a tenth of the time."""

    def frames(self, s: Array) -> tuple[Array, Array]:
        """Positions (k, 3) and rotations (k, 3, 3) at fractions s (k,)."""
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

    p need not be proportional to arc length: the arc length is integrated over panels that are halved until it is
    accurate to 1e-10 of the whole, wherever the line bends (`_arc_length`).

    Parameters
    ----------
    function : of p; returns position (3,) m and rotation (3, 3) with the section axes as columns, global axes. Axis
        1 is the line's direction, to a degree: stretch and shear of the sections are measured by it.
    twist : rad, of the sections about axis 1: a function of s, the fraction of the length, or a table ((s, angle), …)

    Raises
    ------
    InputError
        For rotations that are not orthonormal to 1e-8 (the remaining error is removed); for an axis 1 that is more than
        a degree off the line; for a line with a corner, a jump, or a derivative that vanishes.
    """

    function: Callable[[float], tuple[ArrayLike, ArrayLike]]
    twist: Twist = None
    length: float = field(init=False)
    _parameter: Callable[[float], float] = field(init=False, repr=False)
    _angle: Callable[[float], float] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        panels = _arc_length(self._frames)
        _check_directions(panels)
        ends = np.cumsum([0.0, *(panel.length for panel in panels)])
        object.__setattr__(self, "length", float(ends[-1]))
        object.__setattr__(self, "_parameter", _inverse(panels, ends))
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
        positions, rotations = self._frames(np.array([p]))
        left, _, right = np.linalg.svd(rotations[0])
        return positions[0], left @ right

    def _frames(self, p: Array) -> tuple[Array, Array]:
        """Positions (k, 3) and rotations (k, 3, 3), orthonormal to 1e-8, at parameters (k,)."""
        positions, rotations = np.empty((len(p), 3)), np.empty((len(p), 3, 3))
        for k, parameter in enumerate(p.tolist()):
            position, rotation = self.function(parameter)
            positions[k] = self._checked(position, (3,), parameter, "position")
            rotations[k] = self._checked(rotation, (3, 3), parameter, "rotation")
        error = np.abs(np.swapaxes(rotations, 1, 2) @ rotations - np.eye(3)).max(axis=(1, 2))
        wrong = (error > 1e-8) | (np.linalg.det(rotations) < 0.0)
        if wrong.any():
            raise InputError(
                f"Curve at parameter {p[wrong][0]:.4g}: the columns of the rotation are not orthonormal and "
                "right-handed"
            )
        return positions, rotations

    def _checked(self, values: Any, shape: tuple[int, ...], p: float, name: str) -> Array:
        if isinstance(values, np.ndarray) and values.shape == shape and np.isfinite(values).all():
            return values
        return array(values, shape, f"Curve at parameter {p:.4g}: {name}")


def frames(line: ReferenceLine, s: Array) -> tuple[Array, list[Array]]:
    """Positions (k, 3) and k rotations (3, 3) at fractions s (k,); shared rotation if straight without twist."""
    if isinstance(line, Straight) and line.twist is None:
        positions = (1.0 - s)[:, None] * line.start + s[:, None] * line.end
        return positions, [line.at(0.0)[1]] * len(s)
    if isinstance(line, ManyFrames):
        several, rotations = line.frames(s)
        return several, list(rotations)
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


class _Panel:
    """Polynomial of a line through Chebyshev points between two parameters.

    Attributes
    ----------
    begin, end : the parameters
    velocity : (n, 3) derivative by the panel's coordinate x in [-1, 1], at its points
    axis_1 : (n, 3) of the sections
    length : m, of the line
    round_off : m, of the length
    """

    def __init__(self, frames: _Frames, begin: float, end: float):
        self.begin, self.end = begin, end
        positions, rotations = frames(self.parameter(_POINTS))
        self.velocity, self.axis_1 = _DERIVATIVE @ positions, rotations[:, :, 0]
        self.speed = np.sqrt((self.velocity**2).sum(axis=1))
        self._covered = _INTEGRAL @ self.speed
        self.length = float(self._covered.sum())
        self.round_off = _ROUND_OFF * float(np.abs(positions).max())

    @property
    def resolved(self) -> bool:
        """Whether the speed is a smooth function of the parameter: not beside a jump of the position."""
        return float(np.abs((_FIT @ self.speed)[-2:]).max()) <= _RESOLVED * float(self.speed.max())

    @property
    def directed(self) -> bool:
        """Whether the polynomial's direction is the line's; narrower ones may contain a kink."""
        return self.end - self.begin > _KINK

    def parameter(self, x: Any) -> Any:
        """The parameter p at the panel's coordinate x."""
        return self.begin + 0.5 * (self.end - self.begin) * (1.0 + x)

    def coordinate(self, covered: float) -> float:
        """x in [-1, 1] where the length (m) from the panel's begin is ``covered``, by Newton's method."""
        x = 2.0 * covered / self.length - 1.0
        for _ in range(_NEWTON_STEPS):
            error = chebyshev.chebval(x, self._covered) - covered
            x -= error / max(float(np.interp(x, _POINTS, self.speed)), 1e-300)
            x = min(max(float(x), -1.0), 1.0)
        return x


def _arc_length(frames: _Frames) -> list[_Panel]:
    """The panels of a line, ascending, whose lengths add up to its arc length.

    A panel is halved until the lengths of both halves add up to its own, to `_LENGTH_ERROR` of the whole.

    Raises
    ------
    InputError
        When that fails: the line has a jump, or more waves than `_MAX_PANELS` can follow.
    """
    queue = [_Panel(frames, k / _FIRST_PANELS, (k + 1) / _FIRST_PANELS) for k in range(_FIRST_PANELS)]
    panels: list[_Panel] = []
    while queue:
        allowed = _LENGTH_ERROR * sum(panel.length for panel in (*panels, *queue))
        refined: list[_Panel] = []
        for panel in queue:
            middle = 0.5 * (panel.begin + panel.end)
            halves = [_Panel(frames, panel.begin, middle), _Panel(frames, middle, panel.end)]
            change = abs(sum(half.length for half in halves) - panel.length)
            negligible = max(allowed, panel.round_off)
            converged = change <= negligible and (panel.resolved or panel.length <= negligible)
            if not converged and panel.end - panel.begin < _NARROWEST:
                raise InputError(f"Curve jumps at parameter {middle:.6g}: give a continuous line")
            (panels if converged else refined).extend(halves)
        if len(panels) + len(refined) > _MAX_PANELS:
            raise InputError(
                f"Curve: the arc length is not found with {_MAX_PANELS} polynomials of the position (near parameter "
                f"{refined[0].begin:.4g}): give a smooth function of p, and a line of more waves in several beams"
            )
        queue = refined
    return sorted(panels, key=lambda panel: panel.begin)


def _check_directions(panels: list[_Panel]) -> None:
    """Raise InputError where the line has no direction, a corner, or sections that do not point along it."""
    directed = [panel for panel in panels if panel.directed]
    p = np.concatenate([panel.parameter(_POINTS) for panel in directed])
    rate = np.concatenate([panel.velocity * 2.0 / (panel.end - panel.begin) for panel in directed])
    speed = np.linalg.norm(rate, axis=1)
    if np.min(speed) <= 1e-9 * np.max(speed) or np.max(speed) == 0.0:
        raise InputError(
            f"Curve has no direction at parameter {p[int(np.argmin(speed))]:.4g}: its derivative must not vanish"
        )
    direction = (rate / speed[:, None]).reshape(len(directed), -1, 3)
    off = _degrees(direction[:-1, -1], direction[1:, 0])
    if np.any(off > _MAX_DEGREES):
        k = int(np.argmax(off))
        raise InputError(
            f"Curve has a corner of {off[k]:.3g} degrees at parameter {directed[k].end:.4g}: end a beam there, and "
            "clamp the next one to it"
        )
    off = _degrees(direction.reshape(-1, 3), np.concatenate([panel.axis_1 for panel in directed]))
    if np.any(off > _MAX_DEGREES):
        k = int(np.argmax(off))
        raise InputError(
            f"Curve: at parameter {p[k]:.4g} axis 1 of the section makes {off[k]:.3g} degrees with the line: it must "
            f"point along it, to {_MAX_DEGREES:g} degree"
        )


def _degrees(a: Array, b: Array) -> Array:
    """Angles between unit vectors (k, 3)."""
    sine = np.linalg.norm(np.cross(a, b), axis=1)
    return np.degrees(np.arctan2(sine, np.einsum("ki,ki->k", a, b)))


def _inverse(panels: list[_Panel], ends: Array) -> Callable[[float], float]:
    """Parameter of the fraction s of the arc length; ends (panels + 1,) m, the length up to each panel."""

    def parameter(s: float) -> float:
        target = s * ends[-1]
        k = int(np.clip(np.searchsorted(ends, target, side="right") - 1, 0, len(panels) - 1))
        return float(panels[k].parameter(panels[k].coordinate(target - ends[k])))

    return parameter
