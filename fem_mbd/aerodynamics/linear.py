"""Inflow and dynamic stall as states of linear models, about a steady state in the axes of its rotation.

The kernel `linearise` gives the derivatives of stations about a steady state, with the states of inflow and stall as
unknowns. The rates of the states are their change in a step that is short beside all time constants; over it their mean
values are those at its start. The derivatives of forces and rates by the inputs of a station and by its states are
complex steps; where induced velocities follow from momentum theory at once, by the theorem of implicit functions.

`internal_states` makes them the internal states of a linear model.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from fem_mbd.aerodynamics import momentum, stall
from fem_mbd.aerodynamics.rotor_kernels import (
    Blades,
    fill_inputs,
    fill_section,
    section_forces,
    wind_at_station,
)
from fem_mbd.aerodynamics.station import RESULTS, STATES, H, Z, closure, newton_step, slopes_by_w
from fem_mbd.base.arrays import Array, Flags, Indices
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import array3, float64, matrix, void
from fem_mbd.core.model.internal_states import InternalStates
from fem_mbd.core.model.workspace import Workspace
from fem_mbd.core.rotations import skew

SHORT = 1e-8  # s
SECTION = 12  # vectors of a section: position and its axes
# columns: section vectors, their rates, states, wind along the axis of the rotor
BY_STATE, BY_WIND = 2 * SECTION, 2 * SECTION + STATES
COLUMNS = BY_WIND + 1


@kernel
def _along(station, rotor, table, angles, z, w, slopes, history, states, out):
    """Fill out (11,): derivatives of forces along x, y, moment and of the rates of states along the imaginary parts of
    z (11,) and history (8,), of size H.
    """
    w_n, w_t = w[0] + 0j, w[1] + 0j
    r_n, r_t, _, _, _ = closure(station, rotor, table, angles, z, w_n, w_t, SHORT, history, states)
    d_n, d_t = newton_step(slopes, r_n.imag, r_t.imag)
    perturbed = closure(
        station, rotor, table, angles, z, w_n + 1j * d_n, w_t + 1j * d_t, SHORT, history, states
    )
    out[0], out[1], out[2] = perturbed[2].imag / H, perturbed[3].imag / H, perturbed[4].imag / H
    for i in range(STATES):
        out[3 + i] = (states[i].imag - history[i].imag) / (SHORT * H)


@kernel
def _perturb(column, station, rotor, wind, time, at_rest, inputs, moved):
    """Give the quantity of a column the imaginary part H: inputs z of the station, or its states moved (8,).

    at_rest : s (4, 3) and z (11,), real
    inputs : s and its rate (4, 3), as at rest; z and axes of `fill_inputs`
    """
    (real, plain), (s, rate, z, axes) = at_rest, inputs
    for i in range(Z):
        z[i] = plain[i]
    if column < BY_STATE:
        v, i = (column % SECTION) // 3, column % 3
        if column < SECTION:
            s[v, i] += 1j * H
        else:
            rate[v, i] += 1j * H
        fill_inputs(station, rotor, wind_at_station(station, wind, time, s), s, rate, z, axes)
        s[v, i], rate[v, i] = real[v, i], 0.0
    elif column < BY_WIND:
        moved[column - BY_STATE] += 1j * H
    else:
        z[0], z[1], z[7] = (
            plain[0] + 1j * H * plain[2],
            plain[1] + 1j * H * plain[3],
            plain[7] + 1j * H,
        )


@kernel(void(Blades, float64, array3, matrix, array3, array3))
def linearise(blades, time, q, history, forces, rates):
    """Fill forces (stations, 12, 33) on the section's vectors and rates (stations, 8, 33), derivatives by COLUMNS.

    q (n, 4, 3) nodes, at rest in the axes of a steady rotation; forces at rest follow from the tangent of a step, so
    that its first 24 columns are left zero
    """
    elements, stations, rotors, tables, angles, wind = blades
    s, rate = np.zeros((4, 3), np.complex128), np.zeros((4, 3), np.complex128)
    z, axes, f = np.empty(Z, np.complex128), np.empty((5, 3), np.complex128), np.empty((4, 3), np.complex128)
    plain, past, w = np.empty(Z), np.empty(STATES), np.empty(2)
    states, moved, derivatives = (
        np.empty(STATES, np.complex128),
        np.empty(STATES, np.complex128),
        np.empty(3 + STATES),
    )
    slopes, real = np.empty((RESULTS, 2)), np.empty((4, 3))
    for e in range(elements.shape[0]):
        element = elements[e]
        rotor = rotors[element.blade]
        for k in range(element.first, element.first + element.count):
            station = stations[k]
            fill_section(element, station, q, real)
            for v in range(4):
                for i in range(3):
                    s[v, i], rate[v, i] = real[v, i], 0.0
            fill_inputs(station, rotor, wind_at_station(station, wind, time, s), s, rate, z, axes)
            for i in range(Z):
                plain[i] = z[i].real
            for i in range(STATES):
                past[i], moved[i] = history[k, i], history[k, i]
            w[0], w[1] = past[1], past[3]
            slopes_by_w(station, rotor, tables[k], angles, plain, w, SHORT, past, states, slopes)
            for column in range(COLUMNS):
                _perturb(column, station, rotor, wind, time, (real, plain), (s, rate, z, axes), moved)
                _along(station, rotor, tables[k], angles, z, w, slopes, moved, states, derivatives)
                for i in range(STATES):
                    rates[k, i, column] = derivatives[3 + i]
                    moved[i] = past[i]
                if column >= BY_STATE:
                    fill_inputs(station, rotor, wind_at_station(station, wind, time, s), s, rate, z, axes)
                    section_forces(
                        station, axes, derivatives[0] + 0j, derivatives[1] + 0j, derivatives[2] + 0j, f
                    )
                    for i in range(SECTION):
                        forces[k, i, column] = f[i // 3, i % 3].real


NAMES = (
    "intermediate axial induction", "axial induction", "intermediate tangential induction", "tangential induction",
    "first lag of the angle of attack", "second lag of the angle of attack", "lagged effective angle of attack",
    "separation",
)  # fmt: skip


def internal_states(kind: Any, workspace: Workspace, free: Indices) -> InternalStates:
    """The states of all stations; those that the models of induction and stall do not have are left out.

    Parameters
    ----------
    kind : a `RotorLoadsKind`, evaluated in the steady state, whose states are its history
    workspace : of its system
    free : (nodes, 6) number of each unknown of the nodes, -1 where it is held
    """
    count = len(kind.stations)
    forces, rates = (np.zeros((count, rows, COLUMNS)) for rows in (SECTION, len(NAMES)))
    linearise(kind.blades, float(workspace.t_i), workspace.q_i, kind.history, forces, rates)
    active = active_states(kind)
    number = np.full(active.shape, -1)
    number[active] = np.arange(active.sum())
    size, n = int(active.sum()), int(free.max()) + 1
    state_matrix = _blocks((rates[:, :, BY_STATE:BY_WIND]), number, number, (size, size))
    shape = (size, n)
    position, velocity = csr_matrix(shape), csr_matrix(shape)
    force, wind_force = csr_matrix((n, size)), np.zeros(n)
    elements = kind.elements[kind.stations["element"]]
    for a in range(elements["nodes"].shape[1]):
        nodes, share = elements["nodes"][:, a], kind.stations["shape"][:, a]
        section = share[:, None, None] * _section_by_node(elements, a, workspace.r_i)
        columns = np.where(nodes[:, None] >= 0, free[nodes], -1)
        position = position + _blocks(rates[:, :, :SECTION] @ section, number, columns, shape)
        of_rates = rates[:, :, SECTION:BY_STATE] @ section
        velocity = velocity + _blocks(of_rates, number, columns, shape)
        on_node = -np.swapaxes(section, 1, 2) @ forces
        by_state = on_node[:, :, BY_STATE:BY_WIND]
        force = force + _blocks(by_state, columns, number, shape[::-1])
        is_free = columns >= 0
        np.add.at(wind_force, columns[is_free], on_node[:, :, BY_WIND][is_free])
    station, state = np.nonzero(active)
    tips = kind.rotors["tip"][elements["blade"]][station]
    names = tuple(f"{NAMES[i]}, station {k}" for k, i in zip(station, state, strict=True))
    by_wind, both = rates[:, :, BY_WIND][active], np.stack([tips, tips], axis=1)
    return InternalStates(
        state_matrix, position, velocity, force, by_wind, wind_force, both, names, np.full(size, -1)
    )


def active_states(kind: Any) -> Flags:
    """(stations, 8) whether a state has a rate."""
    rotors: Any = kind.rotors[kind.elements["blade"][kind.stations["element"]]]
    active = np.zeros((len(rotors), len(NAMES)), dtype=bool)
    inflow = (rotors["induction"] == momentum.MOMENTUM) & (rotors["dynamic"] != 0)
    lifting = np.any(kind.tables[:, -1, stall.SLOPE :: stall.COLUMNS] != 0.0, axis=1)
    active[:, : momentum.STATES] = inflow[:, None]
    active[:, 2 : momentum.STATES] &= (rotors["swirl"] != 0.0)[:, None]
    active[:, momentum.STATES :] = (lifting & (rotors["stall"] == stall.HGM))[:, None]
    active[:, -1] |= lifting & (rotors["stall"] == stall.OYE)
    return active


def _section_by_node(elements: Any, a: int, rotation: Array) -> Array:
    """(stations, 12, 6) section vectors by displacement (global) and rotation (node axes) of node a of the element."""
    r = rotation[elements["nodes"][:, a]]
    section = np.zeros((len(elements), SECTION, 6))
    section[:, :3, :3] = np.eye(3)
    section[:, :3, 3:] = -r @ skew(elements["arm"][:, a])
    for m in range(3):
        # the section's axis m is turn[m] in node axes
        section[:, 3 + 3 * m : 6 + 3 * m, 3:] = -r @ skew(elements["turn"][:, m])
    return section


def _blocks(blocks: Array, rows: Indices, columns: Indices, shape: tuple[int, int]) -> csr_matrix:
    """Sparse matrix of blocks (k, p, q) at rows (k, p) and columns (k, q); numbers below 0 are left out."""
    at = np.broadcast_to(rows[:, :, None], blocks.shape), np.broadcast_to(columns[:, None, :], blocks.shape)
    keep = (at[0] >= 0) & (at[1] >= 0)
    return csr_matrix((blocks[keep], (at[0][keep], at[1][keep])), shape=shape)
