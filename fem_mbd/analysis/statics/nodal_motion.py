"""Displacements of nodes from vectors of unknowns, and a description in words of a motion without resistance."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix, diags

from fem_mbd.analysis.statics.linear_solve import Factorised, Singular
from fem_mbd.analysis.statics.static_forces import StaticForces
from fem_mbd.base.arrays import Array
from fem_mbd.core.scheme.state import State

# fraction of the largest entry: added to a singular stiffness, so that its free motion responds to any force
SHIFT = 1e-11
FREE = 1e-9  # fraction of the sum of magnitudes: a motion with less stiffness is free


def nodal_motion(forces: StaticForces, state: State, vector: Array) -> Array:
    """(nodes, 6) displacements and rotations of the nodes, global axes, for a vector of unknowns (n + m,)."""
    full = np.zeros((forces.work.n, 6))
    full[tuple(forces.unknowns.T)] = vector[: forces.n]
    turn = np.einsum("nij,nj->ni", state.r, full[:, 3:])
    arm = np.einsum("nij,nj->ni", state.r, forces.work.centre)
    return np.concatenate([full[:, :3] - np.cross(turn, arm), turn], axis=1)


def free_motion(forces: StaticForces, state: State, stiffness: csr_matrix) -> str:
    """Description of the motion without stiffness, e.g. "node 'arm' can turn about (0, 0, 1)"; "" for none.

    stiffness : (n + m, n + m) with the constraints
    """
    n, rest = forces.n, stiffness.shape[0] - forces.n
    shift = SHIFT * float(abs(stiffness).max() or 1.0)
    shifted = stiffness + diags(np.concatenate([np.full(n, shift), np.full(rest, -shift)]))
    vector = np.random.default_rng(20).standard_normal(n + rest)
    try:
        factors = Factorised(csr_matrix(shifted))
    except Singular:
        return ""
    for _ in range(3):
        vector = factors.solve(vector)
        vector[n:] = 0.0
        vector /= np.linalg.norm(vector)
    size = np.abs(vector)
    if not abs(vector @ (stiffness @ vector)) <= FREE * (size @ (abs(stiffness) @ size)):
        return ""
    motion = nodal_motion(forces, state, vector)
    move = np.linalg.norm(motion[:, :3], axis=1) / forces.system.length
    turn = np.linalg.norm(motion[:, 3:], axis=1)
    turns = turn.max() >= 0.5 * move.max()  # rotating parts carry nodes along, so rotations take precedence
    node = int(np.argmax(turn if turns else move))
    way = motion[node, 3:] if turns else motion[node, :3]
    way = way / np.linalg.norm(way) * np.sign(way[np.argmax(np.abs(way))])
    along = ", ".join(f"{c:.3g}" for c in way.round(6) + 0.0)
    name = forces.system.model.nodes[node].name
    return f"node '{name}' can {'turn about' if turns else 'move along'} ({along})"
