"""Mode tracking: follows modes from one speed to the next by the similarity of their shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from fem_mbd.analysis.modal.modes import Modes
from fem_mbd.base.arrays import Array, Complex

LOST_SIMILARITY = 0.3  # similarity of shapes below which a mode counts as lost


@dataclass(frozen=True, eq=False)
class Tracked:
    """Modes in the order of the tracks; k of them.

    eigenvalues : (k,), of a conjugate pair the one that continues the track (its sign marks a mode that passes through
        zero frequency); nan where lost
    shapes : (n, k) in the free unknowns, of unit modal mass; similarity : (k,) to the previous shapes, 0 to 1
    source : (k,) index of the mode among those of the speed, -1 where lost
    """

    eigenvalues: Complex
    shapes: Complex
    similarity: Array
    source: NDArray[np.intp]


def first(modes: Modes, number: int) -> Tracked:
    """Start of the tracks: the lowest ``number`` modes."""
    count = min(number, len(modes))
    shapes = np.asarray(modes.linear.basis @ modes.vectors)
    return Tracked(modes.eigenvalues[:count], shapes[:, :count], np.ones(count), np.arange(count))


def named(modes: Modes, names: Sequence[str], followed: Sequence[str]) -> Tracked:
    """The modes with the names ``followed`` (k,); ``names`` has one for each mode of ``found``."""
    source = np.array([names.index(name) if name in names else -1 for name in followed], dtype=np.intp)
    shapes = np.asarray(modes.linear.basis @ modes.vectors)[:, source]
    values = np.where(source < 0, np.nan, modes.eigenvalues[source])
    return Tracked(values, shapes, np.where(source < 0, 0.0, 1.0), source)


def follow(before: Tracked, modes: Modes, step: float, expected: Complex | None = None) -> Tracked:
    """The modes of ``found`` that continue ``before``, ``step`` (rad/s) further in speed.

    Shapes decide (modal assurance criterion with the mass matrix); where they do not, the nearest eigenvalue to the
    ``expected`` ones (k,), by default the previous ones. Each mode belongs to one track at most.
    """
    expected = before.eigenvalues if expected is None else expected
    shapes = np.asarray(modes.linear.basis @ modes.vectors)
    left = before.shapes.conj().T @ modes.linear.mass
    # a mode may continue as its conjugate: the sign of a frequency that passes through zero
    similarity = np.stack([_squared(left @ shapes), _squared(left @ shapes.conj())])
    values = np.stack([modes.eigenvalues, modes.eigenvalues.conj()])
    gap = np.abs(values[:, None, :] - expected[None, :, None])
    size = np.abs(values)[:, None, :] + np.abs(expected)[None, :, None] + 2 * abs(step)
    cost = 1 - similarity + gap / np.where(size > 0, size, 1.0)
    sign = cost.argmin(axis=0)
    best = cost.min(axis=0)
    rows, columns = scipy.optimize.linear_sum_assignment(np.where(np.isfinite(best), best, 10.0))
    source = np.full(len(expected), -1)
    source[rows] = columns
    return _collect(before, modes, shapes, similarity, sign, source)


def _collect(
    before: Tracked,
    modes: Modes,
    shapes: Complex,
    similarity: Array,
    sign: NDArray[np.intp],
    source: NDArray[np.intp],
) -> Tracked:
    k = len(source)
    rows = np.arange(k)
    conjugate = sign[rows, source] == 1
    best = np.where(source >= 0, similarity[sign[rows, source], rows, source], 0.0)
    # a lost track keeps its shape, so that it can be found again
    lost = ~(best >= LOST_SIMILARITY)
    values = np.where(conjugate, modes.eigenvalues[source].conj(), modes.eigenvalues[source])
    chosen = np.where(conjugate, shapes[:, source].conj(), shapes[:, source])
    return Tracked(
        np.where(lost, np.nan, values),
        np.where(lost, before.shapes, chosen),
        best,
        np.where(lost, -1, source),
    )


def _squared(products: Complex) -> Array:
    return np.minimum(np.abs(products) ** 2, 1.0)
