"""Disks of rotors: their axes, the places of their stations in them, and their rows in the history (compiled).

A disk has rows in the history of the loads: sums over time, then the amplitudes, eight to a row, in axes of the disk
that do not turn: e1 along a given direction projected onto the disk, e3 the axis of rotation, e2 = e3 x e1. The rates
of the sums are the force (N) and the moment about the rotor's centre (N m) of the aerodynamic loads along e1, e2, e3,
and a_0, a_1, b_1 of the flap angles beta = a_0 - a_1 cos psi - b_1 sin psi (rad), psi from e1, of the lines to the tips
from the rotor's centre, or from a hinge at an offset from it.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from fem_mbd.aerodynamics.inflow import MODE
from fem_mbd.aerodynamics.rotor_kernels import HISTORY, Blades, fill_inputs, fill_section, wind_at_station
from fem_mbd.aerodynamics.station import Z
from fem_mbd.aerodynamics.wind_kernels import wind_at
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import array3, float64, matrix, record, vector, void
from fem_mbd.core.model.workspace import Motion

STARTED = HISTORY - 1  # column of the first row of amplitudes
PER_ROW = HISTORY - 1
FORCE, MOMENT, FLAP = 0, 3, 6  # columns of the sums
STILL = 1e-6  # m/s, added to the flow where there is none

DISK = np.dtype(
    [
        ("relation", "i8"),
        ("first", "i8"),  # its modes
        ("count", "i8"),
        ("blade", "i8"),  # first of its blades
        ("blades", "i8"),
        ("row", "i8"),  # of its sums
        ("aft", "f8", (3,)),  # direction of e1, global axes
        ("tip_arm", "f8"),  # m, from the axis of rotation to where flap angles are measured from
        # of the step
        ("axes", "f8", (3, 3)),  # e1, e2, e3
        ("turn", "f8", (2,)),  # cosine and sine of the angle from e1 to the flow in the disk
        ("through", "f8"),  # m/s, along e3
        ("side", "f8"),
        ("tip_speed", "f8"),
    ],
    align=True,
)


class Disks(NamedTuple):
    """All disks of a model."""

    disks: Annotated[Any, record(DISK)[::1]]
    modes: Annotated[Any, record(MODE)[::1]]
    gains: Annotated[Any, array3]  # (modes, largest count, 4)
    slopes: Annotated[Any, matrix]  # (modes, largest count) derivatives of the loads by the amplitudes
    guess: Annotated[Any, vector]  # (modes,) amplitudes of the predicted motion, wind axes


@kernel
def stations_of(blades, disk):
    """First station of a disk, and the one behind its last."""
    rotors = blades.rotors
    last = rotors[disk.blade + disk.blades - 1]
    return rotors[disk.blade].first, last.first + last.count


@kernel
def place(blades, disk, modes, time, q, rate, shapes):
    """Inputs z of the stations at vectors q and rates (n, 4, 3) of the nodes, and the modes there, shapes (k, m)."""
    elements, stations, rotors, _, _, wind = blades
    first, stop = stations_of(blades, disk)
    s, of_time, z, axes = np.empty((4, 3)), np.empty((4, 3)), np.empty(Z), np.empty((5, 3))
    for k in range(first, stop):
        station = stations[k]
        element = elements[station.element]
        rotor = rotors[element.blade]
        fill_section(element, station, q, s)
        fill_section(element, station, rate, of_time)
        fill_inputs(station, rotor, wind_at_station(station, wind, time, s), s, of_time, z, axes)
        for i in range(Z):
            station["z"][i] = z[i]
        x, y = 0.0 * z[0], 0.0 * z[0]
        for i in range(3):
            at = s[0, i] + station["centre"][0] * s[2, i] + station["centre"][1] * s[3, i] - rotor["x"][i]
            x, y = x + at * disk["axes"][0, i], y + at * disk["axes"][1, i]
        cosine, sine = disk["turn"][0], disk["turn"][1]
        x, y = (x * cosine + y * sine) / z[8], (y * cosine - x * sine) / z[8]
        _fill_shapes(disk, modes, z[8] / rotor.radius, x, y, shapes[k - first])


@kernel
def _fill_shapes(disk, modes, r, cosine, sine, out):
    for j in range(disk.count):
        mode = modes[disk.first + j]
        total, c, s = 0.0 * r, 1.0 + 0.0 * r, 0.0 * r
        for p in range(mode["powers"].shape[0] - 1, -1, -1):
            total = total * r + mode["powers"][p]
        for _ in range(mode.harmonic):
            c, s = c * cosine - s * sine, s * cosine + c * sine
        out[j] = total * (s if mode.sine == 1 else c)


@kernel
def velocity(disk, amplitudes, shape):
    total = 0.0 * shape[0]
    for j in range(disk.count):
        total += amplitudes[j] * shape[j]
    return total


@kernel
def read(disk, modes, history, out):
    """Fill out (m,) with the amplitudes, in axes whose e1 points along the flow in the disk."""
    _turned(disk, modes, history, disk["turn"][0], disk["turn"][1], out)


@kernel
def _turned(disk, modes, history, cosine, sine, out):
    for j in range(disk.count):
        out[j] = history[disk.row + 1 + j // PER_ROW, j % PER_ROW]
    for j in range(disk.count):
        if modes[disk.first + j].sine == 1:
            c, s = 1.0 + 0.0 * cosine, 0.0 * cosine
            for _ in range(modes[disk.first + j].harmonic):
                c, s = c * cosine - s * sine, s * cosine + c * sine
            out[j - 1], out[j] = out[j - 1] * c + out[j] * s, out[j] * c - out[j - 1] * s


@kernel
def write(disk, modes, amplitudes, states):
    """Put amplitudes of these axes into the history's rows."""
    m = disk.count
    for j in range(m):
        states[disk.row + 1 + j // PER_ROW, j % PER_ROW] = amplitudes[j]
    back = np.empty(m)
    _turned(disk, modes, states, disk["turn"][0], -disk["turn"][1], back)
    for j in range(m):
        states[disk.row + 1 + j // PER_ROW, j % PER_ROW] = back[j]
    if m > 0:
        states[disk.row + 1, STARTED] = 1.0 + 0.0 * back[0]


@kernel
def set_disk(disk, rotor, wind, time):
    """Axes and flow of the step."""
    for i in range(3):
        disk["axes"][2, i] = rotor["sense"][i]
    along, size = 0.0 * rotor.radius, 0.0 * rotor.radius
    for i in range(3):
        along += disk["aft"][i] * rotor["sense"][i]
    for i in range(3):
        disk["axes"][0, i] = disk["aft"][i] - along * rotor["sense"][i]
        size += disk["axes"][0, i] ** 2
    for i in range(3):
        disk["axes"][0, i] /= np.sqrt(size)
    e1, e3 = disk["axes"][0], disk["axes"][2]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        disk["axes"][1, i] = e3[j] * e1[k] - e3[k] * e1[j]
    x = rotor["x"]
    flow = wind_at(wind, x[0], x[1], x[2], time)
    u, v, w = 0.0 * size, 0.0 * size, 0.0 * size
    spin = 0.0 * size
    for i in range(3):
        relative = flow[i] - rotor["v"][i]
        u, v, w = u + relative * disk["axes"][0, i], v + relative * disk["axes"][1, i], w + relative * e3[i]
        spin += rotor["spin"][i] * e3[i]
    square = u * u + v * v
    disk.through, disk.tip_speed = w, spin * rotor.radius
    if square.real < STILL * STILL:
        disk.side, disk["turn"][0], disk["turn"][1] = 0.0 * size, 1.0 + 0.0 * size, 0.0 * size
        return
    disk.side = np.sqrt(square)
    disk["turn"][0], disk["turn"][1] = u / disk.side, v / disk.side


@kernel(void(Blades, Disks, float64, Motion, matrix, matrix))
def add_sums(blades, all_disks, dt, motion, history, states):
    """Set the sums of the states after a step: those of the history with what the step adds."""
    disks = all_disks.disks
    q_i, q_f, _ = motion
    sums = np.empty(HISTORY)
    for d in range(disks.shape[0]):
        disk = disks[d]
        for i in range(HISTORY):
            sums[i] = 0.0 * dt
        first, stop = stations_of(blades, disk)
        for k in range(first, stop):
            _add_forces(blades, disk, k, q_i, q_f, sums)
        for b in range(disk.blade, disk.blade + disk.blades):
            _add_flap(blades.rotors[b], disk, q_i, q_f, sums)
        for i in range(HISTORY):
            states[disk.row, i] = history[disk.row, i] + dt * sums[i]


@kernel
def _add_forces(blades, disk, k, q_i, q_f, sums):
    """Add force and moment of a station to the sums."""
    station, e = blades.stations[k], disk["axes"]
    element = blades.elements[station.element]
    x = blades.rotors[element.blade]["x"]
    s_i, s_f = np.empty((4, 3)), np.empty((4, 3))
    fill_section(element, station, q_i, s_i)
    fill_section(element, station, q_f, s_f)
    for i in range(3):
        j, l = (i + 1) % 3, (i + 2) % 3
        arm_j, arm_l = station["at"][j] - x[j], station["at"][l] - x[l]
        force = station.length * station["force"][i]
        turning = arm_j * station["force"][l] - arm_l * station["force"][j]
        moment = station.length * (turning + 0.5 * (s_i[1, i] + s_f[1, i]) * station["y"][4])
        for a in range(3):
            sums[FORCE + a] += e[a, i] * force
            sums[MOMENT + a] += e[a, i] * moment


@kernel
def _add_flap(rotor, disk, q_i, q_f, sums):
    """Add a_0, a_1, b_1 of a blade."""
    n, e = rotor.tip, disk["axes"]
    place = np.zeros(3)
    for i in range(3):
        for m in range(4):
            share = 1.0 if m == 0 else rotor["tip_centre"][m - 1]
            place[i] += 0.5 * share * (q_i[n, m, i] + q_f[n, m, i])
        place[i] -= rotor["x"][i]
    x, y, height = 0.0 * place[0], 0.0 * place[0], 0.0 * place[0]
    for i in range(3):
        x, y, height = x + place[i] * e[0, i], y + place[i] * e[1, i], height + place[i] * e[2, i]
    r = np.sqrt(x * x + y * y)
    flap = np.arctan2(height, r - disk.tip_arm) / disk.blades
    sums[FLAP] += flap
    sums[FLAP + 1] -= 2.0 * flap * x / r
    sums[FLAP + 2] -= 2.0 * flap * y / r
