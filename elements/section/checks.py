"""Checks that stiffness, mass and inertia matrices are those of a possible cross-section."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import array
from fem_mbd.errors import InputError

_TABLE_ROUND_OFF = 1e-6  # relative; published tables are printed with about seven digits


def definite(matrix: ArrayLike, size: int, what: str, strict: bool) -> Array:
    """`matrix` as read-only symmetric array; InputError unless symmetric and positive (semi)definite.

    Rows and columns are scaled by the diagonal first, so that the result does not depend on units.
    """
    checked = array(matrix, (size, size), what)
    diagonal = checked.diagonal()
    smallest_entry = diagonal.min()
    if smallest_entry < 0.0 or (strict and smallest_entry == 0.0):
        worst = int(np.argmin(diagonal))
        raise InputError(
            f"{what} has {diagonal[worst]:g} on its diagonal, row {worst + 1}: it must be positive"
        )
    if smallest_entry == 0.0:
        diagonal = np.where(diagonal > 0.0, diagonal, max(float(diagonal.max()), 1.0))
    scale = np.sqrt(diagonal)
    scaled = checked / (scale[:, None] * scale)
    gap = np.abs(scaled - scaled.T)
    if gap.max() > _TABLE_ROUND_OFF:
        i, j = np.unravel_index(int(np.argmax(gap)), gap.shape)
        raise InputError(
            f"{what} is not symmetric: entry ({i + 1}, {j + 1}) is {checked[i, j]:g}, "
            f"entry ({j + 1}, {i + 1}) is {checked[j, i]:g}"
        )
    smallest = float(np.linalg.eigvalsh(0.5 * (scaled + scaled.T))[0])
    if smallest < (1e-13 if strict else -_TABLE_ROUND_OFF):
        kind = "positive definite" if strict else "positive semidefinite"
        raise InputError(f"{what} is not {kind}: scaled to a unit diagonal, it has eigenvalue {smallest:.3g}")
    symmetric: Array = 0.5 * (checked + checked.T)
    symmetric.setflags(write=False)
    return symmetric


def without_round_off(difference: Array, minuend: Array) -> Array:
    """`difference` with those negative eigenvalues set to zero that are only round-off of the subtraction."""
    values, vectors = np.linalg.eigh(difference)
    noise = 1e-9 * max(float(np.max(np.diag(minuend))), 0.0)
    values[(values < 0.0) & (values > -noise)] = 0.0
    cleaned: Array = (vectors * values) @ vectors.T
    np.fill_diagonal(cleaned, np.where(np.abs(np.diag(cleaned)) <= noise * 1e-6, 0.0, np.diag(cleaned)))
    return cleaned


def check_triangle(inertia: Array) -> None:
    """InputError if a principal moment is above the sum of the other two, which no mass distribution has.

    Moments that are zero were neglected on purpose (slender or planar beam); then there is no check.
    """
    small, middle, large = np.linalg.eigvalsh(inertia)
    if small > _TABLE_ROUND_OFF * large and large > (small + middle) * (1.0 + 1e-3):
        raise InputError(
            f"Section inertia has principal moments {small:g}, {middle:g}, {large:g}: the largest is above "
            "the sum of the others, as in no real body; is it taken about the mass centre?"
        )


def check_close(actual: Array, expected: Array, size: float, block: str, meaning: str) -> None:
    gap = np.abs(actual - expected)
    if np.max(gap) > _TABLE_ROUND_OFF * size:
        i, j = np.unravel_index(int(np.argmax(gap)), gap.shape)
        raise InputError(
            f"Section mass matrix: entry ({i + 1}, {j + 1}) of its {block} block is not that of a section; "
            f"the block must stand for {meaning}. Check the order of the axes and the reference point"
        )
