"""Inflow of rotor disks in a step, solved with the forces of all their stations (compiled).

The amplitudes a of `inflow` are means over the step in the forces. With z = dt/R M^-1 V L^-1 and the loads c, which are
constant over the step, both of the mean motion, they solve

    (1 + 2/3 z + z^2/6) a_m = (1 + z/6) a_i + (1/2 + z/6) dt/R M^-1 c(a_m)        a_f = a_i + dt/R M^-1 c - z a_m

the Pade approximation (1, 2) of the exponential, of third order, without oscillations in steps of any length. Momentum
theory, and a step without end, have a_m = a_f = L V^-1 c(a_m). Newton's method in real numbers, with the derivative of
c at the predicted motion, continues until a_m no longer changes, and then twice more: derivatives of inputs, as dual
numbers carry them, have converged then too. The matrix of the step has no terms for what one station changes at the
others in a step, some 1 % of its own force: it costs iterations, no accuracy.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.aerodynamics.disks import (
    STARTED,
    STILL,
    Disks,
    place,
    read,
    set_disk,
    stations_of,
    velocity,
    write,
)
from fem_mbd.aerodynamics.inflow import DREES, DYNAMIC
from fem_mbd.aerodynamics.rotor_kernels import Blades, node_rate
from fem_mbd.aerodynamics.station import RESULTS, STATES, H, Z, closure, solve_station
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import array3, float64, matrix, vector, void
from fem_mbd.core.model.workspace import Motion

FOREVER = 2.0**60  # s
LONG = 2.0**40  # s, from where on a step is without end
ITERATIONS, STEADY_ITERATIONS = 40, 100
TOLERANCE = 1e-13  # of the amplitudes, relative to the speed of the tip and of the flow
LARGEST = 0.5  # change of the mean amplitude over the flow, in an iteration for the steady state


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
    power = 1.0 + 0.0 * x
    for _ in range(int(p.real)):
        power = power * x
    return power


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
            delta = 1.0 if j == k else 0.0
            a[j, k] = delta + 2.0 / 3.0 * v[j, k] + square / 6.0
            s[j, k] = delta + v[j, k] / 6.0
            b[j, k] = (0.5 * delta + v[j, k] / 6.0) * per


@kernel
def _mean(disk, modes, amplitudes):
    """w_0."""
    mean = 0.0 * amplitudes[0]
    for j in range(disk.count):
        mean += modes[disk.first + j]["mean"] * amplitudes[j]
    return mean


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
def _loads(blades, disk, modes, dt, history, amplitudes, shapes, c):
    """Fill c (m,), loads of the modes at amplitudes; the stations' inputs are placed."""
    _, stations, rotors, tables, angles, _ = blades
    first, stop = stations_of(blades, disk)
    states = np.empty(STATES)
    for j in range(disk.count):
        c[j] = 0.0 * shapes[0, 0]
    for k in range(first, stop):
        station, z = stations[k], stations[k]["z"]
        w = velocity(disk, amplitudes, shapes[k - first])
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
    forces = closure(station, rotor, table, angles, plain, w + 1j * H, 0j, dt.real, past, states)
    return station.length.real * (forces[2].imag * plain[2] + forces[3].imag * plain[3]) / H


@kernel
def _load_slopes(blades, disk, modes, dt, history, amplitudes, shapes, out):
    """Fill out (m, m), derivatives of `_loads` by the amplitudes, of real numbers."""
    _, stations, rotors, tables, angles, _ = blades
    first, stop = stations_of(blades, disk)
    rotor, m = rotors[disk.blade], disk.count
    for i in range(m):
        for j in range(m):
            out[i, j] = 0.0
    for k in range(first, stop):
        shape = shapes[k - first]
        w = velocity(disk, amplitudes, shape)
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
        set_disk(disk, rotor, blades.wind, 0.5 * (clock[0] + clock[1]))
        m = disk.count
        if m == 0:
            continue
        for n in range(q_i.shape[0]):
            node_rate(q_i[n], x_i[n], per, rate[n])
        first, stop = stations_of(blades, disk)
        shapes, amplitudes, c = np.empty((stop - first, m)), np.empty(m), np.empty(m)
        if history[disk.row + 1, STARTED] == 0.0:
            place(blades, disk, modes, clock[0], q_i, rate, shapes)
            _steady(blades, all_disks, disk, history, shapes, amplitudes)
            write(disk, modes, amplitudes, history)
            _settle(blades, disk, shapes, amplitudes, history)
        for n in range(q_i.shape[0]):
            for v in range(4):
                for i in range(3):
                    q[n, v, i] = q_i[n, v, i] + (0.5 * dt * rate[n, v, i] if dt < LONG else 0.0 * dt)
        place(blades, disk, modes, 0.5 * (clock[0] + clock[1]), q, rate, shapes)
        read(disk, modes, history, amplitudes)
        disk_slopes = slopes[disk.first : disk.first + m]
        _load_slopes(blades, disk, modes, dt, history, amplitudes, shapes, disk_slopes)
        for j in range(m):
            guess[disk.first + j] = amplitudes[j]
        _amplitudes(blades, all_disks, disk, dt, history, shapes, amplitudes, c)
        for j in range(m):
            guess[disk.first + j] = amplitudes[j]


