"""Stiffness of a cross-section from its mesh, and its derivatives: the central solutions of a prismatic beam.

Displacements are those of a rigid section plus warping u(y, z), piecewise polynomials with 3 n nodal values. With the
section's strains psi, strains at a point are

    eps = B u + S Z psi + S u'          B: slopes in the section,   S: derivative along the beam,   Z: rigid section

and far from the ends u is linear along the beam. With E = int B^T Q B, R = int B^T Q S Z, C = int B^T Q S,
L = int S^T Q S Z, A = int Z^T S^T Q S Z (Q the material's stiffness, shape functions understood) equilibrium is

    E u' + R psi' = 0                          R^T u' + A psi' = theta'
    E u  + R psi = L psi' + (C^T - C) u'       R^T u  + A psi = theta - L^T u'

with the section forces theta and their rates theta' = (0, 0, 0, 0, V3, -V2). Source: V. Giavotto et al., Anisotropic
beam theory and applications, Computers & Structures 16 (1983) 403-413, equations 29 to 36; notation of J. P. Blasques,
User's manual for BECAS, DTU Wind Energy (2012). The energy of six unit forces is the compliance, its inverse the
stiffness.

A rigid displacement in u and a rotation out of the section's plane together with shear strain give no strain: shear
strains are zero here and four nodal values are fixed, which leaves the strains eps as they are. E is factorised once,
symmetric and positive definite, for the four columns of R and all right-hand sides.

`SectionDerivatives`: derivatives of a section's matrices by nodes, layer angles and materials from the adjoint of the
central solutions. With x0 = (u, psi) and x1 = (u', psi'), the equations above are K x1 = b1 and
K x0 = b0 + (H^T - H) x1, with H = [[C, 0], [L^T, 0]], and the compliance of the forces i and j is
F_ij = int eps_i^T Q eps_j. The adjoint variables

    K l0 = K x0 + H x1        K l1 = H^T x0 + M x1 + (H - H^T) l0,     M = int S^T Q S

make F_ij - l_i . r_j - l_j . r_i stationary, r the residuals, and so its derivative by anything is that at fixed nodal
values:

    dF_ij = d int (eps_i^T Q eps_j - l0_i^T Q eps_j - (l1 - S l0)_i^T Q e1_j - the last two with i and j exchanged)

with l0 for its strains B u + S Z psi, e1 those of x1. The factors of the solution serve all eight right-hand sides. The
integrand of each element is differentiated by complex steps, exactly: eight evaluations give the derivatives by all
nodes of quadrilaterals.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.linalg import splu

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.elements.section.mesh.mesh import (
    REFERENCE_ELEMENTS,
    SectionMesh,
    density,
    elasticity,
    material_axes,
    stress_rotation,
)
from fem_mbd.errors import InputError

FREE = np.array([0, 3, 4, 5])  # section strains that are unknowns: all but the shear strains
_ALONG = np.array([0, 5, 4])  # components 11, 12, 13 of u1', u2', u3'
_RATES = np.array([[0.0, 0.0], [0.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])  # of N, T, M2, M3 by V2, V3


@dataclass(frozen=True, eq=False)
class Block:
    """Elements of one type at their integration points; m elements, g points, k nodes.

    cells : (m, k); Q : (m, 6, 6) Pa; weights : (m, g) m^2; values : (g, k); slopes : (m, g, 2, k) 1/m; places :
    (m, g, 2) m
    """

    cells: Indices
    Q: Array
    weights: Array
    values: Array
    slopes: Array
    places: Array

    @classmethod
    def of(cls, points: Array, cells: Indices, Q: Array) -> Block:
        """The block of elements; points (n, 2), or (m, k, 2) of each element. Complex numbers pass through."""
        element = REFERENCE_ELEMENTS[cells.shape[1]]
        corners = points[cells] if points.ndim == 2 else points
        tangents = (
            element.slopes @ corners[:, None]
        )  # (m, g, 2, 2): by coordinate of the element, then of the section
        (a, b), (c, d) = np.moveaxis(tangents, (2, 3), (0, 1))
        area = a * d - b * c
        inverse = np.moveaxis(np.array([[d, -b], [-c, a]]) / area, (0, 1), (2, 3))
        return cls(
            cells,
            Q,
            area * element.weights,
            element.values,
            inverse @ element.slopes,
            element.values @ corners,
        )

    def strains(self, u: Array, psi: Array) -> Array:
        """(m, g, 6, c) B u + S Z psi of nodal values (n, 3, c) and section strains (6, c)."""
        slope = np.einsum("mgdk,mkic->mgdic", self.slopes, u[self.cells], optimize=True)
        result = np.zeros(slope.shape[:2] + (6, u.shape[2]), dtype=slope.dtype)
        result[:, :, 1], result[:, :, 2] = slope[:, :, 0, 1], slope[:, :, 1, 2]
        result[:, :, 3] = slope[:, :, 1, 1] + slope[:, :, 0, 2]
        result[:, :, 4], result[:, :, 5] = slope[:, :, 1, 0], slope[:, :, 0, 0]
        return result + self.section_strains @ psi

    @cached_property
    def section_strains(self) -> Array:
        """(m, g, 6, 6) S Z: strains by section strains."""
        y2, y3 = np.moveaxis(self.places, -1, 0)
        result = np.zeros((*y2.shape, 6, 6), dtype=y2.dtype)
        result[..., 0, 0] = result[..., 5, 1] = result[..., 4, 2] = 1.0
        result[..., 0, 4], result[..., 0, 5] = y3, -y2
        result[..., 4, 3], result[..., 5, 3] = y2, -y3
        return result

    def along(self, u: Array) -> Array:
        """(m, g, 6, c) S u of nodal values (n, 3, c)."""
        values = np.einsum("gk,mkic->mgic", self.values, u[self.cells], optimize=True)
        result = np.zeros(values.shape[:2] + (6, u.shape[2]), dtype=values.dtype)
        result[:, :, _ALONG] = values
        return result

    def stress(self, strains: Array) -> Array:
        """(m, g, 6, c) Q times strains."""
        return np.asarray(self.Q[:, None] @ strains)

    def matrix(self) -> tuple[Array, Array]:
        """(m, 3 k, 3 k) of E, and (m, 3 k, 6) of R."""
        m, g, _, k = self.slopes.shape
        B = np.zeros((m, g, 6, k, 3))
        d2, d3 = self.slopes[:, :, 0], self.slopes[:, :, 1]
        B[:, :, 1, :, 1], B[:, :, 2, :, 2] = d2, d3
        B[:, :, 3, :, 1], B[:, :, 3, :, 2] = d3, d2
        B[:, :, 4, :, 0], B[:, :, 5, :, 0] = d3, d2
        B = B.reshape(m, g, 6, 3 * k)
        weighted = self.stress(B * self.weights[:, :, None, None]).reshape(m, 6 * g, 3 * k).transpose(0, 2, 1)
        return weighted @ B.reshape(m, 6 * g, 3 * k), weighted @ self.section_strains.reshape(m, 6 * g, 6)

    def nodal(self, stress: Array, total: Array) -> Array:
        """(6, c) int Z^T S^T stress; adds int B^T stress to nodal values (n, 3, c)."""
        s = stress * self.weights[:, :, None, None]
        flows = np.stack([s[:, :, [5, 1, 3]], s[:, :, [4, 3, 2]]], axis=2)  # by direction, then by u1, u2, u3
        np.add.at(total, self.cells, np.einsum("mgdk,mgdic->mkic", self.slopes, flows, optimize=True))
        return np.asarray(np.einsum("mgsi,mgsc->ic", self.section_strains, s, optimize=True))

    def nodal_along(self, stress: Array, total: Array) -> None:
        """Add int S^T stress to nodal values (n, 3, c)."""
        s = (stress * self.weights[:, :, None, None])[:, :, _ALONG]
        np.add.at(total, self.cells, np.einsum("gk,mgic->mkic", self.values, s, optimize=True))


@dataclass(frozen=True, eq=False)
class SectionSolution:
    """Warping and section strains of six unit section forces; n points.

    u, psi : (n, 3, 6) m, (6, 6) of N, V2, V3, T, M2, M3 of 1 N or 1 N m; u_rate, psi_rate : their derivatives along
    the beam, of V2 and V3 alone, (n, 3, 2), (6, 2)
    stiffness, mass : (6, 6) of the section about the origin of the mesh, order of `Section`
    """

    mesh: SectionMesh
    blocks: list[Block]
    u: Array
    psi: Array
    u_rate: Array
    psi_rate: Array
    stiffness: Array
    mass: Array
    system: Any = field(repr=False)

    @cached_property
    def stress_modes(self) -> Array:
        """(m, 6, 6) mean stresses of each element in its material's axes, Pa, by unit section forces."""
        parts = []
        for block in self.blocks:
            weights = block.weights / block.weights.sum(axis=1, keepdims=True)
            parts.append(block.Q @ np.einsum("mg,mgsc->msc", weights, self.strains(block), optimize=True))
        rotation = stress_rotation(material_axes(*np.radians(self.mesh.angles).T))
        return np.asarray(np.linalg.solve(rotation, np.concatenate(parts)))

    def strains(self, block: Block) -> Array:
        """(m, g, 6, 6) strains in section axes by unit section forces."""
        strains = block.strains(self.u, self.psi)
        strains[..., 1:3] += block.along(self.u_rate)
        return strains


