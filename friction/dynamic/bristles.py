"""Bristle model (Haessig and Friedland 1991): n bonds that stretch, break and form again at a random place.

mu = sigma_0 sum z_i; a bond whose |z_i| reaches delta breaks and forms again at z_i (1 - r), r random in 0..1: the new
place is r delta further along the slip. Any direction of slip; the force is averaged over the exact path of the step.
Long sliding gives sigma_0 n delta 2/3 in the mean. A break only loses energy. The random numbers depend on ``seed``,
bond and count of breaks alone: runs repeat.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fem_mbd.compiled import kernel
from fem_mbd.friction.blocks import dot, size, uniform
from fem_mbd.friction.checks import make_positive, make_seed, make_whole
from fem_mbd.friction.kinds import BRISTLES
from fem_mbd.friction.records import friction_record

COUNT, SIGMA_0, DELTA, SEED = range(4)
MOST_BREAKS = 30


@dataclass(frozen=True)
class Bristles:
    """sigma_0: stiffness of one bond in 1/m. delta: its largest stretch in m. n: bonds, 1 to 50. seed: whole number."""

    sigma_0: float
    delta: float
    n: int = 20
    seed: int = 0

    def __post_init__(self) -> None:
        make_positive(self, "sigma_0", "delta")
        make_seed(self)
        make_whole(self, "n", 1, 50)

    def record(self) -> NDArray[Any]:
        """Parameters as a 0-d array of dtype ``FRICTION_LAW``."""
        return friction_record(BRISTLES, (self.n, self.sigma_0, self.delta, float(self.seed)))


@kernel
def bristles_friction(
    p: np.ndarray, s_m: np.ndarray, z_i: np.ndarray, mu: np.ndarray, z_f: np.ndarray
) -> None:
    """Fill ``mu`` (3,) and ``z_f``: n deflections, then how often each has broken, three to a row.

    A bond stays old z_i + new s, whatever breaks: the loop over breaks runs over these two numbers, over z.s (``z_s``)
    and over how far |z|**2 is from breaking (``room``).
    """
    n, length, s_s = int(p[COUNT]), size(s_m), dot(s_m, s_m)
    along = 0.0 * length
    for i in range(n):
        count = z_i[n + i // 3, i % 3].real
        z_s, room = dot(z_i[i], s_m), p[DELTA] * p[DELTA] - dot(z_i[i], z_i[i])
        old, new, left = 1.0 + 0.0 * length, 0.0 * length, 1.0 + 0.0 * length
        mean = 0.0 * length
        for attempt in range(MOST_BREAKS + 1):
            breaks = (left * (left * s_s + 2.0 * z_s) - room).real > 0.0
            if breaks and attempt == MOST_BREAKS:
                along += left * p[DELTA] / length * (2.0 / 3.0)
                break
            part = left
            if breaks:
                root = np.sqrt(z_s * z_s + s_s * room)
                part = room / (z_s + root) if z_s.real > 0.0 else (root - z_s) / s_s
            mean += part * old
            along += part * (new + 0.5 * part)
            new += part
            left = left - part
            if not breaks:
                break
            keep = 1.0 - uniform(p[SEED] * 64.0 + i, count)
            count += 1.0
            z_s, room = keep * (z_s + part * s_s), p[DELTA] * p[DELTA] * (1.0 - keep * keep)
            old, new = keep * old, keep * new
        for k in range(3):
            mu[k] += p[SIGMA_0] * mean * z_i[i, k]
            z_f[i, k] = old * z_i[i, k] + new * s_m[k]
        z_f[n + i // 3, i % 3] = count
    for k in range(3):
        mu[k] += p[SIGMA_0] * along * s_m[k]


@kernel
def bristles_energy(p: np.ndarray, z: np.ndarray) -> complex:
    """Energy per unit normal force, m."""
    total = 0.0 * z[0, 0]
    for i in range(int(p[COUNT])):
        total += 0.5 * p[SIGMA_0] * dot(z[i], z[i])
    return total
