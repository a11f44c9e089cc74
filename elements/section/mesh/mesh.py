"""Finite-element mesh of a cross-section: class `SectionMesh`, and its triangles and quadrilaterals.

A `ReferenceElement` has the shape functions and integration points of a triangle or quadrilateral of first or second
order. Corners are listed first, counter-clockwise, then the nodes in the middle of the edges in the same sense, as in
meshio.

A `SectionMesh` has points, elements, materials and layer angles, which are checked when it is constructed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.base.validation import array
from fem_mbd.elements.section.mesh.materials import distinct, elasticity
from fem_mbd.errors import InputError

_CORNERS = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])


@dataclass(frozen=True, eq=False)
class ReferenceElement:
    """An element in its own coordinates: g integration points, k nodes.

    corners : 3 or 4; weights : (g,); values : (g, k) of the shape functions; slopes : (g, 2, k) along both coordinates
    """

    corners: int
    weights: Array
    values: Array
    slopes: Array


def _quadrilateral(nodes: int) -> ReferenceElement:
    x, w = np.polynomial.legendre.leggauss(2 if nodes == 4 else 3)
    r, s = (grid.ravel()[:, None] for grid in np.meshgrid(x, x, indexing="ij"))
    weights = np.outer(w, w).ravel()
    a, b = _CORNERS.T
    values = 0.25 * (1 + a * r) * (1 + b * s)
    slopes = 0.25 * np.stack([a * (1 + b * s), b * (1 + a * r)], axis=1)
    if nodes == 4:
        return ReferenceElement(4, weights, values, slopes)
    # nodes in the middle of the edges at (0, -1), (1, 0), (0, 1), (-1, 0)
    bubbles_r, bubbles_s = (1 - r**2), (1 - s**2)
    middle = 0.5 * np.hstack(
        [bubbles_r * (1 - s), bubbles_s * (1 + r), bubbles_r * (1 + s), bubbles_s * (1 - r)]
    )
    along_r = np.hstack([-r * (1 - s), 0.5 * bubbles_s, -r * (1 + s), -0.5 * bubbles_s])
    along_s = np.hstack([-0.5 * bubbles_r, -s * (1 + r), 0.5 * bubbles_r, -s * (1 - r)])
    middle_slopes = np.stack([along_r, along_s], axis=1)
    values = np.hstack([values - 0.5 * (middle + np.roll(middle, 1, axis=-1)), middle])
    corner_slopes = slopes - 0.5 * (middle_slopes + np.roll(middle_slopes, 1, axis=-1))
    return ReferenceElement(4, weights, values, np.concatenate([corner_slopes, middle_slopes], axis=-1))


def _triangle(nodes: int) -> ReferenceElement:
    """Three points for linear elements; six points of degree 4 for quadratic ones (Dunavant 1985)."""
    if nodes == 3:
        points, weights = np.array([[1, 1], [4, 1], [1, 4]]) / 6.0, np.full(3, 1 / 6)
    else:
        p, q = 0.445948490915965, 0.091576213509771
        points = np.array([[p, p], [1 - 2 * p, p], [p, 1 - 2 * p], [q, q], [1 - 2 * q, q], [q, 1 - 2 * q]])
        weights = 0.5 * np.repeat([0.223381589678011, 0.109951743655322], 3)
    barycentric = np.column_stack([1 - points.sum(axis=1), points])  # (g, 3)
    slopes = np.broadcast_to(np.array([[-1.0, 1.0, 0.0], [-1.0, 0.0, 1.0]]), (len(points), 2, 3))
    if nodes == 3:
        return ReferenceElement(3, weights, barycentric, slopes)
    after = np.roll(barycentric, -1, axis=1)
    values = np.hstack([barycentric * (2 * barycentric - 1), 4 * barycentric * after])
    corner = (4 * barycentric - 1)[:, None] * slopes
    middle = 4 * (slopes * after[:, None] + barycentric[:, None] * np.roll(slopes, -1, axis=2))
    return ReferenceElement(3, weights, values, np.concatenate([corner, middle], axis=-1))


REFERENCE_ELEMENTS = {3: _triangle(3), 6: _triangle(6), 4: _quadrilateral(4), 8: _quadrilateral(8)}


MAX_ANGLE = 360.0  # degrees
COINCIDENT = 1e-9  # fraction of the section's size: points closer than this are the same


@dataclass(frozen=True, eq=False)
class SectionMesh:
    """A cross-section of finite elements; points, cells, materials, angles and errors as of `Section.from_mesh`.

    Attributes
    ----------
    blocks : arrays of elements of one type
    kinds, kind_of : different materials, and the place (m,) of each element's among them
    """

    points: Any
    cells: Any
    materials: Any
    angles: Any = None
    blocks: list[Indices] = field(init=False)
    kinds: list[Any] = field(init=False)
    kind_of: Indices = field(init=False)

    def __post_init__(self) -> None:
        points = array(self.points, (len(np.atleast_1d(self.points)), 2), "section mesh: points")
        blocks = _blocks(self.cells, len(points))
        count = sum(len(block) for block in blocks)
        many = isinstance(self.materials, Sequence | np.ndarray) and not isinstance(self.materials, str)
        if many and len(self.materials) != count:
            raise InputError(
                f"section mesh: {len(self.materials)} materials for {count} elements: give one, or one for each element"
            )
        kinds, kind_of = distinct(self.materials if many else [self.materials] * count)
        for kind in kinds:
            elasticity(kind)
        angles = np.zeros(2) if self.angles is None else np.asarray(self.angles, dtype=float)
        if angles.shape not in ((2,), (count, 2)):
            raise InputError(f"section mesh: angles have shape {angles.shape}: give (2,) or ({count}, 2)")
        angles = np.broadcast_to(angles, (count, 2)).copy()
        wrong = np.flatnonzero(~(np.abs(angles) <= MAX_ANGLE).all(axis=1))
        if len(wrong):
            raise InputError(
                f"section mesh: element {wrong[0] + 1} has the angles {angles[wrong[0]].tolist()}: give degrees, "
                f"none beyond {MAX_ANGLE:g}"
            )
        for name, value in (("points", points), ("angles", angles), ("blocks", blocks), ("kinds", kinds)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "kind_of", kind_of)
        self._check_topology()

    @property
    def count(self) -> int:
        """Number of elements."""
        return len(self.kind_of)

    def by_element(self, quantity: Callable[[Any], Any]) -> Array:
        """(m, …) a quantity of each element's material."""
        return np.array([quantity(kind) for kind in self.kinds])[self.kind_of]

    def by_block(self, values: Array) -> list[Array]:
        """Values (m, …) of the elements, those of each block apart."""
        return np.split(values, np.cumsum([len(block) for block in self.blocks])[:-1])

    def seen_from(self, reference: Array, rotation: float) -> SectionMesh:
        """The mesh in axes through the point ``reference`` (2,) m, turned by ``rotation`` (rad)."""
        if not reference.any() and rotation == 0.0:
            return self
        c, s = np.cos(rotation), np.sin(rotation)
        mesh = copy(self)
        object.__setattr__(mesh, "points", (self.points - reference) @ np.array([[c, -s], [s, c]]))
        object.__setattr__(mesh, "angles", self.angles - [0.0, np.degrees(rotation)])
        return mesh

    def centres(self) -> Array:
        """(m, 2) means of the elements' corners, m."""
        corners = [block[:, : REFERENCE_ELEMENTS[block.shape[1]].corners] for block in self.blocks]
        return np.concatenate([self.points[block].mean(axis=1) for block in corners])

    def boundary(self) -> Indices:
        """(e, 2) edges, from corner to corner, that belong to one element, the section on their left."""
        edges = np.concatenate([_edges(block) for block in self.blocks])
        keys = edges[:, 0] * len(self.points) + edges[:, 1]
        return edges[~np.isin(keys, edges[:, 1] * len(self.points) + edges[:, 0])]

    def outline(self) -> Array:
        """(k, 2) corners of the outer boundary, m."""
        edges = self.boundary()
        following = dict(edges.tolist())
        start = int(edges[np.argmax(self.points[edges[:, 0], 0]), 0])
        path = [start]
        while (after := following.pop(path[-1], start)) != start:
            path.append(after)
        return np.asarray(self.points[path])

    def _check_topology(self) -> None:
        points, size = self.points, float(np.ptp(self.points, axis=0).max())
        pairs = cKDTree(points).query_pairs(COINCIDENT * size, output_type="ndarray")
        if len(pairs):
            a, b = pairs[0]
            raise InputError(
                f"section mesh: points {a + 1} and {b + 1} coincide at {_place(points[a])}: merge them"
            )
        used = np.zeros(len(points), dtype=bool)
        for block in self.blocks:
            used[block] = True
        if not used.all():
            k = int(np.argmin(used))
            raise InputError(
                f"section mesh: no element uses point {k + 1} at {_place(points[k])}: leave it out"
            )
        self._check_areas()
        rows = np.concatenate([np.repeat(block[:, 0], block.shape[1]) for block in self.blocks])
        columns = np.concatenate([block.ravel() for block in self.blocks])
        graph = coo_array((np.ones(len(rows)), (rows, columns)), shape=(len(points),) * 2)
        parts, label = connected_components(graph, directed=False)
        self._check_hanging()
        if parts > 1:
            k = int(np.argmax(label != label[0]))
            raise InputError(
                f"section mesh: it has {parts} parts that are not joined; one is at {_place(points[k])}: "
                "join them at common points"
            )

    def _check_areas(self) -> None:
        first = 0
        for block in self.blocks:
            element = REFERENCE_ELEMENTS[block.shape[1]]
            tangents = element.slopes @ self.points[block][:, None]
            areas = np.linalg.det(tangents).min(axis=1)
            k = int(np.argmin(areas))
            if areas[k] <= 0.0:
                raise InputError(
                    f"section mesh: element {first + k + 1} at {_place(self.points[block[k]].mean(axis=0))} has a "
                    f"negative area somewhere ({areas[k]:.3g} m^2): list its points counter-clockwise, and let no "
                    "corner point inwards"
                )
            first += len(block)

    def _check_hanging(self) -> None:
        """InputError where a point of the boundary lies inside an edge of it."""
        edges = self.boundary()
        members = np.unique(edges)
        start, vector = self.points[edges[:, 0]], self.points[edges[:, 1]] - self.points[edges[:, 0]]
        length = np.linalg.norm(vector, axis=1)
        near = cKDTree(self.points[members]).query_ball_point(
            start + 0.5 * vector, 0.5 * length * (1 - 1e-6), return_sorted=False
        )
        edge = np.repeat(np.arange(len(edges)), [len(found) for found in near])
        point = members[np.concatenate([np.asarray(found, dtype=np.int64) for found in near])]
        arm = self.points[point] - start[edge]
        across = np.abs(vector[edge, 0] * arm[:, 1] - vector[edge, 1] * arm[:, 0]) / length[edge]
        hanging = np.flatnonzero(across < 1e-6 * length[edge])
        if len(hanging):
            k = point[hanging[0]]
            a, b = edges[edge[hanging[0]]] + 1
            raise InputError(
                f"section mesh: point {k + 1} at {_place(self.points[k])} hangs on the edge from point {a} to "
                f"point {b}, whose element does not use it: divide that element"
            )


