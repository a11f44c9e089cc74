"""Quadratic forms of the vectors of two nodes, of which ideal joints consist: values, discrete forces, tangent.

A form lives on the eight ambient vectors y of a pair of nodes (K, L), y = (u, d_1, d_2, d_3)_K, (u, d_1, d_2, d_3)_L:

    psi(y) = 1/2 sum_AB h_AB y_A . y_B + sum_A l_A . y_A + c,        h (8, 8) symmetric, l (8, 3), c

Points, axes and their products are such forms (`Form`, `Vector`), so a joint is a short list of them without hand-coded
derivatives. Source: docs/explanation/theory.md, sections 1 to 3.

Kernels read forms from records (`store_form`). A form reads few of the eight vectors of its nodes, and its matrix h
couples each of them with few others: the record lists which. Values, rates (`value_and_rate`) and the forces of the
discrete rule (`add_forces`, section 2) need nothing else.

The geometric stiffness (`pair_tangent`) is the derivative of these forces at constant stresses. Directors move as d_a
changes by M (w x e_a): by S and Y = W_m for rows b and e, by R_f for those of Q_f, and

    dq_a = R_f (phi x e_a)      dp_a = R_f (phi x (omega x e_a) + domega x e_a),      phi = g (b, e), omega = b + e

with phi the spin of R_f. So blocks of rows and columns need no maps (3, 6) of each director: with h_ab the stressed
form between the vectors of two nodes, its forces on the directors of one are moved by a spin of the other through

    sum over a, b of h_ab e_a~ X e_b~^T,     X = M^T R_f,

where v~ is the matrix of v x. Columns of a node are (a, phi, c, domega) until `from_spins`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.vectors import cross, dot
from fem_mbd.core.scheme.discrete_rule import Q_f, Q_m


@dataclass(frozen=True, eq=False)
class Form:
    """One quadratic form: h (8, 8) symmetric, l (8, 3), constant."""

    h: Array
    l: Array
    constant: float = 0.0

    def value(self, y: Array) -> float:
        """psi at the vectors y (8, 3)."""
        return float(
            0.5 * np.einsum("ab,ai,bi", self.h, y, y) + np.einsum("ai,ai", self.l, y) + self.constant
        )

    def gradient(self, y: Array) -> Array:
        """d psi / d y, (8, 3)."""
        return self.h @ y + self.l


@dataclass(frozen=True, eq=False)
class Vector:
    """A vector that is linear in y: sum_A weight_A y_A."""

    weight: Array

    def __sub__(self, other: Vector) -> Vector:
        return Vector(self.weight - other.weight)

    def dot(self, other: Vector, constant: float = 0.0) -> Form:
        """The scalar product of two vectors, plus a constant."""
        h = self.weight[:, None] * other.weight
        return Form(h + h.T, np.zeros((8, 3)), constant)

    def component(self, direction: ArrayLike, constant: float = 0.0) -> Form:
        """The component along a direction fixed in space (3,)."""
        return Form(np.zeros((8, 8)), self.weight[:, None] * np.asarray(direction, dtype=float), constant)


def point(body: int, offset: ArrayLike) -> Vector:
    """Position of a point of body 0 (K) or 1 (L); ``offset`` (3,) from its mass centre in its axes."""
    weight = np.zeros(8)
    weight[4 * body] = 1.0
    weight[4 * body + 1 : 4 * body + 4] = offset
    return Vector(weight)


def axis(body: int, direction: ArrayLike) -> Vector:
    """A direction (3,) fixed in the axes of body 0 (K) or 1 (L)."""
    weight = np.zeros(8)
    weight[4 * body + 1 : 4 * body + 4] = direction
    return Vector(weight)


def form_fields(count: int) -> list[Any]:
    """Fields of a record with ``count`` forms, for a dtype that has ``nodes`` (2,) too."""
    return [
        ("h", "f8", (count, 8, 8)),
        ("l", "f8", (count, 8, 3)),
        ("constant", "f8", (count,)),
        ("vectors", "i1", (count,)),  # number of vectors that a form reads, and which
        ("vector", "i1", (count, 8)),
        ("partners", "i1", (count, 8)),  # number of others with which h couples each of them, and which
        ("partner", "i1", (count, 8, 8)),
    ]


def store_form(record: Any, k: int, form: Form) -> None:
    """Store a form as the record's k-th; `list_vectors` follows when all records are filled."""
    record["h"][k], record["l"][k], record["constant"][k] = form.h, form.l, form.constant