class System:
    """The factorised equations for warping and section strains; shear strains and four nodal values are zero."""

    def __init__(self, blocks: list[Block], points: Array) -> None:
        n = len(points)
        far = int(np.argmax(np.sum((points - points[0]) ** 2, axis=1)))
        across = 2 if abs(points[far, 0] - points[0, 0]) >= abs(points[far, 1] - points[0, 1]) else 1
        free = np.ones(3 * n, dtype=bool)
        free[[0, 1, 2, 3 * far + across]] = False
        self.free, self.shape = np.flatnonzero(free), (n, 3)
        number = np.full(3 * n, -1)
        number[self.free] = np.arange(len(self.free))
        triples = []
        R, A = np.zeros((3 * n, 6)), np.zeros((6, 6))
        for block in blocks:
            values, coupling = block.matrix()
            unknowns = (3 * block.cells[:, :, None] + np.arange(3)).reshape(len(values), -1)
            np.add.at(R, unknowns, coupling)
            i, j = np.broadcast_arrays(number[unknowns][:, :, None], number[unknowns][:, None, :])
            keep = (i >= 0) & (j >= 0)
            triples.append((values[keep], i[keep], j[keep]))
            Z = block.section_strains
            A += np.einsum(
                "mgsi,mgsj->ij", Z * block.weights[:, :, None, None], block.stress(Z), optimize=True
            )
        entries, rows, columns = (np.concatenate(parts) for parts in zip(*triples, strict=True))
        E = coo_array((entries, (rows, columns)), shape=(len(self.free),) * 2).tocsc()
        self.factor = splu(
            E, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
        )
        self.X = self.factor.solve(np.ascontiguousarray(R[self.free][:, FREE]))
        self.schur = A[np.ix_(FREE, FREE)] - R[self.free][:, FREE].T @ self.X

    def solve(self, loads: Array, forces: Array) -> tuple[Array, Array]:
        """Warping (n, 3, c) and section strains (6, c) of nodal loads (n, 3, c) and section forces (6, c)."""
        columns = loads.shape[2]
        nodal = np.ascontiguousarray(loads.reshape(-1, columns)[self.free])
        psi = np.zeros((6, columns))
        psi[FREE] = np.linalg.solve(self.schur, forces[FREE] - self.X.T @ nodal)
        u = np.zeros((self.shape[0] * 3, columns))
        u[self.free] = (self.factor.solve(nodal) if nodal.any() else 0.0) - self.X @ psi[FREE]
        return u.reshape(*self.shape, columns), psi


