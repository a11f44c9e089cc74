"""Delayed slip speed (frictional memory) from a stored history of the slip path, exact for any step size (compiled).

    v_L = (S(t_f - tau) - S(t_i - tau))/dt,        S the path; v(t - tau) in the mean over the step

The history consists of pairs (age in s, path travelled since then in m), youngest first, no two of them closer than
tau/GRID; between them the path is linear. Before the oldest one the contact was at rest. Nothing is interpolated twice:
pairs only grow older, so the delayed speed equals the recorded one.

Rows of the state: each pair (age, path, 0).
"""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel

GRID = 40
ROWS = GRID + 4


@kernel
def delayed_speed(tau: float, length: complex, dt: float, past: np.ndarray, now: np.ndarray) -> complex:
    """Speed in m/s a time ``tau`` (s) ago, mean over a step of ``length`` (m); fills ``now`` (ROWS, 3) from ``past``.

    A pair of age zero ends the history.
    """
    young, old = _path_back(tau, length, dt, past), _path_back(tau + dt, length, dt, past)
    keep, first = past.shape[0], 0
    if past[0, 0].real <= 0.0 or past[0, 0].real >= tau / GRID:
        now[0, 0], now[0, 1] = dt, length
        keep, first = keep - 1, 1
    for k in range(keep):
        if past[k, 0].real > 0.0:
            now[first + k, 0], now[first + k, 1] = past[k, 0] + dt, past[k, 1] + length
    return (old - young) / dt


@kernel
def _path_back(age: float, length: complex, dt: float, past: np.ndarray) -> complex:
    """Path in m travelled in the last ``age`` (s) of a step that ends now."""
    if age <= dt:
        return length * (age / dt)
    left, young = length, 0.0 * length
    since = age - dt
    last = 0.0
    for k in range(past.shape[0]):
        then = past[k, 0].real
        if then <= 0.0:
            break
        if since <= then:
            return left + young + (past[k, 1] - young) * ((since - last) / (then - last))
        last, young = then, past[k, 1] + 0.0 * length
    return left + young
