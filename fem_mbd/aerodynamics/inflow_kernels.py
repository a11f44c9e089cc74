"""Inflow of rotor disks in a step, solved with the forces of all their stations (compiled).

The amplitudes a of `inflow` are means over the step in the forces. With z = dt/R M^-1 V L^-1 and the loads c, which are
constant over the step, both of the mean motion, they solve

    (1 + 2/3 z + z^2/6) a_m = (1 + z/6) a_i + (1/2 + z/6) dt/R M^-1 c(a_m)        a_f = a_i + dt/R M^-1 c - z a_m

the Pade approximation (1, 2) of the exponential, of third order, without oscillations in steps of any length. Momentum
theory, and a step without end, have a_m = a_f = L V^-1 c(a_m). Newton's method in real numbers, with the derivative of
c at the predicted motion, continues until a_m no longer changes, and then twice more: derivatives of inputs, as dual
numbers carry them, have converged then too. The matrix of the step has no terms for what one station changes at the
others in a step, some 1 % of its own force: it costs iterations, no accuracy.

A disk has rows in the history of the loads: sums over time, then the amplitudes, eight to a row, in axes of the disk
that do not turn: e1 along a given direction projected onto the disk, e3 the axis of rotation, e2 = e3 x e1. The rates
of the sums are the force (N) and the moment about the rotor's centre (N m) of the aerodynamic loads along e1, e2, e3,
and a_0, a_1, b_1 of the flap angles beta = a_0 - a_1 cos psi - b_1 sin psi (rad), psi from e1, of the lines to the tips
from the rotor's centre, or from a hinge at an offset from it.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from fem_mbd.aerodynamics.inflow import DREES, DYNAMIC, MODE
from fem_mbd.aerodynamics.rotor_kernels import (
    HISTORY,
    Blades,
    fill_inputs,
    fill_section,
    node_rate,
    wind_at_station,
)
from fem_mbd.aerodynamics.station import RESULTS, STATES, H, Z, closure, solve_station
from fem_mbd.aerodynamics.wind_kernels import wind_at
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import array3, float64, matrix, record, vector, void
from fem_mbd.core.model.workspace import Motion

FOREVER = 2.0**60  # s
LONG = 2.0**40  # s, from where on a step is without end
STARTED = HISTORY - 1  # column of the first row of amplitudes
PER_ROW = HISTORY - 1
FORCE, MOMENT, FLAP = 0, 3, 6  # columns of the sums
STILL = 1e-6  # m/s, added to the flow where there is none
ITERATIONS, STEADY_ITERATIONS = 40, 100
TOLERANCE = 1e-13  # of the amplitudes, relative to the speed of the tip and of the flow
LARGEST = 0.5  # change of the mean amplitude over the flow, in an iteration for the steady state

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
def _solve(a, b):
    """Replace b (n, k) by the solution of a x = b; a (n, n) is overwritten."""
    n, columns = a.shape[0], b.shape[1]
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(a[i, k].real) > abs(a[p, k].real):
                p = i
        if p != k:
            for j in range(n):
                a[k, j], a[p, j] = a[p, j], a[k, j]
            for j in range(columns):
                b[k, j], b[p, j] = b[p, j], b[k, j]
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= factor * a[k, j]
            for j in range(columns):
                b[i, j] -= factor * b[k, j]
    for i in range(n - 1, -1, -1):
        for j in range(columns):
            total = b[i, j]
            for k in range(i + 1, n):
                total -= a[i, k] * b[k, j]
            b[i, j] = total / a[i, i]


@kernel
def _power(x, p):
    """x to a whole power, 1 at the power 0."""
    found = 1.0 + 0.0 * x
    for _ in range(int(p.real)):
        found = found * x
    return found


@kernel
def _gain(disk, gains, x, speed, out):
    """Fill out (m, m) with L of the wake's X; speed: V_T."""
    for j in range(disk.count):
        for k in range(disk.count):
            g = gains[disk.first + j, k]
            out[j, k] = g[0] * (_power(x, g[1]) + g[2] * _power(x, g[3]))
    if disk.relation == DREES:
        per = 1.0 / max(disk.tip_speed.real, STILL)
        out[1, 0] = 2.0 / 3.0 * (x - 1.8 * disk.side * speed * per * per)
        out[2, 0] = -disk.side * per + 0.0 * x


