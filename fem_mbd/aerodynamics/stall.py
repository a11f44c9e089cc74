"""Airfoil coefficients with dynamic stall: models of Oye and of Hansen, Gaunaa & Madsen (compiled).

With T = c/(2U), alpha the angle of attack at 3/4 of the chord, omega the rate of pitch, s and alpha_0 slope and
angle of zero lift, f and cl_fs the separation and the lift of separated flow (`blade`), the states are

    x1' = (b1/T) (A1 alpha - x1)             x3' = (alpha_E - alpha_0 + pi T omega/s - x3)/(1.7 T)
    x2' = (b2/T) (A2 alpha - x2)             x4' = (f(alpha_F) - x4)/(3 T)        alpha_F = x3 + alpha_0

with the effective angle alpha_E = alpha (1 - A1 - A2) + x1 + x2 (Hansen, Gaunaa & Madsen 2004, Riso-R-1354, eqs. 4 to
23, with constants of a flat plate A = .3, .7, b = .14, .53), and

    cl = x4 s (alpha_E - alpha_0) + (1 - x4) cl_fs(alpha_E) + pi T omega
    cd = cd(alpha_E) + (alpha - alpha_E) cl + (cd(alpha_E) - cd(alpha_0)) ((f^.5 - x4^.5)/2 - (f - x4)/4)
    cm = cm(alpha_E) - pi T omega/2

Oye 1991 has x4 only, with alpha_F = alpha_E = alpha and neither added mass nor change of drag and moment. Over a step
their inputs are constant: the states follow exactly, and coefficients take the mean states of the step, so that no step
is too long; a step without end gives the steady coefficients. Beyond 45 deg the steady coefficients take over.

The table of a section (n + 1, 5 m) has five columns for each of m Mach numbers: cl, cd, cm, f, cl_fs in rows of n
angles, and in the last row the Mach number, alpha_0 and s. All are linear in the Mach number; beyond the table the
values of its ends hold. A table of one Mach number does not depend on the flow's.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel

STATIC, OYE, HGM = 0, 1, 2
STATES = 4
A_1, A_2, B_1, B_2 = 0.3, 0.7, 0.14, 0.53
PRESSURE_LAG, SEPARATION_LAG = 1.7, 3.0  # in units of T
FADE_FROM, FADE_TO = np.radians(45.0), np.radians(60.0)
SLOWEST = 0.1  # m/s: T is that of a flow at least as fast
CL, CD, CM, F, CL_FS, COLUMNS = 0, 1, 2, 3, 4, 5  # of a table
MACH, ZERO, SLOPE = 0, 1, 2  # columns of its last row


@kernel
def angle_of(y, x):
    """arctan2(y, x), also of complex numbers with small imaginary parts."""
    y0, x0 = y.real, x.real
    size = x0 * x0 + y0 * y0
    if size < 1e-200:
        return 0.0 * y
    return np.arctan2(y0, x0) + (x0 * y - y0 * x) / size


@kernel
def interval(angles, alpha):
    """Index of the interval of ascending angles (n,) in which alpha, a real number, lies."""
    low, high = 0, angles.shape[0] - 1
    while high - low > 1:
        middle = (low + high) // 2
        if angles[middle] <= alpha:
            low = middle
        else:
            high = middle
    return low


@kernel
def mach_interval(table, mach):
    """First column of the Mach number below that of the flow, and the share of the next one."""
    low, high, last = 0, table.shape[1] - COLUMNS, table.shape[0] - 1
    while high - low > COLUMNS:
        middle = (low // COLUMNS + high // COLUMNS) // 2 * COLUMNS
        if table[last, middle] <= mach.real:
            low = middle
        else:
            high = middle
    share = (mach - table[last, low]) / (table[last, high] - table[last, low])
    if share.real <= 0.0:
        return low, 0.0 * mach
    return low, share if share.real < 1.0 else 1.0 + 0.0 * mach


@kernel
def _at_angle(table, k, angles, alpha, column):
    slope = (table[k + 1, column] - table[k, column]) / (angles[k + 1] - angles[k])
    return table[k, column] + slope * (alpha - angles[k])


@kernel
def in_table(table, k, angles, alpha, at, column):
    """A column of a table at alpha in interval k and at a place of `mach_interval`, linear in both."""
    value = _at_angle(table, k, angles, alpha, at[0] + column)
    if table.shape[1] > COLUMNS:
        value += at[1] * (_at_angle(table, k, angles, alpha, at[0] + COLUMNS + column) - value)
    return value


@kernel
def exponential(x):
    """exp(x), to first order in imaginary and dual parts, which carry derivatives only: one real exponential."""
    e = np.exp(x.real)
    return e + e * (x - x.real)


@kernel
def square_root(x):
    """sqrt(x) of a number above zero, to first order as `exponential`."""
    root = np.sqrt(x.real)
    return root + 0.5 / root * (x - x.real)


@kernel
def decay(h):
    """What is left of a filter's start in the mean over a step h times as long as its time constant, and at its end."""
    e = exponential(-h)
    return (1.0 - 0.5 * h if h.real < 1e-5 else (1.0 - e) / h), e


