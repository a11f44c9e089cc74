"""Messages that name the equation, joint or node at which a step fails."""

from __future__ import annotations

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.scheme.initial import constraint_jacobian
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.system import System

TOLERANCE = 1e-8  # fraction of the model's length, or rad: largest violation of redundant constraints
MAX_CONSTRAINTS = 3000  # of a model whose drives are examined; more would take too long
SINGULAR = (
    0.02  # fraction of the largest singular value: below it the constraints are near a singular position
)
REDUNDANT = 1e-10  # likewise: smaller ones belong to redundant constraints
SHARE = 0.05  # of a drive in the combination of constraints that becomes singular


def constraint_tolerance(system: System) -> Array:
    """(m,) largest violations after a step, m or rad, for which constraints count as fulfilled."""
    return system.allowed_errors(TOLERANCE)


def violated_joint(system: System) -> str:
    """Message naming a joint that the converged step violates, "" if there is none.

    With redundant constraints the multipliers of contradictory ones grow without moving anything, which Newton's
    test of updates takes for convergence.
    """
    violation = np.abs(system.work.constraints[:, 0])
    relative = violation / constraint_tolerance(system)
    worst = int(np.argmax(relative))
    if relative[worst] <= 1.0:
        return ""
    return (
        f"{_constraint_name(system, worst)} stays open by {violation[worst]:.3g}: the redundant constraints contradict "
        "each other"
    )


def worst_residual(system: System) -> str:
    """Message naming the equation with the largest residual at the last iterate."""
    rows = np.abs(np.where(system.equation >= 0, system.work.rows, 0.0))
    constraints = np.abs(system.work.constraints)
    if constraints.size and constraints.max() > rows.max(initial=0.0):
        index = int(np.argmax(constraints.max(axis=1)))
        return f"The largest residual is that of {_constraint_name(system, index)}."
    node, unknown = np.unravel_index(int(np.argmax(rows)), rows.shape)
    balance = ("force", "moment")[(unknown // 3) % 2]
    return f"The largest residual is the {balance} balance of node '{system.model.nodes[int(node)].name}'."


def blocked_drive(system: System, state: State) -> str:
    """Message naming the driven joint whose motion the other joints block near a state, "" if there is none.

    At the end of a mechanism's reach a combination of constraints that includes the drive no longer moves anything:
    the Jacobian of all constraints has a small singular value, and the drive takes part in its left singular vector.
    """
    joints = system.joints
    if joints is None or not joints.functions.functions or system.constraints > MAX_CONSTRAINTS:
        return ""
    free = ~system.held.ravel()
    lengths = np.where(
        np.arange(free.size) % 6 < 3, 1.0, 1.0 / system.length
    )  # rotations count as motions at a length
    jacobian = (constraint_jacobian(system, state).toarray() * lengths)[:, free]
    norms = np.linalg.norm(jacobian, axis=1, keepdims=True)
    left, sizes, _ = np.linalg.svd(jacobian / np.where(norms > 0.0, norms, 1.0), full_matrices=False)
    last = int(np.flatnonzero(sizes > REDUNDANT * sizes[0])[-1])
    if sizes[last] > SINGULAR * sizes[0]:
        return ""
    share, name = _largest_share(system, left[:, last], state.time)
    if share < SHARE:
        return ""
    return (
        f"{name} there, near the end of the mechanism's reach: the other joints block a drive that goes on. Let it "
        "prescribe a shorter motion, or change the lengths"
    )


def _largest_share(system: System, vector: Array, time: float) -> tuple[float, str]:
    """The largest entry of a vector over the constraints in the row of a drive, and this drive with its value."""
    joints, best = system.joints, (0.0, "")
    for spec, first in zip(joints.specs, joints.first_row, strict=True) if joints is not None else ():
        for drive in spec.drives:
            value, unit = float(drive.function.value(time, -1)), "m" if drive.angle is None else "rad"
            text = f"{spec.joint} joint '{spec.name}' is at {value:.6g} {unit}"
            best = max(best, (float(abs(vector[first + drive.row])), text))
    return best


def _constraint_name(system: System, index: int) -> str:
    for kind in system.kinds:
        part = np.flatnonzero((kind.first_row <= index) & (index < kind.first_row + kind.multipliers))
        if len(part):
            return f"joint '{kind.describe()[int(part[0])]['name']}'"
    return f"constraint {index}"
