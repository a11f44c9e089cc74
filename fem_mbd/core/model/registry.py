"""Class `Registry`: registration of the data, masses, nodes and names of parts with a model.

Parts call the methods of `Model.registry`; users of a model do not need them, except for parts of their own
(add-an-element.md).

`Inertias` has the lumped mass and inertia of the nodes; kg, m, node axes, moments and tensors about the node's
position.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.base.validation import three_numbers
from fem_mbd.core.model.node import Attachment, Node, as_point
from fem_mbd.core.rotations import check_rotation
from fem_mbd.errors import InputError

if TYPE_CHECKING:
    from fem_mbd.core.model.part_kind import PartKind


_MASS, _FIRST, _TENSOR = 0, slice(1, 4), slice(4, 13)  # columns


class Inertia:
    """Mass and inertia of one node.

    Parameters
    ----------
    amounts : (13,) mass, first moment and tensor, a view
    """

    __slots__ = ("_amounts",)

    def __init__(self, amounts: Array):
        self._amounts = amounts

    @property
    def mass(self) -> float:
        """Mass, kg."""
        return float(self._amounts[_MASS])

    @property
    def first_moment(self) -> Array:
        """(3,) first moment of mass, kg m."""
        return self._amounts[_FIRST]

    @property
    def tensor(self) -> Array:
        """(3, 3) inertia tensor, kg m^2, about the node's position."""
        return self._amounts[_TENSOR].reshape(3, 3)

    @property
    def centre(self) -> Array:
        """(3,) mass centre, m; zero without mass."""
        return self.first_moment / self.mass if self.mass > 0 else np.zeros(3)

    @property
    def about_centre(self) -> Array:
        """(3, 3) inertia tensor about the mass centre, kg m^2."""
        return self.tensor - self.mass * _steiner(self.centre)


class Inertias:
    """Mass and inertia of all nodes, by the nodes' indices."""

    def __init__(self) -> None:
        self._amounts = np.zeros((0, 13))
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, node: int) -> Inertia:
        if not 0 <= node < self._count:
            raise IndexError(f"there is no node {node}")
        return Inertia(self._amounts[node])

    def __setitem__(self, node: int, inertia: Inertia) -> None:
        target = self[node]
        target.first_moment[:], target.tensor[:] = inertia.first_moment, inertia.tensor
        self._amounts[node, _MASS] = inertia.mass

    def __iter__(self) -> Iterator[Inertia]:
        return (self[node] for node in range(self._count))

    def extend(self, nodes: int) -> None:
        """Append so many nodes without mass."""
        self._count += nodes
        if self._count > len(self._amounts):
            larger = np.zeros((max(self._count, 2 * len(self._amounts)), 13))
            larger[: len(self._amounts)] = self._amounts
            self._amounts = larger

    def add(self, nodes: Indices, mass: Array, about_centre: Array, centre: Array) -> None:
        """Lump masses (k,) at nodes (k,), one after the other.

        about_centre : (k, 3, 3) about the mass centre; centre (3,) of all of them
        """
        amounts = np.empty((len(nodes), 13))
        amounts[:, _MASS], amounts[:, _FIRST] = mass, mass[:, None] * centre
        tensors = about_centre + mass[:, None, None] * _steiner(centre)
        amounts[:, _TENSOR] = tensors.reshape(-1, 9)
        np.add.at(self._amounts, nodes, amounts)

    @property
    def masses(self) -> Array:
        """(n,) masses."""
        return self._amounts[: self._count, _MASS].copy()

    @property
    def centres(self) -> Array:
        """(n, 3) mass centres."""
        mass, first = self.masses[:, None], self._amounts[: self._count, _FIRST]
        return np.divide(first, mass, out=np.zeros_like(first), where=mass > 0)

    @property
    def about_centres(self) -> Array:
        """(n, 3, 3) inertia tensors about the mass centres."""
        tensors = self._amounts[: self._count, _TENSOR].reshape(-1, 3, 3).copy()
        for node in np.flatnonzero(self.centres.any(axis=1)):
            tensors[node] = self[node].about_centre
        return tensors


def _steiner(centre: Array) -> Array:
    """(3, 3) inertia tensor of a unit mass at a position (3,)."""
    return np.asarray(centre @ centre * np.eye(3) - np.outer(centre, centre))


