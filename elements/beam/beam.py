"""Geometrically exact beams with 2, 3 or 4 nodes per element: `Beam`, its damping and the data of its elements.

Any reference line and initial twist, full 6 x 6 stiffness, section mass with its centre off the line,
stiffness-proportional (Kelvin-Voigt) damping. Convergence h^2, h^4, h^6 with 2, 3, 4 nodes; no locking. How far an
element may bend or twist: `forces`; prefer 4 nodes. Kernels: `gauss_point`, `forces`, `tangent`; derivation:
docs/explanation/theory.md, section 5.

`finer_beams` raises the polynomial order of all beams by one, to estimate discretisation errors.

Kelvin-Voigt damping (`Viscosity`) has one time for all strains, or one for each of the six.

    stress = C strain + D strain rate        D = eta C,  or  D = S C S with S = diag(sqrt(eta_1), …, sqrt(eta_6))

order as in `section`: stretch, shear 2, shear 3, twist, bend 2, bend 3. S C S is symmetric and never negative, whatever
the coupling in C, and equals eta C for six equal times, diag(eta) C for uncoupled sections.

`BeamElements` has the sections of a beam's elements: stiffness and viscosity at Gauss points, lumped nodal masses,
outlines for drawing. For a beam with a constant section these data are computed once and shared by all elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.base.validation import array, check_memory, whole_number
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Handle, Node, as_point, as_position
from fem_mbd.elements.beam.forces import RESOLVED, SAMPLES, rotation_within
from fem_mbd.elements.beam.kind import BEAM_KINDS, BeamSpec
from fem_mbd.elements.curve import ReferenceLine, Straight, frames
from fem_mbd.elements.quadrature import LOBATTO_NODES, LOBATTO_WEIGHTS, gauss_rule
from fem_mbd.elements.section.section import Section
from fem_mbd.elements.section.shapes import outline_of
from fem_mbd.elements.section.table import ElementSections, SectionTable, element_sections
from fem_mbd.errors import InputError

MAX_NODES = 4  # nodes of an element
_refined: ContextVar[dict[str, tuple[int, int]] | None] = ContextVar("_refined", default=None)


@contextmanager
def finer_beams() -> Iterator[dict[str, tuple[int, int]]]:
    """Within the block beams have one node more in each element, or, with four already, twice as many elements.

    Yields the names of these beams with the number of node intervals per given element, before and after.
    """
    names: dict[str, tuple[int, int]] = {}
    token = _refined.set(names)
    try:
        yield names
    finally:
        _refined.reset(token)


def refined(name: str, order: int, elements: Any) -> tuple[int, Any]:
    """Order and elements of a beam, unchanged outside of `finer_beams`."""
    names = _refined.get()
    if names is None:
        return order, elements
    names[name] = order - 1, order if order < MAX_NODES else 2 * (order - 1)
    if order < MAX_NODES:
        return order + 1, elements
    if np.ndim(elements) == 0:
        return order, 2 * elements
    bounds = np.asarray(elements, dtype=float)
    return order, np.sort(np.concatenate([bounds, 0.5 * (bounds[1:] + bounds[:-1])]))


@dataclass(frozen=True, eq=False)
class Viscosity:
    """Damping times: `common`, eta of all strains, s; or `each`, (6,) one for each strain, s, or None."""

    common: float
    each: Array | None = None

    def matrix(self, stiffness: Array) -> Array:
        """(n, 6, 6) D of the stiffness (n, 6, 6)."""
        if self.each is None:
            return self.common * stiffness
        root = np.sqrt(self.each)
        return np.asarray(root[:, None] * stiffness * root)


def as_viscosity(damping: Any, what: str) -> Viscosity:
    """Viscosity from one number (s) or six; InputError for negative ones."""
    times = array(damping, (6,) if np.ndim(damping) else (), what)
    if np.any(times < 0.0):
        raise InputError(f"{what} is {np.asarray(damping).tolist()}: it must not be negative")
    if times.ndim == 0:
        return Viscosity(float(times))
    if np.all(times == times[0]):
        return Viscosity(float(times[0]))
    return Viscosity(0.0, times)


@dataclass(frozen=True, eq=False)
class _Data:
    """Data of one element in node axes: (ng, 6, 6) stiffness and viscosity, the rest as in `BeamSpec`."""

    sections: ElementSections
    stiffness: Array
    viscosity: Array
    masses: Array
    outlines: Array


class BeamElements:
    """The elements of one beam.

    Parameters
    ----------
    section, at : section of the beam, and function that returns the section at a fraction of its length
    order : nodes per element
    damping : of the beam
    turn : (3, 3) node axes to section axes
    beam : its name in messages
    """

    def __init__(
        self,
        section: Any,
        at: Callable[[float], Section],
        order: int,
        damping: Viscosity,
        turn: Array,
        beam: str,
    ):
        self._section, self._at, self._order = section, at, order
        self._damping, self._turn, self._beam = damping, turn, beam
        self._constant: _Data | None = None
        self._lengths: dict[float, tuple[Array, Array]] = {}

    def add(
        self, model: Model, name: str, nodes: Sequence[Node], bounds: Array, length: float
    ) -> list[BeamSpec]:
        """Register the elements between fractions ``bounds`` (count + 1,) of a line, m, and lump their masses."""
        ends = list(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True))
        lengths = length * np.diff(bounds)
        data = [self._data(end) for end in ends]
        self._lump(model, nodes, lengths, data)
        specs = []
        for e, (element, end) in enumerate(zip(data, ends, strict=True)):
            first = (self._order - 1) * e
            slope, weight = self._scaled(float(lengths[e]))
            spec = BeamSpec(
                name=name, element=e, members=tuple(nodes[first : first + self._order]),
                shape=gauss_rule(self._order)[2], slope=slope, weight=weight, stiffness=element.stiffness,
                viscosity=element.viscosity, masses=element.masses, turn=self._turn, span=end,
                outlines=element.outlines,
            )  # fmt: skip
            model.registry.add(BEAM_KINDS[self._order], spec)
            specs.append(spec)
        return specs

    def _data(self, ends: tuple[float, float]) -> _Data:
        if self._constant is not None:
            return self._constant
        sections = element_sections(self._section, self._at, self._order, ends, f"beam '{self._beam}'")
        turn = np.zeros((6, 6))
        turn[:3, :3] = turn[3:, 3:] = self._turn
        damping = sections.viscosity + self._damping.matrix(sections.stiffness)
        stiffness, viscosity = (turn.T @ matrix @ turn for matrix in (sections.stiffness, damping))
        share = sections.shares.sum(axis=0)
        masses = share @ [
            (section.mass_per_length, np.asarray(section.inertia)[0, 0]) for section in sections.sections
        ]
        data = _Data(sections, stiffness, viscosity, masses, self._outlines(ends))
        if isinstance(self._section, Section):
            self._constant = data
        return data

    def _scaled(self, length: float) -> tuple[Array, Array]:
        """Derivatives of the shape functions by arc length, and weights, for an element of this length, m."""
        if length not in self._lengths:
            _, weights, _, slope = gauss_rule(self._order)
            self._lengths[length] = 2 / length * slope, 0.5 * length * weights
        return self._lengths[length]

    def _lump(self, model: Model, nodes: Sequence[Node], lengths: Array, data: Sequence[_Data]) -> None:
        """Add lumped masses of the elements to their nodes, element by element."""
        if self._constant is not None:
            self._lump_same(model, nodes, lengths)
            return
        for e, (length, element) in enumerate(zip(lengths, data, strict=True)):
            members = nodes[(self._order - 1) * e : (self._order - 1) * e + self._order]
            for node, shares in zip(members, length * element.sections.shares, strict=True):
                for share, section in zip(shares, element.sections.sections, strict=True):
                    if share != 0.0:
                        centre, tensor = self._mass_of(section)
                        model.registry.add_mass(node, share * section.mass_per_length, share * tensor, centre)

    def _lump_same(self, model: Model, nodes: Sequence[Node], lengths: Array) -> None:
        """Same as `_lump` for a constant section, vectorised."""
        index = np.array([node.index for node in nodes])
        members = np.arange(self._order) + (self._order - 1) * np.arange(len(lengths))[:, None]
        shares = (lengths[:, None] * (0.5 * LOBATTO_WEIGHTS[self._order])).ravel()
        centre, tensor = self._mass_of(self._section)
        masses = shares * self._section.mass_per_length
        model.registry.add_masses(index[members.ravel()], masses, shares[:, None, None] * tensor, centre)

    def _mass_of(self, section: Section) -> tuple[Array, Array]:
        """Mass centre (3,) and inertia per length (3, 3), node axes."""
        centre = self._turn.T @ np.array([0.0, *section.mass_centre])
        return centre, self._turn.T @ np.asarray(section.inertia) @ self._turn

    def _outlines(self, ends: tuple[float, float]) -> Array:
        """(2, k, 2) outlines of the section at both ends of an element; (1, k, 2) if equal or not of one size."""
        first, last = (outline_of(self._at(s)) for s in ends)
        same = first.shape != last.shape or np.array_equal(first, last)
        return np.array([first] if same else [first, last])


AT_NODE = 1e-9  # share of the length: a node this near to a position is there
SectionLike = Section | SectionTable | Callable[[float], Section]


@dataclass(frozen=True, eq=False, repr=False)
class BeamHandle(Handle):
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
