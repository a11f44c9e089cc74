"""Base class of ideal joints: two bodies, joint point and axes, constraint equations, registration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Attachment, Handle, Point, as_point
from fem_mbd.core.rotations import triad_with_third, unit_vector
from fem_mbd.core.scheme.constraints.constraint_kind import ConstraintKind, Constraints, Drive
from fem_mbd.core.scheme.constraints.forms import Form, axis, point
from fem_mbd.errors import InputError
from fem_mbd.joints.friction.contributions import Contribution
from fem_mbd.joints.friction.joint_friction import JointFriction

ARM_ROUND_OFF = 1e-12  # m or rad
Condition = tuple[int, Form]


@dataclass(frozen=True, eq=False, repr=False)
class JointHandle(Handle):
    """A joint in a model.

    ``result.of(handle)`` gives its reactions, exerted by the joint on L at its point, and the motion of L relative to
    K.

    Attributes
    ----------
    name : shown in messages and results
    k, l : its two points
    spec : its data
    """

    name: str
    k: Point
    l: Point
    spec: Constraints


@dataclass(frozen=True, eq=False)
class Joint:
    """Base of the ideal joints between body K and body L.

    Parameters
    ----------
    k, l : Node or Point of the model (``model.ground`` for the ground)
    at : (3,) global point of the joint in the reference configuration; when left out the two given points must coincide
    name : shown in messages and results
    friction : friction inside the joint, from its reaction; None for none

    A joint is defined by its `conditions`: scalar quadratic forms of the two bodies' vectors that vanish (see
    `fem_mbd.core.scheme.constraints.forms`), in the order of their multipliers. Units: m for positions, rad for
    products of unit vectors.
    """

    k: Attachment
    l: Attachment
    at: Any = None
    _: KW_ONLY
    name: str = ""
    friction: JointFriction | None = None

    kind: ClassVar[str] = "joint"

    def __post_init__(self) -> None:
        direction = self.axis_direction()
        if direction is not None:
            triad_with_third(direction, f"axis of {self.label}", self.first_direction())

    def conditions(self, x_k: Array, x_l: Array, frame: PairFrame) -> list[Condition]:
        """The quadratic forms that vanish.

        Parameters
        ----------
        x_k, x_l : (3,) m, the joint's points from the mass centres, body axes
        frame : the joint's triad in the axes of K and of L

        Returns
        -------
        list
            Pairs of a row number and a form.
        """
        raise TypeError(f"{type(self).__name__} must define its conditions")

    def drives(self) -> Sequence[Drive]:
        """Functions of time in the conditions, none for a joint that is not driven."""
        return ()

    def friction_contributions(self, friction: JointFriction) -> Sequence[Contribution]:
        """The friction surfaces of the joint.

        Parameters
        ----------
        friction : sizes and preloads

        Raises
        ------
        InputError
            When a length is missing, or nothing slides in this joint.
        """
        raise InputError("this joint has no sliding surfaces: leave its friction out")

    def friction_triads(self, frame: PairFrame) -> tuple[Array, Array, bool]:
        """Triad of the joint's friction in the axes of K and of L, (3, 3) each, and whether axis 1 is fixed to L.

        Parameters
        ----------
        frame : the joint's triad in the axes of K and of L
        """
        return frame.in_k, frame.in_l, False

    def axis_direction(self) -> Array | None:
        """Third axis of the joint's triad in global axes, None when the joint has no axis."""
        return None

    def first_direction(self) -> Any:
        """Direction (3,) of axis 1 in global axes as given to a joint with an axis, None for the default."""
        return None

    def require_first(self, reason: str) -> None:
        """InputError unless the direction of axis 1 is given.

        Parameters
        ----------
        reason : why it is needed, for the message
        """
        if self.first_direction() is None:
            raise InputError(
                f"give first=(x, y, z), the direction of the joint's axis 1, global axes: {reason}"
            )

    @property
    def label(self) -> str:
        """Name in messages before the model has assigned one."""
        return f"{self.kind} joint '{self.name or self.kind}'"

    def points(self) -> tuple[Point, Point]:
        """The points of the joint on K and on L."""
        k, l = as_point(self.k), as_point(self.l)
        if self.at is not None:
            k, l = k.node.at_global(self.at), l.node.at_global(self.at)
        return k, l

    def build(self, model: Model) -> JointHandle | None:
        """Register the joint; None when it needs no equations (a node clamped to the ground)."""
        name = model.registry.unique_name(self.name or self.kind)
        k, l = self.points()
        if k.node is l.node:
            raise InputError(
                f"{self.kind} joint '{name}' joins node '{k.node.name}' to itself: give two bodies"
            )
        frame = PairFrame.of(
            k, l, self.axis_direction(), f"{self.kind} joint '{name}'", self.first_direction()
        )

        def conditions(x_k: Array, x_l: Array) -> list[Condition]:
            return self.conditions(x_k, x_l, frame)

        drives = tuple(self.drives())
        self._check_point_masses(model, name, (k, l), conditions)
        spec = Constraints(name, self.kind, k, l, conditions, drives, frame.in_k, frame.in_l)
        friction = None
        if self.friction is not None:
            # imported here because it loads the kernels of all friction laws
            from fem_mbd.joints.friction.kind import friction_of, register

            *triads, cross = self.friction_triads(frame)
            friction = friction_of(
                self.friction, spec, self.friction_contributions, (triads[0], triads[1]), cross
            )
        model.registry.add(ConstraintKind, spec)
        if friction is not None:
            register(model, friction)
        return JointHandle(name, k, l, spec)

    def _check_point_masses(self, model: Model, name: str, points: tuple[Point, Point], make: Any) -> None:
        """Refuse conditions on the rotation of a point mass, which has none: they would lock the other body."""
        is_point_mass = [p.node.index in model.point_masses for p in points]
        if not any(is_point_mass):
            return
        forms = [form for _, form in make(points[0].offset, points[1].offset)]
        for side in np.flatnonzero(is_point_mass):
            directors = slice(4 * side + 1, 4 * side + 4)  # of that side's node
            if any(
                np.abs(f.h[directors]).max() > ARM_ROUND_OFF or np.abs(f.l[directors]).max() > ARM_ROUND_OFF
                for f in forms
            ):
                raise InputError(
                    f"{self.kind} joint '{name}' constrains the rotation of node '{points[side].node.name}', which "
                    "belongs to a point mass and has none: at the end of an arm, or in a joint with axes, use "
                    "RigidBody(mass, (0, 0, 0), position), or add the PointMass to the node of its body"
                )


