"""Equations and forces of one joint that rolls without slip: constraints on velocity and on height (compiled).

Along the plane the contact points of both bodies have the same velocity. This nonholonomic condition is imposed at the
two points of Radau's quadrature, t_i + dt/3 and t_f. With the scheme's velocities, linear in the step,

    v(1/3) = (a - c/3)/dt,    v_f = (a + c)/dt,    Omega likewise with b, e,

the unknowns (a/3 - 2c/9, b/3 - 2e/9, c/9, e/9) are those of a step of a third of the length, which gives the
configuration there. The forces act at both points with the weights 3/4 and 1/4 of the quadrature and multipliers linear
in the step; their work is the sum of multipliers times equations, zero. This is Radau IIA of two stages: third order.

Normal to the plane the height of the centre is given, h = (x_L - x_K) . n = R f(g), g = a . n, f as in `contact_point`:
a holonomic condition, imposed at t_f with its rate, as in all ideal joints. h and g are quadratic; F(g) = -R f(g) goes
through the discrete-derivative rule for other functions, with the exact quotient R (g_i + g_f)/(f_i + f_f). At t_f all
three components of the velocity at the contact vanish.

Multipliers are those times dt^2, in N: mean and half-jump. Source: theory.md, section 2; rolling.md.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.scheme.discrete_rule import Q_f, Q_m, composed
from fem_mbd.core.scheme.nodes.node_map import node_configuration, pull_back
from fem_mbd.joints.rolling.contact_point import (
    ROWS,
    find_levers,
    find_vectors,
    slip_rates,
    steepness,
    unit_forces,
)

LAST = 2  # row of the height


@kernel
def _rolling_condition(joint, q, p, lam, weight, on_second, rows, errors):
    """Velocity condition along the plane at one point of the step: fills errors (ROWS,), adds forces to rows (2, 12).

    q, p (2, 4, 3) there, p times dt; lam (ROWS,) multipliers there; v = a + on_second c.
    """
    kind = q.dtype
    centre, plane, axle = np.empty(3, kind), np.empty((3, 3), kind), np.empty(3, kind)
    levers, unit = np.empty((2, 3), kind), np.empty((ROWS, 2, 6), kind)
    find_vectors(joint, q, centre, plane, axle)
    find_levers(joint, q, plane, axle, levers)
    slip_rates(p, plane, levers, errors)
    unit_forces(q, plane, levers, unit)
    for j in range(LAST):
        force = weight * lam[j]
        for s in range(2):
            for i in range(6):
                rows[s, i] += force * unit[j, s, i]
                rows[s, 6 + i] += on_second * force * unit[j, s, i]


@kernel
def _multiply(u, w, s_g, s_d, on_u, on_w):
    """Forces of s_g, s_d on the scalar product of vectors u, w, each (3, 3): at t_i, at t_f, dt times its rate.

    Adds to on_u, on_w (2, 3): forces conjugate to the change, and to the rate at the end.
    """
    for i in range(3):
        on_u[0, i] += Q_m(0.5 * (w[0, i] + w[1, i]), w[2, i], s_g, s_d)
        on_u[1, i] += Q_f(w[1, i], w[1, i] - w[0, i], s_g, s_d)
        on_w[0, i] += Q_m(0.5 * (u[0, i] + u[1, i]), u[2, i], s_g, s_d)
        on_w[1, i] += Q_f(u[1, i], u[1, i] - u[0, i], s_g, s_d)


@kernel
def _product(u, w, out):
    """out (3,): u . w at t_i, at t_f, and dt times its rate there."""
    out[0] = u[0, 0] * w[0, 0] + u[0, 1] * w[0, 1] + u[0, 2] * w[0, 2]
    out[1] = u[1, 0] * w[1, 0] + u[1, 1] * w[1, 1] + u[1, 2] * w[1, 2]
    out[2] = 0.0 * out[0]
    for i in range(3):
        out[2] += u[2, i] * w[1, i] + u[1, i] * w[2, i]


@kernel
def _height_condition(joint, q, l_g, l_d, on_centre, on_normal, on_axle, force, errors):
    """Height condition: fills errors (2,), its error at t_f and dt times its rate; adds ambient forces (2, 2, 4, 3).

    q (3, 2, 4, 3): ambient vectors at t_i, t_f, and dt times their rates; force [body, m or f].
    """
    kind = q.dtype
    centre, plane, axle = np.empty((3, 3), kind), np.empty((3, 3, 3), kind), np.empty((3, 3), kind)
    for k in range(3):
        find_vectors(joint, q[k], centre[k], plane[k], axle[k])
    normal = plane[:, LAST]
    height, lean = np.empty(3, kind), np.empty(3, kind)
    _product(centre, normal, height)
    errors[0], errors[1] = height[1] - joint.radius, height[2]
    on_centre[:], on_normal[:], on_axle[:] = 0.0, 0.0, 0.0
    _multiply(centre, normal, l_g, l_d, on_centre, on_normal)
    if not joint.ball:
        _product(axle, normal, lean)
        f_i, f_f = steepness(0, lean[0]), steepness(0, lean[1])
        slope, chord = joint.radius * lean[1] / f_f, joint.radius * (lean[0] + lean[1]) / (f_i + f_f)
        bend = joint.radius / (0.5 * (f_i + f_f)) ** 3
        on_m = chord * (l_g - l_d / 3) - bend * lean[2] * l_g / 6
        on_f = slope * l_d / 3 + bend * (lean[1] - lean[0]) * l_g / 6
        s_g, s_d = composed(on_m, on_f)
        _multiply(axle, normal, s_g, s_d, on_axle, on_normal)
        errors[0] = height[1] - joint.radius * f_f
        errors[1] += slope * lean[2]
    for m in range(2):
        for i in range(3):
            force[1, m, 0, i], force[0, m, 0, i] = on_centre[m, i], -on_centre[m, i]
            for a in range(3):
                arms = joint["arm"]
                force[1, m, 1 + a, i] = arms[1, a] * on_centre[m, i] + joint["axle"][a] * on_axle[m, i]
                force[0, m, 1 + a, i] = (
                    joint["plane"][a, LAST] * on_normal[m, i] - arms[0, a] * on_centre[m, i]
                )


@kernel
def _ends(x, r_i, q_i, q, r_f):
    """Fill q (3, 2, 4, 3), ambient vectors at both ends and dt times their rates at t_f, and r_f (2, 3, 3)."""
    for s in range(2):
        for a in range(4):
            for i in range(3):
                q[0, s, a, i] = q_i[s, a, i]
        node_configuration(x[s], r_i[s], q_i[s], q[1, s], q[2, s], r_f[s])


@kernel
def _at_one_third(x, r_i, q_i, q, p):
    """Fill q (2, 4, 3) at t_i + dt/3, and p (2, 4, 3), dt times its rate."""
    third, r = np.empty(12, x.dtype), np.empty((3, 3), x.dtype)
    for s in range(2):
        for i in range(3):
            for first in (0, 3):
                mean, change = x[s, first + i], x[s, 6 + first + i]
                third[first + i], third[6 + first + i] = mean / 3 - 2 * change / 9, change / 9
        node_configuration(third, r_i[s], q_i[s], q[s], p[s], r)
        for a in range(4):
            for i in range(3):
                p[s, a, i] *= 3


@kernel
def joint_rows(joint, x, lam, r_i, q_i, rows, errors):
    """Residual of one joint: fills rows (2, 12), internal forces times dt^2, and errors (ROWS, 2), the equations.

    x (2, 12) unknowns of K and L; lam (ROWS, 2) multipliers times dt^2; r_i (2, 3, 3), q_i (2, 4, 3) at t_i.
    """
    kind = x.dtype
    q, r_f, p = np.empty((3, 2, 4, 3), kind), np.empty((2, 3, 3), kind), np.empty((2, 4, 3), kind)
    here, speed = np.empty((2, 4, 3), kind), np.empty(ROWS, kind)
    conjugate, force = np.empty((3, 2, 3), kind), np.empty((2, 2, 4, 3), kind)
    rows[:] = 0.0
    _at_one_third(x, r_i, q_i, here, p)
    _rolling_condition(joint, here, p, lam[:, 0] - lam[:, 1] / 3, 0.75, -1 / 3, rows, speed)
    for j in range(LAST):
        errors[j, 0] = speed[j]
    _ends(x, r_i, q_i, q, r_f)
    _rolling_condition(joint, q[1], q[2], lam[:, 0] + lam[:, 1], 0.25, 1.0, rows, speed)
    for j in range(LAST):
        errors[j, 1] = speed[j]
    _height_condition(
        joint, q, lam[LAST, 0], lam[LAST, 1], conjugate[0], conjugate[1], conjugate[2], force, errors[LAST]
    )
    for s in range(2):
        pull_back(x[s], r_i[s], r_f[s], force[s, 0], force[s, 1], rows[s])
