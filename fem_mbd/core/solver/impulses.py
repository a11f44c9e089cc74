"""Impulses of simultaneous impacts without friction in a mechanism of rigid bodies with ideal joints.

With mass matrix M, the joints' Jacobian J (J v is given and does not change) and the contacts' N (u = N v, negative
while they approach), the impulses p >= 0 of the contacts and P of the joints change the velocities v by

    M dv = N^T p + J^T P,    J dv = 0,    so that    u+ = u- + G p,    G = N dM N^T

    Newton:   0 <= p  perpendicular to  u+ + e min(u-, 0) >= 0                  (Moreau's form for several contacts)
    Poisson:  0 <= c  perpendicular to  u- + G c >= 0, the end of compression;  then p = (1 + e) c + s,
              0 <= s  perpendicular to  u- + G p >= 0: the impulse of restitution is e times that of compression, and
              larger where contacts would approach again.

"Sequential": one contact after the other, the fastest approach first, until none approaches. SI units.
Sources: J. J. Moreau in Nonsmooth Mechanics and Applications (1988); C. Glocker and F. Pfeiffer, Multiple impacts with
friction in rigid multibody systems, Nonlinear Dynamics 7 (1995) 471.
"""

from __future__ import annotations

import numpy as np
import scipy

from fem_mbd.base.arrays import Array
from fem_mbd.errors import SolverFailure

SINGULAR = 1e-12  # fraction of G's largest eigenvalue: smaller ones are zero, of dependent contacts
ZERO_SPEED_RATIO = 1e-12  # fraction of the fastest approach: a slower one counts as zero
MAX_IMPACTS = 2000  # per contact in one sequence


def mobility(mass: Array, joints: Array, contacts: Array) -> Array:
    """(f, k) velocities caused by unit impulses of the contacts, with the impulses of the joints.

    Parameters
    ----------
    mass : (f, f) of the free velocities
    joints : (m, f) Jacobian of the ideal joints, dependent rows allowed
    contacts : (k, f) Jacobian of the gaps
    """
    f, m = len(mass), len(joints)
    matrix = np.zeros((f + m, f + m))
    matrix[:f, :f], matrix[f:, :f], matrix[:f, f:] = mass, joints, joints.T
    right = np.zeros((f + m, len(contacts)))
    right[:f] = contacts.T
    # least squares: with redundant joints their impulses are not unique, but the velocities are
    return np.asarray(np.linalg.lstsq(matrix, right, rcond=1e-13)[0][:f])


def complementary(g: Array, q: Array) -> Array:
    """p >= 0 with g p + q >= 0 and p . (g p + q) = 0, g (k, k) symmetric, semidefinite: a least-squares problem."""
    values, vectors = np.linalg.eigh(0.5 * (g + g.T))
    regular = values > SINGULAR * max(values[-1], 0.0)
    root = np.sqrt(values[regular])
    p, _ = scipy.optimize.nnls(root[:, None] * vectors[:, regular].T, -(vectors[:, regular].T @ q) / root)
    return np.asarray(p)


def newton(g: Array, u: Array, e: Array) -> Array:
    """(k,) N s, impulses by Newton's law; u (k,) m/s before the impact, e (k,) coefficients of restitution."""
    return complementary(g, u + e * np.minimum(u, 0.0))


def poisson(g: Array, u: Array, e: Array) -> Array:
    """(k,) N s, impulses by Poisson's law; arguments as in `newton`."""
    p = (1.0 + e) * complementary(g, u)
    return p + complementary(g, u + g @ p)


def sequential(g: Array, u: Array, e: Array) -> Array:
    """(k,) N s, sums of the impulses of one impact after the other, the fastest approach first.

    Raises
    ------
    SolverFailure
        When the impacts do not come to an end.
    """
    p, speeds = np.zeros_like(u), u.copy()
    tolerance = ZERO_SPEED_RATIO * max(float(np.abs(u).max()), 1e-300)
    for _ in range(MAX_IMPACTS * len(u)):
        k = int(np.argmin(speeds))
        if speeds[k] >= -tolerance:
            return p
        impulse = -(1.0 + e[k]) * speeds[k] / g[k, k]
        p[k] += impulse
        speeds += impulse * g[:, k]
    raise SolverFailure(
        f"{MAX_IMPACTS * len(u)} impacts one after the other have not separated {len(u)} contacts: "
        "use sequence='simultaneous'"
    )
