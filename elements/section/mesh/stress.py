"""Stresses in the elements of a cross-section from section forces; failure indices, extremes, files for ParaView.

Stresses are linear in the six section forces: the central solutions of unit forces, averaged over each element and
turned into the axes of its material (order 11, 22, 33, 23, 13, 12; 1 the fibre, 3 the layer's normal).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.base.mesh_files import write_surface
from fem_mbd.elements.section.mesh.mesh import SectionMesh
from fem_mbd.errors import InputError

COMPONENTS = ("s11", "s22", "s33", "s23", "s13", "s12")


BLOCK = (
    2**18
)  # stresses that are computed at a time where not all are kept: they stay in the processor's cache


@dataclass(frozen=True, eq=False)
class SectionStress:
    """Stresses of a section's elements.

    Attributes
    ----------
    forces : (…, 6) section forces, whose leading axes are time or cases
    modes : (m, 6, 6) stresses of the elements in the axes of their materials, Pa, by unit section forces
    mesh : elements, materials and angles
    station : fraction of the beam's length at which the section is
    """

    forces: Array
    modes: Array
    mesh: SectionMesh
    station: float = 0.0

    @cached_property
    def values(self) -> Array:
        """(…, m, 6) Pa, in the axes of each element's material."""
        return np.asarray(self._flat @ self._table).reshape(*self.forces.shape[:-1], *self.modes.shape[:2])

    def max_stress(self) -> Array:
        """(…, m) largest ratio of a stress component to its strength; nan without a `Strength`. Failure at 1."""
        tension, compression, shear = self._strengths()
        upper, lower = np.hstack([tension, shear]), np.hstack([compression, shear])
        ratios = np.hstack([self.modes / upper[:, :, None], -self.modes / lower[:, :, None]])  # (m, 12, 6)
        table = ratios.transpose(1, 0, 2).reshape(-1, 6).T
        parts = [each.reshape(len(each), 12, -1).max(axis=1) for each in self._products(table)]
        return np.concatenate(parts).reshape(*self.forces.shape[:-1], -1)

    def tsai_wu(self) -> Array:
        """(…, m) index of Tsai and Wu (1971); nan without a `Strength`. Failure at 1.

        F_i s_i + F_ij s_i s_j: F_i = 1/X_t - 1/X_c, F_ii = 1/(X_t X_c), 1/S^2 of shear, F_ij = -(F_ii F_jj)^1/2 / 2.
        """
        tension, compression, shear = self._strengths()
        root = np.hstack([1 / np.sqrt(tension * compression), 1 / shear])
        mixed = np.eye(6)
        mixed[:3, :3] -= 0.5 * (1 - np.eye(3))
        scaled = self.modes * root[:, :, None]
        # a quadratic form of the section forces for each element
        squares = (scaled.transpose(0, 2, 1) @ mixed @ scaled).reshape(-1, 36).T
        linear = np.einsum("mi,mij->jm", 1 / tension - 1 / compression, self.modes[:, :3])
        products = np.einsum("ni,nj->nij", self._flat, self._flat).reshape(-1, 36)
        return np.asarray(self._flat @ linear + products @ squares).reshape(*self.forces.shape[:-1], -1)

    def extremes(self) -> tuple[Array, Array]:
        """(m, 6) smallest and largest of all cases or times, Pa."""
        ends = [(each.min(axis=0), each.max(axis=0)) for each in self._products(self._table)]
        low, high = zip(*ends, strict=True)
        return np.min(low, axis=0).reshape(-1, 6), np.max(high, axis=0).reshape(-1, 6)

    @property
    def _flat(self) -> Array:
        return self.forces.reshape(-1, 6)

    @property
    def _table(self) -> Array:
        return np.asarray(self.modes.reshape(-1, 6).T)

    def _products(self, table: Array) -> Iterator[Array]:
        """Forces times ``table`` (6, r), a few cases at a time."""
        count = max(BLOCK // table.shape[1], 1)
        for k in range(0, len(self._flat), count):
            yield self._flat[k : k + count] @ table

    def write(self, path: str | Path) -> Path:
        """Write mesh and stresses, of one case or the extremes of several, in any format of meshio (.vtu).

        Parameters
        ----------
        path : of the file
        """
        data = {"material": self.mesh.kind_of.astype(float)}
        if self.forces.ndim == 1:
            data |= dict(zip(COMPONENTS, self.values.T, strict=True))
        else:
            for name, values in zip(("min", "max"), self.extremes(), strict=True):
                data |= {f"{component} {name}": v for component, v in zip(COMPONENTS, values.T, strict=True)}
        if any(getattr(kind, "strength", None) for kind in self.mesh.kinds):
            for name, index in (("maximum stress", self.max_stress()), ("Tsai-Wu", self.tsai_wu())):
                data[name] = index.reshape(-1, index.shape[-1]).max(axis=0)
        write_surface(Path(path), self.mesh.points, self.mesh.blocks, data)
        return Path(path)

    def _strengths(self) -> tuple[Array, Array, Array]:
        """Three arrays (m, 3)."""
        strengths = [getattr(kind, "strength", None) for kind in self.mesh.kinds]
        if not any(strengths):
            raise InputError("failure indices: no material of the section has a strength: give Strength(…)")
        rows = [[s.tension, s.compression, s.shear] if s else np.full((3, 3), np.nan) for s in strengths]
        tension, compression, shear = np.array(rows)[self.mesh.kind_of].transpose(1, 0, 2)
        return tension, compression, shear


def section_stress(section: Any, forces: ArrayLike, station: float = 0.0) -> SectionStress:
    """Stresses of a section from a mesh or a laminate.

    Parameters
    ----------
    section : `Section` of `Section.from_mesh` or `Section.from_laminate`
    forces : (…, 6) N, V2, V3 in N and T, M2, M3 in N m
    station : fraction of the beam's length at which it is

    Raises
    ------
    InputError
        For a section that does not come from a mesh, and forces of another shape.
    """
    loads = np.asarray(forces, dtype=float)
    if getattr(section, "solution", None) is None:
        raise InputError(
            "stress: the section does not come from a mesh: use Section.from_mesh or Section.from_laminate"
        )
    if loads.shape[-1:] != (6,):
        raise InputError(f"stress: forces have shape {loads.shape}: give (…, 6): N, V2, V3, T, M2, M3")
    return SectionStress(loads, section.solution.stress_modes, section.solution.mesh, station)


def beam_stress(view: Any, at: float, section: Any = None) -> SectionStress:
    """Stresses at a fraction of a beam's length: `BeamView.stress`."""
    beam_section = view.section if section is None else section
    if beam_section is None:
        raise InputError(
            f"stress of '{view.name}': files of results do not store meshes: ask by the beam's handle, "
            "result.of(handle), or give section=, a Section or SectionTable"
        )
    if callable(beam_section) and not hasattr(beam_section, "sections"):
        beam_section = beam_section(float(at))
    if not hasattr(beam_section, "sections"):
        return section_stress(beam_section, view.section_force(at), float(at))
    nearest = int(np.argmin(np.abs(np.asarray(beam_section.s) - at)))
    station = float(beam_section.s[nearest])
    return section_stress(beam_section.sections[nearest], view.section_force(station), station)
