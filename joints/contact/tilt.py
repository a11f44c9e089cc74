"""How far a disk may tilt in its cylinder and still be the inner part of a joint.

A disk of radius rho whose centre is p off the cylinder's axis, towards its tilt, touches at two places instead of one
where rho sin(tilt)^2 passes p. Of these the deeper one counts, and where both are equally deep the force has no
direction that a step could settle on. A joint gets there when its law is too soft for its load.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fem_mbd.arrays import Array
from fem_mbd.errors import InputError

LARGEST_TILT = np.radians(60.0)  # beyond it is a coin that lies across a pipe


def check_tilts(records: Any, names: Sequence[str], q: Array) -> None:
    """Refuse disks, (n,) contact records, that lie across their cylinders.

    Parameters
    ----------
    records : (n,) of the contacts' data
    names : of the contacts
    q : (nodes, 4, 3) ambient vectors of the nodes

    Raises
    ------
    InputError
        With the contact's name and the tilt; in a run it fails the step.
    """
    k, l = records["nodes"].T
    axis_k = np.einsum("na,nai->ni", records["axes_k"][:, :, 2], q[k, 1:])
    axis_l = np.einsum("na,nai->ni", records["axis_l"], q[l, 1:])
    cosine = np.abs((axis_k * axis_l).sum(axis=1))
    worst = int(np.argmin(cosine))
    if cosine[worst] < np.cos(LARGEST_TILT):
        raise InputError(
            f"the disk of contact '{names[worst]}' is tilted by {np.degrees(np.arccos(cosine[worst])):.0f} degrees in "
            "its cylinder: it is pressed far beyond its clearance and no joint any more; its law is too soft for the "
            "load"
        )
