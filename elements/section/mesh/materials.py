"""Orthotropic and anisotropic materials of section meshes, and their stiffness in the axes of the section.

Stresses and strains have the order [11, 22, 33, 23, 13, 12] with engineering shear strains. Axis 1 of a material is
the fibre, 2 lies in the layer, 3 is its normal. In the section, 1 is along the beam. A layer is placed by two angles:
the plane angle turns its direction 2 about the beam's axis, from section axis 2 towards 3; then the fibre angle turns
the fibre about the layer's normal, from the beam's axis towards the layer's direction 2:

    fibre = cos(a) e1 + sin(a) (cos(b) e2 + sin(b) e3)          a fibre angle, b plane angle
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.base.validation import array, finite, positive
from fem_mbd.elements.section.checks import definite
from fem_mbd.elements.section.material import Material
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
