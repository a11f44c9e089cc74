"""Position, rotation and unknowns of nodes with prescribed motion in a step, compiled.

With the displacement s, its rate, the angle phi about an axis n through the given point x_0, and the mass centre c from
it in node axes: x = x_0 + s + R c, R = (1 + sin(phi) n~ + (1 - cos(phi)) n~ n~) R_0. Unknowns (a, b, c, e) as in
`fem_mbd.core.scheme.nodes.node_map`: at both ends of the step the node has the prescribed position and velocity.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import array3, float64, matrix, record, vector, void
from fem_mbd.core.model.jumps import MAX_ROTATION

PRESCRIPTION = np.dtype(
    [
        ("node", "i8"),
        ("displacement", "i8"),  # number of the function among those of the step, -1: none
        ("angle", "i8"),
        ("position", "f8", (3,)),  # of the point in the reference configuration
        ("rotation", "f8", (3, 3)),
        ("spin", "f8", (3, 3)),  # n~, global axes
        ("axis", "f8", (3,)),  # n in node axes
        ("centre", "f8", (3,)),  # m from the point, node axes
    ],
    align=True,
)


@kernel(void(record(PRESCRIPTION), vector, vector, float64, float64, vector, vector, matrix))
def frame(prescription, s, s_rate, angle, rate, x, v, r):
    """Fill mass centre x (3,), its velocity v (3,) and rotation r (3, 3) from displacement (3,), angle and rates."""
    sine, versine, r_0, spin = (
        np.sin(angle),
        1.0 - np.cos(angle),
        prescription["rotation"],
        prescription["spin"],
    )
    for j in range(3):
        # n~ R_0 and n~ n~ R_0, column by column
        n0 = spin[0, 0] * r_0[0, j] + spin[0, 1] * r_0[1, j] + spin[0, 2] * r_0[2, j]
        n1 = spin[1, 0] * r_0[0, j] + spin[1, 1] * r_0[1, j] + spin[1, 2] * r_0[2, j]
        n2 = spin[2, 0] * r_0[0, j] + spin[2, 1] * r_0[1, j] + spin[2, 2] * r_0[2, j]
        r[0, j] = r_0[0, j] + sine * n0 + versine * (spin[0, 0] * n0 + spin[0, 1] * n1 + spin[0, 2] * n2)
        r[1, j] = r_0[1, j] + sine * n1 + versine * (spin[1, 0] * n0 + spin[1, 1] * n1 + spin[1, 2] * n2)
        r[2, j] = r_0[2, j] + sine * n2 + versine * (spin[2, 0] * n0 + spin[2, 1] * n1 + spin[2, 2] * n2)
    c = prescription["centre"]
    a0 = r[0, 0] * c[0] + r[0, 1] * c[1] + r[0, 2] * c[2]
    a1 = r[1, 0] * c[0] + r[1, 1] * c[1] + r[1, 2] * c[2]
    a2 = r[2, 0] * c[0] + r[2, 1] * c[1] + r[2, 2] * c[2]
    x[0], x[1], x[2] = (
        prescription["position"][0] + s[0] + a0,
        prescription["position"][1] + s[1] + a1,
        prescription["position"][2] + s[2] + a2,
    )
    for i in range(3):
        v[i] = s_rate[i] + rate * (spin[i, 0] * a0 + spin[i, 1] * a1 + spin[i, 2] * a2)


@kernel
def _unknowns(prescription, values, dt, q_i, x, scratch):
    """Fill x (12,) of one node, whose mass centre is at q_i (3,) at t_i; scratch (7, 3)."""
    zero, position, velocity, rotation = scratch[0], scratch[1], scratch[2], scratch[3:6]
    increment, angle, rate = 0.0, 0.0, 0.0
    if prescription.angle >= 0:
        angle, rate = values[1, prescription.angle, 0], values[2, prescription.angle, 0]
        increment = angle - values[0, prescription.angle, 0]
    if not abs(increment) <= MAX_ROTATION:
        raise ValueError("a prescribed rotation in one step is too large")
    s, s_rate = zero, zero
    if prescription.displacement >= 0:
        s, s_rate = values[1, prescription.displacement], values[2, prescription.displacement]
    frame(prescription, s, s_rate, angle, rate, position, velocity, rotation)
    for i in range(3):
        x[i] = position[i] - q_i[i]
        x[6 + i] = dt * velocity[i] - x[i]
        # exact while e is parallel to b (`node_map`)
        x[3 + i] = increment * prescription["axis"][i]
        x[9 + i] = dt * rate * prescription["axis"][i] - x[3 + i]


@kernel(void(record(PRESCRIPTION)[::1], array3, float64, array3, matrix))
def fill(prescriptions, values, dt, q_i, x):
    """Set the unknowns x (n, 12) of nodes with prescribed motion; q_i (n, 4, 3).

    prescriptions : records of dtype `PRESCRIPTION`
    values : (3, functions, 3), of `fem_mbd.core.model.step_functions.StepFunctions`

    Raises ValueError for a rotation that is too large for one step.
    """
    scratch = np.zeros((7, 3))
    for k in range(prescriptions.shape[0]):
        node = prescriptions[k].node
        _unknowns(prescriptions[k], values, dt, q_i[node, 0], x[node], scratch)
