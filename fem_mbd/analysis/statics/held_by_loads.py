"""Equilibrium of a structure held only by its loads or its rotation: hinged blades, pendulums, chains.

Without loads such a structure has motions that nothing resists, so there is no path of equilibria to follow from zero
load. Newton's method starts at the full loads and speed instead, with a multiple of the mass matrix added to the
stiffness (pseudo-transient continuation: Kelley and Keyes, SIAM J. Numer. Anal. 35 (1998) 508). The multiple decreases
with the unbalanced forces ("switched evolution relaxation"), so that the last iterations are Newton's.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix, diags

from fem_mbd.analysis.statics.linear_solve import Factorised, Singular
from fem_mbd.analysis.statics.static_forces import StaticForces
from fem_mbd.base.arrays import Array
from fem_mbd.core.scheme.state import State

ITERATIONS = 200
NEWTON_LIMIT = 1e-9  # model lengths, or rad: after an update this small Newton's method continues alone
LONGEST_UPDATE = 0.3  # likewise: a longer update is repeated with more mass
MASS_INCREASE = 4.0  # factor on the mass then
REACTION_MOTION = 1e-12  # model lengths: motion of the nodes while the joints' reactions are computed
FINAL_MASS = 1e-6  # fraction of the first multiple that remains where Newton's method converges


def held_by_loads(
    forces: StaticForces, start: State, near: float = NEWTON_LIMIT, iterations: int = ITERATIONS
) -> State | None:
    """A state near the equilibrium of ``forces`` at full load, from ``start``; None when none is found."""
    state, stress = start, None
    mass, residual = _masses(forces), forces.residual(start)
    first = multiple = _rate(forces, residual, mass)
    size = np.inf
    for _ in range(iterations):
        shifted = forces.tangent(state, 1.0, stress) + diags(multiple * mass)
        try:
            change = Factorised(csr_matrix(shifted)).solve(-residual)
        except Singular:
            return None
        before, size = size, _size(forces, change)
        if not size < LONGEST_UPDATE:
            multiple *= MASS_INCREASE
            stress, size = None, before
            if not np.isfinite(multiple) or multiple > first / FINAL_MASS:
                return None
            continue
        if size < near:
            return state
        stress = forces.extrapolated_stress(state, change)
        state = forces.update(state, change)
        left = forces.residual(state)
        multiple *= _norm(forces, left) / max(_norm(forces, residual), float(np.finfo(float).tiny))
        multiple = min(multiple, first)
        residual = left
    return None


def with_reactions(forces: StaticForces, start: State) -> State:
    """The state with the joints' multipliers at the moment when the loads accelerate it from rest."""
    mass, residual = _masses(forces), forces.residual(start)
    heavy = forces.tangent(start, 1.0) + diags(_rate(forces, residual, mass) / REACTION_MOTION * mass)
    change = Factorised(csr_matrix(heavy)).solve(-residual)
    return forces.update(start, change)


def _masses(forces: StaticForces) -> Array:
    """(n + m,) kg and kg m^2 of the unknowns; massless nodes get a small mass."""
    work = forces.work
    own = np.concatenate(
        [np.repeat(work.mass[:, None], 3, axis=1), np.einsum("nii->ni", work.inertia)], axis=1
    )[tuple(forces.unknowns.T)]
    turning = forces.unknowns[:, 1] >= 3
    for kind in (turning, ~turning):
        own[kind] = np.maximum(own[kind], 1e-6 * own[kind].max(initial=0.0))
    return np.concatenate([own, np.zeros(forces.m)])


def _rate(forces: StaticForces, residual: Array, mass: Array) -> float:
    """1/s^2: the largest acceleration of a node over the model's length, and the largest angular acceleration."""
    moving = np.flatnonzero(forces.unknowns[:, 1] < 3)
    fastest = float(np.abs(residual[moving] / mass[moving]).max(initial=0.0)) / forces.system.length
    spin = 0.0 if forces.spin is None else forces.spin_factor * forces.spin.rate**2
    return max(fastest, spin, float(np.finfo(float).tiny))


def _norm(forces: StaticForces, residual: Array) -> float:
    return float(np.linalg.norm(residual[: forces.n]))


def _size(forces: StaticForces, change: Array) -> float:
    unit = np.where(forces.unknowns[:, 1] >= 3, 1.0, 1.0 / forces.system.length)
    return float(np.abs(unit * change[: forces.n]).max(initial=0.0))
