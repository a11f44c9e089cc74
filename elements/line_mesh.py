"""Beams from a line mesh: each line becomes one or several beam elements, joined rigidly where lines share a point.

A line of two points is straight, one of three or four is the curve through its points (Lagrange polynomial), whose arc
length the elements follow. `connected_order` traverses the connected lines, `join_rigidly` joins their ends.

`check_lines` checks the input, coincident points are merged, groups named; messages name file, line and points.

Nodes of the model are at the ends of the lines, and inside them where the elements of `LineMesh` need them. The axes of
a node can be chosen freely. They are chosen such that all lines that meet at a point share one node; where a closed
loop of curved lines does not allow this, a clamp joins two nodes at the same position.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.base.lazy import nearest
from fem_mbd.base.mesh_files import LineCells, read_lines
from fem_mbd.base.validation import array, not_negative, positive
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Handle, Node
from fem_mbd.core.rotations import unit_vector
from fem_mbd.core.scheme.constraints.constraint_kind import ConstraintKind, Constraints
from fem_mbd.core.scheme.constraints.forms import Form, axis, point
from fem_mbd.elements.beam.beam import Beam, BeamHandle
from fem_mbd.elements.curve import Curve, ReferenceLine, Straight
from fem_mbd.elements.quadrature import lagrange
from fem_mbd.elements.section.section import Section
from fem_mbd.errors import InputError

ON_CHORD = 1e-9  # fraction of the chord: tolerance of inner points of a straight line with equal spacing
PARALLEL = 1e-6  # smallest sine of the angle between `up` and the line
COINCIDENT = 1e-9  # fraction of the mesh's size: largest distance of coincident points


def line_of(points: Array, up: Any, what: str) -> ReferenceLine:
    """The curve through ``points`` (2 to 4, 3), equally spaced in its parameter; section axis 3 towards ``up``.

    Raises
    ------
    InputError
        Naming ``what``, for a line that reverses or is parallel to ``up``.
    """
    chord = points[-1] - points[0]
    equal = points[0] + np.linspace(0, 1, len(points))[:, None] * chord
    try:
        if np.abs(points - equal).max() <= ON_CHORD * np.linalg.norm(chord):
            return Straight(points[0], points[-1], up=up)
        return Curve(_polynomial(points, _up(up, chord)))
    except InputError as error:
        raise InputError(f"{what}: {error}") from error


def _up(up: Any, chord: Array) -> Array:
    """Direction of section axis 3; the default is that of `Straight` for the line's chord."""
    if up is not None:
        return unit_vector(up, "up")
    steep = np.hypot(chord[0], chord[1]) < np.sin(np.radians(1.0)) * np.linalg.norm(chord)
    return np.array([1.0, 0.0, 0.0] if steep else [0.0, 0.0, 1.0])


def _polynomial(points: Array, up: Array) -> Any:
    nodes = np.linspace(-1, 1, len(points))

    def frame(p: float) -> tuple[Array, Array]:
        values, slopes = lagrange(nodes, 2 * p - 1)
        tangent = slopes @ points
        size = float(np.linalg.norm(tangent))
        if size == 0.0:
            raise InputError("its derivative vanishes: place the inner points closer to equal distances")
        axis_1 = tangent / size
        axis_2 = np.cross(up, axis_1)
        if np.linalg.norm(axis_2) < PARALLEL:
            raise InputError("up is along the line: give a direction across it")
        axis_2 /= np.linalg.norm(axis_2)
        return values @ points, np.column_stack([axis_1, axis_2, np.cross(axis_1, axis_2)])

    return frame


def connected_order(cells: Sequence[Indices]) -> list[int]:
    """Order of lines: each, except the first of a connected part, shares an end with an earlier one."""
    at: dict[int, list[int]] = defaultdict(list)
    for k, cell in enumerate(cells):
        at[int(cell[0])].append(k)
        at[int(cell[-1])].append(k)
    order: list[int] = []
    done = [False] * len(cells)
    for first in range(len(cells)):
        queue = [] if done[first] else [first]
        while queue:
            k = queue.pop(0)
            if done[k]:
                continue
            done[k] = True
            order.append(k)
            queue += [n for end in (cells[k][0], cells[k][-1]) for n in at[int(end)] if not done[n]]
    return order


