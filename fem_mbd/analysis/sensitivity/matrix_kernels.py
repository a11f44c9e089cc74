"""Kernels that put unit directions into dual numbers, and take derivatives out of them into sparse matrices.

Numbers with derivatives have eight float64 in a row, the value and seven derivatives; arrays of them are flat here. In
arrays of components a number says in which of the seven derivatives a quantity is one, zero in none.
"""

from __future__ import annotations

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.dual_numbers import WIDTH
from fem_mbd.core.compiled.signatures import index_rows, indices, int64, matrix, vector, void
from fem_mbd.core.compiled.simd import load8, multiply_add, same8, store8

BLOCK_COLUMNS = 32  # propagated at a time: four SIMD vectors
MOTION = 12  # numbers of a node's state: displacement, turn, velocity, angular velocity


@kernel
def _put(target, place, value, component):
    """A number with derivative one in a component other than zero, zero in all others."""
    store8(target, WIDTH * place, same8(0.0))
    target[WIDTH * place] = value
    if component > 0:
        target[WIDTH * place + component] = 1.0


@kernel
def _turn(start, node, n, axis, component, r, r_i, q):
    """Derivative of a rotation R by a turn about an axis of the node: R e~."""
    b, c = (axis + 1) % 3, (axis + 2) % 3
    for i in range(3):
        row = 9 * node + 3 * i
        plus, minus = start[3 * n + row + c], -start[3 * n + row + b]
        r[WIDTH * (row + b) + component] = r_i[WIDTH * (row + b) + component] = plus
        r[WIDTH * (row + c) + component] = r_i[WIDTH * (row + c) + component] = minus
        q[WIDTH * (12 * node + 3 * (1 + b) + i) + component] = plus
        q[WIDTH * (12 * node + 3 * (1 + c) + i) + component] = minus


@kernel(void(vector, index_rows, vector, vector, vector, vector, vector, vector, vector))
def put_nodes(start, components, u, r, v, omega, slope, q, r_i):
    """Put the nodes' part of a state (`StateVector`) into dual numbers, with unit directions in components (n, 12).

    Parameters
    ----------
    start : the state
    u, r, v, omega, slope, q, r_i : dual numbers of the state, and of what the equations read of it
    """
    n = components.shape[0]
    for k in range(n):
        for i in range(3):
            _put(u, 3 * k + i, start[3 * k + i], components[k, i])
            _put(q, 12 * k + i, start[3 * k + i], components[k, i])
            _put(v, 3 * k + i, start[12 * n + 3 * k + i], components[k, 6 + i])
            _put(omega, 3 * k + i, start[15 * n + 3 * k + i], components[k, 9 + i])
            for j in range(3):
                place = 9 * k + 3 * i + j
                value = start[3 * n + place]
                _put(r, place, value, 0)
                _put(r_i, place, value, 0)
                _put(q, 12 * k + 3 * (1 + j) + i, value, 0)
        for i in range(6):
            _put(slope, 6 * k + i, start[18 * n + 6 * k + i], 0)
        for axis in range(3):
            if components[k, 3 + axis] > 0:
                _turn(start, k, n, axis, components[k, 3 + axis], r, r_i, q)


@kernel(void(vector, int64, indices, vector))
def put_numbers(start, first, components, target):
    """Put numbers of a state from an index on into dual numbers, with unit directions in components (k,)."""
    for k in range(components.shape[0]):
        _put(target, k, start[first + k], components[k])


@kernel(void(vector, indices, vector))
def put_unknowns(unknowns, components, y):
    """Put unknowns (size,) into dual numbers, with unit directions in components (size,)."""
    for k in range(components.shape[0]):
        _put(y, k, unknowns[k], components[k])


@kernel(void(vector, int64, vector))
def take_numbers(source, first, start):
    """Copy values of dual numbers into a state from an index on."""
    for k in range(source.shape[0] // WIDTH):
        start[first + k] = source[WIDTH * k]


@kernel(void(vector, vector, vector, vector, vector))
def end_of_nodes(u, r, v, omega, end):
    """Derivatives of the nodes' states in the order of `MOTION`; those of rotations R' as turns R^T R'."""
    for k in range(u.shape[0] // (3 * WIDTH)):
        first = WIDTH * MOTION * k
        for i in range(3):
            store8(end, first + WIDTH * i, load8(u, WIDTH * (3 * k + i)))
            store8(end, first + WIDTH * (6 + i), load8(v, WIDTH * (3 * k + i)))
            store8(end, first + WIDTH * (9 + i), load8(omega, WIDTH * (3 * k + i)))
            b, c = (i + 1) % 3, (i + 2) % 3
            turn = same8(0.0)
            for j in range(3):
                row = 9 * k + 3 * j
                turn = multiply_add(same8(0.5 * r[WIDTH * (row + c)]), load8(r, WIDTH * (row + b)), turn)
                turn = multiply_add(same8(-0.5 * r[WIDTH * (row + b)]), load8(r, WIDTH * (row + c)), turn)
            store8(end, first + WIDTH * (3 + i), turn)


@kernel(void(vector, vector))
def copy_lanes(source, target):
    """Copy dual numbers."""
    for k in range(0, source.shape[0], WIDTH):
        store8(target, k, load8(source, k))


@kernel(void(vector, indices, indices, vector))
def take_entries(source, places, entries, values):
    """Copy numbers at places (k,) of source to entries (k,) of a matrix."""
    for k in range(places.shape[0]):
        values[entries[k]] = source[places[k]]


@kernel(void(indices, indices, vector, vector, vector, int64))
def add_product(indptr, columns, values, x, out, sign):
    """Add a sparse matrix (CSR) times x (32 columns,), times a sign, to out (32 rows,), 32 numbers for each."""
    for row in range(indptr.shape[0] - 1):
        place = BLOCK_COLUMNS * row
        a, b = load8(out, place), load8(out, place + 8)
        c, d = load8(out, place + 16), load8(out, place + 24)
        for k in range(indptr[row], indptr[row + 1]):
            factor, source = same8(sign * values[k]), BLOCK_COLUMNS * columns[k]
            a = multiply_add(factor, load8(x, source), a)
            b = multiply_add(factor, load8(x, source + 8), b)
            c = multiply_add(factor, load8(x, source + 16), c)
            d = multiply_add(factor, load8(x, source + 24), d)
        store8(out, place, a)
        store8(out, place + 8, b)
        store8(out, place + 16, c)
        store8(out, place + 24, d)


@kernel(void(indices, indices, vector, matrix, matrix, int64))
def add_transposed_product(indptr, columns, values, x, out, sign):
    """Add the transpose of a sparse matrix (CSR) times x (rows, 8), times a sign, to out (columns, 8)."""
    for row in range(x.shape[0]):
        of_row = load8(x[row], 0)
        for k in range(indptr[row], indptr[row + 1]):
            target = out[columns[k]]
            store8(target, 0, multiply_add(same8(sign * values[k]), of_row, load8(target, 0)))
