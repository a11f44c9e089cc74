"""Mooring lines of a platform: forces and stiffness at rest, from their catenaries."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.rotations import skew
from fem_mbd.elements.cable.catenary import MooringLine, line_at_rest


def mooring(lines: Sequence[MooringLine], reference: Array) -> tuple[Array, Array]:
    """Forces and moments (6,) of lines on a platform at a point, and their stiffness (6, 6) there.

    Parameters
    ----------
    lines : of the platform
    reference : (3,) m, global axes

    Raises
    ------
    InputError
        As `line_at_rest`.
    """
    total, stiffness = np.zeros(6), np.zeros((6, 6))
    for line in lines:
        force, line_stiffness = line_at_rest(line)
        arm = skew(line.fairlead - reference)
        motion = np.hstack([np.eye(3), -arm])
        stiffness += motion.T @ line_stiffness @ motion
        # the moment arm x force changes as the arm turns with the platform
        stiffness[3:, 3:] -= skew(force) @ arm
        total += np.concatenate([force, arm @ force])
    return total, stiffness
