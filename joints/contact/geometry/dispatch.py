"""Dispatch of the contact geometries by kind (compiled); one line for each."""

from __future__ import annotations

from fem_mbd.core.compiled import kernel
from fem_mbd.core.compiled.signatures import array3, record, void
from fem_mbd.joints.contact.geometry import (
    ball_in_socket,
    ball_on_ball,
    disk_in_cylinder,
    point_on_plane,
    spheroid_on_plane,
)
from fem_mbd.joints.contact.geometry.contact_kinematics import (
    BALL_IN_SOCKET,
    BALL_ON_BALL,
    CONTACT,
    DISK_IN_CYLINDER,
    POINT_ON_PLANE,
    SPHEROID_ON_PLANE,
)


@kernel
def find_contact(contact, k, l, kinematics):
    """Gaps in m at both ends of the step; fills the `ContactKinematics` of two `Body` (see `contact_kinematics`).

    Raises ValueError for a record of unknown form.
    """
    if contact.form == BALL_IN_SOCKET:
        return ball_in_socket.find_contact(contact, k, l, kinematics)
    if contact.form == DISK_IN_CYLINDER:
        return disk_in_cylinder.find_contact(contact, k, l, kinematics)
    if contact.form == POINT_ON_PLANE:
        return point_on_plane.find_contact(contact, k, l, kinematics)
    if contact.form == BALL_ON_BALL:
        return ball_on_ball.find_contact(contact, k, l, kinematics)
    if contact.form == SPHEROID_ON_PLANE:
        return spheroid_on_plane.find_contact(contact, k, l, kinematics)
    raise ValueError("contact: record of unknown form; it is filled by the geometry's fill()")


@kernel(void(record(CONTACT)[::1], array3))
def begin(contacts, q_i):
    """Quantities constant over a step, once for all iterations; q_i (n, 4, 3) are the nodes' ambient vectors."""
    for c in range(contacts.shape[0]):
        contact = contacts[c]
        if contact.form == DISK_IN_CYLINDER:
            disk_in_cylinder.begin(contact, q_i[contact.nodes[0]], q_i[contact.nodes[1]])
