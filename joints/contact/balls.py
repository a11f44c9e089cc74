"""Contact geometries of balls: one in a socket, in the plane a disk in a ring, and two that touch from outside.

In a socket (Bauchau and Ju, section 2.1): x = x_L - x_K between the centres; gap q = rho_K - rho_L - |x| (their eq. 2).
With n_m = (x_i + x_f)/(|x_i| + |x_f|) (eq. 4) the work of a normal force along n_m is exactly f_n (q_f - q_i). Friction
acts on both bodies at one point, the ball's deepest, rho_L n from its centre, n = n_m/|n_m|.

As printed (their eqs. 5 to 7; ``printed``) it acts on each body at its own surface, rho n from its centre. The two
points are the penetration d apart, so that the two forces leave a moment mu f_n d, and bodies that rotate together slip
by omega d.

Bristles are transported by the smallest rotation between normals and the mean spin of both bodies about it, which
preserve their length. Source: docs/explanation/theory.md, section 8.

From outside: x = x_L - x_K between the centres; gap q = |x| - rho_K - rho_L, Dq = n_m . Dx with n_m = (x_i +
x_f)/(|x_i| + |x_f|), exactly. Friction acts in the middle of the penetration, -(rho_L + q_m/2) n_m from L's centre.
Bristles are transported by the smallest rotation between normals and the mean spin of the balls. Source:
docs/explanation/contact.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.base.validation import positive
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.vectors import length
from fem_mbd.core.model.node import Point
from fem_mbd.errors import InputError
from fem_mbd.joints.contact.contact_kinematics import (
    BALL_IN_SOCKET,
    BALL_ON_BALL,
    BY_CENTRE,
    BY_POINTS,
    BY_SURFACES,
    TINY,
)


def fitting_radii(radius_k: float, radius_l: float, what: str) -> tuple[float, float]:
    """Both radii in m; InputError, naming ``what``, unless the inner one fits into the outer one."""
    outer, inner = positive(radius_k, f"{what}: radius_k"), positive(radius_l, f"{what}: radius_l")
    if inner >= outer:
        raise InputError(f"{what}: radius_l = {inner:g} m does not fit into radius_k = {outer:g} m")
    return outer, inner


@dataclass(frozen=True)
class BallInSocket:
    """A ball of radius_l (m) on body L, centre at its point, in a socket of radius_k (m) about K's point.

    printed : whether friction acts at two points, as the source prints it
    """

    radius_k: float
    radius_l: float
    printed: bool = False

    def fill(self, record: Any, k: Point, l: Point) -> None:
        """Copy the geometry to the contact's ``record``."""
        record["form"] = BALL_IN_SOCKET
        record["slip_of"] = BY_SURFACES if self.printed else BY_CENTRE
        record["twists"] = True, True
        record["radius_k"], record["radius_l"] = self.radius_k, self.radius_l

    def start(self, k: Point, l: Point) -> tuple[float, Array]:
        """Gap (m) and unit normal (3,) of the reference configuration."""
        x = l.position - k.position
        distance = float(np.linalg.norm(x))
        normal = -x / distance if distance > 0 else np.zeros(3)
        return self.radius_k - self.radius_l - distance, normal


@kernel
def find_in_socket(contact, k, l, kinematics):
    """Gaps at both ends of the step; see `contact_kinematics`."""
    x_i, x_f = kinematics.distance_i, kinematics.distance_f
    l_i, l_f = length(x_i), length(x_f)
    for i in range(3):
        kinematics.pull[i] = (x_i[i] + x_f[i]) / (l_i + l_f + TINY)
        kinematics.normal_i[i] = x_i[i] / (l_i + TINY)
        kinematics.normal_f[i] = x_f[i] / (l_f + TINY)
    size = length(kinematics.pull) + TINY
    for i in range(3):
        kinematics.normal[i] = kinematics.pull[i] / size
        kinematics.lever_k[i] = contact.radius_k * kinematics.normal[i]
        kinematics.lever_l[i] = contact.radius_l * kinematics.normal[i]
    clearance = contact.radius_k - contact.radius_l
    return clearance - l_i, clearance - l_f


@dataclass(frozen=True)
class BallOnBall:
    """A ball of radius_k (m) about K's point and one of radius_l (m) about L's."""

    radius_k: float
    radius_l: float

    def fill(self, record: Any, k: Point, l: Point) -> None:
        """Copy the geometry to the contact's ``record``."""
        record["form"] = BALL_ON_BALL
        record["slip_of"] = BY_POINTS
        record["twists"] = True, True
        record["radius_k"], record["radius_l"] = self.radius_k, self.radius_l

    def start(self, k: Point, l: Point) -> tuple[float, Array]:
        """Gap (m) and unit normal (3,) of the reference configuration."""
        x = l.position - k.position
        distance = float(np.linalg.norm(x))
        return distance - self.radius_k - self.radius_l, x / distance


@kernel
def find_outside(contact, k, l, kinematics):
    """Gaps at both ends of the step; see `contact_kinematics`."""
    x_i, x_f = kinematics.distance_i, kinematics.distance_f
    l_i, l_f = length(x_i), length(x_f)
    gap_i, gap_f = l_i - contact.radius_k - contact.radius_l, l_f - contact.radius_k - contact.radius_l
    weight = 1.0 / (l_i + l_f + TINY)
    for i in range(3):
        kinematics.pull[i] = -(weight * (x_i[i] + x_f[i]))
        kinematics.normal_i[i] = x_i[i] / (l_i + TINY)
        kinematics.normal_f[i] = x_f[i] / (l_f + TINY)
    size, reach = length(kinematics.pull) + TINY, contact.radius_l + 0.25 * (gap_i + gap_f)
    for i in range(3):
        kinematics.normal[i] = -kinematics.pull[i] / size
        kinematics.lever_l[i] = reach * kinematics.pull[i]
    return gap_i, gap_f