@kernel
def _settle(blades, disk, shapes, amplitudes, history):
    """Steady states of the stations with steady amplitudes."""
    _, stations, rotors, tables, angles, _ = blades
    first, stop = stations_of(blades, disk)
    z, states, y = np.empty(Z), np.empty(STATES), np.empty(RESULTS)
    for k in range(first, stop):
        for i in range(Z):
            z[i] = stations[k]["z"][i]
        stations[k].w = velocity(disk, amplitudes, shapes[k - first])
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
    system, disk_slopes = np.empty((5, m, m)), slopes[disk.first : disk.first + m]
    c, iterate = vectors[0], vectors[2]
    _loads(blades, disk, modes, forever, history, iterate, shapes, c)
    size = c[0] if c[0].real > 0.0 else -c[0]
    # half of what the loads without inflow induce in still air
    root = 0.5 * np.sqrt(0.5 * size) / max(modes[disk.first].mean.real, 1.0)
    iterate[0] = root if c[0].real > 0.0 else -root
    more = 0
    for _ in range(STEADY_ITERATIONS):
        mean = _mean(disk, modes, iterate)
        _loads(blades, disk, modes, forever, history, iterate, shapes, c)
        _load_slopes(blades, disk, modes, forever, history, iterate, shapes, disk_slopes)
        _system(disk, modes, gains, rotor.radius, forever, mean, system)
        _newton_matrix(disk, modes, gains, rotor.radius, forever, vectors, disk_slopes, system, newton)
        change = _step(disk, system, vectors, newton, residual)
        flow = abs(mean.real - disk.through.real) + disk.side.real + 0.1 * abs(mean.real) + STILL
        share = min(1.0, LARGEST * flow / change) if change > 0.0 else 1.0
        for j in range(m):
            iterate[j] -= share * residual[j, 0]
        more += 1 if change <= TOLERANCE * (abs(disk.tip_speed.real) + flow) else 0
        if more > 2:
            break
    for j in range(m):
        amplitudes[j] = iterate[j] if more > 2 else 0.0 * iterate[j]


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
    newton, kept, disk_slopes = np.empty((m, m)), np.empty((m, m)), slopes[disk.first : disk.first + m]
    read(disk, modes, history, vectors[1])
    c, start, iterate = vectors[0], vectors[1], vectors[2]
    for j in range(m):
        iterate[j] = guess[disk.first + j].real + 0.0 * start[j]
    scale, more = abs(disk.tip_speed.real) + abs(disk.through.real) + disk.side.real + STILL, 0
    for iteration in range(ITERATIONS):
        _loads(blades, disk, modes, dt, history, iterate, shapes, c)
        _system(disk, modes, gains, rotor.radius, dt, _mean(disk, modes, iterate), system)
        if iteration == 0:
            _newton_matrix(disk, modes, gains, rotor.radius, dt, vectors, disk_slopes, system, kept)
        for i in range(m):
            for j in range(m):
                newton[i, j] = kept[i, j]
        change = _step(disk, system, vectors, newton, residual)
        for j in range(m):
            iterate[j] -= residual[j, 0]
        more += 1 if change <= TOLERANCE * scale else 0
        if more > 2:
            break
    # the loads differ from those of the amplitudes by less than the tolerance
    for j in range(m):
        amplitudes[j], final[j] = iterate[j], iterate[j]
        if disk.relation == DYNAMIC and dt.real < LONG:
            final[j] = start[j] + dt / (rotor.radius * modes[disk.first + j].mass) * c[j]
            for k in range(m):
                final[j] -= system[3, j, k] * iterate[k]
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
        first, stop = stations_of(blades, disk)
        shapes, amplitudes, final = np.empty((stop - first, m)), np.empty(m), np.empty(m)
        place(blades, disk, modes, 0.5 * (clock[0] + clock[1]), q, rate, shapes)
        converged = _amplitudes(blades, all_disks, disk, dt, history, shapes, amplitudes, final)
        for k in range(first, stop):
            blades.stations[k].w = velocity(disk, amplitudes, shapes[k - first])
            blades.stations[k].converged = 1 if converged else 0
        write(disk, modes, final, states)
