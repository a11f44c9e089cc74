"""Beams from a line mesh: each line becomes one or several beam elements, joined rigidly where lines share a point.

A line of two points is straight, one of three or four is the curve through its points (Lagrange polynomial), whose arc
length the elements follow. Nodes of the model are at the ends of the lines, and inside them where the elements need
them. The axes of a node can be chosen freely. They are chosen such that all lines that meet at a point share one node;
where a closed loop of curved lines does not allow this, a clamp joins two nodes at the same position.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fem_mbd.base.arguments import arguments
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.base.mesh_files import LineCells, read_lines
from fem_mbd.base.validation import array, positive
from fem_mbd.core.model.model import Model
from fem_mbd.core.model.node import Node
from fem_mbd.elements.beam.beam import Beam, BeamHandle
from fem_mbd.elements.curve import ReferenceLine
from fem_mbd.elements.line_mesh.geometry import (
    check_lines,
    connected_order,
    groups_of,
    join_rigidly,
    line_of,
    merged,
    where,
)
from fem_mbd.elements.section.section import Section
from fem_mbd.errors import InputError

SAME_AXES = 1e-8  # as in Beam, for two ends of an element


@dataclass(frozen=True, eq=False)
class LineMeshHandle:
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
