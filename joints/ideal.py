"""Ideal joints, free or driven: each is a list of conditions, quadratic forms of the two bodies' vectors.

Clamp and rigid offset; spherical, universal and revolute joints (points coincide); cylindrical, prismatic and planar
ones (a body slides). Sources: Bauchau and Ju, section 6.1 (spherical) and eq. 1 (planar).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import three_numbers
from fem_mbd.core.model.function_values import MAX_ROTATION, jumps_of
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Point, as_point
from fem_mbd.core.model.time_functions.integral import position_of
from fem_mbd.core.rotations import unit_vector
from fem_mbd.core.scheme.constraints.constraint_kind import Drive
from fem_mbd.core.scheme.constraints.forms import axis, point
from fem_mbd.errors import InputError
from fem_mbd.joints.friction.contributions import (
    Contribution,
    of_cylindrical,
    of_planar,
    of_prismatic,
    of_revolute,
    of_spherical,
    of_universal,
)
from fem_mbd.joints.friction.joint_friction import JointFriction
from fem_mbd.joints.pair import (
    Condition,
    Joint,
    JointHandle,
    PairFrame,
    coincide,
    on_axis,
    parallel_third,
    required_direction,
)

SAME_PLACE = 1e-12  # of the largest coordinate of the model's nodes: points nearer than this coincide


@arguments()
@dataclass(frozen=True, eq=False)
class Clamp(Joint):
    """L does not move relative to K. Six conditions: coincident points and e1K . e2L = e2K . e3L = e3K . e1L = 0.

    A node clamped to the ground where it is, or with no place given, is fixed instead: its unknowns and equations are
    removed, and results have the force and moment of its support, about the node. Clamped to the ground ``at`` another
    point it keeps its equations, and the reaction is given at that point.

    Parameters
    ----------
    k, l, at, name : as for `Joint`
    friction : refused, as nothing slides
    """

    kind: ClassVar[str] = "clamp"

    def conditions(self, x_k: Array, x_l: Array, frame: PairFrame) -> list[Condition]:
        rotations = [
            (3 + n, frame.of_k(a).dot(frame.of_l(b))) for n, (a, b) in enumerate(((1, 2), (2, 3), (3, 1)))
        ]
        return coincide(x_k, x_l) + rotations

    def build(self, model: Model) -> JointHandle | None:
        k, l = as_point(self.k), as_point(self.l)
        if model.ground not in (k.node, l.node) or k.node is l.node:
            return super().build(model)
        clamped, other = (l, k) if k.node is model.ground else (k, l)
        place = self._place(clamped, other, model)
        if not coincident(place, clamped.node.position, model):
            return Joint.build(replace(self, at=place), model)
        if self.friction is not None:
            self.friction_contributions(self.friction)  # refuses it
        model.fix(clamped.node)
        return None

    def _place(self, clamped: Point, on_ground: Point, model: Model) -> Array:
        """(3,) m, where the reaction of a node held by the ground is given, global axes."""
        if self.at is not None:
            return three_numbers(self.at, f"at of {self.label}")
        if np.any(on_ground.offset) and not coincident(on_ground.position, clamped.position, model):
            raise InputError(
                f"{self.label}: its point on the ground is not where '{clamped.node.name}' is: give at=(x, y, z), or "
                "model.ground"
            )
        return clamped.position


def coincident(a: Array, b: Array, model: Model) -> bool:
    """Whether two points (3,) are at the same place to round-off."""
    places = np.array([a, b, *(node.position for node in model.nodes)])
    return bool(np.abs(a - b).max() <= SAME_PLACE * np.abs(places).max())


@arguments()
@dataclass(frozen=True, eq=False)
class RigidOffset(Clamp):
    """A massless rigid arm from K to L; its length is the distance of the two points.

    From the ground it holds a node as a `Clamp` does.

    Parameters
    ----------
    k, l, name, friction : as for `Clamp`
    at : (3,) global point, reference configuration, at which the reaction is given; by default L's point
    """

    kind: ClassVar[str] = "rigid offset"

    def points(self) -> tuple[Point, Point]:
        """The coincident points of both bodies in the reference configuration: L's point, or ``at``."""
        k, l = as_point(self.k), as_point(self.l)
        at = l.position if self.at is None else self.at
        return k.node.at_global(at), l if self.at is None else l.node.at_global(at)

    def _place(self, clamped: Point, on_ground: Point, model: Model) -> Array:
        return clamped.position if self.at is None else three_numbers(self.at, f"at of {self.label}")


