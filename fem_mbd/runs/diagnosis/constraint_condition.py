"""How near a mechanism is to a singular position: the condition of its constraints' Jacobian.

The Jacobian by the nodes' velocities and, times the model's length, their angular velocities. Rows are scaled so that
their part by velocities is of size one, or the whole row where it has none: units and the choice of axes do not matter.
Where the smallest singular value goes to zero two constraints say the same, multipliers grow without bound and the
mechanism can branch off; its left singular vector shows which joints take part.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import svd

from fem_mbd.core.scheme.initial import constraint_jacobian
from fem_mbd.core.scheme.system import System
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.results.views.node import rotation_matrices

INSTANTS = 20  # recorded states looked at, evenly spaced over the run, and the last one
MOST = 3000  # constraints; more take too long
REDUNDANT = 1e-10  # singular values below: redundant constraints, not a position


@dataclass(frozen=True)
class Condition:
    """Largest over smallest singular value (without redundant ones).

    Attributes
    ----------
    at_end : at the last recorded state
    worst, worst_time : the largest of the states looked at, and its time (s)
    joints : names of the joints that take part most in the worst position
    """

    at_end: float
    worst: float
    worst_time: float
    joints: tuple[str, ...]


def condition(result: Result, system: System) -> Condition | None:
    """The condition at recorded states; None without ideal joints, too many, or without places on record."""
    needed = ("position", "quaternion")
    joints = system.joints
    if joints is None or not 0 < system.constraints <= MOST or any(n not in result.outputs for n in needed):
        return None
    count = len(result.output_time)
    if not count:
        return None
    found = []
    for row in np.unique(np.linspace(0, count - 1, INSTANTS).astype(int)):
        found.append((float(result.output_time[row]), *_at(result, system, int(row))))
    time, worst, vector = max(found, key=lambda entry: entry[1])
    weight = {
        spec.name: float(np.abs(vector[first : first + n]).max(initial=0.0))
        for spec, first, n in zip(joints.specs, joints.first_row, joints.multipliers, strict=True)
    }
    names = sorted(weight, key=lambda name: -weight[name])
    taking_part = tuple(name for name in names if weight[name] > 0.3 * weight[names[0]])
    return Condition(found[-1][1], worst, time, taking_part)


def _at(result: Result, system: System, row: int) -> tuple[float, np.ndarray]:
    """Condition and left singular vector (m,) of the smallest singular value at a recorded state."""
    state = system.reference_state()
    state.r[:] = rotation_matrices(result.outputs.read("quaternion", row, row + 1)[0])
    place = result.outputs.read("position", row, row + 1)[0]
    state.u[:] = place + np.einsum("nij,nj->ni", state.r, system.work.centre)
    state.time = float(result.output_time[row])
    free = ~system.held.ravel()
    moves = np.tile(np.repeat([True, False], 3), system.work.n)[free]
    jacobian = constraint_jacobian(system, state)[:, free].toarray() * np.where(
        moves, 1.0, 1.0 / system.length
    )
    size = np.linalg.norm(jacobian[:, moves], axis=1, keepdims=True)
    size = np.where(size > 0, size, np.linalg.norm(jacobian, axis=1, keepdims=True))
    left, values, _ = svd(jacobian / np.where(size > 0, size, 1.0), full_matrices=False)
    kept = np.flatnonzero(values > REDUNDANT * values[0])
    return float(values[0] / values[kept[-1]]), left[:, kept[-1]]
