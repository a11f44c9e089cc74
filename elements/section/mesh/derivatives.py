"""Derivatives of a section's matrices by nodes, layer angles and materials: the adjoint of the central solutions.

With x0 = (u, psi) and x1 = (u', psi'), the equations of `solution` are K x1 = b1 and K x0 = b0 + (H^T - H) x1, with
H = [[C, 0], [L^T, 0]], and the compliance of the forces i and j is F_ij = int eps_i^T Q eps_j. The adjoint variables

    K l0 = K x0 + H x1        K l1 = H^T x0 + M x1 + (H - H^T) l0,     M = int S^T Q S

make F_ij - l_i . r_j - l_j . r_i stationary, r the residuals, and so its derivative by anything is that at fixed nodal
values:

    dF_ij = d int (eps_i^T Q eps_j - l0_i^T Q eps_j - (l1 - S l0)_i^T Q e1_j - the last two with i and j exchanged)

with l0 for its strains B u + S Z psi, e1 those of x1. The factors of the solution serve all eight right-hand sides. The
integrand of each element is differentiated by complex steps, exactly: eight evaluations give the derivatives by all
nodes of quadrilaterals.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.elements.section.mesh.materials import elasticity, material_axes, stress_rotation
from fem_mbd.elements.section.mesh.solution import Block, SectionSolution, section_mass
from fem_mbd.errors import InputError

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
        points = self.solution.mesh.points
        compliance, mass = np.zeros((len(points), 2, 6, 6)), np.zeros((len(points), 2, 6, 6))
        for block, density in zip(self.solution.blocks, self._densities(), strict=True):
            corners = points[block.cells].astype(complex)
            for k in range(block.cells.shape[1]):
                for axis in range(2):
                    moved = corners.copy()
                    moved[:, k, axis] += 1j * STEP
                    changed = Block.of(moved, block.cells, block.Q)
                    np.add.at(compliance[:, axis], block.cells[:, k], self._integrand(changed).imag / STEP)
                    np.add.at(mass[:, axis], block.cells[:, k], section_mass(changed, density).imag / STEP)
        return self._of_stiffness(compliance), mass

    def by_angles(self) -> Array:
        """(m, 2, 6, 6) of the stiffness, by the fibre angle and the plane angle of each element, per degree."""
        mesh = self.solution.mesh
        own = np.array([elasticity(kind) for kind in mesh.kinds])[mesh.kind_of]
        result = np.zeros((mesh.count, 2, 6, 6))
        for column in range(2):
            angles = np.radians(mesh.angles).astype(complex)
            angles[:, column] += 1j * STEP
            rotation = stress_rotation(material_axes(*angles.T))
            result[:, column] = (
                self._by_stiffness(rotation @ own @ rotation.transpose(0, 2, 1)) * np.pi / 180.0
            )
        return self._of_stiffness(result)

    def by_material(self, kind: int, rate: Array) -> Array:
        """(6, 6) of the stiffness, where a material's own stiffness changes by ``rate`` (6, 6) per unit of a parameter.

        Parameters
        ----------
        kind : number of the material in `SectionMesh.kinds`
        rate : (6, 6), Pa per unit, in the material's axes
        """
        mesh = self.solution.mesh
        own = np.array([elasticity(other) for other in mesh.kinds])[mesh.kind_of].astype(complex)
        own[mesh.kind_of == kind] += 1j * STEP * np.asarray(rate)
        rotation = stress_rotation(material_axes(*np.radians(mesh.angles).T))
        return self._of_stiffness(
            self._by_stiffness(rotation @ own @ rotation.transpose(0, 2, 1)).sum(axis=0)
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

    def _densities(self) -> list[Array]:
        mesh = self.solution.mesh
        density = np.array([kind.density for kind in mesh.kinds])[mesh.kind_of]
        return np.split(density, np.cumsum([len(cells) for cells in mesh.blocks])[:-1])

    def _by_stiffness(self, Q: Array) -> Array:
        """(m, 6, 6) derivatives of the compliance with complex element stiffnesses (m, 6, 6)."""
        first, parts = 0, []
        for block in self.solution.blocks:
            parts.append(self._integrand(replace(block, Q=Q[first : first + len(block.cells)])).imag / STEP)
            first += len(block.cells)
        return np.concatenate(parts)

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
