"""Loops over the aerodynamic stations of all blades in a step (compiled).

A station is a section of a beam element. Its vectors s = (x, d_1, d_2, d_3), position of the reference line and section
axes, are linear in the ambient vectors of the element's nodes. Its force F and moment M are constant over the step:
functions of the vectors in the middle and of their mean rate,

    s_m = (s_i + s_f)/2        s' = (s_f - s_i)/dt
    Q_x = F        Q_2 = c_2 F + M d_1 x d_2/2        Q_3 = c_3 F + M d_1 x d_3/2

with c the aerodynamic centre, so that their work is F.(change of the centre) + M.(rotation), exactly the change of
energy that the scheme finds: second order in the step, as friction. Where the wind does not act along the rotor's axis
or the hub moves, the axes of the rotor are those of the hub extrapolated with its velocity from t_i to the middle of
the step, of second order too; its velocity itself is that at t_i.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from fem_mbd.aerodynamics import momentum, stall
from fem_mbd.aerodynamics.station import (
    RESULTS,
    ROTOR,
    STATES,
    STATION,
    Z,
    flow_in_section,
    solve_station,
)
from fem_mbd.aerodynamics.wind_kernels import WindArrays, wind_at
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import array3, float64, matrix, record, vector, void
from fem_mbd.core.model.workspace import Motion

FOREVER = 2.0**60  # s
STARTED = STATES  # column of the history: whether the station's states have been set
HISTORY = STATES + 1
SKEW = 15.0 * np.pi / 32.0  # Pitt & Peters 1981
LEAST_SLOPE = 0.2  # of the radius over the length of the line
LARGEST_SKEW = np.radians(60.0)

ELEMENT = np.dtype(
    [
        ("nodes", "i8", (4,)),  # -1 where it has fewer
        ("arm", "f8", (4, 3)),  # reference line from the nodes' mass centres, node axes
        ("turn", "f8", (3, 3)),  # node axes to section axes
        ("first", "i8"),  # its stations
        ("count", "i8"),
        ("blade", "i8"),
    ],
    align=True,
)


class Blades(NamedTuple):
    """All blades of a model."""

    elements: Annotated[Any, record(ELEMENT)[::1]]
    stations: Annotated[Any, record(STATION)[::1]]
    rotors: Annotated[Any, record(ROTOR)[::1]]
    tables: Annotated[Any, array3]  # (stations, angles, 5)
    angles: Annotated[Any, vector]  # rad
    wind: Annotated[Any, WindArrays]


@kernel
def fill_section(element, station, q, s):
    """Fill s (4, 3) with the section's vectors from those of the nodes, or from their rates; q (n, 4, 3)."""
    arm, turn = element["arm"], element["turn"]
    for i in range(3):
        x, d0, d1, d2 = 0.0 * q[0, 0, 0], 0.0 * q[0, 0, 0], 0.0 * q[0, 0, 0], 0.0 * q[0, 0, 0]
        for k in range(4):
            n, share = element["nodes"][k], station["shape"][k]
            if n < 0:
                continue
            x += share * (
                q[n, 0, i] + arm[k, 0] * q[n, 1, i] + arm[k, 1] * q[n, 2, i] + arm[k, 2] * q[n, 3, i]
            )
            d0, d1, d2 = d0 + share * q[n, 1, i], d1 + share * q[n, 2, i], d2 + share * q[n, 3, i]
        s[0, i] = x
        for m in range(3):
            s[1 + m, i] = turn[m, 0] * d0 + turn[m, 1] * d1 + turn[m, 2] * d2


@kernel
def wind_at_station(station, wind, time, s):
    """Velocity of the wind at the control point of a section with vectors s (4, 3)."""
    c2, c3 = station["control"][0], station["control"][1]
    return wind_at(wind, s[0, 0] + c2 * s[2, 0] + c3 * s[3, 0], s[0, 1] + c2 * s[2, 1] + c3 * s[3, 1],
                   s[0, 2] + c2 * s[2, 2] + c3 * s[3, 2], time)  # fmt: skip


