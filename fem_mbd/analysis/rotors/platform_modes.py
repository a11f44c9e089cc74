"""Modes of a floating platform, distinguished from those of the machine on it by kinetic energy.

The rigid-body part of a mode's kinetic energy is that of the rigid motion with the mode's own momentum,
q = M_r^-1 Phi^T M x, including the added mass of the water; elastic modes have nearly no momentum. Where it is most of
the energy, the mode is one of the platform: surge or sway of the point at which translation and rotation are
uncoupled, heave, roll, pitch and yaw.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fem_mbd.analysis.modal.linear_model import LinearModel
from fem_mbd.base.arrays import Array, Complex
from fem_mbd.core.model.node import Node
from fem_mbd.core.rotations import skew


@dataclass(frozen=True, eq=False)
class Platform:
    """Data of a floating platform that determine the names of modes.

    Attributes
    ----------
    node : node of the platform
    reference : (3,) m, global axes
    added_mass : (6, 6) added mass of the water, about the reference
    """

    node: Node
    reference: Array
    added_mass: Array


def rigid_motions(linear: LinearModel, platform: Platform, motion: Complex) -> dict[str, float]:
    """Energies of the rigid motions of a floating machine, by name; empty where most of the energy is elastic.

    Parameters
    ----------
    linear : of the machine
    platform : on which it floats
    motion : (nodes, 6) of the nodes' positions and their rotations, global axes
    """
    work, r = linear.system.work, linear.state.r
    arms = linear.state.u - platform.reference
    turns = motion[:, 3:]
    centres = motion[:, :3] + np.cross(turns, np.einsum("nij,nj->ni", r, work.centre))
    inertia = np.einsum("nij,njk,nlk->nil", r, work.inertia, r)
    water = motion[platform.node.index].copy()
    water[:3] += np.cross(water[3:], platform.reference - platform.node.position)
    # momentum and angular momentum about the reference
    linear_part, spins = work.mass[:, None] * centres, np.einsum("nij,nj->ni", inertia, turns)
    momentum = np.concatenate([linear_part.sum(axis=0), (np.cross(arms, linear_part) + spins).sum(axis=0)])
    momentum += platform.added_mass @ water
    total = float((centres.conj() * linear_part).sum().real + (turns.conj() * spins).sum().real)
    total += float((water.conj() @ platform.added_mass @ water).real)
    rigid = platform.added_mass + _rigid_mass(work.mass, arms, inertia)
    q = np.linalg.solve(rigid, momentum)
    if not float((q.conj() @ momentum).real) > 0.5 * total:
        return {}
    energies = {}
    # surge with pitch, sway with roll: at the height where they are uncoupled
    for name, turning, move, turn in (("surge", "pitch", 0, 4), ("sway", "roll", 1, 3)):
        at = rigid[move, turn] / rigid[move, move]
        energies[f"platform {name}"] = rigid[move, move] * abs(q[move] + at * q[turn]) ** 2
        energies[f"platform {turning}"] = (rigid[turn, turn] - at * rigid[move, turn]) * abs(q[turn]) ** 2
    for name, k in (("heave", 2), ("yaw", 5)):
        energies[f"platform {name}"] = rigid[k, k] * abs(q[k]) ** 2
    return {name: float(value) for name, value in energies.items()}


def _rigid_mass(mass: Array, arms: Array, inertia: Array) -> Array:
    """(6, 6) inertia of all nodes moving as one body about the point from which ``arms`` (n, 3) start."""
    total = np.zeros((6, 6))
    for m, arm, own in zip(mass, arms, inertia, strict=True):
        motion = np.hstack([np.eye(3), -skew(arm)])
        total += m * motion.T @ motion
        total[3:, 3:] += own
    return total
