"""Pressure force of the film of a short journal bearing (Reynolds' equation, half film; compiled).

Reynolds' equation where the bearing is short, so that the fluid leaves along the axis z only (Ocvirk; DuBois and
Ocvirk, NACA report 1157, 1953), with the film's thickness h = c - e.n in the direction n from the bearing's centre:

    h**3 d2p/dz2 = 12 mu dh/dt,       p = 6 mu (v.n) (L**2/4 - z**2)/h**3,       p = 0 where v.n < 0.

v is the velocity of the journal's centre relative to the bearing's, in axes that rotate with the mean speed of both
surfaces; e is its position, L the length. Rotation and squeeze have the same form there. The film has pressure on the
half of the circumference towards which the journal moves (Guembel's condition, about the direction of v; Booker, J.
Basic Engineering 87 (1965) 537) and none on the other. The force on the journal is, with R its radius,

    F = -mu R L**3/c**3 integral of n (v.n)/(1 - e.n/c)**3 over that half = -mu R L**3/c**3 (A v + B a x v)

with a the unit axis. Its power is -p v.n at every point: such a film never generates energy.
"""

from __future__ import annotations

import numpy as np

from fem_mbd.core.compiled import kernel

THIN = 0.3  # ratio W/|x| below which cancelling differences are replaced by series
TERMS = 40


@kernel
def half_film(x: complex, y: complex) -> tuple[complex, complex]:
    """A and B, the integrals of cos**2 t and sin t cos t over (1 - x cos t - y sin t)**3 from -pi/2 to pi/2.

    x, y : eccentricity ratio along v and across it (a x v), x**2 + y**2 < 1.
    """
    w = np.sqrt(1.0 - x * x - y * y)
    if x.real < 0.0 and w.real < -THIN * x.real:
        return _moving_away(x, y, w)
    angle = 0.5 * np.pi + np.arctan(x / w)
    w2 = w * w
    w4 = w2 * w2
    along = angle * (w2 + 3.0 * x * x) / (w4 * w) + 3.0 * x / w4
    across = 3.0 * x * y * angle / (w4 * w) + y / w4 * (2.0 + x * x / (w2 + x * x))
    return along, across


@kernel
def _moving_away(x: complex, y: complex, w: complex) -> tuple[complex, complex]:
    """`half_film` of a journal that moves away from the wall, w = sqrt(1 - x**2 - y**2) small against -x."""
    ratio2 = (w / x) ** 2
    # atan r = r - r**3/3 + r**5 rest
    rest, power = 0.0 * ratio2, 1.0 + 0.0 * ratio2
    for n in range(TERMS):
        rest = rest + power / (2.0 * n + 5.0)
        power = -power * ratio2
    x2 = x * x
    along = rest * (3.0 * x2 + w * w) / (-x * x2 * x2) - 1.0 / (-3.0 * x * x2)
    return along, y / (x2 * x2) * (1.0 / (1.0 + ratio2) - 3.0 * rest)
