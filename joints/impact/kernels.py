"""Rigid contacts in a step: a constraint while closed, multipliers of zero while open (compiled)."""

from __future__ import annotations

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import indices, matrix, record, slots, vector, void
from fem_mbd.core.scheme.constraints.constraint_kernels import CONSTRAINT


@kernel(void(record(CONSTRAINT)[::1], matrix))
def set_closed(joints, closed):
    """Set the weights of the forms: one in closed contacts, zero in open ones; closed (n, 1)."""
    for n in range(joints.shape[0]):
        for k in range(joints[n].forms):
            joints[n]["g_i"][k] = closed[n, 0]
            joints[n]["g_f"][k] = closed[n, 0]


@kernel(void(indices, matrix, matrix, matrix))
def residual(first_row, closed, multipliers, constraints):
    """Equations of open contacts: their multipliers vanish; constraints (m, 2) are zero for them before."""
    for n in range(first_row.shape[0]):
        if closed[n, 0] == 0.0:
            constraints[first_row[n], 0] += multipliers[first_row[n], 0]
            constraints[first_row[n], 1] += multipliers[first_row[n], 1]


@kernel(void(matrix, slots, vector))
def tangent(closed, slots, data):
    """Add the derivatives of `residual`; slots (n, 26, 26)."""
    for n in range(closed.shape[0]):
        if closed[n, 0] == 0.0:
            data[slots[n, 24, 24]] += 1.0
            data[slots[n, 25, 25]] += 1.0
