"""Rows of a block matrix as the kernels of its factorisation take them."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from fem_mbd.core.compiled.signatures import indices, int32


class BlockRows(NamedTuple):
    """CSR rows (n,) of a matrix and its b blocks, as in `fem_mbd.core.scheme.matrix.blocks.Blocks`."""

    indptr: Annotated[Any, int32[::1]]  # (n + 1,) first entry of each row in the matrix values
    first: Annotated[Any, indices]  # (b,) first equation of each block
    size: Annotated[Any, indices]  # (b,) equations of each block
    pointer: Annotated[
        Any, indices
    ]  # (b + 1,) first index of a block's couplings in ``coupled`` and ``start``
    diag: Annotated[Any, indices]  # (b,) index of the diagonal block among them
    coupled: Annotated[Any, indices]  # blocks that a block is coupled with, ascending
    start: Annotated[Any, indices]  # first columns of these in the block's rows
