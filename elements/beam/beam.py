"""Geometrically exact beam with 2, 3 or 4 nodes per element.

Any reference line and initial twist, full 6 x 6 stiffness, section mass with its centre off the line,
stiffness-proportional (Kelvin-Voigt) damping. Convergence h^2, h^4, h^6 with 2, 3, 4 nodes; no locking. How far an
element may bend or twist: `ranges`; prefer 4 nodes. Kernels: `gauss_point`, `forces`, `tangent`; derivation:
docs/explanation/theory.md, section 5.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.base.validation import array, check_memory, whole_number
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Node, as_point, as_position
from fem_mbd.elements.beam.element_data import BeamElements, Viscosity, as_viscosity
from fem_mbd.elements.beam.finer import refined
from fem_mbd.elements.beam.kind import BeamSpec
from fem_mbd.elements.beam.ranges import RESOLVED, SAMPLES, rotation_within
from fem_mbd.elements.curve import ReferenceLine, Straight, frames
from fem_mbd.elements.quadrature import LOBATTO_NODES
from fem_mbd.elements.section.section import Section
from fem_mbd.elements.section.table import SectionTable
from fem_mbd.errors import InputError

AT_NODE = 1e-9  # share of the length: a node this near to a position is there
SectionLike = Section | SectionTable | Callable[[float], Section]


@dataclass(frozen=True, eq=False)
class BeamHandle:
    """A beam in a model.

    Attributes
    ----------
    name : shown in messages and results
    nodes : all nodes from start to end
    elements : (n_elements, nn) indices into the model's nodes
    line : its reference line
    bounds : (n_elements + 1,) fractions of the length where elements begin and end
    specs : data of each element
    offset_rotation : (3, 3) node axes to section axes
    section : as given with the beam
    """

    name: str
    nodes: list[Node]
    elements: Indices
    line: ReferenceLine
    bounds: Array
    specs: list[BeamSpec]
    offset_rotation: Array
    section: SectionLike

    @property
    def start(self) -> Node:
        """The first node."""
        return self.nodes[0]

    @property
    def end(self) -> Node:
        """The last node."""
        return self.nodes[-1]

    def node_at(self, s: float) -> Node:
        """The node at a position along the beam; end an element there, ``elements=(0, s, 1)``, to have one.

        Parameters
        ----------
        s : fraction of the length, from 0 to 1

        Raises
        ------
        InputError
            When there is none; the message gives the nearest.
        """
        node = self.node_nearest(s)
        distance = float(np.linalg.norm(node.position - self.line.at(s)[0]))
        if distance > AT_NODE * self.line.length:
            raise InputError(
                f"beam '{self.name}' has no node at {s:g} of its length: the nearest, '{node.name}', is {distance:.3g} "
                f"m away; end an element there, elements=(0, {s:g}, 1)"
            )
        return node

    def node_nearest(self, s: float) -> Node:
        """The node nearest to a position along the beam; `node_at` refuses where none is there.

        Parameters
        ----------
        s : fraction of the length, from 0 to 1
        """
        target = self.line.at(s)[0]
        return min(self.nodes, key=lambda node: float(np.linalg.norm(node.position - target)))


@arguments()
@dataclass(frozen=True, eq=False)
class Beam:
    """A beam to add to a model; see the module's docstring.

    Parameters
    ----------
    section : Section; SectionTable, integrated exactly; or a callable from the fraction s of the length to a Section,
        evaluated at the Gauss points for the stiffness and at the nodes for the mass
    start, end : (3,) coordinates or existing nodes of the model to share
    line : reference line; by default Straight between start and end
    up : (3,) sets section axis 3 of a straight beam: its part normal to the line; section axis 2 follows from it.
        Default: the global z axis (x for a beam along z). ``height`` of a `Section.rectangle` is along axis 3
    elements : number of elements of equal length, or the fractions of the length, from 0 to 1, where they meet
    order : nodes per element (2, 3 or 4)
    damping : Kelvin-Voigt eta, s; stress = C (strain + eta strain rate); or six, one for each strain (see `viscosity`);
        it adds to the damping of the sections
    name : shown in messages and results

    Raises
    ------
    InputError
        For inconsistent ends, bad counts or damping; the message names the beam.
    """

    section: SectionLike
    start: Any = None
    end: Any = None
    _: KW_ONLY
    line: ReferenceLine | None = None
    up: Any = None
    elements: Any = 1
    order: int = 4
    damping: Any = 0.0
    name: str = "beam"

    def __post_init__(self) -> None:
        is_integer = isinstance(self.order, int | np.integer) and not isinstance(self.order, bool)
        if not is_integer or self.order not in tuple(LOBATTO_NODES):
            raise InputError(f"beam '{self.name}': order is {self.order!r}: give 2, 3 or 4 nodes per element")
        finer = refined(self.name, int(self.order), self.elements)
        for name, number in zip(("order", "elements"), finer, strict=True):
            object.__setattr__(self, name, number)
        for end in ("start", "end"):
            attachment = getattr(self, end)
            if hasattr(attachment, "node"):  # the handle of a body, or a point of a node
                object.__setattr__(self, end, self._node_of(attachment))
        _ = self._bounds, self._viscosity  # check both; the cached values are used by `build`
        if not isinstance(self.section, Section) and not callable(self.section):
            raise InputError(f"beam '{self.name}': section must be a Section or a callable from s to one")
        if self.line is None and (self.start is None or self.end is None):
            raise InputError(f"beam '{self.name}': give start and end, or a line")
        if self.line is not None and not (hasattr(self.line, "at") and hasattr(self.line, "length")):
            raise InputError(f"beam '{self.name}': line is {self.line!r}: give a Straight, Arc or Curve")

    def _node_of(self, attachment: Any) -> Node:
        point = as_point(attachment)
        if np.any(point.offset):
            raise InputError(
                f"beam '{self.name}': it can share a node, not an offset point; join its end to the point by a Clamp"
            )
        return point.node

    def build(self, model: Model) -> BeamHandle:
        """Called by `Model.add`."""
        name = model.registry.unique_name(self.name)
        line, bounds = self._line(), self._bounds
        self._check_resolution(line, bounds)
        turn = self._turn(line)
        nodes = self._nodes(model, name, line, self._node_fractions(bounds), turn)
        count, nn = len(bounds) - 1, self.order
        elements = np.arange(nn)[None, :] + (nn - 1) * np.arange(count)[:, None]
        model.lines.append((name, nodes))
        data = BeamElements(self.section, self._section_at, nn, self._viscosity, turn, self.name)
        specs = data.add(model, name, nodes, bounds, line.length)
        return BeamHandle(name, nodes, elements, line, bounds, specs, turn, self.section)

    @cached_property
    def _bounds(self) -> Array:
        """Fractions of the length (count + 1,) where elements begin and end."""
        what = f"beam '{self.name}': elements"
        if np.ndim(self.elements) == 0:
            count = whole_number(self.elements, f"{what} (a count, or the fractions where they meet)")
            check_memory(count * self.order, what)
            return np.linspace(0.0, 1.0, count + 1)
        bounds = array(self.elements, np.shape(self.elements), what)
        if (
            bounds.ndim != 1
            or len(bounds) < 2
            or bounds[0] != 0
            or bounds[-1] != 1
            or np.any(np.diff(bounds) <= 0)
        ):
            raise InputError(
                f"{what}: the fractions where they meet must ascend from 0 to 1: {bounds.tolist()}"
            )
        return bounds

    @cached_property
    def _viscosity(self) -> Viscosity:
        return as_viscosity(self.damping, f"beam '{self.name}': damping")

    def _section_at(self, s: float) -> Section:
        if isinstance(self.section, Section):
            return self.section
        what = f"beam '{self.name}': the section function at s = {s:g}"
        try:
            section = self.section(s)
        except Exception as error:
            raise InputError(f"{what} fails ({type(error).__name__}: {error})") from error
        if not isinstance(section, Section):
            raise InputError(f"{what} returns {section!r}: it must return a Section")
        return section

    def _line(self) -> ReferenceLine:
        if self.line is not None:
            return self.line
        ends = [as_position(e) for e in (self.start, self.end)]
        try:
            return Straight(ends[0], ends[1], up=self.up)
        except InputError as error:
            raise InputError(f"beam '{self.name}': {error}") from error

    def _node_fractions(self, bounds: Array) -> Array:
        inner = 0.5 * (1 + LOBATTO_NODES[self.order][:-1])
        inside = bounds[:-1, None] + np.diff(bounds)[:, None] * inner
        return np.append(inside.ravel(), 1.0)

    def _check_resolution(self, line: ReferenceLine, bounds: Array) -> None:
        """Refuse a reference line that turns through more within an element than its nodes resolve."""
        parts = np.arange(SAMPLES) / SAMPLES
        fractions = np.append((bounds[:-1, None] + np.diff(bounds)[:, None] * parts).ravel(), 1.0)
        rotations = frames(line, fractions)[1]
        if len({id(rotation) for rotation in rotations}) == 1:
            return
        axes = np.array(rotations)
        turned = [rotation_within(axes[SAMPLES * e : SAMPLES * (e + 1) + 1]) for e in range(len(bounds) - 1)]
        worst, limit = int(np.argmax(turned)), RESOLVED[self.order]
        if turned[worst] > limit:
            raise InputError(
                f"beam '{self.name}': its line turns by {turned[worst]:.3g} rad within element {worst + 1}, which "
                f"{self.order} nodes resolve up to {limit:g} rad: give at least "
                f"{int(np.ceil(len(turned) * turned[worst] / limit))} elements, or more nodes per element"
            )

    def _turn(self, line: ReferenceLine) -> Array:
        """Rotation (3, 3) from node axes to section axes; not the identity when a shared end node is rotated."""
        turns = []
        for s, end in ((0.0, self.start), (1.0, self.end)):
            if isinstance(end, Node):
                position, rotation = line.at(s)
                gap = float(np.linalg.norm(position - end.position))
                if gap > 1e-9 * line.length:
                    raise InputError(
                        f"beam '{self.name}': its line misses the shared node '{end.name}' by {gap:.3g} m"
                    )
                turns.append(rotation.T @ end.rotation)
        if len(turns) == 2 and np.abs(turns[0] - turns[1]).max() > 1e-8:
            raise InputError(
                f"beam '{self.name}': the two shared end nodes are rotated differently relative to the section; "
                "share one and join the other with a Clamp"
            )
        return turns[0] if turns else np.eye(3)

    def _nodes(
        self, model: Model, name: str, line: ReferenceLine, fractions: Array, turn: Array
    ) -> list[Node]:
        """All nodes: end nodes shared or new, as the user chose, and new nodes between them."""
        first, last = isinstance(self.start, Node), isinstance(self.end, Node)
        new = range(int(first), len(fractions) - int(last))
        positions, rotations = frames(line, fractions[new.start : new.stop])
        turned = {id(r): r @ turn for r in {id(r): r for r in rotations}.values()}  # a single one if straight
        node_axes = [turned[id(r)] for r in rotations]
        nodes = model.registry.new_nodes(positions, node_axes, [f"{name}.{k}" for k in new])
        return [*([self.start] if first else []), *nodes, *([self.end] if last else [])]
