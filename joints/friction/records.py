"""Record types of joint friction for compiled code: the joint's frame, and its friction surfaces.

The motion of a joint over a step has six coordinates: the rotation of L relative to K about the three axes of the joint
(rad), and the displacement of L's point along the three axes of K (m). A contribution is one pair of surfaces: its slip
is some of these coordinates times lengths, its normal force a weighted sum of components of the reaction.
"""

from __future__ import annotations

from typing import Any

import numpy as np

NONE = -1
TURN, SLIDE = 0, 3  # first coordinates of each
# components of the reaction that a contribution weights; axis: that of the contribution
FORCE = 0  # magnitude of the force, N
RADIAL = 1  # magnitude of the force normal to the axis, N
AXIAL = 2  # magnitude of the force along the axis, N
BENDING = 3  # magnitude of the moment normal to the axis, N m
TORSION = 4  # magnitude of the moment about the axis, N m
ALONG_1 = 5  # magnitude of the force along the joint's axis 1, N
ALONG_2 = 6
WEIGHTS = 7

FRICTION_JOINT = np.dtype(
    [
        ("nodes", "i8", (2,)),
        ("joint", "i8"),  # among the ideal joints
        ("rows", "i8"),  # constraints of the joint
        ("arm", "f8", (2, 3)),  # m, joint points from the mass centres, node axes
        ("axes", "f8", (2, 3, 3)),  # the joint's triad (columns) in the axes of both nodes
        ("cross", "i8"),  # axis 1 belongs to L, as in a universal joint, whose axis 3 is K's
        ("first", "i8"),  # contributions
        ("count", "i8"),
        ("slide", "f8"),  # m, along axis 3 in the reference configuration
        ("overlap", "f8"),  # m, in the reference configuration
        ("overlap_rate", "f8"),  # change of the overlap per displacement: -1, 0, 1
    ],
    align=True,
)

CONTRIBUTION = np.dtype(
    [
        ("axis", "i8"),  # 0, 1, 2
        ("coordinate", "i8", (3,)),  # of the slip's three components, NONE for none
        ("length", "f8", (3,)),  # m for rotations, 1 for displacements
        ("preload", "f8"),  # N
        ("weight", "f8", (WEIGHTS,)),
        ("over_overlap", "i8"),  # whether the weight of bending is divided by the overlap
        ("viscous", "f8"),  # N s/m
        ("face", "f8"),  # m, from the axis to the face pressed by a positive force on L
        ("face_axis", "i8"),  # 0 or 1, NONE for friction on the axis
    ],
    align=True,
)


def history_type(states: int) -> np.dtype[Any]:
    """Record type of the history of a contribution; ``states`` is the largest number of states of the laws."""
    return np.dtype([("bristles", "f8", (states, 3)), ("normal_force", "f8")])
