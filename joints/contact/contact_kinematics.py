"""Contact kinematics of two bodies in a step: gap, normal, forces, levers; transport of tangent vectors (compiled).

A geometry's kernel (contact, k, l, kinematics) returns the gaps (gap_i, gap_f) in m at both ends of the step and
fills a `ContactKinematics`. With f_n > 0 the normal force of the step, constant over it, the bodies are loaded by

    force f_n pull on L's point and -f_n pull on K's, ambient forces f_n turn_k[a], f_n turn_l[a] on their directors,

whose work over the step is f_n (gap_f - gap_i) to round-off, so that the energy balance is exact. Friction acts in the
plane normal to ``normal``, at the end of ``lever_l`` from L's point at mid-step; how this point moves with the two
bodies is that of ``contact.slip_of`` (`slip_and_bristles`).

All quantities that depend on the unknowns are generic in type, real or complex, for complex-step tangents.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import float64, record
from fem_mbd.core.compiled.vectors import dot
from fem_mbd.friction.records import FRICTION_LAW, NORMAL_LAW

# Codes of the geometries, selected in `kernels.forces`
BALL_IN_SOCKET, DISK_IN_CYLINDER, POINT_ON_PLANE, BALL_ON_BALL, SPHEROID_ON_PLANE = 1, 2, 3, 4, 5

# How slip is computed, and where friction acts (`slip_and_bristles`)
BY_CENTRE, BY_POINTS, BY_SURFACES = 0, 1, 2

# One type for all geometries: numba confuses record types with a common beginning.
CONTACT = np.dtype(
    [
        ("nodes", "i8", (2,)),
        ("arm", "f8", (2, 3)),  # the two points from the mass centres, node axes
        # the geometry
        ("form", "i8"),  # code
        ("slip_of", "i8"),  # BY_CENTRE, BY_POINTS, BY_SURFACES
        (
            "in_frame",
            "i8",
        ),  # 1: bristles are stored as components in ``frame``; 0: transported with the normal
        ("oriented", "i8", (2,)),  # 1 where gap or contact point depend on the rotation of K, of L
        ("twists", "i8", (2,)),  # 1 where transported bristles follow the spin of K, of L about the normal
        ("radius_k", "f8"),
        ("radius_l", "f8"),
        ("crown", "f8"),  # half height of a spheroid
        (
            "axes_k",
            "f8",
            (3, 3),
        ),  # columns in node K's axes: a cylinder's e1, e2, e3; a plane's normal is the third
        ("axis_l", "f8", (3,)),  # a disk's axis in the axes of node L
        ("direction_i", "f8", (2,)),  # cos and sin of phi at t_i, contact point of a disk in its cylinder
        # results of the last evaluation
        ("gap_i", "f8"),
        ("gap_f", "f8"),
        ("normal_force", "f8"),
        ("impact_speed", "f8"),  # of the contact that is closed at t_f
        ("deepest", "f8"),  # m, approach so far
        ("mu", "f8", (3,)),
        ("slip", "f8", (3,)),
        ("normal", "f8", (3,)),  # of the step, along the normal force on L
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


class History(NamedTuple):
    """History of a contact, and the step size."""

    bristles: Any  # (nz, 3) m, states of the friction law
    initial_speed: Any  # m/s, relative normal speed at the start of the contact
    deepest: Any  # m, approach so far
    f_n_prev: Any  # N, normal force of the last step
    dt: Any  # s, of this step


class Laws(NamedTuple):
    """Records of a contact's two laws."""

    normal: Any
    friction: Any


class Contacts(NamedTuple):
    """The n contacts of a kind, with their laws."""

    records: Annotated[Any, record(CONTACT)[::1]]  # (n,)
    normal_laws: Annotated[Any, record(NORMAL_LAW)[::1]]  # (n,)
    friction_laws: Annotated[Any, record(FRICTION_LAW)[::1]]  # (n,)


class Histories(NamedTuple):
    """Their histories, fields of an array of records."""

    bristles: Annotated[Any, float64[:, :, :]]  # (n, nz, 3) m, states of the friction laws
    initial_speed: Annotated[Any, float64[:]]  # (n,) m/s, relative normal speed at the start of a contact
    deepest: Annotated[Any, float64[:]]  # (n,) m, approach so far
    f_n_prev: Annotated[Any, float64[:]]  # (n,) N, normal forces of the last step


