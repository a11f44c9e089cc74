"""Nodes and points fixed to them, to which parts are attached.

A node is a frame with a position and a rotation. Positions are in metres, global axes, in the reference configuration;
offsets are in the node's own axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import three_numbers
from fem_mbd.errors import InputError


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Node:
    """A frame of the model with its position and rotation in the reference configuration.

    Attributes
    ----------
    index : its number in the model
    name : shown in messages and results
    position : (3,) m, global axes
    rotation : (3, 3) node axes to global axes
    """

    index: int
    name: str
    position: Array
    rotation: Array

    def __repr__(self) -> str:
        place = ", ".join(f"{x:g}" for x in self.position)
        return f"<Node '{self.name}' at ({place}) m>"

    def at(self, offset: ArrayLike) -> Point:
        """The point at an offset from the node's position, fixed to the node.

        Parameters
        ----------
        offset : (3,) m, node axes
        """
        return Point(self, three_numbers(offset, f"offset from node '{self.name}'"))

    def at_global(self, position: ArrayLike) -> Point:
        """The point fixed to this node with a given global position in the reference configuration.

        Parameters
        ----------
        position : (3,) m, global axes
        """
        return self.at(
            self.rotation.T @ (three_numbers(position, f"point on node '{self.name}'") - self.position)
        )

    @property
    def point(self) -> Point:
        """The node's own position as a point."""
        return Point(self, np.zeros(3))


@dataclass(frozen=True, eq=False)
class Point:
    """A point fixed to a node.

    Attributes
    ----------
    node : to which it is fixed
    offset : (3,) m from the node's position, node axes
    """

    node: Node
    offset: Array

    @property
    def position(self) -> Array:
        """Global position in the reference configuration."""
        return self.node.position + self.node.rotation @ self.offset


class Handle:
    """Base of the handles that `Model.add` returns for parts: shown by kind and name, without their arrays."""

    name: str

    def __repr__(self) -> str:
        return f"<{type(self).__name__.removesuffix('Handle')} '{self.name}'>"


class HasNode(Protocol):
    """The handle of a part with one node, such as that of a rigid body."""

    @property
    def node(self) -> Node: ...


class HasNodes(Protocol):
    """The handle of a part with several nodes, such as that of a beam."""

    @property
    def nodes(self) -> Sequence[Node]: ...


Attachment = Node | Point | HasNode


def as_point(attachment: Attachment) -> Point:
    """The point of an attachment: for a node the point at its position, for a body's handle that of its node.

    Raises
    ------
    InputError
        For anything else, e.g. the handle of a beam, which has several nodes.
    """
    if isinstance(attachment, Point):
        return attachment
    node = attachment if isinstance(attachment, Node) else getattr(attachment, "node", None)
    if isinstance(node, Node):
        return node.point
    if hasattr(attachment, "nodes"):
        name = getattr(attachment, "name", "it")
        raise InputError(f"'{name}' has several nodes: give one of them, e.g. its start or end")
    raise InputError(
        f"expected a Node or a Point of the model, got {type(attachment).__name__}; "
        "nodes are e.g. beam.start, beam.end, body.node and model.ground"
    )


def as_position(where: ArrayLike | Attachment) -> ArrayLike:
    """The global position (3,) of a node, point or handle; coordinates are returned unchanged."""
    is_attachment = isinstance(where, Node | Point) or hasattr(where, "node")
    return as_point(where).position if is_attachment else where  # type: ignore[arg-type, return-value]
