"""Shares of the points by statics, and the checks."""

from __future__ import annotations

from math import sqrt

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.cases.cube_on_plane.histories import Histories
from fem_mbd.cases.cube_on_plane.parameters import PRESS_ENDS, Parameters
from fem_mbd.runs.results.checks import Check, at_most, near, within
from fem_mbd.runs.results.energy_checks import balance
from fem_mbd.runs.results.result import Result

HELD = 2.9  # s, when shares are compared
SOURCE = "Colantonio et al., section 3"
STATICS = "statics of a rigid cube on springs"


def static_shares(p: Parameters, direction: float) -> Array:
    """Friction (points,) in N of each point under the full pull in ``direction`` (deg), before the press falls.

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
    """Energy balance, the total friction before and at slip, and the shares of the points: as far as the run came."""
    h = Histories(result, p)
    found = balance(result.summary)
    sticks = (h.time > 0.5) & (h.time < min(p.slip_time - 0.1, PRESS_ENDS))
    if sticks.any():
        excess = np.abs(h.total - h.pull[:, None])[sticks].max() / p.pull
        found.append(at_most("total friction less pull, while it sticks / pull", excess, 0.01, SOURCE))
        spread = (h.total.max(axis=1) - h.total.min(axis=1))[sticks].max() / p.pull
        found.append(at_most("spread of the total friction over directions / pull", spread, 1e-3, SOURCE))
    if p.slides:
        early, late = p.slip_window
        for angle, start in zip(p.directions, h.slip_starts(), strict=True):
            low, high = p.slip_time - early, p.slip_time + late
            found.append(within(f"slip starts, pull at {angle:g} degrees [s]", start, low, high, SOURCE))
    if h.time[-1] > HELD and p.slip_time > HELD:
        found += _shares(h, p)
    return found


def _shares(h: Histories, p: Parameters) -> list[Check]:
    """At the end of the hold: shares against statics, and those of directions 60 (90) degrees apart."""
    row = int(np.searchsorted(h.time, HELD))
    shares, step, found = h.shares[row], 360.0 / p.points, []
    if p.exponent == 2.0:
        for cube, angle in enumerate(p.directions):
            off = np.abs(shares[cube] - static_shares(p, angle)).max() / p.pull
            found.append(
                at_most(f"shares less statics, pull at {angle:g} degrees / pull", off, 2e-3, STATICS)
            )
    for cube, angle in enumerate(p.directions):
        for other in range(cube):
            turns = (angle - p.directions[other]) / step
            if abs(turns - round(turns)) < 1e-9:
                off = np.abs(shares[cube] - np.roll(shares[other], round(turns))).max() / p.pull
                name = f"shares at {angle:g} less those at {p.directions[other]:g} degrees, moved on / pull"
                found.append(at_most(name, off, 1e-6, SOURCE))
    strongest = near("friction that holds [N]", float(h.total[row].max()), p.pull, 1e-3, SOURCE)
    return [*found, strongest]