def list_vectors(records: Any) -> None:
    """List which vectors the forms of records (n,) read, and which others each of them is coupled with."""
    coupled = records["h"] != 0.0
    read = coupled.any(axis=-1) | records["l"].any(axis=-1)
    n, k, a = np.nonzero(read)
    m = (read.cumsum(axis=-1) - 1)[n, k, a]  # a is the m-th vector that form k of record n reads
    records["vectors"], records["vector"][n, k, m] = read.sum(axis=-1), a
    partners = coupled[n, k, a]
    records["partners"][n, k, m] = partners.sum(axis=-1)
    row, b = np.nonzero(partners)
    index = (partners.cumsum(axis=-1) - 1)[row, b]
    records["partner"][n[row], k[row], m[row], index] = b


@kernel
def gather(record, q, y):
    """y (8, 3) = the ambient vectors of the record's two nodes."""
    for side in range(2):
        for a in range(4):
            for i in range(3):
                y[4 * side + a, i] = q[record.nodes[side], a, i]


@kernel
def row_times(record, k, m, y):
    """Row of h that belongs to the m-th vector of form k, times y (8, 3): three numbers."""
    a, s0, s1, s2 = record["vector"][k, m], 0.0, 0.0, 0.0
    for c in range(record["partners"][k, m]):
        b = record["partner"][k, m, c]
        h = record["h"][k, a, b]
        s0 += h * y[b, 0]
        s1 += h * y[b, 1]
        s2 += h * y[b, 2]
    return s0, s1, s2


@kernel
def gradient(record, k, m, y):
    """Derivative of psi of form k by its m-th vector at y (8, 3): three numbers."""
    l = record["l"][k, record["vector"][k, m]]
    h0, h1, h2 = row_times(record, k, m, y)
    return h0 + l[0], h1 + l[1], h2 + l[2]


@kernel
def value_and_rate(record, k, y, p):
    """psi at y (8, 3), and its change with p (8, 3)."""
    value, rate = record["constant"][k], 0.0
    for m in range(record["vectors"][k]):
        a = record["vector"][k, m]
        g = gradient(record, k, m, y)
        value += 0.5 * (dot(g, y[a]) + dot(record["l"][k, a], y[a]))
        rate += dot(g, p[a])
    return value, rate


@kernel
def changes(record, k, y, p, dy, dp):
    """First-order changes of `value_and_rate` by dy and dp; all (8, 3)."""
    value, rate = 0.0, 0.0
    for m in range(record["vectors"][k]):
        a = record["vector"][k, m]
        g = gradient(record, k, m, y)
        value += dot(g, dy[a])
        rate += dot(g, dp[a]) + dot(row_times(record, k, m, p), dy[a])
    return value, rate


@kernel
def _add_component(start, end, rate, l, s_g, s_d, on_m, on_f, i):
    on_m[i] += Q_m(0.5 * (start + end) + l, rate, s_g, s_d)
    on_f[i] += Q_f(end + l, end - start, s_g, s_d)


@kernel
def add_forces(record, k, y_i, y_f, y_p, s_g, s_d, force_m, force_f):
    """Add to force_m, force_f (n, 4, 3) the forces Q_m and Q_f of the stresses s_g and s_d on form k; y (8, 3).

    Returns psi at y_f and its rate with y_p, at little extra cost.
    """
    value, rate = record["constant"][k], 0.0
    for m in range(record["vectors"][k]):
        a = record["vector"][k, m]
        l, on_m, on_f = (
            record["l"][k, a],
            force_m[record.nodes[a >> 2], a & 3],
            force_f[record.nodes[a >> 2], a & 3],
        )
        if record["partners"][k, m] == 0:
            value += dot(l, y_f[a])
            rate += dot(l, y_p[a])
            for i in range(3):
                on_m[i] += Q_m(l[i], 0.0, s_g, s_d)
                on_f[i] += Q_f(l[i], 0.0, s_g, s_d)
            continue
        i0, i1, i2 = row_times(record, k, m, y_i)
        f0, f1, f2 = row_times(record, k, m, y_f)
        p0, p1, p2 = row_times(record, k, m, y_p)
        g = f0 + l[0], f1 + l[1], f2 + l[2]
        value += 0.5 * (dot(g, y_f[a]) + dot(l, y_f[a]))
        rate += dot(g, y_p[a])
        _add_component(i0, f0, p0, l[0], s_g, s_d, on_m, on_f, 0)
        _add_component(i1, f1, p1, l[1], s_g, s_d, on_m, on_f, 1)
        _add_component(i2, f2, p2, l[2], s_g, s_d, on_m, on_f, 2)
    return value, rate