@kernel
def _system(disk, modes, gains, radius, dt, mean, system):
    """Fill system (5, m, m) with a, b, s of a a_m = b c + s a_i at w_0 = mean, and z; s and z are zero without mass."""
    m = disk.count
    a, b, s, v, l = system[0], system[1], system[2], system[3], system[4]
    flow = mean - disk.through
    speed = np.sqrt(disk.side * disk.side + flow * flow + STILL * STILL)
    size = flow if flow.real > 0.0 else -flow
    loaded = (disk.side * disk.side + flow * (flow + mean)) / speed
    if loaded.real < STILL:
        loaded = STILL + 0.0 * speed
    _gain(disk, gains, disk.side / (speed + size), speed, l)
    steady = disk.relation != DYNAMIC or dt.real > LONG
    for j in range(m):
        for k in range(m):
            a[j, k], s[j, k], v[j, k] = 0.0 * speed, 0.0 * speed, 0.0 * speed
            if steady:
                b[j, k] = l[j, k] * (
                    1.0 if modes[disk.first + k].harmonic == 0 and k == 0 else speed / loaded
                )
        if steady:
            a[j, j] = speed
        else:
            v[j, j] = 1.0 + 0.0 * speed
    if steady:
        return
    _solve(l, v)
    for j in range(m):
        per = dt / (radius * modes[disk.first + j].mass)
        for k in range(m):
            v[j, k] *= per * (speed if j == 0 else loaded)  # z
    for j in range(m):
        for k in range(m):
            square, per = 0.0 * speed, dt / (radius * modes[disk.first + k].mass)
            for i in range(m):
                square += v[j, i] * v[i, k]
            one = 1.0 if j == k else 0.0
            a[j, k] = one + 2.0 / 3.0 * v[j, k] + square / 6.0
            s[j, k] = one + v[j, k] / 6.0
            b[j, k] = (0.5 * one + v[j, k] / 6.0) * per


@kernel
def _mean(disk, modes, amplitudes):
    """w_0."""
    found = 0.0 * amplitudes[0]
    for j in range(disk.count):
        found += modes[disk.first + j]["mean"] * amplitudes[j]
    return found


@kernel
def _by_mean(disk, modes, gains, radius, dt, mean, vectors, out):
    """Fill out (m,) with the derivative of the imbalance a a_m - b c - s a_i by w_0; vectors as of `_step`, real."""
    m = disk.count
    system = np.empty((5, m, m), np.complex128)
    _system(disk, modes, gains, radius, dt, mean + 1j * H, system)
    a, b, s = system[0], system[1], system[2]
    for j in range(m):
        total = 0.0
        for k in range(m):
            total += (
                a[j, k].imag * vectors[2, k] - b[j, k].imag * vectors[0, k] - s[j, k].imag * vectors[1, k]
            )
        out[j] = total / H


@kernel
def _stations(blades, disk):
    """First station of a disk, and the one behind its last."""
    rotors = blades.rotors
    last = rotors[disk.blade + disk.blades - 1]
    return rotors[disk.blade].first, last.first + last.count


@kernel
def _place(blades, disk, modes, time, q, rate, shapes):
    """Inputs z of the stations at vectors q and rates (n, 4, 3) of the nodes, and the modes there, shapes (k, m)."""
    elements, stations, rotors, _, _, wind = blades
    first, behind = _stations(blades, disk)
    s, of_time, z, axes = np.empty((4, 3)), np.empty((4, 3)), np.empty(Z), np.empty((5, 3))
    for k in range(first, behind):
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
def _velocity(disk, amplitudes, shape):
    total = 0.0 * shape[0]
    for j in range(disk.count):
        total += amplitudes[j] * shape[j]
    return total