@kernel
def fill_inputs(station, rotor, velocity, s, rate, z, axes):
    """Fill z (11,) and the axes (5, 3): chord axes x and y, section axes; from vectors and rates (4, 3).

    velocity: of `wind_at_station`
    """
    for v in range(2):
        d = s[2 + v]
        per = 1.0 / stall.square_root(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
        for i in range(3):
            axes[3 + v, i] = per * d[i]
    cosine, sine = station["twist"][0], station["twist"][1]
    for i in range(3):
        axes[2, i] = s[1, i]
        axes[0, i] = cosine * axes[3, i] - sine * axes[4, i]
        axes[1, i] = sine * axes[3, i] + cosine * axes[4, i]
    c2, c3 = station["control"][0], station["control"][1]
    x0, x1, x2 = (s[0, 0] + c2 * s[2, 0] + c3 * s[3, 0], s[0, 1] + c2 * s[2, 1] + c3 * s[3, 1],
                  s[0, 2] + c2 * s[2, 2] + c3 * s[3, 2])  # fmt: skip
    o, p = rotor["omega"], rotor["pole"]
    wind_0, wind_1, wind_2 = velocity
    n, hub, sense = rotor["n"], rotor["x"], rotor["sense"]
    y0, y1, y2 = x0 - p[0], x1 - p[1], x2 - p[2]
    w0 = wind_0 - (rate[0, 0] + c2 * rate[2, 0] + c3 * rate[3, 0]) - (o[1] * y2 - o[2] * y1)
    w1 = wind_1 - (rate[0, 1] + c2 * rate[2, 1] + c3 * rate[3, 1]) - (o[2] * y0 - o[0] * y2)
    w2 = wind_2 - (rate[0, 2] + c2 * rate[2, 2] + c3 * rate[3, 2]) - (o[0] * y1 - o[1] * y0)
    c2, c3 = station["centre"][0], station["centre"][1]
    r0, r1, r2 = (s[0, 0] + c2 * s[2, 0] + c3 * s[3, 0] - hub[0], s[0, 1] + c2 * s[2, 1] + c3 * s[3, 1] - hub[1],
                  s[0, 2] + c2 * s[2, 2] + c3 * s[3, 2] - hub[2])  # fmt: skip
    along = r0 * n[0] + r1 * n[1] + r2 * n[2]
    r0, r1, r2 = r0 - along * n[0], r1 - along * n[1], r2 - along * n[2]
    r = stall.square_root(r0 * r0 + r1 * r1 + r2 * r2)
    e0, e1, e2 = r0 / r, r1 / r, r2 / r
    t0, t1, t2 = sense[2] * e1 - sense[1] * e2, sense[0] * e2 - sense[2] * e0, sense[1] * e0 - sense[0] * e1
    a, v, spin = axes, rotor["v"], rotor["spin"]
    z[0], z[1] = w0 * a[0, 0] + w1 * a[0, 1] + w2 * a[0, 2], w0 * a[1, 0] + w1 * a[1, 1] + w2 * a[1, 2]
    z[2], z[3] = (
        n[0] * a[0, 0] + n[1] * a[0, 1] + n[2] * a[0, 2],
        n[0] * a[1, 0] + n[1] * a[1, 1] + n[2] * a[1, 2],
    )
    z[4], z[5] = t0 * a[0, 0] + t1 * a[0, 1] + t2 * a[0, 2], t0 * a[1, 0] + t1 * a[1, 1] + t2 * a[1, 2]
    z[6] = rate[2, 0] * a[4, 0] + rate[2, 1] * a[4, 1] + rate[2, 2] * a[4, 2]
    z[6] -= spin[0] * s[1, 0] + spin[1] * s[1, 1] + spin[2] * s[1, 2]
    z[7] = (wind_0 - v[0]) * n[0] + (wind_1 - v[1]) * n[1] + (wind_2 - v[2]) * n[2]
    if z[7].real < 0.0:
        z[7] = 0.0 * z[7]
    z[8] = r
    skew = rotor["skew"]
    z[9] = 1.0 + r / rotor.radius * (skew[0] * e0 + skew[1] * e1 + skew[2] * e2)
    steep = e0 * s[1, 0] + e1 * s[1, 1] + e2 * s[1, 2]
    steep = steep if steep.real > 0.0 else -steep
    z[10] = steep if steep.real > LEAST_SLOPE else LEAST_SLOPE + 0.0 * steep


@kernel
def section_forces(station, axes, f_x, f_y, m, out):
    """Fill out (4, 3), forces on a section's vectors, from those per length in chord axes; axes of `fill_inputs`."""
    c2, c3 = station["centre"][0], station["centre"][1]
    half, d = 0.5 * station.length * m, axes
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        force = station.length * (f_x * axes[0, i] + f_y * axes[1, i])
        out[0, i], out[1, i] = force, 0.0 * force
        out[2, i] = c2 * force + half * (d[2, j] * d[3, k] - d[2, k] * d[3, j])
        out[3, i] = c3 * force + half * (d[2, j] * d[4, k] - d[2, k] * d[4, j])


@kernel(void(Blades, vector, float64, array3, array3, matrix, matrix))
def begin_step(blades, clock, dt, q_i, r_i, x_i, history):
    """Axes of the rotors in the middle of the step; steady states of stations that have none yet.

    clock (3,): t_i, t_f, dt; q_i (n, 4, 3), r_i (n, 3, 3), x_i (n, 6) dt times velocities, history (stations, 9)
    """
    elements, stations, rotors, tables, angles, wind = blades
    time, per = 0.5 * (clock[0] + clock[1]), (1.0 / dt if dt > 0.0 else 0.0)
    for b in range(rotors.shape[0]):
        _set_rotor(rotors[b], wind, time, per, q_i, r_i, x_i, history)
    q, s, rate = np.empty(q_i.shape), np.empty((4, 3)), np.empty((4, 3))
    fresh = False
    for k in range(stations.shape[0]):
        fresh = fresh or history[k, STARTED] == 0.0
        # a step does not depend on evaluations before it
        stations[k]["y"][0], stations[k]["y"][1], stations[k].sloped = history[k, 1], history[k, 3], 0
    if not fresh:
        return
    for n in range(q_i.shape[0]):
        node_rate(q_i[n], x_i[n], per, q[n])
    z, axes, y, states = np.empty(Z), np.empty((5, 3)), np.empty(RESULTS), np.empty(STATES)
    for e in range(elements.shape[0]):
        rotor = rotors[elements[e].blade]
        for k in range(elements[e].first, elements[e].first + elements[e].count):
            if history[k, STARTED] != 0.0:
                continue
            station = stations[k]
            fill_section(elements[e], station, q_i, s)
            fill_section(elements[e], station, q, rate)
            fill_inputs(station, rotor, wind_at_station(station, wind, clock[0], s), s, rate, z, axes)
            solve_station(station, rotor, tables[k], angles, z, FOREVER, history[k], states, y)
            for i in range(STATES):
                history[k, i] = states[i]
            history[k, 0], history[k, 2] = (1.0 - momentum.MIX) * y[0], (1.0 - momentum.MIX) * y[1]
            history[k, STARTED] = 1.0


@kernel
def node_rate(q, x_i, per, out):
    """Fill out (4, 3), rates of a node's vectors q (4, 3); x_i (6,) = dt (v, Omega), per 1/dt."""
    for i in range(3):
        out[0, i] = per * x_i[i]
        out[1, i] = per * (x_i[5] * q[2, i] - x_i[4] * q[3, i])
        out[2, i] = per * (x_i[3] * q[3, i] - x_i[5] * q[1, i])
        out[3, i] = per * (x_i[4] * q[1, i] - x_i[3] * q[2, i])


@kernel
def _set_rotor(rotor, wind, time, per, q_i, r_i, x_i, history):
    """The step's axes, centre and radius of one blade's rotor."""
    h, t = rotor.hub, rotor.tip
    spin, arm, axis, tip = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for i in range(3):
        spin[i], arm[i], axis[i], tip[i] = 0.0, 0.0, 0.0, q_i[t, 0, i] - q_i[h, 0, i]
        for j in range(3):
            spin[i] += r_i[h, i, j] * x_i[h, 3 + j]
            arm[i] += r_i[h, i, j] * rotor["centre"][j]
            axis[i] += r_i[h, i, j] * rotor["axis"][j]
            tip[i] += r_i[t, i, j] * rotor["tip_centre"][j]
        tip[i] -= arm[i]
    along = 0.0
    _set_radius(rotor, (x_i[t], x_i[h]), r_i[t], spin, arm, axis, tip)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        moved = x_i[h, i] + spin[j] * arm[k] - spin[k] * arm[j]
        rotor["v"][i], rotor["x"][i] = per * moved, q_i[h, 0, i] + arm[i] + 0.5 * moved
        rotor["spin"][i] = per * spin[i]
    size = 0.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        rotor["sense"][i] = axis[i] + 0.5 * (spin[j] * axis[k] - spin[k] * axis[j])
        size += rotor["sense"][i] ** 2
    x = rotor["x"]
    flow_0, flow_1, flow_2 = wind_at(wind, x[0], x[1], x[2], time)
    flow = (flow_0 - rotor["v"][0], flow_1 - rotor["v"][1], flow_2 - rotor["v"][2])
    for i in range(3):
        rotor["sense"][i] /= np.sqrt(size)
        along += flow[i] * rotor["sense"][i]
    # the inflow of a disk has a sense of its own, also where the flow through it turns round
    sign = 1.0 if along >= 0.0 or rotor.induction == momentum.INFLOW else -1.0
    for i in range(3):
        rotor["n"][i] = sign * rotor["sense"][i]
    _set_skew(rotor, flow, abs(along), history)


@kernel
def _set_radius(rotor, moved, rotation, spin, arm, axis, tip):
    """The radius of the tip in the middle of the step; moved: (6,) of tip and hub by their velocities at its start.

    tip (3,) from the centre, rotation (3, 3) of its node. Stations are in the middle of the chords of their ways, and
    so is the tip, but for disks.
    """
    of_tip, of_hub = moved
    offset, turned = np.empty(3), np.empty(3)
    for i in range(3):
        offset[i], turned[i] = 0.0, 0.0
        for j in range(3):
            offset[i] += rotation[i, j] * rotor["tip_centre"][j]
            turned[i] += rotation[i, j] * of_tip[3 + j]
    away, square, size, angle = 0.0, 0.0, 0.0, 0.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        size += axis[i] * axis[i]
        angle += spin[i] * axis[i]
        # beside the rotation of the hub
        beside = of_tip[i] + turned[j] * offset[k] - turned[k] * offset[j] - of_hub[i]
        beside -= spin[j] * (arm[k] + tip[k]) - spin[k] * (arm[j] + tip[j])
        place = tip[i] + 0.5 * beside
        away += place * axis[i]
        square += place * place
    radius = np.sqrt(square - away * away / size)
    half = 0.0 * angle if rotor.induction == momentum.INFLOW else 0.5 * angle / np.sqrt(size)
    rotor.radius = radius * np.cos(half)


@kernel
def _set_skew(rotor, flow, along, history):
    """Skewed inflow: W_n (1 + K tan(chi/2) r/R cos psi), with chi = (0.6 a + 1) times the angle of the wind."""
    mean, first, last = 0.0, rotor.first, rotor.first + rotor.count
    for k in range(first, last):
        mean += history[k, 1] / max(rotor.count, 1)
    square = 0.0
    for i in range(3):
        side = flow[i] - along * rotor["n"][i]
        rotor["skew"][i] = side
        square += side * side
    size = np.sqrt(square)
    if rotor.induction != momentum.MOMENTUM or size < 1e-9 * (along + 1e-9):
        for i in range(3):
            rotor["skew"][i] = 0.0
        return
    a = min(max(mean / max(along, momentum.STILL), 0.0), 0.5)
    chi = min((0.6 * a + 1.0) * np.arctan2(size, along), LARGEST_SKEW)
    for i in range(3):
        rotor["skew"][i] *= SKEW * np.tan(0.5 * chi) / size


@kernel(void(Blades, vector, float64, Motion, matrix, matrix, array3))
def residual(blades, clock, dt, motion, history, states, force):
    """Add the forces of all stations, times dt^2, to the nodes' ambient forces (n, 4, 3); fill states (…, 9)."""
    elements, stations, rotors, tables, angles, wind = blades
    q_i, q_f, _ = motion
    time = 0.5 * (clock[0] + clock[1])
    s_i, s_f, s, rate = np.empty((4, 3)), np.empty((4, 3)), np.empty((4, 3)), np.empty((4, 3))
    z, axes, y = np.empty(Z), np.empty((5, 3)), np.empty(RESULTS)
    station_states, q = np.empty(STATES), np.empty((4, 3))
    for e in range(elements.shape[0]):
        element = elements[e]
        rotor = rotors[element.blade]
        for k in range(element.first, element.first + element.count):
            station = stations[k]
            fill_section(element, station, q_i, s_i)
            fill_section(element, station, q_f, s_f)
            for v in range(4):
                for i in range(3):
                    s[v, i], rate[v, i] = 0.5 * (s_i[v, i] + s_f[v, i]), (s_f[v, i] - s_i[v, i]) / dt
            fill_inputs(station, rotor, wind_at_station(station, wind, time, s), s, rate, z, axes)
            solve_station(station, rotor, tables[k], angles, z, dt, history[k], station_states, y)
            section_forces(station, axes, y[2], y[3], y[4], q)
            add_to_nodes(element, station, -dt * dt, q, force)
            for i in range(STATES):
                states[k, i] = station_states[i]
            states[k, STARTED] = 1.0
            for i in range(Z):
                station["z"][i] = z[i]
            for i in range(RESULTS):
                station["y"][i] = y[i]
            for i in range(3):
                station["force"][i] = q[0, i] / station.length
                station["at"][i] = s[0, i] + station["centre"][0] * s[2, i] + station["centre"][1] * s[3, i]


@kernel
def add_to_nodes(element, station, scale, q, force):
    """Add scale times the forces q (4, 3) on the section's vectors to those on the nodes' vectors (n, 4, 3)."""
    arm, turn = element["arm"], element["turn"]
    for k in range(4):
        n, share = element["nodes"][k], scale * station["shape"][k]
        if n < 0:
            continue
        for i in range(3):
            force[n, 0, i] += share * q[0, i]
            for c in range(3):
                on = turn[0, c] * q[1, i] + turn[1, c] * q[2, i] + turn[2, c] * q[3, i]
                force[n, 1 + c, i] += share * (arm[k, c] * q[0, i] + on)


@kernel
def fill_forces(station, s_i, s_f, q):
    """Forces q (4, 3) on the section's vectors from the last evaluation."""
    axes = np.empty((5, 3))
    for v in range(2):
        size = 0.0
        for i in range(3):
            axes[3 + v, i] = 0.5 * (s_i[2 + v, i] + s_f[2 + v, i])
            size += axes[3 + v, i] ** 2
        for i in range(3):
            axes[3 + v, i] /= np.sqrt(size)
    cosine, sine = station["twist"][0], station["twist"][1]
    for i in range(3):
        axes[2, i] = 0.5 * (s_i[1, i] + s_f[1, i])
        axes[0, i] = cosine * axes[3, i] - sine * axes[4, i]
        axes[1, i] = sine * axes[3, i] + cosine * axes[4, i]
    y = station["y"]
    section_forces(station, axes, y[2], y[3], y[4], q)


@kernel(void(matrix, matrix))
def accept(states, history):
    """Make the states at the end of the step the history."""
    for k in range(states.shape[0]):
        for i in range(states.shape[1]):
            history[k, i] = states[k, i]


@kernel(void(Blades, Motion, vector))
def work_done(blades, motion, out):
    """Add the work of all stations over the step to out (1,), J."""
    elements, stations, _, _, _, _ = blades
    q_i, q_f, _ = motion
    s_i, s_f, q = np.empty((4, 3)), np.empty((4, 3)), np.empty((4, 3))
    for e in range(elements.shape[0]):
        for k in range(elements[e].first, elements[e].first + elements[e].count):
            fill_section(elements[e], stations[k], q_i, s_i)
            fill_section(elements[e], stations[k], q_f, s_f)
            fill_forces(stations[k], s_i, s_f, q)
            for v in range(4):
                for i in range(3):
                    out[0] += q[v, i] * (s_f[v, i] - s_i[v, i])


@kernel(void(Blades, matrix))
def list_flow(blades, out):
    """Fill out (stations, 11): force (3), moment, angle of attack, speed, induced velocities, thrust, torque, wind."""
    elements, stations, rotors, _, _, _ = blades
    for e in range(elements.shape[0]):
        rotor = rotors[elements[e].blade]
        axis, x = rotor["sense"], rotor["x"]
        for k in range(elements[e].first, elements[e].first + elements[e].count):
            z, y, f, at = stations[k]["z"], stations[k]["y"], stations[k]["force"], stations[k]["at"]
            v_x, v_y = z[0] - z[9] * y[0] * z[2] + y[1] * z[4], z[1] - z[9] * y[0] * z[3] + y[1] * z[5]
            out[k, 3], out[k, 4], out[k, 5] = y[4], np.arctan2(v_x, v_y), np.sqrt(v_x * v_x + v_y * v_y)
            out[k, 6], out[k, 7], out[k, 8], out[k, 9], out[k, 10] = y[0], y[1], 0.0, 0.0, z[7]
            for i in range(3):
                j, m = (i + 1) % 3, (i + 2) % 3
                out[k, i] = f[i]
                out[k, 8] += rotor["n"][i] * f[i]
                out[k, 9] += axis[i] * ((at[j] - x[j]) * f[m] - (at[m] - x[m]) * f[j])


@kernel(void(Blades, vector, matrix))
def fill_machs(blades, largest, measures):
    """Fill measures (1, elements) with the Mach numbers of the last evaluation at stations that have a largest one."""
    measures[:] = 0.0
    for k in range(blades.stations.shape[0]):
        station = blades.stations[k]
        rotor, z, y = blades.rotors[blades.elements[station.element].blade], station["z"], station["y"]
        v_x, v_y = flow_in_section(z, y[0], y[1])
        if largest[k] < np.inf:
            mach = np.sqrt(v_x * v_x + v_y * v_y) / rotor.sound
            measures[0, station.element] = max(measures[0, station.element], mach)