def join_rigidly(model: Model, k: Node, l: Node, name: str) -> None:
    """Connect two nodes at the same position rigidly: the six conditions of a clamp."""

    def conditions(x_k: Array, x_l: Array) -> list[tuple[int, Form]]:
        gap = point(1, x_l) - point(0, x_k)
        positions = [(i, gap.component(np.eye(3)[i])) for i in range(3)]
        pairs = ((0, 1), (1, 2), (2, 0))
        # rows of a rotation are the global axes in node axes
        rotations = [
            (3 + n, axis(0, k.rotation[a]).dot(axis(1, l.rotation[b]))) for n, (a, b) in enumerate(pairs)
        ]
        return positions + rotations

    label = model.registry.unique_name(name)
    model.registry.add(ConstraintKind, Constraints(label, "clamp", k.point, l.point, conditions))


def where(cells: LineCells, k: int) -> str:
    """Description of a line in messages: its number in the file, its group, its end points."""
    group = f" of group '{cells.tags[k]}'" if cells.tags[k] else ""
    return f"{cells.source}: {cells.numbers[k]}{group} (points {cells.cells[k][0]} and {cells.cells[k][-1]})"


def check_lines(cells: LineCells, points: Array) -> None:
    """InputError for points that are not finite, lines without length or given twice, or joined at inner points."""
    seen: dict[tuple[int, int], int] = {}
    inside = {int(p): k for k, c in enumerate(cells.cells) for p in c[1:-1]}
    for k, cell in enumerate(cells.cells):
        position = points[cell]
        if not np.isfinite(position).all():
            raise InputError(f"{where(cells, k)}: its coordinates are not finite")
        size = np.abs(position).max(initial=0.0)
        if np.linalg.norm(position[-1] - position[0]) <= 1e-12 * size:
            raise InputError(f"{where(cells, k)} has no length, or closes on itself: split it")
        ends = (int(min(cell[0], cell[-1])), int(max(cell[0], cell[-1])))
        if ends in seen and len(cell) == len(cells.cells[seen[ends]]) == 2:
            raise InputError(f"{where(cells, k)} is there twice: also as {cells.numbers[seen[ends]]}")
        seen[ends] = k
        for end in ends:
            if end in inside:
                raise InputError(
                    f"{where(cells, k)} ends at point {end}, which is inside {cells.numbers[inside[end]]}: "
                    "split that line there"
                )


def merged(cells: LineCells, points: Array, within: float | None) -> LineCells:
    """The lines with end points nearer than ``within`` (m) merged; InputError for such points if it is None."""
    ends = np.unique([(c[0], c[-1]) for c in cells.cells])
    if within is not None:
        not_negative(within, "line mesh: merge_within")
    finite_ends = ends[np.isfinite(points[ends]).all(axis=1)]
    size = float(np.ptp(points[finite_ends], axis=0).max(initial=0.0))
    distance = COINCIDENT * size if within is None else within
    if within == 0 or len(finite_ends) < 2:
        return cells
    pairs = sorted(scipy.spatial.cKDTree(points[finite_ends]).query_pairs(distance))
    if not pairs:
        return cells
    first, second = finite_ends[list(pairs[0])]
    if within is None:
        raise InputError(
            f"{cells.source}: points {first} and {second} are at the same position, {points[first].tolist()}, but "
            "lines do not share them: merge_within=1e-6 merges such points (m), merge_within=0 keeps them separate"
        )
    target = np.arange(len(points))
    for a, b in pairs:
        low, high = sorted((target[finite_ends[a]], target[finite_ends[b]]))
        target[target == high] = low
    named = {name: sorted({int(target[p]) for p in members}) for name, members in cells.named.items()}
    return replace(cells, cells=[target[c] for c in cells.cells], named=named)


