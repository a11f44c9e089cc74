"""States at rest for static analyses, rotation updates, and the statics' part of the scheme's matrix."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from fem_mbd.base.arrays import Array, Flags, Indices
from fem_mbd.core.scheme.initial import InitialVelocityWarning, make_consistent
from fem_mbd.core.scheme.state import State
from fem_mbd.core.scheme.system import System


@dataclass(frozen=True, eq=False)
class StaticPattern:
    """The unknowns of statics within the scheme's matrix: CSR pattern, indices of the values there, and which of them
    are derivatives of forces by motions.
    """

    indptr: Indices
    indices: Indices
    slots: Indices
    by_motion: Flags

    def scale(self, step: float) -> Array:
        """Factors on the values: those of a step (s) contain half the change of force over it, times step^2."""
        return np.where(self.by_motion, 2.0 / step**2, 1.0)


def static_pattern(system: System, equations: Indices, n: int) -> StaticPattern:
    """Rows and columns ``equations`` (n + m,) of the matrix: the n increments, then the m mean multipliers."""
    inverse = np.full(system.size, -1, dtype=np.int64)
    inverse[equations] = np.arange(len(equations))
    row = inverse[np.repeat(np.arange(system.size), np.diff(system.indptr))]
    col = inverse[system.indices]
    slots = np.flatnonzero((row >= 0) & (col >= 0))
    slots = slots[np.lexsort((col[slots], row[slots]))]
    r, c = row[slots], col[slots]
    counts = np.bincount(r, minlength=len(equations))
    return StaticPattern(np.concatenate([[0], np.cumsum(counts)]), c, slots, (r < n) & (c < n))


def start_at(system: System, time: float) -> State:
    """The reference configuration at rest, prescribed nodes in their position at ``time``.

    Raises
    ------
    InputError
        When joints do not close or constraints are redundant.
    """
    with warnings.catch_warnings():
        # velocities have no influence on statics
        warnings.simplefilter("ignore", InitialVelocityWarning)
        make_consistent(system, system.reference_state())
    state = system.reference_state()
    state.v[:], state.omega[:] = 0.0, 0.0
    for motion in system.model.prescribed:
        k = motion.node.index
        state.u[k], _, state.r[k], _ = motion.frame(time, +1, system.work.centre[k])
    return state


def turned(r: Array, turns: Array) -> Array:
    """(n, 3, 3) R exp(phi~) for rotations r (n, 3, 3) and rotation vectors phi (n, 3) in node axes, orthonormal to
    round-off.
    """
    angle = np.linalg.norm(turns, axis=1)[:, None, None]
    s = np.zeros_like(r)
    s[:, 2, 1], s[:, 0, 2], s[:, 1, 0] = turns.T
    s -= np.swapaxes(s, 1, 2)
    step = np.eye(3) + np.sinc(angle / np.pi) * s + 0.5 * np.sinc(angle / (2 * np.pi)) ** 2 * (s @ s)
    out = r @ step
    return np.asarray(0.5 * out @ (3 * np.eye(3) - np.swapaxes(out, 1, 2) @ out))
