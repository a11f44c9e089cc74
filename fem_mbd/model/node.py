"""A node and the points fixed to it: where parts are attached.

A node is a frame, a place with a rotation. Positions are in metres, global axes, in the reference configuration;
offsets are in the node's own axes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.arrays import Array
from fem_mbd.errors import InputError
from fem_mbd.validation import three_numbers


@dataclass(frozen=True, eq=False)
class Node:
    """A frame of the model: a place with a rotation, both given in the reference configuration in global axes."""

    index: int
    name: str
    position: Array
    rotation: Array

    def at(self, offset: ArrayLike) -> Point:
        """The point fixed to this node at ``offset`` (3,) in the node's own axes, metres."""
        return Point(self, three_numbers(offset, f"offset from node '{self.name}'"))

    def at_global(self, position: ArrayLike) -> Point:
        """The point fixed to this node that is at the global ``position`` in the reference configuration."""
        return self.at(
            self.rotation.T @ (three_numbers(position, f"point on node '{self.name}'") - self.position)
        )

    @property
    def point(self) -> Point:
        return Point(self, np.zeros(3))


@dataclass(frozen=True, eq=False)
class Point:
    """A point fixed to a node; ``offset`` (3,) in the node's axes."""

    node: Node
    offset: Array

    @property
    def position(self) -> Array:
        """Global position in the reference configuration."""
        return self.node.position + self.node.rotation @ self.offset


Attachment = Node | Point


def as_point(attachment: Attachment) -> Point:
    """A node stands for the point at its own place."""
    if isinstance(attachment, Point):
        return attachment
    if isinstance(attachment, Node):
        return attachment.point
    raise InputError(
        f"expected a Node or a Point of the model, got {type(attachment).__name__}; "
        "elements offer their nodes, e.g. beam.start, beam.end, body.node, and model.ground"
    )
