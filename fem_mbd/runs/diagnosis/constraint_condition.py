"""Condition number of the constraint Jacobian over a run: how close the mechanism comes to a singular position.

The columns of the Jacobian belong to the nodes' velocities and to their angular velocities times the model's length.
Rows are scaled so that their velocity part has norm one, or the whole row where that part is zero: units and the choice
of axes do not matter. Where the smallest singular value goes to zero, two constraints become dependent, the multipliers
grow without bound and the mechanism can branch off. The left singular vector of this value shows which joints take
part.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import svd

from fem_mbd.core.scheme.initial import constraint_jacobian
from fem_mbd.core.scheme.system import System
from fem_mbd.runs.results.result import Result
from fem_mbd.runs.results.views.node import rotation_matrices

SAMPLES = 20  # number of recorded states examined: evenly spaced over the run, including the last one
MAX_CONSTRAINTS = 3000  # largest number of constraints; more would take too long
# smaller singular values belong to redundant constraints, not to a singular position
REDUNDANCY_TOLERANCE = 1e-10


@dataclass(frozen=True)
class Condition:
    """Ratio of the largest to the smallest singular value (redundant constraints left out).

    Attributes
    ----------
    at_end : at the last recorded state
    worst, worst_time : largest value of the states examined, and its time (s)
    joints : names of the joints that contribute most at the worst position
    """

    at_end: float
    worst: float
    worst_time: float
    joints: tuple[str, ...]


def condition(result: Result, system: System) -> Condition | None:
    """Condition at recorded states; None without ideal joints, with too many, or where positions were not recorded."""
    joints = system.joints
    if (
        joints is None
        or not 0 < system.constraints <= MAX_CONSTRAINTS
        or any(n not in result.outputs for n in ("position", "quaternion"))
    ):
        return None
    count = len(result.output_time)
    if not count:
        return None
    samples = []
    for row in np.unique(np.linspace(0, count - 1, SAMPLES).astype(int)):
        samples.append((float(result.output_time[row]), *_at(result, system, int(row))))
    time, worst, vector = max(samples, key=lambda entry: entry[1])
    share = {
        spec.name: float(np.abs(vector[first : first + n]).max(initial=0.0))
        for spec, first, n in zip(joints.specs, joints.first_row, joints.multipliers, strict=True)
    }
    names = sorted(share, key=lambda name: -share[name])
    contributing = tuple(name for name in names if share[name] > 0.3 * share[names[0]])
    return Condition(samples[-1][1], worst, time, contributing)


def _at(result: Result, system: System, row: int) -> tuple[float, np.ndarray]:
    """Condition and left singular vector (m,) of the smallest singular value at a recorded state."""
    state = system.reference_state()
    state.r[:] = rotation_matrices(result.outputs.read("quaternion", row, row + 1)[0])
    position = result.outputs.read("position", row, row + 1)[0]
    state.u[:] = position + np.einsum("nij,nj->ni", state.r, system.work.centre)
    state.time = float(result.output_time[row])
    free = ~system.held.ravel()
    is_velocity = np.tile(np.repeat([True, False], 3), system.work.n)[free]
    jacobian = constraint_jacobian(system, state)[:, free].toarray() * np.where(
        is_velocity, 1.0, 1.0 / system.length
    )
    row_norm = np.linalg.norm(jacobian[:, is_velocity], axis=1, keepdims=True)
    row_norm = np.where(row_norm > 0, row_norm, np.linalg.norm(jacobian, axis=1, keepdims=True))
    left, values, _ = svd(jacobian / np.where(row_norm > 0, row_norm, 1.0), full_matrices=False)
    independent = np.flatnonzero(values > REDUNDANCY_TOLERANCE * values[0])
    return float(values[0] / values[independent[-1]]), left[:, independent[-1]]
