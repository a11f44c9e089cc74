"""Arithmetic of small tuples, which the compiler keeps in registers: measures (4), strains, stresses (6), z (7)."""

from __future__ import annotations

from fem_mbd.core.compiled import kernel


@kernel
def total(a, b):
    """a + b of six numbers each."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


@kernel
def inner(a, b):
    """a . b of six numbers each, also of a row of an array."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


@kernel
def product(c, v):
    """c v, with c (6, 6) of an array."""
    return inner(c[0], v), inner(c[1], v), inner(c[2], v), inner(c[3], v), inner(c[4], v), inner(c[5], v)


@kernel
def six(s):
    """Six numbers from an array (6,)."""
    return s[0], s[1], s[2], s[3], s[4], s[5]


@kernel
def store(numbers, out):
    """Write six numbers to out (6,)."""
    out[0], out[1], out[2], out[3], out[4], out[5] = numbers


@kernel
def four_total(a, b):
    """a + b of four numbers each."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]


@kernel
def four_scaled(factor, a):
    """factor a of four numbers."""
    return factor * a[0], factor * a[1], factor * a[2], factor * a[3]


@kernel
def difference(a, b):
    """a - b of four numbers each."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]


@kernel
def middle(a, b):
    """(a + b)/2 of the first three numbers of each."""
    return 0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2])


@kernel
def seven(v):
    """Seven numbers from an array (7,)."""
    return v[0], v[1], v[2], v[3], v[4], v[5], v[6]


@kernel
def seven_sum(a, factor, b):
    """a + factor b of seven numbers each."""
    a0, a1, a2, a3, a4, a5, a6 = a
    b0, b1, b2, b3, b4, b5, b6 = b
    return (
        a0 + factor * b0,
        a1 + factor * b1,
        a2 + factor * b2,
        a3 + factor * b3,
        a4 + factor * b4,
        a5 + factor * b5,
        a6 + factor * b6,
    )


@kernel
def seven_scaled(factor, a):
    """factor a of seven numbers."""
    a0, a1, a2, a3, a4, a5, a6 = a
    return factor * a0, factor * a1, factor * a2, factor * a3, factor * a4, factor * a5, factor * a6
