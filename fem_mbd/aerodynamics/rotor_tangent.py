"""Derivatives of the forces of all aerodynamic stations by the motion of the nodes in a step (compiled).

The forces along the chord's axes and the moment follow from the inputs of a station (`station`). Their derivatives by
these are by complex steps and, for the induced velocities that solve momentum theory, by the theorem of implicit
functions. Those of the inputs by the section's vectors s at t_f, on which s_m and s' of `rotor_kernels` depend by half
and by 1/dt, are written out, but for the wind's by the place.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.aerodynamics.rotor_kernels import (
    LEAST_SLOPE,
    Blades,
    add_to_nodes,
    fill_forces,
    fill_inputs,
    fill_section,
    wind_at_station,
)
from fem_mbd.aerodynamics.station import RESULTS, STATES, H, Z, slopes_by_inputs
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import array3, float64, index_rows, matrix, slots, vector, void
from fem_mbd.core.compiled.vectors import transposed_product
from fem_mbd.core.model.workspace import Maps, Motion
from fem_mbd.core.scheme.nodes.node_kernels import add_rows

BLOCK = 144  # numbers of a block of twelve unknowns


@kernel
def _moved_axes(column, station, s, axes, out):
    """Fill out (4, 3), derivatives of axes of `fill_inputs` by a number of s (4, 3): x and y, and unit d_2, d_3.

    Returns whether there are any.
    """
    v, i = column // 3, column % 3
    if v < 2:
        return False
    other, row = 5 - v, v
    size = np.sqrt(s[v, 0] * s[v, 0] + s[v, 1] * s[v, 1] + s[v, 2] * s[v, 2])
    cosine, sine = station["twist"][0], station["twist"][1]
    for k in range(3):
        d = ((1.0 if k == i else 0.0) - axes[1 + v, i] * axes[1 + v, k]) / size
        out[row, k], out[other, k] = d, 0.0
        out[0, k] = cosine * d if v == 2 else -sine * d
        out[1, k] = sine * d if v == 2 else cosine * d
    return True


@kernel
def _input_slopes(column, station, rotor, per, state, moved, out):
    """Fill out (11,), derivatives of the inputs by a number of s (4, 3), with which its rate changes per times as much.

    state : s and its rate (4, 3); axes (5, 3); relative velocity (3,); derivatives of the wind by the place (3, 3);
        radius and its unit vector (4,)
    moved : (4, 3) of `_moved_axes`, zeros where nothing moves
    """
    s, rate, axes, flow, by_place, place = state
    v, i = column // 3, column % 3
    arm = 1.0 if v == 0 else 0.0 if v == 1 else station["control"][v - 2]
    centre = 1.0 if v == 0 else 0.0 if v == 1 else station["centre"][v - 2]
    n, sense, o, r = rotor["n"], rotor["sense"], rotor["omega"], place[0]
    for k in range(Z):
        out[k] = 0.0
    away = 0.0
    for k in range(3):
        away += place[1 + k] * centre * ((1.0 if k == i else 0.0) - n[i] * n[k])
    steep, along = 0.0, 0.0
    for k in range(3):
        j, m = (k + 1) % 3, (k + 2) % 3
        delta = 1.0 if k == i else 0.0
        turn = (o[j] if m == i else 0.0) - (o[m] if j == i else 0.0)
        d_w = arm * (by_place[i, k] - turn - per * delta)
        radial = centre * (delta - n[i] * n[k])
        # e x sense, e along the radius
        e_j = (centre * ((1.0 if j == i else 0.0) - n[i] * n[j]) - away * place[1 + j]) / r
        e_m = (centre * ((1.0 if m == i else 0.0) - n[i] * n[m]) - away * place[1 + m]) / r
        d_t, t = e_j * sense[m] - e_m * sense[j], place[1 + j] * sense[m] - place[1 + m] * sense[j]
        out[0] += d_w * axes[0, k] + flow[k] * moved[0, k]
        out[1] += d_w * axes[1, k] + flow[k] * moved[1, k]
        out[2] += n[k] * moved[0, k]
        out[3] += n[k] * moved[1, k]
        out[4] += d_t * axes[0, k] + t * moved[0, k]
        out[5] += d_t * axes[1, k] + t * moved[1, k]
        out[6] += rate[2, k] * moved[3, k]
        out[7] += arm * by_place[i, k] * n[k]
        out[9] += rotor["skew"][k] * radial / rotor.radius
        steep += (radial - away * place[1 + k]) / r * s[1, k]
        along += place[1 + k] * s[1, k]
    out[8] = away
    if v == 1:
        out[6] -= rotor["spin"][i]
        steep += place[1 + i]
    if v == 2:
        out[6] += per * axes[4, i]
    out[7] = out[7] if station["z"][7] > 0.0 else 0.0
    out[10] = 0.0 if abs(along) <= LEAST_SLOPE else steep if along > 0.0 else -steep


@kernel
def _force_slopes(column, station, axes, moved, forces, slopes, out):
    """Fill a row of out (12, 12), derivatives of `section_forces`; slopes (3,) of the forces (3,), moved as above."""
    v, i = column // 3, column % 3
    length, d = station.length, axes
    for k in range(3):
        j, m = (k + 1) % 3, (k + 2) % 3
        change = slopes[0] * d[0, k] + slopes[1] * d[1, k] + forces[0] * moved[0, k] + forces[1] * moved[1, k]
        out[column, k], out[column, 3 + k] = length * change, 0.0
        for a in range(2):
            u, of_u = d[3 + a], moved[2 + a]
            turn = slopes[2] * (d[2, j] * u[m] - d[2, m] * u[j])
            turn += forces[2] * (d[2, j] * of_u[m] - d[2, m] * of_u[j])
            if v == 1:
                turn += forces[2] * ((u[m] if j == i else 0.0) - (u[j] if m == i else 0.0))
            out[column, 6 + 3 * a + k] = length * (station["centre"][a] * change + 0.5 * turn)


@kernel
def _by_section(station, rotor, wind, time, dt, s_i, s_f, by_z, out):
    """Fill out (12, 12): by each number of the section's vectors at t_f, derivatives of the forces on them."""
    s, rate, at = np.empty((4, 3)), np.empty((4, 3)), np.empty((4, 3), np.complex128)
    z, axes, moved, dz = np.empty(Z), np.empty((5, 3)), np.zeros((4, 3)), np.empty(Z)
    by_place, flow, place, y = np.empty((3, 3)), np.empty(3), np.empty(4), station["y"]
    for v in range(4):
        for i in range(3):
            s[v, i], rate[v, i] = 0.5 * (s_i[v, i] + s_f[v, i]), (s_f[v, i] - s_i[v, i]) / dt
            at[v, i] = s[v, i]
    velocity = wind_at_station(station, wind, time, s)
    for i in range(3):  # by the place; the section axes move the control point
        at[0, i] += 1j * H
        u, v_, w = wind_at_station(station, wind, time, at)
        by_place[i, 0], by_place[i, 1], by_place[i, 2] = u.imag / H, v_.imag / H, w.imag / H
        at[0, i] = s[0, i]
    fill_inputs(station, rotor, velocity, s, rate, z, axes)
    _fill_place(station, rotor, velocity, s, rate, flow, place)
    slopes, forces, state = np.empty(3), (y[2], y[3], y[4]), (s, rate, axes, flow, by_place, place)
    for column in range(12):
        if not _moved_axes(column, station, s, axes, moved):
            moved[:] = 0.0
        _input_slopes(column, station, rotor, 2.0 / dt, state, moved, dz)
        for a in range(3):
            slopes[a] = 0.0
            for j in range(Z):
                slopes[a] += by_z[a, j] * dz[j]
        _force_slopes(column, station, axes, moved, forces, slopes, out)
    # s in the middle changes by half of what it changes at t_f
    for column in range(12):
        for row in range(12):
            out[column, row] *= 0.5


