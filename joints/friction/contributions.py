"""Friction surfaces of each type of joint: their slip, the part of the reaction that presses them, their records.

N is the sum of the normal forces on a surface, f and m the force and the moment of the joint on L at its point, 3 the
joint's axis. Each line is a contribution with its own bristle. Source: comments 9 to 14 of MotionSolve's
``Force_JointFriction``; where its formulas are illegible or contradict statics, statics is used
(docs/explanation/joint_friction.md).

    revolute       radial    N = |f_12|               slip r_p turn
                   axial     N = |f_3|                slip r_n turn
                   bending   N = |m_12|/r_b           slip r_p turn     two contacts, 2 r_b apart
                   preload   N = T_0/(mu_s r_p)       slip r_p turn     breaks away at T_0
    prismatic      sliding   N = |f_12|               slip = slide
                   torsion   N = 2 |m_3|/r_n          slip = slide      two contacts, r_n apart
                   bending   N = 2 |m_12|/x_s         slip = slide      two contacts, x_s apart
                   preload   N = F_0/mu_s             slip = slide
    cylindrical    radial    N = |f_12|               slip (r_p turn, slide)
                   bending   N = 2 |m_12|/x_s         slip (r_p turn, slide)
                   preload   N = F_0/mu_s + T_0/(mu_s r_p)
    spherical      ball      N = |f| + T_0/(mu_s r)   slip r turn, a vector of three
    universal      those of a revolute joint about the selected yoke, or about both
    planar         sliding   N = |f_3|                slip (slide_1, slide_2, r_n turn)
                   bending   N = |m_12|/r_b           likewise
                   preload   N = F_0/mu_s             likewise

r_n of the planar joint, an addition of this package, is the lever arm of friction against spin alone: an ellipsoidal
limit surface (Howe and Cutkosky 1996, eq. 7).

Records for compiled code hold the joint's frame and its friction surfaces. The motion of a joint over a step has six
coordinates: the rotation of L relative to K about the three axes of the joint (rad), and the displacement of L's point
along the three axes of K (m). A contribution is one pair of surfaces: its slip is some of these coordinates times
lengths, its normal force a weighted sum of components of the reaction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
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


@dataclass(frozen=True)
class Contribution:
    """One pair of surfaces; the fields are those of `CONTRIBUTION`.

    slip : up to three pairs (coordinate, length)
    """

    name: str
    slip: tuple[tuple[int, float], ...]
    weights: Mapping[int, float] = field(default_factory=dict)
    preload: float = 0.0
    axis: int = 2
    over_overlap: bool = False
    viscous: float = 0.0
    face: float = 0.0
    face_axis: int = NONE

    def fill(self, record: Any) -> None:
        """Copy the data to an element of an array of dtype ``CONTRIBUTION``."""
        record["axis"], record["preload"], record["viscous"] = self.axis, self.preload, self.viscous
        record["coordinate"][:] = NONE
        for j, (coordinate, length) in enumerate(self.slip):
            record["coordinate"][j], record["length"][j] = coordinate, length
        for part, weight in self.weights.items():
            record["weight"][part] = weight
        record["over_overlap"], record["face"], record["face_axis"] = (
            self.over_overlap,
            self.face,
            self.face_axis,
        )


def of_revolute(friction: Any, axis: int = 2, label: str = "") -> list[Contribution]:
    """Pin in its bore about ``axis`` (0, 1, 2) of the joint; label: prefix of the contributions' names."""
    pin = friction.length("pin_radius")
    slip = ((TURN + axis, pin),)
    parts = []
    if friction.counts("reaction_force"):
        parts.append(Contribution(f"{label}radial", slip, {RADIAL: 1.0}, axis=axis))
        arm = pin if friction.friction_arm is None else friction.length("friction_arm")
        parts.append(Contribution(f"{label}axial", ((TURN + axis, arm),), {AXIAL: 1.0}, axis=axis))
    if friction.counts("bending_moment"):
        arm = friction.length("bending_reaction_arm")
        parts.append(Contribution(f"{label}bending", slip, {BENDING: 1.0 / arm}, axis=axis))
    if friction.counts("preload"):
        load = friction.per_static_coefficient("torque_preload") / pin
        parts.append(Contribution(f"{label}preload", slip, preload=load, axis=axis))
    return parts