def in_section(material_stiffness: Array, angles: Array) -> Array:
    """(m, 6, 6) stiffnesses of elements in section axes; material_stiffness (m, 6, 6) Pa, angles (m, 2) rad."""
    rotation = stress_rotation(material_axes(*angles.T))
    return np.asarray(rotation @ material_stiffness @ rotation.transpose(0, 2, 1))


def solve_section(mesh: SectionMesh) -> SectionSolution:
    """Central solutions, stiffness and mass of a section; coordinates of the mesh are seen from the beam's line."""
    Q = in_section(mesh.by_element(elasticity), np.radians(mesh.angles))
    blocks = [
        Block.of(mesh.points, *of_block) for of_block in zip(mesh.blocks, mesh.by_block(Q), strict=True)
    ]
    n = len(mesh.points)
    system = System(blocks, mesh.points)
    rates = np.zeros((6, 2))
    rates[FREE] = _RATES
    u_rate, psi_rate = system.solve(np.zeros((n, 3, 2)), rates)
    loads, forces = np.zeros((n, 3, 6)), np.eye(6)
    for block in blocks:
        gained, taken = np.zeros((n, 3, 2)), np.zeros((n, 3, 2))
        block.nodal_along(block.stress(block.strains(u_rate, psi_rate)), gained)
        forces[:, 1:3] -= block.nodal(block.stress(block.along(u_rate)), taken)
        loads[..., 1:3] += gained - taken
    u, psi = system.solve(loads, forces)
    densities = mesh.by_block(mesh.by_element(density))
    mass = sum(section_mass(block, rho).sum(axis=0) for block, rho in zip(blocks, densities, strict=True))
    solution = SectionSolution(mesh, blocks, u, psi, u_rate, psi_rate, np.eye(6), mass, system)
    compliance = np.zeros((6, 6))
    for block in blocks:
        strains = solution.strains(block)
        weighted = strains * block.weights[:, :, None, None]
        compliance += np.einsum("mgsi,mgsj->ij", weighted, block.stress(strains), optimize=True)
    object.__setattr__(solution, "stiffness", np.linalg.inv(0.5 * (compliance + compliance.T)))
    return solution


