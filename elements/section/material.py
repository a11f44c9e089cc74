"""Linear elastic, isotropic material of beam sections."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np

from fem_mbd.base.validation import finite, positive
from fem_mbd.errors import InputError


@dataclass(frozen=True)
class Material:
    """A linear elastic material: `Material(71.7e9, 0.31, 2700.0)` or `Material(73e9, shear=27.4e9, density=2700.0)`.

    Parameters
    ----------
    young : Young's modulus, Pa
    poisson : Poisson's ratio
    density : kg/m^3
    shear : shear modulus, Pa, instead of Poisson's ratio. The other one follows from E = 2 G (1 + nu). With the shear
        modulus given, nu may leave the range -1 … 0.5 of isotropic bodies (wood, many laminates); it then only enters
        the shear factors of sections.

    Raises
    ------
    InputError
        For values that no material has, and when neither or both of ``poisson`` and ``shear`` are given.
    """

    young: float
    poisson: float = nan
    density: float = nan
    shear: float = nan

    def __post_init__(self) -> None:
        for name in ("young", "density"):
            what = f"Material {name}"
            if _missing(getattr(self, name)):
                raise InputError(f"{what} is missing")
            object.__setattr__(self, name, positive(getattr(self, name), what))
        for name in ("poisson", "shear"):
            if not _missing(getattr(self, name)):
                finite(getattr(self, name), f"Material {name}")
        if np.isnan(self.poisson) and np.isnan(self.shear):
            raise InputError("Material: give either poisson or shear")
        if not np.isnan(self.poisson):
            self._check_poisson()
            from_poisson = self.young / (2.0 * (1.0 + self.poisson))
            if not np.isnan(self.shear) and abs(self.shear - from_poisson) > 1e-9 * from_poisson:
                raise InputError(
                    f"Material: shear = {self.shear:g} Pa contradicts young and poisson, which give "
                    f"{from_poisson:g} Pa: give one of poisson and shear"
                )
            object.__setattr__(self, "shear", from_poisson)
        object.__setattr__(self, "shear", positive(self.shear, "Material shear"))
        if np.isnan(self.poisson):
            object.__setattr__(self, "poisson", self.young / (2.0 * self.shear) - 1.0)

    def _check_poisson(self) -> None:
        if not -1.0 < finite(self.poisson, "Material poisson") <= 0.5:
            raise InputError(f"Material poisson is {self.poisson:g}: it must lie above -1 and not above 0.5")


def _missing(value: object) -> bool:
    """Whether a parameter was left at its default, nan."""
    return isinstance(value, float) and bool(np.isnan(value))
