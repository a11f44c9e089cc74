"""Forces of one aerodynamic station: flow, induced velocities solved with it, coefficients (compiled).

The relative flow without induction at 3/4 chord, w, gives with the induced velocity (`momentum`) the flow in the
plane of the section, x to the suction side and y to the trailing edge,

    v_x = w_x - W_n n_x + W_t t_x        v_y = w_y - W_n n_y + W_t t_y        alpha = arctan2(v_x, v_y)

and the forces per length at 1/4 chord rho c/2 |v| (cl v_y + cd v_x, -cl v_x + cd v_y) and moment rho c^2/2 |v|^2
cm. The W are means over the step and solve

    W = filter(W_q(forces(W)))

by Newton's method, with the filter of the dynamic inflow over the step (none: W = W_q, the steady equation). The
solution is found in real numbers; one more step of the method carries derivatives of any inputs, complex or dual,
exactly. Where there is no solution (`converged` 0), the W of the step's start remain.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.aerodynamics import momentum, stall
from fem_mbd.core.compiled import kernel

H = 1e-40  # of complex steps
REAL = 8  # bytes of a number without derivatives
# inputs of a station: w_x, w_y, n_x, n_y, t_x, t_y, rate of pitch, wind along n, radius, factor on W_n in skewed flow,
# radius per length of the line
Z = 11
RESULTS = 5  # residuals of W_n and W_t, forces along x and y (N/m), moment (N m/m)
STATES = momentum.STATES + stall.STATES  # y_n, W_n, y_t, W_t, then those of stall
MAX_ITERATIONS = 60
TOLERANCE = 1e-12  # of W, relative to the speeds
MAX_HALVINGS = 8
RELAXATIONS, SCAN, BISECTIONS = 25, 40, 30  # of the search for a start, where the method fails

STATION = np.dtype(
    [
        ("element", "i8"),
        ("shape", "f8", (4,)),  # of the element's nodes
        ("centre", "f8", (2,)),  # aerodynamic centre, m, along section axes 2 and 3
        ("control", "f8", (2,)),  # 3/4 chord
        ("twist", "f8", (2,)),  # cosine and sine of the twist of the chord against the section
        ("chord", "f8"),
        ("length", "f8"),  # of the line that it stands for, m
        # of the last evaluation
        ("z", "f8", (Z,)),
        ("y", "f8", (RESULTS,)),  # W_n, W_t, forces along x and y, moment
        ("force", "f8", (3,)),  # N/m, global axes
        ("at", "f8", (3,)),  # aerodynamic centre
        ("converged", "i8"),
        ("slopes", "f8", (RESULTS, 2)),  # of `slopes_by_w` at an earlier W of the step
        ("sloped", "i8"),  # whether there are any
        ("w", "f8"),  # m/s, W_n of the inflow of a disk, see `inflow_kernels`
    ],
    align=True,
)
ROTOR = np.dtype(  # of one blade
    [
        ("hub", "i8"),  # node
        ("tip", "i8"),  # node at the tip
        ("axis", "f8", (3,)),  # of rotation, hub's node axes
        ("centre", "f8", (3,)),  # of the rotor, from the hub's mass centre, hub's node axes
        ("tip_centre", "f8", (3,)),  # of the tip's section from its mass centre, its node axes
        ("first", "i8"),  # its stations
        ("count", "i8"),
        ("blades", "f8"),
        ("hub_radius", "f8"),  # m, zero without loss there
        ("tip_loss", "i8"),
        ("induction", "i8"),
        ("relation", "i8"),
        ("dynamic", "i8"),  # dynamic inflow
        ("swirl", "f8"),  # 1, or 0 for none
        ("axial_drag", "f8"),  # share of the drag in CT, and in the torque that causes swirl
        ("tangential_drag", "f8"),
        ("slow", "f8"),  # s, constant tau1; 0 for Oye's
        ("stall", "i8"),
        ("density", "f8"),
        ("sound", "f8"),  # m/s
        ("omega", "f8", (3,)),  # rotation of the axes of a steady state, rad/s, about pole; zero in runs
        ("pole", "f8", (3,)),
        # of the step
        ("n", "f8", (3,)),
        ("sense", "f8", (3,)),  # axis of rotation
        ("x", "f8", (3,)),  # centre
        ("v", "f8", (3,)),
        ("spin", "f8", (3,)),  # angular velocity of the hub
        ("skew", "f8", (3,)),  # increase of W_n towards the downwind side of the rotor, per r/R
        ("radius", "f8"),  # of the tip, m
    ],
    align=True,
)


@kernel
def flow_in_section(z, w_n, w_t):
    """v_x and v_y with induced velocities."""
    return z[0] - z[9] * w_n * z[2] + w_t * z[4], z[1] - z[9] * w_n * z[3] + w_t * z[5]


@kernel
def blade_forces(station, rotor, table, angles, flow, dt, history, states):
    """Forces along x and y, N/m, moment, N m/m, drag over speed and speed; flow: v_x, v_y and rate of pitch.

    Fills the states (8,) of stall.
    """
    v_x, v_y, rate = flow
    square = v_x * v_x + v_y * v_y
    speed = stall.square_root(square) if square.real > 1e-12 else 1e-6 + 0.0 * square
    chord, of_stall = station.chord, momentum.STATES
    seen = (stall.angle_of(v_x, v_y), rate, speed, chord, rotor.sound)
    cl, cd, cm = stall.coefficients(
        rotor.stall, table, angles, seen, dt, history[of_stall:], states[of_stall:]
    )
    size = 0.5 * rotor.density * chord * speed
    return (
        size * (cl * v_y + cd * v_x),
        size * (cd * v_y - cl * v_x),
        size * speed * chord * cm,
        size * cd,
        speed,
    )


@kernel
def annulus_loads(rotor, z, flow, forces):
    """Loads B f/(pi rho r) of the annulus along n and against t, (m/s)^2, and the sine of the flow angle."""
    v_x, v_y, _ = flow
    f_x, f_y, _, drag, _ = forces
    n_x, n_y, t_x, t_y, r = z[2], z[3], z[4], z[5], z[8]
    per = rotor.blades / (np.pi * rotor.density * r * z[10])
    through, along = v_x * n_x + v_y * n_y, v_x * t_x + v_y * t_y
    load_n = per * (f_x * n_x + f_y * n_y - (1.0 - rotor.axial_drag) * drag * through)
    load_t = -per * (f_x * t_x + f_y * t_y - (1.0 - rotor.tangential_drag) * drag * along)
    return load_n, load_t, through / stall.square_root(through * through + along * along + 1e-30)


@kernel
def induction_residuals(rotor, loads, wind, r, speed, w_n, w_t, dt, history, states):
    """Residuals of W_n and W_t with the loads of `annulus_loads`; speed: the relative one; fills states (8,)."""
    load_n, load_t, sine = loads
    for i in range(momentum.STATES):
        states[i] = history[i] + 0.0 * load_n
    if rotor.induction == momentum.FROZEN:
        return w_n - history[1] + 0.0 * load_n, w_t - history[3] + 0.0 * load_n
    if rotor.induction == momentum.NONE or rotor.induction == momentum.INFLOW:
        return w_n + 0.0 * load_n, w_t + 0.0 * load_n
    tip = rotor.radius if rotor.tip_loss != 0 else 0.0
    loss = momentum.prandtl(rotor.blades, r, tip, rotor.hub_radius, sine)
    quasi_n = momentum.axial(rotor.relation, load_n, wind, loss)
    quasi_t = rotor.swirl * momentum.swirl(rotor.relation, load_t, wind, w_n, loss, speed)
    if rotor.dynamic == 0:
        states[1], states[3] = quasi_n, quasi_t
        return w_n - quasi_n, w_t - quasi_t
    a = history[1] / (wind if wind.real > momentum.STILL else momentum.STILL + 0.0 * wind)
    slow, fast = momentum.time_constants(wind, a, r, rotor.radius, rotor.slow)
    first, second = stall.decay(dt / slow), stall.decay(dt / fast)
    mean_n, states[0], states[1] = momentum.inflow(quasi_n, history[0], history[1], first, second)
    mean_t, states[2], states[3] = momentum.inflow(quasi_t, history[2], history[3], first, second)
    return w_n - mean_n, w_t - mean_t


@kernel
def closure(station, rotor, table, angles, z, w_n, w_t, dt, history, states):
    """Residuals of W, forces along x and y, N/m, and moment, N m/m, at W; fills states (8,) at the end of the step."""
    v_x, v_y = flow_in_section(z, w_n, w_t)
    flow = (v_x, v_y, z[6])
    forces = blade_forces(station, rotor, table, angles, flow, dt, history, states)
    loads = annulus_loads(rotor, z, flow, forces)
    r_n, r_t = induction_residuals(rotor, loads, z[7], z[8], forces[4], w_n, w_t, dt, history, states)
    return r_n, r_t, forces[0], forces[1], forces[2]


@kernel
def slopes_by_w(station, rotor, table, angles, z, w, dt, history, states, out):
    """Fill out (5, 2), derivatives of `closure` by W_n and W_t, of real z and w; states (8,) complex scratch."""
    for j in range(2):
        w_n, w_t = w[0] + (H * 1j if j == 0 else 0j), w[1] + (H * 1j if j == 1 else 0j)
        perturbed = closure(station, rotor, table, angles, z, w_n, w_t, dt, history, states)
        out[0, j], out[1, j] = perturbed[0].imag / H, perturbed[1].imag / H
        out[2, j], out[3, j], out[4, j] = perturbed[2].imag / H, perturbed[3].imag / H, perturbed[4].imag / H


@kernel
def _slopes_by_flow(station, rotor, table, angles, flow, dt, history, states, out):
    """Fill out (4, 5): results of `blade_forces` at a real flow, last, and their derivatives by v_x, v_y and rate."""
    for k in range(3):
        moved = (
            flow[0] + (H * 1j if k == 0 else 0j),
            flow[1] + (H * 1j if k == 1 else 0j),
            flow[2] + (H * 1j if k == 2 else 0j),
        )
        for i, value in enumerate(blade_forces(station, rotor, table, angles, moved, dt, history, states)):
            out[k, i], out[3, i] = value.imag / H, value.real


@kernel
def _slopes_by_loads(rotor, loads, z, speed, w, dt, history, states, out):
    """Fill out (2, 6): derivatives of `induction_residuals` by loads, sine, wind, radius and W_n."""
    for k in range(6):
        step = (
            H * 1j if k == 0 else 0j,
            H * 1j if k == 1 else 0j,
            H * 1j if k == 2 else 0j,
            H * 1j if k == 3 else 0j,
            H * 1j if k == 4 else 0j,
            H * 1j if k == 5 else 0j,
        )
        moved_loads = (loads[0] + step[0], loads[1] + step[1], loads[2] + step[2])
        wind, r, w_n = z[7] + step[3], z[8] + step[4], w[0] + step[5]
        r_n, r_t = induction_residuals(
            rotor, moved_loads, wind, r, speed, w_n, w[1] + 0j, dt, history, states
        )
        out[0, k], out[1, k] = r_n.imag / H, r_t.imag / H


@kernel
def slopes_by_inputs(station, rotor, table, angles, z, w, dt, history, scratch, out):
    """Fill out (3, 11), derivatives of forces along x, y and moment by the inputs z (11,), with W (2,) that follows.

    The forces depend on three numbers of the flow only, and the residuals of W on six of the annulus, so that as many
    complex steps through coefficients and momentum theory serve all inputs. Scratch: (4, 5), (11,) and (8,) complex
    """
    by_flow, moved, states = scratch
    v_x, v_y = flow_in_section(z, w[0], w[1])
    _slopes_by_flow(station, rotor, table, angles, (v_x, v_y, z[6]), dt, history, states, by_flow)
    by_loads, slopes, real = np.empty((2, 6)), np.empty((RESULTS, 2)), by_flow[3]
    loads = annulus_loads(rotor, z, (v_x, v_y, z[6]), (real[0], real[1], real[2], real[3], real[4]))
    _slopes_by_loads(rotor, loads, z, real[4], w, dt, history, states, by_loads)
    for i in range(Z):
        moved[i] = z[i]
    for j in range(2 + Z):
        w_n, w_t = w[0] + (H * 1j if j == 0 else 0j), w[1] + (H * 1j if j == 1 else 0j)
        if j >= 2:
            moved[j - 2] += 1j * H
        x, y = flow_in_section(moved, w_n, w_t)
        d_x, d_y, d_r = 1j * x.imag, 1j * y.imag, 1j * moved[6].imag
        f_x = by_flow[3, 0] + by_flow[0, 0] * d_x + by_flow[1, 0] * d_y + by_flow[2, 0] * d_r
        f_y = by_flow[3, 1] + by_flow[0, 1] * d_x + by_flow[1, 1] * d_y + by_flow[2, 1] * d_r
        m = by_flow[3, 2] + by_flow[0, 2] * d_x + by_flow[1, 2] * d_y + by_flow[2, 2] * d_r
        drag = by_flow[3, 3] + by_flow[0, 3] * d_x + by_flow[1, 3] * d_y + by_flow[2, 3] * d_r
        moved_loads = annulus_loads(rotor, moved, (x, y, moved[6]), (f_x, f_y, m, drag, real[4]))
        r_n, r_t = by_loads[0, 5] if j == 0 else 0.0, by_loads[1, 5] if j == 0 else 1.0 if j == 1 else 0.0
        for k, d in enumerate((moved_loads[0], moved_loads[1], moved_loads[2], moved[7], moved[8])):
            r_n, r_t = r_n + by_loads[0, k] * d.imag / H, r_t + by_loads[1, k] * d.imag / H
        if j < 2:
            slopes[0, j], slopes[1, j] = r_n, r_t
            slopes[2, j], slopes[3, j], slopes[4, j] = f_x.imag / H, f_y.imag / H, m.imag / H
            continue
        moved[j - 2] = z[j - 2]
        d_n, d_t = newton_step(slopes, r_n, r_t)
        if station.converged == 0:
            d_n, d_t = 0.0, 0.0
        out[0, j - 2] = f_x.imag / H + slopes[2, 0] * d_n + slopes[2, 1] * d_t
        out[1, j - 2] = f_y.imag / H + slopes[3, 0] * d_n + slopes[3, 1] * d_t
        out[2, j - 2] = m.imag / H + slopes[4, 0] * d_n + slopes[4, 1] * d_t


@kernel
def newton_step(slopes, r_n, r_t):
    """Change of W for residuals, with the derivatives of `slopes_by_w`."""
    a, b, c, d = slopes[0, 0], slopes[0, 1], slopes[1, 0], slopes[1, 1]
    determinant = a * d - b * c
    if determinant == 0.0:
        return 0.0 * r_n, 0.0 * r_t
    per = 1.0 / determinant
    return -per * (d * r_n - b * r_t), -per * (a * r_t - c * r_n)


@kernel
def _newton(station, rotor, table, angles, z, dt, history, w, states, y):
    """Newton's method with a line search from w (2,), with new derivatives where it is slow; whether it converged.

    The slopes of the station are those of an earlier W of the step where there are any. Fills states (8,) and forces
    and moment in y (5,) at the last W.
    """
    moved, slopes = np.empty(STATES, np.complex128), station["slopes"]
    scale = 1.0 + abs(z[7]) + 0.1 * np.sqrt(z[0] * z[0] + z[1] * z[1])
    r_n, r_t, y[2], y[3], y[4] = closure(station, rotor, table, angles, z, w[0], w[1], dt, history, states)
    stale = station.sloped == 0
    for _ in range(MAX_ITERATIONS):
        size = abs(r_n) + abs(r_t)
        if size <= TOLERANCE * scale:
            return True
        if stale:
            slopes_by_w(station, rotor, table, angles, z, w, dt, history, moved, slopes)
            station.sloped = 1
        d_n, d_t = newton_step(slopes, r_n, r_t)
        largest = max(abs(d_n), abs(d_t)) / (0.5 * scale)
        share = 1.0 if largest < 1.0 else 1.0 / largest
        for _ in range(MAX_HALVINGS):
            y_n, y_t = w[0] + share * d_n, w[1] + share * d_t
            r_n, r_t, y[2], y[3], y[4] = closure(
                station, rotor, table, angles, z, y_n, y_t, dt, history, states
            )
            if abs(r_n) + abs(r_t) < size:
                break
            share *= 0.5
        w[0], w[1] = y_n, y_t
        stale = abs(r_n) + abs(r_t) > 0.1 * size
    return abs(r_n) + abs(r_t) <= 1e3 * TOLERANCE * scale


@kernel
def _axial_residual(station, rotor, table, angles, z, dt, history, w_n, w):
    """Residual of W_n at w_n, with W_t that solves its own equation by relaxation; sets w (2,)."""
    states = np.empty(STATES)
    w[0] = w_n
    r_n, r_t, _, _, _ = closure(station, rotor, table, angles, z, w[0], w[1], dt, history, states)
    for _ in range(RELAXATIONS):
        w[1] -= 0.3 * r_t
        r_n, r_t, _, _, _ = closure(station, rotor, table, angles, z, w[0], w[1], dt, history, states)
    return r_n


@kernel
def _bracketed(station, rotor, table, angles, z, dt, history, w):
    """Fill w (2,) with a start near a solution, found by a change of sign of the axial residual; whether there is
    one.
    """
    size = np.sqrt(z[0] * z[0] + z[1] * z[1]) + abs(z[7])
    step, w[1] = 2.0 * size / SCAN, 0.0
    low, high = 0.0, 0.0
    at_low = at_high = _axial_residual(station, rotor, table, angles, z, dt, history, 0.0, w)
    sense = 1.0 if at_low < 0.0 else -1.0  # the residual grows with W_n, as lift falls
    for k in range(SCAN):
        if at_low * at_high <= 0.0 and k > 0:
            break
        low, at_low = high, at_high
        high = sense * (k + 1) * step
        at_high = _axial_residual(station, rotor, table, angles, z, dt, history, high, w)
    if at_low * at_high > 0.0:
        return False
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        at = _axial_residual(station, rotor, table, angles, z, dt, history, middle, w)
        if at * at_low > 0.0:
            low, at_low = middle, at
        else:
            high = middle
    return True


@kernel
def solve(station, rotor, table, angles, z, dt, history, w, states, y):
    """Find W (2,) in real numbers, from its value in the last evaluation of the step; whether it was found.

    z (11,), history (8,) real; states (8,) and y (5,) as of `_newton`
    """
    for attempt in range(4):
        if attempt == 0:
            w[0], w[1] = station["y"][0], station["y"][1]
        else:
            station.sloped = 0
            w[0], w[1] = (history[1], history[3]) if attempt == 1 else (0.0, 0.0)
        if attempt == 3 and not _bracketed(station, rotor, table, angles, z, dt, history, w):
            return False
        if _newton(station, rotor, table, angles, z, dt, history, w, states, y):
            return True
    return False


@kernel
def solve_station(station, rotor, table, angles, z, dt, history, states, y):
    """Solve W and fill y (5,): W_n, W_t, forces along x and y, moment; states (8,) at the end of the step.

    z (11,) real, or complex or dual to carry derivatives.
    """
    if rotor.induction == momentum.INFLOW:  # solved for the whole disk
        y[0], y[1] = station.w + 0.0 * z[0], 0.0 * z[0]
        _, _, y[2], y[3], y[4] = closure(station, rotor, table, angles, z, y[0], y[1], dt, history, states)
        states[1] = y[0]
        return
    plain, past = np.empty(Z), np.empty(STATES)
    w, real_states, real_results = np.empty(2), np.empty(STATES), np.empty(RESULTS)
    for i in range(Z):
        plain[i] = z[i].real
    for i in range(STATES):
        past[i] = history[i].real
    converged = solve(station, rotor, table, angles, plain, dt.real, past, w, real_states, real_results)
    station.converged = 1 if converged else 0
    if not converged:
        w[0], w[1] = past[1], past[3]
    if converged and z.itemsize == REAL:  # known when it is compiled
        y[0], y[1], y[2], y[3], y[4] = w[0], w[1], real_results[2], real_results[3], real_results[4]
        for i in range(STATES):
            states[i] = real_states[i]
        return
    slopes = np.empty((RESULTS, 2))
    slopes_by_w(
        station, rotor, table, angles, plain, w, dt.real, past, np.empty(STATES, np.complex128), slopes
    )
    r_n, r_t, _, _, _ = closure(station, rotor, table, angles, z, w[0], w[1], dt, history, states)
    d_n, d_t = newton_step(slopes, r_n, r_t) if converged else (0.0 * r_n, 0.0 * r_t)
    y[0], y[1] = w[0] + d_n, w[1] + d_t
    _, _, y[2], y[3], y[4] = closure(station, rotor, table, angles, z, y[0], y[1], dt, history, states)
