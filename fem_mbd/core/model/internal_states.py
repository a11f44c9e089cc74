"""Class `InternalStates`: states of parts that obey rates of their own, beside the nodes, in linear models.

With x the free unknowns of the nodes (n,), w the states (k,) and V the speed of the wind,

    w' = A w + B x + C x' + a V'        M x'' + … + F w + f V' = 0
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from fem_mbd.base.arrays import Array, Indices


@dataclass(frozen=True, eq=False)
class InternalStates:
    """Matrices about a steady state; see the module's docstring.

    Attributes
    ----------
    own : (k, k) A
    by_position, by_velocity : (k, n) B, C
    force : (n, k) F
    by_wind, wind_force : (k,) a and (n,) f, per m/s of the wind along the axis of the rotor
    tips : (k,) node at the tip of the blade of each state
    names : (k,) of the states
    """

    own: csr_matrix
    by_position: csr_matrix
    by_velocity: csr_matrix
    force: csr_matrix
    by_wind: Array
    wind_force: Array
    tips: Indices
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.by_wind)

    def of_blades(self, tips: Any) -> list[Indices]:
        """Indices of the states of each blade, given by the nodes at its tip, in the same order for all."""
        return [np.flatnonzero(self.tips == tip) for tip in tips]
