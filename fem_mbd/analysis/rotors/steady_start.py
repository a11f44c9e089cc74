"""Check that a machine under its weight starts in steady motion: residual forces of the nonlinear equations.

With constant multi-blade coordinates z, in the rotor's axes at azimuth 0, x = z moves by x' = Omega Sigma z and x'' =
Omega^2 Sigma^2 z (see `fem_mbd.analysis.rotors.multiblade`). The elastic and centrifugal forces of the initial
positions, the weight, and the inertial, gyroscopic and damping forces of that motion are in balance up to the terms
that the sway, which is of first order in the weight, neglects.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fem_mbd.analysis.modal.linear_model import LinearModel, linearise_at, out_of_balance
from fem_mbd.analysis.rotors.multiblade import MultiBlade
from fem_mbd.base.arrays import Array
from fem_mbd.core.scheme.state import State


def start_imbalance(
    linear: LinearModel, blades: MultiBlade, motion: Array, weight: Array, state: State
) -> float:
    """Displacement (machine lengths, or rad) that the unbalanced forces at ``state`` would cause.

    Parameters
    ----------
    linear : the machine in multi-blade coordinates, without weight
    blades : those coordinates
    motion : (n,) the constant z represented by ``state``
    weight : (n,) N, N m; both in the free unknowns
    state : positions and rotations at azimuth 0
    """
    rate = float(linear.spin @ blades.spin.direction)
    own, force = linearise_at(linear.system, state.copy(), replace(blades.spin, rate=rate))
    sigma = blades.generator(linear)
    faster = rate * (sigma @ motion)
    inertia = own.mass @ (rate * (sigma @ faster)) + (own.gyroscopic + own.damping) @ faster
    moved, _ = out_of_balance(own, np.asarray(force + inertia - weight))
    return moved
