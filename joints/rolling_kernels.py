"""Residual, tangent, velocities and outputs of joints that roll without slip (compiled).

Contact point. With the plane's unit normal n, the disk's axis a, g = a . n and f = sqrt(1 - g**2), the lowest point of
the rim is at

    rho = -R (n - g a)/f        from the centre of the disk,        rho = -R n        from that of a ball.

The kernels are generic in type, for complex-step tangents.

Along the plane (`_rolling_condition`) the contact points of both bodies have the same velocity. This nonholonomic
condition is imposed at the two points of Radau's quadrature, t_i + dt/3 and t_f. With the scheme's velocities, linear
in the step,

    v(1/3) = (a - c/3)/dt,    v_f = (a + c)/dt,    Omega likewise with b, e,

the unknowns (a/3 - 2c/9, b/3 - 2e/9, c/9, e/9) are those of a step of a third of the length, which gives the
configuration there. The forces act at both points with the weights 3/4 and 1/4 of the quadrature and multipliers linear
in the step; their work is the sum of multipliers times equations, zero. This is Radau IIA of two stages: third order.

Normal to the plane (`_height_condition`) the height of the centre is given, h = (x_L - x_K) . n = R f(g): a holonomic
condition, imposed at t_f with its rate, as in all ideal joints. h and g are quadratic; F(g) = -R f(g) goes through the
discrete-derivative rule for other functions, with the exact quotient R (g_i + g_f)/(f_i + f_f). At t_f all three
components of the velocity at the contact vanish.

Multipliers are those times dt^2, in N: mean and half-jump. Source: theory.md, section 2; rolling.md.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import (
    array3,
    array4,
    float64,
    indices,
    matrix,
    record,
    slots,
    vector,
    void,
)
from fem_mbd.core.compiled.vectors import dot
from fem_mbd.core.model.workspace import Accepted
from fem_mbd.core.scheme.discrete_rule import Q_f, Q_m, composed
from fem_mbd.core.scheme.nodes.node_map import INSTANTS, node_configuration, pull_back, rotations_of_step
from fem_mbd.joints.contact.contact_kinematics import add_point

ROWS = 3  # constraints of a joint: along the two axes of the plane, and along its normal

ROLLING = np.dtype(
    [
        ("nodes", "i8", (2,)),
        ("arm", "f8", (2, 3)),  # m, a point of the plane and the rolling body's centre, from the mass centres
        ("plane", "f8", (3, 3)),  # columns in the axes of node K: two axes of the plane, its normal
        ("axle", "f8", (3,)),  # a disk's axis in the axes of node L
        ("radius", "f8"),  # m
        ("ball", "i8"),  # 1: a ball, which has no axis
    ],
    align=True,
)


@kernel
def find_vectors(joint, q, centre, plane, axle):
    """Fill centre (3,), from the plane's point to the centre, plane (3, 3), its axes and normal in rows, and axle (3,).

    They are linear in the ambient vectors q (2, 4, 3) of both nodes: with the rates p as q they are rates.
    """
    for i in range(3):
        centre[i], axle[i] = 0.0, 0.0
        for j in range(3):
            plane[j, i] = 0.0
        for a in range(3):
            axle[i] += joint["axle"][a] * q[1, 1 + a, i]
            for j in range(3):
                plane[j, i] += joint["plane"][a, j] * q[0, 1 + a, i]
    add_point(q[1], joint["arm"][1], centre, 1.0)
    add_point(q[0], joint["arm"][0], centre, -1.0)


@kernel
def steepness(ball, g):
    """f, one for a ball or an upright disk and zero for a disk that lies flat; ``g`` as in the module's docstring."""
    return 1.0 + 0.0 * g if ball else np.sqrt(1.0 - g * g)


@kernel
def find_levers(joint, q, plane, axle, levers):
    """Fill levers (2, 3): the contact point from the mass centres of K and L, in components along their directors."""
    g = 0.0 * axle[0]
    for i in range(3):
        g += axle[i] * plane[2, i]
    if joint.ball:
        g = 0.0 * g
    f = steepness(joint.ball, g)
    point = np.zeros(3, q.dtype)
    add_point(q[1], joint["arm"][1], point, 1.0)
    for i in range(3):
        point[i] -= joint.radius * (plane[2, i] - g * axle[i]) / f
    for s in range(2):
        for a in range(3):
            levers[s, a] = 0.0 * g
            for i in range(3):
                levers[s, a] += (point[i] - q[s, 0, i]) * q[s, 1 + a, i]