@kernel
def _loads(blades, disk, modes, dt, history, amplitudes, shapes, c):
    """Fill c (m,), loads of the modes at amplitudes; the stations' inputs are placed."""
    _, stations, rotors, tables, angles, _ = blades
    first, behind = _stations(blades, disk)
    states = np.empty(STATES)
    for j in range(disk.count):
        c[j] = 0.0 * shapes[0, 0]
    for k in range(first, behind):
        station, z = stations[k], stations[k]["z"]
        w = _velocity(disk, amplitudes, shapes[k - first])
        rotor = rotors[disk.blade]
        _, _, f_x, f_y, _ = closure(station, rotor, tables[k], angles, z, w, 0.0 * w, dt, history[k], states)
        force = station.length * (f_x * z[2] + f_y * z[3])
        for j in range(disk.count):
            c[j] += force * shapes[k - first, j]
    _scale(rotors[disk.blade], disk, modes, c)


@kernel
def _scale(rotor, disk, modes, c):
    per = 1.0 / (rotor.density * np.pi * rotor.radius * rotor.radius)
    for j in range(disk.count):
        c[j] *= per * modes[disk.first + j].share


@kernel
def _slope(station, rotor, table, angles, z, w, dt, history):
    """Derivative of the force along n by the induced velocity, N/(m/s), of real numbers."""
    states, plain, past = np.empty(STATES, np.complex128), np.empty(Z), np.empty(STATES)
    for i in range(Z):
        plain[i] = z[i].real
    for i in range(STATES):
        past[i] = history[i].real
    found = closure(station, rotor, table, angles, plain, w + 1j * H, 0j, dt.real, past, states)
    return station.length.real * (found[2].imag * plain[2] + found[3].imag * plain[3]) / H


@kernel
def _load_slopes(blades, disk, modes, dt, history, amplitudes, shapes, out):
    """Fill out (m, m), derivatives of `_loads` by the amplitudes, of real numbers."""
    _, stations, rotors, tables, angles, _ = blades
    first, behind = _stations(blades, disk)
    rotor, m = rotors[disk.blade], disk.count
    for i in range(m):
        for j in range(m):
            out[i, j] = 0.0
    for k in range(first, behind):
        shape = shapes[k - first]
        w = _velocity(disk, amplitudes, shape)
        slope = _slope(stations[k], rotor, tables[k], angles, stations[k]["z"], w.real, dt, history[k])
        for i in range(m):
            for j in range(m):
                out[i, j] += slope * shape[i].real * shape[j].real
    per = 1.0 / (rotor.density.real * np.pi * rotor.radius.real**2)
    for i in range(m):
        for j in range(m):
            out[i, j] *= per * modes[disk.first + i].share.real


@kernel
def _newton_matrix(disk, modes, gains, radius, dt, vectors, of_loads, system, out):
    """Fill out (m, m), derivative of the imbalance by the amplitudes, of real numbers; vectors as of `_step`."""
    m = disk.count
    real, by_mean = np.empty((3, m)), np.empty(m)
    for i in range(3):
        for j in range(m):
            real[i, j] = vectors[i, j].real
    mean = _mean(disk, modes, real[2])
    _by_mean(disk, modes, gains, radius.real, dt.real, mean.real, real, by_mean)
    for i in range(m):
        for j in range(m):
            total = system[0, i, j].real + by_mean[i].real * modes[disk.first + j]["mean"].real
            for k in range(m):
                total -= system[1, i, k].real * of_loads[k, j].real
            out[i, j] = total


@kernel
def _read(disk, modes, history, out):
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
def _write(disk, modes, amplitudes, states):
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
def _set_disk(disk, rotor, wind, time):
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
        own = flow[i] - rotor["v"][i]
        u, v, w = u + own * disk["axes"][0, i], v + own * disk["axes"][1, i], w + own * e3[i]
        spin += rotor["spin"][i] * e3[i]
    square = u * u + v * v
    disk.through, disk.tip_speed = w, spin * rotor.radius
    if square.real < STILL * STILL:
        disk.side, disk["turn"][0], disk["turn"][1] = 0.0 * size, 1.0 + 0.0 * size, 0.0 * size
        return
    disk.side = np.sqrt(square)
    disk["turn"][0], disk["turn"][1] = u / disk.side, v / disk.side


