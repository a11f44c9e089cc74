"""Kelvin-Voigt damping of beam sections: one time for all strains, or one for each of the six.

    stress = C strain + D strain rate        D = eta C,  or  D = S C S with S = diag(sqrt(eta_1), …, sqrt(eta_6))

order as in `section`: stretch, shear 2, shear 3, twist, bend 2, bend 3. S C S is symmetric and never negative, whatever
the coupling in C, and equals eta C for six equal times, diag(eta) C for uncoupled sections.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import array
from fem_mbd.errors import InputError


@dataclass(frozen=True, eq=False)
class Viscosity:
    """Damping times: `common`, eta of all strains, s; or `each`, (6,) one for each strain, s, or None."""

    common: float
    each: Array | None = None

    def matrix(self, stiffness: Array) -> Array:
        """(n, 6, 6) D of the stiffness (n, 6, 6)."""
        if self.each is None:
            return self.common * stiffness
        root = np.sqrt(self.each)
        return np.asarray(root[:, None] * stiffness * root)


def as_viscosity(damping: Any, what: str) -> Viscosity:
    """Viscosity from one number (s) or six; InputError for negative ones."""
    given = array(damping, (6,) if np.ndim(damping) else (), what)
    if np.any(given < 0.0):
        raise InputError(f"{what} is {np.asarray(damping).tolist()}: it must not be negative")
    if given.ndim == 0:
        return Viscosity(float(given))
    if np.all(given == given[0]):
        return Viscosity(float(given[0]))
    return Viscosity(0.0, given)
