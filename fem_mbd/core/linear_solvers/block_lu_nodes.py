"""Operations of the block LU on blocks of 12 unknowns (a free node), unrolled and with SIMD vectors.

`BlockRows` are the rows of a block matrix as all kernels of the block LU take them.

A row stays in SIMD registers, as vectors of 8 and 4 numbers, for all subtractions from it, and several rows are
processed at a time, which hides the latency of the operations. A block is given by the index of its first entry in the
matrix values; the rows of one block begin ``length`` apart, those of another one ``stride``. The formulas are those of
`block_lu` and `block_lu_solve` for blocks of any size, except for the order of sums.
"""

from __future__ import annotations

from functools import reduce
from operator import and_
from typing import Annotated, Any, NamedTuple

from fem_mbd.core.compiled.kernels import unrolled
from fem_mbd.core.compiled.signatures import indices, int32


class BlockRows(NamedTuple):
    """CSR rows (n,) of a matrix and its b blocks, as in `fem_mbd.core.scheme.matrix_pattern.Blocks`."""

    indptr: Annotated[Any, int32[::1]]  # (n + 1,) first entry of each row in the matrix values
    first: Annotated[Any, indices]  # (b,) first equation of each block
    size: Annotated[Any, indices]  # (b,) equations of each block
    pointer: Annotated[
        Any, indices
    ]  # (b + 1,) first index of a block's couplings in ``coupled`` and ``start``
    diag: Annotated[Any, indices]  # (b,) index of the diagonal block among them
    coupled: Annotated[Any, indices]  # blocks that a block is coupled with, ascending
    start: Annotated[Any, indices]  # first columns of these in the block's rows


WIDTH = 12
PARTS = ((0, 8), (8, 4))  # SIMD vectors of a row: first column, number of columns
ROWS_PER_PASS = 4  # rows: as many as fit into sixteen registers of four numbers with a row that is subtracted
ZERO, INFINITE = 2.2e-14, 1e300  # limits of pivots that count as zero, as in PETSc's LU, and as not finite

Row = list[Any]  # a SIMD vector for each part


@unrolled
def divide(data: Any, at: Any, length: Any, pivots: Any, stride: Any) -> None:
    """Solve X U = B for a block B, in place; the diagonal of U at ``pivots`` stores inverses."""
    inverses = [data[pivots + stride * p + p] for p in range(WIDTH)]
    diagonal = _row_of(inverses)
    for first in range(0, WIDTH, ROWS_PER_PASS):
        begins = [at + length * (first + i) for i in range(ROWS_PER_PASS)]
        rows = [_load(data, begin) for begin in begins]
        for p in range(WIDTH - 1):
            # x[p] U[p, q] = b[p] (U[p, q] / U[p, p]): no row has to wait for its x[p]
            pivot_row = _scaled(_entries_after(_load(data, pivots + stride * p), p), inverses[p])
            rows = [_subtracted(row, _entry(row, p), pivot_row) for row in rows]
        for begin, row in zip(begins, rows, strict=True):
            _store(data, begin, _times(row, diagonal))


@unrolled
def subtract_product(data: Any, target: Any, left: Any, length: Any, source: Any, stride: Any) -> None:
    """Subtract from the block at ``target`` the product of those at ``left``, in the same rows, and ``source``."""
    for first in range(0, WIDTH, ROWS_PER_PASS):
        begins = [length * (first + i) for i in range(ROWS_PER_PASS)]
        rows = [_load(data, target + begin) for begin in begins]
        for p in range(WIDTH):
            other = _load(data, source + stride * p)
            rows = [_subtracted(row, data[left + b + p], other) for row, b in zip(rows, begins, strict=True)]
        for begin, row in zip(begins, rows, strict=True):
            _store(data, target + begin, row)


@unrolled
def factorise_diagonal(data: Any, at: Any, length: Any) -> bool:
    """LU of a block in place, inverse pivots on the diagonal; false when a pivot is zero or not finite."""
    rows = [_load(data, at + length * i) for i in range(WIDTH)]
    inverses, valid = [], []
    for p in range(WIDTH):
        pivot = _entry(rows[p], p)
        valid.append(pivot.between(ZERO, INFINITE))
        inverses.append(1.0 / pivot)
        pivot_row = _scaled(_entries_after(rows[p], p), inverses[p])  # as in `divide`
        rows[p + 1 :] = [_subtracted(row, _entry(row, p), pivot_row) for row in rows[p + 1 :]]
    diagonal = _row_of(inverses)
    for i, row in enumerate(rows):
        _store(data, at + length * i, _joined(_joined(_times(row, diagonal), i, diagonal), i + 1, row))
    return reduce(and_, valid)