def required_direction(value: Any, what: str, joint: str) -> Array:
    """``value`` (3,), global axes, as a unit vector; InputError when it is missing or zero."""
    if value is None:
        raise InputError(f"{joint}: give its {what} in global axes, e.g. {what}=(0, 0, 1)")
    return unit_vector(value, f"{what} of {joint}")


@dataclass(frozen=True, eq=False)
class PairFrame:
    """The joint's triad (columns) in the axes of K and of L; the two coincide in the reference configuration."""

    in_k: Array
    in_l: Array

    @classmethod
    def of(cls, k: Point, l: Point, direction: Array | None, what: str, first: Any = None) -> PairFrame:
        triad = (
            k.node.rotation if direction is None else triad_with_third(direction, f"axis of {what}", first)
        )
        return cls(k.node.rotation.T @ triad, l.node.rotation.T @ triad)

    def of_k(self, number: int) -> Any:
        """Axis 1, 2 or 3 fixed to K, as a vector for building forms."""
        return axis(0, self.in_k[:, number - 1])

    def of_l(self, number: int) -> Any:
        """Axis 1, 2 or 3 fixed to L."""
        return axis(1, self.in_l[:, number - 1])


def coincide(x_k: Array, x_l: Array, first: int = 0) -> list[Condition]:
    """The two points coincide: three conditions from row ``first``."""
    gap = point(1, x_l) - point(0, x_k)
    return [(first + i, gap.component(direction)) for i, direction in enumerate(np.eye(3))]


def parallel_third(frame: PairFrame, first: int) -> list[Condition]:
    """Axis 3 of K stays normal to axes 1 and 2 of L: two conditions from row ``first``."""
    return [(first, frame.of_k(3).dot(frame.of_l(1))), (first + 1, frame.of_k(3).dot(frame.of_l(2)))]


def on_axis(x_k: Array, x_l: Array, frame: PairFrame, first: int) -> list[Condition]:
    """The point of L stays on axis 3 through the point of K: two conditions from row ``first``."""
    gap = point(1, x_l) - point(0, x_k)
    return [(first, gap.dot(frame.of_k(1))), (first + 1, gap.dot(frame.of_k(2)))]
