"""What the user builds: nodes, parts attached to them, and the initial motion.

A `Model` owns the numbering of nodes and the list of parts; parts (elements, joints, loads) are immutable and
describe themselves to the model through the registration calls below. A `System` is made from it once per run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.base.validation import three_numbers
from fem_mbd.core.model.description import as_html, as_text
from fem_mbd.core.model.inertia import Inertias
from fem_mbd.core.model.node import Attachment, HasNodes, Node, Point, as_point
from fem_mbd.core.rotations import check_rotation, cross
from fem_mbd.errors import InputError

if TYPE_CHECKING:
    from fem_mbd.core.model.part_kind import PartKind
    from fem_mbd.core.model.prescription import Prescription

Handle = TypeVar("Handle", covariant=True)


class Part(Protocol[Handle]):
    """Anything `Model.add` accepts: an element, a joint or a load."""

    @property
    def name(self) -> str: ...

    def build(self, model: Model) -> Handle:
        """Register nodes, masses, constraints … with the model; return what the user goes on working with."""
        ...


class Model:
    """A flexible multibody system under construction.

    Parameters
    ----------
    gravity : (3,) acceleration in global axes, m/s^2
    name : shown in messages and stored with the results
    allow_redundant : solve redundant constraints with minimum-norm multipliers instead of refusing them
    """

    def __init__(
        self, gravity: ArrayLike = (0.0, 0.0, 0.0), name: str = "model", allow_redundant: bool = False
    ):
        self.gravity = three_numbers(gravity, "gravity")
        self.name = name
        self.allow_redundant = allow_redundant
        self.nodes: list[Node] = []
        self.parts: list[Any] = []
        self.added: list[tuple[str, str]] = []  # class and name of what was added
        self.inertia = Inertias()
        self.fixed: dict[int, set[int]] = {}
        self.point_masses: set[int] = set()  # nodes of their own, which do not turn
        self.specs: dict[type[PartKind], list[Any]] = {}
        self.velocities: dict[int, tuple[Array, Array]] = {}
        self.prescribed: list[Prescription] = []
        self.bodies: dict[str, Node] = {}  # by name: parts that consist of a node with mass
        self.shapes: dict[str, dict[str, Any]] = {}  # by the body's name, plain data, for pictures
        self.lines: list[tuple[str, list[Node]]] = []  # beams by name with their nodes from start to end
        self.load_stations: list[dict[str, Any]] = []  # where section loads are asked for, plain data
        self._changes = 0  # counts what parts have registered
        self.half_built = ""  # a part that was refused when some of it had been registered
        self._names: dict[str, None] = {}  # in the order in which they were taken
        self._added: dict[int, Any] = {}  # parts by identity, kept so that no identity is used again
        self.ground = self.node((0.0, 0.0, 0.0), name="ground")
        self.fix(self.ground)

    # -- what users call ------------------------------------------------------------------------------------

    def add(self, part: Part[Handle]) -> Handle:
        """Add an element, a joint or a load.

        Parameters
        ----------
        part : any part of `fem_mbd.elements` or `fem_mbd.joints`, or one of your own (add-an-element.md)

        Returns
        -------
        Handle
            The part in the model: what other parts attach to, and what results answer for.

        Raises
        ------
        InputError
            When the part cannot be attached; the message names the part.
        """
        if isinstance(part, type) or not hasattr(part, "build"):
            what = part.__name__ if isinstance(part, type) else type(part).__name__
            raise InputError(f"{what} is not a part of a model: expected an element, a joint or a load")
        label = f"{type(part).__name__} '{part.name}'" if part.name else f"this {type(part).__name__}"
        if id(part) in self._added:
            raise InputError(f"{label} has been added to this model already: make another one")
        for value in vars(part).values():
            if isinstance(value, Node | Point) or isinstance(getattr(value, "node", None), Node):
                self.own(value, label)
        taken = len(self._names)
        handle = self._build(part, label)
        own = getattr(handle, "name", "") or next(iter(list(self._names)[taken:]), part.name)
        self.added.append((type(part).__name__, own))
        self.parts.append(handle)
        self._added[id(part)] = part
        return handle

    def _build(self, part: Part[Handle], label: str) -> Handle:
        """Build a part; one that is refused leaves no name behind, and a model that it changed is not run."""
        before, names = self._changes, len(self._names)
        try:
            return part.build(self)
        except InputError:
            for name in list(self._names)[names:]:
                del self._names[name]
            if self._changes != before:
                self.half_built = label
            raise

    def own(self, attachment: Attachment, what: str) -> Node:
        """The node of an attachment of this model.

        Parameters
        ----------
        attachment : a node, a point of one, or a handle of a body
        what : who uses it, for the message

        Raises
        ------
        InputError
            For anything else, and for a node of another model.
        """
        node = as_point(attachment).node
        if not (node.index < len(self.nodes) and self.nodes[node.index] is node):
            raise InputError(f"{what}: node '{node.name}' belongs to another model than '{self.name}'")
        return node

    def node(self, position: ArrayLike, rotation: ArrayLike | None = None, name: str = "") -> Node:
        """A new node.

        Parameters
        ----------
        position : (3,) m, global axes, reference configuration
        rotation : (3, 3) node axes to global axes; parallel to them when left out
        name : shown in messages and results
        """
        label = self.unique_name(name or "node")
        frame = np.eye(3) if rotation is None else check_rotation(rotation, f"rotation of node '{label}'")
        node = Node(len(self.nodes), label, three_numbers(position, f"position of node '{label}'"), frame)
        self._changes += 1
        self.nodes.append(node)
        self.inertia.extend(1)
        return node

    def new_nodes(self, positions: Array, rotations: Sequence[Array], names: Sequence[str]) -> list[Node]:
        """New nodes in one go, as `node` makes one.

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
        places = np.array(positions, dtype=float)
        for k in np.flatnonzero(~np.isfinite(places).all(axis=1)):
            three_numbers(places[k], f"position of node '{labels[k]}'")
        made = [
            Node(len(self.nodes) + k, label, places[k], frames[id(rotation)])
            for k, (label, rotation) in enumerate(zip(labels, rotations, strict=True))
        ]
        self._changes += 1
        self.nodes.extend(made)
        self.inertia.extend(len(made))
        return made

    def fix(
        self,
        node: Attachment,
        translation: bool | Sequence[bool] = True,
        rotation: bool | Sequence[bool] = True,
    ) -> None:
        """Hold a node's position and/or rotation for good (its equations are dropped).

        Parameters
        ----------
        node : or the handle of a body, or a point, whose node is meant
        translation : whether it is held, or (3,) in which directions, global axes, of the node's mass centre
        rotation : whether it is held, or (3,) about which axes of the node: of small turns

        Raises
        ------
        InputError
            For a node of another model, or one with a prescribed motion.
        """
        node = self.own(node, "Model.fix")
        if any(motion.node is node for motion in self.prescribed):
            raise InputError(
                f"node '{node.name}' has a prescribed motion already: it cannot be held or moved otherwise"
            )
        self._changes += 1
        held = self.fixed.setdefault(node.index, set())
        for first, given in ((0, translation), (3, rotation)):
            each = (given,) * 3 if isinstance(given, bool) else tuple(given)
            if len(each) != 3:
                raise InputError(f"Model.fix: give three values for node '{node.name}', not {len(each)}")
            held.update(first + k for k in range(3) if each[k])

    def set_velocity(
        self,
        nodes: Attachment | HasNodes | Iterable[Attachment],
        velocity: ArrayLike = (0, 0, 0),
        omega: ArrayLike = (0, 0, 0),
        about: ArrayLike | None = None,
    ) -> None:
        """Initial velocity: that of ``about`` (or of the node itself) and the angular velocity, all in global axes.

        With ``about`` (3,), every node moves with the rigid body whose point ``about`` has ``velocity``. The
        handle of a beam stands for all its nodes.

        Parameters
        ----------
        nodes : one or several nodes, points (their nodes are meant) or handles
        velocity : (3,) m/s
        omega : (3,) rad/s
        about : (3,) m

        Raises
        ------
        InputError
            When a node has been given another initial velocity before.
        """
        v, w = three_numbers(velocity, "initial velocity"), three_numbers(omega, "initial angular velocity")
        centre = None if about is None else three_numbers(about, "reference point of the velocity")
        given: Any = getattr(nodes, "nodes", nodes)
        for attachment in given if isinstance(given, Iterable) else [given]:
            node = self.own(attachment, "initial velocity")
            arm = np.zeros(3) if centre is None else node.position - centre
            self._set_velocity(node, v + cross(w, arm), w)

    def _set_velocity(self, node: Node, velocity: Array, omega: Array) -> None:
        new = np.array([velocity, omega])
        old = np.array(self.velocities.get(node.index, new))
        if np.abs(new - old).max() > 1e-9 * np.abs(old).max():
            raise InputError(
                f"node '{node.name}' has been given an initial velocity already, {old[0].tolist()} m/s and "
                f"{old[1].tolist()} rad/s: give it once"
            )
        self.velocities[node.index] = (velocity, omega)

    def __str__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)

    # -- what parts call ------------------------------------------------------------------------------------

    def register(self, kind: type[PartKind], spec: Any) -> None:
        """Hand one part's data to the kind that computes it.

        Parameters
        ----------
        kind : a subclass of `PartKind`
        spec : the part's data, which the kind is given with those of all other such parts; not changed afterwards
        """
        self._changes += 1
        self.specs.setdefault(kind, []).append(spec)

    def add_mass(self, node: Node, mass: float, about_centre: Array, centre: Array) -> None:
        """Lump mass at a node.

        Parameters
        ----------
        node : of this model
        mass : kg
        about_centre : (3, 3) kg m^2, inertia about the mass centre, node axes
        centre : (3,) m, mass centre from the node's place, node axes
        """
        own = np.array([self.own(node, "mass").index])
        self.add_masses(own, np.array([mass]), np.asarray(about_centre)[None], centre)

    def add_masses(self, nodes: Indices, mass: Array, about_centre: Array, centre: Array) -> None:
        """Lump many masses with the same centre, one after the other, a node as often as it is named.

        Parameters
        ----------
        nodes : (k,) indices
        mass : (k,) kg
        about_centre : (k, 3, 3) kg m^2, as for `add_mass`
        centre : (3,) m, as for `add_mass`
        """
        self._changes += 1
        self.inertia.add(nodes, mass, about_centre, np.asarray(centre))

    def draw_body(self, name: str, shape: dict[str, Any]) -> None:
        """Let pictures show a body by a shape; see `fem_mbd.elements.shapes`.

        Parameters
        ----------
        name : of the body
        shape : as plain data
        """
        self.shapes[name] = shape

    def name_body(self, name: str, node: Node) -> None:
        """Let results answer for ``name`` with the motion of ``node``.

        Parameters
        ----------
        name : of the body
        node : that moves with it
        """
        self.bodies[name] = node

    def unique_name(self, wanted: str) -> str:
        """``wanted``, or wanted-2, wanted-3 … when it is taken.

        Parameters
        ----------
        wanted : the name that the user gave
        """
        name, k = wanted, 2
        while name in self._names:
            name, k = f"{wanted}-{k}", k + 1
        self._names[name] = None
        return name