@kernel
def _component_parts(start, end, rate, l, parts, a, i):
    b_mean, b_f, change = 0.5 * (start + end) + l, end + l, end - start
    parts[0, a, i], parts[1, a, i] = Q_m(b_mean, rate, 1.0, 0.0), Q_m(b_mean, rate, 0.0, 1.0)
    parts[2, a, i], parts[3, a, i] = Q_f(b_f, change, 1.0, 0.0), Q_f(b_f, change, 0.0, 1.0)
    parts[4, a, i] = rate


@kernel
def form_parts(record, k, y_i, y_f, y_p, parts):
    """Fill parts (5, 8, 3): dQ_m/ds_g, dQ_m/ds_d, dQ_f/ds_g, dQ_f/ds_d of form k, and h p.

    Rows of vectors that the form does not read are left as they are.
    """
    for m in range(record["vectors"][k]):
        a = record["vector"][k, m]
        l = record["l"][k, a]
        i0, i1, i2 = row_times(record, k, m, y_i)
        f0, f1, f2 = row_times(record, k, m, y_f)
        p0, p1, p2 = row_times(record, k, m, y_p)
        _component_parts(i0, f0, p0, l[0], parts, a, 0)
        _component_parts(i1, f1, p1, l[1], parts, a, 1)
        _component_parts(i2, f2, p2, l[2], parts, a, 2)


@kernel
def add_mapped(x, y, map_x, map_y, v, i, row):
    """row (12,) += x times the row of component i of a node's vector v in one map of the node, y times that in another.

    Forces x and y in Q_m and Q_f with W_m and W_f give the node's equations; derivatives x and y by q_f and p with D_q
    and D_p give those by the node's unknowns. Maps (3, 3, 6).
    """
    if v == 0:
        row[i] += x + y
        row[6 + i] += y
    else:
        for j in range(3):
            row[3 + j] += x * map_x[v - 1, i, j] + y * map_y[v - 1, i, j]
            row[9 + j] += x * map_x[v - 1, i, 3 + j] + y * map_y[v - 1, i, 3 + j]


@kernel
def turn_maps(w_m, s, y):
    """Fill S and Y (3, 3) from a node's W_m (3, 3, 6): a director changes by S (b x e_a) + Y (e x e_a) in the step."""
    for i in range(3):
        s[i, 0], s[i, 1], s[i, 2] = w_m[2, i, 1], w_m[0, i, 2], w_m[1, i, 0]
        y[i, 0], y[i, 1], y[i, 2] = w_m[2, i, 4], w_m[0, i, 5], w_m[1, i, 3]


@kernel
def _split(h_g, h_d, x, h):
    """Fill h (3, 4, 4): dQ_m/dq_f (with omega x of dp), dQ_m/dp and dQ_f/dq_f; dq_f and dp by the spin.

    When q_f moves, B moves by half of it in the mean and by all of it at the end and in the change; when p moves, B(p)
    does.
    """
    w0, w1, w2 = x[3] + x[9], x[4] + x[10], x[5] + x[11]
    for a in range(4):
        for b in range(4):
            g, d = h_g[a, b], h_d[a, b]
            h[0, a, b], h[1, a, b], h[2, a, b] = Q_m(0.5, 0.0, g, d), Q_m(0.0, 1.0, g, d), Q_f(1.0, 1.0, g, d)
        p1, p2, p3 = h[1, a, 1], h[1, a, 2], h[1, a, 3]
        h[0, a, 1] += w1 * p3 - w2 * p2
        h[0, a, 2] += w2 * p1 - w0 * p3
        h[0, a, 3] += w0 * p2 - w1 * p1


