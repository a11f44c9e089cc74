"""Messages that name the equation, joint or node at which a step fails."""

from __future__ import annotations

import numpy as np

from fem_mbd.core.scheme.system import System

TOLERANCE = 1e-8  # fraction of the model's length, or rad: largest violation of redundant constraints


def constraint_tolerance(system: System) -> float:
    """Largest violation of a constraint after a step, m (or rad), for which the constraint counts as fulfilled."""
    return TOLERANCE * max(system.length, 1.0)


def violated_joint(system: System) -> str:
    """Message naming a joint that the converged step violates, "" if there is none.

    With redundant constraints the multipliers of contradictory ones grow without moving anything, which Newton's
    test of updates takes for convergence.
    """
    violation = np.abs(system.work.constraints[:, 0])
    if violation.max() <= constraint_tolerance(system):
        return ""
    name = _constraint_name(system, int(np.argmax(violation)))
    return f"{name} stays open by {violation.max():.3g}: the redundant constraints contradict each other"


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


def _constraint_name(system: System, index: int) -> str:
    for kind in system.kinds:
        part = np.flatnonzero((kind.first_row <= index) & (index < kind.first_row + kind.multipliers))
        if len(part):
            return f"joint '{kind.describe()[int(part[0])]['name']}'"
    return f"constraint {index}"
