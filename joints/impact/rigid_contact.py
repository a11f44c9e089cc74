"""Rigid contact of a point or ball with a plane: impacts are instantaneous.

Between impacts the contact is open, or closed like a unilateral ideal joint. Impacts are events between steps:
`fem_mbd.core.solver.impacts`, docs/explanation/impacts.md.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array
from fem_mbd.base.suggestions import nearest
from fem_mbd.base.validation import finite, positive
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Attachment, Point, as_point
from fem_mbd.core.scheme.constraints.forms import Form, point
from fem_mbd.errors import InputError
from fem_mbd.joints.impact.kind import LAWS, ImpactKind, RigidContactSpec
from fem_mbd.joints.pair import PairFrame, required_direction

REST_SPEED = 1e-4  # m/s


@dataclass(frozen=True, eq=False)
class RigidContactHandle:
    """A rigid contact in a model; ``result.of(handle)`` gives gap, normal_force, impulse and closed.

    Attributes
    ----------
    name : shown in messages and results
    k, l : its two points
    spec : its data
    """

    name: str
    k: Point
    l: Point
    spec: RigidContactSpec


@arguments("k l restitution direction radius law rest_speed name")
@dataclass(frozen=True, eq=False)
class RigidContact:
    """A point of body L, or a ball around it, stays on one side of a plane of body K; without friction.

    Only for mechanisms of rigid bodies. All rigid contacts of a model share their law.

    Parameters
    ----------
    k, l : Node or Point of the model, a point of the plane and the point or the ball's centre
    restitution : e, from 0 (plastic) to 1 (elastic)
    direction : (3,) normal of the plane, global axes, reference configuration, from the material of K to the side of L;
        the plane has no edges
    radius : m, of the ball; 0 for a point
    law : treatment of simultaneous impacts. "newton" and "poisson": all at once, by restitution of velocities or of
        impulses; "sequential": one after the other, the fastest approach first. They are equal for a single impact
    rest_speed : m/s; a slower rebound is set to zero, and the contact stays closed until its force would be tensile
    name : shown in messages and results

    Raises
    ------
    InputError
        For numbers outside their bounds, a missing direction, one body on both sides; when the run starts, for
        overlapping bodies, different laws, and models with beams.
    """

    k: Attachment
    l: Attachment
    restitution: float
    _: KW_ONLY
    direction: Any = None
    radius: float = 0.0
    law: Literal["newton", "poisson", "sequential"] = "newton"
    rest_speed: float = REST_SPEED
    name: str = ""

    def __post_init__(self) -> None:
        what = f"rigid contact '{self.name}'"
        for field, most in (("restitution", 1.0), ("radius", np.inf)):
            if not 0.0 <= finite(getattr(self, field), f"{what}: {field}") <= most:
                raise InputError(f"{what}: {field} is {getattr(self, field)}: give 0 to {most:g}")
        positive(self.rest_speed, f"{what}: rest_speed")
        required_direction(self.direction, "direction", what)
        if self.law not in LAWS:
            raise InputError(f"{what}: law is {self.law!r}; {nearest(self.law, LAWS)}")

    def build(self, model: Model) -> RigidContactHandle:
        """Register the contact."""
        name = model.registry.unique_name(self.name or "rigid contact")
        k, l = as_point(self.k), as_point(self.l)
        if k.node is l.node:
            raise InputError(
                f"rigid contact '{name}' is between node '{k.node.name}' and itself: give two bodies"
            )
        direction = required_direction(self.direction, "direction", f"rigid contact '{name}'")
        frame = PairFrame.of(k, l, direction, f"rigid contact '{name}'")

        def gap(x_k: Array, x_l: Array) -> Form:
            return (point(1, x_l) - point(0, x_k)).dot(frame.of_k(3), -float(self.radius))

        spec = RigidContactSpec(name, k, l, gap, float(self.restitution), float(self.rest_speed), self.law)
        model.registry.add(ImpactKind, spec)
        return RigidContactHandle(name, k, l, spec)