class ContactKinematics(NamedTuple):
    """Contact kinematics of a step: arrays to be filled, global axes, (3,) unless stated otherwise."""

    distance_i: Any  # L's point from K's at t_i; filled by `forces`, as distance_f
    distance_f: Any
    pull: Any  # force on L's point per unit normal force
    turn_k: Any  # (3, 3) force on each director of K likewise, zero unless the geometry fills it
    turn_l: Any
    normal: Any  # unit vector of the step
    normal_i: Any  # unit normal at t_i and t_f, between which bristles are transported
    normal_f: Any
    frame: Any  # (3, 3) columns: normal and two tangents, for bristles stored as components
    lever_k: Any  # from K's point to its surface at mid-step, filled by the geometry for BY_SURFACES only
    lever_l: Any  # from L's point to where friction acts at mid-step; `find_slip` replaces both by those of the spins
    # filled by `forces`
    slip: Any
    mu: Any
    force: Any  # on L's point
    friction: Any  # on L
    along: Any  # axis of a directed friction law
    eta_k: Any  # material points of K and L, in their axes, whose displacement is in the slip
    eta_l: Any
    inverse_k: Any  # (3, 3) of K's mean rotation over the step, where slip is that of its material points
    inverse_l: Any
    spin_k: Any  # of K and L over the step, mean rotation times b
    spin_l: Any
    bristles: Any  # (nz, 3) in the step's plane
    all: Any  # (30 + nz, 3) all of the above except those at t_i, in one array


@kernel
def new_kinematics(like, states):
    """A `ContactKinematics` of zeros, real or complex as the array ``like`` (any shape), with ``states`` bristles."""
    # one array for all: an allocation takes as long as the geometry of a ball
    start, v = np.zeros((2, 3)), np.zeros((30 + states, 3), like.dtype)
    return ContactKinematics(
        start[0], v[0], v[1], v[2:5], v[5:8], v[8], start[1], v[9], v[10:13], v[13], v[14],
        v[15], v[16], v[17], v[18], v[19], v[20], v[21], v[22:25], v[25:28], v[28], v[29], v[30:], v,
    )  # fmt: skip


TINY = 1e-300  # avoids 0/0 where two points coincide


@kernel
def add_point(q, arm, x, sign):
    """x (3,) += sign times the position of the point at ``arm`` of a node with ambient vectors q (4, 3)."""
    for i in range(3):
        x[i] += sign * (q[0, i] + arm[0] * q[1, i] + arm[1] * q[2, i] + arm[2] * q[3, i])


@kernel
def set_distance(q_k, arm_k, q_l, arm_l, x):
    """Fill x (3,) with the position of L's point from K's, points as in `add_point`."""
    for i in range(3):
        x[i] = q_l[0, i] + arm_l[0] * q_l[1, i] + arm_l[1] * q_l[2, i] + arm_l[2] * q_l[3, i]
        x[i] -= q_k[0, i] + arm_k[0] * q_k[1, i] + arm_k[1] * q_k[2, i] + arm_k[2] * q_k[3, i]


@kernel
def mean_axis(axis, r_i, r_f, out):
    """Fill out (3,) with an axis (3,) of a node with rotations r_i, r_f (3, 3), rotated to the middle of the step."""
    for i in range(3):
        out[i] = 0.0
        for a in range(3):
            out[i] += 0.5 * axis[a] * (r_i[i, a] + r_f[i, a])


@kernel
def remove_along(n, a):
    """Remove from a (3,) its component along the unit vector n (3,)."""
    along = dot(a, n)
    for i in range(3):
        a[i] -= along * n[i]


@kernel
def transported(v, n_from, n_to):
    """Tangent vector v after the smallest rotation that takes the unit normal n_from to n_to: three numbers.

    On tangent vectors it equals the reflection that takes n_from to -n_to. A reflection preserves length even with an
    inaccurate mirror normal, as for normals that are almost opposite (a ball that crosses its socket in a step).
    """
    mirror = n_to[0] + n_from[0], n_to[1] + n_from[1], n_to[2] + n_from[2]
    along = 2.0 * dot(mirror, v) / (dot(mirror, mirror) + TINY)
    return v[0] - along * mirror[0], v[1] - along * mirror[1], v[2] - along * mirror[2]


@kernel
def transport(z, n_from, n_to):
    """Apply `transported` to the tangent vectors z (nz, 3)."""
    for k in range(z.shape[0]):
        z[k, 0], z[k, 1], z[k, 2] = transported(z[k], n_from, n_to)


@kernel
def disk_from_k(contact, q_k, q_l, x, axes, axis, y, e):
    """Position and axis of a disk of body L in axes fixed to body K.

    Fills K's axes (3, 3; columns) and the disk's axis (3,), global; x and e3L in K's axes as y, e (3,)."""
    for i in range(3):
        axis[i] = 0.0 * q_l[0, 0]
        for j in range(3):
            axis[i] += contact["axis_l"][j] * q_l[1 + j, i]
            axes[i, j] = 0.0 * q_k[0, 0]
            for a in range(3):
                axes[i, j] += contact["axes_k"][a, j] * q_k[1 + a, i]
    for j in range(3):
        y[j], e[j] = 0.0 * x[0], 0.0 * x[0]
        for i in range(3):
            y[j] += axes[i, j] * x[i]
            e[j] += axes[i, j] * axis[i]
