"""Forces and moments on single nodes, fixed in space or following the node (compiled).

A load w(t) enters as the exact P1 projection of the quadratic through its values at t_i and t_f and its rate at t_f,

    w_g = w_i/3 + 2 w_f/3 - dt w'_f/6,      w_s = (w_f - w_i)/2,

its work over the step being dt (w_g . v_g + w_s . dv/3). A follower force is w = R p, w' = R (Omega x p + p'); a moment
fixed in space is R^T M in node axes. Forces at an offset act on the directors too, as ambient forces Q_m = w_g - w_s/3
and Q_f = w_s/3. Source: docs/explanation/theory.md, section 4.

The kernels are generic in the type of the unknowns: the tangent is a complex step over (b, e), exact to round-off.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import array3, float64, indices, matrix, record, slots, vector, void
from fem_mbd.core.scheme.nodes.node_map import node_configuration, pull_back

DEAD_FORCE, FOLLOWER_FORCE, DEAD_MOMENT, FOLLOWER_MOMENT = 0, 1, 2, 3

LOAD = np.dtype(
    [
        ("node", "i8"),
        ("kind", "i8"),
        ("arm", "f8", (3,)),  # from the mass centre, node axes
        ("w_i", "f8", (3,)),  # value at t_i, at t_f, and dt times the rate at t_f
        ("w_f", "f8", (3,)),
        ("w_p", "f8", (3,)),
    ],
    align=True,
)


@kernel(void(record(LOAD)[::1], indices, array3, array3, float64))
def set_values(loads, which, scale, values, dt):
    """Set the values of the loads (n,) in this step.

    Load k is scale[k] (3, 3) times function which[k], of whose values (3, functions, 3) the first are those at t_i, the
    second those at t_f, the third their rates there.
    """
    for k in range(loads.shape[0]):
        load, f = loads[k], which[k]
        for i in range(3):
            load["w_i"][i] = load["w_f"][i] = load["w_p"][i] = 0.0
            for j in range(3):
                load["w_i"][i] += scale[k, i, j] * values[0, f, j]
                load["w_f"][i] += scale[k, i, j] * values[1, f, j]
                load["w_p"][i] += scale[k, i, j] * values[2, f, j]
            load["w_p"][i] *= dt


@kernel
def _moment_rows(load, q_i, q_f, p, rows):
    """Add a moment to the rows (b, e) directly, in node axes."""
    for a in range(3):
        if load.kind == DEAD_MOMENT:
            start, end, rate = 0.0 * q_f[1, 0], 0.0 * q_f[1, 0], 0.0 * q_f[1, 0]
            for i in range(3):
                start += q_i[1 + a, i] * load.w_i[i]
                end += q_f[1 + a, i] * load.w_f[i]
                rate += p[1 + a, i] * load.w_f[i] + q_f[1 + a, i] * load.w_p[i]
        else:
            start, end, rate = (
                load.w_i[a] + 0.0 * q_f[1, 0],
                load.w_f[a] + 0.0 * q_f[1, 0],
                load.w_p[a] + 0.0 * q_f[1, 0],
            )
        rows[3 + a] -= start / 3 + 2 * end / 3 - rate / 6
        rows[9 + a] -= (end - start) / 6


@kernel
def _force_rows(load, x, r_i, r_f, q_i, q_f, p, rows):
    """Add a force to the rows through the node's vectors: the mass centre, and the directors by the arm.

    One load on one node: x and rows (12,), r_i and r_f (3, 3), q_i, q_f and p (4, 3).
    """
    force_m, force_f = np.empty((4, 3), x.dtype), np.empty((4, 3), x.dtype)
    for i in range(3):
        start, end, rate = load.w_i[i] + 0.0 * x[0], load.w_f[i] + 0.0 * x[0], load.w_p[i] + 0.0 * x[0]
        if load.kind == FOLLOWER_FORCE:
            start, end, rate = 0.0 * x[0], 0.0 * x[0], 0.0 * x[0]
            for a in range(3):
                start += q_i[1 + a, i] * load.w_i[a]
                end += q_f[1 + a, i] * load.w_f[a]
                rate += p[1 + a, i] * load.w_f[a] + q_f[1 + a, i] * load.w_p[a]
        slope = (end - start) / 2
        force_m[0, i] = -(start / 3 + 2 * end / 3 - rate / 6 - slope / 3)
        force_f[0, i] = -slope / 3
        for a in range(3):
            force_m[1 + a, i] = load.arm[a] * force_m[0, i]
            force_f[1 + a, i] = load.arm[a] * force_f[0, i]
    pull_back(x, r_i, r_f, force_m, force_f, rows)


@kernel
def _is_plain(load):
    """Whether it is a force fixed in space at the mass centre."""
    centred = load.arm[0] == 0.0 and load.arm[1] == 0.0 and load.arm[2] == 0.0
    return load.kind == DEAD_FORCE and centred


@kernel
def load_rows(load, x, r_i, q_i, rows):
    """Fill rows (12,) of one load on its node, as internal forces (minus the load), not yet times dt^2."""
    rows[:] = 0.0
    if _is_plain(load):  # needs no rotations
        for i in range(3):
            slope = (load.w_f[i] - load.w_i[i]) / 2
            rows[i] = -(load.w_i[i] / 3 + 2 * load.w_f[i] / 3 - load.w_p[i] / 6)
            rows[6 + i] = -slope / 3
        return
    _set_by_rotation(load, x, r_i, q_i, rows)


@kernel
def _set_by_rotation(load, x, r_i, q_i, rows):
    """Add to rows (12,), as in `load_rows`, those of a load that depends on its node's rotation."""
    q_f, p, r_f = np.empty((4, 3), x.dtype), np.empty((4, 3), x.dtype), np.empty((3, 3), x.dtype)
    node_configuration(x, r_i, q_i, q_f, p, r_f)
    if load.kind == DEAD_FORCE or load.kind == FOLLOWER_FORCE:
        _force_rows(load, x, r_i, r_f, q_i, q_f, p, rows)
    else:
        _moment_rows(load, q_i, q_f, p, rows)


