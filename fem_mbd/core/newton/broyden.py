"""Broyden's updates of a kept factorisation: an iteration then converges superlinearly instead of linearly.

Without them the updates of Newton's iteration with the factors of an earlier tangent decrease by the same factor in
each iteration. Broyden's (good) method corrects the inverse by a matrix of rank one after each update p_k so that it
fits the change of the equations over it. With the solution y of the kept factors for the equations at the iterate, the
next update is

    y + sum_{j < k} p_{j+1} (p_j, y)_W / (p_j, p_j)_W,   divided by   1 - (p_k, y)_W / (p_k, p_k)_W

one term after the other. The inner product weights lengths by the model's length, angles by one radian, multipliers not
at all: equations are linear in them. Only updates since the last factorisation, within one attempt, take part. Source:
C. T. Kelley, Iterative Methods for Linear and Nonlinear Equations (SIAM 1995), section 7.3.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import matrix, record, vector, void

MAX_UPDATES = 12  # updates kept
LARGEST = 0.4  # part of the last update in the next one, above which the history is discarded

HISTORY = np.dtype([("count", "i8"), ("squares", "f8", (MAX_UPDATES,))], align=True)


@kernel
def _inner(a, b, weight):
    """Weighted inner product in four independent sums: a single one is limited by the latency of additions."""
    s, t, u, v = 0.0, 0.0, 0.0, 0.0
    rest = a.shape[0] // 4 * 4
    for k in range(0, rest, 4):
        s, t = s + weight[k] * a[k] * b[k], t + weight[k + 1] * a[k + 1] * b[k + 1]
        u, v = u + weight[k + 2] * a[k + 2] * b[k + 2], v + weight[k + 3] * a[k + 3] * b[k + 3]
    for k in range(rest, a.shape[0]):
        s += weight[k] * a[k] * b[k]
    return (s + t) + (u + v)


@kernel(void(record(HISTORY)[::1], matrix, vector, vector))
def improve(history, updates, weight, update):
    """Replace the solution of the kept factors, update (size,), by Broyden's update, and add it to the history.

    history (1,) of dtype HISTORY, updates (MOST, size), weight (size,) of the inner product
    """
    h = history[0]
    for j in range(h.count):
        share = _inner(updates[j], update, weight) / h["squares"][j]
        if j + 1 < h.count:
            for k in range(update.shape[0]):
                update[k] += share * updates[j + 1, k]
        elif abs(share) <= LARGEST:
            for k in range(update.shape[0]):
                update[k] /= 1.0 - share
        else:
            h.count = 0
    if h.count == MAX_UPDATES:
        return
    square = _inner(update, update, weight)
    if square > 0.0:
        for k in range(update.shape[0]):
            updates[h.count, k] = update[k]
        h["squares"][h.count] = square
        h.count += 1


class Broyden:
    """The history of one Newton solver.

    Attributes
    ----------
    history : (1,) of dtype `HISTORY`
    updates : (MOST, size)
    weight : (size,) of the inner product
    """

    def __init__(self, unit: Indices, length: float):
        """
        unit : (size,) 0 for lengths, 1 for angles, 2 for multipliers
        length : m, of the model
        """
        self.history: Any = np.zeros(1, dtype=HISTORY)
        self.updates = np.zeros((MAX_UPDATES, len(unit)))
        self.weight = np.array([1.0 / length**2, 1.0, 0.0])[unit]

    def start(self) -> None:
        """Forget all updates: there is a new factorisation, or a new attempt."""
        self.history["count"] = 0

    def improve(self, update: Array) -> None:
        """Replace an update (size,) by Broyden's, in place."""
        improve(self.history, self.updates, self.weight, update)