@unrolled
def eliminate(data: Any, at: Any, diagonal: Any, length: Any) -> None:
    """Solve L X = B for a block B, in place; L at ``diagonal``, in the same rows, has ones on its diagonal."""
    rows = [_load(data, at + length * i) for i in range(WIDTH)]
    for p in range(WIDTH - 1):
        for i in range(p + 1, WIDTH):
            rows[i] = _subtracted(rows[i], data[diagonal + length * i + p], rows[p])
    for i, row in enumerate(rows):
        _store(data, at + length * i, row)


@unrolled
def subtract_from_side(data: Any, at: Any, length: Any, y: Any, row: Any, column: Any) -> None:
    """Subtract from y at ``row`` the product of a block with y at ``column``."""
    x = [y.load(column + first, 4) for first in (0, 4, 8)]
    for i in (0, 4, 8):
        a, b, c, d = (_four_sums(data, at + length * (i + k), x) for k in range(4))
        # four rows at once: adjacent elements are added, then adjacent sums
        ab = a.chosen(b, (0, 4, 2, 6)) + a.chosen(b, (1, 5, 3, 7))
        cd = c.chosen(d, (0, 4, 2, 6)) + c.chosen(d, (1, 5, 3, 7))
        sums = ab.chosen(cd, (0, 1, 4, 5)) + ab.chosen(cd, (2, 3, 6, 7))
        y.store(row + i, y.load(row + i, 4) - sums)


@unrolled
def forward_diagonal(data: Any, at: Any, y: Any, row: Any) -> None:
    """Solve L x = y at ``row``, in place; L, with ones on its diagonal, packed at ``at``."""
    x = [y[row + i] for i in range(WIDTH)]
    for j in range(WIDTH):
        for i in range(j + 1, WIDTH):
            x[i] = x[i] - data[at + (_begin_of_l(i) + j)] * x[j]
    _store(y, row, _row_of(x))


@unrolled
def backward_diagonal(data: Any, at: Any, y: Any, row: Any) -> None:
    """Solve U x = y at ``row``, in place; U, with inverses on its diagonal, packed at ``at``."""
    x = [y[row + i] for i in range(WIDTH)]
    for j in reversed(range(WIDTH)):
        x[j] = x[j] * data[at + _begin_of_u(j)]
        for i in range(j):
            x[i] = x[i] - data[at + (_begin_of_u(i) + j - i)] * x[j]
    _store(y, row, _row_of(x))


@unrolled
def copy_transposed(source: Any, at: Any, stride: Any, target: Any, to: Any) -> None:
    """Copy a block with rows ``stride`` apart to contiguous columns."""
    for i in range(WIDTH):
        for j in range(WIDTH):
            target.store(to + (WIDTH * j + i), source[at + stride * i + j])


@unrolled
def solve_l(block: Any, length: Any, data: Any, at: Any) -> None:
    """Solve L X = B in place for the first columns of a block; L, with ones on its diagonal, packed at ``at``."""
    rows = [_load(block, length * i) for i in range(WIDTH)]
    for j in range(WIDTH):
        for i in range(j + 1, WIDTH):
            rows[i] = _subtracted(rows[i], data[at + (_begin_of_l(i) + j)], rows[j])
    for i, row in enumerate(rows):
        _store(block, length * i, row)


@unrolled
def solve_l_transposed(block: Any, data: Any, at: Any) -> None:
    """Solve L^T X = B in place for a block of contiguous rows; L as in `solve_l`."""
    first = at - at
    rows = [_load(block, first + WIDTH * i) for i in range(WIDTH)]
    for j in reversed(range(WIDTH)):
        for i in range(j):
            rows[i] = _subtracted(rows[i], data[at + (_begin_of_l(j) + i)], rows[j])
    for i, row in enumerate(rows):
        _store(block, first + WIDTH * i, row)


@unrolled
def solve_u(block: Any, first: Any, length: Any, data: Any, at: Any) -> None:
    """Solve U X = B in place for the columns of a block from ``first`` on; U, packed, has inverses on its diagonal."""
    rows = [_load(block, first + length * i) for i in range(WIDTH)]
    for j in reversed(range(WIDTH)):
        rows[j] = _scaled(rows[j], data[at + _begin_of_u(j)])
        for i in range(j):
            rows[i] = _subtracted(rows[i], data[at + (_begin_of_u(i) + j - i)], rows[j])
    for i, row in enumerate(rows):
        _store(block, first + length * i, row)


