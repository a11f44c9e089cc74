"""Compiled operations on arrays of numbers, for lists of calls."""

from __future__ import annotations

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import float64, indices, vector, void
from fem_mbd.core.compiled.simd import fetch

AHEAD = 48  # entries: so far ahead the memory of those of a large matrix is asked for


@kernel(void(vector, vector))
def copy(source, target):
    """Both (n,)."""
    # entry by entry: what numba compiles for ``target[:] = source`` takes it two seconds, for arrays that do not fit
    for k in range(target.shape[0]):
        target[k] = source[k]


@kernel(void(vector))
def clear(array):
    """Set (n,) entries to zero."""
    array[:] = 0.0


@kernel(void(vector, indices, vector))
def gather(data, places, target):
    """Entries of data at ``places`` (n,) to target (n,)."""
    last = places.shape[0] - 1
    for k in range(places.shape[0]):
        fetch(data, places[min(k + AHEAD, last)])
        target[k] = data[places[k]]


@kernel(void(vector, indices, float64))
def subtract(data, places, amount):
    """Take ``amount`` from the entries of data at ``places``."""
    for place in places:
        data[place] -= amount
