"""Class `Model`, which the user builds: nodes, parts attached to them, and the initial motion.

A `Model` numbers the nodes and lists the parts; parts (elements, joints, loads) are immutable and register their data
with the model through its `Registry`. A `System` is created from it once per run.

Its summary is text for `print(model)` (`as_text`) and HTML for notebooks (`as_html`).

`warn_of_unconnected_nodes` looks for beams that touch at a node without being connected: often a node that was meant
to be shared.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
import scipy
from numpy.typing import ArrayLike

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.base.validation import three_numbers
from fem_mbd.core.model.node import Attachment, HasNodes, Node, Point, as_point
from fem_mbd.core.model.prescription import Prescription
from fem_mbd.core.model.registry import Inertias, Registry
from fem_mbd.core.model.time_functions import TimeFunctionLike
from fem_mbd.core.rotations import check_rotation, cross
from fem_mbd.errors import FemMbdWarning, InputError

_LISTED = 20  # names per element class


class Described(Protocol):
    """The attributes of `Model` that the summary uses."""

    name: str
    gravity: Array
    nodes: list[Node]
    added: list[tuple[str, str]]
    fixed: dict[int, set[int]]
    velocities: dict[int, Any]
    inertia: Inertias


def rows(model: Described) -> list[tuple[str, str]]:
    """Rows of the summary: title and text."""
    fixed_nodes = sum(len(components) == 6 for components in model.fixed.values()) - 1  # without the ground
    mass = float(model.inertia.masses.sum())
    table = [
        ("gravity", f"{np.array2string(model.gravity, separator=', ')} m/s^2"),
        ("mass", f"{mass:.6g} kg"),
        ("nodes", f"{len(model.nodes) - 1}, {fixed_nodes} of them held, and the ground"),
    ]
    for kind, count in Counter(kind for kind, _ in model.added).items():
        names = [name for other, name in model.added if other == kind]
        table.append((kind, f"{count}: {_listed(names)}"))
    if model.velocities:
        table.append(("initial velocity", f"of {len(model.velocities)} nodes"))
    return table


def as_text(model: Described) -> str:
    """The summary as text, one line per row."""
    table = rows(model)
    width = max(len(title) for title, _ in table)
    return "\n".join([f"Model '{model.name}'", *(f"  {title.ljust(width)}  {text}" for title, text in table)])


def as_html(model: Described) -> str:
    """The summary as an HTML table."""
    from html import escape  # not at the top: its table of entities is needed in notebooks only

    lines = "".join(f"<tr><th>{escape(key)}</th><td>{escape(text)}</td></tr>" for key, text in rows(model))
    return f"<table><caption>Model '{escape(model.name)}'</caption>{lines}</table>"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


Handle = TypeVar("Handle", covariant=True)


class Part(Protocol[Handle]):
    """Anything `Model.add` accepts: an element, a joint or a load."""

    @property
    def name(self) -> str: ...

    def build(self, model: Model) -> Handle:
        """Register nodes, masses, constraints … with the model; return the handle with which the user continues."""
        ...


@arguments()
class Model:
    """A flexible multibody system under construction.

    Parameters
    ----------
    gravity : (3,) acceleration in global axes, m/s^2
    name : shown in messages and stored with the results
    allow_redundant : solve redundant constraints with minimum-norm multipliers instead of raising an error
    """

    def __init__(
        self, gravity: ArrayLike = (0.0, 0.0, 0.0), *, name: str = "model", allow_redundant: bool = False
    ):
        self.gravity = three_numbers(gravity, "gravity")
        self.name = name
        self.allow_redundant = allow_redundant
        self.registry = registry = Registry(name)
        self.nodes, self.inertia, self.specs = registry.nodes, registry.inertia, registry.specs
        self.bodies, self.shapes = registry.bodies, registry.shapes
        self.parts: list[Any] = []
        self.added: list[tuple[str, str]] = []  # class and name of each added part
        self.fixed: dict[int, set[int]] = {}
        self.fixed_points: list[
            tuple[Point, tuple[bool, ...]]
        ] = []  # and the directions in which they are fixed
        self.point_masses = registry.point_masses
        self.velocities: dict[int, tuple[Array, Array]] = {}
        self.prescribed: list[Prescription] = []
        self.lines: list[tuple[str, list[Node]]] = []  # beams by name with their nodes from start to end
        self.load_stations: list[dict[str, Any]] = []  # stations of section loads, plain data
        self.incomplete_part = ""  # a part that raised an error after it had registered some of its data
        self._added: dict[int, Any] = {}  # parts by identity, stored so that no identity is used again
        self.ground = self.node((0.0, 0.0, 0.0), name="ground")
        self.fix(self.ground)

    def add(self, part: Part[Handle]) -> Handle:
        """Add an element, a joint or a load.

        Parameters
        ----------
        part : any part of `fem_mbd.elements` or `fem_mbd.joints`, or one of your own (add-an-element.md)

        Returns
        -------
        Handle
            The part in the model, to which other parts are attached, and for which results are read.

        Raises
        ------
        InputError
            When the part cannot be attached; the message names the part.
        """
        if isinstance(part, type) or not hasattr(part, "build"):
            name = part.__name__ if isinstance(part, type) else type(part).__name__
            raise InputError(f"{name} is not a part of a model: expected an element, a joint or a load")
        label = f"{type(part).__name__} '{part.name}'" if part.name else f"this {type(part).__name__}"
        if id(part) in self._added:
            raise InputError(f"{label} has been added to this model already: create another one")
        for value in vars(part).values():
            if isinstance(value, Node | Point) or isinstance(getattr(value, "node", None), Node):
                self.registry.node_of(value, label)
        before = len(self.registry.names)
        handle = self._build(part, label)
        name = getattr(handle, "name", "") or next(iter(list(self.registry.names)[before:]), part.name)
        self.added.append((type(part).__name__, name))
        self.parts.append(handle)
        self._added[id(part)] = part
        return handle

    def _build(self, part: Part[Handle], label: str) -> Handle:
        """Build a part; after an error its names are removed, and a model that it changed cannot be run."""
        before, names = self.registry.changes, len(self.registry.names)
        try:
            return part.build(self)
        except InputError:
            for name in list(self.registry.names)[names:]:
                del self.registry.names[name]
            if self.registry.changes != before:
                self.incomplete_part = label
            raise

    def node(self, position: ArrayLike, rotation: ArrayLike | None = None, name: str = "") -> Node:
        """A new node.

        Parameters
        ----------
        position : (3,) m, global axes, reference configuration
        rotation : (3, 3) node axes to global axes; the identity by default
        name : shown in messages and results
        """
        label = self.registry.unique_name(name or "node")
        frame = np.eye(3) if rotation is None else check_rotation(rotation, f"rotation of node '{label}'")
        node = Node(len(self.nodes), label, three_numbers(position, f"position of node '{label}'"), frame)
        self.registry.changes += 1
        self.nodes.append(node)
        self.inertia.extend(1)
        return node

    def fix(
        self,
        node: Attachment,
        translation: bool | Sequence[bool] = True,
        rotation: bool | Sequence[bool] = True,
    ) -> None:
        """Fix the position of a node, or of a point of it, and/or its rotation throughout the run.

        Equations are removed, except where the node can rotate about a point that is not its mass centre: this point is
        held by a joint with the ground, "support of NODE", whose reaction is in the results.

        Parameters
        ----------
        node : the node, a point of it, or the handle of a body with this node
        translation : whether the position is fixed, or (3,) in which directions, global axes
        rotation : whether it is fixed, or (3,) about which axes of the node: for small rotations

        Raises
        ------
        InputError
            For a node of another model, or one with a prescribed motion.
        """
        point, node = as_point(node), self.registry.node_of(node, "Model.fix")
        if any(motion.node is node for motion in self.prescribed):
            raise InputError(
                f"node '{node.name}' has a prescribed motion already: it cannot be fixed or prescribed again"
            )
        self.registry.changes += 1
        components = self.fixed.setdefault(node.index, set())
        for first, flags in ((0, translation), (3, rotation)):
            fixed = (flags,) * 3 if isinstance(flags, bool) else tuple(flags)
            if len(fixed) != 3:
                raise InputError(f"Model.fix: give three values for node '{node.name}', not {len(fixed)}")
            components.update(first + k for k in range(3) if fixed[k])
            if first == 0 and any(fixed):
                self.fixed_points.append((point, fixed))

    def set_velocity(
        self,
        nodes: Attachment | HasNodes | Iterable[Attachment],
        velocity: ArrayLike = (0, 0, 0),
        omega: ArrayLike = (0, 0, 0),
        about: ArrayLike | None = None,
    ) -> None:
        """Initial velocity: that of ``about`` (or of the node itself) and the angular velocity, all in global axes.

        With ``about`` (3,), every node moves with the rigid body whose point ``about`` has ``velocity``: several nodes
        that rotate need it. Without it each given node or point has ``velocity``. The handle of a beam sets the
        velocities of all its nodes.

        Parameters
        ----------
        nodes : one or several nodes, points or handles
        velocity : (3,) m/s
        omega : (3,) rad/s
        about : (3,) m

        Raises
        ------
        InputError
            When a node has another initial velocity already, or several nodes rotate and ``about`` is missing: each of
            them would turn about itself.
        """
        v, w = three_numbers(velocity, "initial velocity"), three_numbers(omega, "initial angular velocity")
        centre = None if about is None else three_numbers(about, "reference point of the velocity")
        listed: Any = getattr(nodes, "nodes", nodes)
        attachments = list(listed) if isinstance(listed, Iterable) else [listed]
        places = np.array([as_point(a).position for a in attachments if not isinstance(a, Point)])
        if centre is None and len(places) > 1 and np.any(np.abs(np.cross(places - places[0], w)) > 0.0):
            raise InputError(
                f"initial velocity: {len(places)} nodes with an angular velocity, and no point about which they turn: "
                "give about=POINT of the axis, or call set_velocity for each body that turns about itself"
            )
        for attachment in attachments:
            node = self.registry.node_of(attachment, "initial velocity")
            arm = node.position - (as_point(attachment).position if centre is None else centre)
            self._set_velocity(node, v + cross(w, arm), w)

    def _set_velocity(self, node: Node, velocity: Array, omega: Array) -> None:
        new = np.array([velocity, omega])
        old = np.array(self.velocities.get(node.index, new))
        if np.abs(new - old).max() > 1e-9 * np.abs(old).max():
            raise InputError(
                f"node '{node.name}' has an initial velocity already, {old[0].tolist()} m/s and "
                f"{old[1].tolist()} rad/s: set it once"
            )
        self.velocities[node.index] = (velocity, omega)

    def __str__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


@arguments()
@dataclass(frozen=True, eq=False)
class PrescribedMotion:
    """Prescribed displacement and rotation of a node or point, functions of time from the reference configuration on.

    Parameters
    ----------
    node : the node, a point of it, or the handle of a body with this node
    displacement : (3,) function of time, m, global axes, of the node or point; None fixes its position
    axis : (3,) of the rotation about the node or point, global axes
    angle : function of time in rad about ``axis``; None fixes the rotation
    name : shown in messages
    allow_jumps : let displacement and angle jump; the step that begins at a jump carries it out, and its work is in the
        energy balance (`fem_mbd.core.model.function_values`)
    """

    node: Attachment
    displacement: TimeFunctionLike | None = None
    _: KW_ONLY
    axis: tuple[float, float, float] | None = None
    angle: TimeFunctionLike | None = None
    name: str = "prescribed motion"
    allow_jumps: bool = False

    def build(self, model: Model) -> PrescribedMotion:
        """Called by `Model.add`."""
        if (self.axis is None) != (self.angle is None):
            raise InputError(f"{self.name}: give axis and angle together, or neither")
        node = model.registry.node_of(self.node, self.name)
        if node is model.ground or len(model.fixed.get(node.index, ())) == 6:
            raise InputError(
                f"{self.name}: node '{node.name}' is fixed (the ground, or Model.fix): do not fix it"
            )
        prescription = Prescription.of(
            as_point(self.node), self.displacement, self.axis, self.angle, self.name, self.allow_jumps
        )
        model.fix(node)
        model.prescribed.append(prescription)
        return self


GAP_RATIO = 1e-4  # largest gap, as a fraction of the shorter beam's length between its ends
MIN_TREE_DISTANCES = 100_000  # distances from which on a k-d tree is faster, its import included


class UnconnectedNodeWarning(FemMbdWarning):
    """Two beams touch at a node but are not connected."""


def warn_of_unconnected_nodes(model: Model, joined: Sequence[Indices], supports: Sequence[int]) -> None:
    """A `UnconnectedNodeWarning` for each end of a beam that is next to a node of another beam and not joined to it.

    Parameters
    ----------
    model : with its beams
    joined : (n_parts, k) nodes of each part, -1 where it has fewer
    supports : fixed nodes, which count as the ground
    """
    if len(model.lines) < 2:
        return
    owners: dict[int, list[int]] = {}
    for line, (_, nodes) in enumerate(model.lines):
        for node in nodes:
            owners.setdefault(node.index, []).append(line)
    members = np.array(sorted(owners))
    positions = np.array([model.nodes[k].position for k in members])
    spans = np.array([np.linalg.norm(nodes[-1].position - nodes[0].position) for _, nodes in model.lines])
    ends = [(line, end) for line, (_, nodes) in enumerate(model.lines) for end in (nodes[0], nodes[-1])]
    near = _near(positions, np.array([end.position for _, end in ends]), GAP_RATIO * np.repeat(spans, 2))
    touching = [
        (line, end, model.nodes[members[k]])
        for (line, end), neighbours in zip(ends, near, strict=True)
        for k in neighbours
        if members[k] != end.index
    ]
    # a beam shorter than a gap joins its ends
    short = [
        [node.index for node in nodes]
        for (_, nodes), span in zip(model.lines, spans, strict=True)
        if span <= GAP_RATIO * spans.max()
    ]
    group = _groups(len(model.nodes), model, joined, supports, short) if touching else []
    warned: set[tuple[int, int]] = set()
    for line, end, other in touching:
        pair = (min(end.index, other.index), max(end.index, other.index))
        if group[end.index] == group[other.index] or pair in warned:
            continue
        for second in owners[other.index]:
            distance = float(np.linalg.norm(end.position - other.position))
            if line not in owners[other.index] and distance <= GAP_RATIO * spans[second]:
                warned.add(pair)
                _warn(model.lines[line][0], model.lines[second][0], end.name, other.name, distance)
                break


def _near(positions: Array, ends: Array, radii: Array) -> Sequence[Sequence[int]]:
    """Indices of the positions within the radius of each end."""
    if len(positions) * len(ends) > MIN_TREE_DISTANCES:
        return list(scipy.spatial.KDTree(positions).query_ball_point(ends, radii))
    distances = np.linalg.norm(ends[:, None] - positions, axis=2)
    return [np.flatnonzero(row).tolist() for row in distances <= radii[:, None]]


def _groups(
    count: int,
    model: Model,
    joined: Sequence[Indices],
    supports: Sequence[int],
    short: Sequence[Sequence[int]],
) -> list[int]:
    """A number per node, equal for nodes that are connected by parts other than beams, or by ``short`` beams."""
    lines_of: list[set[int]] = [set() for _ in range(count)]
    for line, (_, members) in enumerate(model.lines):
        for node in members:
            lines_of[node.index].add(line)
    before = list(range(count))  # union-find: another node of the same group, or the node itself

    def first(node: int) -> int:
        while before[node] != node:
            before[node] = node = before[before[node]]
        return node

    for fixed in supports:
        before[first(fixed)] = first(0)
    for nodes in short:
        for k in nodes[1:]:
            before[first(k)] = first(nodes[0])
    for parts in joined:
        for row in parts.tolist():
            nodes_of_part = [k for k in row if k >= 0]
            if not nodes_of_part or set.intersection(*(lines_of[k] for k in nodes_of_part)):
                continue  # of one beam
            for k in nodes_of_part[1:]:
                before[first(k)] = first(nodes_of_part[0])
    return [first(k) for k in range(count)]


def _warn(first: str, second: str, node: str, other: str, distance: float) -> None:
    warnings.warn(
        f"beams '{first}' and '{second}' meet (node '{node}' is {distance:.3g} m from '{other}') but nothing joins "
        f"them: share the node, e.g. start={first}.end, or add a joint",
        UnconnectedNodeWarning,
        stacklevel=5,
    )
