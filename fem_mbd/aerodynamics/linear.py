"""Inflow and dynamic stall as states of linear models, about a steady state in the axes of its rotation."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from fem_mbd.aerodynamics import linear_kernels as kernels, momentum, stall
from fem_mbd.base.arrays import Array, Flags, Indices
from fem_mbd.core.model.internal_states import InternalStates
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.core.rotations import skew

NAMES = (
    "intermediate axial induction", "axial induction", "intermediate tangential induction", "tangential induction",
    "first lag of the angle of attack", "second lag of the angle of attack", "lagged effective angle of attack",
    "separation",
)  # fmt: skip


def internal_states(kind: Any, work: Workspace, free: Indices) -> InternalStates:
    """The states of all stations; those that the models of induction and stall do not have are left out.

    Parameters
    ----------
    kind : a `RotorLoadsKind`, evaluated in the steady state, whose states are its history
    work : of its system
    free : (nodes, 6) number of each unknown of the nodes, -1 where it is held
    """
    count = len(kind.stations)
    forces, rates = (np.zeros((count, rows, kernels.COLUMNS)) for rows in (kernels.SECTION, len(NAMES)))
    kernels.linearise(kind.blades, float(work.t_i), work.q_i, kind.history, forces, rates)
    active = _active(kind)
    number = np.full(active.shape, -1)
    number[active] = np.arange(active.sum())
    size, n = int(active.sum()), int(free.max()) + 1
    own = _blocks((rates[:, :, kernels.BY_STATE : kernels.BY_WIND]), number, number, (size, size))
    shape = (size, n)
    position, velocity = csr_matrix(shape), csr_matrix(shape)
    force, wind_force = csr_matrix((n, size)), np.zeros(n)
    elements = kind.elements[kind.stations["element"]]
    for a in range(elements["nodes"].shape[1]):
        nodes, share = elements["nodes"][:, a], kind.stations["shape"][:, a]
        section = share[:, None, None] * _section_by_node(elements, a, work.r_i)
        columns = np.where(nodes[:, None] >= 0, free[nodes], -1)
        position = position + _blocks(rates[:, :, : kernels.SECTION] @ section, number, columns, shape)
        of_rates = rates[:, :, kernels.SECTION : kernels.BY_STATE] @ section
        velocity = velocity + _blocks(of_rates, number, columns, shape)
        on_node = -np.swapaxes(section, 1, 2) @ forces
        by_state = on_node[:, :, kernels.BY_STATE : kernels.BY_WIND]
        force = force + _blocks(by_state, columns, number, shape[::-1])
        held = columns >= 0
        np.add.at(wind_force, columns[held], on_node[:, :, kernels.BY_WIND][held])
    station, state = np.nonzero(active)
    tips = kind.rotors["tip"][elements["blade"]][station]
    names = tuple(f"{NAMES[i]}, station {k}" for k, i in zip(station, state, strict=True))
    by_wind = rates[:, :, kernels.BY_WIND][active]
    return InternalStates(own, position, velocity, force, by_wind, wind_force, tips, names)


def _active(kind: Any) -> Flags:
    """(stations, 8) whether a state has a rate."""
    rotors: Any = kind.rotors[kind.elements["blade"][kind.stations["element"]]]
    active = np.zeros((len(rotors), len(NAMES)), dtype=bool)
    inflow = (rotors["induction"] == momentum.MOMENTUM) & (rotors["dynamic"] != 0)
    lifting = kind.stations["line"][:, 1] != 0.0
    active[:, : momentum.STATES] = inflow[:, None]
    active[:, 2 : momentum.STATES] &= (rotors["swirl"] != 0.0)[:, None]
    active[:, momentum.STATES :] = (lifting & (rotors["stall"] == stall.HGM))[:, None]
    active[:, -1] |= lifting & (rotors["stall"] == stall.OYE)
    return active


def _section_by_node(elements: Any, a: int, rotation: Array) -> Array:
    """(stations, 12, 6) section vectors by displacement (global) and rotation (node axes) of node a of the element."""
    r = rotation[elements["nodes"][:, a]]
    found = np.zeros((len(elements), kernels.SECTION, 6))
    found[:, :3, :3] = np.eye(3)
    found[:, :3, 3:] = -r @ skew(elements["arm"][:, a])
    for m in range(3):
        # the section's axis m is turn[m] in node axes
        found[:, 3 + 3 * m : 6 + 3 * m, 3:] = -r @ skew(elements["turn"][:, m])
    return found


def _blocks(blocks: Array, rows: Indices, columns: Indices, shape: tuple[int, int]) -> csr_matrix:
    """Sparse matrix of blocks (k, p, q) at rows (k, p) and columns (k, q); numbers below 0 are left out."""
    at = np.broadcast_to(rows[:, :, None], blocks.shape), np.broadcast_to(columns[:, None, :], blocks.shape)
    keep = (at[0] >= 0) & (at[1] >= 0)
    return csr_matrix((blocks[keep], (at[0][keep], at[1][keep])), shape=shape)
