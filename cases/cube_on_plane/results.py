"""Friction, normal forces and motion of all cubes, and their checks against statics.

Checked are the total friction, the start of slip, and the shares of the points.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.cases.cube_on_plane.model import PRESS_ENDS, PULL_HOLDS, PULL_STARTS, Parameters
from fem_mbd.runs.results.checks import Check, at_most, balance, near, within
from fem_mbd.runs.results.result import Result

COMPARISON_TIME = 2.9  # s, time of the comparison of shares
SOURCE = "Colantonio et al., section 3"
STATICS = "statics of a rigid cube on springs"


class Histories:
    """Histories for figures and checks over the accepted steps, cubes in the order of the directions."""

    def __init__(self, result: Result, p: Parameters):
        self.p, self.time = p, result.output_time
        numbers = range(1, len(p.directions) + 1)
        faces = [result.of(f"face {n}") for n in numbers]
        # on the plane (steps, cubes, points, 3)
        self.friction: Array = -np.stack([face.friction_force for face in faces], axis=1)
        self.normal: Array = np.stack([face.normal_force for face in faces], axis=1)
        cubes = result.of([f"cube {n}" for n in numbers])
        self.speed: Array = np.linalg.norm(cubes.velocity[..., :2], axis=2)
        self.position: Array = cubes.position

    @property
    def total(self) -> Array:
        """Magnitude of the total friction force (steps, cubes) in N."""
        return np.linalg.norm(self.friction.sum(axis=2), axis=2)

    @property
    def shares(self) -> Array:
        """Magnitude of each point's friction force (steps, cubes, points) in N."""
        return np.linalg.norm(self.friction, axis=3)

    @property
    def pull(self) -> Array:
        """Pull of each step (steps,), N, at its middle, as forces are means over steps."""
        middle = self.time - 0.5 * np.diff(self.time, prepend=0.0)
        return self.p.pull * np.clip((middle - PULL_STARTS) / (PULL_HOLDS - PULL_STARTS), 0.0, 1.0)

    def slip_starts(self) -> Array:
        """Time (s) from which each cube's speed stays above the Stribeck velocity; nan when it does not."""
        out = np.full(len(self.p.directions), np.nan)
        for cube in range(len(out)):
            last = np.flatnonzero(self.speed[:, cube] <= self.p.v_s)[-1]
            if last + 1 < len(self.time):
                out[cube] = self.time[last]
        return out


def static_shares(p: Parameters, direction: float) -> Array:
    """Friction (points,) in N of each point under the full pull in ``direction`` (deg), before the normal force
    decreases.

    Indentations a + b cos(theta_j - phi): with q = N/(n K) = a**2 + b**2/2 and m = P h/(n K R) = a b, h being the
    height of the pull, a**2 = [q + sqrt(q**2 - 2 m**2)]/2. For P_K = 2 and four points or more.
    """
    n, k = p.points, p.point_stiffness
    q, m = p.press / (n * k), p.pull * 0.5 * p.side / (n * k * p.radius)
    a = sqrt(0.5 * (q + sqrt(q * q - 2 * m * m)))
    theta = 2 * np.pi * np.arange(n) / n
    normal = k * (a + m / a * np.cos(theta - np.radians(direction))) ** 2
    return p.pull * normal / p.press


def checks(result: Result, p: Parameters) -> list[Check]:
    """Energy balance, total friction before and at slip, and shares of the points, as far as the run goes."""
    h = Histories(result, p)
    checks = balance(result.summary)
    sticks = (h.time > 0.5) & (h.time < min(p.slip_time - 0.1, PRESS_ENDS))
    if sticks.any():
        excess = np.abs(h.total - h.pull[:, None])[sticks].max() / p.pull
        checks.append(at_most("total friction minus pull, while it sticks / pull", excess, 0.01, SOURCE))
        spread = (h.total.max(axis=1) - h.total.min(axis=1))[sticks].max() / p.pull
        checks.append(at_most("spread of the total friction over directions / pull", spread, 1e-3, SOURCE))
    if p.slides:
        early, late = p.slip_window
        for angle, start in zip(p.directions, h.slip_starts(), strict=True):
            low, high = p.slip_time - early, p.slip_time + late
            checks.append(within(f"slip starts, pull at {angle:g} degrees [s]", start, low, high, SOURCE))
    if h.time[-1] > COMPARISON_TIME and p.slip_time > COMPARISON_TIME:
        checks += _shares(h, p)
    return checks


def _shares(h: Histories, p: Parameters) -> list[Check]:
    """Shares at the end of the constant load: against statics, and between directions 60 (90) degrees apart."""
    row = int(np.searchsorted(h.time, COMPARISON_TIME))
    shares, step, checks = h.shares[row], 360.0 / p.points, []
    if p.exponent == 2.0:
        for cube, angle in enumerate(p.directions):
            deviation = np.abs(shares[cube] - static_shares(p, angle)).max() / p.pull
            checks.append(
                at_most(f"shares minus statics, pull at {angle:g} degrees / pull", deviation, 2e-3, STATICS)
            )
    for cube, angle in enumerate(p.directions):
        for other in range(cube):
            turns = (angle - p.directions[other]) / step
            if abs(turns - round(turns)) < 1e-9:
                deviation = np.abs(shares[cube] - np.roll(shares[other], round(turns))).max() / p.pull
                name = f"shares at {angle:g} minus those at {p.directions[other]:g} degrees, rotated / pull"
                checks.append(at_most(name, deviation, 1e-6, SOURCE))
    strongest = near("limit of static friction [N]", float(h.total[row].max()), p.pull, 1e-3, SOURCE)
    return [*checks, strongest]
