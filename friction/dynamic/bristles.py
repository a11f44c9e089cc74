"""Bristle model (Haessig and Friedland 1991): n bonds that stretch, break and form again at a random position.

mu = sigma_0 sum z_i; a bond whose |z_i| reaches delta breaks and forms again at z_i (1 - r), r random in 0..1: the new
position is r delta further along the slip. Any direction of slip; the force is averaged over the exact path of the
step. Long sliding gives sigma_0 n delta 2/3 in the mean. A break only loses energy. The random numbers depend only on
``seed``, bond and number of breaks, so runs are reproducible.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.vectors import dot
from fem_mbd.friction.blocks import rounded_norm, uniform
from fem_mbd.friction.law import BristleStiffness, Law, Parameter, Seed
from fem_mbd.friction.records import FrictionKernels, friction_record

COUNT, SIGMA_0, DELTA, SEED = range(4)
MAX_BREAKS = 30


@dataclass(frozen=True)
class Bristles(Law):
    """Haessig and Friedland's bristle model; sigma_0 is that of one bond."""

    sigma_0: BristleStiffness
    delta: Annotated[float, Parameter("largest stretch of a bond", "m", "length", above=0.0)]
    n: Annotated[int, Parameter("number of bonds", at_least=1, at_most=50)] = 20
    seed: Seed = 0

    source: ClassVar = "Haessig and Friedland, J. Dynamic Systems, Measurement, and Control 113 (1991) 354"
    examples: ClassVar = {"": {"sigma_0": 1e4, "delta": 1e-6}}

    def record(self) -> NDArray[Any]:
        return friction_record(
            BRISTLES,
            (self.n, self.sigma_0, self.delta, float(self.seed)),
            states=self.n + (self.n + 2) // 3,
            turned=self.n,
            springs=[self.sigma_0] * self.n,
        )


@kernel
def bristles_friction(p, s_m, z_i, mu, z_f):
    """Fill ``mu`` (3,) and ``z_f``: n deflections, then the number of breaks of each bond, three to a row.

    The deflection of a bond is always old z_i + new s: the loop over breaks updates these two factors, z.s (``z_s``)
    and the distance of |z|**2 from breaking (``margin``).
    """
    n, length, s_s = int(p[COUNT]), rounded_norm(s_m), dot(s_m, s_m)
    along = 0.0 * length
    for i in range(n):
        count = z_i[n + i // 3, i % 3].real
        z_s, margin = dot(z_i[i], s_m), p[DELTA] * p[DELTA] - dot(z_i[i], z_i[i])
        old, new, rest = 1.0 + 0.0 * length, 0.0 * length, 1.0 + 0.0 * length
        mean = 0.0 * length
        for attempt in range(MAX_BREAKS + 1):
            breaks = (rest * (rest * s_s + 2.0 * z_s) - margin).real > 0.0
            if breaks and attempt == MAX_BREAKS:
                along += rest * p[DELTA] / length * (2.0 / 3.0)
                break
            part = rest
            if breaks:
                root = np.sqrt(z_s * z_s + s_s * margin)
                part = margin / (z_s + root) if z_s.real > 0.0 else (root - z_s) / s_s
            mean += part * old
            along += part * (new + 0.5 * part)
            new += part
            rest = rest - part
            if not breaks:
                break
            remaining = 1.0 - uniform(p[SEED] * 64.0 + i, count)
            count += 1.0
            z_s, margin = remaining * (z_s + part * s_s), p[DELTA] * p[DELTA] * (1.0 - remaining * remaining)
            old, new = remaining * old, remaining * new
        for k in range(3):
            mu[k] += p[SIGMA_0] * mean * z_i[i, k]
            z_f[i, k] = old * z_i[i, k] + new * s_m[k]
        z_f[n + i // 3, i % 3] = count
    for k in range(3):
        mu[k] += p[SIGMA_0] * along * s_m[k]


BRISTLES = FrictionKernels(bristles_friction)