@kernel
def slip_rates(p, plane, levers, out):
    """Fill out (ROWS,): velocity of L's point at the contact minus that of K's, along the axes and the normal.

    p (2, 4, 3): rates of the ambient vectors, in any unit of time.
    """
    for j in range(ROWS):
        out[j] = 0.0 * levers[0, 0]
        for i in range(3):
            moved = p[1, 0, i] - p[0, 0, i]
            for a in range(3):
                moved += levers[1, a] * p[1, 1 + a, i] - levers[0, a] * p[0, 1 + a, i]
            out[j] += plane[j, i] * moved


@kernel
def unit_forces(q, plane, levers, out):
    """Fill out (ROWS, 2, 6): force (global) and moment (node axes) on K and L of a unit force on L along a row.

    The opposite force acts on K at the same point. This is also the derivative of `slip_rates` by the velocities of the
    mass centres and the angular velocities in node axes.
    """
    along = np.empty(3, q.dtype)
    for j in range(ROWS):
        for s in range(2):
            sign = 2.0 * s - 1.0
            for a in range(3):
                along[a] = 0.0 * levers[0, 0]
                for i in range(3):
                    along[a] += plane[j, i] * q[s, 1 + a, i]
            for i in range(3):
                k, l = (i + 1) % 3, (i + 2) % 3
                out[j, s, i] = sign * plane[j, i]
                out[j, s, 3 + i] = sign * (levers[s, k] * along[l] - levers[s, l] * along[k])


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


H = 1e-40  # of the complex step
UNKNOWNS = 24 + 2 * ROWS


@kernel
def _copy_vectors(vectors, out):
    """Fill out (4, 3) with a node's ambient vectors."""
    for a in range(4):
        for i in range(3):
            out[a, i] = vectors[a, i]


@kernel
def _gather(joint, row, x, multipliers, r_i, q_i, pair, lam, r, q):
    """Copy the data of the joint's nodes: pair (2, 12), lam (ROWS, 2), r (2, 3, 3), q (2, 4, 3)."""
    for s in range(2):
        node = joint.nodes[s]
        for i in range(12):
            pair[s, i] = x[node, i]
        for i in range(3):
            for a in range(4):
                q[s, a, i] = q_i[node, a, i]
            for a in range(3):
                r[s, i, a] = r_i[node, i, a]
    for j in range(ROWS):
        lam[j, 0], lam[j, 1] = multipliers[row + j, 0], multipliers[row + j, 1]


@kernel(void(record(ROLLING)[::1], indices, matrix, matrix, array3, array3, matrix, matrix))
def residual(joints, first_row, x, multipliers, r_i, q_i, rows, constraints):
    """Add the joints' forces to rows (n, 12) and set their equations in constraints (m, 2)."""
    pair, lam = np.empty((2, 12)), np.empty((ROWS, 2))
    pair_rows, errors = np.empty((2, 12)), np.empty((ROWS, 2))
    r, q = np.empty((2, 3, 3)), np.empty((2, 4, 3))
    for n in range(joints.shape[0]):
        joint, row = joints[n], first_row[n]
        _gather(joint, row, x, multipliers, r_i, q_i, pair, lam, r, q)
        joint_rows(joint, pair, lam, r, q, pair_rows, errors)
        for s in range(2):
            for i in range(12):
                rows[joint.nodes[s], i] += pair_rows[s, i]
        for j in range(ROWS):
            constraints[row + j, 0], constraints[row + j, 1] = errors[j, 0], errors[j, 1]


@kernel(void(record(ROLLING)[::1], indices, matrix, matrix, array3, array3, slots, vector))
def tangent(joints, first_row, x, multipliers, r_i, q_i, slots, data):
    """Add the joints' tangents to the matrix values by complex step; slots (joints, UNKNOWNS, UNKNOWNS)."""
    pair, lam = np.empty((2, 12), np.complex128), np.empty((ROWS, 2), np.complex128)
    pair_rows, errors = np.empty((2, 12), np.complex128), np.empty((ROWS, 2), np.complex128)
    r, q = np.empty((2, 3, 3)), np.empty((2, 4, 3))
    unknowns, multiplier = pair.reshape(24), lam.reshape(2 * ROWS)
    forces, equations = pair_rows.reshape(24), errors.reshape(2 * ROWS)
    dump = data.shape[0] - 1
    for n in range(joints.shape[0]):
        joint, row = joints[n], first_row[n]
        _gather(joint, row, x, multipliers, r_i, q_i, pair, lam, r, q)
        for k in range(UNKNOWNS):
            if slots[n, k, k] == dump:
                continue
            moved, number = (unknowns, k) if k < 24 else (multiplier, k - 24)
            moved[number] += 1j * H
            joint_rows(joint, pair, lam, r, q, pair_rows, errors)
            moved[number] = moved[number].real
            for i in range(24):
                data[slots[n, i, k]] += forces[i].imag / H
            for i in range(2 * ROWS):
                data[slots[n, 24 + i, k]] += equations[i].imag / H


