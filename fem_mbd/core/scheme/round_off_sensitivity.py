"""What the last digits of a step's places and turns make of its energy balance.

The residual of the balance is R = f(y) . y / dt^2, with the equations f and the step's motion y. Places are numbers
with some sixteen digits: the y that makes f zero lies between two of them, and Newton can come no nearer than one unit
of the last digit. With A the tangent, R changes there by

    dR/dy = (f + A^T y) / dt^2

Forces that have a potential give no more than themselves: their work is a difference of energies, and dR/dy is the
force at the end of the step. The work of friction is none: mu f_n s changes with the place by mu s times the stiffness
of the contact, or by f_n s times the slope of mu, a thousand times all forces where contacts are stiff and paths long.

Inertia is left out. It sees the motion, which has digits of its own, and not the places: its share of f + A^T y is the
derivative of the kinetic energy and of that of the velocity jump (`node_kernels.kinetic_and_jump`). Units of dR/dy: N
for lengths, N m for angles. Source: docs/explanation/theory.md, section 9.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.core.scheme.system import System

DIGIT = np.finfo(float).eps  # one unit of the last digit of a number near one


def unresolved_work(system: System, f: Array, y: Array) -> float:
    """J, the most by which the balance of a step changes when all places and turns move by their last digit.

    Parameters
    ----------
    system : whose workspace holds the step's end, and the tangent there
    f, y : (size,) equations and motion at the end
    """
    work, equation = system.work, system.equation
    free = equation >= 0
    from scipy.sparse import csr_matrix  # not at the top: few steps come here

    tangent = csr_matrix((work.data[:-1], system.indices, system.indptr), shape=(system.size, system.size))
    of_nodes = (f + tangent.T @ y)[equation[free]]
    slope = of_nodes - _inertia(work)[free]
    return float(DIGIT * np.abs(slope) @ _sizes(work)[free]) / work.dt**2


def _inertia(work: Workspace) -> Array:
    """(n, 12) dt^2 times the derivative of kinetic energy and velocity jump by (a, b, c, e) of every node."""
    start, change = work.x[:, :6], work.x[:, 6:]
    sum_f, jump = start + change, start - change - work.x_i
    momentum, lost = (
        np.hstack([work.mass[:, None] * v[:, :3], np.einsum("nij,nj->ni", work.inertia, v[:, 3:])])
        for v in (sum_f, jump)
    )
    return np.hstack([momentum + lost, momentum - lost])


def _sizes(work: Workspace) -> Array:
    """(n, 12) m and rad, the numbers whose last digit counts: of places, of motions, and one of turns."""
    place = np.abs(work.q_f[:, 0]).max(axis=1)
    own = np.array([place, place, place, *np.ones((3, len(place)))]).T
    return np.maximum(np.hstack([own, own]), np.abs(work.x))
