"""LU factors of a matrix of blocks in the place of its values, when elimination fills nothing (see `block_lu`).

Arrays are those of `fem_mbd.scheme.pattern.Pattern`: CSR rows ``indptr``; of each block its ``first`` equation, its
``size``, and from ``pointer`` on the ``coupled`` blocks with their ``start`` in the rows; ``itself`` is where a block
stands among those it is coupled with. No pivots are sought: the equations are numbered so that none are needed.
Source: Golub and Van Loan, Matrix Computations, 4th ed., algorithm 3.2.2 in the order i, k, j.
"""

from __future__ import annotations

from fem_mbd.compiled import kernel

ZERO = 2.2e-14  # a pivot that counts as zero, as in PETSc's LU


@kernel
def _subtract_rows(data, target, left, count, source, stride, width):
    """data[target:target+width] -= data[left:left+count] times the rows at ``source``, ``stride`` apart.

    Four rows at a time: few loads and stores. Indices of slices begin at zero, which spares a test for negative ones.
    """
    row, factors = data[target : target + width], data[left : left + count]
    p = 0
    while p + 4 <= count:
        a, b, c, d = factors[p], factors[p + 1], factors[p + 2], factors[p + 3]
        at = source + p * stride
        row_a, row_b = data[at : at + width], data[at + stride : at + stride + width]
        at += 2 * stride
        row_c, row_d = data[at : at + width], data[at + stride : at + stride + width]
        for q in range(width):
            row[q] -= (a * row_a[q] + b * row_b[q]) + (c * row_c[q] + d * row_d[q])
        p += 4
    while p < count:
        a, row_a = factors[p], data[source + p * stride : source + p * stride + width]
        for q in range(width):
            row[q] -= a * row_a[q]
        p += 1


@kernel
def _divide_row(data, at, count, pivots, stride):
    """Solve x U = b for a row b at ``at``, in place; the diagonal of U at ``pivots`` holds its inverse."""
    row = data[at : at + count]
    for p in range(count):
        pivot_row = data[pivots + p * stride : pivots + p * stride + count]
        factor = row[p] * pivot_row[p]
        row[p] = factor
        for q in range(p + 1, count):
            row[q] -= factor * pivot_row[q]


@kernel
def _factorise_diagonal(data, at, count, width, stride):
    """LU of a diagonal block and what follows in its rows, together ``width`` wide; inverse pivots on the diagonal.

    False when a pivot is zero or not finite.
    """
    for i in range(count):
        row = at + i * stride
        _divide_row(data, row, i, at, stride)
        _subtract_rows(data, row + i, row, i, at + i, stride, width - i)
        pivot = data[row + i]
        if not ZERO < abs(pivot) < 1e300:
            return False
        data[row + i] = 1.0 / pivot
    return True


@kernel
def factorise(data, indptr, first, size, pointer, itself, coupled, start, begin, end, failed):
    """Rows of blocks ``begin`` to ``end``; failed[0] = 1 at a pivot of zero. What they need comes before them."""
    for r in range(begin, end):
        at, length = indptr[first[r]], indptr[first[r] + 1] - indptr[first[r]]
        for k in range(pointer[r], itself[r]):
            c = coupled[k]
            above, stride = indptr[first[c]], indptr[first[c] + 1] - indptr[first[c]]
            for i in range(size[r]):
                _divide_row(data, at + i * length + start[k], size[c], above + start[itself[c]], stride)
            # what is right of c's diagonal block stands in these rows as well: nothing fills
            place = k
            for t in range(itself[c] + 1, pointer[c + 1]):
                while coupled[place] < coupled[t]:
                    place += 1
                for i in range(size[r]):
                    row = at + i * length
                    _subtract_rows(
                        data, row + start[place], row + start[k], size[c], above + start[t], stride,
                        size[coupled[t]],
                    )  # fmt: skip
        diagonal = start[itself[r]]
        if not _factorise_diagonal(data, at + diagonal, size[r], length - diagonal, length):
            failed[0] = 1
            return


@kernel
def _dot(data, at, y, first, count):
    """Four sums at a time: one sum would wait for each addition."""
    row, column = data[at : at + count], y[first : first + count]
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    k = 0
    while k + 4 <= count:
        a += row[k] * column[k]
        b += row[k + 1] * column[k + 1]
        c += row[k + 2] * column[k + 2]
        d += row[k + 3] * column[k + 3]
        k += 4
    while k < count:
        a += row[k] * column[k]
        k += 1
    return (a + b) + (c + d)


@kernel
def forward(data, indptr, first, size, pointer, itself, coupled, start, begin, end, f, y):
    """Solve L y = f for the rows of blocks ``begin`` to ``end``."""
    for r in range(begin, end):
        row, at, count = first[r], indptr[first[r]], size[r]
        length = indptr[row + 1] - at
        for i in range(count):
            y[row + i] = f[row + i]
        for k in range(pointer[r], itself[r]):
            column, width = first[coupled[k]], size[coupled[k]]
            for i in range(count):
                y[row + i] -= _dot(data, at + i * length + start[k], y, column, width)
        # column by column: no unknown waits for a sum
        own, diagonal = y[row : row + count], at + start[itself[r]]
        for j in range(count):
            for i in range(j + 1, count):
                own[i] -= data[diagonal + i * length + j] * own[j]


@kernel
def backward(data, indptr, first, size, pointer, itself, coupled, start, begin, end, y):
    """Solve U x = y in place, from the last block to ``begin``."""
    for r in range(end - 1, begin - 1, -1):
        row, at, count = first[r], indptr[first[r]], size[r]
        length = indptr[row + 1] - at
        for k in range(itself[r] + 1, pointer[r + 1]):
            column, width = first[coupled[k]], size[coupled[k]]
            for i in range(count):
                y[row + i] -= _dot(data, at + i * length + start[k], y, column, width)
        own, diagonal = y[row : row + count], at + start[itself[r]]
        for j in range(count - 1, -1, -1):
            own[j] *= data[diagonal + j * length + j]
            for i in range(j):
                own[i] -= data[diagonal + i * length + j] * own[j]
