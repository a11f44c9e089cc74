"""Correct digits of frequencies and critical loads, as limited by the round-off of the stiffness matrix.

Entries of K have a relative error u = 2^-53. A stiffness of 1e12 due to stretch and shear therefore hides one of 12 due
to bending; no solver can recover it. With x of unit modal mass and independent errors of the entries, x^T K x is
uncertain by u (sum_ij K_ij^2 x_i^2 x_j^2)^(1/2). Compared with exact frequencies of clamped beams the errors are 0.1 to
8 times that. A critical load at which phi buckles is x^T K x divided by that of the geometric stiffness, which does not
contain the large entries, for x = phi.

This cannot be repaired after K is formed. Scaling by congruence leaves the relative errors of the entries unchanged;
inverse iteration, refined with residuals B^T C B x computed from strains, needs a factorised K with a relative error
below one, and so has the same limit. A remedy would be K in factored form, [[-C^-1, B], [B^T, -mu M]] with the stresses
as unknowns, for which every kind of part would have to provide its strains as a matrix B.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from fem_mbd.base.arrays import Array
from fem_mbd.errors import FemMbdWarning

UNIT = 2.0**-53
MARGIN = 8.0
WARNING_LEVEL = 1e-4  # relative uncertainty from which a warning is issued
ADVICE = (
    "stiffnesses differ so much that round-off hides the smaller ones. Choose smaller EA and GA (1e6 EI/L^2 act "
    "like rigid ones), fewer elements, or RigidBody for parts that do not deform"
)


class PrecisionWarning(FemMbdWarning):
    """Round-off leaves few correct digits of a requested result."""


def uncertainty(stiffness: csr_matrix, vectors: Array) -> Array:
    """(k,) uncertainty of x^H K x due to round-off in K for each of the vectors (n, k), (rad/s)^2 at unit modal
    mass.
    """
    size = np.abs(vectors) ** 2
    products = np.asarray(np.einsum("ij,ij->j", size, abs(stiffness).power(2) @ size))
    return MARGIN * UNIT * np.sqrt(products)


def digits(relative: float) -> int:
    """Number of correct digits at a relative uncertainty."""
    return int(-np.log10(min(relative, 1.0)))
