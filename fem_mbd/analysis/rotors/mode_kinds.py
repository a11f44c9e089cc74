"""Kinds of modes (flap backward, tower fore-aft, …) from the shares of motions, also where two shares are nearly equal.

Where modes of two kinds are close in frequency, both may have the largest share in the same kind, as the collective
and forward flap modes of the IEA 15 MW turbine near 0.52 Hz at 0.24 rad/s. By the largest share alone one kind
would be counted twice and the other not at all, and all higher modes of both would have a wrong number. Motions form
groups: a tower bends fore-aft and side-side, blades collectively, backward and forward, and each order of bending has
one mode of each. So a mode whose largest share is of a kind with more modes than others of its group gets another kind
with fewer modes whose share is not much smaller. Two modes then exchange kinds where this gives both larger shares.

Modes of a floating platform are distinguished from those of the machine on it by kinetic energy. The rigid-body part of
a mode's kinetic energy is that of the rigid motion with the mode's own momentum, q = M_r^-1 Phi^T M x, including the
added mass of the water; elastic modes have nearly no momentum. Where it is most of the energy, the mode is one of the
platform: surge or sway of the point at which translation and rotation are uncoupled, heave, roll, pitch and yaw.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fem_mbd.analysis.modal.linear_model import LinearModel
from fem_mbd.base.arrays import Array, Complex
from fem_mbd.core.model.node import Node
from fem_mbd.core.rotations import skew

STANDING = {"flap": ("tilt", "yaw"), "edge": ("horizontal", "vertical"), "torsion": ("cosine", "sine")}
WHIRLS = ("backward", "forward")
NAMING_RATIO = 0.5  # fraction of the largest share, from which another share can name the mode


def kinds_of(shares: Sequence[dict[str, float]], oscillating: Sequence[bool]) -> list[str]:
    """The kind of each mode.

    Parameters
    ----------
    shares : of kinds in each mode, by ascending frequency
    oscillating : whether each oscillates; others are not counted
    """
    counts: Counter[str] = Counter()
    kinds = []
    for share, counted in zip(shares, oscillating, strict=True):
        ranked = sorted(share, key=lambda kind: -share[kind])
        kind = ranked[0]
        if counted and counts[kind] and not _has_fewer(kind, counts):
            candidates = [
                k for k in ranked[1:] if share[k] >= NAMING_RATIO * share[kind] and _has_fewer(k, counts)
            ]
            kind = candidates[0] if candidates else kind
        counts[kind] += counted
        kinds.append(kind)
    return _exchanged(kinds, shares)


def _has_fewer(kind: str, counts: Counter[str]) -> bool:
    """Whether there are fewer modes of a kind than of another of its group."""
    return counts[kind] < max(counts[other] for other in _group(kind))


def _group(kind: str) -> list[str]:
    part, _, motion = kind.rpartition(" ")
    if part == "tower":
        return ["tower fore-aft", "tower side-side"]
    if part not in STANDING:
        return [kind]
    pairs = [WHIRLS, STANDING[part]]
    chosen = [pair for pair in pairs if motion == "collective" or motion in pair]
    return [kind, f"{part} collective", *(f"{part} {name}" for pair in chosen for name in pair)]


def _exchanged(kinds: list[str], shares: Sequence[dict[str, float]]) -> list[str]:
    """Kinds, exchanged between two successive modes of one group where that gives both larger shares."""
    exchanged = list(kinds)
    for part in STANDING:
        indices = [k for k, kind in enumerate(kinds) if kind.startswith(f"{part} ")]
        for a, b in zip(indices[:-1], indices[1:], strict=True):
            first, second = exchanged[a], exchanged[b]
            as_is = shares[a][first] + shares[b][second]
            if shares[a].get(second, 0.0) + shares[b].get(first, 0.0) > as_is:
                exchanged[a], exchanged[b] = second, first
    return exchanged


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
    momenta, angular_momenta = work.mass[:, None] * centres, np.einsum("nij,nj->ni", inertia, turns)
    momentum = np.concatenate([momenta.sum(axis=0), (np.cross(arms, momenta) + angular_momenta).sum(axis=0)])
    momentum += platform.added_mass @ water
    total = float((centres.conj() * momenta).sum().real + (turns.conj() * angular_momenta).sum().real)
    total += float((water.conj() @ platform.added_mass @ water).real)
    rigid = platform.added_mass + _rigid_mass(work.mass, arms, inertia)
    q = np.linalg.solve(rigid, momentum)
    if not float((q.conj() @ momentum).real) > 0.5 * total:
        return {}
    energies = {}
    # surge with pitch, sway with roll: at the height where they are uncoupled
    for name, turning, move, turn in (("surge", "pitch", 0, 4), ("sway", "roll", 1, 3)):
        height = rigid[move, turn] / rigid[move, move]
        energies[f"platform {name}"] = rigid[move, move] * abs(q[move] + height * q[turn]) ** 2
        energies[f"platform {turning}"] = (rigid[turn, turn] - height * rigid[move, turn]) * abs(q[turn]) ** 2
    for name, k in (("heave", 2), ("yaw", 5)):
        energies[f"platform {name}"] = rigid[k, k] * abs(q[k]) ** 2
    return {name: float(value) for name, value in energies.items()}


def _rigid_mass(mass: Array, arms: Array, inertia: Array) -> Array:
    """(6, 6) inertia of all nodes moving as one body about the point from which ``arms`` (n, 3) start."""
    total = np.zeros((6, 6))
    for m, arm, tensor in zip(mass, arms, inertia, strict=True):
        motion = np.hstack([np.eye(3), -skew(arm)])
        total += m * motion.T @ motion
        total[3:, 3:] += tensor
    return total
