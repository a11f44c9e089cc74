"""Largest admissible tilt of a disk in its cylinder, checked at every step.

A disk of radius rho whose centre is at the distance p from the cylinder's axis, in the direction of its tilt, touches
at two points instead of one when rho sin(tilt)^2 exceeds p. The deeper one is used; where both are equally deep the
direction of the force is undefined and Newton's method does not converge. A joint gets there when its law is too soft
for its load.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array, Indices
from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import array3, float64, indices, int64, record, several
from fem_mbd.errors import InputError
from fem_mbd.joints.contact.geometry.contact_kinematics import CONTACT

LARGEST_TILT = np.radians(60.0)  # beyond it the disk lies across the cylinder


@kernel(several(int64, float64)(record(CONTACT)[::1], indices, array3))
def most_tilted(contacts, disks, q):
    """The contact among ``disks`` (n,) with the largest tilt of its disk, and the cosine of this tilt."""
    worst, least = disks[0], np.inf
    for n in disks:
        contact = contacts[n]
        k, l = contact.nodes[0], contact.nodes[1]
        cosine = 0.0
        for i in range(3):
            on_k, on_l = 0.0, 0.0
            for a in range(3):
                on_k += contact["axes_k"][a, 2] * q[k, 1 + a, i]
                on_l += contact["axis_l"][a] * q[l, 1 + a, i]
            cosine += on_k * on_l
        if abs(cosine) < least:
            worst, least = n, abs(cosine)
    return worst, least


def check_tilts(records: Any, disks: Indices, names: Sequence[str], q: Array) -> None:
    """Refuse disks that are tilted too far in their cylinders.

    Parameters
    ----------
    records : of the contacts' data
    disks : (n,) indices of the disks in cylinders
    names : of all contacts
    q : (nodes, 4, 3) ambient vectors of the nodes

    Raises
    ------
    InputError
        With the contact's name and the tilt; in a run it fails the step.
    """
    worst, cosine = most_tilted(records, disks, q)
    if cosine < np.cos(LARGEST_TILT):
        raise InputError(
            f"the disk of contact '{names[worst]}' is tilted by {np.degrees(np.arccos(cosine)):.0f} degrees in "
            "its cylinder: the indentation is far beyond its clearance; its law is too soft for the load"
        )
