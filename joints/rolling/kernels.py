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


@kernel(void(record(ROLLING)[::1], indices, array3, vector, matrix))
def contacts(joints, first_row, q, lam, out):
    """out (joints, 7) at the end of a step: contact point, normal force, force on L along the plane.

    q (n, 4, 3) is the configuration there, lam (m,) the multipliers.
    """
    pair, centre, plane, axle = np.empty((2, 4, 3)), np.empty(3), np.empty((3, 3)), np.empty(3)
    levers = np.empty((2, 3))
    for n in range(joints.shape[0]):
        joint, row = joints[n], first_row[n]
        for s in range(2):
            _copy_vectors(q[joint.nodes[s]], pair[s])
        find_vectors(joint, pair, centre, plane, axle)
        find_levers(joint, pair, plane, axle, levers)
        out[n, 3] = -lam[row + LAST]
        for i in range(3):
            out[n, i] = pair[0, 0, i]
            for a in range(3):
                out[n, i] += levers[0, a] * pair[0, 1 + a, i]
            out[n, 4 + i] = -(lam[row] * plane[0, i] + lam[row + 1] * plane[1, i])