def groups_of(cells: LineCells, values: Any, kind: type, what: str, complete: bool = True) -> list[Any]:
    """The value of each line, from ``values`` by the names of groups; a single value is for all lines.

    InputError for names that are not in the mesh, lines in two groups with different values and, if ``complete``, lines
    without a value.
    """
    if not isinstance(values, Mapping):
        if not isinstance(values, kind):
            raise InputError(
                f"{cells.source}: {what} is {values!r}: give a {kind.__name__}, or one for each group by name"
            )
        return [values] * len(cells.cells)
    of_lines = [cells.groups(k) for k in range(len(cells.cells))]
    names = sorted({name for groups in of_lines for name in groups})
    for name, value in values.items():
        if name not in names:
            raise InputError(
                f"{cells.source}: {what} given for '{name}': no line is in that group; {nearest(name, names)}"
            )
        if not isinstance(value, kind):
            raise InputError(f"{cells.source}: {what} of group '{name}' is {value!r}: give a {kind.__name__}")
    line_values = []
    for k, groups in enumerate(of_lines):
        known = [name for name in groups if name in values]
        if complete and not known:
            members = [n for n, others in enumerate(of_lines) if not set(others) & set(values)]
            group = (
                " or ".join(f"group '{name}'" for name in groups if name) or "lines without a group (name '')"
            )
            raise InputError(
                f"{cells.source}: no {what} for {group}: {len(members)} lines, first {where(cells, k)}"
            )
        if any(values[name] is not values[known[0]] for name in known):
            raise InputError(
                f"{where(cells, k)} is in the groups {', '.join(known)}: {what} is given for more than one of them"
            )
        line_values.append(values[known[0]] if known else None)
    return line_values


SAME_AXES = 1e-8  # as in Beam, for two ends of an element


@dataclass(frozen=True, eq=False, repr=False)
class LineMeshHandle(Handle):
    """A line mesh in a model.

    Attributes
    ----------
    name : shown in messages and results
    beams : the beams of each group, in the order of the file; a line in several groups is in all of them
    nodes : the node at a point of the mesh, by the point's number counted from 0 (ends of lines only)
    named : nodes of the file's groups of points, by name
    """

    name: str
    beams: dict[str, list[BeamHandle]]
    nodes: dict[int, Node]
    named: dict[str, list[Node]]

    def at(self, position: Any, within: float = 1e-6) -> Node:
        """The node at a position.

        Parameters
        ----------
        position : (3,) m, global axes
        within : m, tolerance of the distance

        Raises
        ------
        InputError
            When there is none; the message gives the distance of the nearest node.
        """
        target = array(position, (3,), f"line mesh '{self.name}': position")
        nearest = min(self.nodes.values(), key=lambda n: float(np.linalg.norm(n.position - target)))
        gap = float(np.linalg.norm(nearest.position - target))
        if gap > within:
            raise InputError(
                f"line mesh '{self.name}': no line ends at {target.tolist()}; the nearest end, "
                f"'{nearest.name}' at {nearest.position.tolist()}, is {gap:.3g} m away"
            )
        return nearest


