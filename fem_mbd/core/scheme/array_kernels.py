"""Copy, clear, gather, scatter and subtract on arrays, compiled, for lists of calls."""

from __future__ import annotations

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import float64, index_rows, indices, int32, matrix, vector, void


@kernel(void(vector, vector))
def copy(source, target):
    """Copy source to target, both (n,)."""
    # entry by entry: ``target[:] = source`` takes numba two seconds to compile, for arrays of different shapes
    for k in range(target.shape[0]):
        target[k] = source[k]


@kernel(void(vector, index_rows, matrix))
def unpack(y, equation, x):
    """Spread the solver's vector y over x (n, k), unknowns of nodes or multipliers; equation (n, k), -1: fixed."""
    for n in range(x.shape[0]):
        for i in range(x.shape[1]):
            if equation[n, i] >= 0:
                x[n, i] = y[equation[n, i]]


@kernel(void(matrix, index_rows, vector))
def pack(x, equation, y):
    """Gather the entries of x (n, k) into the solver's vector, the inverse of `unpack`."""
    for n in range(x.shape[0]):
        for i in range(x.shape[1]):
            if equation[n, i] >= 0:
                y[equation[n, i]] = x[n, i]


@kernel(void(vector))
def clear(array):
    """Set the entries (n,) to zero."""
    array[:] = 0.0


@kernel(void(index_rows, int32[::1], vector))
def clear_rows(equation, indptr, data):
    """Set the rows ``equation`` (n, k), -1 for none, of matrix values to zero; CSR."""
    for n in range(equation.shape[0]):
        for i in range(equation.shape[1]):
            if equation[n, i] >= 0:
                data[indptr[equation[n, i]] : indptr[equation[n, i] + 1]] = 0.0


@kernel(void(index_rows, indices, vector, vector))
def gather_rows(equation, places, data, target):
    """Copy data[places[row]] to target[row] for the rows ``equation`` (n, k), -1 for none."""
    for n in range(equation.shape[0]):
        for i in range(equation.shape[1]):
            row = equation[n, i]
            if row >= 0:
                target[row] = data[places[row]]


@kernel(void(vector, indices, float64))
def subtract(data, places, amount):
    """Subtract ``amount`` from the entries of data at the indices ``places``."""
    for place in places:
        data[place] -= amount
