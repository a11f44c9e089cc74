"""Finite-element mesh of a cross-section: class `SectionMesh`, and its triangles and quadrilaterals.

A `ReferenceElement` has the shape functions and integration points of a triangle or quadrilateral of first or second
order. Corners are listed first, counter-clockwise, then the nodes in the middle of the edges in the same sense, as in
meshio.

A `SectionMesh` has points, elements, materials and layer angles, which are checked when it is constructed.

Orthotropic and anisotropic materials of section meshes, and their stiffness in the axes of the section.

Stresses and strains have the order [11, 22, 33, 23, 13, 12] with engineering shear strains. Axis 1 of a material is
the fibre, 2 lies in the layer, 3 is its normal. In the section, 1 is along the beam. A layer is placed by two angles:
the plane angle turns its direction 2 about the beam's axis, from section axis 2 towards 3; then the fibre angle turns
the fibre about the layer's normal, from the beam's axis towards the layer's direction 2:

    fibre = cos(a) e1 + sin(a) (cos(b) e2 + sin(b) e3)          a fibre angle, b plane angle
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
from fem_mbd.base.validation import array, finite, positive
from fem_mbd.elements.section.checks import definite
from fem_mbd.elements.section.shapes import Material
from fem_mbd.errors import InputError

# index pairs of the six components
_FIRST, _SECOND = np.array([0, 1, 2, 1, 0, 0]), np.array([0, 1, 2, 2, 2, 1])


@dataclass(frozen=True)
class Strength:
    """Strengths of a material, all above zero, Pa.

    Parameters
    ----------
    tension : (3,) along the material's axes 1, 2, 3
    compression : (3,) along the same axes
    shear : (3,) of the components 23, 13, 12
    """

    tension: Any
    compression: Any
    shear: Any

    def __post_init__(self) -> None:
        for name in ("tension", "compression", "shear"):
            values = array(getattr(self, name), (3,), f"Strength {name}")
            if values.min() <= 0.0:
                raise InputError(f"Strength {name} is {values.tolist()}: all must be above zero")
            object.__setattr__(self, name, values)


@dataclass(frozen=True)
class Orthotropic:
    """A material with three planes of symmetry: `Orthotropic(E1=141e9, E2=9.8e9, G12=6e9, nu12=0.3, density=1600)`.

    Parameters
    ----------
    E1, E2, E3 : Young's moduli, Pa; E3 by default E2
    G12, G13, G23 : shear moduli, Pa; G13 and G23 by default G12
    nu12, nu13, nu23 : Poisson's ratios, strain along the second axis by stress along the first; by default nu12
    density : kg/m^3
    strength : for failure indices

    Raises
    ------
    InputError
        For values that no material has: its energy has to be positive.
    """

    E1: float
    E2: float
    G12: float
    nu12: float
    density: float
    E3: float | None = None
    G13: float | None = None
    G23: float | None = None
    nu13: float | None = None
    nu23: float | None = None
    strength: Strength | None = None

    def __post_init__(self) -> None:
        for name, other in (("E3", "E2"), ("G13", "G12"), ("G23", "G12"), ("nu13", "nu12"), ("nu23", "nu12")):
            if getattr(self, name) is None:
                object.__setattr__(self, name, getattr(self, other))
        for name in ("E1", "E2", "E3", "G12", "G13", "G23", "density"):
            object.__setattr__(self, name, positive(getattr(self, name), f"Orthotropic {name}"))
        for name in ("nu12", "nu13", "nu23"):
            object.__setattr__(self, name, finite(getattr(self, name), f"Orthotropic {name}"))
        definite(
            self.compliance, 6, "Orthotropic: compliance of these moduli and Poisson's ratios", strict=True
        )

    @property
    def compliance(self) -> Array:
        """(6, 6) strains by stresses, 1/Pa, in the material's axes."""
        matrix = np.diag([1 / self.E1, 1 / self.E2, 1 / self.E3, 1 / self.G23, 1 / self.G13, 1 / self.G12])  # type: ignore[operator]
        for i, j, ratio, modulus in (
            (0, 1, self.nu12, self.E1),
            (0, 2, self.nu13, self.E1),
            (1, 2, self.nu23, self.E2),
        ):
            matrix[i, j] = matrix[j, i] = -ratio / modulus  # type: ignore[operator]
        return matrix

    @property
    def stiffness(self) -> Array:
        """(6, 6) stresses by strains, Pa, in the material's axes."""
        return np.asarray(np.linalg.inv(self.compliance))