@kernel(void(record(LOAD)[::1], float64, matrix, array3, array3, matrix))
def residual(loads, dt, x, r_i, q_i, rows):
    """Add all loads, times dt^2, to the rows (n, 12) of their nodes."""
    node_row = np.empty(12)
    for k in range(loads.shape[0]):
        n = loads[k].node
        load_rows(loads[k], x[n], r_i[n], q_i[n], node_row)
        for i in range(12):
            rows[n, i] += dt * dt * node_row[i]


@kernel
def _is_constant(load):
    """Whether a record has no tangent; a follower moment does not depend on the unknowns either."""
    return _is_plain(load) or load.kind == FOLLOWER_MOMENT


@kernel(void(record(LOAD)[::1], float64, matrix, array3, array3, slots, vector))
def tangent(loads, dt, x, r_i, q_i, slots, data):
    """Add the derivative of every load by its node's (b, e) to the matrix values."""
    for k in range(loads.shape[0]):
        if not _is_constant(loads[k]):
            n = loads[k].node
            _add_derivative(loads[k], dt, x[n], r_i[n], q_i[n], slots[k], data)


@kernel
def _add_derivative(load, dt, x, r_i, q_i, slots, data):
    """Add the derivative of one load by complex steps; x (12,) of its node, slots (12, 12) indices in data."""
    y, node_row, h = np.empty(12, np.complex128), np.empty(12, np.complex128), 1e-40
    for i in range(12):
        y[i] = x[i]
    for j in range(6):
        column = 3 + j if j < 3 else 6 + j
        y[column] += 1j * h
        load_rows(load, y, r_i, q_i, node_row)
        y[column] = x[column]
        for i in range(12):
            data[slots[i, column]] += dt * dt * node_row[i].imag / h


@kernel(void(record(LOAD)[::1], float64, matrix, array3, array3, array3))
def response(loads, dt, x, r_i, q_i, rows):
    """Fill rows (n, 12, 3), dt^2 times the derivative of each load's rows by its value w, constant over the step."""
    node_row = np.empty(12)
    unit = loads.copy()
    for k in range(loads.shape[0]):
        n = loads[k].node
        load = unit[k]
        for j in range(3):
            for i in range(3):
                load["w_i"][i] = load["w_f"][i] = 1.0 if i == j else 0.0
                load["w_p"][i] = 0.0
            load_rows(load, x[n], r_i[n], q_i[n], node_row)
            for i in range(12):
                rows[k, i, j] = dt * dt * node_row[i]


@kernel(void(record(LOAD)[::1], matrix, array3, array3, vector))
def work_done(loads, x, r_i, q_i, out):
    """Add the work of all loads over the step to out (1,), J.

    dt cancels: rows are conjugate to the increments x / dt times dt.
    """
    node_row = np.empty(12)
    for k in range(loads.shape[0]):
        n = loads[k].node
        load_rows(loads[k], x[n], r_i[n], q_i[n], node_row)
        for i in range(12):
            out[0] -= node_row[i] * x[n, i]
