"""Sensitivity of a step's energy balance to round-off of positions and rotations.

The residual of the balance is R = f(y) . y / dt^2, with the equations f and the step's motion y. Positions are numbers
with about sixteen digits: the y with f = 0 lies between two of them, and Newton can come no nearer than one unit in the
last place. With A the tangent, R changes there by

    dR/dy = (f + A^T y) / dt^2

For forces with a potential this is no larger than the forces: their work is a difference of energies, and dR/dy is the
force at the end of the step. The work of friction has no potential: mu f_n s changes with the position by mu s times
the stiffness of the contact, or by f_n s times the slope of mu, a thousand times all forces where contacts are stiff
and paths long.

Inertia is left out. It depends on the motion, which has its own round-off, not on the positions: its part of f + A^T y
is the derivative of the kinetic energy and of that of the velocity jump (`node_kernels.kinetic_and_jump`). Units of
dR/dy: N for lengths, N m for angles. Source: theory.md, section 9.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.core.scheme.system import System

UNIT = float(np.finfo(float).eps)  # one unit in the last place of a number near one


def unresolved_work(system: System, f: Array, y: Array, noise: float = UNIT) -> float:
    """Largest change of a step's balance when all positions and rotations change by round-off, J.

    Parameters
    ----------
    system : its workspace contains the end of the step and the tangent there
    f, y : (size,) equations and motion at the end
    noise : relative size of the changes: one unit in the last place, or more where Newton's updates did not get smaller
    """
    work, equation = system.work, system.equation
    free = equation >= 0
    from scipy.sparse import csr_matrix  # not at the top: few steps need this

    tangent = csr_matrix((work.data[:-1], system.indices, system.indptr), shape=(system.size, system.size))
    of_nodes = (f + tangent.T @ y)[equation[free]]
    slope = of_nodes - _inertia(work)[free]
    return float(noise * np.abs(slope) @ _sizes(work)[free]) / work.dt**2


def _inertia(work: Workspace) -> Array:
    """(n, 12) dt^2 times the derivative of kinetic energy and velocity jump w.r.t. (a, b, c, e) of every node."""
    start, change = work.x[:, :6], work.x[:, 6:]
    sum_f, jump = start + change, start - change - work.x_i
    momentum, dissipated = (
        np.hstack([work.mass[:, None] * v[:, :3], np.einsum("nij,nj->ni", work.inertia, v[:, 3:])])
        for v in (sum_f, jump)
    )
    return np.hstack([momentum + dissipated, momentum - dissipated])


def _sizes(work: Workspace) -> Array:
    """(n, 12) m and rad, the numbers that have the round-off: positions or motions, and one for rotations."""
    position = np.abs(work.q_f[:, 0]).max(axis=1)
    sizes = np.array([position, position, position, *np.ones((3, len(position)))]).T
    return np.maximum(np.hstack([sizes, sizes]), np.abs(work.x))