@dataclass(frozen=True, eq=False)
class Anisotropic:
    """A material by its stiffness.

    Parameters
    ----------
    stiffness : (6, 6) symmetric positive definite, Pa, stresses by strains in the material's axes, order as in the
        module's docstring
    density : kg/m^3
    strength : for failure indices
    """

    stiffness: Any
    density: float
    strength: Strength | None = None

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "stiffness", definite(self.stiffness, 6, "Anisotropic stiffness", strict=True)
        )
        object.__setattr__(self, "density", positive(self.density, "Anisotropic density"))


SectionMaterial = Material | Orthotropic | Anisotropic


def elasticity(material: SectionMaterial) -> Array:
    """(6, 6) stiffness of a material in its own axes, Pa.

    Raises
    ------
    InputError
        For anything but a material, and for one that is not positive definite in space (an incompressible one).
    """
    if isinstance(material, Material):
        young, nu, shear = material.young, material.poisson, material.shear
        compliance = np.diag([1 / young] * 3 + [1 / shear] * 3)
        compliance[:3, :3] += -nu / young * (1 - np.eye(3))
        if not -1.0 < nu < 0.5:
            raise InputError(
                f"Material poisson is {nu:g}: a section's mesh needs a ratio above -1 and below 0.5"
            )
        return np.asarray(np.linalg.inv(compliance))
    if not isinstance(material, (Orthotropic, Anisotropic)):
        raise InputError(f"material is {material!r}: give a Material, Orthotropic or Anisotropic")
    return np.asarray(material.stiffness)


def density(material: SectionMaterial) -> float:
    """Of a material, kg/m^3."""
    return float(material.density)


def material_axes(fibre: Array, plane: Array) -> Array:
    """(m, 3, 3) rotations, columns the material's axes in section axes, of angles (m,) in rad."""
    ca, sa, cb, sb = np.cos(fibre), np.sin(fibre), np.cos(plane), np.sin(plane)
    zero = np.zeros_like(ca + cb)
    rows = [[ca, -sa, zero], [sa * cb, ca * cb, -sb], [sa * sb, ca * sb, cb]]
    return np.moveaxis(np.array(rows), -1, 0)


def stress_rotation(axes: Array) -> Array:
    """(m, 6, 6) matrices M of stresses in section axes by those in material axes; strains transform by their inverse
    transposed, so a stiffness C by M C M^T."""
    first, second = axes[:, _FIRST], axes[:, _SECOND]
    product = first[:, :, _FIRST] * second[:, :, _SECOND]
    product[:, :, 3:] += first[:, :, _SECOND[3:]] * second[:, :, _FIRST[3:]]
    return np.asarray(product)


def distinct(materials: Sequence[Any]) -> tuple[list[Any], Indices]:
    """The different objects of a sequence, and the place (m,) of each entry among them."""
    places: dict[int, int] = {}
    index = np.array([places.setdefault(id(material), len(places)) for material in materials], dtype=np.int64)
    first = np.unique(index, return_index=True)[1]
    return [materials[k] for k in first], index


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
        edge = np.repeat(np.arange(len(edges)), [len(indices) for indices in near])
        point = members[np.concatenate([np.asarray(indices, dtype=np.int64) for indices in near])]
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
    for block_cells in cells if several else [cells]:
        block = np.asarray(block_cells)
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