@arguments()
@dataclass(frozen=True, eq=False)
class Spherical(Joint):
    """A ball joint. Three conditions x_L - x_K = 0, in global axes.

    Parameters
    ----------
    k, l, at, name, friction : as for `Joint`
    """

    kind: ClassVar[str] = "spherical"

    def conditions(self, x_k: Array, x_l: Array, frame: PairFrame) -> list[Condition]:
        return coincide(x_k, x_l)

    def friction_contributions(self, friction: JointFriction) -> Sequence[Contribution]:
        return of_spherical(friction)


@arguments()
@dataclass(frozen=True, eq=False)
class Universal(Joint):
    """A Hooke or Cardan joint. Four conditions: coincident points and a_K . a_L = 0.

    Parameters
    ----------
    k, l, at, name, friction : as for `Joint`
    axis_k, axis_l : (3,) the axes of the cross fixed to K and to L, global axes, normal to each other in the reference
        configuration
    """

    _: KW_ONLY
    axis_k: Any = None
    axis_l: Any = None
    kind: ClassVar[str] = "universal"

    def __post_init__(self) -> None:
        a, b = (unit_vector(v, f"axis of {self.label}") for v in (self.axis_k, self.axis_l))
        if abs(float(a @ b)) > 1e-8:
            angle = float(np.degrees(np.arccos(np.clip(a @ b, -1, 1))))
            raise InputError(f"{self.label}: its axes make {angle:.4g} degrees, they must make 90")

    def conditions(self, x_k: Array, x_l: Array, frame: PairFrame) -> list[Condition]:
        a = axis(0, as_point(self.k).node.rotation.T @ unit_vector(self.axis_k, "axis_k"))
        b = axis(1, as_point(self.l).node.rotation.T @ unit_vector(self.axis_l, "axis_l"))
        return [*coincide(x_k, x_l), (3, a.dot(b))]

    def friction_contributions(self, friction: JointFriction) -> Sequence[Contribution]:
        return of_universal(friction)

    def friction_triads(self, frame: PairFrame) -> tuple[Array, Array, bool]:
        """Axis 3 is K's axis of the cross, axis 1 that of L."""
        a, b = unit_vector(self.axis_k, "axis_k"), unit_vector(self.axis_l, "axis_l")
        triad = np.column_stack([b, np.cross(a, b), a])
        return as_point(self.k).node.rotation.T @ triad, as_point(self.l).node.rotation.T @ triad, True


@arguments()
@dataclass(frozen=True, eq=False)
class Revolute(Joint):
    """L rotates about one axis. Five conditions: coincident points, and e3K . e1L = e3K . e2L = 0.

    Parameters
    ----------
    k, l, at, name, friction : as for `Joint`
    axis : (3,) e3, global axes, reference configuration
    first : (3,) direction of e1, projected normal to e3, global axes, reference configuration; displacement and
        friction have components along e1 and e2. By default global x, or y for an axis near x
    """

    _: KW_ONLY
    axis: Any = None
    first: Any = None
    kind: ClassVar[str] = "revolute"

    def axis_direction(self) -> Array:
        return required_direction(self.axis, "axis", self.label)

    def first_direction(self) -> Any:
        return self.first

    def conditions(self, x_k: Array, x_l: Array, frame: PairFrame) -> list[Condition]:
        return coincide(x_k, x_l) + parallel_third(frame, 3)

    def friction_contributions(self, friction: JointFriction) -> Sequence[Contribution]:
        return of_revolute(friction)


@arguments()
@dataclass(frozen=True, eq=False)
class DrivenRevolute(Revolute):
    """A revolute joint whose angle is given: L is rotated by +angle(t) about e3 from the reference configuration.

    Sixth condition: sin(angle) e1K . e1L + cos(angle) e1K . e2L = 0, a product of given functions of time and
    quadratic forms; the driver's work is exact (docs/explanation/theory.md, section 7).

    Parameters
    ----------
    k, l, at, name, axis, first, friction : as for `Revolute`
    angle : rad: number, function of time or TimeFunction
    speed : instead of the angle, rad/s; the angle is its integral from zero at t = 0, e.g. ``Ramp(0, 30, 0, 2)``
    allow_jumps : allow jumps of the angle; the jump is made in the step that begins at it, and its work is in the
        energy balance (`fem_mbd.core.model.function_values`)
    """

    _: KW_ONLY
    angle: Any = None
    speed: Any = None
    allow_jumps: bool = False
    kind: ClassVar[str] = "driven revolute"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.drives()

    def conditions(self, x_k: Array, x_l: Array, frame: PairFrame) -> list[Condition]:
        driven = [(5, frame.of_k(1).dot(frame.of_l(1))), (5, frame.of_k(1).dot(frame.of_l(2)))]
        return super().conditions(x_k, x_l, frame) + driven

    def drives(self) -> Sequence[Drive]:
        what = self.label
        angle = position_of(self.angle, self.speed, ("angle", "speed"), what)
        return (
            Drive(
                row=5,
                angle=angle,
                jumps=jumps_of(angle, f"{what}: its angle", self.allow_jumps, MAX_ROTATION),
            ),
        )