@arguments()
@dataclass(frozen=True, eq=False)
class LineMesh:
    """Beams on the lines of a mesh file, to add to a model.

        frame = model.add(LineMesh("frame.msh", {"columns": tube, "girder": box}, up={"columns": (1, 0, 0)}))
        model.fix(frame.named["feet"][0])

    Parameters
    ----------
    mesh : file that meshio reads, or the result of `fem_mbd.base.mesh_files.read_lines`
    sections : Section for all lines, or Section by the name of a group (a number as text where it has none)
    up : direction of section axis 3, which is the part of it normal to the line: (3,) for all, or by group's name, or
        the name of a cell datum of the mesh with three numbers per line; by default as in `Straight`
    scale : metres per unit of the mesh, 1e-3 for millimetres
    elements, order : per line; ``order`` (nodes per element) is by default the number of points of the line
    damping : Kelvin-Voigt eta, s
    merge_within : end points of lines nearer than this, m, are merged; 0 keeps them separate; by default two different
        end points at the same position are refused
    name : shown in messages and results

    Raises
    ------
    InputError
        For files and meshes that cannot be used, groups without section, lines without length or given twice, `up`
        along a line; the message names the line.
    """

    mesh: str | Path | LineCells
    sections: Section | Mapping[str, Section]
    _: KW_ONLY
    up: Any = None
    scale: float = 1.0
    elements: int = 1
    order: int | None = None
    damping: float = 0.0
    merge_within: float | None = None
    name: str = "mesh"
    _cells: LineCells = field(init=False, repr=False)
    _points: Array = field(init=False, repr=False)
    _lines: list[ReferenceLine] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        cells = self.mesh if isinstance(self.mesh, LineCells) else read_lines(self.mesh)
        points = positive(self.scale, f"line mesh '{self.name}': scale") * cells.points
        cells = merged(cells, points, self.merge_within)
        check_lines(cells, points)
        object.__setattr__(self, "_cells", cells)
        object.__setattr__(self, "_points", points)
        groups_of(cells, self.sections, Section, "section")
        ups = self._ups(cells)
        lines = [line_of(points[c], ups[k], where(cells, k)) for k, c in enumerate(cells.cells)]
        object.__setattr__(self, "_lines", lines)

    def _ups(self, cells: LineCells) -> list[Any]:
        if isinstance(self.up, str):
            if self.up not in cells.data:
                names = ", ".join(sorted(cells.data)) or "none"
                raise InputError(f"{cells.source}: up: it has no cell data '{self.up}'; there are: {names}")
            return list(cells.data[self.up])
        if isinstance(self.up, Mapping):
            return groups_of(cells, self.up, object, "up", complete=False)
        return [self.up] * len(cells.cells)

    def build(self, model: Model) -> LineMeshHandle:
        """Called by `Model.add`."""
        name = model.registry.unique_name(self.name)
        sections = groups_of(self._cells, self.sections, Section, "section")
        nodes: dict[int, Node] = {}
        beams: dict[str, list[BeamHandle]] = {}
        for k in connected_order(self._cells.cells):
            cell, line = self._cells.cells[k], self._lines[k]
            start, end = self._ends(model, name, cell, line, nodes)
            part = Beam(
                sections[k], start, end, line=line, elements=self.elements, order=self.order or len(cell),
                damping=self.damping, name=f"{name} {self._cells.numbers[k]}",
            )  # fmt: skip
            beam = model.add(part)
            for group in self._cells.groups(k):
                beams.setdefault(group, []).append(beam)
        named = {
            group: [nodes[point] for point in members if point in nodes]
            for group, members in self._cells.named.items()
        }
        return LineMeshHandle(name, beams, nodes, named)

    def _ends(
        self, model: Model, name: str, cell: Indices, line: ReferenceLine, nodes: dict[int, Node]
    ) -> tuple[Node, Node]:
        """Nodes at both ends of a line, shared where the axes allow it."""
        (first, r_first), (second, r_second) = line.at(0.0), line.at(1.0)
        a, b = int(cell[0]), int(cell[-1])
        if a not in nodes and b in nodes:
            nodes[a] = model.node(first, r_first @ r_second.T @ nodes[b].rotation, f"{name}.{a}")
        start = nodes.get(a) or model.node(first, name=f"{name}.{a}")
        nodes[a] = start
        rotation = r_second @ r_first.T @ start.rotation
        if b not in nodes:
            nodes[b] = model.node(second, rotation, f"{name}.{b}")
        elif np.abs(rotation - nodes[b].rotation).max() > SAME_AXES:
            # a loop of curved lines that closes with different axes
            end = model.node(second, rotation, f"{name}.{b} of another line")
            join_rigidly(model, nodes[b], end, f"{name}: joint at point {b}")
            return start, end
        return start, nodes[b]
