"""Values, rates and discrete forces of quadratic forms of two nodes' vectors (`forms`), compiled.

A form psi(y) = 1/2 y.h.y + l.y + c reads few of the eight vectors y (8, 3) of its nodes, and its matrix h couples each
of them with few others: the record lists which. Values, rates and the forces of the discrete rule need nothing else.
Source: docs/explanation/theory.md, section 2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.vectors import dot
from fem_mbd.core.scheme.constraints.forms import Form
from fem_mbd.core.scheme.discrete_rule import Q_f, Q_m


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