def of_prismatic(friction: Any) -> list[Contribution]:
    """Slider on its guide; with ``faces`` the reaction's two components press one pair of faces each."""
    along = ((SLIDE + 2, 1.0),)
    parts = []
    if friction.counts("reaction_force"):
        if friction.faces is None:
            parts.append(Contribution("sliding", along, {RADIAL: 1.0}))
        else:
            side = -1.0 if friction.slider == "inner" else 1.0
            for k, (part, half) in enumerate(zip((ALONG_1, ALONG_2), friction.faces, strict=True)):
                parts.append(Contribution(f"face {k + 1}", along, {part: 1.0}, face=side * half, face_axis=k))
    if friction.counts("torsional_moment"):
        parts.append(Contribution("torsion", along, {TORSION: 2.0 / friction.length("reaction_arm")}))
    if friction.counts("bending_moment"):
        friction.length("initial_overlap")
        parts.append(Contribution("bending", along, {BENDING: 2.0}, over_overlap=True))
    if friction.counts("preload"):
        parts.append(Contribution("preload", along, preload=friction.per_static_coefficient("force_preload")))
    return parts


def of_cylindrical(friction: Any) -> list[Contribution]:
    """Shaft in its bore, which rotates and slides."""
    pin = friction.length("pin_radius")
    both = ((TURN + 2, pin), (SLIDE + 2, 1.0))
    parts = []
    if friction.counts("reaction_force"):
        parts.append(Contribution("radial", both, {RADIAL: 1.0}))
    if friction.counts("bending_moment"):
        friction.length("initial_overlap")
        parts.append(Contribution("bending", both, {BENDING: 2.0}, over_overlap=True))
    if friction.counts("preload"):
        # both preloads press the bore on the shaft
        load = friction.per_static_coefficient("force_preload")
        load += friction.per_static_coefficient("torque_preload") / pin
        parts.append(Contribution("preload", both, preload=load))
    return parts


def of_spherical(friction: Any) -> list[Contribution]:
    """Ball in its socket; the preload is added to the reaction, with one bristle, as in the source."""
    ball = friction.length("ball_radius")
    load, weights = 0.0, {}
    if friction.counts("preload"):
        load = friction.per_static_coefficient("torque_preload") / ball
    if friction.counts("reaction_force"):
        weights = {FORCE: 1.0}
    if not weights and not load:
        return []
    return [Contribution("ball", tuple((TURN + j, ball) for j in range(3)), weights, load)]


def of_universal(friction: Any) -> list[Contribution]:
    """Two revolute joints, axis 3 for K's yoke and axis 1 for L's; both carry the same force."""
    yokes = {"k": (2,), "l": (0,), "both": (2, 0)}[friction.yoke]
    return [part for axis in yokes for part in of_revolute(friction, axis, f"yoke {'k' if axis else 'l'} ")]


def of_planar(friction: Any) -> list[Contribution]:
    """Block guided by a plane on both sides."""
    slip = ((SLIDE, 1.0), (SLIDE + 1, 1.0), (TURN + 2, friction.length("friction_arm")))
    parts = []
    if friction.counts("reaction_force"):
        parts.append(Contribution("sliding", slip, {AXIAL: 1.0}))
    if friction.counts("bending_moment"):
        arm = friction.length("bending_reaction_arm")
        parts.append(Contribution("bending", slip, {BENDING: 1.0 / arm}))
    if friction.counts("preload"):
        parts.append(Contribution("preload", slip, preload=friction.per_static_coefficient("force_preload")))
    return parts
