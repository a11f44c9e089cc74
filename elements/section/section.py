"""Cross-section of a beam: full 6x6 stiffness, and full section mass with an offset mass centre.

Section axes: 1 along the beam, 2 and 3 in the section. Order of stiffness, strains and section forces:

    strains [stretch, shear 2, shear 3, twist, bend 2, bend 3]
    forces  [N, V2, V3, T, M2, M3]            diagonal of the stiffness [EA, GA2, GA3, GJ, EI2, EI3]

with bend 2 the curvature about axis 2. Everything refers to the reference line, where the beam's nodes are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.base.mesh_files import read_section_cells
from fem_mbd.base.validation import array, finite, positive
from fem_mbd.core.rotations import skew
from fem_mbd.elements.section import shapes
from fem_mbd.elements.section.checks import check_close, check_triangle, definite, without_round_off
from fem_mbd.elements.section.shapes import Material
from fem_mbd.errors import InputError

if TYPE_CHECKING:
    from fem_mbd.elements.section.mesh.laminate import Layer, Web
    from fem_mbd.elements.section.mesh.mesh import SectionMesh
    from fem_mbd.elements.section.mesh.solution import SectionSolution


@dataclass(frozen=True, eq=False)
class Section:
    """Stiffness and mass per length of a beam section.

    Parameters
    ----------
    stiffness : (6, 6) symmetric positive definite, N, N m and N m^2, order as in the module's docstring
    mass_per_length : kg/m, above zero
    inertia : (3, 3) kg m, rotary inertia per length about the mass centre in section axes; positive semidefinite, zero
        where it is neglected
    mass_centre : (2,) m, coordinates y2 and y3 of the mass centre, seen from the reference line
    outline : (k, 2) m, corner points y2, y3 for drawings; by default an ellipse of the same inertia
    damping : (6, 6) symmetric positive semidefinite, section force per strain rate, the stiffness's units times s; None
        for none. It adds to the ``damping`` of the `Beam`
    solution : of the mesh that the section comes from, for its stresses and derivatives; None for others

    Raises
    ------
    InputError
        When the numbers are not those of a possible section.
    """

    stiffness: Any
    mass_per_length: float
    inertia: Any
    mass_centre: Any = (0.0, 0.0)
    outline: Any = None
    damping: Any = None
    solution: SectionSolution | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "stiffness", definite(self.stiffness, 6, "Section stiffness", strict=True))
        mass = positive(self.mass_per_length, "Section mass_per_length")
        object.__setattr__(self, "mass_per_length", mass)
        inertia = definite(self.inertia, 3, "Section inertia", strict=False)
        check_triangle(inertia)
        object.__setattr__(self, "inertia", inertia)
        object.__setattr__(self, "mass_centre", array(self.mass_centre, (2,), "Section mass_centre"))
        object.__setattr__(self, "outline", shapes.check_outline(self.outline))
        if self.damping is not None:
            object.__setattr__(self, "damping", definite(self.damping, 6, "Section damping", strict=False))

    @property
    def mass_matrix(self) -> Array:
        """(6, 6) mass per length at the reference line; velocities [v1 v2 v3 w1 w2 w3] in section axes."""
        mass, (y2, y3) = self.mass_per_length, self.mass_centre
        cross = mass * np.array([[0.0, -y3, y2], [y3, 0.0, 0.0], [-y2, 0.0, 0.0]])
        result = np.zeros((6, 6))
        result[[0, 1, 2], [0, 1, 2]] = mass
        result[3:, :3], result[:3, 3:] = cross, -cross
        result[3:, 3:] = self.inertia - cross @ cross / mass
        return result

    @property
    def viscosity(self) -> Array:
        """(6, 6) the damping, zero matrix where there is none."""
        return np.zeros((6, 6)) if self.damping is None else np.asarray(self.damping)

    @property
    def shear_centre(self) -> Array:
        """(2,) m, y2 and y3 of the point where a shear force does not twist the section."""
        compliance = np.linalg.inv(self.stiffness)
        return np.array([-compliance[3, 2], compliance[3, 1]]) / compliance[3, 3]

    @property
    def tension_centre(self) -> Array:
        """(2,) m, y2 and y3 of the point where an axial force does not bend the section."""
        compliance = np.linalg.inv(self.stiffness)
        y3, minus_y2 = -np.linalg.solve(compliance[4:, 4:], compliance[4:, 0])
        return np.array([-minus_y2, y3])

    @property
    def principal_angle(self) -> float:
        """Angle, rad, from axis 2 towards 3 to the axis of least bending stiffness, above -pi/2, up to pi/2."""
        softest = np.linalg.eigh(np.linalg.inv(self.stiffness)[4:, 4:])[1][:, 1]
        angle = float(np.arctan2(softest[1], softest[0]))
        return angle - np.pi if angle > np.pi / 2 else angle + np.pi if angle <= -np.pi / 2 else angle

    @classmethod
    def from_mesh(
        cls,
        points: ArrayLike,
        cells: Any,
        materials: Any,
        angles: ArrayLike | None = None,
        reference: ArrayLike = (0.0, 0.0),
        rotation: float = 0.0,
    ) -> Section:
        """Section of any shape and material from a mesh of finite elements, with all couplings and warping.

        Parameters
        ----------
        points : (n, 2) m, coordinates y2, y3
        cells : (m, 3|4|6|8) numbers of each element's points, from 0, corners first, counter-clockwise, then the points
            in the middle of the edges; or a list of such arrays, one for each type of element
        materials : one `Material`, `Orthotropic` or `Anisotropic`, or a sequence of one for each element
        angles : (2,) or (m, 2) degrees: fibre angle, from the beam's axis towards the layer's direction 2, and plane
            angle, from axis 2 to that direction
        reference : (2,) m, point of the mesh through which the reference line passes
        rotation : degrees, from the mesh's first coordinate to the section's axis 2

        Raises
        ------
        InputError
            Naming elements, from 1, and places: negative areas, points that coincide, that no element uses or that hang
            on the edge of an element, parts that are not joined, wrong materials, angles outside ±360 degrees.

        Source: Giavotto et al. (1983), equations 29 to 36, see `fem_mbd.elements.section.mesh.solution`.
        """
        # SciPy's sparse matrices and trees take half a second to import
        from fem_mbd.elements.section.mesh.mesh import SectionMesh

        return cls._of_mesh(SectionMesh(points, cells, materials, angles), reference, rotation)

    @classmethod
    def _of_mesh(cls, mesh: SectionMesh, reference: ArrayLike, rotation: float) -> Section:
        from fem_mbd.elements.section.mesh.solution import solve_section

        mesh = mesh.seen_from(
            array(reference, (2,), "Section reference"), np.radians(finite(rotation, "Section rotation"))
        )
        solution = solve_section(mesh)
        section = cls.from_mass_matrix(solution.stiffness, solution.mass)
        return replace(section, outline=mesh.outline(), solution=solution)

    @classmethod
    def from_laminate(
        cls,
        outline: ArrayLike,
        layers: Sequence[Layer],
        webs: Sequence[Web] = (),
        *,
        size: float | None = None,
        outwards: bool = False,
        closed: bool = True,
        reference: ArrayLike = (0.0, 0.0),
        rotation: float = 0.0,
    ) -> Section:
        """Section of a thin-walled outline with layers over arcs of it, and webs.

        Parameters
        ----------
        outline : (k, 2) m, the outer surface; where its last point is not the first again, a straight side closes it,
            which begins and ends the outline's length in its middle
        layers : `Layer`, from the outline inwards
        webs : `Web`, in the hollow of the section
        size : m, of elements along the walls; by default a 160th of the outline
        outwards : the outline is the inner surface and the layers are stacked outwards
        closed : False for a wall with two ends; inwards is then to the left of its direction
        reference, rotation : as for `from_mesh`

        Raises
        ------
        InputError
            Naming layer or web, and place: arcs out of order, walls thicker than the section, webs that meet.
        """
        from fem_mbd.elements.section.mesh.laminate import laminate_mesh

        return cls._of_mesh(laminate_mesh(outline, layers, webs, size, outwards, closed), reference, rotation)

    @classmethod
    def from_mesh_file(
        cls,
        path: str | Path,
        materials: Any,
        reference: ArrayLike = (0.0, 0.0),
        rotation: float = 0.0,
    ) -> Section:
        """Section from a mesh file in any format of meshio; see `from_mesh`.

        Parameters
        ----------
        path : file with triangles and quadrilaterals in the plane of its x and y, m. Cell data ``fibre_angle`` and
            ``plane_angle``, degrees, are used where it has them
        materials : one for all, or by the names (or numbers, as text) of the file's groups of elements: Gmsh's physical
            groups, integer cell data ``material``, or cell sets
        reference, rotation : as for `from_mesh`

        Raises
        ------
        InputError
            For files that cannot be read, groups without a material, and meshes that `from_mesh` refuses.
        """
        points, blocks, groups, angles = read_section_cells(path)
        if not isinstance(materials, Mapping):
            return cls.from_mesh(points, blocks, materials, angles, reference, rotation)
        missing = sorted(set(groups) - set(materials))
        if missing:
            names = ", ".join(f"'{name}'" for name in materials)
            raise InputError(f"{path}: the group '{missing[0]}' has no material; materials: {names}")
        return cls.from_mesh(
            points, blocks, [materials[name] for name in groups], angles, reference, rotation
        )

    @classmethod
    def from_mass_matrix(
        cls, stiffness: ArrayLike, mass: ArrayLike, damping: ArrayLike | None = None
    ) -> Section:
        """Section from its mass matrix at the reference line.

        Parameters
        ----------
        stiffness : (6, 6) as for `Section`
        mass : (6, 6) per length, order as in `mass_matrix`
        damping : (6, 6) as for `Section`

        Raises
        ------
        InputError
            When ``mass`` is not the matrix of any section (mass not the same in all directions, coupling not that of
            an offset, mass centre out of the section's plane).
        """
        matrix = definite(mass, 6, "Section mass matrix", strict=False)
        per_length = positive(float(np.trace(matrix[:3, :3])) / 3.0, "Section mass matrix: mass per length")
        coupling = matrix[3:, :3] / per_length
        offset = np.array([0.0, coupling[0, 2] - coupling[2, 0], coupling[1, 0] - coupling[0, 1]]) / 2.0
        cross = skew(offset)
        size = max(float(np.sqrt(np.max(np.diag(matrix)[3:]) / per_length)), float(np.linalg.norm(offset)))
        check_close(matrix[:3, :3] / per_length, np.eye(3), 1.0, "mass", "the same mass in all directions")
        check_close(coupling, cross, size, "mass-to-rotation", "the offset (0, y2, y3) of a mass centre")
        about_centre = matrix[3:, 3:] + per_length * cross @ cross
        about_centre = without_round_off(about_centre, matrix[3:, 3:])
        return cls(stiffness, per_length, about_centre, offset[1:], damping=damping)

    @classmethod
    def from_rigidities(
        cls,
        EA: float,
        GA2: float,
        GA3: float,
        GJ: float,
        EI2: float,
        EI3: float,
        mass_per_length: float,
        inertia: ArrayLike,
        mass_centre: ArrayLike = (0.0, 0.0),
    ) -> Section:
        """Section without coupling.

        Parameters
        ----------
        EA : N, axial
        GA2, GA3 : N, shear along axes 2 and 3
        GJ : N m^2, torsion
        EI2, EI3 : N m^2, bending about axes 2 and 3
        mass_per_length : kg/m
        inertia : (3, 3) kg m per length about the mass centre, or (3,) for its diagonal
        mass_centre : (2,) m
        """
        rigidities = {"EA": EA, "GA2": GA2, "GA3": GA3, "GJ": GJ, "EI2": EI2, "EI3": EI3}
        stiffness = np.diag([positive(value, f"Section {name}") for name, value in rigidities.items()])
        full_inertia = np.diag(array(inertia, (3,), "Section inertia")) if np.ndim(inertia) == 1 else inertia
        return cls(stiffness, mass_per_length, full_inertia, mass_centre)

    @classmethod
    def from_shape(cls, shape: shapes.ShapeProperties, material: Material) -> Section:
        """Homogeneous section with its reference line through the centroid.

        Parameters
        ----------
        shape : area, moments of area, torsion constant and shear areas, m^2 and m^4
        material : of the whole section
        """
        moments = np.array([shape.moment_2 + shape.moment_3, shape.moment_2, shape.moment_3])
        return cls.from_rigidities(
            EA=material.young * shape.area,
            GA2=material.shear * shape.shear_area_2,
            GA3=material.shear * shape.shear_area_3,
            GJ=material.shear * shape.torsion,
            EI2=material.young * shape.moment_2,
            EI3=material.young * shape.moment_3,
            mass_per_length=material.density * shape.area,
            inertia=material.density * moments,
        )

    @classmethod
    def _of_shape(
        cls, shape: Callable[..., shapes.ShapeProperties], sizes: Any, material: Material, outline: Array
    ) -> Section:
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                section = cls.from_shape(shape(*sizes), material)
                object.__setattr__(section, "outline", shapes.check_outline(outline))
                return section
        except OverflowError as error:
            raise InputError(
                f"Section: sizes {', '.join(f'{s:g}' for s in sizes)} m are too large to compute a stiffness from"
            ) from error

    @classmethod
    def rectangle(cls, width: float, height: float, material: Material, cowper: bool = False) -> Section:
        """Solid rectangle.

        Parameters
        ----------
        width, height : m, along axes 2 and 3
        material : of the section
        cowper : use Cowper's shear factor 10 (1 + nu)/(12 + 11 nu), derived for beam dynamics, instead of 5/6
        """
        sides = positive(width, "Section.rectangle width"), positive(height, "Section.rectangle height")
        drawn = shapes.rectangle_corners(*sides)
        return cls._of_shape(shapes.rectangle, (*sides, _poisson(material), cowper), material, drawn)

    @classmethod
    def circle(cls, radius: float, material: Material) -> Section:
        """Solid circle.

        Parameters
        ----------
        radius : m
        material : of the section; its Poisson's ratio enters the shear factor
        """
        outer = positive(radius, "Section.circle radius")
        drawn = shapes.ellipse_corners(outer, outer)
        return cls._of_shape(shapes.ring, (outer, 0.0, _poisson(material)), material, drawn)

    @classmethod
    def tube(cls, mean_radius: float, thickness: float, material: Material) -> Section:
        """Circular tube of any thickness.

        Parameters
        ----------
        mean_radius : m, of the middle of the wall
        thickness : m, of the wall
        material : of the section
        """
        mean = positive(mean_radius, "Section.tube mean_radius")
        wall = positive(thickness, "Section.tube thickness")
        if wall >= 2.0 * mean:
            raise InputError(f"Section.tube: thickness {wall:g} m leaves no hole at mean radius {mean:g} m")
        outer, inner = mean + wall / 2.0, mean - wall / 2.0
        drawn = shapes.ellipse_corners(outer, outer)
        return cls._of_shape(shapes.ring, (outer, inner, _poisson(material)), material, drawn)

    @classmethod
    def i_beam(cls, width: float, height: float, flange: float, web: float, material: Material) -> Section:
        """I with sharp corners.

        Parameters
        ----------
        width, height : m, overall, along axes 2 and 3
        flange, web : m, thicknesses
        material : of the section
        """
        sizes = {"width": width, "height": height, "flange": flange, "web": web}
        w, h, f, t = (positive(value, f"Section.i_beam {name}") for name, value in sizes.items())
        if 2.0 * f >= h or t >= w:
            raise InputError(
                f"Section.i_beam: two flanges of {f:g} m must fit into the height of {h:g} m, "
                f"and the web of {t:g} m into the width of {w:g} m"
            )
        return cls._of_shape(shapes.i_beam, (w, h, f, t), material, shapes.i_beam_corners(w, h, f, t))


def _poisson(material: Material) -> float:
    if not isinstance(material, Material):
        raise InputError(f"Section material is {material!r}: give a Material")
    return material.poisson