@kernel
def _fill_place(station, rotor, velocity, s, rate, flow, place):
    """Fill the relative velocity, flow (3,), at the control point, and radius and unit vector to the centre (4,)."""
    o, n = rotor["omega"], rotor["n"]
    x, r, along, square = np.empty(3), np.empty(3), 0.0, 0.0
    for k in range(3):
        control = station["control"][0] * s[2, k] + station["control"][1] * s[3, k]
        x[k] = s[0, k] + control - rotor["pole"][k]
        r[k] = s[0, k] + station["centre"][0] * s[2, k] + station["centre"][1] * s[3, k] - rotor["x"][k]
        along += r[k] * n[k]
    for k in range(3):
        j, m = (k + 1) % 3, (k + 2) % 3
        control_rate = rate[0, k] + station["control"][0] * rate[2, k] + station["control"][1] * rate[3, k]
        flow[k] = velocity[k] - control_rate - (o[j] * x[m] - o[m] * x[j])
        r[k] -= along * n[k]
        square += r[k] * r[k]
    place[0] = np.sqrt(square)
    for k in range(3):
        place[1 + k] = r[k] / place[0]


@kernel(void(Blades, vector, float64, Motion, Maps, matrix, array3, index_rows, slots, vector))
def tangent(blades, clock, dt, motion, maps, history, lin, column, slots, data):
    """Add the derivatives of all stations' forces to the matrix values, and the forces to lin (n, 4, 3).

    column (n, 12), slots (elements, 48, 4): as in `add_rows`
    """
    elements, stations, rotors, tables, angles, wind = blades
    q_i, q_f, _ = motion
    time = 0.5 * (clock[0] + clock[1])
    s_i, s_f, q = np.empty((4, 3)), np.empty((4, 3)), np.empty((4, 3))
    scratch = (np.empty((4, RESULTS)), np.empty(Z, np.complex128), np.empty(STATES, np.complex128))
    by_z, by_n, sums = np.empty((3, Z)), np.empty(BLOCK), np.empty((4, 4, BLOCK))
    by_s, blocks = by_n.reshape((12, 12)), np.zeros((10, BLOCK))
    for e in range(elements.shape[0]):
        element = elements[e]
        if element.count == 0:
            continue
        rotor = rotors[element.blade]
        sums[:], count = 0.0, 0
        while count < 4 and element["nodes"][count] >= 0:
            count += 1
        for k in range(element.first, element.first + element.count):
            station, table, past = stations[k], tables[k], history[k]
            fill_section(element, station, q_i, s_i)
            fill_section(element, station, q_f, s_f)
            z, y = station["z"], station["y"]
            slopes_by_inputs(station, rotor, table, angles, z, y[:2], dt, past, scratch, by_z)
            _by_section(station, rotor, wind, time, dt, s_i, s_f, by_z, by_s)
            for i in range(3):
                q[0, i] = station["force"][i] * station.length
            fill_forces(station, s_i, s_f, q)
            add_to_nodes(element, station, -dt * dt, q, lin)
            for a in range(count):
                for b in range(a, count):
                    share, total = dt * dt * station["shape"][a] * station["shape"][b], sums[a, b]
                    for i in range(BLOCK):
                        total[i] -= share * by_n[i]
        _add_element(element, count, maps, sums, blocks, column, slots[e], data)


