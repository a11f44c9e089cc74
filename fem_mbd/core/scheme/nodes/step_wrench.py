"""Force and moment on a node over a step, from its generalised forces, compiled.

The rows (r_a, r_b, r_c, r_e) of theory.md, section 3, are the first two moments over the step, s from -1 to 1, of the
force F (global axes) and of the moment T about the mass centre (node axes); without dt^2

    r_a = mean of F    r_c = mean of s F    r_b = mean of T    r_e = mean of s T

so that F = r_a + 3 s r_c, T = r_b + 3 s r_e within it, and the mean of F is the impulse of the step over dt, exactly.
About a point at o (node axes) the moment is R T - (R o) x F, R being the rotation at s: means are taken by Simpson's
rule over start, middle and end of the step, fourth order in the rotation of the step, exact where nothing turns.
"""

from __future__ import annotations

from fem_mbd.core.compiled import kernel
from fem_mbd.core.scheme.nodes.node_map import _cayley_vector

INSTANTS = 3
WEIGHTS = (1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0)  # Simpson's rule


@kernel
def _turned(r, t0, t1, t2, c, out):
    """out (3, 3) = r cay(t), c = 1 / (1 + |t|^2/4)."""
    for i in range(3):
        a0, a1, a2 = r[i, 1] * t2 - r[i, 2] * t1, r[i, 2] * t0 - r[i, 0] * t2, r[i, 0] * t1 - r[i, 1] * t0
        out[i, 0] = r[i, 0] + c * (a0 + 0.5 * (a1 * t2 - a2 * t1))
        out[i, 1] = r[i, 1] + c * (a1 + 0.5 * (a2 * t0 - a0 * t2))
        out[i, 2] = r[i, 2] + c * (a2 + 0.5 * (a0 * t1 - a1 * t0))


@kernel
def rotations_of_step(x, r_f, half, out):
    """Fill out (3, 3, 3), rotations of a node at start, middle and end of a step, from x (12,) and that at the end.

    half (12,) is scratch. The middle is the scheme's map over half the step: b_s = (b - e)/2 + e/4, e_s = e/4.
    """
    t0, t1, t2, c = _cayley_vector(x)
    _turned(r_f, -t0, -t1, -t2, c, out[0])
    for i in range(3):
        half[3 + i], half[9 + i] = 0.5 * x[3 + i] - 0.25 * x[9 + i], 0.25 * x[9 + i]
    t0, t1, t2, c = _cayley_vector(half)
    _turned(out[0], t0, t1, t2, c, out[1])
    for i in range(3):
        for j in range(3):
            out[2, i, j] = r_f[i, j]


@kernel
def wrench_at(rows, offset, r, instant, out):
    """Fill out (6,): force and moment about a point, global axes, at start, middle or end (0, 1, 2) of a step.

    rows (12,) of a node, offset (3,) of the point from its mass centre in node axes, r (3, 3) its rotation there.
    """
    s = 3.0 * (instant - 1)
    for i in range(3):
        out[i] = rows[i] + s * rows[6 + i]
        out[3 + i] = 0.0
        for j in range(3):
            out[3 + i] += r[i, j] * (rows[3 + j] + s * rows[9 + j])
    a0 = r[0, 0] * offset[0] + r[0, 1] * offset[1] + r[0, 2] * offset[2]
    a1 = r[1, 0] * offset[0] + r[1, 1] * offset[1] + r[1, 2] * offset[2]
    a2 = r[2, 0] * offset[0] + r[2, 1] * offset[1] + r[2, 2] * offset[2]
    out[3] -= a1 * out[2] - a2 * out[1]
    out[4] -= a2 * out[0] - a0 * out[2]
    out[5] -= a0 * out[1] - a1 * out[0]