@unrolled
def subtract_columns(data: Any, at: Any, y: Any, row: Any, column: Any) -> None:
    """Subtract from y at ``row`` the product of a block, stored column after column, with y at ``column``."""
    _store(y, row, _minus(_load(y, row), _sum_of_columns(data, at, y, column)))


@unrolled
def multiply_columns(data: Any, at: Any, y: Any, row: Any) -> None:
    """Multiply y at ``row`` by a block that is stored column after column."""
    _store(y, row, _sum_of_columns(data, at, y, row))


@unrolled
def copy_triangles(source: Any, at: Any, stride: Any, target: Any, to: Any) -> None:
    """Copy the factors of a diagonal block into packed order: L at ``to`` and U after it."""
    for i in range(WIDTH):
        row = at + stride * i
        _copy_numbers(source, row, target, to + _begin_of_l(i), i)
        _copy_numbers(source, row + i, target, to + (_begin_of_l(WIDTH) + _begin_of_u(i)), WIDTH - i)


def _begin_of_l(row: int) -> int:
    """Offset of a row of packed L."""
    return row * (row - 1) // 2


def _begin_of_u(row: int) -> int:
    """Offset of a row of packed U."""
    return row * WIDTH - row * (row - 1) // 2


def _copy_numbers(source: Any, at: Any, target: Any, to: Any, count: int) -> None:
    """Copy so many numbers, in the largest possible vectors."""
    done = 0
    for size in (8, 4, 2, 1):
        if count - done >= size:
            target.store(to + done, source.load(at + done, size))
            done += size


def _load(data: Any, at: Any) -> Row:
    return [data.load(at + first, count) for first, count in PARTS]


def _store(data: Any, at: Any, row: Row) -> None:
    for (first, _), part in zip(PARTS, row, strict=True):
        data.store(at + first, part)


def _row_of(numbers: list[Any]) -> Row:
    return [numbers[first].beside(*numbers[first + 1 : first + count]) for first, count in PARTS]


def _entry(row: Row, p: int) -> Any:
    return next(part[p - first] for (first, count), part in zip(PARTS, row, strict=True) if p < first + count)


def _entries_after(row: Row, p: int) -> Row:
    """A row with zeros up to its entry p; None for a part that would have zeros only."""
    return [
        part.chosen(0.0, [k if first + k > p else count + k for k in range(count)])
        if first + count - 1 > p
        else None
        for (first, count), part in zip(PARTS, row, strict=True)
    ]


def _joined(left: Row, p: int, right: Row) -> Row:
    """A row with the entries of ``left`` before p and those of ``right`` from p on."""
    return [
        a.chosen(b, [k if first + k < p else count + k for k in range(count)])
        for (first, count), a, b in zip(PARTS, left, right, strict=True)
    ]


def _scaled(row: Row, factor: Any) -> Row:
    return [None if part is None else part * factor for part in row]


def _times(row: Row, other: Row) -> Row:
    """Elementwise product."""
    return [a * b for a, b in zip(row, other, strict=True)]


def _subtracted(row: Row, factor: Any, other: Row) -> Row:
    """A row minus factor times another one."""
    return [a if b is None else a - b * factor for a, b in zip(row, other, strict=True)]


def _minus(row: Row, other: Row) -> Row:
    return [a - b for a, b in zip(row, other, strict=True)]


def _sum_of_columns(data: Any, at: Any, y: Any, first: Any) -> Row:
    """Columns times the entries of y from ``first`` on; three sums are independent, which hides their latency."""
    sums: list[Row] = []
    for j in range(WIDTH):
        column = _scaled(_load(data, at + WIDTH * j), y[first + j])
        if j < 3:
            sums.append(column)
        else:
            sums[j % 3] = [a + b for a, b in zip(sums[j % 3], column, strict=True)]
    first_two = [a + b for a, b in zip(sums[0], sums[1], strict=True)]
    return [a + b for a, b in zip(first_two, sums[2], strict=True)]


def _four_sums(data: Any, at: Any, x: Row) -> Any:
    """Partial sums of a row times x: their total is the product."""
    a, b, c = (data.load(at + first, 4) for first in (0, 4, 8))
    return a * x[0] + b * x[1] + c * x[2]