@kernel(void(record(ROLLING)[::1], float64[:, :, :], array4))
def jacobians(joints, q, out):
    """out (joints, ROWS, 2, 6): derivatives of the velocities at the contact by (v, Omega) of K and L; q (n, 4, 3)."""
    pair, centre, plane, axle = np.empty((2, 4, 3)), np.empty(3), np.empty((3, 3)), np.empty(3)
    levers = np.empty((2, 3))
    for n in range(joints.shape[0]):
        joint = joints[n]
        for s in range(2):
            _copy_vectors(q[joint.nodes[s]], pair[s])
        find_vectors(joint, pair, centre, plane, axle)
        find_levers(joint, pair, plane, axle, levers)
        unit_forces(pair, plane, levers, out[n])


@kernel(void(record(ROLLING)[::1], float64[:, :, :], matrix))
def heights(joints, q, out):
    """out (joints, 2): error of the height of the centre above the plane (m), and f; q (n, 4, 3)."""
    pair, centre, plane, axle = np.empty((2, 4, 3)), np.empty(3), np.empty((3, 3)), np.empty(3)
    for n in range(joints.shape[0]):
        joint = joints[n]
        for s in range(2):
            _copy_vectors(q[joint.nodes[s]], pair[s])
        find_vectors(joint, pair, centre, plane, axle)
        height, lean = 0.0, 0.0
        for i in range(3):
            height += centre[i] * plane[LAST, i]
            lean += axle[i] * plane[LAST, i]
        out[n, 1] = steepness(joint.ball, lean)
        out[n, 0] = height - joint.radius * out[n, 1]


@kernel
def _plane_at_one_third(joint, x, q, scratch, plane):
    """Fill the first two rows of plane (3, 3), axes of the plane at t_i + dt/3 of the accepted step.

    x (12,) unknowns of K in it, q (4, 3) its ambient vectors at the end; scratch (3, 4, 3), zero.
    """
    turns, third, r = np.empty((INSTANTS, 3, 3)), np.empty(12), np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            r[i, j] = q[1 + j, i]
    rotations_of_step(x, r, third, turns)
    for i in range(3):
        for first in (0, 3):
            third[first + i] = x[first + i] / 3 - 2 * x[6 + first + i] / 9
            third[6 + first + i] = x[6 + first + i] / 9
    node_configuration(third, turns[0], scratch[0], scratch[1], scratch[2], r)
    for j in range(LAST):
        axis = joint["plane"][0, j], joint["plane"][1, j], joint["plane"][2, j]
        for i in range(3):
            plane[j, i] = dot(r[i], axis)


@kernel
def _mean_force(joint, row, q, accepted, end, out):
    """Fill out (4,): normal force and force on L along the plane, means of the accepted step; end (3, 3) plane there.

    Along the plane by the weights of the two points of `_rolling_condition`, so that it is the impulse over dt.
    """
    scale, third = -1.0 / accepted.clock[2] ** 2, np.empty((3, 3))
    _plane_at_one_third(joint, accepted.x[joint.nodes[0]], q, np.zeros((3, 4, 3)), third)
    out[0] = scale * accepted.multipliers[row + LAST, 0]
    for i in range(3):
        out[1 + i] = 0.0
        for j in range(LAST):
            mean, change = accepted.multipliers[row + j, 0], accepted.multipliers[row + j, 1]
            out[1 + i] += scale * (
                0.75 * (mean - change / 3) * third[j, i] + 0.25 * (mean + change) * end[j, i]
            )


@kernel(void(record(ROLLING)[::1], indices, array3, vector, Accepted, matrix))
def contacts(joints, first_row, q, lam, accepted, out):
    """out (joints, 7): contact point at the end of a step; normal force and force on L along the plane, its means.

    q (n, 4, 3) is the configuration at the end, lam (m,) the multipliers there, which stand for the means before the
    first step.
    """
    pair, centre, plane, axle = np.empty((2, 4, 3)), np.empty(3), np.empty((3, 3)), np.empty(3)
    levers = np.empty((2, 3))
    for n in range(joints.shape[0]):
        joint, row = joints[n], first_row[n]
        for s in range(2):
            _copy_vectors(q[joint.nodes[s]], pair[s])
        find_vectors(joint, pair, centre, plane, axle)
        find_levers(joint, pair, plane, axle, levers)
        for i in range(3):
            out[n, i] = pair[0, 0, i]
            for a in range(3):
                out[n, i] += levers[0, a] * pair[0, 1 + a, i]
        if accepted.clock[2] > 0.0:
            _mean_force(joint, row, q[joint.nodes[0]], accepted, plane, out[n, 3:])
            continue
        out[n, 3] = -lam[row + LAST]
        for i in range(3):
            out[n, 4 + i] = -(lam[row] * plane[0, i] + lam[row + 1] * plane[1, i])
