"""A sparse matrix whose entries dual numbers fill, a few directions at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from fem_mbd.analysis.sensitivity.matrices.columns import Direction
from fem_mbd.analysis.sensitivity.matrices.matrix_kernels import (
    add_product,
    add_transposed_product,
    take_entries,
)
from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.compiled.calls import Call
from fem_mbd.core.compiled.duals.number import WIDTH


class Sparse:
    """A matrix in compressed rows, with the pattern that directions give it.

    Parameters
    ----------
    shape : rows, columns
    found : of each evaluation with dual numbers the directions in its components, None for others
    entity : (rows,) that each row belongs to
    own : (columns,) entities of the columns, of which rows of other entities have no entry; None: all that they reach
    free : (rows,) rows for which ``own`` does not hold

    Attributes
    ----------
    indptr, columns, values : CSR
    """

    def __init__(
        self,
        shape: tuple[int, int],
        found: Sequence[Sequence[Direction | None]],
        entity: Indices,
        own: Indices | None = None,
        free: Any = False,
    ):
        rows, columns, places, evaluation = [], [], [], []
        for k, components in enumerate(found):
            for component, direction in enumerate(components, 1):
                if direction is None:
                    continue
                column = direction.of(entity)
                chosen = column >= 0
                if own is not None:
                    chosen &= np.logical_or(free, own[column] == entity)
                (some,) = np.nonzero(chosen)
                rows.append(some)
                columns.append(column[some])
                places.append(WIDTH * some + component)
                evaluation.append(np.full(len(some), k))
        none = np.zeros(0, dtype=np.int64)
        row, column = np.concatenate([none, *rows]), np.concatenate([none, *columns])
        order = np.lexsort((column, row))
        entry = np.empty(len(order), dtype=np.int64)
        entry[order] = np.arange(len(order))
        self.shape = shape
        self.indptr: Indices = np.searchsorted(row[order], np.arange(shape[0] + 1)).astype(np.int64)
        self.columns: Indices = column[order]
        self.values = np.zeros(len(order))
        place, which = np.concatenate([none, *places]), np.concatenate([none, *evaluation])
        self._parts = [(place[which == k], entry[which == k]) for k in range(len(found))]

    def take(self, k: int, source: Array, where: Indices | None = None) -> list[Call]:
        """Call that takes the entries of evaluation k out of dual numbers.

        Parameters
        ----------
        source : dual numbers (8 rows,) of the rows, or a larger array
        where : (rows,) places of their numbers in that array, negative for rows that it does not have
        """
        places, entries = self._parts[k]
        if where is not None:
            first = where[places // WIDTH]
            places, entries = (first + places % WIDTH)[first >= 0], entries[first >= 0]
        return [Call(take_entries, source, places, entries, self.values)] if len(places) else []

    def times(self, x: Array, out: Array, sign: int = 1) -> Call:
        """Call that adds the matrix times x (32 columns,), times a sign, to out (32 rows,)."""
        return Call(add_product, self.indptr, self.columns, self.values, x, out, sign)

    def add_transposed(self, x: Array, out: Array, sign: int = 1) -> None:
        """Add the transpose times x (rows, 8), times a sign, to out (columns, 8)."""
        add_transposed_product(self.indptr, self.columns, self.values, x, out, sign)

    @property
    def scipy(self) -> csr_matrix:
        """As SciPy has it, with these values."""
        return csr_matrix((self.values, self.columns, self.indptr), shape=self.shape)