class Registry:
    """The registration of parts with one model, and the registered data.

    Parameters
    ----------
    model : its name, for messages
    """

    def __init__(self, model: str) -> None:
        self._model = model
        self.nodes: list[Node] = []
        self.inertia = Inertias()
        self.specs: dict[type[PartKind], list[Any]] = {}
        self.bodies: dict[str, Node] = {}  # by name: parts that consist of a node with mass
        self.shapes: dict[str, dict[str, Any]] = {}  # by the body's name, plain data, for animations
        self.point_masses: set[int] = set()  # separate nodes without rotation
        self.changes = 0  # number of registrations by parts
        self.names: dict[str, None] = {}  # in the order of their use

    def add(self, kind: type[PartKind], spec: Any) -> None:
        """Register one part's data for the kind that computes it.

        Parameters
        ----------
        kind : a subclass of `PartKind`
        spec : the part's data, which the kind gets with those of all other such parts; not changed afterwards
        """
        self.changes += 1
        self.specs.setdefault(kind, []).append(spec)

    def node_of(self, attachment: Attachment, what: str) -> Node:
        """The node of an attachment of this model.

        Parameters
        ----------
        attachment : a node, a point of one, or a handle of a body
        what : the part that uses it, for the message

        Raises
        ------
        InputError
            For anything else, and for a node of another model.
        """
        node = as_point(attachment).node
        if not (node.index < len(self.nodes) and self.nodes[node.index] is node):
            raise InputError(f"{what}: node '{node.name}' belongs to another model than '{self._model}'")
        return node

    def require_rotation(self, attachment: Attachment, what: str) -> None:
        """Refuse a point mass, which has no rotation, where ``what`` exerts a moment: it would be lost.

        Parameters
        ----------
        attachment : the node, point or body on which the part acts
        what : the part, for the message
        """
        node = self.node_of(attachment, what)
        if node.index in self.point_masses:
            raise InputError(
                f"{what}: node '{node.name}' belongs to a point mass, which has no rotation: give a RigidBody"
            )

    def require_arm(self, attachment: Attachment, what: str) -> None:
        """Refuse a point off a point mass, where a force would have a moment, as `require_rotation`.

        Parameters
        ----------
        attachment : node, point or handle of a body
        what : the part, for the message
        """
        if np.any(as_point(attachment).offset):
            self.require_rotation(attachment, what)

    def new_nodes(self, positions: Array, rotations: Sequence[Array], names: Sequence[str]) -> list[Node]:
        """Several new nodes, as `Model.node` creates one.

        Parameters
        ----------
        positions : (k, 3) m, global axes, reference configuration
        rotations : k of (3, 3), node axes to global axes; nodes may share one
        names : k names
        """
        labels = [self.unique_name(name) for name in names]
        frames: dict[int, Array] = {}
        for rotation, label in zip(rotations, labels, strict=True):
            if id(rotation) not in frames:
                frames[id(rotation)] = check_rotation(rotation, f"rotation of node '{label}'")
        points = np.array(positions, dtype=float)
        for k in np.flatnonzero(~np.isfinite(points).all(axis=1)):
            three_numbers(points[k], f"position of node '{labels[k]}'")
        first = len(self.nodes)
        nodes = [
            Node(first + k, label, points[k], frames[id(rotation)])
            for k, (label, rotation) in enumerate(zip(labels, rotations, strict=True))
        ]
        self.changes += 1
        self.nodes.extend(nodes)
        self.inertia.extend(len(nodes))
        return nodes

    def add_mass(self, node: Node, mass: float, about_centre: Array, centre: Array) -> None:
        """Lump mass at a node.

        Parameters
        ----------
        node : of this model
        mass : kg
        about_centre : (3, 3) kg m^2, inertia about the mass centre, node axes
        centre : (3,) m, mass centre from the node's position, node axes
        """
        index = np.array([self.node_of(node, "mass").index])
        self.add_masses(index, np.array([mass]), np.asarray(about_centre)[None], centre)

    def add_masses(self, nodes: Indices, mass: Array, about_centre: Array, centre: Array) -> None:
        """Lump several masses with the same centre at nodes; masses of repeated nodes add up.

        Parameters
        ----------
        nodes : (k,) indices
        mass : (k,) kg
        about_centre : (k, 3, 3) kg m^2, as for `add_mass`
        centre : (3,) m, as for `add_mass`
        """
        self.changes += 1
        self.inertia.add(nodes, mass, about_centre, np.asarray(centre))

    def draw_body(self, name: str, shape: dict[str, Any]) -> None:
        """Set the shape of a body in animations; see `fem_mbd.elements.rigid_body`.

        Parameters
        ----------
        name : of the body
        shape : as plain data
        """
        self.shapes[name] = shape

    def name_body(self, name: str, node: Node) -> None:
        """Define a body for results by its name: its motion is that of ``node``.

        Parameters
        ----------
        name : of the body
        node : that moves with it
        """
        self.bodies[name] = node

    def unique_name(self, wanted: str) -> str:
        """``wanted``, or wanted-2, wanted-3 … when it is in use already.

        Parameters
        ----------
        wanted : the user's name
        """
        name, k = wanted, 2
        while name in self.names:
            name, k = f"{wanted}-{k}", k + 1
        self.names[name] = None
        return name
