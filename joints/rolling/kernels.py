"""Residual, tangent, velocities and outputs of joints that roll without slip (compiled); equations: `conditions`."""

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
from fem_mbd.core.model.node_arrays import Accepted
from fem_mbd.core.scheme.nodes.node_map import node_configuration
from fem_mbd.core.scheme.nodes.step_wrench import INSTANTS, rotations_of_step
from fem_mbd.joints.rolling.conditions import LAST, joint_rows
from fem_mbd.joints.rolling.contact_point import (
    ROLLING,
    ROWS,
    find_levers,
    find_vectors,
    steepness,
    unit_forces,
)

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
    pair, lam, own, errors = np.empty((2, 12)), np.empty((ROWS, 2)), np.empty((2, 12)), np.empty((ROWS, 2))
    r, q = np.empty((2, 3, 3)), np.empty((2, 4, 3))
    for n in range(joints.shape[0]):
        joint, row = joints[n], first_row[n]
        _gather(joint, row, x, multipliers, r_i, q_i, pair, lam, r, q)
        joint_rows(joint, pair, lam, r, q, own, errors)
        for s in range(2):
            for i in range(12):
                rows[joint.nodes[s], i] += own[s, i]
        for j in range(ROWS):
            constraints[row + j, 0], constraints[row + j, 1] = errors[j, 0], errors[j, 1]


@kernel(void(record(ROLLING)[::1], indices, matrix, matrix, array3, array3, slots, vector))
def tangent(joints, first_row, x, multipliers, r_i, q_i, slots, data):
    """Add the joints' tangents to the matrix values by complex step; slots (joints, UNKNOWNS, UNKNOWNS)."""
    pair, lam = np.empty((2, 12), np.complex128), np.empty((ROWS, 2), np.complex128)
    own, errors = np.empty((2, 12), np.complex128), np.empty((ROWS, 2), np.complex128)
    r, q = np.empty((2, 3, 3)), np.empty((2, 4, 3))
    unknowns, multiplier = pair.reshape(24), lam.reshape(2 * ROWS)
    forces, equations = own.reshape(24), errors.reshape(2 * ROWS)
    dump = data.shape[0] - 1
    for n in range(joints.shape[0]):
        joint, row = joints[n], first_row[n]
        _gather(joint, row, x, multipliers, r_i, q_i, pair, lam, r, q)
        for k in range(UNKNOWNS):
            if slots[n, k, k] == dump:
                continue
            moved, number = (unknowns, k) if k < 24 else (multiplier, k - 24)
            moved[number] += 1j * H
            joint_rows(joint, pair, lam, r, q, own, errors)
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

    Along the plane by the weights of the condition's two points (`conditions`), so that it is the impulse over dt.
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