@kernel
def _line(element, k, by_directors, out):
    """Fill out (12, 12): the section's vectors by the unknowns of node k, without its shape function; zero for c.

    by_directors (3, 3, 6) : derivatives of the node's directors by b and e
    """
    arm, turn = element["arm"], element["turn"]
    for i in range(3):
        out[i, i] = 1.0
        for j in range(6):
            place, d = j if j < 3 else j + 3, by_directors[:, i, j]
            out[i, 3 + place] = arm[k, 0] * d[0] + arm[k, 1] * d[1] + arm[k, 2] * d[2]
            for m in range(3):
                out[3 + 3 * m + i, 3 + place] = turn[m, 0] * d[0] + turn[m, 1] * d[1] + turn[m, 2] * d[2]


@kernel
def _add_element(element, count, maps, sums, blocks, column, slots, data):
    """Add the derivative of an element of so many nodes to the matrix.

    sums (4, 4, 144) : by the numbers of a node's section vectors, derivatives of the forces on those of another one
    blocks (10, 144) : scratch; the first eight are zero where `_line` fills nothing
    """
    half, block = blocks[8], blocks[9]
    for k in range(count):
        _line(element, k, maps.w_m[element["nodes"][k]], blocks[k].reshape((12, 12)))
        _line(element, k, maps.d_q[element["nodes"][k]], blocks[4 + k].reshape((12, 12)))
    for b in range(count):
        for a in range(count):
            transposed_product(sums[min(a, b), max(a, b)], blocks[4 + b], 12, 12, 12, half, 0, 3)
            transposed_product(blocks[a], half, 12, 12, 12, block, 0, 3)
            rows = slots[12 * a : 12 * a + 12, b]
            add_rows(block.reshape((12, 12)), 0, element["nodes"][b], column, rows, data)
