"""Transformation of 6 x 6 section matrices to other axes and other reference points.

Strains or velocities are pairs of vectors in the axes of a section: (gamma, kappa) or (v, omega). For a point B at the
offset r from A (both in the plane of the section, r in its axes),

    gamma_A = gamma_B + r x kappa        v_A = v_B + r x omega

since the point B of a section moves with x_B = x_A + R r, x_B' = x_A' + R (kappa x r). Energies do not depend on the
reference point, so with T = [[1, r~], [0, 1]] both matrices transform as X_B = T^T X_A T. The ratio of lengths of the
lines through A and B on a curved beam, 1 + r x curvature, is neglected, as in all these formats.

Axes: if a = P b takes components in axes b to components in axes a, X_a = diag(P, P) X_b diag(P, P)^T. All P here are
rotations, so rotations and moments transform like forces; a reflection would need the opposite sign for them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import skew

# Blade axes are those of BeamDyn and the IEC: x to the suction side, y to the trailing edge, z to the tip. Sections
# have 1 along the beam, 2 and 3 across: 1 = z, 2 = x, 3 = y, a cyclic permutation and hence a rotation.
FROM_BEAMDYN = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
# HAWC2 has x to the leading edge, y to the suction side, z to the tip: x = -y, y = x of blade axes.
BLADE_FROM_HAWC2 = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
FROM_HAWC2 = FROM_BEAMDYN @ BLADE_FROM_HAWC2


def in_axes(matrix: ArrayLike, axes: Array) -> Array:
    """`matrix` (6, 6) in other axes: `axes` (3, 3) transforms components from the old axes to the new ones."""
    both = np.kron(np.eye(2), axes)
    return np.asarray(both @ np.asarray(matrix, dtype=float) @ both.T)


def at_point(matrix: ArrayLike, offset: ArrayLike) -> Array:
    """`matrix` (6, 6) at the reference point at `offset` (3,) from the present one, in the matrix's own axes."""
    shift = np.eye(6)
    shift[:3, 3:] = skew(np.asarray(offset, dtype=float))
    return np.asarray(shift.T @ np.asarray(matrix, dtype=float) @ shift)


def about_third(angle: float) -> Array:
    """Rotation (3, 3) by `angle` (rad) about axis 3: columns are the rotated axes."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