@kernel
def _multiply(s, y, r_n, r_m, out):
    """Fill out (3, 3, 3) with S^T R, Y^T R and R_n^T R, R that of the moving node."""
    for i in range(3):
        for j in range(3):
            out[0, i, j] = s[0, i] * r_m[0, j] + s[1, i] * r_m[1, j] + s[2, i] * r_m[2, j]
            out[1, i, j] = y[0, i] * r_m[0, j] + y[1, i] * r_m[1, j] + y[2, i] * r_m[2, j]
            out[2, i, j] = r_n[0, i] * r_m[0, j] + r_n[1, i] * r_m[1, j] + r_n[2, i] * r_m[2, j]


@kernel
def _minors(a, b, x, y):
    """Row of the sum of h_ab e_a~ x e_b~^T from rows a, b of h and y, x of x: three numbers."""
    return (
        a[1] * y[2] - a[2] * y[1] - b[1] * x[2] + b[2] * x[1],
        a[2] * y[0] - a[0] * y[2] - b[2] * x[0] + b[0] * x[2],
        a[0] * y[1] - a[1] * y[0] - b[0] * x[1] + b[1] * x[0],
    )


@kernel
def _between(h, x):
    """Sum of h_ab e_a~ x e_b~^T over the directors, rows and columns 1 to 3 of h (4, 4); x (3, 3). Three rows."""
    h1, h2, h3 = (h[1, 1], h[1, 2], h[1, 3]), (h[2, 1], h[2, 2], h[2, 3]), (h[3, 1], h[3, 2], h[3, 3])
    return _minors(h2, h3, x[1], x[2]), _minors(h3, h1, x[2], x[0]), _minors(h1, h2, x[0], x[1])


@kernel
def _add_three(rows, k, row, col):
    """k[row:row+3, col:col+3] += three rows of three numbers."""
    _add_along(rows[0], k, row, col)
    _add_along(rows[1], k, row + 1, col)
    _add_along(rows[2], k, row + 2, col)


@kernel
def _add_along(v, k, row, col):
    """k[row, col:col+3] += three numbers."""
    k[row, col] += v[0]
    k[row, col + 1] += v[1]
    k[row, col + 2] += v[2]


@kernel
def _add_down(v, w, k, row, col):
    """k[row:row+3, col] += v + w of three numbers each."""
    k[row, col] += v[0] + w[0]
    k[row + 1, col] += v[1] + w[1]
    k[row + 2, col] += v[2] + w[2]


@kernel
def _add_with_places(h, s, y, r_n, r_m, k, row, col):
    """Add the couplings of the tested node's position, and those of its directors with the moving node's position."""
    q, p, f = h[0], h[1], h[2]
    in_m, in_p, in_f = (
        (q[0, 1] + f[0, 1], q[0, 2] + f[0, 2], q[0, 3] + f[0, 3]),
        (p[0, 1], p[0, 2], p[0, 3]),
        (f[0, 1], f[0, 2], f[0, 3]),
    )
    on_q, on_p, on_f = (
        (q[1, 0] + p[1, 0], q[2, 0] + p[2, 0], q[3, 0] + p[3, 0]),
        (p[1, 0], p[2, 0], p[3, 0]),
        (f[1, 0], f[2, 0], f[3, 0]),
    )
    nothing = 0.0, 0.0, 0.0
    for i in range(3):
        k[row + i, col + i] += q[0, 0] + p[0, 0] + f[0, 0]
        k[row + i, col + 6 + i] += p[0, 0]
        k[row + 6 + i, col + i] += f[0, 0]
        _add_along(cross(in_m, r_m[i]), k, row + i, col + 3)
        _add_along(cross(in_p, r_m[i]), k, row + i, col + 9)
        _add_along(cross(in_f, r_m[i]), k, row + 6 + i, col + 3)
        at_end = cross(on_f, r_n[i])
        _add_down(cross(on_q, s[i]), at_end, k, row + 3, col + i)
        _add_down(cross(on_q, y[i]), at_end, k, row + 9, col + i)
        _add_down(cross(on_p, s[i]), nothing, k, row + 3, col + 6 + i)
        _add_down(cross(on_p, y[i]), nothing, k, row + 9, col + 6 + i)


