"""Copy, clear, gather and subtract on arrays, compiled, for lists of calls."""

from __future__ import annotations

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import float64, indices, vector, void
from fem_mbd.core.compiled.simd import fetch

AHEAD = 48  # entries: distance of the prefetch in a large matrix


@kernel(void(vector, vector))
def copy(source, target):
    """Copy source to target, both (n,)."""
    # entry by entry: ``target[:] = source`` takes numba two seconds to compile, for arrays of different shapes
    for k in range(target.shape[0]):
        target[k] = source[k]


@kernel(void(vector))
def clear(array):
    """Set the entries (n,) to zero."""
    array[:] = 0.0


@kernel(void(vector, indices, vector))
def gather(data, places, target):
    """Copy the entries of data at the indices ``places`` (n,) to target (n,)."""
    last = places.shape[0] - 1
    for k in range(places.shape[0]):
        fetch(data, places[min(k + AHEAD, last)])
        target[k] = data[places[k]]


@kernel(void(vector, indices, float64))
def subtract(data, places, amount):
    """Subtract ``amount`` from the entries of data at the indices ``places``."""
    for place in places:
        data[place] -= amount
