"""Record type of rolling joints for compiled code."""

from __future__ import annotations

import numpy as np

ROWS = 3  # constraints of a joint: along the two axes of the plane, and along its normal

ROLLING = np.dtype(
    [
        ("nodes", "i8", (2,)),
        (
            "arm",
            "f8",
            (2, 3),
        ),  # m, a point of the plane and the centre of the rolling body, from the mass centres
        ("plane", "f8", (3, 3)),  # columns in the axes of node K: two axes of the plane, its normal
        ("axle", "f8", (3,)),  # a disk's axis in the axes of node L
        ("radius", "f8"),  # m
        ("ball", "i8"),  # 1: a ball, which has no axis
    ],
    align=True,
)
