"""Compiled: how the strains at a Gauss point change with the motion of one node.

Where a node's directors change by M (w x e_a), the strains of `gauss_point` change with w by

    Gamma: N v~,     v = M^T x'            K: (tr P - P)/2,     P = M^T T,   T_a = N' d_a - N d_a'

with N and N' the shape function and its slope of the node, v~ the matrix of v x and tr P the trace times the unit
matrix. Where the change itself turns, M (phi x (omega x e_a)), they change with phi by

    Gamma: N [(omega.v) - v omega^T]       K: (n omega^T - l~)/2,    l = P^T omega,   n the axial vector of P.

A reference line beside the mass centre, at ``off`` in the node's axes, adds N' M (w x off) to x'. With the node's place
Gamma changes by N' d_a. Rows of M^T are called what is ``seen`` here. Source: docs/theory.md, sections 5 and 6.
"""

from __future__ import annotations

from fem_mbd.compiled import bare_kernel


@bare_kernel
def _seen_vector(m, a, b, c, out):
    """out (3,) += M^T (a, b, c) with M (3, 3)."""
    out[0] += m[0, 0] * a + m[1, 0] * b + m[2, 0] * c
    out[1] += m[0, 1] * a + m[1, 1] * b + m[2, 1] * c
    out[2] += m[0, 2] * a + m[1, 2] * b + m[2, 2] * c


@bare_kernel
def add_seen(y, m, shape, slope, aside, seen):
    """seen (7, 3) += N v, the columns of P, and N' M^T d_a if the reference line is ``aside``; y (3, 7), m (3, 3)."""
    _seen_vector(m, shape * y[0, 0], shape * y[1, 0], shape * y[2, 0], seen[0])
    for a in range(1, 4):
        d0, d1, d2 = slope * y[0, a], slope * y[1, a], slope * y[2, a]
        _seen_vector(m, d0 - shape * y[0, 3 + a], d1 - shape * y[1, 3 + a], d2 - shape * y[2, 3 + a], seen[a])
        if aside:
            _seen_vector(m, d0, d1, d2, seen[3 + a])


@bare_kernel
def _crossed(a0, a1, a2, b):
    return a1 * b[2] - a2 * b[1], a2 * b[0] - a0 * b[2], a0 * b[1] - a1 * b[0]


@bare_kernel
def set_turn(seen, off, aside, out, first, col):
    """out[first:first+6, col:col+3] = derivative of the strains by w; seen as of `add_seen`, off (3,)."""
    v0, v1, v2 = seen[0, 0], seen[0, 1], seen[0, 2]
    out[first, col], out[first, col + 1], out[first, col + 2] = 0.0, -v2, v1
    out[first + 1, col], out[first + 1, col + 1], out[first + 1, col + 2] = v2, 0.0, -v0
    out[first + 2, col], out[first + 2, col + 1], out[first + 2, col + 2] = -v1, v0, 0.0
    trace = 0.5 * (seen[1, 0] + seen[2, 1] + seen[3, 2])
    for a in range(3):
        for j in range(3):
            out[first + 3 + a, col + j] = -0.5 * seen[1 + j, a]
        out[first + 3 + a, col + a] += trace
    if aside:
        for a in range(3):
            x, y, z = _crossed(off[0], off[1], off[2], seen[4 + a])
            out[first + a, col] += x
            out[first + a, col + 1] += y
            out[first + a, col + 2] += z


@bare_kernel
def add_turn_of_rate(seen, omega, off, aside, out, first, col):
    """out[first:first+6, col:col+3] += derivative by phi of a change M (phi x (omega x e_a)); omega (3,)."""
    w0, w1, w2 = omega[0], omega[1], omega[2]
    v, p1, p2, p3 = seen[0], seen[1], seen[2], seen[3]
    along = w0 * v[0] + w1 * v[1] + w2 * v[2]
    l0 = 0.5 * (w0 * p1[0] + w1 * p1[1] + w2 * p1[2])
    l1 = 0.5 * (w0 * p2[0] + w1 * p2[1] + w2 * p2[2])
    l2 = 0.5 * (w0 * p3[0] + w1 * p3[1] + w2 * p3[2])
    n0, n1, n2 = 0.5 * (p2[2] - p3[1]), 0.5 * (p3[0] - p1[2]), 0.5 * (p1[1] - p2[0])
    for j in range(3):
        w = omega[j]
        for a in range(3):
            out[first + a, col + j] -= v[a] * w
        out[first + j, col + j] += along
        out[first + 3, col + j] += n0 * w
        out[first + 4, col + j] += n1 * w
        out[first + 5, col + j] += n2 * w
    out[first + 3, col + 1] += l2
    out[first + 3, col + 2] -= l1
    out[first + 4, col] -= l2
    out[first + 4, col + 2] += l0
    out[first + 5, col] += l1
    out[first + 5, col + 1] -= l0
    if aside:
        t0, t1, t2 = _crossed(w0, w1, w2, off)
        for a in range(3):
            x, y, z = _crossed(t0, t1, t2, seen[4 + a])
            out[first + a, col] += x
            out[first + a, col + 1] += y
            out[first + a, col + 2] += z


@bare_kernel
def set_place(y, slope, out, first, col):
    """out[first:first+3, col:col+3] = derivative of Gamma by the node's place, which changes x'; y (3, 7)."""
    for a in range(3):
        for i in range(3):
            out[first + a, col + i] = slope * y[i, 1 + a]
