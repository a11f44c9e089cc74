"""Input and output of contact geometries: the motion of two bodies in a step; contact normal, forces and levers.

A geometry's ``meet(contact, k, l, kinematics)`` returns the gaps (gap_i, gap_f) in m at both ends of the step and fills
a `ContactKinematics`. With f_n > 0 the normal force of the step, constant over it, the bodies get

    force f_n pull on L's point and -f_n pull on K's, ambient forces f_n turn_k[a], f_n turn_l[a] on their directors,

whose work over the step is f_n (gap_f - gap_i) to round-off: that is what makes the energy balance exact. Friction acts
in the plane normal to ``normal``, at the place that ``lever_k`` and ``lever_l`` point to.

Everything that depends on the unknowns is generic in type, complex in a tangent by complex step.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fem_mbd.core.compiled import kernel

# Codes of the geometries, told apart in `dispatch`
BALL_IN_SOCKET, DISK_IN_CYLINDER, POINT_ON_PLANE, BALL_ON_BALL, SPHEROID_ON_PLANE = 1, 2, 3, 4, 5

# One type for all geometries: numba takes records that only begin alike for one another.
CONTACT = np.dtype(
    [
        ("nodes", "i8", (2,)),
        ("arm", "f8", (2, 3)),  # the two points from the mass centres, node axes
        # the geometry
        ("form", "i8"),  # code
        (
            "at_points",
            "i8",
        ),  # 1: friction acts at material points of the bodies; 0: by the levers of their turns
        (
            "in_frame",
            "i8",
        ),  # 1: bristles are kept by their components in ``frame``; 0: carried from normal to normal
        ("oriented", "i8", (2,)),  # 1 where gap or place depend on the rotation of K, of L
        ("twists", "i8", (2,)),  # 1 where carried bristles take part in the twist of K, of L about the normal
        ("radius_k", "f8"),
        ("radius_l", "f8"),
        ("crown", "f8"),  # half height of a spheroid
        (
            "axes_k",
            "f8",
            (3, 3),
        ),  # columns in the axes of node K: a cylinder's e1, e2, e3; last one a plane's normal
        ("axis_l", "f8", (3,)),  # a disk's axis in the axes of node L
        ("place_i", "f8", (2,)),  # cos and sin of phi at t_i, where a disk meets its cylinder
        # what the last evaluation found
        ("gap_i", "f8"),
        ("gap_f", "f8"),
        ("normal_force", "f8"),
        ("impact_speed", "f8"),  # of the contact that is closed at t_f
        ("deepest", "f8"),  # m, approach so far
        ("mu", "f8", (3,)),
        ("slip", "f8", (3,)),
        ("normal", "f8", (3,)),  # of the step
        ("loss_contact", "f8"),
        ("loss_friction", "f8"),
    ],
    align=True,
)


class Body(NamedTuple):
    """One of the two bodies: unknowns x (12,), its point's arm (3,), and q (4, 3), R (3, 3) at both ends."""

    x: Any
    arm: Any
    q_i: Any
    q_f: Any
    r_i: Any
    r_f: Any


@kernel
def two_bodies(record, x, r_i, q_i, r_f, q_f):
    """The two `Body` of a record with ``nodes`` and ``arm``, from arrays of all nodes."""
    k, l = record.nodes[0], record.nodes[1]
    return (
        Body(x[k], record["arm"][0], q_i[k], q_f[k], r_i[k], r_f[k]),
        Body(x[l], record["arm"][1], q_i[l], q_f[l], r_i[l], r_f[l]),
    )


class History(NamedTuple):
    """What a contact is given of the steps before, and the step's length."""

    bristles: Any  # (nz, 3) m, states of the friction law
    began: Any  # m/s, speed at which the contact began
    deepest: Any  # m, approach so far
    before: Any  # N, normal force of the last step
    dt: Any  # s, of this step


class Laws(NamedTuple):
    """Records of a contact's two laws."""

    normal: Any
    friction: Any


class ContactKinematics(NamedTuple):
    """How the bodies meet in a step; arrays that are filled, global axes, (3,) unless said otherwise."""

    apart_i: Any  # L's point from K's at t_i; filled by the driver, as apart_f
    apart_f: Any
    pull: Any  # force on L's point per unit normal force
    turn_k: Any  # (3, 3) force on each director of K likewise, zero unless the geometry fills it
    turn_l: Any
    normal: Any  # unit vector of the step
    normal_i: Any  # unit normal at t_i and t_f, between which bristles are carried
    normal_f: Any
    frame: Any  # (3, 3) columns: normal and two tangents in which bristles are kept
    lever_k: Any  # where friction acts, from the two points at mid-step
    lever_l: Any
    # filled by the driver
    slip: Any
    mu: Any
    force: Any  # on L's point
    friction: Any  # on L
    along: Any  # axis of a directed friction law
    eta_k: Any  # the contact at mid-step in the axes of K and L, where friction acts at points
    eta_l: Any
    bristles: Any  # (nz, 3) in the step's plane
    all: Any  # (22 + nz, 3) all of these but those of t_i, in one array


@kernel
def new_kinematics(like, states):
    """A `ContactKinematics` of zeros, real or complex as the array ``like`` (any shape), with ``states`` bristles."""
    # one array, not one for each: allocating takes as long as the geometry of a ball
    start, v = np.zeros((2, 3)), np.zeros((22 + states, 3), like.dtype)
    return ContactKinematics(
        start[0], v[0], v[1], v[2:5], v[5:8], v[8], start[1], v[9], v[10:13], v[13], v[14],
        v[15], v[16], v[17], v[18], v[19], v[20], v[21], v[22:], v,
    )  # fmt: skip