@arguments()
@dataclass(frozen=True, eq=False)
class Cylindrical(Joint):
    """L slides along an axis and rotates about it.

    Four conditions: L's point stays on the axis e3 of K, and e3K . e1L = e3K . e2L = 0.

    Parameters
    ----------
    k, l, at, name, friction : as for `Joint`
    axis : (3,) e3, global axes, reference configuration
    first : (3,) direction of e1, projected normal to e3, global axes, reference configuration; displacement and
        friction have components along e1 and e2. By default global x, or y for an axis near x
    """

    _: KW_ONLY
    axis: Any = None
    first: Any = None
    kind: ClassVar[str] = "cylindrical"

    def axis_direction(self) -> Array:
        return required_direction(self.axis, "axis", self.label)

    def first_direction(self) -> Any:
        return self.first

    def conditions(self, x_k: Array, x_l: Array, frame: PairFrame) -> list[Condition]:
        return on_axis(x_k, x_l, frame, 0) + parallel_third(frame, 2)

    def friction_contributions(self, friction: JointFriction) -> Sequence[Contribution]:
        return of_cylindrical(friction)


@arguments()
@dataclass(frozen=True, eq=False)
class Prismatic(Cylindrical):
    """L slides along an axis. Five conditions: those of a cylindrical joint, and no rotation (e1K . e2L = 0).

    Parameters
    ----------
    k, l, at, name, axis, friction : as for `Cylindrical`
    first : likewise; required with friction at flat ``faces``, whose widths are along e1 and e2
    """

    kind: ClassVar[str] = "prismatic"

    def conditions(self, x_k: Array, x_l: Array, frame: PairFrame) -> list[Condition]:
        return [*super().conditions(x_k, x_l, frame), (4, frame.of_k(1).dot(frame.of_l(2)))]

    def friction_contributions(self, friction: JointFriction) -> Sequence[Contribution]:
        if friction.faces is not None:
            self.require_first("faces are the widths along axes 1 and 2")
        return of_prismatic(friction)


@arguments()
@dataclass(frozen=True, eq=False)
class DrivenPrismatic(Prismatic):
    """A prismatic joint whose displacement (x_L - x_K) . e3K is given.

    Parameters
    ----------
    k, l, at, name, axis, first, friction : as for `Prismatic`
    displacement : m: number, function of time or TimeFunction
    speed : instead of the displacement, m/s; the displacement is its integral from zero at t = 0
    allow_jumps : allow jumps of the displacement; the jump is made in the step that begins at it, and its work is in
        the energy balance (`fem_mbd.core.model.function_values`)
    """

    _: KW_ONLY
    displacement: Any = None
    speed: Any = None
    allow_jumps: bool = False
    kind: ClassVar[str] = "driven prismatic"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.drives()

    def conditions(self, x_k: Array, x_l: Array, frame: PairFrame) -> list[Condition]:
        gap = point(1, x_l) - point(0, x_k)
        return [*super().conditions(x_k, x_l, frame), (5, gap.dot(frame.of_k(3)))]

    def drives(self) -> Sequence[Drive]:
        what = self.label
        displacement = position_of(self.displacement, self.speed, ("displacement", "speed"), what)
        jumps = jumps_of(displacement, f"{what}: its displacement", self.allow_jumps)
        return (Drive(row=5, value=displacement, jumps=jumps),)


@arguments()
@dataclass(frozen=True, eq=False)
class Planar(Joint):
    """L slides in a plane and rotates about its normal.

    Three conditions: e3K . e1L = e3K . e2L = 0 and (x_L - x_K) . e3K = 0.

    Parameters
    ----------
    k, l, at, name, friction : as for `Joint`
    direction : (3,) e3, normal of the plane, global axes, reference configuration
    first : (3,) direction of e1, projected normal to e3, global axes, reference configuration; displacement and
        friction have components along e1 and e2. By default global x, or y for a normal near x. Required
        where the friction law has a direction
    """

    _: KW_ONLY
    direction: Any = None
    first: Any = None
    kind: ClassVar[str] = "planar"

    def axis_direction(self) -> Array:
        return required_direction(self.direction, "direction", self.label)

    def first_direction(self) -> Any:
        return self.first

    def conditions(self, x_k: Array, x_l: Array, frame: PairFrame) -> list[Condition]:
        gap = point(1, x_l) - point(0, x_k)
        return [*parallel_third(frame, 0), (2, gap.dot(frame.of_k(3)))]

    def friction_contributions(self, friction: JointFriction) -> Sequence[Contribution]:
        if friction.law.record()["directed"]:
            self.require_first("the axis of its friction law is given along axes 1 and 2")
        return of_planar(friction)