@kernel
def _couples_directors(h):
    for a in range(1, 4):
        for b in range(1, 4):
            if h[0, a, b] != 0.0 or h[1, a, b] != 0.0 or h[2, a, b] != 0.0:
                return True
    return False


@kernel
def add_form(h_g, h_d, turns, n, m, x, k, h, products):
    """Add to k, from its entry 12 n, 12 m on, the change of a form's force on node n by the motion of node m.

    h_g, h_d (4, 4) : the form contracted with s_g and s_d between the vectors (u, d_1..3) of n and of m. turns (3,
    nodes, 3, 3) : `turn_maps` and R_f of the nodes; x (12,) : unknowns of m. Columns are (a, phi, c, domega); h (3, 4,
    4) and products (3, 3, 3) are scratch.
    """
    s, y, r_n, r_m, row, col = turns[0, n], turns[1, n], turns[2, n], turns[2, m], 12 * n, 12 * m
    _split(h_g, h_d, x, h)
    _add_with_places(h, s, y, r_n, r_m, k, row, col)
    if not _couples_directors(h):
        return
    _multiply(s, y, r_n, r_m, products)
    at_end = _between(h[2], products[2])
    _add_three(at_end, k, row + 3, col + 3)
    _add_three(at_end, k, row + 9, col + 3)
    _add_three(_between(h[0], products[0]), k, row + 3, col + 3)
    _add_three(_between(h[0], products[1]), k, row + 9, col + 3)
    _add_three(_between(h[1], products[0]), k, row + 3, col + 9)
    _add_three(_between(h[1], products[1]), k, row + 9, col + 9)


@kernel
def from_spins(g, k, col):
    """Transform columns (phi, domega) of a node at ``col`` of k (rows, columns) into those of b and e; g (3, 6)."""
    for r in range(k.shape[0]):
        f0, f1, f2 = k[r, col + 3], k[r, col + 4], k[r, col + 5]
        for j in range(3):
            o = k[r, col + 9 + j]
            k[r, col + 3 + j] = f0 * g[0, j] + f1 * g[1, j] + f2 * g[2, j] + o
            k[r, col + 9 + j] = f0 * g[0, 3 + j] + f1 * g[1, 3 + j] + f2 * g[2, 3 + j] + o


@kernel
def _couples(h, s, t):
    """Whether h (2, 8, 8) couples any vector of node s with one of node t, each 0 or 1."""
    for a in range(4 * s, 4 * s + 4):
        for b in range(4 * t, 4 * t + 4):
            if h[0, a, b] != 0.0 or h[1, a, b] != 0.0:
                return True
    return False


@kernel
def pair_tangent(h, nodes, rotations, w_m, k, turns, form, products):
    """Fill k (24, 24) with the change of the discrete forces of forms of two nodes by the nodes' motion.

    h (2, 8, 8) : the forms times s_g and s_d; nodes (2,); rotations and w_m (n, 3, 3, 6) of all nodes (`Rotations`,
    `Maps`). turns (3, 2, 3, 3) and, as in `add_form`, form and products are scratch.
    """
    x, r_f, spin = rotations
    k[:] = 0.0
    for s in range(2):
        turn_maps(w_m[nodes[s]], turns[0, s], turns[1, s])
        for i in range(3):
            for j in range(3):
                turns[2, s, i, j] = r_f[nodes[s], i, j]
    for t in range(2):
        for s in range(2):
            if _couples(h, s, t):
                h_g, h_d = (
                    h[0, 4 * s : 4 * s + 4, 4 * t : 4 * t + 4],
                    h[1, 4 * s : 4 * s + 4, 4 * t : 4 * t + 4],
                )
                add_form(h_g, h_d, turns, s, t, x[nodes[t]], k, form, products)
        from_spins(spin[nodes[t]], k, 12 * t)
