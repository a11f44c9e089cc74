"""Compiled: where a node with given motion is, and its unknowns of a step.

With the displacement s, its rate, the angle phi about an axis n through the node's place, and the mass centre c in node
axes: x = place + s + R c, R = (1 + sin(phi) n~ + (1 - cos(phi)) n~ n~) R_0. Unknowns (a, b, c, e) as of
`fem_mbd.core.scheme.nodes.node_map`: the node follows both at the ends of the step, velocities included.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import array3, float64, matrix, record, vector, void
from fem_mbd.core.model.jumps import TURN

GIVEN = np.dtype(
    [
        ("node", "i8"),
        ("move", "i8"),  # number of the displacement among the step's functions, -1: none
        ("angle", "i8"),
        ("place", "f8", (3,)),
        ("rotation", "f8", (3, 3)),  # of the reference configuration
        ("spin", "f8", (3, 3)),  # n~, global axes
        ("axis", "f8", (3,)),  # n in node axes
        ("centre", "f8", (3,)),  # m, node axes
    ],
    align=True,
)


@kernel
def cayley_increment(angle):
    """The unknown b (rad) whose Cayley map turns by ``angle`` when e is parallel to it: b + b^3/12 = 2 tan(angle/2)."""
    target = 2 * np.tan(0.5 * angle)
    # Cardano's one real root, then Newton to round-off
    b = 4 * np.sinh(np.arcsinh(0.75 * target) / 3)
    for _ in range(4):
        b -= (b + b**3 / 12 - target) / (1 + b * b / 4)
    return b


@kernel(void(record(GIVEN), vector, vector, float64, float64, vector, vector, matrix))
def frame(given, s, s_rate, angle, rate, x, v, r):
    """Fill mass centre x (3,), its velocity v (3,) and rotation r (3, 3) from displacement (3,), angle and rates."""
    sine, rest, turn, spin = np.sin(angle), 1.0 - np.cos(angle), given["rotation"], given["spin"]
    for j in range(3):
        # n~ R_0 and n~ n~ R_0, column by column
        n0 = spin[0, 0] * turn[0, j] + spin[0, 1] * turn[1, j] + spin[0, 2] * turn[2, j]
        n1 = spin[1, 0] * turn[0, j] + spin[1, 1] * turn[1, j] + spin[1, 2] * turn[2, j]
        n2 = spin[2, 0] * turn[0, j] + spin[2, 1] * turn[1, j] + spin[2, 2] * turn[2, j]
        r[0, j] = turn[0, j] + sine * n0 + rest * (spin[0, 0] * n0 + spin[0, 1] * n1 + spin[0, 2] * n2)
        r[1, j] = turn[1, j] + sine * n1 + rest * (spin[1, 0] * n0 + spin[1, 1] * n1 + spin[1, 2] * n2)
        r[2, j] = turn[2, j] + sine * n2 + rest * (spin[2, 0] * n0 + spin[2, 1] * n1 + spin[2, 2] * n2)
    c = given["centre"]
    a0 = r[0, 0] * c[0] + r[0, 1] * c[1] + r[0, 2] * c[2]
    a1 = r[1, 0] * c[0] + r[1, 1] * c[1] + r[1, 2] * c[2]
    a2 = r[2, 0] * c[0] + r[2, 1] * c[1] + r[2, 2] * c[2]
    x[0], x[1], x[2] = (
        given["place"][0] + s[0] + a0,
        given["place"][1] + s[1] + a1,
        given["place"][2] + s[2] + a2,
    )
    for i in range(3):
        v[i] = s_rate[i] + rate * (spin[i, 0] * a0 + spin[i, 1] * a1 + spin[i, 2] * a2)


@kernel
def _unknowns(given, values, dt, q_i, x, scratch):
    """Fill x (12,) of one node, whose mass centre is at q_i (3,) at t_i; scratch (7, 3)."""
    none, place, velocity, rotation = scratch[0], scratch[1], scratch[2], scratch[3:6]
    turn, angle, rate = 0.0, 0.0, 0.0
    if given.angle >= 0:
        angle, rate = values[1, given.angle, 0], values[2, given.angle, 0]
        turn = angle - values[0, given.angle, 0]
    if not abs(turn) <= TURN:
        raise ValueError("a prescribed rotation turns too far in one step")
    s, s_rate = none, none
    if given.move >= 0:
        s, s_rate = values[1, given.move], values[2, given.move]
    frame(given, s, s_rate, angle, rate, place, velocity, rotation)
    b = cayley_increment(turn)
    for i in range(3):
        x[i] = place[i] - q_i[i]
        x[6 + i] = dt * velocity[i] - x[i]
        x[3 + i] = b * given["axis"][i]
        x[9 + i] = dt * rate * given["axis"][i] - x[3 + i]


@kernel(void(record(GIVEN)[::1], array3, float64, array3, matrix))
def fill(given, values, dt, q_i, x):
    """Set the unknowns x (n, 12) of nodes with given motion; q_i (n, 4, 3).

    given : records of dtype `GIVEN`
    values : (3, functions, 3), of `fem_mbd.core.model.step_functions.StepFunctions`

    Raises ValueError for a turn that no step can make.
    """
    scratch = np.zeros((7, 3))
    for g in range(given.shape[0]):
        node = given[g].node
        _unknowns(given[g], values, dt, q_i[node, 0], x[node], scratch)