def _blocks(cells: Any, points: int) -> list[Indices]:
    """Elements as arrays of one type each."""
    several = isinstance(cells, Sequence) and len(cells) > 0 and np.ndim(cells[0]) == 2
    blocks = []
    for given in cells if several else [cells]:
        block = np.asarray(given)
        if block.ndim != 2 or block.shape[1] not in REFERENCE_ELEMENTS or block.dtype.kind not in "iu":
            raise InputError(
                f"section mesh: cells of shape {block.shape} and type {block.dtype}: give whole numbers (m, 3|4|6|8), "
                "or a list of such arrays"
            )
        if block.size and not 0 <= block.min() <= block.max() < points:
            raise InputError(f"section mesh: cells name points outside 0 … {points - 1}")
        blocks.append(block.astype(np.int64))
    blocks = [block for block in blocks if len(block)]
    if not blocks:
        raise InputError("section mesh: there are no elements")
    return blocks


def _edges(block: Indices) -> Indices:
    """(m * corners, 2) edges from corner to corner."""
    corners = block[:, : REFERENCE_ELEMENTS[block.shape[1]].corners]
    return np.stack([corners, np.roll(corners, -1, axis=1)], axis=-1).reshape(-1, 2)


def _place(point: Array) -> str:
    return f"({point[0]:.6g}, {point[1]:.6g}) m"
