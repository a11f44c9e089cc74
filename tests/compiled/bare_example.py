"""Kernels for `test_bare`; code kept on disk needs a file of its own."""

from __future__ import annotations

import numpy as np

from fem_mbd.compiled import kernel


@kernel
def sum_of(a):
    """Sum of the numbers in a (n,)."""
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i]
    return total


@kernel
def sums_of_rows(a, out):
    """Fill out (n,) with the sums of the rows of a (n, m), which are handed on one by one."""
    for i in range(a.shape[0]):
        out[i] = sum_of(a[i])


@kernel
def many_sums(count, a):
    """The same for an array made here, ``count`` times over: the sum of all."""
    out, total = np.empty(a.shape[0]), 0.0
    for _ in range(count):
        sums_of_rows(a, out)
        total += sum_of(out)
    return total


@kernel
def makes_an_array(a):
    """What a bare kernel must not do."""
    return np.empty(3)[0] + a[0]
