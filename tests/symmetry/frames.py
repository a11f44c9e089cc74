"""Frames: the same mechanism in other units, at another place, turned, mirrored, or seen from a moving observer."""

from dataclasses import dataclass, field

import numpy as np

import fem_mbd as fm
from fem_mbd.base.arrays import Array
from fem_mbd.core.model.model import PrescribedMotion
from fem_mbd.core.model.node import Node


@dataclass(frozen=True)
class Frame:
    """Maps lengths, vectors and quantities of a mechanism in SI units to the frame, and places back.

    Attributes
    ----------
    length, mass, time : one metre, kilogram and second in the frame's units
    turn : (3, 3) orthogonal, a mirror image if its determinant is -1
    shift, boost : (3,) of the frame's units of length, and of speed
    reverse : parts in the reverse order
    start : time at which the run begins, of the frame's units
    """

    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0
    turn: Array = field(default_factory=lambda: np.eye(3))
    shift: Array = field(default_factory=lambda: np.zeros(3))
    boost: Array = field(default_factory=lambda: np.zeros(3))
    reverse: bool = False
    start: float = 0.0

    def of(self, value: float, *, m: float = 0, kg: float = 0, s: float = 0) -> float:
        """A number with the dimension m^m kg^kg s^s."""
        return value * self.length**m * self.mass**kg * self.time**s

    def place(self, *x: float) -> Array:
        """A point, given in metres."""
        return self.shift + self.length * (self.turn @ np.array(x))

    def arrow(self, *v: float, m: float = 0, kg: float = 0, s: float = 0) -> Array:
        """A polar vector: a direction, velocity or force."""
        return self.of(1.0, m=m, kg=kg, s=s) * (self.turn @ np.array(v))

    def axial(self, *v: float, m: float = 0, kg: float = 0, s: float = 0) -> Array:
        """An axial vector: an axis of rotation, an angular velocity or a moment."""
        return np.linalg.det(self.turn) * self.arrow(*v, m=m, kg=kg, s=s)

    def inertia(self, *moments: float) -> Array:
        """Moments of inertia (kg m^2) about the mechanism's axes as a matrix about the frame's."""
        return self.of(1.0, kg=1, m=2) * self.turn @ np.diag(moments) @ self.turn.T

    def ground(self, model: fm.Model) -> Node:
        """The ground, or what moves as the ground does for a moving observer: a node at the mechanism's origin."""
        if not self.boost.any():
            return model.ground
        node = model.node(self.place(0, 0, 0))
        self.hold(model, node)
        return node

    def hold(self, model: fm.Model, node: Node) -> None:
        """Hold a node as the ground does."""
        if self.boost.any():
            model.add(PrescribedMotion(node, lambda t: t * self.boost))
        else:
            model.fix(node)

    def back(self, places: Array, times: Array) -> Array:
        """Places (k, 3) at times (k,), both in the frame's units, as in SI units in the mechanism's own frame."""
        passed = np.asarray(times)[:, None] - self.start
        moved = places - self.shift - passed * self.boost
        return moved @ self.turn / self.length