@kernel
def follow(x_i, target, left):
    """Mean over the step, and value at its end, of x' = (target - x)/T; left: of `decay`(dt/T)."""
    return target + (x_i - target) * left[0], target + (x_i - target) * left[1]


@kernel
def static_coefficients(table, angles, alpha, at):
    """cl, cd, cm of the table; at: of `mach_interval`."""
    k = interval(angles, alpha.real)
    return (
        in_table(table, k, angles, alpha, at, CL),
        in_table(table, k, angles, alpha, at, CD),
        in_table(table, k, angles, alpha, at, CM),
    )


@kernel
def _square_root(x):
    return square_root(x) if x.real > 1e-12 else 0.0 * x


@kernel
def coefficients(model, table, angles, flow, dt, x_i, x_f):
    """cl, cd, cm of a step; fills the states x_f (4,) at its end.

    flow : alpha, its rate of pitch, speed, chord, speed of sound; x_i : (4,) states at the start of the step
    """
    last = table.shape[0] - 1
    if table.shape[1] == COLUMNS:
        line = (table[last, ZERO], table[last, SLOPE])  # real numbers
        return _of_line(model, line, table, angles, flow, (0, 0.0), dt, x_i, x_f)
    k, share = mach_interval(table, flow[2] / flow[4])
    zero, slope, above = table[last, k + ZERO], table[last, k + SLOPE], k + COLUMNS
    zero, slope = (
        zero + share * (table[last, above + ZERO] - zero),
        slope + share * (table[last, above + SLOPE] - slope),
    )
    return _of_line(model, (zero, slope), table, angles, flow, (k, share), dt, x_i, x_f)


@kernel
def _of_line(model, line, table, angles, flow, at, dt, x_i, x_f):
    """As `coefficients`; line: alpha_0 and s, at: of `mach_interval`."""
    alpha, rate, speed, chord, _ = flow
    zero, slope = line
    cl_s, cd_s, cm_s = static_coefficients(table, angles, alpha, at)
    for i in range(STATES):
        x_f[i] = x_i[i] + 0.0 * alpha
    if model == STATIC or slope.real == 0.0:
        return cl_s, cd_s, cm_s
    time = 0.5 * chord / (speed if speed.real > SLOWEST else SLOWEST + 0.0 * speed)
    h, added, alpha_e, lag = dt / time, 0.0 * alpha, alpha, alpha
    if model == HGM:
        x1, x_f[0] = follow(x_i[0], A_1 * alpha, decay(B_1 * h))
        x2, x_f[1] = follow(x_i[1], A_2 * alpha, decay(B_2 * h))
        alpha_e = alpha * (1.0 - A_1 - A_2) + x1 + x2
        added = np.pi * time * rate
        x3, x_f[2] = follow(x_i[2], alpha_e - zero + added / slope, decay(h / PRESSURE_LAG))
        lag = x3 + zero
    k_f, k_e = interval(angles, lag.real), interval(angles, alpha_e.real)
    x4, x_f[3] = follow(x_i[3], in_table(table, k_f, angles, lag, at, F), decay(h / SEPARATION_LAG))
    cl_fs = in_table(table, k_e, angles, alpha_e, at, CL_FS)
    cl = x4 * slope * (alpha_e - zero) + (1.0 - x4) * cl_fs + added
    cd, cm = in_table(table, k_e, angles, alpha_e, at, CD), in_table(table, k_e, angles, alpha_e, at, CM)
    if model == HGM:
        f, k_0 = in_table(table, k_e, angles, alpha_e, at, F), interval(angles, zero.real)
        parted = 0.5 * (_square_root(f) - _square_root(x4)) - 0.25 * (f - x4)
        cd += (alpha - alpha_e) * cl + (cd - in_table(table, k_0, angles, zero, at, CD)) * parted
        cm -= 0.5 * added
    return _faded(alpha, (cl, cd, cm), (cl_s, cd_s, cm_s))


@kernel
def _faded(alpha, unsteady, static):
    """The unsteady coefficients up to FADE_FROM, the static ones from FADE_TO on."""
    size = alpha if alpha.real > 0.0 else -alpha
    if size.real <= FADE_FROM:
        return unsteady
    if size.real >= FADE_TO:
        return static
    share = 0.5 - 0.5 * np.cos(np.pi * (size - FADE_FROM) / (FADE_TO - FADE_FROM))
    return (
        unsteady[0] + share * (static[0] - unsteady[0]),
        unsteady[1] + share * (static[1] - unsteady[1]),
        unsteady[2] + share * (static[2] - unsteady[2]),
    )


@kernel
def steady_states(model, table, angles, alpha, out):
    """Fill out (4,) with the states of a flow that has long been steady; table of one Mach number."""
    zero, slope = table[-1, ZERO], table[-1, SLOPE]
    for i in range(STATES):
        out[i] = 0.0
    if model == HGM:
        out[0], out[1], out[2] = A_1 * alpha, A_2 * alpha, alpha - zero
    if slope > 0.0:
        out[3] = in_table(table, interval(angles, alpha), angles, alpha, (0, 0.0), F)
