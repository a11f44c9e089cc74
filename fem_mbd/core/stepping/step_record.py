"""Record of one accepted time step: size, computational effort, energy ledger and contacts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fem_mbd.base.arrays import Array

# One entry per contact. Vectors are in global axes; friction_force acts on body L; the gap is positive when
# open.
CONTACT_RECORD = np.dtype(
    [
        ("gap_i", "f8"),  # m, at the start of the step
        ("gap_f", "f8"),  # m, at its end
        ("normal_force", "f8"),  # N, constant over the step, >= 0
        ("friction_force", "f8", (3,)),  # N
        ("slip_velocity", "f8", (3,)),  # m/s, of L relative to K, in the tangent plane
        ("normal", "f8", (3,)),  # unit vector from K's centre towards the contact point
        ("stribeck_velocity", "f8"),  # m/s, 0 when the law has none
        # 1/s, sigma_0 v_s / mu_k (Bauchau & Ju, eq. 27), 0 when the law has no time constant
        ("omega", "f8"),
    ],
    align=True,
)


@dataclass
class StepRecord:
    """One time step from t_f - dt to t_f, after Newton has converged.

    Attributes
    ----------
    index : its number, from 1
    time : t_f, s
    dt : s
    rule : the rule that decided its size
    newton_iterations, factorisations, rejections : computational effort
    energy : (len(LEDGER),) one row of the energy balance, in the order of `fem_mbd.core.scheme.ledger.LEDGER`
    round_off : J, bound of the part of this step's energy residual that round-off alone can cause
    contacts : (number of contacts,), dtype `CONTACT_RECORD`
    rotation : rad, largest rotation of a node in the step
    """

    index: int  # accepted steps so far, 1 for the first
    time: float  # t_f, s
    dt: float  # s
    rule: str  # name of the step-size rule that decided this dt
    newton_iterations: int
    factorisations: int  # of this step, rejected attempts included
    rejections: int  # attempts rejected before this one was accepted
    energy: Array
    round_off: float  # J
    contacts: NDArray[np.void]
    rotation: float = 0.0