def section_mass(block: Block, density: Array) -> Array:
    """(m, 6, 6) mass of elements per length about the origin; density (m,) kg/m^3."""
    G = block.section_strains[..., _ALONG, :]  # velocities of a point by those of the section, as its strains
    weights = (density[:, None] * block.weights)[:, :, None, None]
    return np.asarray(np.einsum("mgsi,mgsj->mij", G * weights, G, optimize=True))


STEP = 1e-30  # of complex steps: no difference is taken


class SectionDerivatives:
    """Derivatives of the stiffness (6, 6) and the mass matrix (6, 6) of a section from a mesh.

    Parameters
    ----------
    section : `Section` of `Section.from_mesh` or `Section.from_laminate`

    Raises
    ------
    InputError
        For a section that does not come from a mesh.
    """

    def __init__(self, section: Any) -> None:
        solution: SectionSolution | None = getattr(section, "solution", None)
        if solution is None:
            raise InputError("derivatives: the section does not come from a mesh: use Section.from_mesh")
        self.solution, self.stiffness = solution, solution.stiffness
        self._adjoint = _adjoint(solution)

    def by_nodes(self) -> tuple[Array, Array]:
        """(n, 2, 6, 6) of the stiffness and (n, 2, 6, 6) of the mass matrix, by the nodes' coordinates, per m."""
        mesh = self.solution.mesh
        points, densities = mesh.points, mesh.by_block(mesh.by_element(density))
        compliance, mass = np.zeros((len(points), 2, 6, 6)), np.zeros((len(points), 2, 6, 6))
        for block, rho in zip(self.solution.blocks, densities, strict=True):
            corners = points[block.cells].astype(complex)
            for k in range(block.cells.shape[1]):
                for axis in range(2):
                    moved = corners.copy()
                    moved[:, k, axis] += 1j * STEP
                    changed = Block.of(moved, block.cells, block.Q)
                    np.add.at(compliance[:, axis], block.cells[:, k], self._integrand(changed).imag / STEP)
                    np.add.at(mass[:, axis], block.cells[:, k], section_mass(changed, rho).imag / STEP)
        return self._of_stiffness(compliance), mass

    def by_angles(self) -> Array:
        """(m, 2, 6, 6) of the stiffness, by the fibre angle and the plane angle of each element, per degree."""
        mesh = self.solution.mesh
        material_stiffness, result = mesh.by_element(elasticity), np.zeros((mesh.count, 2, 6, 6))
        for column in range(2):
            angles = np.radians(mesh.angles).astype(complex)
            angles[:, column] += 1j * STEP
            result[:, column] = self._by_stiffness(in_section(material_stiffness, angles)) * np.pi / 180.0
        return self._of_stiffness(result)

    def by_material(self, kind: int, rate: Array) -> Array:
        """(6, 6) of the stiffness, where a material's own stiffness changes by ``rate`` (6, 6) per unit of a parameter.

        Parameters
        ----------
        kind : number of the material in `SectionMesh.kinds`
        rate : (6, 6), Pa per unit, in the material's axes
        """
        mesh = self.solution.mesh
        material_stiffness = mesh.by_element(elasticity).astype(complex)
        material_stiffness[mesh.kind_of == kind] += 1j * STEP * np.asarray(rate)
        return self._of_stiffness(
            self._by_stiffness(in_section(material_stiffness, np.radians(mesh.angles))).sum(axis=0)
        )

    def by_mesh(self, points_rate: Array, angles_rate: Array | None = None) -> tuple[Array, Array]:
        """(6, 6) of the stiffness and of the mass matrix by a parameter that moves nodes and turns layers.

        Parameters
        ----------
        points_rate : (n, 2) m per unit of the parameter, such as a thickness
        angles_rate : (m, 2) degrees per unit
        """
        stiffness, mass = (np.einsum("ni,nikl->kl", points_rate, each) for each in self.by_nodes())
        if angles_rate is not None:
            stiffness = stiffness + np.einsum("mi,mikl->kl", angles_rate, self.by_angles())
        return stiffness, mass

    def _by_stiffness(self, Q: Array) -> Array:
        """(m, 6, 6) derivatives of the compliance with complex element stiffnesses (m, 6, 6)."""
        pairs = zip(self.solution.blocks, self.solution.mesh.by_block(Q), strict=True)
        return np.concatenate(
            [self._integrand(replace(block, Q=stiffness)).imag / STEP for block, stiffness in pairs]
        )

    def _integrand(self, block: Block) -> Array:
        """(m, 6, 6) contributions of the elements to the stationary function, at fixed nodal values."""
        s = self.solution
        l0, psi0, l1, psi1 = self._adjoint
        strains = s.strains(block)
        first = block.strains(s.u_rate, s.psi_rate)
        adjoint = block.strains(l0, psi0)
        rate = block.strains(l1, psi1) - block.along(l0)
        weights = block.weights[:, :, None, None]
        form = "mgsi,mgsj->mij"
        stress = block.stress(strains) * weights
        mixed = np.einsum(form, adjoint, stress, optimize=True)
        mixed[:, :, 1:3] += np.einsum(form, rate, block.stress(first) * weights, optimize=True)
        return np.asarray(np.einsum(form, strains, stress, optimize=True) - mixed - mixed.transpose(0, 2, 1))

    def _of_stiffness(self, compliance: Array) -> Array:
        return np.asarray(-self.stiffness @ compliance @ self.stiffness)


def _adjoint(s: SectionSolution) -> tuple[Array, Array, Array, Array]:
    """Nodal values and section strains of l0 and l1."""
    n = len(s.mesh.points)
    loads, forces = np.zeros((n, 3, 2)), np.zeros((6, 2))
    for block in s.blocks:
        forces += block.nodal(block.stress(block.along(s.u_rate)), loads)
    extra, extra_psi = s.system.solve(loads, forces)
    l0, psi0 = s.u.copy(), s.psi.copy()
    l0[..., 1:3] += extra
    psi0[:, 1:3] += extra_psi
    loads, forces = np.zeros((n, 3, 6)), np.zeros((6, 6))
    for block in s.blocks:
        block.nodal_along(block.stress(s.strains(block) - block.strains(l0, psi0)), loads)
        forces += block.nodal(block.stress(block.along(l0)), loads)
    l1, psi1 = s.system.solve(loads, forces)
    return l0, psi0, l1, psi1