@kernel(void(Blades, Disks, vector, float64, array3, matrix, matrix))
def begin_step(blades, all_disks, clock, dt, q_i, x_i, history):
    """Axes and flow of disks, amplitudes and derivatives of loads at the predicted motion; at first, steady amplitudes.

    After `rotor_kernels.begin_step`, which see for the arguments.
    """
    disks, modes, _, slopes, guess = all_disks
    per = 1.0 / dt if dt > 0.0 else 0.0
    rate, q = np.empty(q_i.shape), np.empty(q_i.shape)
    for d in range(disks.shape[0]):
        disk = disks[d]
        rotor = blades.rotors[disk.blade]
        _set_disk(disk, rotor, blades.wind, 0.5 * (clock[0] + clock[1]))
        m = disk.count
        if m == 0:
            continue
        for n in range(q_i.shape[0]):
            node_rate(q_i[n], x_i[n], per, rate[n])
        first, behind = _stations(blades, disk)
        shapes, amplitudes, c = np.empty((behind - first, m)), np.empty(m), np.empty(m)
        if history[disk.row + 1, STARTED] == 0.0:
            _place(blades, disk, modes, clock[0], q_i, rate, shapes)
            _steady(blades, all_disks, disk, history, shapes, amplitudes)
            _write(disk, modes, amplitudes, history)
            _settle(blades, disk, shapes, amplitudes, history)
        for n in range(q_i.shape[0]):
            for v in range(4):
                for i in range(3):
                    q[n, v, i] = q_i[n, v, i] + (0.5 * dt * rate[n, v, i] if dt < LONG else 0.0 * dt)
        _place(blades, disk, modes, 0.5 * (clock[0] + clock[1]), q, rate, shapes)
        _read(disk, modes, history, amplitudes)
        own = slopes[disk.first : disk.first + m]
        _load_slopes(blades, disk, modes, dt, history, amplitudes, shapes, own)
        for j in range(m):
            guess[disk.first + j] = amplitudes[j]
        _amplitudes(blades, all_disks, disk, dt, history, shapes, amplitudes, c)
        for j in range(m):
            guess[disk.first + j] = amplitudes[j]


@kernel
def _settle(blades, disk, shapes, amplitudes, history):
    """Steady states of the stations with steady amplitudes."""
    _, stations, rotors, tables, angles, _ = blades
    first, behind = _stations(blades, disk)
    z, states, y = np.empty(Z), np.empty(STATES), np.empty(RESULTS)
    for k in range(first, behind):
        for i in range(Z):
            z[i] = stations[k]["z"][i]
        stations[k].w = _velocity(disk, amplitudes, shapes[k - first])
        solve_station(
            stations[k], rotors[disk.blade], tables[k], angles, z, FOREVER + 0.0 * z[0], history[k], states, y
        )
        for i in range(STATES):
            history[k, i] = states[i]


@kernel
def _steady(blades, all_disks, disk, history, shapes, amplitudes):
    """Fill amplitudes (m,) with those of a flow that has long been steady; zeros where there are none."""
    _, modes, gains, slopes, _ = all_disks
    m, rotor = disk.count, blades.rotors[disk.blade]
    forever = FOREVER + 0.0 * rotor.radius
    vectors, residual, newton = np.zeros((3, m)), np.empty((m, 1)), np.empty((m, m))
    system, own = np.empty((5, m, m)), slopes[disk.first : disk.first + m]
    c, found = vectors[0], vectors[2]
    _loads(blades, disk, modes, forever, history, found, shapes, c)
    size = c[0] if c[0].real > 0.0 else -c[0]
    # half of what the loads without inflow induce in still air
    root = 0.5 * np.sqrt(0.5 * size) / max(modes[disk.first].mean.real, 1.0)
    found[0] = root if c[0].real > 0.0 else -root
    more = 0
    for _ in range(STEADY_ITERATIONS):
        mean = _mean(disk, modes, found)
        _loads(blades, disk, modes, forever, history, found, shapes, c)
        _load_slopes(blades, disk, modes, forever, history, found, shapes, own)
        _system(disk, modes, gains, rotor.radius, forever, mean, system)
        _newton_matrix(disk, modes, gains, rotor.radius, forever, vectors, own, system, newton)
        change = _step(disk, system, vectors, newton, residual)
        flow = abs(mean.real - disk.through.real) + disk.side.real + 0.1 * abs(mean.real) + STILL
        share = min(1.0, LARGEST * flow / change) if change > 0.0 else 1.0
        for j in range(m):
            found[j] -= share * residual[j, 0]
        more += 1 if change <= TOLERANCE * (abs(disk.tip_speed.real) + flow) else 0
        if more > 2:
            break
    for j in range(m):
        amplitudes[j] = found[j] if more > 2 else 0.0 * found[j]


