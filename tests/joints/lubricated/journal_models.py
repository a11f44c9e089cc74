"""A journal in a lubricated bearing: free bodies in general position, and a fast rotor."""

from typing import Any

import numpy as np

from fem_mbd.base.arrays import Array
from fem_mbd.core.model.model import Model
from fem_mbd.core.rotations import rotation_about, unit_vector
from fem_mbd.elements import RigidBody
from fem_mbd.joints import LubricatedJournal, LubricatedJournalHandle

RADIUS, LENGTH, CLEARANCE, VISCOSITY = 0.02, 0.01, 1e-4, 0.05
SQUEEZE = VISCOSITY * RADIUS * (LENGTH / CLEARANCE) ** 3  # N s/m
AXIS = unit_vector((0.48, -0.6, 0.64), "axis")


def eccentric(ratio: float, clearance: float = CLEARANCE) -> Array:
    """Place (3,) of a journal's centre in the plane of the bearing, m."""
    across = unit_vector(np.cross(AXIS, (1, 0, 0)), "across")
    return ratio * clearance * (0.6 * across + 0.8 * np.cross(AXIS, across))


def two_bodies(ratio: float, scale: float = 1.0, **changes: Any) -> tuple[Model, LubricatedJournalHandle]:
    """Mass centres are off the nodes, and both off the bearing, whose sizes are ``scale`` times the usual ones."""
    model = Model()
    at_k, at_l = rotation_about((1, 2, 3), 0.7), rotation_about((1, -2, 1), 1.4)
    k = model.add(
        RigidBody(2.0, (0.03, 0.04, 0.05), (0.1, 0.2, 0), rotation=at_k, centre=(0.1, 0, 0.05))
    ).node
    l = model.add(
        RigidBody(1.0, (0.02, 0.025, 0.03), (0.7, 0.2, 0.1), rotation=at_l, centre=(0, 0.2, 0.05))
    ).node
    place = np.array([0.4, 0.1, -0.2])
    numbers: dict[str, Any] = {"axis": AXIS, "aligned": False} | changes
    handle = model.add(
        LubricatedJournal(
            k.at_global(place),
            l.at_global(place + eccentric(ratio, scale * CLEARANCE)),
            scale * RADIUS,
            scale * LENGTH,
            scale * CLEARANCE,
            VISCOSITY,
            **numbers,
        )
    )
    return model, handle


def rotor(
    mass: float, speed: float, start: Any, load: float, **changes: Any
) -> tuple[Model, LubricatedJournalHandle]:
    """A disk of ``mass`` (kg) that rotates with ``speed`` (rad/s) about z under the load ``load`` (N) along -y.

    start : (2,) eccentricity ratio; the inertia about the axis is so large that the speed is almost constant.
    """
    model = Model(gravity=(0.0, -load / mass, 0.0))
    x, y = CLEARANCE * np.asarray(start, dtype=float)
    disk = model.add(RigidBody(mass, (0.6, 0.6, 1.0), (x, y, 0.0), name="disk"))
    model.set_velocity(disk.node, omega=(0.0, 0.0, speed))
    numbers: dict[str, Any] = {"axis": (0, 0, 1), "name": "bearing"} | changes
    handle = model.add(
        LubricatedJournal(model.ground, disk.node, RADIUS, LENGTH, CLEARANCE, VISCOSITY, **numbers)
    )
    return model, handle
