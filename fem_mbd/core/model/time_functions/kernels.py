"""Evaluation of functions of time, compiled: instructions of a stack machine.

A function consists of instructions (code, first, count): operation, index of its first number in ``data``, and its
number of pieces. A shape pushes its value and rate on the stack; a sum, a product or a piecewise function pops several
and pushes one. Values and rates have three components; those of a scalar function are equal.

The shapes and their numbers are described in `time_functions`; operations are in the same order there, so that both
evaluations are bitwise equal.
"""

from __future__ import annotations

import sys

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import array3, index_rows, indices, vector, void

CONSTANT, RAMP, SMOOTH_STEP, HARMONIC, POLYNOMIAL, TABLE, SUM, PRODUCT, PIECEWISE = range(9)
ROUND_OFF = 8.0 * sys.float_info.epsilon  # relative: tolerance for times that are sums of many step sizes


@kernel
def is_at(t, instant):
    """Whether time t (s) is equal to the instant (s) to round-off."""
    return abs(t - instant) <= ROUND_OFF * abs(instant)


@kernel
def _sided(t, instants, side):
    """t, or the instant (n,) to which it is equal, or for side < 0 the last float before that."""
    for instant in instants:
        if is_at(t, instant):
            return np.nextafter(instant, -np.inf) if side < 0 else instant
    return t


@kernel
def count_until(instants, t):
    """Number of the ascending instants (n,) that are at t or before."""
    low, high = 0, instants.shape[0]
    while low < high:
        middle = (low + high) // 2
        if instants[middle] <= t:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _ramp(smooth, data, t, side, out):
    """data (8,): start, end, value before, value after."""
    t0, t1 = data[0], data[1]
    s = min(max((t - t0) / (t1 - t0), 0.0), 1.0)
    rise = s * s * s * (10.0 + s * (6.0 * s - 15.0)) if smooth else s
    s = (_sided(t, data[:2], side) - t0) / (t1 - t0)
    slope = 0.0
    if 0.0 <= s < 1.0:
        slope = 30.0 * (s * (1.0 - s)) ** 2 if smooth else 1.0
    for i in range(3):
        out[0, i] = (1.0 - rise) * data[2 + i] + rise * data[5 + i]
        out[1, i] = slope / (t1 - t0) * (data[5 + i] - data[2 + i])


@kernel
def _harmonic(data, t, out):
    """data (8,): amplitude, omega, phase, offset."""
    omega, phase = data[3], data[4]
    for i in range(3):
        out[0, i] = data[5 + i] + np.sin(omega * t + phase) * data[i]
        out[1, i] = omega * np.cos(omega * t + phase) * data[i]


@kernel
def _polynomial(rows, t, out):
    """rows (k, 3), lowest power first; the value by Horner's scheme."""
    for i in range(3):
        out[i] = rows[-1, i]
        for k in range(rows.shape[0] - 2, -1, -1):
            out[i] = out[i] * t + rows[k, i]


@kernel
def _table(instants, cubics, t, side, out):
    """instants (n,); cubics (n + 1, 4, 3) of the times before, between and after them, highest power first."""
    at = count_until(instants, t)
    nearest = at - 1 if at > 0 and instants[at - 1] == t else at  # the first instant not before t
    at = _sided(t, instants[max(nearest - 1, 0) : nearest + 1], side)
    k = count_until(instants, at)
    s = t - instants[k - 1] if k else 0.0  # of t: where an instant moves and t, the run's end, does not
    for i in range(3):
        a, b, c, d = cubics[k, 0, i], cubics[k, 1, i], cubics[k, 2, i], cubics[k, 3, i]
        out[0, i] = ((a * s + b) * s + c) * s + d
        out[1, i] = (3.0 * a * s + 2.0 * b) * s + c


@kernel
def _shape(code, data, count, t, side, out):
    """Value and rate (2, 3) of one shape with its numbers."""
    if code == CONSTANT:
        for i in range(3):
            out[0, i], out[1, i] = data[i], 0.0 * data[i]
    elif code == RAMP or code == SMOOTH_STEP:
        _ramp(code == SMOOTH_STEP, data, t, side, out)
    elif code == HARMONIC:
        _harmonic(data, t, out)
    elif code == POLYNOMIAL:
        slopes = max(count - 1, 1)
        _polynomial(data[: 3 * count].reshape(count, 3), t, out[0])
        _polynomial(data[3 * count : 3 * (count + slopes)].reshape(slopes, 3), t, out[1])
    else:
        cubics = data[count : count + 12 * (count + 1)].reshape(count + 1, 4, 3)
        _table(data[:count], cubics, t, side, out)


@kernel
def value_and_rate(code, data, t, side, stack):
    """Evaluate value and rate of the function with these instructions (n, 3) at time t into stack[0], (2, 3).

    stack (depth, 2, 3) is workspace for its parts; side as in `TimeFunction.value`.
    """
    top = 0
    for row in code:
        operation, first, count = row
        if operation == SUM or operation == PRODUCT:
            top -= 1
            f, g = stack[top - 1], stack[top]
            for i in range(3):
                if operation == SUM:
                    f[0, i], f[1, i] = f[0, i] + g[0, i], f[1, i] + g[1, i]
                else:
                    f[1, i] = f[1, i] * g[0, i] + f[0, i] * g[1, i]
                    f[0, i] *= g[0, i]
        elif operation == PIECEWISE:
            switches = data[first : first + count]
            top -= count
            piece = top - 1 + count_until(switches, _sided(t, switches, side))
            # number by number: assignment of arrays takes 3 s to compile, for its error message on shapes
            for i in range(3):
                stack[top - 1, 0, i], stack[top - 1, 1, i] = stack[piece, 0, i], stack[piece, 1, i]
        else:
            _shape(operation, data[first:], count, t, side, stack[top])
            top += 1


@kernel(void(index_rows, indices, vector, vector, indices, array3, vector, array3))
def at_both_ends(code, ends, data, jumps, jump_ends, stack, clock, values):
    """Fill values (3, n, 3) of the functions: at the step's start, at its end, and their rates at its end.

    Function f has the instructions from ends[f] on, none if it is evaluated in Python. At a kink or jump the start of a
    step takes the limit from later times and its end that from earlier times; at a jump that the step carries out (the
    instants from jump_ends[f] on) the start takes the limit from earlier times. clock (3,): `Workspace.clock`.
    """
    for f in range(values.shape[1]):
        if ends[f] == ends[f + 1]:
            continue
        program = code[ends[f] : ends[f + 1]]
        side = 1
        for instant in jumps[jump_ends[f] : jump_ends[f + 1]]:
            if is_at(clock[0], instant):
                side = -1
        value_and_rate(program, data, clock[0], side, stack)
        for i in range(3):
            values[0, f, i] = stack[0, 0, i]
        value_and_rate(program, data, clock[1], -1, stack)
        for i in range(3):
            values[1, f, i], values[2, f, i] = stack[0, 0, i], stack[0, 1, i]