@kernel
def _step(disk, system, vectors, newton, out):
    """Fill out (m, 1), what Newton's method takes off the amplitudes; returns the largest. newton is overwritten.

    vectors (3, m): c, a_i, a_m
    """
    largest = 0.0
    for i in range(disk.count):
        out[i, 0] = 0.0 * vectors[0, 0]
        for j in range(disk.count):
            out[i, 0] += system[0, i, j] * vectors[2, j] - system[1, i, j] * vectors[0, j]
            out[i, 0] -= system[2, i, j] * vectors[1, j]
    _solve(newton, out)
    for i in range(disk.count):
        largest = max(largest, abs(out[i, 0].real))
    return largest


@kernel
def _amplitudes(blades, all_disks, disk, dt, history, shapes, amplitudes, final):
    """Fill the amplitudes (m,): means over the step, and final, those at its end. Whether the iteration converged."""
    _, modes, gains, slopes, guess = all_disks
    m, rotor = disk.count, blades.rotors[disk.blade]
    vectors, residual, system = np.empty((3, m)), np.empty((m, 1)), np.empty((5, m, m))
    newton, kept, own = np.empty((m, m)), np.empty((m, m)), slopes[disk.first : disk.first + m]
    _read(disk, modes, history, vectors[1])
    c, start, found = vectors[0], vectors[1], vectors[2]
    for j in range(m):
        found[j] = guess[disk.first + j].real + 0.0 * start[j]
    scale, more = abs(disk.tip_speed.real) + abs(disk.through.real) + disk.side.real + STILL, 0
    for iteration in range(ITERATIONS):
        _loads(blades, disk, modes, dt, history, found, shapes, c)
        _system(disk, modes, gains, rotor.radius, dt, _mean(disk, modes, found), system)
        if iteration == 0:
            _newton_matrix(disk, modes, gains, rotor.radius, dt, vectors, own, system, kept)
        for i in range(m):
            for j in range(m):
                newton[i, j] = kept[i, j]
        change = _step(disk, system, vectors, newton, residual)
        for j in range(m):
            found[j] -= residual[j, 0]
        more += 1 if change <= TOLERANCE * scale else 0
        if more > 2:
            break
    # the loads differ from those of the amplitudes by less than the tolerance
    for j in range(m):
        amplitudes[j], final[j] = found[j], found[j]
        if disk.relation == DYNAMIC and dt.real < LONG:
            final[j] = start[j] + dt / (rotor.radius * modes[disk.first + j].mass) * c[j]
            for k in range(m):
                final[j] -= system[3, j, k] * found[k]
    return more > 2


@kernel(void(Blades, Disks, vector, float64, Motion, matrix, matrix))
def solve_inflow(blades, all_disks, clock, dt, motion, history, states):
    """Set the induced velocities of the stations of all disks, and the disks' rows of states."""
    disks, modes, _, _, _ = all_disks
    q_i, q_f, _ = motion
    q, rate = np.empty(q_i.shape), np.empty(q_i.shape)
    for n in range(q_i.shape[0]):
        for v in range(4):
            for i in range(3):
                q[n, v, i] = 0.5 * (q_i[n, v, i] + q_f[n, v, i])
                rate[n, v, i] = (q_f[n, v, i] - q_i[n, v, i]) / dt
    for d in range(disks.shape[0]):
        disk = disks[d]
        m = disk.count
        if m == 0:
            continue
        first, behind = _stations(blades, disk)
        shapes, amplitudes, final = np.empty((behind - first, m)), np.empty(m), np.empty(m)
        _place(blades, disk, modes, 0.5 * (clock[0] + clock[1]), q, rate, shapes)
        found = _amplitudes(blades, all_disks, disk, dt, history, shapes, amplitudes, final)
        for k in range(first, behind):
            blades.stations[k].w = _velocity(disk, amplitudes, shapes[k - first])
            blades.stations[k].converged = 1 if found else 0
        _write(disk, modes, final, states)


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
        first, behind = _stations(blades, disk)
        for k in range(first, behind):
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
